"""What in an answer answers the question: its value, its name, its yes or no."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from defences.answering.keywords import keyword_set, keywords, places
from defences.answering.names import Name, find_names, same_name
from defences.answering.questions import ACCEPTS, AnswerType, QuestionProfile
from defences.answering.values import Value, ValueKind, comparable, find_values, same_value

_NEGATION: Final = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|cannot|without|unable|impossible|forbidden"
    r"|prohibited|banned|excluded?|excludes|refused?|denied|void|invalid|declined?|rejected"
    r"|unavailable|lacks?|barred|ceased?|discontinued)\b|n['’]t\b",  # noqa: RUF001
    re.IGNORECASE,
)
_VERB_NEGATION: Final = re.compile(r"\b(?:not|never|cannot|no longer)\b|n['’]t\b", re.IGNORECASE)  # noqa: RUF001
_LIMIT: Final = re.compile(
    r"\b(?:after|beyond|past|until|before|unless|more|longer|later|less|fewer|over|above|exceed\w*"
    r"|only|just|than)\b",
    re.IGNORECASE,
)
_AGREEING_NO: Final = re.compile(
    r"\bno\s+(?:charge|cost|fee|need|limit|problem|extra|doubt)\b", re.I
)
_LEADING: Final = re.compile(r"^\W*(?P<word>yes|no)\b\W", re.IGNORECASE)
_CLAUSE: Final = re.compile(
    r"[;:]|,\s+(?:but|and|or|while|whereas|unless|except)\b|,|\bbut\b|\(|\)"
)
_UNLESS: Final = re.compile(r"\b(?:unless|except|other than|apart from)\b", re.IGNORECASE)
_FEWEST: Final = 4
"""A text says yes or no to a question of whose words it has at least one in so many."""

_KIND_STEP: Final = 0.25
_PERSON_WORDS: Final = re.compile(
    r"\b(?:I|he|she|they|team|manager|director|lead|office|desk|board|committee|department|staff"
    r"|customers?|owners?|users?|members?|technicians?|guests?|people|children|patients?|visitors?"
    r"|residents?|employees?)\b"
)
_PLACE_WORDS: Final = re.compile(
    r"\b(?:in|at|on|behind|under|below|above|near|next to|beside|inside|opposite|between)\s+(?:the|a|an|our|your|its)\s+[a-z]",
    re.IGNORECASE,
)
_WORDY: Final = 0.5
"""Match of a sentence with a question that any words may answer: neither for nor against."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Focus:
    """The part of an answer that answers the question; `match` in [0, 1] says how well by type.

    At most one of `value` and `name` is set; neither where words alone answer.
    """

    match: float
    value: Value | None = None
    name: Name | None = None


_NOTHING: Final = Focus(match=0.0)


@lru_cache(maxsize=8_192)  # drafter, grouping and verifier read the same sentences
def find_focus(question: QuestionProfile, text: str, *, context: str = "") -> Focus:
    """Return what in `text` answers the question by type.

    A figure or name that the question states itself answers nothing, unless it is yes or no that
    is asked for. Of several the one of the fitter kind, with the counted noun, nearest to the
    question's words is taken, the earlier on a tie.

    Args:
        context: Heading or title; names in it are the text's subject and no answer either.
    """
    best = _NOTHING
    for rank, wanted in enumerate(question.types):
        most = 1.0 - _KIND_STEP * rank
        if best.match >= most:
            break  # no match is above 1
        found = _by_type(question, wanted, text, context)
        match = found.match * most
        if match > best.match:
            best = Focus(match=match, value=found.value, name=found.name)
    return best


def _by_type(question: QuestionProfile, wanted: AnswerType, text: str, context: str) -> Focus:
    if wanted in ACCEPTS:
        return _value_focus(question, ACCEPTS[wanted], text)
    if wanted in {AnswerType.PERSON, AnswerType.PLACE, AnswerType.NAME}:
        return _name_focus(question, wanted, text, context)
    if wanted is AnswerType.YES_NO:
        return Focus(match=0.4 if yes_or_no(question, text) is None else 0.8)
    return Focus(match=_WORDY)


def answer_values(question: QuestionProfile, text: str) -> tuple[Value, ...]:
    """Return figures of `text` that the question does not state itself and the text affirms."""
    return tuple(
        value
        for value in find_values(text)
        if not value.negated and not any(same_value(value, known) for known in question.values)
    )


def _value_focus(question: QuestionProfile, kinds: Sequence[ValueKind], text: str) -> Focus:
    values = [value for value in answer_values(question, text) if value.kind in kinds]
    if not values:
        return _NOTHING
    best = _NOTHING
    terms = _positions(question, text)
    for value in values:
        match = 1.0 - _KIND_STEP * min(kinds.index(value.kind), 2)
        if value.kind is ValueKind.NUMBER and question.nouns:
            match *= 1.0 if set(value.nouns) & set(question.nouns) else 0.6
        elif question.nouns and value.moment is None:  # "how many minutes": said in minutes
            said = set(keywords(text[value.start : value.end]))
            match *= 1.0 if said & set(question.nouns) else 0.8
        match *= 0.8 + 0.2 * _nearness(terms, value.start, value.end)
        if match > best.match:
            best = Focus(match=match, value=value)
    return best


