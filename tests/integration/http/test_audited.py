"""Every act that changes something is in the audit log, in one sealed chain."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

import pytest
from fastapi.routing import APIRoute

from domain.access import Scope
from domain.audit import AuditKey, AuditKeys, ChainCheck
from domain.documents import DEFAULT_TENANT
from tests.http_services import HOSTILE, Gateway
from tests.integration.http.test_alerts import alert, register

pytestmark = pytest.mark.anyio

CHANGES: Mapping[str, str] = {
    "POST /v1/documents": "document.received",
    "POST /v1/documents/{document_id}/decisions": "document.released",
    "DELETE /v1/documents/{document_id}": "document.deleted",
    "POST /v1/scans": "scan.dry-run",
    "POST /v1/questions/{question_id}/feedback": "question.labelled",
    "POST /v1/origins": "origin.added",
    "POST /v1/origins/{kind}/{origin_id}/establish": "origin.established",
    "POST /v1/origins/{kind}/{origin_id}/revoke": "origin.revoked",
    "POST /v1/origins/connector/{origin_id}/declare": "origin.declared",
    "POST /v1/publishers": "publisher.key-added",
    "POST /v1/publishers/{publisher}/keys/{key_id}/revoke": "publisher.key-revoked",
    "POST /v1/suppressions": "suppression.added",
    "POST /v1/suppressions/{suppression_id}/remove": "suppression.removed",
    "POST /v1/alerts/{alert_id}/acknowledge": "alert.acknowledged",
    "POST /v1/silences": "silence.added",
    "POST /v1/silences/{silence_id}/remove": "silence.removed",
    "POST /v1/reviews/{question_id}/close": "review.closed",
    "POST /v1/traces": "question.traced",
    "POST /v1/incidents": "incident.opened",
    "POST /v1/incidents/{incident_id}/approve": "incident.approved",
    "POST /v1/incidents/{incident_id}/contain": "incident.contained",
    "POST /v1/incidents/{incident_id}/undo": "incident.undone",
    "POST /v1/topics": "topic.defined",
    "POST /v1/topics/{topic_id}/remove": "topic.removed",
    "POST /v1/webhooks": "webhook.added",
    "DELETE /v1/webhooks/{webhook_id}": "webhook.removed",
    "POST /v1/webhooks/{webhook_id}/rotate-secret": "webhook.secret-rotated",
    "POST /v1/webhooks/{webhook_id}/enable": "webhook.enabled",
    "POST /v1/webhooks/{webhook_id}/replays": "webhook.replayed",
}
ASKS = {
    "POST /v1/questions",  # kept as a question of its own, with its asker
    "POST /v1/chat/completions",
    "POST /v1/retrieve",
    "POST /v1/policy/replays",
    "POST /v1/webhooks/{webhook_id}/test",  # in the receiver's log of deliveries
}


def test_every_route_that_changes_something_names_what_it_writes(shared: Gateway) -> None:
    changing = {
        f"{method} {route.path}"
        for route in shared.app.routes
        if isinstance(route, APIRoute)
        for method in route.methods - {"GET"}
    }

    assert changing == set(CHANGES) | ASKS


async def test_what_people_do_over_http_is_written_with_who_did_it(gateway: Gateway) -> None:
    admin = await gateway.admin()

    async def do(method: str, path: str, **body: object) -> dict[str, str]:
        reply = await gateway.client.request(method, path, headers=admin, json=body or None)
        assert reply.is_success, reply.text
        return dict(reply.json()) if reply.content else {}

    reason = {"reason": "because"}
    writer = await gateway.writer()
    held = await gateway.settled(writer, HOSTILE)
    await do("POST", f"/v1/documents/{held}/decisions", action="release", **reason)
    await do("DELETE", f"/v1/documents/{held}")
    await gateway.client.post(
        "/v1/scans", content=b"# x", headers={**admin, "Content-Type": "text/markdown"}
    )
    await do("POST", "/v1/origins", kind="connector", id="wiki")
    await do("POST", "/v1/origins/connector/wiki/establish", reviewed=False, **reason)
    await do("POST", "/v1/origins/connector/wiki/revoke", **reason)
    await do("POST", "/v1/origins/connector/wiki/declare", open_write=True)
    await gateway.fire(alert(1))
    await do("POST", "/v1/alerts/alr_1/acknowledge")
    until = (gateway.world.clock.now() + timedelta(hours=1)).isoformat()
    silence = await do("POST", "/v1/silences", alert_id="alr_1", expires_at=until, **reason)
    await do("POST", f"/v1/silences/{silence['id']}/remove")
    lamp = await gateway.settled(writer, "# Lamp\n\nThe lamp is lit at nine.\n")
    planned = await do("POST", "/v1/incidents", documents=[lamp], **reason)
    incident = f"/v1/incidents/{planned['incident']['id']}"  # type: ignore[index]
    second = await gateway.client.post(f"{incident}/approve", headers=await gateway.reviewer())
    assert second.is_success, second.text
    await do("POST", f"{incident}/contain", confirm=[])
    await do("POST", f"{incident}/undo", **reason)
    topic = await do("POST", "/v1/topics", name="lamps", about=["lamp"], **reason)
    await do("POST", f"/v1/topics/{topic['id']}/remove", **reason)
    hook = await register(gateway, admin)
    path = f"/v1/webhooks/{hook['id']}"
    await gateway.world.ledger.webhooks.disable(
        hook["id"], reason="410", payload="{}", at=gateway.world.clock.now()
    )
    await do("POST", f"{path}/enable")
    await do("POST", f"{path}/replays", since="2026-01-01T00:00:00Z")
    await gateway.client.post(f"{path}/rotate-secret", json={}, headers=admin)
    await do("DELETE", path)

    entries = await gateway.world.ledger.journal.entries(DEFAULT_TENANT, limit=999)
    done = {entry.action for entry in entries}
    elsewhere = {"question.", "publisher.", "suppression.", "review."}
    expected = {a for a in CHANGES.values() if not a.startswith(tuple(elsewhere))}
    assert expected <= done
    actors = {entry.actor for entry in entries if entry.action in expected}
    assert all(actor.startswith("key:") for actor in actors - {"test"})  # who made the keys


async def test_the_chain_of_a_gateway_is_whole(gateway: Gateway) -> None:
    for _ in range(3):
        await gateway.key(Scope.ADMIN)

    check = ChainCheck(AuditKeys(current=AuditKey(b"?" * 32)))
    assert check.take(await gateway.world.ledger.journal.sealed(after=0, limit=999))
    assert check.count >= 3
