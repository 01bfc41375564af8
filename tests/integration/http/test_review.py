"""The review queue: look, release, reject, delete; and what of it the journal keeps."""

from __future__ import annotations

from typing import Any

import pytest

from domain.documents import DEFAULT_TENANT, DocumentId
from domain.errors import NotFoundError
from ingest.originals import original_key
from tests.http_services import HOSTILE, Gateway
from tests.integration.http.problems import problem

pytestmark = pytest.mark.anyio

CLEAN = "# The harbour\n\nThe harbour office opens at 8:15 on weekdays.\n"


async def decide(
    gateway: Gateway, headers: dict[str, str], document_id: str, action: str, **extra: Any
) -> Any:
    return await gateway.client.post(
        f"/v1/documents/{document_id}/decisions",
        json={"action": action, "reason": "read by two people", **extra},
        headers=headers,
    )


async def indexed(gateway: Gateway, document_id: str) -> bool:
    """Whether the index holds a chunk of the document."""
    return DocumentId(document_id) in await gateway.world.vectors.document_ids(
        tenant_id=DEFAULT_TENANT
    )


async def test_a_release_and_a_rejection_reach_the_index_before_they_are_answered(
    gateway: Gateway,
) -> None:
    reviewer = await gateway.reviewer()
    document_id = await gateway.settled(await gateway.writer(), HOSTILE)

    before = await indexed(gateway, document_id)
    released = await decide(gateway, reviewer, document_id, "release")
    between = await indexed(gateway, document_id)
    rejected = await decide(gateway, reviewer, document_id, "reject")
    after = await indexed(gateway, document_id)
    again = await decide(gateway, reviewer, document_id, "release")

    assert (before, between, after) == (False, True, False)
    assert (released.json()["status"], released.json()["reason"]) == ("admitted", "review")
    assert rejected.json()["status"] == "rejected"
    assert again.json()["status"] == "admitted"
    assert await indexed(gateway, document_id)


async def test_an_admitted_document_can_be_rejected_and_released_again(gateway: Gateway) -> None:
    reviewer = await gateway.reviewer()
    document_id = await gateway.settled(await gateway.writer(), CLEAN)

    rejected = await decide(gateway, reviewer, document_id, "reject")
    gone = not await indexed(gateway, document_id)
    released = await decide(gateway, reviewer, document_id, "release")

    assert (rejected.json()["status"], released.json()["status"]) == ("rejected", "admitted")
    assert gone


async def test_a_decision_is_journalled_with_who_and_why(gateway: Gateway) -> None:
    reviewer = await gateway.reviewer()
    document_id = await gateway.settled(await gateway.writer(), HOSTILE)

    released = await decide(gateway, reviewer, document_id, "release")

    entry = (await gateway.journal(document_id))[0]
    assert entry.action == "document.released"
    assert entry.reason == "read by two people"
    assert entry.actor == released.json()["decided_by"]
    assert entry.actor.startswith("key:")


async def test_a_decision_that_changes_nothing_is_a_conflict(gateway: Gateway) -> None:
    reviewer = await gateway.reviewer()
    document_id = await gateway.settled(await gateway.writer(), HOSTILE)
    await decide(gateway, reviewer, document_id, "reject")

    problem(await decide(gateway, reviewer, document_id, "reject"), 409, "conflict")


async def test_a_document_without_a_verdict_cannot_be_decided(gateway: Gateway) -> None:
    receipt = await gateway.upload(await gateway.writer(), CLEAN)

    reply = await decide(gateway, await gateway.reviewer(), receipt["id"], "release")

    problem(reply, 409, "conflict")


@pytest.mark.parametrize(
    "body",
    [
        {"action": "release"},
        {"action": "release", "reason": ""},
        {"action": "release", "reason": " \n "},
        {"action": "release", "reason": "a\x00b"},
        {"action": "release", "reason": "r" * 1001},
        {"action": "forget", "reason": "because"},
        {"action": "release", "reason": "because", "force": True},
    ],
)
async def test_a_decision_needs_a_known_action_and_a_reason(
    gateway: Gateway, body: dict[str, Any]
) -> None:
    document_id = await gateway.settled(await gateway.writer(), HOSTILE)

    reply = await gateway.client.post(
        f"/v1/documents/{document_id}/decisions", json=body, headers=await gateway.reviewer()
    )

    problem(reply, 422, "invalid-input")
    record = await gateway.world.ledger.documents.find(DocumentId(document_id))
    assert record.status.value == "quarantined"


async def test_a_deleted_document_leaves_index_and_blobs_and_stays_in_the_journal(
    gateway: Gateway,
) -> None:
    writer = await gateway.writer()
    document_id = await gateway.settled(writer, CLEAN)
    path = f"/v1/documents/{document_id}"
    sha256 = (await gateway.client.get(path, headers=writer)).json()["sha256"]

    reply = await gateway.client.delete(path, headers=writer)

    assert (reply.status_code, reply.content) == (204, b"")
    assert not await indexed(gateway, document_id)
    with pytest.raises(NotFoundError):
        await gateway.world.blobs.get(DEFAULT_TENANT, original_key(sha256))
    assert (await gateway.client.get(path, headers=writer)).json()["status"] == "deleted"
    assert (await gateway.client.get("/v1/documents", headers=writer)).json()["items"] == []
    assert [entry.action for entry in await gateway.journal(document_id)] == [
        "document.deleted",
        "document.admitted",
        "document.received",
    ]
    problem(await gateway.client.delete(path, headers=writer), 404, "not-found")
    assert (await gateway.upload(writer, CLEAN))["id"] != document_id


