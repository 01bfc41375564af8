"""Filters, order and cursors of the lists of every ledger."""

from __future__ import annotations

import asyncio
import base64
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from domain.documents import DEFAULT_TENANT, DocumentId, DocumentStatus, OriginRef
from domain.errors import InputError
from domain.ledger import DocumentFilter, Ledger
from domain.trust import Verdict
from tests.ledger_rows import ALICE, NOW, PRESS, REVIEWER, alert, finding, later, settled, upload

pytestmark = pytest.mark.anyio

GARBAGE = [
    "",
    "x",
    "not base64 !",
    "ü",
    "=" * 9,
    *(
        base64.urlsafe_b64encode(content).decode().rstrip("=")
        for content in (
            b"null",
            b"{}",
            b"[]",
            b"[1]",
            b'["1","doc_one"]',
            b'[true,"doc_one"]',
            b'[1.5,"doc_one"]',
            b"[1,2]",
            b'[1,"doc_one",3]',
            b'[99999999999999999999999,"doc_one"]',
            b'[-99999999999999999999999,"doc_one"]',
            b'[1,"doc_one"',
            b"\xff\xfe",
            b"[" * 9000,
        )
    ),
]


async def ids_of(ledger: Ledger, filter: DocumentFilter) -> list[str]:
    page = await ledger.documents.list(DEFAULT_TENANT, filter, cursor=None, limit=100)
    assert page.next_cursor is None
    return [record.id for record in page.items]


async def test_documents_are_listed_newest_first(ledger: Ledger) -> None:
    for name, seconds in (("b", 2), ("a", 1), ("d", 3), ("c", 3)):
        await ledger.documents.receive(upload(name, received_at=later(seconds)), claim=None)

    assert await ids_of(ledger, DocumentFilter()) == ["doc_d", "doc_c", "doc_b", "doc_a"]


async def test_deleted_documents_are_listed_only_if_asked_for(ledger: Ledger) -> None:
    await ledger.documents.receive(upload("one"), claim=None)
    await ledger.documents.receive(upload("two"), claim=None)
    await ledger.documents.delete(DEFAULT_TENANT, DocumentId("doc_two"), actor=REVIEWER, at=NOW)

    assert await ids_of(ledger, DocumentFilter()) == ["doc_one"]
    assert await ids_of(ledger, DocumentFilter(status=DocumentStatus.DELETED)) == ["doc_two"]


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        (DocumentFilter(status=DocumentStatus.QUARANTINED), ["doc_hidden"]),
        (DocumentFilter(status=DocumentStatus.RECEIVED), ["doc_waiting"]),
        (DocumentFilter(status=DocumentStatus.REJECTED), []),
        (DocumentFilter(origin=PRESS), ["doc_cited", "doc_hidden"]),
        (DocumentFilter(origin=OriginRef(kind=PRESS.kind, id=ALICE.id)), []),
        (DocumentFilter(rule="hidden-text.zero-width"), ["doc_cited", "doc_hidden"]),
        (DocumentFilter(rule="hidden-text.white"), ["doc_hidden"]),
        (DocumentFilter(rule="hidden-text"), ["doc_cited", "doc_hidden"]),
        (DocumentFilter(rule="citations"), ["doc_cited"]),
        (DocumentFilter(rule="hidden"), []),
        (DocumentFilter(rule="Hidden-Text"), []),
        (DocumentFilter(rule="%"), []),
        (DocumentFilter(rule="hidden-text."), []),
        (DocumentFilter(rule="zero-width"), []),
        (
            DocumentFilter(status=DocumentStatus.ADMITTED, origin=PRESS, rule="hidden-text"),
            ["doc_cited"],
        ),
    ],
)
async def test_documents_are_filtered_by_status_origin_and_rule(
    ledger: Ledger, filter: DocumentFilter, expected: list[str]
) -> None:
    await settled(
        ledger,
        upload("hidden", origin=PRESS),
        verdict=Verdict.QUARANTINE,
        findings=[finding("hidden-text.zero-width"), finding("hidden-text.white")],
    )
    await settled(
        ledger,
        upload("cited", origin=PRESS, received_at=later(1)),
        findings=[finding("hidden-text.zero-width"), finding("citations.doi")],
    )
    await settled(ledger, upload("clean", received_at=later(2)))
    await ledger.documents.receive(upload("waiting", received_at=later(3)), claim=None)

    assert await ids_of(ledger, filter) == expected


