"""Lets callers in: by API key or token, no more often than they may, and guessing slowly."""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final

import structlog

from domain.access import ApiKey, KeyId, Principal, TokenVerifier
from domain.clock import Clock
from domain.errors import DependencyError, RateLimitedError, TransientError, UnauthenticatedError
from domain.ledger import KeyLedger
from domain.limits import RateLimiter
from runtime.access_sections import AccessSettings
from runtime.credentials import Credential, matches, read_token

REFUSED: Final = "a valid API key or token is needed as a bearer token"
_WINDOW_SECONDS: Final = 60
_KNOWN: Final = 10_000
_USED_EVERY: Final = timedelta(minutes=5)
_STORE_SECONDS: Final = 1.0
_STORE_PAUSE_SECONDS: Final = 5.0
_TOKEN_DOTS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class _Caller:
    principal: Principal
    requests_per_minute: int | None = None
    """Of its own; None: as the settings say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counters:
    """Names of what a failure counts against."""

    address: str
    key: str | None


class Doorkeeper:
    """One a process. What it counts is in the rate limiter's store, so all processes count as one.

    A wrong key costs its address one of a few failures a minute; then the address is refused
    unheard. A key that is guessed from many addresses has a few failures too: then each address
    that failed once is refused. Who was let in by this process before is always heard, so that a
    stranger behind the same address locks nobody out.

    The ledger alone decides who may come in: where the store of counts is down, nothing is slowed.
    """

    def __init__(
        self,
        *,
        keys: KeyLedger,
        limiter: RateLimiter,
        tokens: TokenVerifier | None,
        clock: Clock,
        settings: AccessSettings,
    ) -> None:
        self._keys = keys
        self._limiter = limiter
        self._tokens = tokens
        self._clock = clock
        self._settings = settings
        self._let_in: OrderedDict[bytes, None] = OrderedDict()
        self._written: dict[KeyId, datetime] = {}
        self._store_down_until = float("-inf")

    async def admit(self, token: str, *, address: str) -> Principal:
        """Return who sends `token` from `address`.

        Raises:
            UnauthenticatedError: Malformed, unknown, revoked or expired: all told alike.
            RateLimitedError: Too many failures from the address or for the key, or more requests
                than the key may make.
            TransientError: The ledger, or the issuer of tokens, does not answer.
        """
        digest = hashlib.sha256(token.encode()).digest()
        credential = read_token(token)
        counters = _counters(address, credential)
        if digest not in self._let_in:
            await self._refuse_guessing(counters)
        try:
            caller = await self._identify(token, credential)
        except UnauthenticatedError:
            self._let_in.pop(digest, None)
            await self._count_failure(counters)
            raise
        self._remember(digest)
        await self._count_request(caller)
        return caller.principal

    async def _identify(self, token: str, credential: Credential | None) -> _Caller:
        if credential is not None:
            key = await self._keys.find(credential.key_id)
            if not matches(credential, key, at=self._clock.now()) or key is None:
                raise UnauthenticatedError(REFUSED)
            await self._write_use(key)
            return _caller(key)
        if self._tokens is None or token.count(".") != _TOKEN_DOTS:
            raise UnauthenticatedError(REFUSED)
        return _Caller(principal=await self._tokens.verify(token))

    async def _write_use(self, key: ApiKey) -> None:
        now = self._clock.now()
        last = self._written.get(key.id, key.last_used_at)
        if last is not None and now - last < _USED_EVERY:
            return
        self._written[key.id] = now
        try:
            await self._keys.used(key.id, at=now)
        except DependencyError as exc:
            # A full disk keeps nobody from reading.
            structlog.get_logger("access").warning("key_use_unwritten", error=exc.code)

    async def _refuse_guessing(self, counters: _Counters) -> None:
        limit = self._settings.failures_per_minute
        wait = await self._wait(counters.address, limit)
        # One failure of its own condemns an address where the key is guessed from many.
        if wait == 0 and counters.key is not None and await self._wait(counters.address, 1) > 0:
            wait = await self._wait(counters.key, limit)
        if wait > 0:
            raise RateLimitedError("too many requests with a wrong key", retry_after_seconds=wait)

    async def _count_failure(self, counters: _Counters) -> None:
        limit = self._settings.failures_per_minute
        for name in filter(None, (counters.address, counters.key)):
            await self._take(name, limit)
        structlog.get_logger("access").info("caller_refused")

    async def _count_request(self, caller: _Caller) -> None:
        limit = caller.requests_per_minute or self._settings.requests_per_minute
        if limit is None:
            return
        wait = await self._take(f"requests:{caller.principal.actor}", limit)
        if wait > 0:
            raise RateLimitedError(
                f"more than {limit} requests a minute by one key", retry_after_seconds=wait
            )

    async def _wait(self, name: str, limit: int) -> float:
        return await self._asked(partial(self._limiter.wait, name, limit=limit))

    async def _take(self, name: str, limit: int) -> float:
        return await self._asked(
            partial(self._limiter.take, name, limit=limit, window_seconds=_WINDOW_SECONDS)
        )

    async def _asked(self, ask: Callable[[], Awaitable[float]]) -> float:
        """Wait a moment for the store of counts; after a failure leave it alone for some seconds."""
        if self._clock.monotonic() < self._store_down_until:
            return 0.0
        try:
            async with asyncio.timeout(_STORE_SECONDS):
                return await ask()
        except (TransientError, TimeoutError):
            self._store_down_until = self._clock.monotonic() + _STORE_PAUSE_SECONDS
            structlog.get_logger("access").warning("rate_limits_not_counted")
            return 0.0

    def _remember(self, digest: bytes) -> None:
        self._let_in[digest] = None
        self._let_in.move_to_end(digest)
        if len(self._let_in) > _KNOWN:
            self._let_in.popitem(last=False)


def _counters(address: str, credential: Credential | None) -> _Counters:
    # A digest: an address may be of any form.
    place = hashlib.sha256(address.encode()).hexdigest()[:32]
    return _Counters(
        address=f"failures:address:{place}",
        key=None if credential is None else f"failures:key:{credential.key_id}",
    )


def _caller(key: ApiKey) -> _Caller:
    return _Caller(
        principal=Principal(
            key_id=key.id, tenant_id=key.tenant_id, scopes=key.scopes, origin=key.origin
        ),
        requests_per_minute=key.requests_per_minute,
    )
