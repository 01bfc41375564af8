"""Whether what has the form of a secret is an example, a placeholder or a test value."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise
from typing import Final

_WORDS: Final = re.compile(
    r"example|sample|dummy|fake|placeholder|your|changeme|change[_-]me|insert|replace|redact|secret[_-]?key"
    r"|test|demo|todo|xxxx|\.\.\.|\*\*\*|<|>|\{|\}|\$\(|\$[A-Z_{]|%\(|%s|(?<![a-z0-9])(?:foo|bar)(?![a-z0-9])|lorem|abcdef|123456|qwerty"
    r"|987654|000000|aaaaa|password|passwd|hunter2|s3cr3t|deadbeef|cafebabe|not[_-]?real|invalid|mysecret",
    re.IGNORECASE,
)
_SAMPLE_TOKEN: Final = (
    "eyJzdWIiOiIxMjM0NTY3ODkwIi",
    "eyJpc3MiOiJqb2UiLA",
    "2YotnFZFEjr1zCsicMWpAA",
    "hh5s93j4hdidpola",
)
"""Of the samples of jwt.io and of RFCs 7519, 6749 and 5849."""
_MIN_ENTROPY: Final = 3.2
"""Bits a character. Of 16 random ones of base 36 the mean is 3.6, of words 2.8."""
_MIN_DISTINCT: Final = 7


def is_example(value: str, *, strict: bool = False) -> bool:
    """Whether nobody's door opens with `value`.

    Args:
        value: The whole secret.
        strict: Also what has no digit or no letter, as a word or number would.
    """
    if _WORDS.search(value) or any(sample in value for sample in _SAMPLE_TOKEN):
        return True
    bare = value.rpartition("_")[2].rpartition("-")[2] or value
    bare = bare if len(bare) >= len(value) // 2 else value
    if len(set(bare)) < _MIN_DISTINCT or _entropy(bare) < _MIN_ENTROPY or _is_run(bare):
        return True
    return strict and not (re.search(r"\d", value) and re.search(r"[A-Za-z]", value))


def _entropy(value: str) -> float:
    counts = Counter(value).values()
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts)


def _is_run(value: str) -> bool:
    """Whether most characters follow the one before, or the whole repeats a piece of itself."""
    codes = [ord(char) for char in value]
    steps = sum(after - before in {0, 1} for before, after in pairwise(codes))
    return steps > len(value) // 2 or value in (value * 2)[1:-1]
