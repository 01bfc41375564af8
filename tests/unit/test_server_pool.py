from __future__ import annotations

import asyncio
from collections import Counter

import pytest

from backends.server_pool import (
    FIRST_PAUSE_SECONDS,
    STRIKES,
    GarbledError,
    RefusedError,
    ServerPool,
    UnreachableError,
)
from domain.errors import MithridateError, PermanentError, TransientError

pytestmark = pytest.mark.anyio


class Servers:
    """Servers by URL: each answers with its URL, raises, or waits to be let go."""

    def __init__(self) -> None:
        self.faults: dict[str, MithridateError] = {}
        self.held: dict[str, asyncio.Event] = {}
        self.asked: Counter[str] = Counter()
        self.at_once: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.checks: dict[str, str | MithridateError | None] = {}
        self.now = 0.0

    def pool(self, *urls: str, concurrency: int = 8) -> ServerPool:
        pool = ServerPool(urls, concurrency=concurrency, monotonic=lambda: self.now)
        pool.require(self.check)
        return pool

    async def send(self, url: str) -> str:
        self.asked[url] += 1
        self.at_once[url] += 1
        self.most[url] = max(self.most[url], self.at_once[url])
        try:
            await asyncio.sleep(0)
            if url in self.held:
                await self.held[url].wait()
            if url in self.faults:
                raise self.faults[url]
            return url
        finally:
            self.at_once[url] -= 1

    async def check(self, url: str) -> str | None:
        found = self.checks.get(url)
        if isinstance(found, MithridateError):
            raise found
        return found


async def settled() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def faults_of(pool: ServerPool) -> dict[str, str | None]:
    return {state.url: state.fault for state in pool.states()}


async def test_calls_are_spread_over_servers_that_are_alike() -> None:
    servers = Servers()
    pool = servers.pool("a", "b")

    await asyncio.gather(*(pool.call(servers.send) for _ in range(8)))

    assert servers.asked == {"a": 4, "b": 4}


async def test_no_server_has_more_calls_than_it_may() -> None:
    servers = Servers()
    pool = servers.pool("a", "b", concurrency=2)

    answers = await asyncio.gather(*(pool.call(servers.send) for _ in range(40)))

    assert len(answers) == 40
    assert servers.most == {"a": 2, "b": 2}


async def test_a_slow_server_holds_its_own_calls_and_no_others() -> None:
    servers = Servers()
    servers.held["slow"] = asyncio.Event()
    pool = servers.pool("slow", "fast", concurrency=2)

    calls = [asyncio.ensure_future(pool.call(servers.send)) for _ in range(40)]
    await asyncio.wait(calls, timeout=2)
    done = sum(call.done() for call in calls)
    servers.held["slow"].set()
    answers = await asyncio.gather(*calls)

    assert done == 38
    assert Counter(answers) == {"fast": 38, "slow": 2}


@pytest.mark.parametrize(
    "error",
    [
        UnreachableError("away"),
        TransientError("answered 503"),
        GarbledError("no JSON"),
        RefusedError("answered 401", status=401),
        RefusedError("answered 404", status=404),
    ],
)
async def test_what_one_server_fails_another_answers(error: MithridateError) -> None:
    servers = Servers()
    servers.faults["a"] = error
    pool = servers.pool("a", "b")

    answers = [await pool.call(servers.send) for _ in range(10)]

    assert answers == ["b"] * 10
    assert servers.asked["a"] <= STRIKES


@pytest.mark.parametrize(
    "error", [RefusedError("answered 400", status=400), PermanentError("too many bytes")]
)
async def test_what_is_the_requests_fault_is_asked_of_nobody_else(error: MithridateError) -> None:
    servers = Servers()
    servers.faults = {"a": error, "b": error}
    pool = servers.pool("a", "b")

    with pytest.raises(type(error)):
        await pool.call(servers.send)

    assert sum(servers.asked.values()) == 1
    assert faults_of(pool) == {"a": None, "b": None}


