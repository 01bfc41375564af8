"""Questions about two things: "are A and B both ...", "which is older, A or B".

One sentence about one of them answers nothing. Both must be spoken of in the evidence, and what
decides is a figure, a date or a plain statement about each; where that is missing nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from defences.answering.dates import Moment
from defences.answering.focus import is_negated
from defences.answering.keywords import keywords
from defences.answering.names import Name
from defences.answering.questions import AnswerType, QuestionProfile
from defences.answering.relations import asked_relations, nearness, stated_relations
from defences.answering.values import Value, ValueKind, comparable, find_values
from gateway.query.sentence_features import Candidate

_AND: Final = re.compile(r"\W*(?:,\s*)?\band\b\s*(?:the\s+|both\s+)?", re.IGNORECASE)
_OR: Final = re.compile(r"\W*(?:,\s*)?\bor\b\s*(?:the\s+)?", re.IGNORECASE)
_SAME: Final = re.compile(r"\b(?:same|similar|equal|different|each other)\b", re.IGNORECASE)
_EARLIER: Final = re.compile(r"\b(?:first|earlier|earliest|older|oldest|elder|before)\b", re.I)
_LATER: Final = re.compile(r"\b(?:later|latest|last|younger|youngest|newer|newest|after)\b", re.I)
_MORE: Final = re.compile(
    r"\b(?:more|most|larger|largest|longer|longest|taller|tallest|higher|highest|bigger|biggest"
    r"|greater|heavier|deeper|wider|dearer|faster)\b",
    re.IGNORECASE,
)
_LESS: Final = re.compile(
    r"\b(?:fewer|fewest|less|least|smaller|smallest|shorter|shortest|lower|lowest|lighter|cheaper"
    r"|cheapest|slower|narrower)\b",
    re.IGNORECASE,
)
_EMPTY: Final = frozenset(
    keywords("type kind sort described used known considered example both genre form member")
)
_OPENING_WORDS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What the evidence decides: `said` as the answer begins, and what is said of each side.

    Attributes:
        shown: The sentence that the answer quotes; one of `grounds`.
    """

    said: str
    shown: Candidate
    grounds: tuple[Candidate, ...]


def needs_both(question: QuestionProfile, candidates: Sequence[Candidate]) -> bool:
    """Whether yes or no is asked of two things of which no sentence speaks together.

    Then no sentence alone answers, whatever it says of one of them.
    """
    pair = _joined(question, _AND)
    if pair is None or question.type is not AnswerType.YES_NO:
        return False
    both = pair[0].stems | pair[1].stems
    return not any(both <= frozenset(keywords(one.sentence.text)) for one in candidates)


def decide(question: QuestionProfile, candidates: Sequence[Candidate]) -> Verdict | None:
    """Return what the evidence says of both sides; None where it does not decide."""
    sides = _joined(question, _OR)
    if sides is not None:
        return _either(question, sides, candidates)
    pair = _joined(question, _AND)
    if pair is None or question.type is not AnswerType.YES_NO:
        return None
    return _both(question, pair, candidates)


def _joined(question: QuestionProfile, joint: re.Pattern[str]) -> tuple[Name, Name] | None:
    """Return the two neighbouring names of the question with only `joint` between them."""
    for first, second in zip(question.names, question.names[1:], strict=False):
        if first.end <= second.start and joint.fullmatch(question.text, first.end, second.start):
            return None if first.stems & second.stems == first.stems else (first, second)
    return None


def _about(
    side: Name, candidates: Sequence[Candidate], *, without: Name | None = None
) -> list[Candidate]:
    """Return the sentences that speak of one side: by name, or in a passage that opens with it.

    Those that name `without` too are left out.
    """
    found = []
    for candidate in candidates:
        own = frozenset(keywords(candidate.sentence.text))
        opening = candidate.head or " ".join(candidate.chunk.chunk.text.split()[:_OPENING_WORDS])
        named = side.stems <= own or side.stems <= frozenset(keywords(opening))
        if named and (without is None or not without.stems <= own):
            found.append(candidate)
    return found


