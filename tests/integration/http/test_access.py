"""Which key may do what; and that keys that open nothing are told alike."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from fastapi.routing import APIRoute

from defences.trust.policy import DEFAULT_POLICY
from domain.access import Scope
from domain.documents import OriginKind, OriginRef, TenantId
from tests.http_services import HOSTILE, Gateway, bearer
from tests.integration.http.problems import problem

pytestmark = pytest.mark.anyio

WRITE, ASK, REVIEW, ADMIN = (
    Scope.DOCUMENTS_WRITE,
    Scope.QUESTIONS_ASK,
    Scope.QUARANTINE_REVIEW,
    Scope.ADMIN,
)
ORIGIN = OriginRef(kind=OriginKind.UPLOADER, id="scoped")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request, and what it answers to who holds a scope that opens the route."""

    method: str
    path: str
    route: str
    scopes: frozenset[Scope]
    allowed: int
    request: dict[str, Any] = field(default_factory=dict)


def call(
    method: str, path: str, allowed: int, *scopes: Scope, route: str | None = None, **request: Any
) -> Call:
    return Call(
        method=method,
        path=path,
        route=route or path,
        scopes=frozenset(scopes),
        allowed=allowed,
        request=request,
    )


TEXT: dict[str, Any] = {"content": b"A lamp.", "headers": {"Content-Type": "text/plain"}}
REASON: dict[str, Any] = {"reason": "looked at"}
POLICY = DEFAULT_POLICY.read_text(encoding="utf-8")
DOCUMENT = "/v1/documents/{document_id}"
FEEDBACK = "/v1/questions/{question_id}/feedback"
ESTABLISH = "/v1/origins/{kind}/{origin_id}/establish"
REVOKE = "/v1/origins/{kind}/{origin_id}/revoke"

