"""Looking up what a document cites: in order, within a budget, and honest about what failed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from backends.memory.citations import InMemoryCitationCache
from backends.memory.clock import ManualClock
from domain.citations import (
    CachedAnswer,
    CitationKind,
    Identifier,
    LookupStatus,
    ResolvedCitation,
    Work,
)
from domain.documents import Document, TenantId
from domain.errors import PermanentError, TransientError
from ingest.citations import (
    NOT_FOUND_SECONDS,
    RESOLVERS,
    CitationLookup,
    LookupBudget,
    lookup_outcome,
)
from ingest.scan import scan
from tests.builders import EPOCH, make_document

pytestmark = pytest.mark.anyio


def work(value: str, source: str) -> Work:
    return Work(
        identifier=Identifier(kind=CitationKind.DOI, value=value),
        title="Wear",
        authors=("Doe, Jane",),
        year=2019,
        retracted=False,
        source=source,
    )


class Shelf:
    """A resolver that knows what it was given, and fails as told."""

    def __init__(
        self,
        name: str,
        known: Mapping[str, Work] | None = None,
        *,
        error: Exception | None = None,
        hangs: bool = False,
        kinds: frozenset[CitationKind] = frozenset({CitationKind.DOI}),
    ) -> None:
        self.name = name
        self.kinds = kinds
        self._known = known or {}
        self._error = error
        self._hangs = hangs
        self.asked: list[str] = []

    async def resolve(self, identifier: Identifier) -> Work | None:
        self.asked.append(identifier.value)
        if self._hangs:
            await asyncio.Event().wait()
        if self._error is not None:
            raise self._error
        return self._known.get(identifier.value)


class CacheDown:
    async def get(
        self, tenant_id: TenantId, source: str, identifier: Identifier
    ) -> CachedAnswer | None:
        raise TransientError("down")

    async def put(
        self,
        tenant_id: TenantId,
        source: str,
        identifier: Identifier,
        answer: CachedAnswer,
        *,
        lifetime_seconds: int,
    ) -> None:
        raise TransientError("down")


def lookup(
    *shelves: Shelf,
    budget: LookupBudget | None = None,
    clock: ManualClock | None = None,
    cache: InMemoryCitationCache | CacheDown | None = None,
) -> CitationLookup:
    clock = clock or ManualClock(EPOCH)
    return CitationLookup(
        resolvers=shelves,
        cache=cache or InMemoryCitationCache(clock=clock),
        budget=budget or LookupBudget(),
        clock=clock,
    )


def statuses(document: Document) -> dict[str, LookupStatus]:
    return {one.identifier.value: one.status for one in document.citations}


A, B = "10.4321/a", "10.4321/b"
BOTH = make_document(f"See doi:{A} and doi:{B}.")


async def test_without_resolvers_nothing_is_looked_up() -> None:
    assert await lookup().look_up(BOTH) is BOTH


async def test_the_first_that_knows_it_is_the_last_that_is_asked() -> None:
    first, second = Shelf("first", {A: work(A, "first")}), Shelf("second", {B: work(B, "second")})

    found = await lookup(first, second).look_up(BOTH)

    assert statuses(found) == {A: LookupStatus.FOUND, B: LookupStatus.FOUND}
    assert {one.work.source for one in found.citations if one.work} == {"first", "second"}
    assert second.asked == [B]


async def test_what_nobody_knows_is_not_found_and_nothing_worse() -> None:
    found = await lookup(Shelf("first"), Shelf("second")).look_up(BOTH)

    assert set(statuses(found).values()) == {LookupStatus.NOT_FOUND}
    assert lookup_outcome(found)[1] == set()


@pytest.mark.parametrize(
    "error",
    [
        TransientError("down"),
        PermanentError("nonsense"),
        ValueError("a year of no digits"),
        RecursionError(),
    ],
)
async def test_one_that_fails_makes_what_it_may_know_unavailable(error: Exception) -> None:
    broken = Shelf("broken", error=error)

    found = await lookup(broken, Shelf("second", {B: work(B, "second")})).look_up(BOTH)

    assert statuses(found) == {A: LookupStatus.UNAVAILABLE, B: LookupStatus.FOUND}
    assert lookup_outcome(found) == ({}, {RESOLVERS})


async def test_a_report_says_that_resolvers_could_not_look() -> None:
    found = await lookup(Shelf("broken", error=TransientError("down"))).look_up(BOTH)

    report = scan(found, [])

    assert report.unavailable == {RESOLVERS}
    assert RESOLVERS not in report.completed


async def test_a_report_says_that_resolvers_looked() -> None:
    found = await lookup(Shelf("first")).look_up(BOTH)

    report = scan(found, [])

    assert report.completed.keys() == {RESOLVERS}
    assert not report.unavailable


async def test_what_takes_too_long_is_unavailable() -> None:
    budget = LookupBudget(seconds=0.05)

    found = await lookup(Shelf("stuck", hangs=True), budget=budget).look_up(BOTH)

    assert set(statuses(found).values()) == {LookupStatus.UNAVAILABLE}


async def test_beyond_the_budget_nobody_is_asked() -> None:
    shelf = Shelf("first")
    many = make_document(" ".join(f"doi:10.4321/{number}" for number in range(30)))

    found = await lookup(shelf, budget=LookupBudget(identifiers=5)).look_up(many)

    assert len(shelf.asked) == 5
    assert list(statuses(found).values()).count(LookupStatus.NOT_ASKED) == 25


async def test_the_reference_list_is_asked_for_first() -> None:
    shelf = Shelf("first")
    text = " ".join(f"doi:10.4321/{n}" for n in range(9)) + f"\n\n## References\n\n1. doi:{A}\n"

    await lookup(shelf, budget=LookupBudget(identifiers=1)).look_up(make_document(text))

    assert shelf.asked == [A]


async def test_invalid_identifiers_and_addresses_are_never_sent() -> None:
    shelf = Shelf("first", kinds=frozenset(CitationKind))
    text = "arXiv:2413.01234, http://10.0.0.7/admin, ISBN 978-3-16-148410-1, doi:10.0123/x"

    await lookup(shelf).look_up(make_document(text))

    assert shelf.asked == []


async def test_kinds_that_no_resolver_takes_are_not_asked_and_not_unavailable() -> None:
    found = await lookup(Shelf("first")).look_up(make_document("RFC 2606 and PMID: 31452104"))

    assert set(statuses(found).values()) == {LookupStatus.NOT_ASKED}


async def test_an_answer_is_asked_for_once_until_it_expires() -> None:
    clock = ManualClock(EPOCH)
    shelf = Shelf("first", {A: work(A, "first")})
    asking = lookup(shelf, clock=clock)

    for _ in range(3):
        await asking.look_up(BOTH)
    clock.advance(NOT_FOUND_SECONDS + 1)
    await asking.look_up(BOTH)

    assert sorted(shelf.asked) == [A, B, B]


async def test_failures_are_not_remembered() -> None:
    shelf = Shelf("first", error=TransientError("down"))
    asking = lookup(shelf)

    for _ in range(2):
        await asking.look_up(BOTH)

    assert sorted(shelf.asked) == [A, A, B, B]


async def test_a_cache_that_is_down_costs_no_answer() -> None:
    found = await lookup(Shelf("first", {A: work(A, "first")}), cache=CacheDown()).look_up(BOTH)

    assert statuses(found) == {A: LookupStatus.FOUND, B: LookupStatus.NOT_FOUND}


def test_a_found_citation_has_a_work_and_no_other_does() -> None:
    identifier = Identifier(kind=CitationKind.DOI, value=A)

    with pytest.raises(ValueError, match="found"):
        ResolvedCitation(identifier=identifier, status=LookupStatus.FOUND)
    with pytest.raises(ValueError, match="not-found"):
        ResolvedCitation(
            identifier=identifier, status=LookupStatus.NOT_FOUND, work=work(A, "first")
        )
