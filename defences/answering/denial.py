"""Tells an answer from a text that only says that there is none (denial of answer).

"Sources disagree about the warranty" answers nothing. Taken for an answer it would be a vote against
those who do answer, and so a way to silence them that needs no claim of its own. A draft whose answer
is of that kind abstains instead, whoever it is of: it counts neither in agreement nor in entropy.
"""

from __future__ import annotations

import itertools
import re
from typing import Final

from defences.answering.focus import answer_values, find_focus
from defences.answering.keywords import keywords
from defences.answering.questions import ACCEPTS, AnswerType, QuestionProfile, read_question
from defences.answering.second_look import abstention
from domain.answering import Draft

_PARTIES: Final = (
    r"(?:sources?|reports?|records?|documents?|accounts?|experts?|authorities|publications?|references?"
    r"|manuals?|materials?|versions?|statements?|claims?|data|evidence|information|scholars|historians"
    r"|researchers|studies|reviewers|opinions?|views|answers?|figures?|publishers|officials)"
)
_DISPUTED: Final = (
    r"(?:disputed|contested|in dispute|under dispute|controversial|debated|contentious|unresolved"
    r"|unsettled|inconclusive|unclear|uncertain|unknown|unconfirmed|unverified|unverifiable"
    r"|questionable|unreliable|contradictory|conflicting|inconsistent|ambiguous|indeterminate"
    r"|(?:called )?in(?:to)? question|under (?:review|investigation|revision)|open to (?:question|debate))"
)
_BE: Final = r"(?:is|are|was|were|be|been|being|remains?|remained|seems?|appears?|becomes?|stays?|has become)"
_DENIAL: Final = re.compile(
    rf"\b{_PARTIES}\b[^.;]{{0,60}}?\b(?:disagree|differ|conflict|contradict|diverge|vary|dispute"
    r"|do(?:es)? not (?:agree|match|align)|don['’]t agree)\w*\b"  # noqa: RUF001
    rf"|\b{_BE}\s+(?:\w+\s+){{0,3}}?{_DISPUTED}\b"
    rf"|\b{_DISPUTED}\s+{_PARTIES}\b"
    r"|\b(?:no|without(?: any)?|lack of|little)\s+(?:\w+\s+){0,2}?(?:consensus|agreement|certainty|clarity"
    r"|(?:definitive|reliable|agreed|single|confirmed|authoritative|verified|official|clear)\s+(?:answer|figure|value|information|source|date|number|record)s?)\b"
    r"|\bthere (?:is|are|exists?|remains?)\s+(?:\w+\s+){0,3}?(?:disagreements?|controvers\w+|disputes?"
    r"|debate|doubts?|conflicts?|contradictions?|discrepanc\w+|uncertaint\w+)\b"
    r"|\b(?:cannot|can['’]t|can not|could not|should not|must not|may not|do not|don['’]t|not to)\s+(?:\w+\s+){0,2}?"  # noqa: RUF001
    r"(?:be\s+)?(?:\w+ly\s+)?(?:relied (?:on|upon)|rely (?:on|upon)|trust(?:ed)?|determined?|established?|confirmed?"
    r"|verified?|verify|answered?|answer this)\b"
    r"|\b(?:has|have) (?:since |now |recently )?been (?:retracted|withdrawn as|called into question|challenged|discredited|questioned)\b"
    r"|\bdisagree(?:s|d|ment)?\s+(?:about|on|over|as to|whether)\b",
    re.IGNORECASE,
)
_ABOUT_DISPUTE: Final = re.compile(
    r"\b(?:disput|contest|controvers|debat|disagree|conflict|contradict|retract|unclear|uncertain|unknown"
    r"|doubt|reliab|trust|rely|relied|consensus|confirm|verif|challeng|discredit|question(?:ed|able))\w*",
    re.IGNORECASE,
)
_LEADING: Final = re.compile(r"^\W*(?:yes|no)\b\W", re.IGNORECASE)
_CLAUSE: Final = re.compile(
    r"[;:]|,\s+(?:but|and|while|whereas|though|although|however|yet)\b|\.\s"
)
_PART: Final = re.compile(r"[;:,]|\.\s")
_SEVERAL: Final = 2

_SAYS_SOMETHING: Final = 3
"""Words of its own, beside those of the question, of a clause that answers in words."""


def without_denial(question: str, draft: Draft) -> Draft:
    """Return the draft, as an abstention where its answer only says that there is no answer."""
    if not draft.usable or not denies_answer(read_question(question), draft.answer):
        return draft
    return abstention(draft)


def denies_answer(question: QuestionProfile, answer: str) -> bool:
    """Whether `answer` asserts a dispute, doubt or ban and gives no answer beside it.

    An answer beside it is a figure of the kind asked for, or a name, in a clause that does not doubt
    it; several figures that are told as rivals are none. Asked about a dispute, a text that asserts
    one answers.
    """
    if _ABOUT_DISPUTE.search(question.text):
        return False
    body = answer
    leading = _LEADING.match(f"{answer} ")
    if leading is not None:
        body = answer[leading.end() :]  # a polarity that a drafter set before the sentence
    match = _DENIAL.search(body)
    if match is None:
        return False
    in_words = question.type in {AnswerType.DESCRIPTION, AnswerType.YES_NO}
    clauses = _sound_clauses(body, _PART if in_words else _CLAUSE)
    return not any(_answers(question, clause) for clause in clauses)


def _sound_clauses(text: str, ends: re.Pattern[str]) -> list[str]:
    bounds = [0, *(match.end() for match in ends.finditer(text)), len(text)]
    clauses = [text[start:end] for start, end in itertools.pairwise(bounds)]
    return [clause for clause in clauses if clause.strip() and not _DENIAL.search(clause)]


def _answers(question: QuestionProfile, clause: str) -> bool:
    if question.type in ACCEPTS:
        kinds = {kind for wanted in question.types for kind in ACCEPTS.get(wanted, ())}
        values = [value for value in answer_values(question, clause) if value.kind in kinds]
        return 0 < len(values) < _SEVERAL
    if question.type in {AnswerType.DESCRIPTION, AnswerType.YES_NO}:
        return len(set(keywords(clause)) - set(question.terms)) >= _SAYS_SOMETHING
    return find_focus(question, clause).name is not None
