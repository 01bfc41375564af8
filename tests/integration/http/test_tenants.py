"""Every operation of the API, asked with another tenant's key for what is there: it is not found."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import pytest
from fastapi.routing import APIRoute

from domain.access import Scope
from domain.documents import DEFAULT_TENANT, OriginKind, OriginRef, TenantId
from domain.scanning import Detector
from tests.http_services import HOSTILE, Gateway, open_gateway
from tests.integration.http.test_access import CALLS
from tests.integration.http.test_alerts import alert, register

pytestmark = pytest.mark.anyio

STRANGER: Final = TenantId("stranger")
OURS_ALONE: Final = frozenset({"/v1/models/{model}"})
"""The model's name is the product's own."""
SECRET: Final = "The zorblatt cellar opens at 7:40 on Fridays."


@dataclass(frozen=True, slots=True, kw_only=True)
class Two:
    """A tenant of which one of everything is there, and the key of an administrator of another."""

    gateway: Gateway
    owner: dict[str, str]
    stranger: dict[str, str]
    ids: Mapping[str, str]


@pytest.fixture(scope="module")
async def two(
    tmp_path_factory: pytest.TempPathFactory, detectors: Sequence[Detector], anyio_backend: str
) -> AsyncIterator[Two]:
    async with open_gateway(tmp_path_factory.mktemp("two"), detectors=detectors) as gateway:
        owner = await gateway.admin()
        origin = OriginRef(kind=OriginKind.UPLOADER, id="stranger")
        yield Two(
            gateway=gateway,
            owner=owner,
            stranger=await gateway.key(Scope.ADMIN, origin=origin, tenant_id=STRANGER),
            ids=await one_of_everything(gateway, owner),
        )


async def one_of_everything(gateway: Gateway, owner: dict[str, str]) -> dict[str, str]:
    """Return an id for each name of a path's parameter."""

    async def made(path: str, **body: object) -> Any:
        reply = await gateway.client.post(path, headers=owner, json=body)
        assert reply.is_success, reply.text
        return reply.json()

    reason = {"reason": "because"}
    held = await gateway.settled(await gateway.writer(), HOSTILE)
    lamp = await gateway.settled(await gateway.writer(), f"# Cellar\n\n{SECRET}\n")
    asked = await made("/v1/questions", question="When does the zorblatt cellar open on Fridays?")
    await made("/v1/origins", kind="connector", id="wiki")
    await made("/v1/origins", kind="publisher", id="press")
    public = "Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE="
    published = await made("/v1/publishers", publisher="press", public_key=public, **reason)
    await gateway.fire(alert(1))
    until = (gateway.world.clock.now() + timedelta(hours=1)).isoformat()
    silence = await made("/v1/silences", alert_id="alr_1", expires_at=until, **reason)
    incident = await made("/v1/incidents", documents=[lamp], **reason)
    topic = await made("/v1/topics", name="lamps", about=["lamp"], **reason)
    hook = await register(gateway, owner)
    report = await gateway.client.get(f"/v1/documents/{held}/report", headers=owner)
    finding = next(f for f in report.json()["assessment"]["findings"] if f["start"] is not None)
    suppression = await made(
        "/v1/suppressions",
        document_id=held,
        rule=finding["rule"],
        start=finding["start"],
        end=finding["end"],
        **reason,
    )
    return {
        "document_id": lamp,
        "question_id": asked["id"],
        "kind": "connector",
        "origin_id": "wiki",
        "publisher": "press",
        "key_id": published["id"],
        "alert_id": "alr_1",
        "silence_id": silence["id"],
        "incident_id": incident["incident"]["id"],
        "topic_id": topic["id"],
        "webhook_id": hook["id"],
        "suppression_id": suppression["id"],
    }


def operations(two: Two) -> list[tuple[str, str]]:
    return [
        (method, route.path)
        for route in two.gateway.app.routes
        if isinstance(route, APIRoute)
        for method in sorted(route.methods)
    ]


def request_of(method: str, path: str, ids: Mapping[str, str]) -> dict[str, Any]:
    """Return a valid request of the operation: as the table of scopes has it, with real ids."""
    (call,) = [each for each in CALLS if (each.method, each.route) == (method, path)]
    body = call.request.get("json")
    named = {"document_id", "question_id", "alert_id"} & set(body or {})
    replaced = {name: ids[name] for name in named}
    return {**call.request, "json": {**body, **replaced}} if body else dict(call.request)


