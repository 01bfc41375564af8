"""Locks and rate limits in this process's memory."""

from __future__ import annotations

from domain.clock import Clock


class InMemoryLockStore:
    """What several `InMemoryLock`s of one test share."""

    def __init__(self) -> None:
        self.held: dict[str, tuple[object, float]] = {}


class InMemoryLock:
    def __init__(self, store: InMemoryLockStore, *, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def acquire(self, name: str, *, lease_seconds: float) -> bool:
        now = self._clock.monotonic()
        holder = self._store.held.get(name)
        if holder is not None and holder[1] > now:
            return False
        self._store.held[name] = (self, now + lease_seconds)
        return True

    async def release(self, name: str) -> None:
        holder = self._store.held.get(name)
        if holder is not None and holder[0] is self:
            del self._store.held[name]


class InMemoryRateLimiter:
    def __init__(self, *, clock: Clock) -> None:
        self._clock = clock
        self._windows: dict[str, tuple[float, int]] = {}

    async def take(self, name: str, *, limit: int, window_seconds: int) -> float:
        now = self._clock.monotonic()
        end, used = self._windows.get(name, (0.0, 0))
        if end <= now:
            end, used = now + window_seconds, 0
        if used >= limit:
            return end - now
        self._windows[name] = (end, used + 1)
        return 0.0

    async def wait(self, name: str, *, limit: int) -> float:
        end, used = self._windows.get(name, (0.0, 0))
        return max(0.0, end - self._clock.monotonic()) if used >= limit else 0.0
