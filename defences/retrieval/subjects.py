"""Whether two texts of one template are about different things.

Data sheets, job offers and places of a list share their wording and differ in a name. None of them
is a version of another: what the new one says, it does not say of the old one's subject.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

TITLE_WORDS: Final = 12
"""Words of the first line that can name the subject."""
LEAST_MENTIONS: Final = 2
"""The title, and once at least in what it says: a heading that is changed alone names nothing."""
ALIKE: Final = 0.75
"""Likeness (Ratcliff and Obershelp) from which two names may be one that is spelt otherwise."""

_LEAST_LETTERS: Final = 3
_WORD: Final = re.compile(r"[^\W\d_]+")


def subjects_differ(earlier: str, new: str) -> bool:
    """Return whether the title's name of each text is not in the other one at all.

    Strict, since what is no version is compared with nothing: a name is letters alone and has its
    capital wherever it stands, is in the first line and again, as often as the name in its place,
    and the two are not alike. A text that still speaks of the old subject anywhere, under another
    heading or beside another name, is a version of it.

    Args:
        earlier: Hardened text.
        new: Hardened text.
    """
    before, now = _Names.of(earlier), _Names.of(new)
    gone = {name: before.mentions[name] for name in before.titled if name not in now.words}
    come = {name: now.mentions[name] for name in now.titled if name not in before.words}
    if not gone or sorted(gone.values()) != sorted(come.values()):
        return False
    return not any(_alike(one, other) for one in gone for other in come)


@dataclass(frozen=True, slots=True)
class _Names:
    """The words of a text.

    Attributes:
        titled: Names in the title that are mentioned again.
        mentions: How often, of each word.
    """

    words: frozenset[str]
    titled: tuple[str, ...]
    mentions: Counter[str]

    @classmethod
    def of(cls, text: str) -> _Names:
        words: list[str] = _WORD.findall(text)
        mentions = Counter(word.casefold() for word in words)
        small = {word.casefold() for word in words if not word[0].isupper()}
        return cls(
            words=frozenset(mentions),
            titled=tuple(
                name
                for name in dict.fromkeys(_title(text))
                if name not in small
                and len(name) >= _LEAST_LETTERS
                and mentions[name] >= LEAST_MENTIONS
            ),
            mentions=mentions,
        )


def _title(text: str) -> Iterator[str]:
    line = next((line for line in text.splitlines() if _WORD.search(line)), "")
    for word in _WORD.findall(line)[:TITLE_WORDS]:
        yield word.casefold()


def _alike(one: str, other: str) -> bool:
    if one in other or other in one:
        return True
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= ALIKE
