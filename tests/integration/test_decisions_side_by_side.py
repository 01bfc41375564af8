"""Whatever runs beside whatever: vectors exist if and only if the document is admitted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import date
from functools import cache
from pathlib import Path

import pytest

from backends.embedder_hashing import HashingEmbedder
from backends.memory.clock import ManualClock
from backends.memory.locks import InMemoryLock, InMemoryLockStore
from backends.memory.vectors import InMemoryVectorStore
from domain.documents import DEFAULT_TENANT, DocumentId, DocumentStatus, Origin, TenantId
from domain.errors import ConflictError, NotFoundError, TransientError
from domain.jobs import Lock
from domain.ledger import DecisionAction, DocumentRecord
from domain.scanning import Detector
from ingest.parsers.inline import InlineParser
from ingest.turns import Turns
from runtime.ingestion import Ingestion, build_ingestion
from runtime.scanning import build_detectors
from runtime.settings import Settings
from tests.integration.test_origin_changes import COPY, HOUSE, MALLORY, PARTNER, TEXT
from tests.world import ACTOR, World, build_world

pytestmark = pytest.mark.anyio

Step = Callable[[], Awaitable[object]]


class _Intruding(InMemoryVectorStore):
    """An index at which somebody else acts right before, or right after, the nth write."""

    def __init__(self) -> None:
        super().__init__()
        self._at: dict[int, Step] = {}
        self.writes = 0

    def intrude(self, *, at: int, step: Step) -> None:
        self.writes = 0
        self._at = {at: step}

    async def delete_document(self, document_id: DocumentId, *, tenant_id: TenantId) -> int:
        await self._pass()
        removed = await super().delete_document(document_id, tenant_id=tenant_id)
        await self._pass()
        return removed

    async def upsert(self, records) -> None:  # type: ignore[no-untyped-def]
        await self._pass()
        await super().upsert(records)
        await self._pass()

    async def set_origin(self, origin: Origin, *, tenant_id: TenantId) -> int:
        await self._pass()
        moved = await super().set_origin(origin, tenant_id=tenant_id)
        await self._pass()
        return moved

    async def _pass(self) -> None:
        self.writes += 1
        step = self._at.pop(self.writes, None)
        if step is not None:
            await step()


@cache
def _detectors() -> tuple[Detector, ...]:
    return build_detectors(as_of=date(2026, 1, 1))


class _Two:
    """Two processes over one world, each blind to the turns of the other: every lease is lost."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self.vectors = _Intruding()
        self.one, self.other = (process(world, self.vectors, folder) for _ in range(2))

    async def in_line(self, document_id: DocumentId) -> DocumentRecord:
        record = await self.world.ledger.documents.find(document_id)
        with_vectors = await self.vectors.document_ids(tenant_id=DEFAULT_TENANT)
        assert (document_id in with_vectors) == (record.status is DocumentStatus.ADMITTED)
        return record


def process(
    world: World, vectors: InMemoryVectorStore, folder: Path, *, lock: Lock | None = None
) -> Ingestion:
    return build_ingestion(
        Settings(data_dir=folder),
        ledger=world.ledger,
        blobs=world.blobs,
        vectors=vectors,
        embedder=HashingEmbedder(),
        near_duplicates=world.near_duplicates,
        clock=world.clock,
        lock=lock,
        detectors=_detectors(),
        parser=InlineParser(max_text_chars=100_000),
    )


async def _start(world: World, two: _Two, status: DocumentStatus) -> DocumentId:
    """Bring a document to where a race begins."""
    document_id = await world.receive(TEXT.encode(), origin=MALLORY)
    world.clock.advance(1)
    if status is DocumentStatus.RECEIVED:
        return document_id
    if status is DocumentStatus.ADMITTED:
        admitted = await two.one.pipeline.ingest(document_id)
        assert admitted is not None
        assert admitted.status is DocumentStatus.ADMITTED
        return document_id
    await world.ledger.documents.begin_attempt(document_id)
    await two.one.pipeline.give_up(document_id)
    if status is DocumentStatus.REJECTED:
        await _decide(two.one, document_id, DecisionAction.REJECT)
    return document_id


async def _decide(side: Ingestion, document_id: DocumentId, action: DecisionAction) -> None:
    await side.review.decide(DEFAULT_TENANT, document_id, action=action, reason="seen", actor=ACTOR)


async def _tolerant(step: Awaitable[object]) -> None:
    """A step may be refused for what another did; it may not leave the index out of line."""
    try:
        await step
    except (ConflictError, NotFoundError):
        return


