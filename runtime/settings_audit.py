"""Writes into the audit log which settings are in force, whenever they are others than before."""

from __future__ import annotations

import getpass
import hmac
import json
import socket
from collections.abc import Iterator, Mapping
from typing import Final

from pydantic import SecretStr

from domain.audit import AuditKey
from domain.clock import Clock
from domain.documents import DEFAULT_TENANT
from domain.ledger import Journal
from runtime.settings import Settings

ACTION: Final = "settings.in-force"
OBJECT_ID: Final = "settings"

_SHOWN: Final = 16


async def record_settings(
    settings: Settings, journal: Journal, key: AuditKey, *, policy_version: str, clock: Clock
) -> bool:
    """Write an entry unless the last one says the same; return whether it was written.

    Raises:
        TransientError: The ledger did not answer.
    """
    facts = {"policy_version": policy_version, **marks(settings, key)}
    last = await journal.entries(DEFAULT_TENANT, object_id=OBJECT_ID, limit=1)
    if last and dict(last[0].facts) == facts:
        return False
    await journal.append(
        tenant_id=DEFAULT_TENANT,
        at=clock.now(),
        actor=_actor(),
        action=ACTION,
        object_kind="settings",
        object_id=OBJECT_ID,
        facts=facts,
    )
    return True


def marks(settings: Settings, key: AuditKey) -> Mapping[str, str]:
    """Return the settings that are not the defaults, by name, each with a mark of its value.

    A mark is a MAC: two entries tell which settings changed, and none tells a value.
    """
    return {
        name: hmac.digest(key.secret, f"{name}={value}".encode(), "sha256").hex()[:_SHOWN]
        for name, value in _flat(settings.model_dump(exclude_defaults=True))
    }


def _flat(section: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in section.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", json.dumps(value, default=_written, sort_keys=True)


def _written(value: object) -> str:
    return value.get_secret_value() if isinstance(value, SecretStr) else str(value)


def _actor() -> str:
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = "unknown"
    return f"process:{user}@{socket.gethostname()}"
