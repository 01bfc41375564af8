from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from domain import errors
from gateway.cli.client import GatewayClient
from gateway.http.events import StageModel
from gateway.http.models_questions import AnswerModel

Handler = Callable[[httpx.Request], httpx.Response]


def client_of(handler: Handler) -> GatewayClient:
    transport = httpx.MockTransport(handler)
    return GatewayClient(httpx.Client(base_url="http://gateway", transport=transport))


def problem(status: int, detail: str = "because", **more: object) -> httpx.Response:
    body = {"type": "urn:x", "title": "T", "status": status, "detail": detail, **more}
    return httpx.Response(status, json=body, headers={"Retry-After": "7"})


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, errors.InputError),
        (401, errors.UnauthenticatedError),
        (403, errors.ForbiddenError),
        (404, errors.NotFoundError),
        (409, errors.ConflictError),
        (413, errors.DocumentTooLargeError),
        (415, errors.UnsupportedMediaTypeError),
        (418, errors.InputError),
        (422, errors.InputError),
        (429, errors.RateLimitedError),
        (500, errors.PermanentError),
        (502, errors.PermanentError),
        (503, errors.TransientError),
    ],
)
def test_a_problem_becomes_the_error_it_tells_of(
    status: int, kind: type[errors.MithridateError]
) -> None:
    client = client_of(lambda _: problem(status))

    with pytest.raises(kind, match="because") as raised:
        client.document("doc_1")

    assert type(raised.value) is kind


def test_a_rate_limit_says_when_again() -> None:
    client = client_of(lambda _: problem(429))

    with pytest.raises(errors.RateLimitedError) as raised:
        client.ask("why", m=None, k=None)

    assert raised.value.retry_after_seconds == 7


def test_wrong_fields_are_named() -> None:
    fields = [{"location": ["body", "m"], "message": "too large"}]
    client = client_of(lambda _: problem(422, "not valid", fields=fields))

    with pytest.raises(errors.InputError, match=r"not valid \(m: too large\)"):
        client.ask("why", m=99, k=None)


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b'{"detail": 1, "fields": 3}', b'{"fields": []}', b"null"]
)
def test_an_error_that_is_no_problem_is_told_by_its_status(body: bytes) -> None:
    client = client_of(lambda _: httpx.Response(500, content=body))

    with pytest.raises(errors.PermanentError):
        client.alerts()


@pytest.mark.parametrize("body", [b"", b"<html>hello</html>", b"[]", b'{"items": 3}'])
def test_an_answer_of_another_service_is_no_gateway(body: bytes) -> None:
    client = client_of(lambda _: httpx.Response(200, content=body))

    with pytest.raises(errors.PermanentError, match="does not answer as a gateway"):
        client.alerts()


@pytest.mark.parametrize(
    "failure", [httpx.ConnectError("no"), httpx.ReadTimeout("slow"), httpx.ReadError("cut")]
)
def test_no_answer_is_transient(failure: httpx.TransportError) -> None:
    def fail(_: httpx.Request) -> httpx.Response:
        raise failure

    with pytest.raises(errors.TransientError):
        client_of(fail).webhooks()


def test_ids_stay_one_segment_of_the_path() -> None:
    seen: list[bytes] = []

    def keep(request: httpx.Request) -> httpx.Response:
        seen.append(request.url.raw_path)
        return problem(404)

    with pytest.raises(errors.NotFoundError):
        client_of(keep).document("../webhooks?x=1")

    assert seen == [b"/v1/documents/..%2Fwebhooks%3Fx%3D1"]


def test_an_upload_carries_name_labels_and_source(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text("# hello", encoding="utf-8")
    seen: list[str] = []

    def take(request: httpx.Request) -> httpx.Response:
        seen.append(request.read().decode())
        return httpx.Response(202, json={"id": "doc_1", "status": "received", "created": True})

    receipt = client_of(take).upload(file, source_uri="https://x/y", labels={"a": "b"})

    assert receipt.id == "doc_1"
    for part in ('filename="page.md"', "# hello", json.dumps({"a": "b"}), "https://x/y"):
        assert part in seen[0]


ANSWER: dict[str, object] = {
    "id": "q_1",
    "question": "why",
    "outcome": "abstain",
    "reason": "not-in-documents",
    "warnings": [],
    "answer": None,
    "confidence": 0.0,
    "sources": [],
    "agreement": 1.0,
    "entropy": 0.0,
    "timings": {},
}
STAGE = 'event: stage\ndata: {"stage": "draft", "seconds": 0.5, "counts": {"usable": 2}}\n\n'


def streaming(text: str) -> GatewayClient:
    def handle(request: httpx.Request) -> httpx.Response:
        assert request.headers["accept"] == "text/event-stream"
        return httpx.Response(200, text=text, headers={"Content-Type": "text/event-stream"})

    return client_of(handle)


def test_a_stream_is_read_event_by_event() -> None:
    text = f": heartbeat\n\n{STAGE}event: answer\ndata: {json.dumps(ANSWER)}\n\n"

    stage, answer = streaming(text).follow("why")

    assert isinstance(stage, StageModel)
    assert (stage.stage, stage.counts) == ("draft", {"usable": 2})
    assert isinstance(answer, AnswerModel)
    assert answer.id == "q_1"


def test_an_error_in_a_stream_is_the_error_it_tells_of() -> None:
    told = {"type": "urn:x", "title": "T", "status": 503, "detail": "no index"}

    with pytest.raises(errors.TransientError, match="no index"):
        list(streaming(f"{STAGE}event: error\ndata: {json.dumps(told)}\n\n").follow("why"))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (STAGE, errors.TransientError),
        ("", errors.TransientError),
        ("event: answer\ndata: {}\n\n", errors.PermanentError),
        ("event: news\ndata: nothing\n\n", errors.PermanentError),
    ],
)
def test_a_stream_that_is_none_of_ours_is_an_error(
    text: str, kind: type[errors.MithridateError]
) -> None:
    with pytest.raises(kind):
        list(streaming(text).follow("why"))


def test_a_stream_that_is_refused_is_the_problem_it_tells_of() -> None:
    with pytest.raises(errors.ForbiddenError, match="because"):
        list(client_of(lambda _: problem(403)).follow("why"))
