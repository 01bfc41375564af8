"""A look at what a text can hold at all, before patterns are tried at each of its places.

Each says "maybe" where it cannot tell, so that what the patterns find is never changed.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_DIGIT: Final = re.compile(r"\d")
_RUN: Final = re.compile(r"[a-z]+")


def may_have_digits(text: str) -> bool:
    return _DIGIT.search(text) is not None


def may_have_word(text: str, words: frozenset[str]) -> bool:
    """Whether one of some lower-case ASCII words may stand in `text`, no letter before or behind it.

    Case does not matter. Always so where the text is not ASCII: `re.IGNORECASE` takes more
    characters for a letter there than `lower` does.
    """
    runs = _runs(text)
    return runs is None or not runs.isdisjoint(words)


@lru_cache(maxsize=1_024)  # several patterns look at one sentence, one after the other
def _runs(text: str) -> frozenset[str] | None:
    return frozenset(_RUN.findall(text.lower())) if text.isascii() else None
