"""A catalogue over HTTP: rate-limited, and spared for a while after it failed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from backends.citations.api import CatalogueApi, MalformedAnswerError
from backends.citations.client import Answer, GuardedClient
from domain.citations import CitationKind, Identifier, Work
from domain.clock import Clock
from domain.errors import PermanentError, TransientError
from domain.limits import RateLimiter

Pause: TypeAlias = Callable[[float], Awaitable[None]]

FAILURES_BEFORE_SPARING: Final = 3
SPARED_SECONDS: Final = 60.0

_OK: Final = 200
_UNKNOWN: Final = frozenset({404, 410})
_TOO_MANY: Final = 429
_SERVER_AT_FAULT: Final = 500
_WINDOW_SECONDS: Final = 1


class HttpCatalogue:
    """A `CitationResolver` that sends nothing but identifiers, to one configured host."""

    def __init__(
        self,
        api: CatalogueApi,
        client: GuardedClient,
        *,
        rate_limiter: RateLimiter,
        per_second: int,
        clock: Clock,
        pause: Pause = asyncio.sleep,
    ) -> None:
        """Join a catalogue's form to a client.

        Args:
            api: How it is asked.
            client: Of its host.
            rate_limiter: Counts what all processes ask it together.
            per_second: Questions that it allows.
            clock: Tells how long a failing one is spared.
            pause: Waits for the next second's questions.
        """
        if per_second < 1:
            raise ValueError(f"per_second must be >= 1, got {per_second}")
        self._api = api
        self._client = client
        self._rate_limiter = rate_limiter
        self._per_second = per_second
        self._clock = clock
        self._pause = pause
        self._failures = 0
        self._spared_until = 0.0

    @property
    def name(self) -> str:
        return self._api.name

    @property
    def kinds(self) -> frozenset[CitationKind]:
        return self._api.kinds

    async def resolve(self, identifier: Identifier) -> Work | None:
        if identifier.kind not in self._api.kinds:
            raise ValueError(f"{self.name} does not take {identifier.kind.value}")
        await self._take_turn()
        self._refuse_while_spared()
        try:
            answer = await self._client.get(self._api.target(identifier), self._api.headers)
            found = self._read(answer, identifier)
        except TransientError:
            self._failed()
            raise
        self._failures = 0
        return found

    def _refuse_while_spared(self) -> None:
        if self._clock.monotonic() < self._spared_until:
            raise TransientError(f"{self.name} failed a moment ago and is being spared")

    async def _take_turn(self) -> None:
        while True:
            self._refuse_while_spared()
            wait = await self._rate_limiter.take(
                f"citations:{self.name}", limit=self._per_second, window_seconds=_WINDOW_SECONDS
            )
            if wait <= 0:
                return
            await self._pause(wait)

    def _read(self, answer: Answer, identifier: Identifier) -> Work | None:
        if answer.status in _UNKNOWN:
            return None
        if answer.status == _TOO_MANY:
            self._spare(answer.retry_after_seconds or SPARED_SECONDS)
            raise TransientError(f"{self.name} has had enough of us for now")
        if answer.status >= _SERVER_AT_FAULT:
            raise TransientError(f"{self.name} answered {answer.status}")
        if answer.status != _OK:
            raise PermanentError(f"{self.name} answered {answer.status}")
        try:
            return self._api.read(answer.body, identifier)
        except MalformedAnswerError as exc:
            raise PermanentError(f"{self.name} answered with {exc}") from exc

    def _failed(self) -> None:
        self._failures += 1
        if self._failures >= FAILURES_BEFORE_SPARING:
            self._failures = 0
            self._spare(SPARED_SECONDS)

    def _spare(self, seconds: float) -> None:
        self._spared_until = max(self._spared_until, self._clock.monotonic() + seconds)
