"""Gives the head of a request some seconds to arrive: uvicorn alone would wait for ever."""

from __future__ import annotations

import asyncio
from typing import Final

import h11
from typing_extensions import override
from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS: Final = 20.0

_BODY: Final = (
    b'{"type":"urn:mithridate:problem:request-timeout","title":"Request timeout","status":408,'
    b'"detail":"the head of the request did not arrive in time"}'
)


class PatientProtocol(H11Protocol):
    """Closes a connection whose next request, once begun, is not there in time.

    Begun is also what comes after an answer to a body that nobody read. A connection that is idle
    between requests is uvicorn's own to close.
    """

    head_seconds = HEAD_SECONDS
    _patience: asyncio.TimerHandle | None = None

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._arm()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._disarm()
        super().connection_lost(exc)

    @override
    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    @override
    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def _watch(self) -> None:
        answering = not getattr(self.cycle, "response_complete", True)  # None before the first
        idle = self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]
        if answering or idle or self.transport.is_closing():
            self._disarm()
        elif self._patience is None:
            self._arm()

    def _arm(self) -> None:
        self._patience = self.loop.call_later(self.head_seconds, self._give_up)

    def _disarm(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _give_up(self) -> None:
        self._patience = None
        if self.transport.is_closing():
            return
        if self.conn.our_state is h11.IDLE:
            headers = [
                (b"content-type", b"application/problem+json"),
                (b"content-length", str(len(_BODY)).encode()),
                (b"connection", b"close"),
            ]
            for event in (
                h11.Response(status_code=408, headers=headers, reason=b"Request Timeout"),
                h11.Data(data=_BODY),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