CALLS = [
    call("POST", "/v1/documents", 202, WRITE, **TEXT),
    call("GET", "/v1/documents", 200, WRITE, REVIEW),
    call("GET", "/v1/documents/doc_none", 404, WRITE, REVIEW, route=DOCUMENT),
    call("GET", "/v1/documents/doc_none/report", 404, REVIEW, route=f"{DOCUMENT}/report"),
    call(
        "POST",
        "/v1/documents/doc_none/decisions",
        404,
        REVIEW,
        route=f"{DOCUMENT}/decisions",
        json={"action": "release", **REASON},
    ),
    call("DELETE", "/v1/documents/doc_none", 404, WRITE, REVIEW, route=DOCUMENT),
    call("POST", "/v1/scans", 200, WRITE, REVIEW, **TEXT),
    call("POST", "/v1/questions", 200, ASK, json={"question": "What is a lamp?"}),
    call("GET", "/v1/questions", 200, REVIEW),
    call("GET", "/v1/questions/q_none", 404, ASK, REVIEW, route="/v1/questions/{question_id}"),
    call("GET", "/v1/questions/q_none/feedback", 404, REVIEW, route=FEEDBACK),
    call(
        "POST",
        "/v1/questions/q_none/feedback",
        404,
        ASK,
        REVIEW,
        route=FEEDBACK,
        json={"verdict": "right"},
    ),
    call("POST", "/v1/retrieve", 200, ASK, REVIEW, json={"question": "What is a lamp?"}),
    call(
        "POST",
        "/v1/chat/completions",
        200,
        ASK,
        json={"model": "m", "messages": [{"role": "user", "content": "What is a lamp?"}]},
    ),
    call("GET", "/v1/models", 200, ASK),
    call("GET", "/v1/models/mithridate", 200, ASK, route="/v1/models/{model}"),
    call("GET", "/v1/origins", 200, ADMIN),
    call("POST", "/v1/origins", 201, ADMIN, json={"kind": "publisher", "id": "press"}),
    call("POST", "/v1/origins/publisher/none/establish", 404, ADMIN, route=ESTABLISH, json=REASON),
    call("POST", "/v1/origins/publisher/none/revoke", 404, ADMIN, route=REVOKE, json=REASON),
    call(
        "POST",
        "/v1/origins/connector/none/declare",
        404,
        ADMIN,
        route="/v1/origins/connector/{origin_id}/declare",
        json={"open_write": True},
    ),
    call(
        "GET",
        "/v1/policy/explanations/doc_none",
        404,
        REVIEW,
        route="/v1/policy/explanations/{document_id}",
    ),
    call("POST", "/v1/policy/replays", 200, REVIEW, json={"policy": POLICY}),
    call("GET", "/v1/suppressions", 200, REVIEW),
    call(
        "POST",
        "/v1/suppressions",
        404,
        REVIEW,
        json={"document_id": "doc_none", "rule": "citations.doi", "start": 0, "end": 9, **REASON},
    ),
    call(
        "POST",
        "/v1/suppressions/sup_none/remove",
        404,
        REVIEW,
        route="/v1/suppressions/{suppression_id}/remove",
        json=REASON,
    ),
    call("GET", "/v1/topics", 200, REVIEW),
    call("POST", "/v1/topics", 201, ADMIN, json={"name": "x", "about": ["lamp"], **REASON}),
    call(
        "POST",
        "/v1/topics/top_none/remove",
        404,
        ADMIN,
        route="/v1/topics/{topic_id}/remove",
        json=REASON,
    ),
    call("GET", "/v1/publishers", 200, ADMIN),
    call(
        "POST",
        "/v1/publishers",
        422,
        ADMIN,
        json={"publisher": "press", "public_key": "none", **REASON},
    ),
    call(
        "POST",
        "/v1/publishers/press/keys/0123456789abcdef/revoke",
        404,
        ADMIN,
        route="/v1/publishers/{publisher}/keys/{key_id}/revoke",
        json=REASON,
    ),
    call("GET", "/v1/alerts", 200, REVIEW),
    call("GET", "/v1/alerts/alr_none", 404, REVIEW, route="/v1/alerts/{alert_id}"),
    call(
        "POST",
        "/v1/alerts/alr_none/acknowledge",
        404,
        REVIEW,
        route="/v1/alerts/{alert_id}/acknowledge",
    ),
    call("GET", "/v1/silences", 200, REVIEW),
    call(
        "POST",
        "/v1/silences",
        404,
        REVIEW,
        json={"alert_id": "alr_none", "expires_at": "2026-01-01T13:00:00Z", **REASON},
    ),
    call(
        "POST",
        "/v1/silences/sil_none/remove",
        404,
        REVIEW,
        route="/v1/silences/{silence_id}/remove",
    ),
    call("GET", "/v1/reviews", 200, REVIEW),
    call("POST", "/v1/reviews/q_none/close", 404, REVIEW, route="/v1/reviews/{question_id}/close"),
    call("POST", "/v1/traces", 404, REVIEW, json={"question_id": "q_none"}),
    call("GET", "/v1/incidents", 200, REVIEW),
    call("POST", "/v1/incidents", 422, REVIEW, json={"documents": ["doc_none"], **REASON}),
    call("GET", "/v1/incidents/inc_none", 404, REVIEW, route="/v1/incidents/{incident_id}"),
    *(
        call(
            method,
            f"/v1/incidents/inc_none/{step}",
            404,
            REVIEW,
            route=f"/v1/incidents/{{incident_id}}/{step}",
            **body,
        )
        for method, step, body in (
            ("POST", "approve", {}),
            ("POST", "contain", {"json": {}}),
            ("POST", "undo", {"json": REASON}),
            ("GET", "report", {}),
        )
    ),
    call("GET", "/v1/audit", 200, ADMIN),
    call(
        "POST",
        "/v1/webhooks",
        201,
        ADMIN,
        json={"url": "https://hooks.example.com/a", "event_types": ["alert.firing"]},
    ),
    call("GET", "/v1/webhooks", 200, ADMIN),
    call("DELETE", "/v1/webhooks/wh_none", 404, ADMIN, route="/v1/webhooks/{webhook_id}"),
    call(
        "GET",
        "/v1/webhooks/wh_none/deliveries",
        404,
        ADMIN,
        route="/v1/webhooks/{webhook_id}/deliveries",
    ),
    *(
        call(
            "POST",
            f"/v1/webhooks/wh_none/{act}",
            404,
            ADMIN,
            route=f"/v1/webhooks/{{webhook_id}}/{act}",
            **extra,
        )
        for act, extra in (
            ("test", {}),
            ("enable", {}),
            ("rotate-secret", {"json": {}}),
            ("replays", {"json": {"delivery_id": "dlv_none"}}),
        )
    ),
]
OPEN = {("GET", "/healthz"), ("GET", "/readyz"), ("GET", "/metrics")}


