"""Identifiers nobody can guess, which sort by the time of their making."""

from __future__ import annotations

import secrets
import threading
from typing import Final

from domain.clock import Clock

# Crockford's alphabet in lower case: 32 signs in ASCII order, so that text sorts as the number does.
ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
LENGTH: Final = 26
RANDOM_BITS: Final = 82
"""26 characters of 5 bits are 130: 48 of milliseconds, then these. A ULID has 80."""

_BITS_PER_CHARACTER: Final = 5


class RandomIds:
    """Ids of 48 bits of Unix milliseconds and 82 random bits, strictly rising in one process.

    Within one millisecond, or where the clock goes back, the last number is counted up by a random
    step of at most 2^32: order is kept and the next id stays unguessable. Thread-safe.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = -1
        self._lock = threading.Lock()

    def new(self, prefix: str) -> str:
        milliseconds = int(self._clock.now().timestamp() * 1000)
        candidate = (milliseconds << RANDOM_BITS) | secrets.randbits(RANDOM_BITS)
        with self._lock:
            if candidate >> RANDOM_BITS <= self._last >> RANDOM_BITS:
                candidate = self._last + 1 + secrets.randbits(32)
            self._last = candidate
        return f"{prefix}_{encode(candidate)}"


def encode(number: int) -> str:
    """Return `number`, in [0, 2^130), as `LENGTH` characters of `ALPHABET`, zero-padded."""
    characters: list[str] = []
    for _ in range(LENGTH):
        number, digit = divmod(number, 1 << _BITS_PER_CHARACTER)
        characters.append(ALPHABET[digit])
    return "".join(reversed(characters))
