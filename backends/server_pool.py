"""Several servers of one model: the least loaded is asked, one that fails is left alone for a while.

- **Choice**: the server with the fewest calls under way; of several the one that answered fastest
  of late. So a slow server holds only the calls it was given, and gets no new ones before the
  others are as full.
- **Failure**: a call that a server does not answer goes to the next one, once each. A server that
  cannot be reached is taken out at once, one that answers with errors after `STRIKES` in a row: one
  bad prompt must not take a pool down.
- **Return**: after a pause, doubled each time, it is checked and then used again. Where all are out,
  a call does not wait for the pause: it has one checked and asked.

A single server is never taken out, and nothing is asked of it twice: there is nobody else to ask.
"""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from domain.errors import MithridateError, PermanentError, TransientError
from domain.queues import QueueDepth

STRIKES: Final = 3
FIRST_PAUSE_SECONDS: Final = 1.0
LONGEST_PAUSE_SECONDS: Final = 60.0
CHECK_SECONDS: Final = 30.0
"""For a check as a whole: a probe of log-probabilities takes a few calls."""

_RECENT: Final = 0.2
"""Weight of the last call in a server's mean time."""

_NOT_HERE: Final = frozenset({401, 403, 404})
"""Refusals of whoever asks: another server may be set up rightly."""

ReplyT = TypeVar("ReplyT")


class UnreachableError(TransientError):
    """Nothing answered, or not in time."""


class RefusedError(PermanentError):
    """The server answered, and does not take the request; `status` is 4xx, or 501."""

    def __init__(self, message: str, *, status: int) -> None:
        super().__init__(message)
        self.status = status


class GarbledError(PermanentError):
    """What came back is not what such a server sends, whatever the model said."""


Check = Callable[[str], Awaitable[str | None]]
"""Looks at the server of a URL; returns what is wrong with it, None if nothing. May raise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerState:
    """One server, for people and metrics; `fault` is why it is out, None while it is in use."""

    url: str
    under_way: int
    fault: str | None


@dataclass(slots=True, kw_only=True, eq=False)
class _Server:
    url: str
    under_way: int = 0
    mean_seconds: float = 0.0
    strikes: int = 0
    pauses: int = 0
    due: float = 0.0
    fault: str | None = None
    checking: asyncio.Task[None] | None = None


class ServerPool:
    """Chooses among servers; knows nothing of what is sent. Lives on one event loop."""

    def __init__(
        self,
        urls: Sequence[str],
        *,
        concurrency: int = 8,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keep the addresses; nothing is sent yet.

        Args:
            urls: At least one; each stands for a server with the same model.
            concurrency: Calls under way at once to each, at most.
            monotonic: Seconds that never go back.
        """
        if not urls or concurrency < 1 or len(set(urls)) != len(urls):
            raise ValueError("a pool needs different URLs, and a concurrency > 0")
        self._servers = tuple(_Server(url=url) for url in urls)
        self._concurrency = concurrency
        self._monotonic = monotonic
        self._checks: list[Check] = []
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def urls(self) -> tuple[str, ...]:
        return tuple(server.url for server in self._servers)

    @property
    def waiting(self) -> int:
        """Calls that wait because every server has as many as it may."""
        return len(self._waiting)

    def depth(self) -> QueueDepth:
        return QueueDepth(
            waiting=self.waiting, under_way=sum(one.under_way for one in self._servers)
        )

    def states(self) -> tuple[ServerState, ...]:
        return tuple(
            ServerState(url=one.url, under_way=one.under_way, fault=one.fault)
            for one in self._servers
        )

    def require(self, check: Check) -> None:
        """Have a server that was taken out pass `check` too, before it is used again."""
        self._checks.append(check)

    def take_out(self, url: str, fault: str) -> None:
        """Stop asking a server until its pause is over and it passes the checks."""
        if len(self._servers) == 1:
            return
        server = next(one for one in self._servers if one.url == url)
        pause = min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2**server.pauses)
        server.pauses = min(server.pauses + 1, 16)
        server.fault, server.strikes = fault, 0
        server.due = self._monotonic() + pause
        self._wake(everyone=True)

    async def call(self, send: Callable[[str], Awaitable[ReplyT]]) -> ReplyT:
        """Send to one server after the other until one answers.

        Raises:
            MithridateError: What the last one raised.
        """
        tried: set[str] = set()
        last: MithridateError = TransientError("no server of the pool can be used")
        while (server := await self._turn(tried)) is not None:
            tried.add(server.url)
            try:
                return await self._ask(server, send)
            except MithridateError as exc:
                if not _is_the_servers(exc):
                    raise
                last = exc
        raise last

    async def _ask(self, server: _Server, send: Callable[[str], Awaitable[ReplyT]]) -> ReplyT:
        """Send to one server whose place was taken by `_turn`."""
        began = self._monotonic()
        try:
            reply = await send(server.url)
        except MithridateError as exc:
            if _is_the_servers(exc):
                self._blame(server, exc)
            raise
        finally:
            server.under_way -= 1
            self._wake()
        seconds = self._monotonic() - began
        server.mean_seconds += _RECENT * (seconds - server.mean_seconds)
        server.strikes = server.pauses = 0
        return reply

    def _blame(self, server: _Server, error: MithridateError) -> None:
        server.strikes += 1
        gone = isinstance(error, UnreachableError | RefusedError)
        if server.fault is None and (gone or server.strikes >= STRIKES):
            self.take_out(server.url, str(error))

    async def _turn(self, tried: set[str]) -> _Server | None:
        """Wait for a server that was not tried and has room, and take a place in it."""
        while True:
            left = [one for one in self._servers if one.url not in tried]
            up = [one for one in left if one.fault is None]
            for one in left:
                if one.fault is not None and one.due <= self._monotonic():
                    one.checking = self._check_of(one)
            if not up:
                out = min(left, key=lambda one: one.due, default=None)
                if out is None:
                    return None
                await asyncio.shield(self._check_of(out))
                if out.fault is not None:
                    tried.add(out.url)
                continue
            best = min(up, key=lambda one: (one.under_way, one.mean_seconds))
            if best.under_way < self._concurrency:
                best.under_way += 1
                self._wake()  # there may be room for more than one
                return best
            await self._room()

    async def _room(self) -> None:
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._wake()  # what it was woken for is another's now
            raise
        finally:
            if place in self._waiting:
                self._waiting.remove(place)

    def _wake(self, *, everyone: bool = False) -> None:
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                if not everyone:
                    return

    def _check_of(self, server: _Server) -> asyncio.Task[None]:
        """Return the check under way, or begin one."""
        if server.checking is None:
            # a context of its own: what a check costs is not the question's that came upon it
            server.checking = asyncio.get_running_loop().create_task(
                self._check(server), context=contextvars.Context()
            )
        return server.checking

    async def _check(self, server: _Server) -> None:
        """Put a server back into use if it passes every check."""
        try:
            async with asyncio.timeout(CHECK_SECONDS):
                for check in self._checks:
                    fault = await check(server.url)
                    if fault is not None:
                        self.take_out(server.url, fault)
                        return
        except (TimeoutError, MithridateError) as exc:
            self.take_out(server.url, str(exc) or "no answer to a check")
        else:
            server.fault, server.mean_seconds = None, 0.0
            self._wake()
        finally:
            server.checking = None


def _is_the_servers(error: MithridateError) -> bool:
    """Whether another server may do better with the same request."""
    if isinstance(error, RefusedError):
        return error.status in _NOT_HERE
    return isinstance(error, TransientError | GarbledError)
