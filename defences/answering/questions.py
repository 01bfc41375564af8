"""What kind of answer a question asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from defences.answering.keywords import STOPWORDS, keywords, stem, words
from defences.answering.names import Name, find_names
from defences.answering.values import Value, ValueKind, find_values


class AnswerType(StrEnum):
    NUMBER = "number"
    PERCENT = "percent"
    MONEY = "money"
    DURATION = "duration"
    FREQUENCY = "frequency"
    QUANTITY = "quantity"
    ORDINAL = "ordinal"
    DATE = "date"
    TIME = "time"
    PERSON = "person"
    PLACE = "place"
    NAME = "name"
    YES_NO = "yes-no"
    DESCRIPTION = "description"


ACCEPTS: Final = {
    AnswerType.NUMBER: (
        ValueKind.NUMBER,
        ValueKind.QUANTITY,
        ValueKind.PERCENT,
        ValueKind.MONEY,
        ValueKind.ORDINAL,
    ),
    AnswerType.PERCENT: (ValueKind.PERCENT,),
    AnswerType.MONEY: (ValueKind.MONEY,),
    AnswerType.DURATION: (ValueKind.DURATION, ValueKind.FREQUENCY),
    AnswerType.FREQUENCY: (ValueKind.FREQUENCY, ValueKind.DURATION),
    AnswerType.QUANTITY: (ValueKind.QUANTITY, ValueKind.NUMBER, ValueKind.PERCENT),
    AnswerType.ORDINAL: (ValueKind.ORDINAL,),
    AnswerType.DATE: (ValueKind.DATE,),
    AnswerType.TIME: (ValueKind.TIME, ValueKind.DATE),
}
"""Kinds of figure that answer a type, the fittest first. Types that are not here take words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionProfile:
    """A question as read by rule.

    Attributes:
        types: Likely answer types, likeliest first; never empty.
        nouns: Stems of what is counted or asked for: "how many relay outputs".
        terms: Its keywords as stems, in order, without repeats.
        values, names: What it states itself; an answer says something else.
        negated: It asks for the opposite ("which is not ...").
    """

    text: str
    types: tuple[AnswerType, ...]
    nouns: tuple[str, ...]
    terms: tuple[str, ...]
    values: tuple[Value, ...]
    names: tuple[Name, ...]
    negated: bool

    def __hash__(self) -> int:
        return hash(self.text)  # what is kept by question is looked up a hundred times for each

    @property
    def type(self) -> AnswerType:
        return self.types[0]


