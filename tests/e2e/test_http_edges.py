"""What the real server does with bodies without end and keys that open nothing."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx
import pytest

from tests.e2e.stack import Stack

pytestmark = [pytest.mark.integration, pytest.mark.slow]

LIMIT = 20_000_000
PIECE = b"x" * 1_000_000
TEXT = {"Content-Type": "text/plain"}


def problem(reply: httpx.Response, status: int, code: str) -> None:
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["type"] == f"urn:mithridate:problem:{code}"
    assert reply.headers["x-request-id"].startswith("req_")


def test_a_declared_length_over_the_limit_is_refused_before_a_byte_is_sent(stack: Stack) -> None:
    address = urlsplit(stack.url)
    head = (
        f"POST /v1/documents HTTP/1.1\r\nHost: {address.netloc}\r\n"
        f"Authorization: {stack.client.headers['Authorization']}\r\n"
        f"Content-Type: text/plain\r\nContent-Length: {LIMIT * 100}\r\n\r\n"
    )

    with socket.create_connection((address.hostname, address.port), timeout=30) as connection:
        connection.sendall(head.encode())
        answer = b""
        while piece := connection.recv(65_536):
            answer += piece

    # Read to its end, so the server closed the connection rather than wait for the body.
    top, _, body = answer.partition(b"\r\n\r\n")
    assert top.startswith(b"HTTP/1.1 413 ")
    assert b"application/problem+json" in top
    assert json.loads(body)["type"] == "urn:mithridate:problem:document-too-large"


def test_a_body_of_unknown_length_is_read_no_further_than_the_limit(stack: Stack) -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(200):
            sent += len(PIECE)
            yield PIECE

    reply = stack.client.post("/v1/documents", content=endless(), headers=TEXT)

    problem(reply, 413, "document-too-large")
    assert sent < LIMIT * 3


def test_a_document_of_the_greatest_size_is_taken(stack: Stack) -> None:
    # Bytes that no parser takes: this is about the upload, not about a scan of 20 MB.
    greatest = b"\x89PNG\r\n\x1a\n" + bytes(LIMIT - 8)

    reply = stack.client.post(
        "/v1/documents", content=greatest, headers={"Content-Type": "image/png"}
    )

    assert reply.status_code == 202, reply.text
    assert stack.client.delete(reply.headers["location"]).status_code == 204


def test_a_bad_key_and_a_wrong_scope_are_refused(stack: Stack) -> None:
    asker = stack.key("questions:ask")
    bad = {"Authorization": asker["Authorization"][:-3] + "abc"}

    problem(stack.client.get("/v1/documents", headers=bad), 401, "unauthenticated")
    problem(stack.client.get("/v1/documents", headers=asker), 403, "forbidden")
    problem(
        stack.client.post("/v1/documents", content=b"x", headers={**TEXT, **asker}),
        403,
        "forbidden",
    )


def test_a_revoked_key_opens_nothing_from_then_on(stack: Stack) -> None:
    made = stack.cli("keys", "create", "--name", "short-lived", "--scope", "quarantine:review")
    header = {"Authorization": f"Bearer {made['token']}"}
    assert stack.client.get("/v1/documents", headers=header).status_code == 200

    stack.cli("keys", "revoke", made["id"])

    problem(stack.client.get("/v1/documents", headers=header), 401, "unauthenticated")
