"""The audit log says which settings changed, and no value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from domain.audit import AuditKey
from domain.documents import DEFAULT_TENANT
from runtime.answering_sections import GuardSettings
from runtime.settings import Settings
from runtime.settings_audit import marks, record_settings
from runtime.storage_sections import DatabaseSettings

pytestmark = pytest.mark.anyio

KEY = AuditKey(b"k" * 32)


def settings(tau: float = 0.8, **more: Any) -> Settings:
    return Settings(data_dir=Path("/srv"), guard=GuardSettings(tau=tau), **more)


async def recorded(ledger: InMemoryLedger, chosen: Settings, *, policy: str = "p1") -> bool:
    return await record_settings(
        chosen, ledger.journal, KEY, policy_version=policy, clock=ManualClock()
    )


async def test_an_entry_is_written_when_a_setting_or_the_policy_changes() -> None:
    ledger = InMemoryLedger(clock=ManualClock(), ids=SequentialIds())

    written = [
        await recorded(ledger, settings()),
        await recorded(ledger, settings()),
        await recorded(ledger, settings(0.9)),
        await recorded(ledger, settings(0.9), policy="p2"),
    ]

    last, second, first = await ledger.journal.entries(DEFAULT_TENANT)
    assert written == [True, False, True, True]
    assert set(first.facts) == {"policy_version", "data_dir", "guard.tau"}
    assert first.facts["guard.tau"] != second.facts["guard.tau"]
    assert first.facts["data_dir"] == second.facts["data_dir"]
    assert last.facts["policy_version"] == "p2"
    assert last.actor.startswith("process:")


def test_no_value_can_be_read_or_guessed_without_the_key() -> None:
    chosen = settings(database=DatabaseSettings(url=SecretStr("postgresql://u:hush@db/m")))

    said = marks(chosen, KEY)

    assert "hush" not in str(said)
    assert said["database.url"] != marks(chosen, AuditKey(b"o" * 32))["database.url"]
    other = settings(database=DatabaseSettings(url=SecretStr("postgresql://u:other@db/m")))
    assert said["database.url"] != marks(other, KEY)["database.url"]