_AUXILIARY: Final = [
    "is",
    "are",
    "was",
    "were",
    "am",
    "do",
    "does",
    "did",
    "can",
    "could",
    "may",
    "might",
    "must",
    "should",
    "shall",
    "will",
    "would",
    "has",
    "have",
    "had",
]
_YES_NO: Final = re.compile(
    rf"^(?:(?:and|but|so|please|hi|hello)\W+)*(?:{'|'.join(_AUXILIARY)})(?:n['’]t)?\s+(?!not\b)",  # noqa: RUF001
    re.IGNORECASE,
)
_MONEY_WORDS: Final = r"cost|costs|price|priced|pay|paid|fee|fees|charge|charges|salary|rent|fare|deposit|budget|(?-i:fine)|fined|worth|earn"
_TIME_WORDS: Final = (
    r"period|duration|deadline|notice|lifetime|lifespan|retention|turnaround|lead time"
    r"|waiting time|interval|time limit|warranty|guarantee"
)
_MEASURES: Final = (
    r"temperature|pressure|voltage|weight|height|width|depth|length|distance|speed|capacity|size"
    r"|volume|area|dose|dosage|power|frequency|resolution|range|altitude|diameter|thickness|humidity"
)
_TIME_UNITS: Final = (
    r"(?:sec\w+|min(?:u|t)\w+|hours?|days?|nights?|we+ks?|mon?ths?|years?|fortnights?|decades?)\b"
)
_ASKS: Final = re.compile(
    r"[,;]\s+(?:and |but |for |at |in |to |from )?(?:how|what|who|when|where|which|why)\b", re.I
)
_HEAD: Final = r"\b(?:what|which)(?:(?:'s| is| are| was| were)(?: [\w-]+){0,4}|(?: [\w-]+){0,1})"
_RULES: Final[Sequence[tuple[re.Pattern[str], tuple[AnswerType, ...]]]] = tuple(
    (re.compile(pattern, re.IGNORECASE), types)
    for pattern, types in (
        (r"\bin per ?cent\b", (AnswerType.PERCENT,)),
        (r"\bwhat (?:percentage|percent|share|proportion|fraction)\b|\bhow many per ?cent\b", (AnswerType.PERCENT, AnswerType.NUMBER)),
        (rf"\bhow much (?:\S+ ){{0,8}}?(?:{_MONEY_WORDS})\b|\bhow expensive\b", (AnswerType.MONEY, AnswerType.PERCENT)),
        (rf"{_HEAD} (?:{_MONEY_WORDS})\b|\bwhat (?:do|does|did|must|will|would)(?: \S+){{1,8}} (?:{_MONEY_WORDS})\b", (AnswerType.MONEY, AnswerType.NUMBER)),
        (r"\bhow much (?:does|is|are|was|were|do|would|will)\b", (AnswerType.MONEY, AnswerType.QUANTITY, AnswerType.PERCENT)),
        (rf"\b(?:how many|(?:what|which) number of|number of|how few) (?:\w+ )?{_TIME_UNITS}", (AnswerType.DURATION, AnswerType.NUMBER)),
        (r"\bhow (?:often|frequently|regularly)\b|\bhow many times (?:a|per)\b", (AnswerType.FREQUENCY, AnswerType.NUMBER)),
        (r"\bhow (?:many|few)\b|\b(?:what|which) number of\b|\b(?:what|which)(?:'s| is| was)(?: the)?(?: \S+)? number of\b", (AnswerType.NUMBER,)),
        (r"\bhow (?:old|soon|quickly|late|early|recently)\b|\bhow (?:far|long|much|many days|early) (?:ahead|in advance|beforehand|before|notice|time|later|after)\b|\b(?:with|in|after|for|by) (?:what|which|how much) (?:time|notice)\b|\bwhat age\b", (AnswerType.DURATION, AnswerType.NUMBER)),
        (r"\bhow long (?:is|was|are|were) (?:the |a |an )?(?:\S+ ){0,3}(?:bridges?|rivers?|tunnels?|walls?|roads?|trails?|coast(?:line)?|borders?|canals?|tracks?|routes?|lines?|piers?|streets?|beach|runways?|cables?|ship|snakes?)\b", (AnswerType.QUANTITY, AnswerType.NUMBER)),
        (r"\bhow long\b|\bsince how\b|\bfor a period\b", (AnswerType.DURATION, AnswerType.QUANTITY)),
        (r"\bhow (?:far|tall|high|deep|heavy|big|large|fast|hot|cold|warm|wide|thick|loud|much|strong|bright|close|small|steep)\b", (AnswerType.QUANTITY, AnswerType.NUMBER, AnswerType.PERCENT)),
        (r"\bwhat time\b|\b(?:what|which)(?: \S+)? hours?\b|\b(?:what|which)(?:'re| are)(?: the)?(?: \S+)? (?:hours|times)\b", (AnswerType.TIME,)),
        (r"\bwhen\b|\b(?:what|which)(?: (?:exact|calendar))? (?:year|date|day|month|weekday|decade|century|season)s?\b|\b(?:since|until|by) what\b|\b(?:what|which)(?:'s| is| was)(?: the)?(?: \S+){0,2} (?:date|day|deadline)\b", (AnswerType.DATE, AnswerType.TIME, AnswerType.DURATION)),
        (rf"{_HEAD} (?:{_TIME_WORDS})\b|\bwithin what\b", (AnswerType.DURATION, AnswerType.DESCRIPTION)),
        (rf"{_HEAD} (?:{_MEASURES})\b", (AnswerType.QUANTITY, AnswerType.NUMBER)),
        (r"\bwho(?:'s|m|se)?\b|\b(?:which|what) (?:\S+ )?(?:man|woman|person|lady|gentleman|actor|actress|author|president|player|employee|official|artist|singer|writer|coach|politician|composer|musician|director|king|queen|emperor|ruler|scientist|explorer|astronaut|inventor|founder|leader|senator|pope|philosopher|poet|painter|general|captain|boxer|golfer|driver|judge|governor|mayor|prophet|saint|chef|nurse|teacher|professor|engineer|manager|librarian|gardener|doctor)\b", (AnswerType.PERSON, AnswerType.NAME)),
        (r"\bwhere\b|\b(?:what|which) (?:\S+ )?(?:city|town|country|state|place|spot|address|region|location|continent|village|county|street|room|building|warehouse|island|province)\b", (AnswerType.PLACE, AnswerType.NAME)),
        (r"\b(?:what|which) (?:edition|version|floor|rank)\b", (AnswerType.ORDINAL, AnswerType.NUMBER)),
        (r"\b(?:what|which)(?:'s| is| are| was) the (?:largest|smallest|biggest|highest|lowest|longest|shortest|maximum|minimum|most|least|greatest|top|upper|lower)\b", (AnswerType.NUMBER, AnswerType.NAME)),
        (r"\bwhat(?:'s| is| was) the name\b|\bwhich\b|\bwhat (?!is\b|are\b|was\b|were\b|do\b|does\b|did\b|happens\b|happened\b|if\b|about\b|should\b|can\b|must\b|will\b|am\b|would\b|the\b|a\b|kind\b|else\b)\w+", (AnswerType.NAME, AnswerType.DESCRIPTION)),
        (r"\bwhat\b|\bwhy\b|\bhow\b", (AnswerType.DESCRIPTION,)),
    )
)  # fmt: skip
_COUNTED: Final = re.compile(
    r"\b(?:how many|how much|number of|which|what|whose)\s+((?:[^\W\d_]+[\s-]+){0,3}[^\W\d_]+)",
    re.I,
)
_HEAD_END: Final = re.compile(
    rf"\b(?:{'|'.join(_AUXILIARY)}|in|on|of|for|from|to|at|by|with|per|you|i|we|a|an|the|it)\b",
    re.I,
)
_NEGATED: Final = re.compile(r"\b(?:not|never|no longer|cannot|except|without)\b|n['’]t\b", re.I)  # noqa: RUF001


