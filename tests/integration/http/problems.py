"""What every error answer must be."""

from __future__ import annotations

from typing import Any

import httpx

MEDIA_TYPE = "application/problem+json"
PREFIX = "urn:mithridate:problem:"


def problem(reply: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """Check that the answer is this problem, in the documented shape; return its body."""
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == MEDIA_TYPE
    body: dict[str, Any] = reply.json()
    assert set(body) - {"fields"} == {"type", "title", "status", "detail"}
    assert body["type"] == PREFIX + code
    assert body["status"] == status
    assert isinstance(body["title"], str)
    assert isinstance(body["detail"], str)
    for field in body.get("fields", []):
        assert set(field) == {"location", "message"}
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert reply.headers["x-request-id"].startswith("req_")
    return body