async def test_who_uploaded_a_held_document_cannot_take_the_evidence_back(
    gateway: Gateway,
) -> None:
    writer = await gateway.writer()
    document_id = await gateway.settled(writer, HOSTILE)
    path = f"/v1/documents/{document_id}"

    refused = await gateway.client.delete(path, headers=writer)
    deleted = await gateway.client.delete(path, headers=await gateway.reviewer())

    problem(refused, 403, "forbidden")
    assert deleted.status_code == 204


async def test_a_dry_run_judges_and_stores_nothing_but_a_line_in_the_journal(
    gateway: Gateway,
) -> None:
    reviewer = await gateway.reviewer()

    reply = await gateway.client.post(
        "/v1/scans",
        content=HOSTILE.encode(),
        headers={"Content-Type": "text/markdown", **reviewer},
    )

    body = reply.json()
    assert (reply.status_code, body["verdict"]) == (200, "quarantine")
    assert body["assessment"]["findings"]
    assert (await gateway.client.get("/v1/documents", headers=reviewer)).json()["items"] == []
    entries = await gateway.world.ledger.journal.entries(DEFAULT_TENANT, limit=1)
    assert (entries[0].action, entries[0].facts) == ("scan.dry-run", {"verdict": "quarantine"})


async def test_a_dry_run_that_cannot_be_read_is_journalled_too(gateway: Gateway) -> None:
    headers = await gateway.writer()

    reply = await gateway.client.post(
        "/v1/scans",
        content=b"%PDF-1.7 broken",
        headers={"Content-Type": "application/pdf", **headers},
    )

    problem(reply, 422, "document-unreadable")
    entries = await gateway.world.ledger.journal.entries(DEFAULT_TENANT, limit=1)
    assert (entries[0].action, entries[0].facts) == ("scan.dry-run", {"verdict": "unreadable"})


async def test_a_submit_only_dry_run_is_no_window_on_the_index(gateway: Gateway) -> None:
    """Law 15: what is a near-copy of what is not for somebody who can only submit to find out."""
    writer, reviewer = await gateway.writer(), await gateway.reviewer()
    page = "# Mooring\n\n" + " ".join(
        f"A boat of {n} metres pays {n * 3} crowns a night at the stone quay." for n in range(30)
    )
    await gateway.settled(writer, page)
    copy = f"{page}\nReprinted.".encode()
    kind = {"Content-Type": "text/markdown"}

    told = await gateway.client.post("/v1/scans", content=copy, headers={**kind, **writer})
    seen = await gateway.client.post("/v1/scans", content=copy, headers={**kind, **reviewer})

    rules = {finding["rule"] for finding in seen.json()["assessment"]["findings"]}
    assert any(rule.startswith("near-duplicate.") for rule in rules)
    assert set(told.json()) == {"verdict", "reason", "media_type", "assessment"}
    assert told.json()["assessment"] is None


async def test_pages_follow_each_other_newest_first_and_miss_nothing(gateway: Gateway) -> None:
    writer = await gateway.writer()
    made = []
    for number in range(7):
        made.append((await gateway.upload(writer, f"# Page {number}"))["id"])
        gateway.world.clock.advance(1)

    seen, cursor, pages = [], None, 0
    while True:
        params = {"limit": "3", **({"cursor": cursor} if cursor else {})}
        page = (await gateway.client.get("/v1/documents", params=params, headers=writer)).json()
        seen += [item["id"] for item in page["items"]]
        cursor, pages = page["next_cursor"], pages + 1
        if cursor is None:
            break

    assert seen == made[::-1]
    assert pages == 3


async def test_lists_are_filtered_by_status_and_origin(gateway: Gateway) -> None:
    writer, reviewer = await gateway.writer(), await gateway.reviewer()
    clean = await gateway.settled(writer, CLEAN)
    hostile = await gateway.settled(writer, HOSTILE)
    waiting = (await gateway.upload(writer, "# Waiting"))["id"]

    async def ids(**params: str) -> list[str]:
        reply = await gateway.client.get("/v1/documents", params=params, headers=reviewer)
        return sorted(item["id"] for item in reply.json()["items"])

    assert await ids(status="admitted") == [clean]
    assert await ids(status="quarantined") == [hostile]
    assert await ids(status="received") == [waiting]
    assert await ids(origin="uploader:portal") == sorted([clean, hostile, waiting])
    assert await ids(origin="publisher:portal") == []
    assert await ids(rule="injected-instructions") == [hostile]
    assert await ids(rule="hidden-text") == []


async def test_a_document_without_a_scan_has_an_empty_report(gateway: Gateway) -> None:
    receipt = await gateway.upload(await gateway.writer())

    reply = await gateway.client.get(
        f"/v1/documents/{receipt['id']}/report", headers=await gateway.reviewer()
    )

    assert (reply.status_code, reply.json()["assessment"]) == (200, None)