@pytest.mark.parametrize("cursor", GARBAGE)
async def test_a_cursor_that_is_not_ours_is_the_callers_fault(ledger: Ledger, cursor: str) -> None:
    with pytest.raises(InputError):
        await ledger.documents.list(DEFAULT_TENANT, DocumentFilter(), cursor=cursor, limit=2)
    with pytest.raises(InputError):
        await ledger.alerts.list(DEFAULT_TENANT, status=None, cursor=cursor, limit=2)


async def test_a_limit_below_one_is_the_callers_fault(ledger: Ledger) -> None:
    with pytest.raises(InputError):
        await ledger.documents.list(DEFAULT_TENANT, DocumentFilter(), cursor=None, limit=0)


async def test_a_cursor_shows_no_row_twice_where_many_came_at_once(ledger: Ledger) -> None:
    for number in range(25):
        await ledger.documents.receive(upload(f"{number:02}"), claim=None)
        await ledger.alerts.fire(
            alert(f"a{number:02}", fingerprint=f"f{number}"), event_type="alert.fired", payload="{}"
        )

    documents, alerts = await every_document(ledger, limit=4), await every_alert(ledger, limit=4)

    assert documents == [f"doc_{number:02}" for number in reversed(range(25))]
    assert alerts == [f"a{number:02}" for number in reversed(range(25))]


async def test_pages_lose_and_repeat_nothing_while_documents_arrive(ledger: Ledger) -> None:
    for number in range(30):
        await ledger.documents.receive(
            upload(f"old{number}", received_at=later(number // 4)), claim=None
        )
    seen: list[str] = []
    cursor: str | None = None

    for step in range(1000):
        page = await ledger.documents.list(DEFAULT_TENANT, DocumentFilter(), cursor=cursor, limit=7)
        seen += [record.id for record in page.items]
        cursor = page.next_cursor
        await asyncio.gather(
            *(
                ledger.documents.receive(
                    upload(f"new{step}-{number}", received_at=later(100 + step)), claim=None
                )
                for number in range(3)
            )
        )
        if cursor is None:
            break

    assert len(seen) == len(set(seen))
    assert {f"doc_old{number}" for number in range(30)} == set(seen)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    old=st.lists(st.integers(0, 5), max_size=30),
    arrivals=st.lists(st.lists(st.integers(-3, 9), max_size=4), max_size=12),
    limit=st.integers(1, 9),
)
def test_paging_shows_what_was_there_once_whatever_arrives_meanwhile(
    old: list[int], arrivals: list[list[int]], limit: int
) -> None:
    async def scenario() -> None:
        ledger = InMemoryLedger(clock=ManualClock(), ids=SequentialIds())
        for number, seconds in enumerate(old):
            await ledger.documents.receive(
                upload(f"old{number}", received_at=later(seconds)), claim=None
            )
        seen: list[str] = []
        moments: list[tuple[timedelta, str]] = []
        cursor: str | None = None
        pending = list(arrivals)
        while True:
            page = await ledger.documents.list(
                DEFAULT_TENANT, DocumentFilter(), cursor=cursor, limit=limit
            )
            seen += [record.id for record in page.items]
            moments += [(record.received_at - NOW, record.id) for record in page.items]
            cursor = page.next_cursor
            if cursor is None:
                break
            step = len(pending)
            for number, seconds in enumerate(pending.pop() if pending else []):
                await ledger.documents.receive(
                    upload(f"new{step}-{number}", received_at=later(seconds)), claim=None
                )

        assert len(seen) == len(set(seen))
        assert {f"doc_old{number}" for number in range(len(old))} <= set(seen)
        assert moments == sorted(moments, reverse=True)

    asyncio.run(scenario())


async def every_document(ledger: Ledger, *, limit: int) -> list[str]:
    found: list[str] = []
    cursor: str | None = None
    while True:
        page = await ledger.documents.list(
            DEFAULT_TENANT, DocumentFilter(), cursor=cursor, limit=limit
        )
        found += [record.id for record in page.items]
        cursor = page.next_cursor
        if cursor is None:
            return found


async def every_alert(ledger: Ledger, *, limit: int) -> list[str]:
    found: list[str] = []
    cursor: str | None = None
    while True:
        page = await ledger.alerts.list(DEFAULT_TENANT, status=None, cursor=cursor, limit=limit)
        found += [item.id for item in page.items]
        cursor = page.next_cursor
        if cursor is None:
            return found
