"""The ledger of this installation, for commands that need no running gateway."""

from __future__ import annotations

import asyncio
import getpass
from collections.abc import Awaitable, Callable
from typing import TypeVar

from backends.clock import SystemClock
from backends.ids import RandomIds
from domain.clock import Clock, IdFactory
from domain.documents import OriginKind, OriginRef
from domain.errors import InputError
from domain.ledger import Ledger
from runtime.home import open_ledger, prepare_home
from runtime.settings import Settings

T = TypeVar("T")


class LocalLedger:
    """Opened for one command; `actor` is what the journal writes."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.clock: Clock = SystemClock()
        self.ids: IdFactory = RandomIds(self.clock)
        self.ledger: Ledger = open_ledger(settings, clock=self.clock, ids=self.ids)
        self.actor = actor()


def with_ledger(settings: Settings, work: Callable[[LocalLedger], Awaitable[T]]) -> T:
    """Open the ledger, made and migrated if need be, and run `work` on it."""
    prepare_home(settings)

    async def run() -> T:
        local = LocalLedger(settings)
        try:
            return await work(local)
        finally:
            await local.ledger.close()

    return asyncio.run(run())


def parse_origin(text: str) -> OriginRef:
    """Return the origin that `kind:id` names.

    Raises:
        InputError: Not of that form.
    """
    from pydantic import TypeAdapter, ValidationError

    from gateway.http.models_documents import OriginId

    kind, _, name = text.partition(":")
    try:
        return OriginRef(kind=OriginKind(kind), id=TypeAdapter[str](OriginId).validate_python(name))
    except (ValueError, ValidationError) as exc:
        kinds = ", ".join(OriginKind)
        raise InputError(
            f"an origin is kind:id, the kind one of {kinds}, the id up to 100 letters, digits "
            f"and ._@-, not {text!r}"
        ) from exc


def actor() -> str:
    """Return who gives the command, as the journal writes it."""
    try:
        return f"cli:{getpass.getuser()}"
    except (OSError, KeyError):
        return "cli"