def _steps(
    world: World, document_id: DocumentId
) -> Mapping[str, Callable[[Ingestion], Awaitable[object]]]:
    async def both(side: Ingestion) -> None:
        await _decide(side, document_id, DecisionAction.REJECT)
        world.clock.advance(1)
        await _decide(side, document_id, DecisionAction.RELEASE)

    return {
        "scan": lambda side: side.pipeline.ingest(document_id),
        "release": lambda side: _decide(side, document_id, DecisionAction.RELEASE),
        "reject": lambda side: _decide(side, document_id, DecisionAction.REJECT),
        "reject-release": both,
        "delete": lambda side: side.review.delete(DEFAULT_TENANT, document_id, actor=ACTOR),
        "establish": lambda side: side.origins.establish(
            DEFAULT_TENANT, MALLORY, reviewed=False, reason="known", actor=ACTOR
        ),
        "give-up": lambda side: side.pipeline.give_up(document_id),
    }


_RACES = [
    (DocumentStatus.RECEIVED, "scan", "scan"),
    (DocumentStatus.RECEIVED, "scan", "give-up"),
    (DocumentStatus.RECEIVED, "scan", "delete"),
    (DocumentStatus.RECEIVED, "scan", "establish"),
    (DocumentStatus.QUARANTINED, "release", "reject"),
    (DocumentStatus.QUARANTINED, "release", "reject-release"),
    (DocumentStatus.QUARANTINED, "release", "release"),
    (DocumentStatus.QUARANTINED, "release", "delete"),
    (DocumentStatus.QUARANTINED, "release", "establish"),
    (DocumentStatus.QUARANTINED, "reject", "release"),
    (DocumentStatus.REJECTED, "release", "delete"),
    (DocumentStatus.REJECTED, "release", "release"),
    (DocumentStatus.ADMITTED, "reject", "reject-release"),
    (DocumentStatus.ADMITTED, "reject", "delete"),
    (DocumentStatus.ADMITTED, "delete", "reject"),
    (DocumentStatus.ADMITTED, "delete", "reject-release"),
]


@pytest.mark.parametrize(("status", "first", "second"), _RACES)
@pytest.mark.parametrize("at", range(1, 7))
async def test_index_and_ledger_agree_wherever_one_step_comes_between_another(
    tmp_path: Path, status: DocumentStatus, first: str, second: str, at: int
) -> None:
    world = await build_world(tmp_path, detectors=())
    two = _Two(world, tmp_path)
    document_id = await _start(world, two, status)
    steps = _steps(world, document_id)

    async def intrude() -> None:
        world.clock.advance(1)
        await _tolerant(steps[second](two.other))

    two.vectors.intrude(at=at, step=intrude)
    world.clock.advance(1)

    await _tolerant(steps[first](two.one))

    await two.in_line(document_id)
    for again in (first, second):  # and a retry of either changes nothing of that
        world.clock.advance(1)
        await _tolerant(steps[again](two.one))
        await two.in_line(document_id)


async def test_a_release_of_what_was_rejected_meanwhile_is_refused(tmp_path: Path) -> None:
    world = await build_world(tmp_path, detectors=())
    two = _Two(world, tmp_path)
    held = await _start(world, two, DocumentStatus.QUARANTINED)
    two.vectors.intrude(at=2, step=lambda: _decide(two.other, held, DecisionAction.REJECT))

    with pytest.raises(ConflictError):
        await _decide(two.one, held, DecisionAction.RELEASE)

    assert (await two.in_line(held)).status is DocumentStatus.REJECTED


class _Failing(InMemoryVectorStore):
    """An index that fails after it has taken a write."""

    failing = False

    async def upsert(self, records) -> None:  # type: ignore[no-untyped-def]
        await super().upsert(records)
        if self.failing:
            self.failing = False
            raise TransientError("the index did not answer")


async def test_a_release_that_breaks_off_leaves_no_vectors(tmp_path: Path) -> None:
    world = await build_world(tmp_path, detectors=())
    vectors = _Failing()
    side = process(world, vectors, tmp_path)
    held = await world.receive(TEXT.encode(), origin=MALLORY)
    await world.ledger.documents.begin_attempt(held)
    await side.pipeline.give_up(held)
    vectors.failing = True

    with pytest.raises(TransientError):
        await _decide(side, held, DecisionAction.RELEASE)

    assert not await vectors.document_ids(tenant_id=DEFAULT_TENANT)


# Two near-copies at once, and origins that change while a document is placed.


def _scans(world: World) -> tuple[InMemoryLock, InMemoryLock]:
    store = InMemoryLockStore()
    return (InMemoryLock(store, clock=world.clock), InMemoryLock(store, clock=world.clock))


async def _admitted(world: World, *documents: DocumentId) -> list[DocumentRecord]:
    return [await world.ledger.documents.find(one) for one in documents]