def name(value: object) -> str:
    return f"{value.method} {value.path}" if isinstance(value, Call) else str(value)


async def send(gateway: Gateway, wanted: Call, headers: dict[str, str]) -> Any:
    request = dict(wanted.request)
    request["headers"] = {**request.get("headers", {}), **headers}
    return await gateway.client.request(wanted.method, wanted.path, **request)


def test_the_table_names_every_route(shared: Gateway) -> None:
    served = {
        (method, route.path)
        for route in shared.app.routes
        if isinstance(route, APIRoute)
        for method in route.methods
    }

    assert served == {(each.method, each.route) for each in CALLS} | OPEN


@pytest.mark.parametrize("scope", list(Scope), ids=str)
@pytest.mark.parametrize("wanted", CALLS, ids=name)
async def test_a_key_opens_what_its_scope_opens_and_nothing_else(
    shared: Gateway, wanted: Call, scope: Scope
) -> None:
    headers = await shared.key(scope, origin=ORIGIN)

    reply = await send(shared, wanted, headers)

    if scope in wanted.scopes or scope is ADMIN:
        assert reply.status_code == wanted.allowed, reply.text
    else:
        refused(wanted, reply, 403, "forbidden")


def refused(wanted: Call, reply: Any, status: int, code: str) -> None:
    """Check a refusal, in the shape that the route has for errors."""
    if wanted.route.startswith(("/v1/chat/", "/v1/models")):
        told = {"unauthenticated": "invalid_api_key"}.get(code, code)
        assert (reply.status_code, reply.json()["error"]["code"]) == (status, told)
    else:
        problem(reply, status, code)


@pytest.mark.parametrize("wanted", CALLS, ids=name)
async def test_without_a_key_nothing_opens(shared: Gateway, wanted: Call) -> None:
    reply = await send(shared, wanted, {})

    refused(wanted, reply, 401, "unauthenticated")
    assert reply.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(("method", "path"), sorted(OPEN))
async def test_what_orchestrators_ask_needs_no_key(shared: Gateway, method: str, path: str) -> None:
    reply = await shared.client.request(method, path)

    assert reply.status_code == 200


async def test_malformed_unknown_and_revoked_keys_are_told_alike(shared: Gateway) -> None:
    good = await shared.key(Scope.ADMIN)
    token = good["Authorization"].removeprefix("Bearer ")
    revoked = await shared.key(Scope.ADMIN)
    await shared.revoke(revoked)
    flipped = token[:-1] + ("A" if token[-1] != "A" else "B")
    unknown = token.replace(token.split("_")[1], "z" * 26)
    attempts = [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": "Basic YTpi"},
        {"Authorization": token},
        bearer("mithridate_short"),
        bearer(token + "x"),
        bearer(flipped),
        bearer(unknown),
        revoked,
    ]

    replies = [await shared.client.get("/v1/origins", headers=headers) for headers in attempts]

    assert (await shared.client.get("/v1/origins", headers=good)).status_code == 200
    assert len({problem(reply, 401, "unauthenticated")["detail"] for reply in replies}) == 1
    assert all("mithridate_" not in reply.text for reply in replies)


