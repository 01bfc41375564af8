"""What every `KeyLedger` must do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.access import KeyId
from domain.documents import DEFAULT_TENANT, Tier
from domain.errors import ConflictError, NotFoundError
from domain.ledger import Ledger
from tests.ledger_rows import ALICE, NOW, OTHER_TENANT, REVIEWER, api_key, later

pytestmark = pytest.mark.anyio


async def test_a_key_is_found_as_it_was_added(ledger: Ledger) -> None:
    uploads, asks = api_key("a"), api_key("b", origin=None)

    await ledger.keys.add(uploads, actor=REVIEWER)
    await ledger.keys.add(asks, actor=REVIEWER)

    assert await ledger.keys.find(uploads.id) == uploads
    assert await ledger.keys.find(asks.id) == asks
    assert await ledger.keys.find(KeyId("key_nobody")) is None


async def test_a_new_key_is_journalled_without_its_hash(ledger: Ledger) -> None:
    key = api_key(origin=None)

    await ledger.keys.add(key, actor=REVIEWER)

    (told,) = await ledger.journal.entries(DEFAULT_TENANT)
    assert (told.action, told.object_id, told.actor) == ("key.created", key.id, REVIEWER)
    assert told.facts == {"scopes": "documents:write questions:ask"}
    assert key.secret_sha256 not in repr(told)


async def test_the_origin_of_a_key_is_known_and_unestablished(ledger: Ledger) -> None:
    await ledger.keys.add(api_key("a", origin=ALICE), actor=REVIEWER)
    await ledger.keys.add(api_key("b", origin=ALICE), actor=REVIEWER)

    (origin,) = await ledger.origins.list(DEFAULT_TENANT)

    assert (origin.ref, origin.tier) == (ALICE, Tier.POOL)
    entries = await ledger.journal.entries(DEFAULT_TENANT)
    assert [entry.action for entry in entries].count("origin.added") == 1


async def test_a_new_key_leaves_an_established_origin_alone(ledger: Ledger) -> None:
    await ledger.origins.add(DEFAULT_TENANT, ALICE.kind, ALICE.id, actor=REVIEWER, at=NOW)
    await ledger.origins.establish(
        DEFAULT_TENANT, ALICE, reviewed=False, reason="r", actor=REVIEWER, at=NOW
    )

    await ledger.keys.add(api_key("a", origin=ALICE), actor=REVIEWER)

    assert (await ledger.origins.get(DEFAULT_TENANT, ALICE)).tier is Tier.ESTABLISHED


async def test_a_key_id_is_given_once(ledger: Ledger) -> None:
    key = api_key("a")
    await ledger.keys.add(key, actor=REVIEWER)

    with pytest.raises(ConflictError):
        await ledger.keys.add(replace(key, secret_sha256="0" * 64), actor=REVIEWER)

    assert await ledger.keys.find(key.id) == key


async def test_keys_are_listed_by_age_within_their_tenant(ledger: Ledger) -> None:
    young, old = api_key("a", created_at=later(9)), api_key("b", created_at=NOW)
    for key in (young, old, api_key("c", tenant_id=OTHER_TENANT)):
        await ledger.keys.add(key, actor=REVIEWER)

    assert await ledger.keys.list(DEFAULT_TENANT) == [old, young]


async def test_a_revoked_key_says_since_when(ledger: Ledger) -> None:
    key = api_key()
    await ledger.keys.add(key, actor=REVIEWER)

    revoked = await ledger.keys.revoke(DEFAULT_TENANT, key.id, actor=REVIEWER, at=later(5))

    assert revoked == replace(key, revoked_at=later(5))
    assert await ledger.keys.find(key.id) == revoked
    told = (await ledger.journal.entries(DEFAULT_TENANT))[0]
    assert (told.action, told.object_id, told.at) == ("key.revoked", key.id, later(5))


async def test_revoking_twice_keeps_the_first_moment(ledger: Ledger) -> None:
    key = api_key()
    await ledger.keys.add(key, actor=REVIEWER)
    first = await ledger.keys.revoke(DEFAULT_TENANT, key.id, actor=REVIEWER, at=later(5))

    second = await ledger.keys.revoke(DEFAULT_TENANT, key.id, actor=REVIEWER, at=later(9))

    assert second == first
    entries = await ledger.journal.entries(DEFAULT_TENANT, object_id=key.id)
    assert [entry.action for entry in entries] == ["key.revoked", "key.created"]


async def test_a_key_unknown_to_the_tenant_is_not_revoked(ledger: Ledger) -> None:
    key = api_key(tenant_id=OTHER_TENANT)
    await ledger.keys.add(key, actor=REVIEWER)

    for key_id in (key.id, KeyId("key_nobody")):
        with pytest.raises(NotFoundError):
            await ledger.keys.revoke(DEFAULT_TENANT, key_id, actor=REVIEWER, at=NOW)

    assert await ledger.keys.find(key.id) == key


async def test_a_tenant_with_a_key_alone_is_a_tenant(ledger: Ledger) -> None:
    await ledger.keys.add(api_key(tenant_id=OTHER_TENANT), actor=REVIEWER)

    assert await ledger.documents.tenants() == [OTHER_TENANT]


async def test_what_bounds_a_key_is_found_as_it_was_added(ledger: Ledger) -> None:
    key = replace(api_key(), expires_at=later(60), requests_per_minute=5)

    await ledger.keys.add(key, actor=REVIEWER)

    assert await ledger.keys.find(key.id) == key
    (told,) = await ledger.journal.entries(DEFAULT_TENANT, object_id=key.id)
    assert told.facts["expires_at"] == later(60).isoformat()


async def test_a_rotated_key_has_both_secrets_and_keeps_the_rest(ledger: Ledger) -> None:
    key = api_key()
    await ledger.keys.add(key, actor=REVIEWER)

    after = await ledger.keys.rotate(
        DEFAULT_TENANT,
        key.id,
        secret_sha256="1" * 64,
        former_until=later(9),
        actor=REVIEWER,
        at=later(5),
    )

    assert after == replace(
        key, secret_sha256="1" * 64, former_sha256=key.secret_sha256, former_until=later(9)
    )
    assert await ledger.keys.find(key.id) == after
    told = (await ledger.journal.entries(DEFAULT_TENANT, object_id=key.id))[0]
    assert (told.action, told.actor, told.at) == ("key.rotated", REVIEWER, later(5))
    assert key.secret_sha256 not in repr(told)
    assert "1" * 64 not in repr(told)


@pytest.mark.parametrize("ended", ["revoked", "expired"])
async def test_a_key_that_opens_nothing_is_not_rotated(ledger: Ledger, ended: str) -> None:
    key = replace(api_key(), expires_at=later(4) if ended == "expired" else None)
    await ledger.keys.add(key, actor=REVIEWER)
    if ended == "revoked":
        await ledger.keys.revoke(DEFAULT_TENANT, key.id, actor=REVIEWER, at=later(3))
    before = await ledger.keys.find(key.id)

    with pytest.raises(ConflictError):
        await ledger.keys.rotate(
            DEFAULT_TENANT,
            key.id,
            secret_sha256="1" * 64,
            former_until=later(9),
            actor=REVIEWER,
            at=later(5),
        )

    assert await ledger.keys.find(key.id) == before


async def test_a_key_unknown_to_the_tenant_is_not_rotated(ledger: Ledger) -> None:
    key = api_key(tenant_id=OTHER_TENANT)
    await ledger.keys.add(key, actor=REVIEWER)

    for key_id in (key.id, KeyId("key_nobody")):
        with pytest.raises(NotFoundError):
            await ledger.keys.rotate(
                DEFAULT_TENANT,
                key_id,
                secret_sha256="1" * 64,
                former_until=later(9),
                actor=REVIEWER,
                at=NOW,
            )

    assert await ledger.keys.find(key.id) == key


async def test_the_last_use_only_moves_on_and_is_not_journalled(ledger: Ledger) -> None:
    key = api_key()
    await ledger.keys.add(key, actor=REVIEWER)
    entries = await ledger.journal.entries(DEFAULT_TENANT)

    for at in (later(7), later(3)):
        await ledger.keys.used(key.id, at=at)
    await ledger.keys.used(KeyId("key_nobody"), at=NOW)

    assert await ledger.keys.find(key.id) == replace(key, last_used_at=later(7))
    assert await ledger.journal.entries(DEFAULT_TENANT) == entries