@lru_cache(maxsize=1_024)  # drafts, checks and verifier of one question all ask
def read_question(text: str) -> QuestionProfile:
    """Return what the question asks for. Text that is no question is a description."""
    flat = " ".join(text.split())
    return QuestionProfile(
        text=flat,
        types=_types(flat),
        nouns=_nouns(flat),
        terms=tuple(dict.fromkeys(keywords(flat))),
        values=find_values(flat),
        names=find_names(flat),
        negated=bool(_NEGATED.search(flat)),
    )


def _types(text: str) -> tuple[AnswerType, ...]:
    polar = _YES_NO.match(text) and not _ASKS.search(text)
    if polar and not re.search(r"\bor\b(?! (?:not|no)\b)", text, re.I):
        return (AnswerType.YES_NO,)
    if polar:
        return (AnswerType.NAME, AnswerType.YES_NO, AnswerType.DESCRIPTION)
    hits = [
        (match.start(), order, types)
        for order, (pattern, types) in enumerate(_RULES)
        if (match := pattern.search(text)) is not None
    ]
    if not hits:
        return (AnswerType.DESCRIPTION,)
    _, _, types = min(hits)
    return types


def _nouns(text: str) -> tuple[str, ...]:
    match = _COUNTED.search(text)
    if match is None:
        return ()
    end = _HEAD_END.search(match.group(1))
    head = match.group(1)[: end.start()] if end else match.group(1)
    return tuple(stem(word) for word in words(head) if word not in STOPWORDS)
