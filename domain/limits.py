"""How often a principal may do what tells it something."""

from __future__ import annotations

from typing import Protocol


class RateLimiter(Protocol):
    async def take(self, name: str, *, limit: int, window_seconds: int) -> float:
        """Count one use of `name`; return 0, or the seconds to wait where the limit is reached.

        Fixed windows. A use beyond the limit is not counted.

        Raises:
            TransientError: The store did not answer.
        """
        ...

    async def wait(self, name: str, *, limit: int) -> float:
        """Return what `take` would, and count nothing; 0 where nothing was ever taken.

        Raises:
            TransientError: The store did not answer.
        """
        ...