def _name_focus(question: QuestionProfile, wanted: AnswerType, text: str, context: str) -> Focus:
    known = frozenset(question.terms)
    around = keyword_set(context)
    best = Focus(match=_fallback(wanted, text))
    names = [name for name in find_names(text) if not name.stems <= known]
    terms = _positions(question, text) if names else []
    for name in names:
        match = _name_match(wanted, name) * (0.6 if name.stems <= around else 1.0)
        match *= 0.8 + 0.2 * _nearness(terms, name.start, name.end)
        if match > best.match:
            best = Focus(match=match, name=name)
    return best


def _fallback(wanted: AnswerType, text: str) -> float:
    """Return the match of a text without a name: a role or a position can answer as well."""
    if wanted is AnswerType.PERSON:
        return 0.35 if _PERSON_WORDS.search(text) else 0.1
    if wanted is AnswerType.PLACE:
        return 0.4 if _PLACE_WORDS.search(text) else 0.15
    return 0.4


def _name_match(wanted: AnswerType, name: Name) -> float:
    if wanted is AnswerType.PERSON:
        return 1.0 if name.personal else 0.5
    if wanted is AnswerType.PLACE:
        return 1.0 if name.placed else 0.65
    return 0.9 if name.quoted or len(name.stems) > 1 else 0.75


def _positions(question: QuestionProfile, text: str) -> list[int]:
    return [at for at, word in places(text) if word in question.terms]


def _nearness(positions: Sequence[int], start: int, end: int) -> float:
    """Return how near a range is to the question's words, 1 beside one, 0 far from all."""
    if not positions:
        return 0.0
    gaps = [max(0, at - end, start - at) for at in positions]
    return sum(1.0 / (1.0 + gap / 20.0) for gap in gaps) / len(gaps)


def is_negated(text: str) -> bool:
    """Whether the text denies an odd number of times; "no charge" and the like do not deny."""
    return len(_NEGATION.findall(_AGREEING_NO.sub(" ", text))) % 2 == 1


def is_denied(text: str, value: Value) -> bool:
    """Whether the clause of a figure denies it: "it does not last 36 months".

    "Not after 30 days" and "never more than 5" set a limit and deny nothing.
    """
    starts = [match.end() for match in _CLAUSE.finditer(text, 0, value.start)]
    before = text[starts[-1] if starts else 0 : value.start]
    found = list(_VERB_NEGATION.finditer(before))
    return bool(found) and not _LIMIT.search(before, found[-1].end())


def yes_or_no(question: QuestionProfile, text: str) -> bool | None:
    """Return the answer that `text` gives to a yes-or-no question; None where it decides nothing.

    A leading "Yes" or "No" decides, then a figure of the question against a limit in the text,
    then negation: the clause that shares most words with the question, against the question.
    """
    leading = _LEADING.match(text + " ")
    if leading is not None:
        return leading.group("word").lower() == "yes"
    by_figure = _figure_decides(question, text)
    if by_figure is not None:
        return by_figure
    clause = _closest_clause(question, text)
    if clause is None:
        return None
    return is_negated(clause) is question.negated


def _closest_clause(question: QuestionProfile, text: str) -> str | None:
    """Return the clause that shares most with the question; None if none shares enough."""
    bounds = [0, *(match.start() for match in _CLAUSE.finditer(text)), len(text)]
    clauses = [text[start:end] for start, end in itertools.pairwise(bounds)]
    terms = set(question.terms)
    shared = [len(terms & set(keywords(clause))) for clause in clauses]
    if not terms or len(terms & set(keywords(text))) * _FEWEST < len(terms):
        return None
    best = max(range(len(clauses)), key=lambda at: (shared[at], -at))
    if shared[best] == 0 or _UNLESS.search(clauses[best]):
        return None
    if _NEGATION.search(clauses[best]):
        return clauses[best]  # "must not be carried, because it has no approval" denies once
    # A denial often stands in the main clause beside the one with the words: take both.
    return text if len(clauses) <= 2 and not _UNLESS.search(text) else clauses[best]  # noqa: PLR2004


def _figure_decides(question: QuestionProfile, text: str) -> bool | None:
    for asked in question.values:
        for stated in find_values(text):
            if stated.negated or not comparable(asked, stated) or asked.moment or stated.moment:
                continue
            if stated.kind is ValueKind.ORDINAL:
                continue
            holds = _holds(asked, stated)
            return holds if not is_negated(_around(text, stated)) else not holds
    return None


def _around(text: str, value: Value) -> str:
    """Return the clause of the value, its own bound ("not more than") left out."""
    starts = [m.end() for m in _CLAUSE.finditer(text, 0, value.start)]
    begin = starts[-1] if starts else 0
    end = next((m.start() for m in _CLAUSE.finditer(text, value.end)), len(text))
    clause = text[begin : value.start] + text[value.end : end]
    return re.sub(r"\b(?:no|not)\s+(?:more|less|longer|later|fewer|exceed\w*)\b", " ", clause)


def _holds(asked: Value, stated: Value) -> bool:
    slack = asked.slack + stated.slack
    if stated.bound < 0:
        return asked.high <= stated.high + slack
    if stated.bound > 0:
        return asked.low >= stated.low - slack
    if asked.bound > 0:
        return stated.high >= asked.low - slack
    if asked.bound < 0:
        return stated.low <= asked.high + slack
    return same_value(asked, stated) or stated.low <= asked.low <= asked.high <= stated.high


def same_focus(first: Focus, second: Focus) -> bool | None:
    """Whether two answers turn on the same figure or name; None if either turns on neither."""
    if first.value is not None and second.value is not None:
        return same_value(first.value, second.value)
    if first.name is not None and second.name is not None:
        return same_name(first.name, second.name)
    return None
