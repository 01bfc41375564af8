"""Asks the same thing in other words, from the question alone (Law 9: never from a draft)."""

from __future__ import annotations

import re
from typing import Final

_WORDS: Final = re.compile(r"[\w][\w.%€$£-]*", re.UNICODE)

_FUNCTION_WORDS: Final = frozenset(
    """
    a an and any are as at be been by can could did do does for from get give had has have how i if
    in is it its just kind long many may me much must my of off on one or our out please shall
    should so some tell than that the their them then there these they this to up us was we were
    what when where which who whom whose why will with would you your
    """.split()  # noqa: SIM905 - a list of eighty quoted words reads worse
)


def reformulate(question: str) -> str | None:
    """Return the content words of a question, in order; None if that says nothing new.

    A question's own grammar pulls its embedding towards other questions; its content words pull
    it towards statements, and keyword search ranks by them alone.
    """
    words = _WORDS.findall(question)
    content = [word for word in words if word.casefold() not in _FUNCTION_WORDS]
    if not content or len(content) == len(words):
        return None
    return " ".join(content)
