"""What orchestrators and Prometheus read, and what every answer carries."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
import structlog
from prometheus_client.parser import text_string_to_metric_families

from domain.errors import TransientError
from domain.scanning import Detector
from tests.http_services import HOSTILE, Gateway, open_broken_gateway

pytestmark = pytest.mark.anyio

HEADERS = {
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}


async def test_every_answer_carries_an_id_and_the_security_headers(shared: Gateway) -> None:
    admin = await shared.admin()
    calls = [
        ("GET", "/healthz", {}),
        ("GET", "/openapi.json", {}),
        ("GET", "/nowhere", {}),
        ("PUT", "/healthz", {}),
        ("GET", "/v1/origins", {}),
        ("GET", "/v1/origins", admin),
        ("DELETE", "/v1/webhooks/wh_none", admin),
        ("POST", "/v1/questions", {**admin, "Content-Length": "9999999"}),
    ]

    replies = [
        await shared.client.request(method, path, headers=headers)
        for method, path, headers in calls
    ]

    assert [reply.status_code for reply in replies] == [200, 200, 404, 405, 401, 200, 404, 413]
    for reply in replies:
        assert HEADERS.items() <= dict(reply.headers).items()
    ids = {reply.headers["x-request-id"] for reply in replies}
    assert len(ids) == len(replies)


async def test_a_request_id_is_ours_and_never_the_callers(shared: Gateway) -> None:
    reply = await shared.client.get("/healthz", headers={"X-Request-Id": "forged"})

    assert reply.headers["x-request-id"].startswith("req_")


async def test_a_log_line_of_a_request_names_caller_and_route_by_id(shared: Gateway) -> None:
    admin = await shared.admin()
    with structlog.testing.capture_logs(
        processors=[structlog.contextvars.merge_contextvars]
    ) as lines:
        reply = await shared.client.get("/v1/documents/doc_none", headers=admin)

    (line,) = [line for line in lines if line["event"] == "request_answered"]
    assert line["request"] == reply.headers["x-request-id"]
    assert line["route"] == "/v1/documents/{document_id}"
    assert line["key"].startswith("key_")
    assert (line["tenant"], line["status"]) == ("default", 404)


async def test_readiness_names_each_dependency(gateway: Gateway) -> None:
    reply = await gateway.client.get("/readyz")

    body = reply.json()
    assert (reply.status_code, body["ready"]) == (200, True)
    assert set(body["dependencies"]) == {
        "database",
        "broker",
        "index",
        "embedder",
        "calibration",
    }


async def test_a_broker_that_is_down_is_named_and_the_gateway_not_ready(gateway: Gateway) -> None:
    gateway.queue.down = True

    down = await gateway.client.get("/readyz")
    alive = await gateway.client.get("/healthz")
    gateway.queue.down = False
    up = await gateway.client.get("/readyz")

    assert (down.status_code, down.json()["ready"]) == (503, False)
    assert down.json()["dependencies"]["broker"] == "dependency-unavailable"
    assert down.json()["dependencies"]["database"] == "ok"
    assert (alive.status_code, up.status_code) == (200, 200)


@pytest.mark.parametrize("error", [RuntimeError("of a library"), OSError(5, "secret"), KeyError()])
async def test_a_dependency_that_raises_an_error_of_its_own_has_failed_its_check(
    tmp_path: Path, detectors: Sequence[Detector], error: Exception
) -> None:
    async with open_broken_gateway(tmp_path, error, detectors=detectors) as gateway:
        reply = await gateway.client.get("/readyz")

    assert reply.status_code == 503
    assert reply.json()["dependencies"]["embedder"] == "failed"
    assert "secret" not in reply.text


async def test_an_embedder_that_is_down_is_named(
    tmp_path: Path, detectors: Sequence[Detector]
) -> None:
    async with open_broken_gateway(
        tmp_path, TransientError("no answer"), detectors=detectors
    ) as gateway:
        reply = await gateway.client.get("/readyz")

    assert reply.status_code == 503
    assert reply.json()["dependencies"]["embedder"] == "dependency-unavailable"


async def test_metrics_parse_and_count_what_happened(gateway: Gateway) -> None:
    admin = await gateway.admin()
    await gateway.settled(admin, HOSTILE)
    await gateway.client.post("/v1/questions", json={"question": "What?"}, headers=admin)

    families = {
        family.name: family
        for family in text_string_to_metric_families((await gateway.client.get("/metrics")).text)
    }

    statuses = {s.labels["status"]: s.value for s in families["mithridate_documents"].samples}
    assert statuses["quarantined"] == 1
    assert statuses["admitted"] == 0
    asked = families["mithridate_questions"].samples
    assert {s.labels["outcome"] for s in asked} == {"abstain"}
    requests = families["mithridate_http_requests"].samples
    assert ("/v1/documents", "202") in {(s.labels["route"], s.labels["status"]) for s in requests}


async def test_metrics_hold_no_label_that_a_caller_can_multiply(gateway: Gateway) -> None:
    admin = await gateway.admin()
    for number in range(20):
        await gateway.client.get(f"/nowhere/{number}")
        await gateway.client.get(f"/v1/documents/doc_{number}", headers=admin)
        await gateway.client.request(f"BREW{number}", "/v1/documents", headers=admin)
        await gateway.client.get(f"/v1/questions/q{number}?n={number}", headers=admin)

    text = (await gateway.client.get("/metrics")).text

    series = {
        (sample.name, tuple(sorted(sample.labels.items())))
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == "mithridate_http_requests_total"
    }
    assert {dict(labels)["route"] for _, labels in series} == {
        "unmatched",
        "/v1/documents",
        "/v1/documents/{document_id}",
        "/v1/questions/{question_id}",
    }
    assert {dict(labels)["method"] for _, labels in series} == {"GET", "other"}
    assert len(series) <= 5


async def test_the_openapi_document_is_served_as_committed(shared: Gateway) -> None:
    reply = await shared.client.get("/openapi.json")

    assert reply.status_code == 200
    assert reply.json() == shared.app.openapi()
