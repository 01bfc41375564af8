"""What every `Journal` must do to be an audit log."""

from __future__ import annotations

import pytest

from domain.audit import AuditKey, AuditKeys, ChainCheck
from domain.documents import DEFAULT_TENANT
from domain.ledger import Ledger
from tests.ledger_rows import NOW, OTHER_TENANT, REVIEWER, api_key, upload, webhook
from tests.ledgers import AUDIT_KEY

pytestmark = pytest.mark.anyio

KEYS = AuditKeys(current=AUDIT_KEY)


async def written(ledger: Ledger) -> None:
    await ledger.keys.add(api_key(), actor="cli:root")
    await ledger.documents.receive(upload(), claim=None)
    await ledger.webhooks.add(webhook(tenant_id=OTHER_TENANT), actor=REVIEWER)
    await ledger.journal.append(
        tenant_id=DEFAULT_TENANT,
        at=NOW,
        actor="naïve \U0001f40d",
        action="x",
        object_kind="k",
        object_id="o",
        reason="because",
        facts={"b": "2", "a": "\ud800 \x00"},
    )


async def test_what_is_written_is_one_sealed_chain_of_all_tenants(ledger: Ledger) -> None:
    await written(ledger)

    entries = await ledger.journal.sealed(after=0, limit=99)
    check = ChainCheck(KEYS)
    assert check.take(entries), check.fault
    assert check.unsealed == 0
    assert await ledger.journal.head() == check.head
    assert [one.entry.seq for one in entries] == list(range(1, len(entries) + 1))
    assert {one.entry.tenant_id for one in entries} == {DEFAULT_TENANT, OTHER_TENANT}


async def test_the_chain_is_read_piece_by_piece(ledger: Ledger) -> None:
    await written(ledger)
    check, after = ChainCheck(KEYS), 0

    while entries := await ledger.journal.sealed(after=after, limit=2):
        assert check.take(entries)
        after = entries[-1].entry.seq

    assert check.head == await ledger.journal.head()


async def test_an_empty_journal_has_no_head(ledger: Ledger) -> None:
    assert await ledger.journal.head() is None
    assert not await ledger.journal.sealed(after=0, limit=9)


async def test_another_key_does_not_open_the_seals(ledger: Ledger) -> None:
    await written(ledger)
    check = ChainCheck(AuditKeys(current=AuditKey(b"?" * 32)))

    assert not check.take(await ledger.journal.sealed(after=0, limit=9))


async def test_what_is_rolled_back_leaves_no_gap(ledger: Ledger) -> None:
    await ledger.webhooks.add(webhook(), actor=REVIEWER)
    with pytest.raises(Exception, match="already"):
        await ledger.webhooks.add(webhook(), actor=REVIEWER)
    await ledger.webhooks.add(webhook("w2"), actor=REVIEWER)

    entries = await ledger.journal.sealed(after=0, limit=9)

    assert [one.entry.seq for one in entries] == [1, 2]
    assert ChainCheck(KEYS).take(entries)
