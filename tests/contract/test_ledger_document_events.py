"""What every ledger tells receivers of documents, in the transaction of what happened."""

from __future__ import annotations

import json

import pytest

from domain.documents import DEFAULT_TENANT
from domain.ledger import DecisionAction, Ledger
from domain.monitoring import WebhookId
from domain.retrieval import FamilyId
from domain.trust import CoarseReason, Verdict
from tests.ledger_rows import REVIEWER, later, settled, upload, webhook

pytestmark = pytest.mark.anyio

TYPES = ("document.quarantined", "document.rejected", "document.released")


async def told(ledger: Ledger) -> list[dict[str, object]]:
    found = await ledger.webhooks.deliveries(DEFAULT_TENANT, WebhookId("w1"))
    return [json.loads(one.payload) for one in reversed(found)]


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [
        (Verdict.ADMIT, []),
        (Verdict.QUARANTINE, ["document.quarantined"]),
        (Verdict.REJECT, ["document.rejected"]),
    ],
)
async def test_a_verdict_against_a_document_is_told_with_ids_and_numbers(
    ledger: Ledger, verdict: Verdict, expected: list[str]
) -> None:
    await ledger.webhooks.add(webhook(event_types=TYPES), actor=REVIEWER)
    await settled(ledger, upload("lamp"), verdict=verdict, reason=CoarseReason.HOLD)

    events = await told(ledger)

    assert [event["type"] for event in events] == expected
    if events:
        assert events[0]["data"] == {
            "id": "doc_lamp",
            "status": "quarantined" if verdict is Verdict.QUARANTINE else "rejected",
            "origin": "uploader:alice",
            "reason": "hold",
            "trust": 0.6667,
            "policy_version": "2026-11",
            "by_person": False,
        }
        assert "Title" not in json.dumps(events)


async def test_decisions_of_people_are_told(ledger: Ledger) -> None:
    await ledger.webhooks.add(webhook(event_types=TYPES), actor=REVIEWER)
    held = await settled(ledger, upload("lamp"), verdict=Verdict.QUARANTINE)

    for number, action in enumerate((DecisionAction.RELEASE, DecisionAction.REJECT), 1):
        await ledger.documents.decide(
            DEFAULT_TENANT,
            held.id,
            action=action,
            reason="secret reason",
            actor=REVIEWER,
            at=later(number),
            family_id=FamilyId("doc_lamp") if action is DecisionAction.RELEASE else None,
        )

    events = await told(ledger)
    assert [event["type"] for event in events] == [
        "document.quarantined",
        "document.released",
        "document.rejected",
    ]
    assert "secret reason" not in json.dumps(events)
