"""Refuses a body over the limit while it is being read, whatever its length claims."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.http.problems import problem_response

_SLACK: Final = 64 * 1024
"""Room for multipart boundaries and fields around a document of the greatest size."""


class BodyLimitMiddleware:
    """Answers 413 at once where the length is declared, and as soon as it is passed elsewhere."""

    def __init__(self, app: ASGIApp, *, max_bytes: int) -> None:
        self._app = app
        self._max_bytes = max_bytes + _SLACK
        self._detail = f"the body is larger than {max_bytes} bytes"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        declared = dict(scope["headers"]).get(b"content-length", b"")
        if declared.isdigit() and int(declared) > self._max_bytes:
            response = problem_response(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                "document-too-large",
                self._detail,
                headers={"Connection": "close"},
            )
            await response(scope, receive, send)
            return
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._max_bytes:
                # An HTTPException, since that is what FastAPI lets through its body parsing.
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, self._detail)
            return message

        await self._app(scope, counted, send)
