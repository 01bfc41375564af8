"""The data folder: made private, its database brought up to date, its first key written."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from backends.broker_embedded import EmbeddedBroker
from backends.clock import SystemClock
from backends.ids import RandomIds
from backends.ledger.migrating import migrate
from backends.ledger.sql import SqlLedger
from domain.access import Scope
from domain.clock import Clock, IdFactory
from domain.documents import DEFAULT_TENANT, OriginKind, OriginRef
from domain.errors import ConfigurationError
from runtime.audit import audit_keys
from runtime.credentials import issue_key
from runtime.settings import Settings

ADMIN_KEY: Final = "admin.key"
SERVER_FILE: Final = "server.json"


def database_url(settings: Settings) -> str:
    """Return the ledger's URL: as configured, else SQLite in the data folder."""
    if settings.database.url is not None:
        return settings.database.url.get_secret_value()
    return f"sqlite:///{settings.home.absolute() / 'ledger.db'}"


def open_ledger(settings: Settings, *, clock: Clock, ids: IdFactory) -> SqlLedger:
    """Return the ledger, its journal sealed by the current audit key.

    Raises:
        ConfigurationError: The URL or the audit key cannot be used.
    """
    return SqlLedger(
        database_url(settings),
        clock=clock,
        ids=ids,
        audit_key=audit_keys(settings).current,
        timeout_seconds=settings.database.timeout_seconds,
    )


def embedded_broker(settings: Settings) -> EmbeddedBroker | None:
    """Return the broker of the data folder; None where another is configured."""
    return None if settings.queue.url is not None else EmbeddedBroker(settings.home / "broker")


def broker_url(settings: Settings) -> str:
    """Return where the broker is, whether or not it runs."""
    if settings.queue.url is not None:
        return settings.queue.url.get_secret_value()
    return EmbeddedBroker(settings.home / "broker").url


def state_url(settings: Settings) -> str:
    """Return where locks, limits, kept answers and the near-duplicate index are."""
    if settings.queue.state_url is not None:
        return settings.queue.state_url.get_secret_value()
    return broker_url(settings)


def prepare_home(settings: Settings) -> None:
    """Make the folder (mode 700), migrate the ledger, write the local admin key. Repeatable.

    Raises:
        ConfigurationError: The folder cannot be written.
        TransientError: The database does not answer.
    """
    home = settings.home
    try:
        home.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as exc:
        raise ConfigurationError(f"data folder {str(home)!r}: {exc.strerror}") from exc
    migrate(database_url(settings))
    if settings.local_admin_key and not (home / ADMIN_KEY).exists():
        asyncio.run(_write_admin_key(settings))


async def _write_admin_key(settings: Settings) -> None:
    clock = SystemClock()
    ids = RandomIds(clock)
    issued = issue_key(
        ids=ids,
        tenant_id=DEFAULT_TENANT,
        name="local-admin",
        scopes=frozenset({Scope.ADMIN}),
        origin=OriginRef(kind=OriginKind.UPLOADER, id="local"),
        now=clock.now(),
    )
    path = settings.home / ADMIN_KEY
    beside = path.with_name(f".{ADMIN_KEY}.{secrets.token_hex(4)}")
    ledger = open_ledger(settings, clock=clock, ids=ids)
    try:
        # The ledger first: a key file always names a key that is known.
        await ledger.keys.add(issued.key, actor="system")
        _write_private(beside, issued.token)
        try:
            os.link(beside, path)
        except FileExistsError:
            # Another process was faster; its key is the one that counts.
            await ledger.keys.revoke(DEFAULT_TENANT, issued.key.id, actor="system", at=clock.now())
        finally:
            beside.unlink()
    finally:
        await ledger.close()


@contextmanager
def announced(settings: Settings, *, url: str) -> Iterator[None]:
    """Say in the data folder where the gateway is, for as long as it is there."""
    path = settings.home / SERVER_FILE
    beside = path.with_name(f".{SERVER_FILE}.{secrets.token_hex(4)}")
    _write_private(beside, json.dumps({"url": url, "pid": os.getpid()}))
    beside.replace(path)
    try:
        yield
    finally:
        with suppress(OSError, ValueError):
            if json.loads(path.read_text(encoding="utf-8"))["pid"] == os.getpid():
                path.unlink()


def announced_url(settings: Settings, *, by: int | None = None) -> str | None:
    """Return the URL that a running gateway announced; None where none does.

    Args:
        settings: They say where the data folder is.
        by: The process that must have announced it; None: any.
    """
    try:
        said = json.loads((settings.home / SERVER_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(said, dict):
        return None
    url, pid = said.get("url"), said.get("pid")
    if by is not None and pid != by:
        return None
    # A gateway that was killed leaves the file; who has its port now must not be sent our key.
    return url if isinstance(url, str) and isinstance(pid, int) and _runs(pid) else None


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return pid > 0


def local_admin_key(settings: Settings) -> str | None:
    """Return the data folder's own key; None where it has none or it cannot be read."""
    try:
        return (settings.home / ADMIN_KEY).read_text(encoding="utf-8").strip()
    except OSError:
        return None


def _write_private(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
