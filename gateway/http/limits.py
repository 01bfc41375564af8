"""Refuses a body over the limit while it is being read, whatever its length claims."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.http.problems import problem_response

MAX_JSON_BYTES: Final = 64 * 1024
"""Of every body that is no document: parsed, JSON takes many times its own size."""

_SLACK: Final = 64 * 1024
"""Room for multipart boundaries and fields around a document of the greatest size."""
_UPLOADS: Final = frozenset({"/v1/documents", "/v1/scans"})
_LONGEST_LENGTH: Final = 18
"""Digits; a length with more of them is over any limit, and costly to read as a number."""
_CLOSE: Final = {"Connection": "close"}
"""The rest of the body is not read, so nothing else can come over this connection."""


class BodyLimitMiddleware:
    """Answers 413 at once where the length is declared, and as soon as it is passed elsewhere."""

    def __init__(self, app: ASGIApp, *, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        upload = scope["path"] in _UPLOADS
        told = self._max_bytes if upload else min(self._max_bytes, MAX_JSON_BYTES)
        limit = told + _SLACK if upload else told
        detail = f"the body is larger than {told} bytes"
        if _declared(scope) > limit:
            response = problem_response(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "document-too-large", detail, headers=_CLOSE
            )
            await response(scope, receive, send)
            return
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > limit:
                # An HTTPException, since that is what FastAPI lets through its body parsing.
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, detail, headers=_CLOSE)
            return message

        await self._app(scope, counted, send)


def _declared(scope: Scope) -> int:
    """Return the declared length; 0 where there is none, or it is no number."""
    text: bytes = dict(scope["headers"]).get(b"content-length", b"")
    if not text.isdigit():
        return 0
    return int(text[:_LONGEST_LENGTH]) if len(text) <= _LONGEST_LENGTH else 10**_LONGEST_LENGTH
