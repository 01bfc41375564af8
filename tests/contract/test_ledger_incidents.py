"""What every `IncidentLedger` must do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from domain.documents import DEFAULT_TENANT, DocumentId, DocumentStatus
from domain.errors import ConflictError, InputError, NotFoundError
from domain.incidents import Incident, IncidentId, IncidentStatus
from domain.ledger import DecisionAction, Ledger
from tests.ledger_rows import NOW, OTHER_TENANT, REVIEWER, later, settled, upload

pytestmark = pytest.mark.anyio

SECOND = "key:second"
ID = IncidentId("inc_1")
BOTH = frozenset({DocumentId("doc_one"), DocumentId("doc_two")})
PLAN = Incident(
    id=ID,
    tenant_id=DEFAULT_TENANT,
    status=IncidentStatus.OPEN,
    cause="origin uploader:alice",
    reason="planted",
    opened_at=NOW,
    opened_by=REVIEWER,
    documents=BOTH,
    confirmable=frozenset({DocumentId("doc_three")}),
)


async def admitted(ledger: Ledger, *names: str) -> None:
    for name in names:
        await settled(ledger, upload(name))


async def contained(ledger: Ledger) -> Incident:
    await admitted(ledger, "one", "two")
    await ledger.incidents.add(PLAN)
    await ledger.incidents.contain(DEFAULT_TENANT, ID, documents=BOTH, actor=REVIEWER, at=later(60))
    return await ledger.incidents.finish(DEFAULT_TENANT, ID)


async def statuses(ledger: Ledger) -> dict[str, DocumentStatus]:
    records = await ledger.documents.records(DEFAULT_TENANT, sorted(BOTH))
    return {name: record.status for name, record in records.items()}


async def test_a_plan_is_kept_whole_and_touches_nothing(ledger: Ledger) -> None:
    await admitted(ledger, "one", "two")

    await ledger.incidents.add(PLAN)

    assert await ledger.incidents.get(DEFAULT_TENANT, ID) == PLAN
    assert set((await statuses(ledger)).values()) == {DocumentStatus.ADMITTED}


async def test_incidents_are_listed_newest_first_and_by_tenant(ledger: Ledger) -> None:
    await ledger.incidents.add(PLAN)
    await ledger.incidents.add(replace(PLAN, id=IncidentId("inc_2"), opened_at=later(1)))

    mine = await ledger.incidents.list(DEFAULT_TENANT, limit=9)
    others = await ledger.incidents.list(OTHER_TENANT, limit=9)

    assert [one.id for one in mine] == ["inc_2", "inc_1"]
    assert list(others) == []
    with pytest.raises(NotFoundError):
        await ledger.incidents.get(OTHER_TENANT, ID)


async def test_containing_quarantines_all_and_journals_each(ledger: Ledger) -> None:
    await contained(ledger)

    found = await ledger.documents.get(DEFAULT_TENANT, DocumentId("doc_one"))
    journal = await ledger.journal.entries(DEFAULT_TENANT)
    assert set((await statuses(ledger)).values()) == {DocumentStatus.QUARANTINED}
    assert (found.decided_by, found.decided_at, found.family_id) == (REVIEWER, later(60), None)
    assert [entry.action for entry in journal].count("document.contained") == 2
    assert [entry.action for entry in journal].count("incident.contained") == 1


async def test_what_is_not_admitted_any_more_is_not_among_what_went(ledger: Ledger) -> None:
    await admitted(ledger, "one", "two")
    await ledger.incidents.add(PLAN)
    await ledger.documents.delete(
        DEFAULT_TENANT, DocumentId("doc_two"), actor=REVIEWER, at=later(5)
    )

    after = await ledger.incidents.contain(
        DEFAULT_TENANT, ID, documents=BOTH, actor=REVIEWER, at=later(60)
    )

    assert after.documents == {DocumentId("doc_one")}


async def test_one_is_unfinished_until_the_index_has_followed(ledger: Ledger) -> None:
    await admitted(ledger, "one", "two")
    await ledger.incidents.add(PLAN)
    seen = [len(await ledger.incidents.unfinished())]

    await ledger.incidents.contain(DEFAULT_TENANT, ID, documents=BOTH, actor=REVIEWER, at=later(60))
    seen.append(len(await ledger.incidents.unfinished()))
    await ledger.incidents.finish(DEFAULT_TENANT, ID)
    seen.append(len(await ledger.incidents.unfinished()))

    assert seen == [0, 1, 0]


async def test_finishing_a_plan_changes_nothing(ledger: Ledger) -> None:
    await ledger.incidents.add(PLAN)

    assert (await ledger.incidents.finish(DEFAULT_TENANT, ID)).status is IncidentStatus.OPEN


async def test_an_incident_is_contained_once(ledger: Ledger) -> None:
    await contained(ledger)

    with pytest.raises(ConflictError):
        await ledger.incidents.contain(
            DEFAULT_TENANT, ID, documents=BOTH, actor=REVIEWER, at=later(90)
        )


async def test_who_opened_it_does_not_approve_it(ledger: Ledger) -> None:
    await ledger.incidents.add(PLAN)

    with pytest.raises(ConflictError):
        await ledger.incidents.approve(DEFAULT_TENANT, ID, actor=REVIEWER, at=later(1))
    after = await ledger.incidents.approve(DEFAULT_TENANT, ID, actor=SECOND, at=later(2))

    assert (after.approved_by, after.approved_at) == (SECOND, later(2))
    assert await ledger.incidents.get(DEFAULT_TENANT, ID) == after


async def test_undoing_queues_each_to_be_scanned_anew(ledger: Ledger) -> None:
    await contained(ledger)
    before = len(await ledger.outbox.pending(limit=99))

    after = await ledger.incidents.undo(
        DEFAULT_TENANT, ID, reason="a mistake", actor=SECOND, at=later(120)
    )

    assert after.status is IncidentStatus.UNDONE
    assert set((await statuses(ledger)).values()) == {DocumentStatus.RECEIVED}
    assert len(await ledger.outbox.pending(limit=99)) == before + 2


async def test_undoing_leaves_what_somebody_decided_since(ledger: Ledger) -> None:
    await contained(ledger)
    await ledger.documents.decide(
        DEFAULT_TENANT,
        DocumentId("doc_two"),
        action=DecisionAction.REJECT,
        reason="poison",
        actor=REVIEWER,
        at=later(90),
    )

    await ledger.incidents.undo(DEFAULT_TENANT, ID, reason="a mistake", actor=SECOND, at=later(120))

    assert await statuses(ledger) == {
        "doc_one": DocumentStatus.RECEIVED,
        "doc_two": DocumentStatus.REJECTED,
    }


async def test_only_what_is_contained_is_undone_and_with_a_reason(ledger: Ledger) -> None:
    await ledger.incidents.add(PLAN)

    with pytest.raises(ConflictError):
        await ledger.incidents.undo(DEFAULT_TENANT, ID, reason="r", actor=SECOND, at=later(1))
    with pytest.raises(InputError):
        await ledger.incidents.undo(DEFAULT_TENANT, ID, reason=" ", actor=SECOND, at=later(1))


async def test_an_unknown_incident_is_no_incident(ledger: Ledger) -> None:
    nobody = IncidentId("inc_nobody")

    with pytest.raises(NotFoundError):
        await ledger.incidents.approve(DEFAULT_TENANT, nobody, actor=SECOND, at=NOW)
    with pytest.raises(NotFoundError):
        await ledger.incidents.finish(DEFAULT_TENANT, nobody)