def _both(
    question: QuestionProfile, sides: tuple[Name, Name], candidates: Sequence[Candidate]
) -> Verdict | None:
    """Say yes where the same is plainly stated of both. A silence is no denial."""
    if _SAME.search(question.text):
        return None
    wanted = set(question.terms) - sides[0].stems - sides[1].stems - _EMPTY
    if not wanted:
        return None
    grounds = []
    for side in sides:
        stating = [
            one
            for one in _about(side, candidates)
            if wanted <= set(keywords(one.sentence.text)) and not is_negated(one.sentence.text)
        ]
        if not stating:
            return None
        grounds.append(stating[0])
    word = "No" if question.negated else "Yes"
    return Verdict(said=word, shown=grounds[0], grounds=tuple(grounds))


def _either(
    question: QuestionProfile, sides: tuple[Name, Name], candidates: Sequence[Candidate]
) -> Verdict | None:
    spoken = [_about(side, candidates, without=other) for side, other in (sides, sides[::-1])]
    if not all(spoken):
        return None
    direction = _direction(question)
    if direction is None:
        return _stated_of_one(question, sides, spoken)
    dated, sign = direction
    first, second = (_figure(question, side, dated=dated) for side in spoken)
    if first is None or second is None:
        return None
    order = _order(first[1], second[1])
    if not order:
        return None
    winner = 0 if order * sign > 0 else 1
    grounds = (first[0], second[0])
    return Verdict(said=sides[winner].text, shown=grounds[winner], grounds=grounds)


def _direction(question: QuestionProfile) -> tuple[bool, int] | None:
    """Return whether dates decide, and +1 where the greater wins; None without a comparative."""
    asked = question.text
    for pattern, dated, sign in (
        (_MORE, False, 1),
        (_LESS, False, -1),
        (_EARLIER, True, -1),
        (_LATER, True, 1),
    ):
        if pattern.search(asked):
            return dated, sign
    return None


def _figure(
    question: QuestionProfile, spoken: Sequence[Candidate], *, dated: bool
) -> tuple[Candidate, Value] | None:
    """Return the figure of one side that is asked for, with its sentence."""
    relations = asked_relations(question.text)
    if dated and not relations:
        relations = ("born", "make", "begin", "release")
    best: tuple[float, Candidate, Value] | None = None
    for candidate in spoken:
        text = candidate.sentence.text
        stated = stated_relations(text, relations)
        for value in find_values(text):
            if value.negated or (value.moment is not None) is not dated:
                continue
            if dated:
                fit = nearness(stated, value.start, value.end) + 1.0 / (2.0 + value.start)
            else:
                fit = float(bool(set(value.nouns) & set(question.terms)))
                fit += float(value.kind is not ValueKind.NUMBER) * nearness(
                    stated, value.start, value.end
                )
            if fit > 0.0 and (best is None or fit > best[0]):
                best = fit, candidate, value
    return None if best is None else (best[1], best[2])


def _order(first: Value, second: Value) -> int:
    """Return 1 where the first is greater or later, -1 where less, 0 where that cannot be told."""
    if first.moment is not None and second.moment is not None:
        one, other = _day(first.moment), _day(second.moment)
        known = min(len(one), len(other))
        return (one[:known] > other[:known]) - (one[:known] < other[:known])
    if not comparable(first, second):
        return 0
    return (first.low > second.high) - (first.high < second.low)


def _day(moment: Moment) -> tuple[int, ...]:
    """Return year, month and day, as far as they are known without a gap; nothing without a year."""
    known: list[int] = []
    for part in (moment.year, moment.month, moment.day):
        if part is None:
            break
        known.append(part)
    return tuple(known)


def _stated_of_one(
    question: QuestionProfile, sides: tuple[Name, Name], spoken: Sequence[Sequence[Candidate]]
) -> Verdict | None:
    """Return the side of which alone the evidence states what is asked."""
    asked = set(question.terms) - sides[0].stems - sides[1].stems - _EMPTY - set(question.nouns)
    if not asked:
        return None
    stating = [
        [
            one
            for one in side
            if asked <= set(keywords(one.sentence.text)) and not is_negated(one.sentence.text)
        ]
        for side in spoken
    ]
    if bool(stating[0]) is bool(stating[1]):
        return None
    winner = 0 if stating[0] else 1
    shown = stating[winner][0]
    return Verdict(said=sides[winner].text, shown=shown, grounds=(shown,))
