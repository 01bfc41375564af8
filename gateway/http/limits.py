"""Refuses a body over the limit, or one that does not arrive, while it is being read."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
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
LINGER_BYTES: Final = 16_000_000
_LINGER_SECONDS: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How long a body may take: `seconds`, and more only while it keeps up the rate."""

    seconds: float = 60.0
    bytes_per_second: int = 16_384

    def allowed(self, seen: int) -> float:
        """Return for how many seconds a body of which so much is here may have been under way."""
        return max(self.seconds, seen / self.bytes_per_second)


class BodyLimitMiddleware:
    """Answers 413 at once where the length is declared, and as soon as it is passed elsewhere."""

    def __init__(self, app: ASGIApp, *, max_bytes: int, pace: Pace | None = None) -> None:
        self._app = app
        self._max_bytes = max_bytes
        self._pace = pace or Pace()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        upload = scope["path"] in _UPLOADS
        told = self._max_bytes if upload else min(self._max_bytes, MAX_JSON_BYTES)
        body = _Body(
            source=receive,
            sink=send,
            pace=self._pace,
            limit=told + _SLACK if upload else told,
            detail=f"the body is larger than {told} bytes",
        )
        if _declared(scope) > body.limit:
            response = problem_response(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                "document-too-large",
                body.detail,
                headers=_CLOSE,
            )
            await response(scope, body.receive, body.send)
            return
        await self._app(scope, body.receive, body.send)


@dataclass(slots=True, kw_only=True)
class _Body:
    """One request's body as it arrives, and the answer to it as it leaves."""

    source: Receive
    sink: Send
    pace: Pace
    limit: int
    detail: str
    seen: int = 0
    whole: bool = False
    closing: bool = False
    began: float = field(default_factory=time.monotonic)

    async def receive(self) -> Message:
        if self.whole:
            return await self.source()
        try:
            left = self.began + self.pace.allowed(self.seen) - time.monotonic()
            message = await asyncio.wait_for(self.source(), max(0.001, left))
        except TimeoutError as exc:
            # An HTTPException, since that is what FastAPI lets through its body parsing.
            raise HTTPException(
                HTTPStatus.REQUEST_TIMEOUT, "the body did not arrive in time", headers=_CLOSE
            ) from exc
        self._count(message)
        if self.seen > self.limit:
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, self.detail, headers=_CLOSE)
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.closing = (b"connection", b"close") in message["headers"]
        last = message["type"] == "http.response.body" and not message.get("more_body", False)
        if last and self.closing and not self.whole:
            await self.sink({**message, "more_body": True})
            await self._linger()
            message = {"type": "http.response.body", "body": b"", "more_body": False}
        await self.sink(message)

    async def _linger(self) -> None:
        """Read on for a moment before the connection is closed.

        A socket that is closed over bytes nobody read resets the connection, and the answer that
        was sent is lost with it (RFC 9112, section 9.6).
        """
        read = self.seen
        try:
            async with asyncio.timeout(_LINGER_SECONDS):
                while not self.whole and self.seen - read < LINGER_BYTES:
                    self._count(await self.source())
        except TimeoutError:
            return

    def _count(self, message: Message) -> None:
        self.seen += len(message.get("body", b""))
        # Gone, or whole: either way nothing more comes.
        self.whole = not message.get("more_body", False)


def _declared(scope: Scope) -> int:
    """Return the declared length; 0 where there is none, or it is no number."""
    text: bytes = dict(scope["headers"]).get(b"content-length", b"")
    if not text.isdigit():
        return 0
    return int(text[:_LONGEST_LENGTH]) if len(text) <= _LONGEST_LENGTH else 10**_LONGEST_LENGTH