async def test_a_submit_only_key_sees_its_own_origin_and_no_more(gateway: Gateway) -> None:
    mine = await gateway.writer()
    other = await gateway.writer(OriginRef(kind=OriginKind.UPLOADER, id="other"))
    own = await gateway.settled(mine, HOSTILE)
    foreign = await gateway.settled(other, "# Other\n\nSomebody else's page.")

    listed = (await gateway.client.get("/v1/documents", headers=mine)).json()["items"]
    asked = (
        await gateway.client.get("/v1/documents", params={"origin": "uploader:other"}, headers=mine)
    ).json()["items"]

    assert [item["id"] for item in listed] == [own]
    assert asked == []
    for method in ("GET", "DELETE"):
        reply = await gateway.client.request(method, f"/v1/documents/{foreign}", headers=mine)
        body = problem(reply, 404, "not-found")
        absent = await gateway.client.request(method, "/v1/documents/doc_none", headers=mine)
        assert body["detail"].replace(foreign, "") == absent.json()["detail"].replace(
            "doc_none", ""
        )


async def test_a_submit_only_key_sees_a_verdict_and_a_coarse_reason_alone(
    gateway: Gateway,
) -> None:
    headers = await gateway.writer()
    document_id = await gateway.settled(headers, HOSTILE)

    found = (await gateway.client.get(f"/v1/documents/{document_id}", headers=headers)).json()
    report = await gateway.client.get(f"/v1/documents/{document_id}/report", headers=headers)
    rule = await gateway.client.get(
        "/v1/documents", params={"rule": "injected-instructions"}, headers=headers
    )

    assert (found["verdict"], found["reason"]) == ("quarantine", "content")
    assert [found[hidden] for hidden in ("trust", "policy_version", "decided_by", "attempts")] == [
        None
    ] * 4
    problem(report, 403, "forbidden")
    problem(rule, 403, "forbidden")


async def test_a_reviewer_sees_trust_findings_and_the_queue_by_rule(gateway: Gateway) -> None:
    writer, reviewer = await gateway.writer(), await gateway.reviewer()
    document_id = await gateway.settled(writer, HOSTILE)
    await gateway.settled(writer, "# Lamps\n\nA lamp gives light.")
    path = f"/v1/documents/{document_id}/report"

    report = (await gateway.client.get(path, headers=reviewer)).json()
    rule = report["assessment"]["findings"][0]["rule"]
    queue = await gateway.client.get(
        "/v1/documents", params={"rule": rule, "status": "quarantined"}, headers=reviewer
    )

    assert report["document"]["trust"] is not None
    assert report["document"]["attempts"] == 1
    assert report["assessment"]["contributions"]
    assert [item["id"] for item in queue.json()["items"]] == [document_id]


async def test_another_tenant_sees_nothing(gateway: Gateway) -> None:
    document_id = await gateway.settled(await gateway.writer(), HOSTILE)
    stranger = await gateway.key(Scope.ADMIN, tenant_id=TenantId("elsewhere"))
    webhook = {"url": "https://hooks.example.com/a", "event_types": ["alert.firing"]}
    admin = await gateway.admin()
    added = (await gateway.client.post("/v1/webhooks", json=webhook, headers=admin)).json()["id"]
    asked = await gateway.client.post(
        "/v1/questions", json={"question": "What is a lamp?"}, headers=admin
    )

    for path in (
        f"/v1/documents/{document_id}",
        f"/v1/documents/{document_id}/report",
        f"/v1/questions/{asked.json()['id']}",
        f"/v1/webhooks/{added}/deliveries",
    ):
        problem(await gateway.client.get(path, headers=stranger), 404, "not-found")
    for path in ("/v1/documents", "/v1/questions", "/v1/webhooks", "/v1/origins"):
        assert (await gateway.client.get(path, headers=stranger)).json()["items"] == []
    removed = await gateway.client.delete(f"/v1/webhooks/{added}", headers=stranger)
    problem(removed, 404, "not-found")


async def test_a_key_without_an_origin_uploads_nothing_and_sees_nothing(gateway: Gateway) -> None:
    headers = await gateway.key(Scope.DOCUMENTS_WRITE)
    await gateway.upload(await gateway.writer())

    refused = await gateway.client.post("/v1/documents", content=b"A lamp.", headers=headers)
    listed = await gateway.client.get("/v1/documents", headers=headers)

    problem(refused, 403, "forbidden")
    assert listed.json() == {"items": [], "next_cursor": None}
