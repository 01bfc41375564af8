"""Whether a question can be understood without what was said before it.

A conversation's earlier turns never reach retrieval or a draft: they may carry what a poisoned page
said, and an assistant's turn is written by whoever sends the request. So a question is answered by
itself, or not at all. English; a question in another language is taken to stand alone.
"""

from __future__ import annotations

import re
from typing import Final

from defences.answering.keywords import STOPWORDS

_WORD: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")  # noqa: RUF001 - both apostrophes occur
_CONTINUES: Final = re.compile(
    r"\s*(?:(?:and|or|but|then|also|plus)\b"
    r"|(?:what|how) about\b|what if\b|why(?: not| so)?\s*\?*$"
    r"|(?:tell|show|give) me more\b|go on\b|continue\b|more\b|anything else\b|what else\b"
    r"|the (?:same|former|latter|first|second|third|last|other)s?(?: one)?\b"
    r"|(?:yes|no|ok|okay|sure|thanks|thank you|please|really)\b[\s,.!?]*(?:$|why|how|and|please))",
    re.IGNORECASE,
)
# "How long does it take to ...", "is it possible to ...": `it` is nothing that was named.
_EMPTY_IT: Final = re.compile(
    r"\bit\s+(?:(?:take|takes|took|cost|costs|need|needs|possible|allowed|legal|safe|necessary"
    r"|required|true|worth|better|ok|okay|mean|means|matter|matters)\b[^?]*?\b(?:to|that|for|if|when)\b"
    r"|rain|rains|snow|snows|raining|snowing)",
    re.IGNORECASE,
)
_TIME: Final = re.compile(r"\bwhat (?:time|day|date|year) is it\b", re.IGNORECASE)
_POINTING: Final = frozenset(
    "it its they them their theirs he him his she her hers this these those one ones there".split()  # noqa: SIM905
)
_THAT: Final = re.compile(
    r"\b(?:is|was|does|did|do|would|could|can|about|like|after|before|with|of|for|why|how)\s+that"
    r"\s*(?:\?|\.|!|$|\b(?:mean|work|happen|apply|cost|include|take|change|one|case|time|way)\b)"
    r"|^\s*(?:that|which) one\b|\b(?:in|for) that (?:case|event)\b",
    re.IGNORECASE,
)
_THERE_IS: Final = re.compile(
    r"\b(?:is|are|was|were|be|will|has|have|does|do)\s+there\b|\bthere\s+(?:is|are|was|were|be|a|an|any)\b",
    re.IGNORECASE,
)
_ELLIPSIS: Final = re.compile(
    r"\s*(?:in|on|at|for|with|without|from|to|after|before|during|until|by|since)\b", re.IGNORECASE
)
_ELLIPTIC_WORDS: Final = 4
# They ask for a measure and name nothing.
_MEASURES: Final = frozenset(
    "long much many often far big old high wide deep soon late early fast time date day year month "  # noqa: SIM905
    "price cost costs work works happen happens mean close open last take start end begin valid "
    "apply use used need say says tell know explain please show give also exactly else".split()
)


def stands_alone(question: str) -> bool:
    """Return whether the question names what it is about.

    A heuristic. What it wrongly takes to stand alone is answered as its own question, by the same
    rules as any; what it wrongly refuses is asked again in full.
    """
    words = [word.casefold() for word in _WORD.findall(question)]
    if not words or _CONTINUES.match(question) or _THAT.search(question):
        return False
    if _ELLIPSIS.match(question) and len(words) <= _ELLIPTIC_WORDS:
        return False
    plain = _THERE_IS.sub(" ", _TIME.sub(" ", _EMPTY_IT.sub(" to ", question)))
    named = False
    for word in (word.casefold() for word in _WORD.findall(plain)):
        if word in _POINTING and not named:
            return False
        named = named or not (word in STOPWORDS or word in _MEASURES or word in _POINTING)
    return named or not plain.isascii() or plain != question
