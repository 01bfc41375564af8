"""What every `OriginLedger` must do: Law 1."""

from __future__ import annotations

import asyncio

import pytest

from domain.documents import DEFAULT_TENANT, Origin, OriginKind, OriginRef, Tier
from domain.errors import InputError, NotFoundError
from domain.ledger import Ledger
from tests.ledger_rows import ALICE, NOW, OTHER_TENANT, PRESS, REVIEWER, later, upload

pytestmark = pytest.mark.anyio


async def test_an_origin_never_heard_of_is_unestablished(ledger: Ledger) -> None:
    origin = await ledger.origins.get(DEFAULT_TENANT, PRESS)

    assert origin == Origin(kind=PRESS.kind, id=PRESS.id, established=False)
    assert await ledger.origins.list(DEFAULT_TENANT) == []


async def test_a_new_origin_is_unestablished_and_journalled(ledger: Ledger) -> None:
    origin = await ledger.origins.add(DEFAULT_TENANT, PRESS.kind, PRESS.id, actor=REVIEWER, at=NOW)

    assert origin == Origin(kind=PRESS.kind, id=PRESS.id, established=False)
    assert await ledger.origins.list(DEFAULT_TENANT) == [origin]
    (told,) = await ledger.journal.entries(DEFAULT_TENANT)
    assert (told.action, told.object_kind) == ("origin.added", "origin")
    assert (told.object_id, told.actor, told.at) == ("publisher:press", REVIEWER, NOW)


async def test_adding_a_known_origin_changes_nothing(ledger: Ledger) -> None:
    await ledger.origins.add(DEFAULT_TENANT, PRESS.kind, PRESS.id, actor=REVIEWER, at=NOW)
    await ledger.origins.establish(
        DEFAULT_TENANT, PRESS, reviewed=True, reason="ours", actor=REVIEWER, at=NOW
    )

    again = await asyncio.gather(
        *(
            ledger.origins.add(DEFAULT_TENANT, PRESS.kind, PRESS.id, actor=REVIEWER, at=later(1))
            for _ in range(5)
        )
    )

    assert {origin.tier for origin in again} == {Tier.REVIEWED}
    entries = await ledger.journal.entries(DEFAULT_TENANT)
    assert [entry.action for entry in entries] == ["origin.established", "origin.added"]


@pytest.mark.parametrize(("reviewed", "tier"), [(False, Tier.ESTABLISHED), (True, Tier.REVIEWED)])
async def test_establishing_vouches_with_a_reason(
    ledger: Ledger, reviewed: bool, tier: Tier
) -> None:
    await ledger.origins.add(DEFAULT_TENANT, PRESS.kind, PRESS.id, actor=REVIEWER, at=NOW)

    origin = await ledger.origins.establish(
        DEFAULT_TENANT,
        PRESS,
        reviewed=reviewed,
        reason="contract 17",
        actor=REVIEWER,
        at=later(2),
    )

    assert origin.tier is tier
    assert origin == await ledger.origins.get(DEFAULT_TENANT, PRESS)
    told = (await ledger.journal.entries(DEFAULT_TENANT, object_id="publisher:press"))[0]
    assert (told.action, told.reason, told.at) == ("origin.established", "contract 17", later(2))
    assert told.facts == {"reviewed": str(reviewed).lower()}


async def test_revoking_takes_the_vouching_back(ledger: Ledger) -> None:
    await ledger.origins.add(DEFAULT_TENANT, PRESS.kind, PRESS.id, actor=REVIEWER, at=NOW)
    await ledger.origins.establish(
        DEFAULT_TENANT, PRESS, reviewed=True, reason="ours", actor=REVIEWER, at=NOW
    )

    origin = await ledger.origins.revoke(
        DEFAULT_TENANT, PRESS, reason="compromised", actor=REVIEWER, at=later(1)
    )

    assert origin.tier is Tier.POOL
    assert origin == await ledger.origins.get(DEFAULT_TENANT, PRESS)
    told = (await ledger.journal.entries(DEFAULT_TENANT))[0]
    assert (told.action, told.reason) == ("origin.revoked", "compromised")


@pytest.mark.parametrize("reason", ["", "  ", "\n\t"])
async def test_vouching_without_a_reason_is_refused(ledger: Ledger, reason: str) -> None:
    await ledger.origins.add(DEFAULT_TENANT, PRESS.kind, PRESS.id, actor=REVIEWER, at=NOW)

    with pytest.raises(InputError):
        await ledger.origins.establish(
            DEFAULT_TENANT, PRESS, reviewed=False, reason=reason, actor=REVIEWER, at=NOW
        )
    with pytest.raises(InputError):
        await ledger.origins.revoke(DEFAULT_TENANT, PRESS, reason=reason, actor=REVIEWER, at=NOW)

    assert (await ledger.origins.get(DEFAULT_TENANT, PRESS)).tier is Tier.POOL
    assert len(await ledger.journal.entries(DEFAULT_TENANT)) == 1


async def test_an_unknown_origin_is_not_vouched_for(ledger: Ledger) -> None:
    await ledger.origins.add(OTHER_TENANT, PRESS.kind, PRESS.id, actor=REVIEWER, at=NOW)

    with pytest.raises(NotFoundError):
        await ledger.origins.establish(
            DEFAULT_TENANT, PRESS, reviewed=False, reason="r", actor=REVIEWER, at=NOW
        )
    with pytest.raises(NotFoundError):
        await ledger.origins.revoke(DEFAULT_TENANT, PRESS, reason="r", actor=REVIEWER, at=NOW)

    assert not await ledger.journal.entries(DEFAULT_TENANT)


async def test_no_number_of_documents_establishes_an_origin(ledger: Ledger) -> None:
    for number in range(20):
        await ledger.documents.receive(upload(f"n{number}", origin=ALICE), claim=None)

    assert (await ledger.origins.get(DEFAULT_TENANT, ALICE)).tier is Tier.POOL


async def test_origins_are_apart_by_tenant_and_kind_and_listed_in_order(ledger: Ledger) -> None:
    refs = [
        OriginRef(kind=OriginKind.UPLOADER, id="a"),
        OriginRef(kind=OriginKind.CONNECTOR, id="b"),
        OriginRef(kind=OriginKind.CONNECTOR, id="a"),
    ]
    for ref in refs:
        await ledger.origins.add(DEFAULT_TENANT, ref.kind, ref.id, actor=REVIEWER, at=NOW)
    await ledger.origins.add(OTHER_TENANT, PRESS.kind, PRESS.id, actor=REVIEWER, at=NOW)
    await ledger.origins.establish(
        DEFAULT_TENANT, refs[2], reviewed=False, reason="r", actor=REVIEWER, at=NOW
    )

    listed = await ledger.origins.list(DEFAULT_TENANT)

    assert [str(origin.ref) for origin in listed] == ["connector:a", "connector:b", "uploader:a"]
    assert [origin.established for origin in listed] == [True, False, False]
