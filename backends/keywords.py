"""What keyword search takes from a question as typed: its words, and nothing that is syntax."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

MAX_CHARACTERS: Final = 8_192
"""Of a question; what stands behind them is not looked at."""

MAX_WORDS: Final = 64
"""Distinct words of a question; each costs a posting list."""

MAX_WORD_CHARACTERS: Final = 100

# Scripts written without spaces: in memory every character is a word, as no dictionary is at hand.
_UNSPACED: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WORD: Final = re.compile(rf"[{_UNSPACED}]|[^\s{_UNSPACED}]+")


class _OnlyLetters(dict[int, int]):
    """By code point: itself, or a blank. Filled as characters turn up."""

    def __missing__(self, point: int) -> int:
        kept = unicodedata.category(chr(point))[0] in "LMN"
        return self.setdefault(point, point if kept else ord(" "))


_ONLY_LETTERS: Final = _OnlyLetters()


def question_text(text: str) -> str:
    """Return the distinct words of a question, first occurrence first, parted by single spaces.

    Letters, marks and digits only, so that whatever a store's query parser would take for an
    operator is gone; folded by NFKC and case; at most `MAX_WORDS`. Empty where there is nothing
    to search by. What is written without spaces stays together, for stores that can part it.
    """
    words = letters(text[:MAX_CHARACTERS]).split()
    distinct = dict.fromkeys(word[:MAX_WORD_CHARACTERS] for word in words)
    return " ".join(list(distinct)[:MAX_WORDS])


def words_of(text: str) -> list[str]:
    """Return the words of a text in order, folded by NFKC and case, repeats kept."""
    return [word[:MAX_WORD_CHARACTERS] for word in _WORD.findall(letters(text))]


def letters(text: str) -> str:
    """Return the text folded by NFKC and case, with a blank for all but letters, marks and digits."""
    return unicodedata.normalize("NFKC", text).casefold().translate(_ONLY_LETTERS)
