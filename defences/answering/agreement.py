"""Groups answers that mean the same, so that wordings do not count as opinions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from defences.answering.dates import find_moments
from defences.answering.focus import (
    Focus,
    answer_values,
    find_focus,
    is_denied,
    is_negated,
    same_focus,
    yes_or_no,
)
from defences.answering.keywords import keywords
from defences.answering.names import find_names
from defences.answering.numbers import find_numbers
from defences.answering.questions import ACCEPTS, AnswerType, QuestionProfile, read_question
from defences.answering.values import Value, comparable, same_value
from domain.answering import ScoredDraft
from domain.documents import Tier

SAME_MEANING: Final = 0.6
"""Cosine from which two answers without a figure, name or polarity may mean the same.

Paraphrases of one fact score .52-.84 and contradicting pairs .68-.957 (MiniLM, measured), so the
cosine only says that they speak of one matter; the difference check says whether they agree.
"""

_CODE: Final = re.compile(r"\b[A-Z]{1,6}-?\d{2,}[A-Z0-9-]*\b")

_ABOUT: Final = re.compile(
    r"^(?:about|around|approximately|approx\.?|roughly|some|circa|ca\.?|nearly|almost|~)\s*", re.I
)
_COUNTED: Final = frozenset(
    [AnswerType.NUMBER, AnswerType.QUANTITY, AnswerType.MONEY, AnswerType.PERCENT]
)
_LISTED: Final = re.compile(r"\s*(?:,|;|&|\band\b)\s*", re.IGNORECASE)
_ITEM_WORDS: Final = 2
_FEWEST_ITEMS: Final = 2

_SAME_WORDS: Final = 0.8
"""Share of the shorter answer's keywords in the longer that makes them one answer in words."""


def group_answers(
    question_text: str,
    scored_drafts: Sequence[ScoredDraft],
    similarity: NDArray[np.float64] | NDArray[np.float32],
) -> tuple[tuple[ScoredDraft, ...], ...]:
    """Return the drafts in groups whose answers mean the same, larger groups' seats first.

    Every two members of a group match (complete linkage): an answer that names both values joins
    one side and never welds two. Drafts are placed established first, by score, so the groups of
    established drafts are the same whatever the pool says. The result does not depend on the order
    of the drafts, save for two that are equal in tier, score, answer and subset.

    Args:
        similarity: Shape `(n, n)`, cosines of the answers, in the order of `scored_drafts`.

    Raises:
        ValueError: `similarity` has another shape.
    """
    count = len(scored_drafts)
    if similarity.shape != (count, count):
        raise ValueError(f"similarity has shape {similarity.shape}, expected {(count, count)}")
    profile = read_question(question_text)
    order = sorted(range(count), key=lambda at: _placing(scored_drafts[at]))
    groups: list[list[int]] = []
    for at in order:
        home = _home(profile, scored_drafts, similarity, groups, at)
        if home is None:
            groups.append([at])
        else:
            home.append(at)
    return tuple(tuple(scored_drafts[at] for at in group) for group in groups)


def _placing(scored: ScoredDraft) -> tuple[int, float, str, int]:
    draft = scored.draft
    rank = {Tier.REVIEWED: 0, Tier.ESTABLISHED: 0, Tier.POOL: 1}[draft.subset.tier]
    return (rank, -scored.raw, draft.answer, draft.subset.index)


def _home(
    profile: QuestionProfile,
    drafts: Sequence[ScoredDraft],
    similarity: NDArray[np.float64] | NDArray[np.float32],
    groups: Sequence[list[int]],
    at: int,
) -> list[int] | None:
    """Return the group all of whose members match the draft, the most similar of several."""
    fitting = [
        group
        for group in groups
        if all(
            same_answer(
                profile,
                drafts[at].draft.answer,
                drafts[member].draft.answer,
                float(similarity[at, member]),
            )
            for member in group
        )
    ]
    return max(
        fitting,
        key=lambda group: min(float(similarity[at, member]) for member in group),
        default=None,
    )


def same_answer(question: QuestionProfile, first: str, second: str, cosine: float) -> bool:
    """Whether two answers to the question mean the same. Symmetric.

    By the question's type: yes or no; the figure that answers it, units converted; the name. Where
    neither turns on such a thing: close in meaning or words, and without a difference in figures,
    names or negation.
    """
    if _flat(first) == _flat(second):
        return True
    if question.type is AnswerType.YES_NO:
        polarity = yes_or_no(question, first), yes_or_no(question, second)
        if None not in polarity:
            return polarity[0] is polarity[1]
        return _close(first, second, cosine) and not _differ(question, first, second)
    if question.type in {AnswerType.DATE, AnswerType.TIME}:
        times = _times_of_day(first), _times_of_day(second)
        if times[0] and times[1]:
            return times[0] <= times[1] or times[1] <= times[0]
    by_form = _by_form(question, first, second)
    if by_form is not None:
        return by_form
    one, other = find_focus(question, first), find_focus(question, second)
    by_focus = _by_focus(question, one, other, first, second)
    if by_focus is not None:
        return by_focus
    if not _close(first, second, cosine) or _other_words(first, second):
        return False
    sole = _same_sole_figure(question, first, second)
    return sole if sole is not None else not _differ(question, first, second)


def _bare_number(answer: str) -> float | None:
    """Return the number that an answer is, an approximation taken as said; None if it says more."""
    said = _ABOUT.sub("", answer.strip().rstrip(".!").strip())
    numbers = find_numbers(said)
    whole = len(numbers) == 1 and numbers[0].start == 0 and numbers[0].end == len(said)
    return numbers[0].value if whole and not numbers[0].ordinal else None