@pytest.mark.parametrize("at", range(1, 5))
async def test_of_two_near_copies_placed_at_once_one_votes_even_without_a_lock(
    tmp_path: Path, at: int
) -> None:
    world = await build_world(tmp_path, detectors=())
    for ref in (HOUSE, PARTNER):
        await world.establish(ref)
    lost = _LostLock()
    vectors = _Intruding()
    one, other = (process(world, vectors, tmp_path, lock=lost) for _ in range(2))
    first = await world.receive(TEXT.encode(), origin=HOUSE)
    second = await world.receive(COPY.encode(), origin=PARTNER)

    async def intrude() -> None:
        world.clock.advance(120)
        await other.pipeline.ingest(second)

    vectors.intrude(at=at, step=intrude)

    await one.pipeline.ingest(first)

    records = await _admitted(world, first, second)
    assert sorted(record.voting for record in records) == [False, True]
    assert len({record.family_id for record in records}) == 1


class _LostLock:
    """A store that was wiped: everybody holds everything."""

    async def acquire(self, name: str, *, lease_seconds: float) -> bool:
        return True

    async def release(self, name: str) -> None:
        return


async def test_the_second_of_two_near_copies_waits_for_the_first_to_be_settled(
    tmp_path: Path,
) -> None:
    world = await build_world(tmp_path, detectors=())
    for ref in (HOUSE, PARTNER):
        await world.establish(ref)
    mine, theirs = _scans(world)
    vectors = _Intruding()
    one = process(world, vectors, tmp_path, lock=mine)
    first = await world.receive(TEXT.encode(), origin=HOUSE)
    tries: list[bool] = []

    async def intrude() -> None:
        tries.append(await theirs.acquire(f"families:{DEFAULT_TENANT}", lease_seconds=1))

    vectors.intrude(at=1, step=intrude)

    await one.pipeline.ingest(first)

    assert tries == [False]
    assert await theirs.acquire(f"families:{DEFAULT_TENANT}", lease_seconds=1)


@pytest.mark.parametrize("at", range(1, 5))
@pytest.mark.parametrize("established", [True, False])
async def test_a_document_placed_while_its_origin_changes_is_grouped_by_the_new_tier(
    tmp_path: Path, established: bool, at: int
) -> None:
    world = await build_world(tmp_path, detectors=())
    vectors = _Intruding()
    one, other = (process(world, vectors, tmp_path) for _ in range(2))
    await world.establish(HOUSE)
    await world.establish(PARTNER, reviewed=True)
    if established:
        await _revoked(world, PARTNER)
    first = await world.receive(TEXT.encode(), origin=HOUSE)
    await one.pipeline.ingest(first)
    second = await world.receive(COPY.encode(), origin=PARTNER)
    world.clock.advance(1)

    async def change() -> None:
        if established:
            await other.origins.establish(
                DEFAULT_TENANT, PARTNER, reviewed=True, reason="known", actor=ACTOR
            )
        else:
            await other.origins.revoke(DEFAULT_TENANT, PARTNER, reason="stolen", actor=ACTOR)

    vectors.intrude(at=at, step=change)

    await one.pipeline.ingest(second)

    older, newer = await _admitted(world, first, second)
    assert (older.voting, newer.voting) == (not established, established)
    assert older.family_id == newer.family_id


async def _revoked(world: World, ref) -> None:  # type: ignore[no-untyped-def]
    await world.origins.revoke(DEFAULT_TENANT, ref, reason="not yet", actor=ACTOR)


# Turns.


class _Down:
    async def acquire(self, name: str, *, lease_seconds: float) -> bool:
        raise TransientError("the lock store did not answer")

    async def release(self, name: str) -> None:
        raise TransientError("the lock store did not answer")


async def test_a_turn_that_does_not_come_in_time_is_asked_for_no_longer(tmp_path: Path) -> None:
    clock = ManualClock()
    store = InMemoryLockStore()
    await InMemoryLock(store, clock=clock).acquire("families:default", lease_seconds=1e9)
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    turns = Turns(lock=InMemoryLock(store, clock=clock), clock=clock, pause=pause)

    with pytest.raises(TransientError):
        async with turns.take(DEFAULT_TENANT):
            pytest.fail("another holds it")
    async with turns.take(DEFAULT_TENANT, required=False) as turn:
        assert not turn.held

    assert 30 <= sum(pauses) < 40


async def test_containment_waits_for_no_store_that_is_down() -> None:
    turns = Turns(lock=_Down(), clock=ManualClock())

    async with turns.take(DEFAULT_TENANT, required=False) as turn:
        held = turn.held
    with pytest.raises(TransientError):
        async with turns.take(DEFAULT_TENANT):
            pytest.fail("the store is down")

    assert not held


async def test_a_turn_outlives_its_lease_and_knows_it() -> None:
    clock = ManualClock()
    turns = Turns(lock=InMemoryLock(InMemoryLockStore(), clock=clock), clock=clock)

    async with turns.take(DEFAULT_TENANT) as turn:
        before = turn.held
        clock.advance(3600)
        after = turn.held

    assert (before, after) == (True, False)