async def test_a_prompt_that_breaks_every_server_takes_none_of_them_out() -> None:
    servers = Servers()
    servers.faults = {"a": TransientError("answered 500"), "b": TransientError("answered 500")}
    pool = servers.pool("a", "b")

    with pytest.raises(TransientError):
        await pool.call(servers.send)

    assert faults_of(pool) == {"a": None, "b": None}


async def test_a_server_that_is_gone_is_asked_again_after_its_pause_and_a_check() -> None:
    servers = Servers()
    servers.faults["a"] = UnreachableError("away")
    pool = servers.pool("a", "b")
    await pool.call(servers.send)

    servers.checks["a"] = UnreachableError("away")
    servers.now += FIRST_PAUSE_SECONDS
    await pool.call(servers.send)
    await settled()
    still_out = faults_of(pool)["a"]
    servers.faults.clear()
    servers.checks.clear()
    servers.now += FIRST_PAUSE_SECONDS
    await pool.call(servers.send)
    await settled()
    too_soon = faults_of(pool)["a"]
    servers.now += FIRST_PAUSE_SECONDS
    await pool.call(servers.send)
    await settled()

    assert still_out == "away"
    assert too_soon == "away"
    assert faults_of(pool)["a"] is None


async def test_a_server_that_comes_back_unfit_stays_out() -> None:
    servers = Servers()
    pool = servers.pool("a", "b")
    pool.take_out("a", "no log-probabilities")
    servers.checks["a"] = "no log-probabilities"

    for _ in range(5):
        servers.now += 60.0
        await pool.call(servers.send)
        await settled()

    assert servers.asked == {"b": 5}
    assert faults_of(pool)["a"] == "no log-probabilities"


async def test_where_all_are_out_a_call_has_one_checked_and_does_not_wait() -> None:
    servers = Servers()
    pool = servers.pool("a", "b")
    pool.take_out("a", "away")
    pool.take_out("b", "away")

    answer = await pool.call(servers.send)

    assert answer in {"a", "b"}


async def test_where_all_are_out_and_unfit_a_call_fails_at_once() -> None:
    servers = Servers()
    servers.checks = {"a": "unfit", "b": "unfit"}
    pool = servers.pool("a", "b")
    pool.take_out("a", "unfit")
    pool.take_out("b", "unfit")

    with pytest.raises(TransientError, match="no server"):
        await pool.call(servers.send)

    assert not servers.asked


async def test_calls_that_wait_for_room_hear_of_it_when_every_server_is_gone() -> None:
    servers = Servers()
    servers.held = {"a": asyncio.Event(), "b": asyncio.Event()}
    servers.faults = {"a": UnreachableError("away"), "b": UnreachableError("away")}
    servers.checks = {"a": UnreachableError("away"), "b": UnreachableError("away")}
    pool = servers.pool("a", "b", concurrency=1)
    calls = [asyncio.ensure_future(pool.call(servers.send)) for _ in range(9)]
    await settled()

    servers.held["a"].set()
    servers.held["b"].set()
    outcomes = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 5)

    assert all(isinstance(outcome, TransientError) for outcome in outcomes)


async def test_a_call_that_is_given_up_leaves_its_place_to_the_next() -> None:
    servers = Servers()
    servers.held["a"] = asyncio.Event()
    pool = servers.pool("a", concurrency=1)
    first, second, third = (asyncio.ensure_future(pool.call(servers.send)) for _ in range(3))
    await settled()

    second.cancel()
    first.cancel()
    await settled()
    servers.held["a"].set()

    assert await asyncio.wait_for(third, 5) == "a"
    assert pool.states()[0].under_way == 0
    assert pool.waiting == 0


async def test_a_single_server_is_never_taken_out_and_asked_once_a_call() -> None:
    servers = Servers()
    servers.faults["a"] = UnreachableError("away")
    pool = servers.pool("a")

    for _ in range(5):
        with pytest.raises(UnreachableError, match="away"):
            await pool.call(servers.send)

    assert servers.asked == {"a": 5}
    assert faults_of(pool) == {"a": None}


@pytest.mark.parametrize("urls", [(), ("a", "a")])
def test_a_pool_is_of_different_servers(urls: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match="URLs"):
        ServerPool(urls)
