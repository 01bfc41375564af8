"""Uploading: what is taken, what is refused, and what is the same upload again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from backends.memory.ledger import InMemoryLedger
from backends.memory.ledger_documents import InMemoryOutbox
from domain.documents import OriginKind, OriginRef
from domain.errors import TransientError
from domain.jobs import OutboxEntry
from runtime.outbox import OutboxRelay
from tests.http_services import Gateway
from tests.integration.http.problems import problem

pytestmark = pytest.mark.anyio

TEXT = {"Content-Type": "text/plain"}
RIGHT_TO_LEFT = "\u202e"


def form(**fields: str) -> dict[str, Any]:
    """A form with a file, its `fields` sent in the way of text fields."""
    parts: list[tuple[str, Any]] = [("file", ("page.md", b"# Page", "text/markdown"))]
    parts += [(name, (None, value)) for name, value in fields.items()]
    return {"files": parts}


async def test_an_upload_says_where_its_verdict_will_be_and_queues_it_once(
    gateway: Gateway,
) -> None:
    headers = await gateway.writer()

    reply = await gateway.client.post(
        "/v1/documents", content=b"A lamp.", headers={**TEXT, **headers}
    )

    body = reply.json()
    assert reply.status_code == 202
    assert reply.headers["location"] == f"/v1/documents/{body['id']}"
    assert (body["status"], body["created"]) == ("received", True)
    assert gateway.queue.jobs == [("documents.ingest", body["id"])]
    assert (await gateway.client.get(reply.headers["location"], headers=headers)).status_code == 200


async def test_a_raw_body_and_a_form_carry_the_same_metadata(gateway: Gateway) -> None:
    headers = await gateway.writer()
    said = {
        "title": "Returns, 2026 — “how to”",
        "source_uri": "https://example.com/returns",
        "labels": json.dumps({"team": "support", "sprache": "Grüße"}),
    }

    raw = await gateway.client.post(
        "/v1/documents",
        content=b"# Raw",
        params={**said, "file_name": "C:\\docs\\returns.md"},
        headers={"Content-Type": "text/markdown; charset=utf-8", **headers},
    )
    multipart = await gateway.client.post(
        "/v1/documents",
        files=[
            ("file", ("../up/returns.md", b"# Form", "text/markdown")),
            *((name, (None, value)) for name, value in said.items()),
        ],
        headers=headers,
    )

    for reply in (raw, multipart):
        found = (await gateway.client.get(reply.headers["location"], headers=headers)).json()
        assert found["title"] == said["title"]
        assert found["source_uri"] == said["source_uri"]
        assert found["labels"] == json.loads(said["labels"])
        assert found["file_name"] == "returns.md"
        assert found["media_type"] == "text/markdown"
        assert found["origin"] == {"kind": "uploader", "id": "portal"}


async def test_metadata_never_sets_the_origin(gateway: Gateway) -> None:
    headers = await gateway.writer()

    receipt = await gateway.upload(
        headers,
        "# Page",
        origin="publisher:press",
        labels=json.dumps({"origin": "publisher:press", "established": "true"}),
        source_uri="https://press.example.com/",
    )

    found = await gateway.client.get(f"/v1/documents/{receipt['id']}", headers=headers)
    assert found.json()["origin"] == {"kind": "uploader", "id": "portal"}


async def test_the_same_bytes_are_one_document_for_each_origin(gateway: Gateway) -> None:
    mine = await gateway.writer()
    other = await gateway.writer(OriginRef(kind=OriginKind.PUBLISHER, id="press"))

    first = await gateway.upload(mine, "# Same")
    again = await gateway.upload(mine, "# Same", title="said otherwise")
    elsewhere = await gateway.upload(other, "# Same")

    assert (again["id"], again["created"]) == (first["id"], False)
    assert elsewhere["created"]
    assert elsewhere["id"] != first["id"]
    assert len(gateway.queue.jobs) == 2


async def test_a_broker_that_is_down_takes_nothing_from_an_upload(gateway: Gateway) -> None:
    headers = await gateway.writer()
    gateway.queue.down = True

    receipt = await gateway.upload(headers)

    pending = await gateway.world.ledger.outbox.pending(limit=10)
    assert [entry.subject_id for entry in pending] == [receipt["id"]]
    assert gateway.queue.jobs == []
    gateway.queue.down = False
    await gateway.services.relay.publish_pending()
    assert gateway.queue.jobs == [("documents.ingest", receipt["id"])]


async def test_uploads_side_by_side_queue_every_document_once(gateway: Gateway) -> None:
    headers = await gateway.writer()

    receipts = await asyncio.gather(
        *(gateway.upload(headers, f"# Page {number}") for number in range(20))
    )

    assert sorted(gateway.queue.jobs) == sorted(
        ("documents.ingest", receipt["id"]) for receipt in receipts
    )


MANY = json.dumps({f"label-{number}": "x" for number in range(33)})

BAD_FIELDS = [
    pytest.param({"title": "a\x00b"}, id="NUL in the title"),
    pytest.param({"title": "a\x1b[31mb"}, id="terminal escape in the title"),
    pytest.param({"title": "a\x85b"}, id="C1 control in the title"),
    pytest.param({"title": "t" * 501}, id="title too long"),
    pytest.param({"title": " \n"}, id="title of a line's end"),
    pytest.param({"source_uri": "https://example.com/\r\nX: y"}, id="line ends in the URI"),
    pytest.param({"source_uri": "u" * 2001}, id="URI too long"),
    pytest.param({"labels": "not json"}, id="labels no JSON"),
    pytest.param({"labels": "[]"}, id="labels no object"),
    pytest.param({"labels": '"text"'}, id="labels a string"),
    pytest.param({"labels": '{"a": 1}'}, id="label no string"),
    pytest.param({"labels": '{"a": {"b": "c"}}'}, id="label nested"),
    pytest.param({"labels": '{"a": NaN}'}, id="label not a number"),
    pytest.param({"labels": '{"a": ' + "9" * 5000 + "}"}, id="label endless number"),
    pytest.param({"labels": "[" * 9000}, id="labels deeply nested"),
    pytest.param({"labels": MANY}, id="33 labels"),
    pytest.param({"labels": json.dumps({"k" * 201: "v"})}, id="label's name too long"),
    pytest.param({"labels": json.dumps({"k": "v" * 201})}, id="label too long"),
    pytest.param({"labels": json.dumps({" ": "v"})}, id="label's name blank"),
    pytest.param({"labels": '{"a": "\\u0000"}'}, id="NUL in a label"),
    pytest.param({"labels": '{"a\\u0007": "b"}'}, id="bell in a label's name"),
    pytest.param({"labels": '{"a": "\\ud800"}'}, id="half a surrogate pair in a label"),
]


@pytest.mark.parametrize("fields", BAD_FIELDS)
async def test_a_bad_field_is_refused_in_a_form_and_beside_a_raw_body(
    shared: Gateway, fields: dict[str, str]
) -> None:
    headers = await shared.writer()

    in_form = await shared.client.post("/v1/documents", headers=headers, **form(**fields))
    beside = await shared.client.post(
        "/v1/documents", content=b"# Page", params=fields, headers={**TEXT, **headers}
    )

    for reply in (in_form, beside):
        body = problem(reply, 422, "invalid-input")
        assert len(body["detail"]) < 200


async def test_what_is_said_beside_a_form_is_read_too_and_what_it_says_itself_goes_first(
    shared: Gateway,
) -> None:
    headers = await shared.writer()
    beside = {"title": "beside", "source_uri": "https://example.com/", "labels": '{"a": "b"}'}

    reply = await shared.client.post(
        "/v1/documents", params=beside, headers=headers, **form(title="within")
    )
    bad = await shared.client.post(
        "/v1/documents", params={"labels": "7"}, headers=headers, **form(title="within")
    )

    found = (await shared.client.get(reply.headers["location"], headers=headers)).json()
    assert (found["title"], found["source_uri"]) == ("within", "https://example.com/")
    assert (found["labels"], found["file_name"]) == ({"a": "b"}, "page.md")
    problem(bad, 422, "invalid-input")


async def test_thirty_two_labels_and_invisible_marks_are_taken(shared: Gateway) -> None:
    headers = await shared.writer()
    labels = {f"label-{number}": "x" * 200 for number in range(32)}

    reply = await shared.client.post(
        "/v1/documents",
        headers=headers,
        **form(labels=json.dumps(labels), title=f"{RIGHT_TO_LEFT}txt.exe"),
    )

    assert reply.status_code == 202, reply.text


@pytest.mark.parametrize(
    ("files", "status", "code"),
    [
        pytest.param([("title", (None, "t"))], 422, "invalid-input", id="no file"),
        pytest.param([("file", (None, "text"))], 422, "invalid-input", id="file a text field"),
        pytest.param([("file", ("a", b"", "text/plain"))], 422, "invalid-input", id="empty file"),
        pytest.param(
            [("file", ("a", b"x", "text/plain")), ("title", ("t", b"x", "text/plain"))],
            400,
            "malformed-request",
            id="title a file",
        ),
        pytest.param(
            [("file", ("a", b"x", "text/plain")), ("file", ("b", b"y", "text/plain"))],
            400,
            "malformed-request",
            id="two files",
        ),
        pytest.param(
            [("file", ("a", b"x", "text/plain")), ("owner", (None, "me"))],
            422,
            "invalid-input",
            id="unknown field",
        ),
        pytest.param(
            [("file", ("a", b"x", "text/plain")), *[("title", (None, "t"))] * 9],
            400,
            "malformed-request",
            id="too many fields",
        ),
        pytest.param(
            [("file", ("a", b"x", "no type"))], 415, "unsupported-media-type", id="bad type"
        ),
    ],
)
async def test_a_form_that_is_not_as_documented_is_refused(
    shared: Gateway, files: Any, status: int, code: str
) -> None:
    headers = await shared.writer()

    reply = await shared.client.post("/v1/documents", files=files, headers=headers)

    problem(reply, status, code)


PART = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n--b--\r\n'


@pytest.mark.parametrize(
    ("content", "content_type", "status"),
    [
        pytest.param(b"x", "multipart/form-data", 400, id="no boundary"),
        pytest.param(b"x", "multipart/form-data; boundary=b", 400, id="no part"),
        pytest.param(
            PART[:60], "multipart/form-data; boundary=b", 422, id="broken off in the head"
        ),
        pytest.param(PART.replace(b'name="file"; ', b""), "multipart/form-data; boundary=b", 400),
        pytest.param(PART.replace(b"\r\n", b"\n"), "multipart/form-data; boundary=b", 400),
        pytest.param(b"", "multipart/form-data; boundary=b", 422, id="no body"),
        pytest.param(
            PART.replace(b'filename="a"', b'filename="\xc3\x28"'),
            "multipart/form-data; boundary=b",
            202,
            id="file name not UTF-8",
        ),
        *(
            pytest.param(
                PART.replace(b'"a"', b'"a\xff-"'),
                f"multipart/form-data; boundary=b; charset={charset}",
                (202, 400, 422),
                id=f"charset {charset}",
            )
            for charset in ("idna", "punycode", "hex", "undefined", "utf-16", "no-such", "utf-7")
        ),
    ],
)
async def test_a_malformed_form_is_refused_and_breaks_nothing(
    shared: Gateway, content: bytes, content_type: str, status: int | tuple[int, ...]
) -> None:
    headers = await shared.writer()

    reply = await shared.client.post(
        "/v1/documents", content=content, headers={"Content-Type": content_type, **headers}
    )

    assert reply.status_code in (status if isinstance(status, tuple) else (status,)), reply.text
    if reply.status_code != 202:
        problem(reply, reply.status_code, reply.json()["type"].rpartition(":")[2])


# Starlette leaves the file of an unfinished part to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
async def test_a_form_broken_off_in_its_file_is_no_shorter_document(shared: Gateway) -> None:
    headers = {"Content-Type": "multipart/form-data; boundary=b", **await shared.writer()}

    reply = await shared.client.post("/v1/documents", content=PART[:-8], headers=headers)

    problem(reply, 422, "invalid-input")


@pytest.mark.parametrize(
    "content_type",
    [None, "", "text", "text/", "/plain", "a b/c", "application/x-www-form-urlencoded"],
)
async def test_a_body_without_a_media_type_is_refused(
    shared: Gateway, content_type: str | None
) -> None:
    headers = await shared.writer()
    if content_type is not None:
        headers["Content-Type"] = content_type

    reply = await shared.client.post("/v1/documents", content=b"x", headers=headers)

    problem(reply, 415, "unsupported-media-type")


async def test_an_empty_body_is_refused(shared: Gateway) -> None:
    headers = await shared.writer()

    reply = await shared.client.post("/v1/documents", content=b"", headers={**TEXT, **headers})

    problem(reply, 422, "invalid-input")


async def test_what_no_parser_takes_waits_in_quarantine(gateway: Gateway) -> None:
    headers = await gateway.writer()
    reply = await gateway.client.post(
        "/v1/documents",
        content=b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(64),
        headers={"Content-Type": "image/png", **headers},
    )

    record = await gateway.settle(reply.json()["id"])

    assert (record.status.value, record.reason) == ("quarantined", "unreadable")


class UnreadableOutbox(InMemoryOutbox):
    """An outbox whose database stopped to answer."""

    async def pending(self, *, limit: int) -> Sequence[OutboxEntry]:
        raise TransientError("the database did not answer")


async def test_an_upload_is_not_lost_when_the_outbox_cannot_be_read(gateway: Gateway) -> None:
    headers = await gateway.writer()
    ledger = gateway.world.ledger
    assert isinstance(ledger, InMemoryLedger)
    relay = OutboxRelay(
        outbox=UnreadableOutbox(ledger.documents),
        documents=ledger.documents,
        queue=gateway.queue,
        clock=gateway.world.clock,
    )
    gateway.app.state.services = replace(gateway.services, relay=relay)

    receipt = await gateway.upload(headers)

    assert [e.subject_id for e in await ledger.outbox.pending(limit=9)] == [receipt["id"]]
