"""Every error is a problem, of the documented shape, and repeats nothing of what was sent."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import structlog

from domain.errors import ConfigurationError, PermanentError, TransientError
from domain.scanning import Detector
from tests.http_services import Gateway, open_broken_gateway
from tests.integration.http.problems import problem

pytestmark = pytest.mark.anyio

SECRET = "the vault opens with 0417"
JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    "path", ["/", "/v1", "/v1/documents/", "/v2/documents", "/v1/documents/a/b"]
)
async def test_an_unknown_path_is_a_problem_and_no_redirect(shared: Gateway, path: str) -> None:
    reply = await shared.client.get(path, headers={"Host": "evil.example.com"})

    problem(reply, 404, "not-found")


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("PUT", "/v1/documents", "GET, POST"),
        ("OPTIONS", "/v1/webhooks", "GET, POST"),
        ("PATCH", "/v1/documents/doc_1", "DELETE, GET"),
        ("DELETE", "/healthz", "GET"),
        ("BREW", "/v1/scans", "POST"),
        ("POST", "/openapi.json", "GET, HEAD"),
    ],
)
async def test_an_unknown_method_is_a_problem_that_names_the_known_ones(
    shared: Gateway, method: str, path: str, allow: str
) -> None:
    reply = await shared.client.request(method, path)

    problem(reply, 405, "method-not-allowed")
    assert reply.headers["allow"] == allow


BODIES = [
    pytest.param(b"", 422, id="no body"),
    pytest.param(b"{", 422, id="malformed"),
    pytest.param(b"null", 422, id="null"),
    pytest.param(b"[]", 422, id="list"),
    pytest.param(b'"text"', 422, id="string"),
    pytest.param(b"\xff\xfe\xfa", 400, id="not UTF-8"),
    pytest.param(b'{"question": "\xc3\x28"}', 400, id="not UTF-8 inside"),
    pytest.param(b'{"question": "\\ud800"}', 422, id="half a surrogate pair"),
    pytest.param(b'{"\\ud800": 1}', 422, id="half a surrogate pair in a name"),
    pytest.param(b'{"question": "a\\u0000b"}', 422, id="NUL"),
    pytest.param(b'{"question": "a\\u001b[2Jb"}', 422, id="terminal escape"),
    pytest.param(b'{"question": " \\n\\t "}', 422, id="blank"),
    pytest.param(b'{"question": "' + b"x" * 2001 + b'"}', 422, id="too long"),
    pytest.param(b'{"question": "x", "m": 1e400}', 422, id="infinite"),
    pytest.param(b'{"question": "x", "m": NaN}', 422, id="not a number"),
    pytest.param(b'{"question": "x", "m": ' + b"9" * 5000 + b"}", 400, id="5000 digits"),
    pytest.param(b'{"question": "x", "m": 99999999999999999999}', 422, id="over 64 bits"),
    pytest.param(b'{"question": "x", "m": "5"}', 422, id="number as text"),
    pytest.param(b'{"question": "x", "m": true}', 422, id="truth as a number"),
    pytest.param(b'{"question": "x", "min_trust": false}', 422, id="truth as a share"),
    pytest.param(b'{"question": "x", "m": 0}', 422, id="below the range"),
    pytest.param(b'{"question": "x", "k": 33}', 422, id="above the range"),
    pytest.param(b'{"question": ["x"]}', 422, id="list for text"),
    pytest.param(b'{"question": "x", "other": 1}', 422, id="unknown field"),
    pytest.param(b"[" * 30_000, 400, id="deeply nested"),
    pytest.param(b'{"question": ' + b"[" * 500 + b"]" * 500 + b"}", 422, id="nested 500 times"),
]


@pytest.mark.parametrize(("content", "status"), BODIES)
async def test_a_question_that_is_not_as_documented_is_a_problem(
    shared: Gateway, content: bytes, status: int
) -> None:
    headers = await shared.admin()

    reply = await shared.client.post("/v1/questions", content=content, headers={**JSON, **headers})

    problem(reply, status, "invalid-input" if status == 422 else "malformed-request")


async def test_a_question_may_have_lines_marks_and_any_script(shared: Gateway) -> None:
    headers = await shared.admin()

    for question in ("Wie lange?\n\tGenau?", "保証期間は。", "كم يوما؟ \u200f", "👩‍🔧?"):
        reply = await shared.client.post(
            "/v1/questions", json={"question": question}, headers=headers
        )
        assert reply.status_code == 200, reply.text
        assert reply.json()["question"] == question


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml", "multipart/form-data"])
async def test_a_json_route_takes_json_alone(shared: Gateway, content_type: str) -> None:
    headers = await shared.admin()

    reply = await shared.client.post(
        "/v1/questions",
        content=b'{"question": "x"}',
        headers={"Content-Type": content_type, **headers},
    )

    problem(reply, 415, "unsupported-media-type")


@pytest.mark.parametrize("path", ["/v1/documents", "/v1/questions", "/v1/alerts"])
@pytest.mark.parametrize(
    "params",
    [
        {"cursor": "garbage"},
        {"cursor": "é"},
        {"cursor": "W10"},
        {"cursor": "WzEsIlx1ZDgwMCJd"},  # [1,"\ud800"]
        {"cursor": "WzEsIlx1MDAwMCJd"},  # [1,"\u0000"]
        {"cursor": "WzFlNDAwLCJhIl0"},  # [1e400,"a"]
        {"cursor": "W1s" * 60},
        {"cursor": "a" * 201},
        {"limit": "0"},
        {"limit": "201"},
        {"limit": "-1"},
        {"limit": "ten"},
        {"limit": "9" * 5000},
        {"limit": "1e400"},
    ],
    ids=lambda params: str(params)[:40],
)
async def test_a_bad_cursor_or_limit_is_a_problem(
    shared: Gateway, path: str, params: dict[str, str]
) -> None:
    headers = await shared.admin()

    reply = await shared.client.get(path, params=params, headers=headers)

    problem(reply, 422, "invalid-input")


@pytest.mark.parametrize(
    ("path", "params"),
    [
        ("/v1/documents", {"status": "lost"}),
        ("/v1/documents", {"origin": "portal"}),
        ("/v1/documents", {"origin": "uploader:a\nb"}),
        ("/v1/documents", {"origin": "uploader:\x00"}),
        ("/v1/documents", {"origin": "thief:portal"}),
        ("/v1/documents", {"rule": "UPPER"}),
        ("/v1/documents", {"rule": "r" * 101}),
        ("/v1/questions", {"outcome": "maybe"}),
        ("/v1/alerts", {"status": "lost"}),
        ("/v1/documents/a%2Fb%00", {}),
        ("/v1/documents/%FF%FE", {}),
        ("/v1/questions/" + "q" * 65, {}),
        ("/v1/webhooks/a b/deliveries", {}),
    ],
)
async def test_a_bad_parameter_is_a_problem(
    shared: Gateway, path: str, params: dict[str, str]
) -> None:
    headers = await shared.admin()

    reply = await shared.client.get(path, params=params, headers=headers)

    assert reply.status_code in {404, 422}
    problem(reply, reply.status_code, reply.json()["type"].rpartition(":")[2])


def echoes(gateway: Gateway) -> list[dict[str, Any]]:
    """Requests that are refused, each with the secret in another place of it."""
    long = f"{SECRET} " * 100
    return [
        {"method": "POST", "url": "/v1/questions", "json": {"question": long}},
        {"method": "POST", "url": "/v1/questions", "json": {"question": "x", SECRET: 1}},
        {"method": "POST", "url": "/v1/questions", "json": {"question": {SECRET: SECRET}}},
        {"method": "POST", "url": "/v1/questions", "content": SECRET, "headers": JSON},
        {"method": "POST", "url": "/v1/origins", "json": {"kind": SECRET, "id": SECRET}},
        {
            "method": "POST",
            "url": "/v1/webhooks",
            "json": {"url": f"http://user:{SECRET}@localhost/{SECRET}", "event_types": [SECRET]},
        },
        {
            "method": "POST",
            "url": "/v1/webhooks",
            "json": {
                "url": "https://a.example/",
                "event_types": ["alert.firing"],
                "secret": SECRET,
            },
        },
        {
            "method": "POST",
            "url": "/v1/documents/doc_none/decisions",
            "json": {"action": SECRET, "reason": ""},
        },
        {"method": "GET", "url": "/v1/documents", "params": {"cursor": SECRET}},
        {"method": "GET", "url": "/v1/documents", "params": {"origin": SECRET, "rule": SECRET}},
        {
            "method": "POST",
            "url": "/v1/documents",
            "params": {"title": long},
            "content": SECRET,
            "headers": {"Content-Type": "text/plain"},
        },
        {
            "method": "POST",
            "url": "/v1/documents",
            "params": {"labels": SECRET},
            "content": SECRET,
            "headers": {"Content-Type": "text/plain"},
        },
        {
            "method": "POST",
            "url": "/v1/scans",
            "content": f"%PDF-1.7 {SECRET}",
            "headers": {"Content-Type": "application/pdf"},
        },
        {
            "method": "POST",
            "url": "/v1/documents",
            "content": SECRET,
            "headers": {"Content-Type": SECRET},
        },
    ]


async def test_no_problem_and_no_log_line_repeats_what_was_sent(
    gateway: Gateway, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    headers = await gateway.admin()
    token = headers["Authorization"].removeprefix("Bearer ")

    for request in echoes(gateway):
        request["headers"] = {**request.get("headers", {}), **headers}
        reply = await gateway.client.request(**request)

        problem(reply, reply.status_code, reply.json()["type"].rpartition(":")[2])
        for hidden in (SECRET, "0417", token):
            assert hidden not in reply.text, request
    # The client of this test logs what it sends.
    lines = [record.getMessage() for record in caplog.records if record.name != "httpx"]
    logged = capsys.readouterr().out + "\n".join(lines)
    assert "request_answered" in logged
    assert "0417" not in logged
    assert token not in logged


async def test_an_unforeseen_error_is_a_problem_that_says_nothing_of_itself(
    tmp_path: Path, detectors: Sequence[Detector]
) -> None:
    with structlog.testing.capture_logs() as logged:
        async with open_broken_gateway(
            tmp_path, RuntimeError(SECRET), detectors=detectors
        ) as gateway:
            headers = await gateway.admin()
            reply = await gateway.client.post(
                "/v1/questions", json={"question": "x"}, headers=headers
            )
            metrics = (await gateway.client.get("/metrics")).text

    body = problem(reply, 500, "internal")
    assert body["detail"] == "an unexpected error was logged"
    assert reply.headers["cache-control"] == "no-store"
    line = next(line for line in logged if line["event"] == "unexpected_error")
    assert (line["error"], line["route"]) == ("RuntimeError", "/v1/questions")
    assert any("http_services.py" in frame for frame in line["frames"])
    assert "0417" not in json.dumps(logged)
    assert 'route="/v1/questions",status="500"' in metrics


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (TransientError("model did not answer"), 503, "dependency-unavailable"),
        (PermanentError("model refused"), 502, "dependency-rejected"),
        (ConfigurationError("artefact is gone"), 500, "configuration"),
    ],
)
async def test_what_a_dependency_does_is_a_problem_by_who_can_act(
    tmp_path: Path, detectors: Sequence[Detector], error: Exception, status: int, code: str
) -> None:
    async with open_broken_gateway(tmp_path, error, detectors=detectors) as gateway:
        headers = await gateway.admin()

        reply = await gateway.client.post("/v1/questions", json={"question": "x"}, headers=headers)

    problem(reply, status, code)
    assert ("retry-after" in reply.headers) == (status == 503)