def _items(answer: str) -> frozenset[frozenset[str]]:
    """Return the items of an answer that is a list of a few words and nothing else; else none."""
    parts = [part for part in _LISTED.split(answer.strip().rstrip(".!")) if part.strip()]
    items = [frozenset(keywords(part)) for part in parts]
    short = all(0 < len(part.split()) <= _ITEM_WORDS for part in parts)
    if len(parts) < _FEWEST_ITEMS or not short or not all(items) or find_numbers(answer):
        return frozenset()
    return frozenset(items)


def _other_words(first: str, second: str) -> bool:
    """Whether both answers are a word or two, and share none: what a cosine says of them is nothing."""
    one, other = set(keywords(first)), set(keywords(second))
    brief = max(len(first.split()), len(second.split())) <= _ITEM_WORDS
    return brief and bool(one) and bool(other) and not one & other


def _by_form(question: QuestionProfile, first: str, second: str) -> bool | None:
    """Compare answers that are both a bare number, a list of a few words, or give a code."""
    bare = _bare_number(first), _bare_number(second)
    if None not in bare and question.type in _COUNTED:
        return bare[0] == bare[1]  # "1200" alone reads like a year
    items = _items(first), _items(second)
    if items[0] and items[1]:
        return items[0] == items[1]
    codes = _codes(question, first), _codes(question, second)
    if codes[0] and codes[1]:
        return not codes[0].isdisjoint(codes[1])
    return None


def _same_sole_figure(question: QuestionProfile, first: str, second: str) -> bool | None:
    """Compare answers that each give one figure; None where they do not."""
    one, other = answer_values(question, first), answer_values(question, second)
    if len(one) == 1 == len(other) and comparable(one[0], other[0]):
        return same_value(one[0], other[0])
    return None


def _codes(question: QuestionProfile, answer: str) -> frozenset[str]:
    """Return the names made of letters and digits, "R-117" or "EN60335", that are not asked about."""
    return frozenset(
        code.replace("-", "").casefold()
        for code in _CODE.findall(answer)
        if code.casefold() not in question.text.casefold()
    )


def _times_of_day(answer: str) -> frozenset[int]:
    """Return the times of an answer in minutes, a range by both ends: "open at 9, close at 5"."""
    return frozenset(moment.minute for moment in find_moments(answer) if moment.minute is not None)


def _by_focus(
    question: QuestionProfile, one: Focus, other: Focus, first: str, second: str
) -> bool | None:
    same = same_focus(one, other)
    if one.value is not None and other.value is not None:
        denied = is_denied(first, one.value), is_denied(second, other.value)
        return (bool(same) or _same_several(question, first, second)) and denied[0] is denied[1]
    if one.value is not None or other.value is not None:
        # One gives the figure asked for, the other something else.
        return False if question.type in ACCEPTS else None
    if question.type in {AnswerType.PERSON, AnswerType.PLACE} and same is not None:
        return same or _shares_name(question, first, second)
    return None


def _same_several(question: QuestionProfile, first: str, second: str) -> bool:
    """Whether both give two or more figures of the kind asked for, the one no other than the other.

    "From 7 March to 29 November" says in two figures what it says, and either may be the focus.
    """
    kinds = ACCEPTS.get(question.type, ())
    one = [value for value in answer_values(question, first) if value.kind in kinds]
    other = [value for value in answer_values(question, second) if value.kind in kinds]
    less, more = sorted((one, other), key=len)
    return len(less) > 1 and all(any(same_value(a, b) for b in more) for a in less)


def _shares_name(question: QuestionProfile, first: str, second: str) -> bool:
    """Whether the name that answers in one stands anywhere in the other."""
    known = frozenset(question.terms)
    one = find_focus(question, first).name
    other = find_focus(question, second).name
    if one is None or other is None:
        return False
    in_second = one.stems - known <= frozenset(keywords(second))
    in_first = other.stems - known <= frozenset(keywords(first))
    return in_second and in_first


def _close(first: str, second: str, cosine: float) -> bool:
    if cosine >= SAME_MEANING:
        return True
    one, other = set(keywords(first)), set(keywords(second))
    shorter = min(len(one), len(other))
    return shorter > 0 and len(one & other) >= _SAME_WORDS * shorter


def _differ(question: QuestionProfile, first: str, second: str) -> bool:
    """Whether the answers differ in a figure, a negation or a name that is not the question's."""
    if is_negated(first) is not is_negated(second):
        return True
    if _figures_differ(answer_values(question, first), answer_values(question, second)):
        return True
    return _names_differ(question, first, second)


def _figures_differ(one: Sequence[Value], other: Sequence[Value]) -> bool:
    """Whether a figure of one has comparable figures in the other and equals none of them."""
    for values, others in ((one, other), (other, one)):
        for value in values:
            rivals = [rival for rival in others if comparable(value, rival)]
            if rivals and not any(same_value(value, rival) for rival in rivals):
                return True
    return False


def _names_differ(question: QuestionProfile, first: str, second: str) -> bool:
    known = frozenset(question.terms)
    one = [name.stems - known for name in find_names(first) if name.stems - known]
    other = [name.stems - known for name in find_names(second) if name.stems - known]
    if not one or not other:
        return False
    in_second = any(stems <= frozenset(keywords(second)) for stems in one)
    in_first = any(stems <= frozenset(keywords(first)) for stems in other)
    return not (in_first or in_second)


def _flat(text: str) -> str:
    return " ".join(text.lower().split()).rstrip(".!")
