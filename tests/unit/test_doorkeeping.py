"""Who is let in, how often, and what guessing costs."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from backends.memory.locks import InMemoryRateLimiter
from domain.access import KeyId, Scope
from domain.documents import DEFAULT_TENANT
from domain.errors import RateLimitedError, TransientError, UnauthenticatedError
from domain.limits import RateLimiter
from runtime.access import build_doorkeeper
from runtime.access_sections import AccessSettings
from runtime.credentials import IssuedKey, issue_key, new_secret
from runtime.doorkeeping import Doorkeeper

pytestmark = pytest.mark.anyio

HERE, THERE = "192.0.2.1", "192.0.2.2"
FAILURES = 3


@dataclass(slots=True)
class CountsAway:
    """A store of counts that does not answer, and how often it was asked."""

    asked: int = 0

    async def take(self, name: str, *, limit: int, window_seconds: int) -> float:
        return await self.wait(name, limit=limit)

    async def wait(self, name: str, *, limit: int) -> float:
        self.asked += 1
        raise TransientError("away")


@dataclass(slots=True)
class Door:
    """A doorkeeper, and what stands behind it."""

    clock: ManualClock = field(default_factory=ManualClock)
    limiter: RateLimiter | None = None
    settings: AccessSettings = field(
        default_factory=lambda: AccessSettings(failures_per_minute=FAILURES)
    )
    ids: SequentialIds = field(default_factory=SequentialIds)
    ledger: InMemoryLedger = field(init=False)
    keeper: Doorkeeper = field(init=False)

    def __post_init__(self) -> None:
        self.ledger = InMemoryLedger(clock=self.clock, ids=self.ids)
        self.limiter = self.limiter or InMemoryRateLimiter(clock=self.clock)
        self.keeper = self.another_process()

    def another_process(self) -> Doorkeeper:
        assert self.limiter is not None
        return build_doorkeeper(
            self.settings, keys=self.ledger.keys, limiter=self.limiter, clock=self.clock
        )

    async def key(
        self, *, lasts: timedelta | None = None, requests_per_minute: int | None = None
    ) -> IssuedKey:
        now = self.clock.now()
        issued = issue_key(
            ids=self.ids,
            tenant_id=DEFAULT_TENANT,
            name="test",
            scopes=frozenset({Scope.QUESTIONS_ASK}),
            origin=None,
            now=now,
            expires_at=None if lasts is None else now + lasts,
            requests_per_minute=requests_per_minute,
        )
        await self.ledger.keys.add(issued.key, actor="test")
        return issued

    async def fails(self, token: str, *, address: str, times: int = 1) -> None:
        for _ in range(times):
            with pytest.raises(UnauthenticatedError):
                await self.keeper.admit(token, address=address)


def guess(key: IssuedKey) -> str:
    return new_secret(key.key.id).token


async def test_a_key_says_who_calls() -> None:
    door = Door()
    issued = await door.key()

    caller = await door.keeper.admit(issued.token, address=HERE)

    assert (caller.key_id, caller.tenant_id) == (issued.key.id, DEFAULT_TENANT)
    assert caller.actor == f"key:{issued.key.id}"


async def test_a_key_opens_nothing_from_the_moment_it_lapses() -> None:
    door = Door()
    issued = await door.key(lasts=timedelta(seconds=60))
    await door.keeper.admit(issued.token, address=HERE)

    door.clock.advance(60)

    await door.fails(issued.token, address=HERE)


async def test_the_secret_before_a_rotation_opens_until_its_time_is_over() -> None:
    door = Door()
    issued = await door.key()
    fresh = new_secret(issued.key.id)
    now = door.clock.now()
    await door.ledger.keys.rotate(
        DEFAULT_TENANT,
        issued.key.id,
        secret_sha256=fresh.sha256,
        former_until=now + timedelta(seconds=60),
        actor="test",
        at=now,
    )

    both = [await door.keeper.admit(token, address=HERE) for token in (issued.token, fresh.token)]
    door.clock.advance(60)

    assert {caller.key_id for caller in both} == {issued.key.id}
    await door.fails(issued.token, address=HERE)
    await door.keeper.admit(fresh.token, address=HERE)


async def test_the_last_use_is_written_every_five_minutes_at_most() -> None:
    door = Door()
    issued = await door.key()
    began = door.clock.now()

    await door.keeper.admit(issued.token, address=HERE)
    door.clock.advance(299)
    await door.keeper.admit(issued.token, address=HERE)
    early = await door.ledger.keys.find(issued.key.id)
    door.clock.advance(1)
    await door.keeper.admit(issued.token, address=HERE)
    late = await door.ledger.keys.find(issued.key.id)

    assert early is not None
    assert early.last_used_at == began
    assert late is not None
    assert late.last_used_at == began + timedelta(seconds=300)


async def test_a_key_that_a_jump_passed_over_opens_again_when_the_clock_is_right() -> None:
    door = Door()
    issued = await door.key(lasts=timedelta(hours=2))
    began = door.clock.now()
    await door.keeper.admit(issued.token, address=HERE)

    door.clock.jump(86_400)
    await door.fails(issued.token, address=HERE)
    door.clock.jump(-86_400)
    back = await door.keeper.admit(issued.token, address=HERE)
    door.clock.jump(7_200)

    assert back.key_id == issued.key.id
    assert door.clock.now() == began + timedelta(hours=2)
    await door.fails(issued.token, address=HERE)


async def test_no_jump_back_opens_a_key_that_was_revoked() -> None:
    door = Door()
    issued = await door.key(lasts=timedelta(hours=2))
    await door.ledger.keys.revoke(DEFAULT_TENANT, issued.key.id, actor="test", at=door.clock.now())

    door.clock.jump(-86_400)

    await door.fails(issued.token, address=HERE)


async def test_a_wrong_secret_is_no_use_of_the_key() -> None:
    door = Door()
    issued = await door.key()

    await door.fails(guess(issued), address=HERE)

    found = await door.ledger.keys.find(issued.key.id)
    assert found is not None
    assert found.last_used_at is None


async def test_an_address_that_guesses_is_refused_unheard_until_the_minute_is_over() -> None:
    door = Door()
    issued = await door.key()
    await door.fails(guess(issued), address=HERE, times=FAILURES)

    with pytest.raises(RateLimitedError) as refused:
        await door.keeper.admit(issued.token, address=HERE)
    door.clock.advance(61)

    assert 0 < refused.value.retry_after_seconds <= 60
    await door.keeper.admit(issued.token, address=HERE)


@pytest.mark.parametrize("token", ["nonsense", "a.b.c", "mithridate_x"])
async def test_tokens_of_no_form_count_as_guesses(token: str) -> None:
    door = Door()
    await door.fails(token, address=HERE, times=FAILURES)

    with pytest.raises(RateLimitedError):
        await door.keeper.admit(token, address=HERE)


async def test_what_one_process_counts_the_others_know() -> None:
    door = Door()
    issued = await door.key()
    await door.fails(guess(issued), address=HERE, times=FAILURES)

    with pytest.raises(RateLimitedError):
        await door.another_process().admit(issued.token, address=HERE)


async def test_a_key_that_is_guessed_from_many_addresses_is_guessed_once_from_each() -> None:
    door = Door()
    issued = await door.key()
    for number in range(FAILURES):
        await door.fails(guess(issued), address=f"198.51.100.{number}")

    await door.fails(guess(issued), address=THERE)

    with pytest.raises(RateLimitedError):
        await door.keeper.admit(guess(issued), address=THERE)


async def test_who_knows_a_keys_id_locks_its_holder_out_nowhere_else() -> None:
    door = Door()
    issued = await door.key()
    for number in range(2 * FAILURES):
        await door.fails(guess(issued), address=f"198.51.100.{number}")

    await door.keeper.admit(issued.token, address=THERE)


async def test_who_was_let_in_before_is_heard_beside_a_guesser() -> None:
    door = Door()
    issued, other = await door.key(), await door.key()
    await door.keeper.admit(issued.token, address=HERE)
    await door.fails(guess(other), address=HERE, times=FAILURES)

    await door.keeper.admit(issued.token, address=HERE)
    with pytest.raises(RateLimitedError):
        await door.keeper.admit(other.token, address=HERE)


async def test_a_revoked_key_is_no_longer_one_that_was_let_in() -> None:
    door = Door()
    issued = await door.key()
    await door.keeper.admit(issued.token, address=HERE)
    await door.ledger.keys.revoke(DEFAULT_TENANT, issued.key.id, actor="test", at=door.clock.now())
    await door.fails(issued.token, address=HERE, times=FAILURES)

    with pytest.raises(RateLimitedError):
        await door.keeper.admit(issued.token, address=HERE)


async def use_up(keeper: Doorkeeper, token: str) -> int:
    """Return how many requests passed before one was refused."""
    for passed in range(100):
        try:
            await keeper.admit(token, address=HERE)
        except RateLimitedError:
            return passed
    return 100


async def test_a_key_has_a_limit_by_the_minute_and_may_have_its_own() -> None:
    door = Door(settings=AccessSettings(requests_per_minute=4))
    usual, own = await door.key(), await door.key(requests_per_minute=2)

    passed = [await use_up(door.keeper, key.token) for key in (usual, own)]
    door.clock.advance(61)

    assert passed == [4, 2]
    assert await use_up(door.keeper, usual.token) == 4


async def test_processes_share_a_keys_limit() -> None:
    door = Door(settings=AccessSettings(requests_per_minute=4))
    issued = await door.key()
    await door.keeper.admit(issued.token, address=HERE)

    assert await use_up(door.another_process(), issued.token) == 3


async def test_without_a_limit_nothing_is_counted() -> None:
    away = CountsAway()
    door = Door(limiter=away, settings=AccessSettings(requests_per_minute=None))
    issued = await door.key()
    await door.keeper.admit(issued.token, address=HERE)
    before = away.asked
    door.clock.advance(60)

    await door.keeper.admit(issued.token, address=HERE)

    assert away.asked == before


async def test_where_the_store_of_counts_is_away_keys_open_as_ever_and_it_is_left_alone() -> None:
    away = CountsAway()
    door = Door(limiter=away)
    issued = await door.key()

    for _ in range(20):
        await door.keeper.admit(issued.token, address=HERE)
    asked = away.asked
    await door.fails(guess(issued), address=HERE, times=FAILURES + 1)
    door.clock.advance(6)
    await door.keeper.admit(issued.token, address=HERE)

    assert (asked, away.asked) == (1, 2)


async def test_an_unknown_key_is_told_like_a_wrong_secret() -> None:
    door = Door()
    known = await door.key()
    unknown = new_secret(KeyId(door.ids.new("key"))).token

    with pytest.raises(UnauthenticatedError) as one:
        await door.keeper.admit(guess(known), address=HERE)
    with pytest.raises(UnauthenticatedError) as other:
        await door.keeper.admit(unknown, address=HERE)

    assert str(one.value) == str(other.value)