async def ask(two: Two, method: str, path: str, headers: dict[str, str]) -> Any:
    request = request_of(method, path, two.ids)
    request["headers"] = {**request.get("headers", {}), **headers}
    return await two.gateway.client.request(method, path.format(**two.ids), **request)


async def actions(two: Two) -> list[str]:
    entries = await two.gateway.world.ledger.journal.entries(DEFAULT_TENANT, limit=999)
    return [entry.action for entry in entries]


async def test_no_operation_finds_what_is_another_tenants(two: Two) -> None:
    before = await actions(two)
    asked = [
        (method, path) for method, path in operations(two) if "{" in path and path not in OURS_ALONE
    ]

    found = {
        f"{method} {path}": (await ask(two, method, path, two.stranger)).status_code
        for method, path in asked
    }

    assert {name: status for name, status in found.items() if status != 404} == {}
    assert len(found) > 25
    assert await actions(two) == before


async def test_reading_it_with_the_owners_key_finds_it(two: Two) -> None:
    """Else the test above would pass on ids that are nobody's."""
    reads = [
        (method, path)
        for method, path in operations(two)
        if method == "GET" and "{" in path and path not in OURS_ALONE
    ]

    found = {path: (await ask(two, "GET", path, two.owner)).status_code for _, path in reads}

    assert {path: status for path, status in found.items() if status != 200} == {}


async def test_no_list_names_what_is_another_tenants(two: Two) -> None:
    lists = [
        path
        for method, path in operations(two)
        if method == "GET" and path.startswith("/v1/") and "{" not in path
    ]
    mine = set(two.ids.values()) - {"connector", "wiki", "press"}

    for path in lists:
        reply = await ask(two, "GET", path, two.stranger)
        assert reply.status_code == 200, path
        assert not [each for each in mine if each in reply.text], path
        assert "zorblatt" not in reply.text
        assert '"wiki"' not in reply.text


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/traces", {"question_id": "question_id"}),
        ("/v1/traces", {"alert_id": "alert_id"}),
        ("/v1/silences", {"alert_id": "alert_id"}),
        ("/v1/incidents", {"documents": ["document_id"]}),
        ("/v1/suppressions", {"document_id": "document_id"}),
    ],
    ids=str,
)
async def test_ids_in_bodies_of_another_tenant_are_told_like_unknown_ones(
    two: Two, path: str, body: dict[str, Any]
) -> None:
    whole = request_of("POST", path, two.ids).get("json", {})
    whole = {k: v for k, v in whole.items() if not k.endswith("_id") and k != "documents"}

    async def told(of: Mapping[str, str]) -> tuple[int, str]:
        named = {
            name: [of[each] for each in value] if isinstance(value, list) else of[value]
            for name, value in body.items()
        }
        reply = await two.gateway.client.post(path, headers=two.stranger, json={**whole, **named})
        text = reply.json()["detail"]
        for each in of.values():
            text = text.replace(each, "<id>")
        return reply.status_code, text

    unknown = {"document_id": "doc_none", "question_id": "q_none", "alert_id": "alr_none"}
    real = {name: two.ids[name] for name in unknown}

    assert await told(real) == await told(unknown)
    assert (await told(real))[0] in (404, 422)


@pytest.mark.parametrize("path", ["/v1/questions", "/v1/retrieve", "/v1/chat/completions"])
async def test_no_answer_is_made_from_another_tenants_documents(two: Two, path: str) -> None:
    text = "When does the zorblatt cellar open on Fridays?"
    body = (
        {"model": "m", "messages": [{"role": "user", "content": text}]}
        if path == "/v1/chat/completions"
        else {"question": text}
    )

    theirs = await two.gateway.client.post(path, headers=two.stranger, json=body)
    ours = await two.gateway.client.post(path, headers=two.owner, json=body)

    assert "7:40" in ours.text
    assert "7:40" not in theirs.text


async def test_bytes_and_keys_used_again_by_another_tenant_are_another_document(two: Two) -> None:
    headers = {"Content-Type": "text/markdown", "Idempotency-Key": "the-same"}

    replies = [
        await two.gateway.client.post(
            "/v1/documents", content=b"# Same\n\nThe same bytes.", headers={**headers, **caller}
        )
        for caller in (two.owner, two.stranger)
    ]

    assert [reply.json()["created"] for reply in replies] == [True, True]
    assert replies[0].json()["id"] != replies[1].json()["id"]
