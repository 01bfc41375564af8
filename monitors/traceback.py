"""Traces an answer, or a dispute, to the documents that most likely brought it about.

The question is asked again as it would be now, then once without each family, origin and all
newcomers together: a bounded number of times, those first against whom most speaks already.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from defences.answering.agreement import same_answer
from defences.answering.focus import answer_values, find_focus, yes_or_no
from defences.answering.keywords import keyword_set
from defences.answering.names import mentions
from defences.answering.questions import AnswerType, read_question
from defences.answering.values import same_value
from domain.answering import AnswerGroup, AnswerResult, Outcome, Question
from domain.documents import DocumentId, OriginRef
from domain.retrieval import NOTHING_WITHHELD, FamilyId, ScoredChunk, Withheld
from domain.traceback import Asking, Clues, Trace, TracedAs
from monitors.sightings import is_disputed
from monitors.suspicion import (
    THRESHOLD,
    YOUNG_DAYS,
    is_newcomer,
    ranked,
    suspicion,
)

MOST_RERUNS: Final = 8
_DAY_SECONDS: Final = 86_400.0
_PROVEN: Final = 0.5
_MOST_WORDS: Final = 0.75
"""Share of an answer's own words that a text must have to say the same, where words answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What is looked for.

    Attributes:
        accused: Answers of the accused side.
        defended: The answer that seasoned sources support; None where none does.
    """

    traced_as: TracedAs
    question: str
    accused: tuple[str, ...]
    defended: str | None = None


class Traceback:
    """Asks again and ranks."""

    def __init__(
        self, asking: Asking, *, most_reruns: int = MOST_RERUNS, threshold: float = THRESHOLD
    ) -> None:
        self._asking = asking
        self._most = most_reruns
        self._threshold = threshold

    async def trace(
        self,
        question: Question,
        *,
        said: str | None,
        now: datetime,
        named: Collection[str] = (),
    ) -> Trace:
        """Rank the documents in the evidence of a question.

        Args:
            question: As it was asked.
            said: The answer that is reported as wrong; None to judge by what comes of it now.
            now: Ages are reckoned from it.
            named: Sources that an alert names: `document ...`, `origin ...`, `family ...`.

        Raises:
            TransientError: Index or model did not answer.
            PermanentError: A model endpoint is not what was configured.
        """
        base = await self._asking.ask(question, without=NOTHING_WITHHELD)
        case = case_of(base, said=said, now=now)
        clues = clues_of(case, base, now=now, named=named)
        trials = trials_of(clues)
        effects: dict[str, float] = {}
        for trial in trials[: self._most]:
            again = await self._asking.ask(question, without=trial.withheld)
            effect = relief(case, base, again)
            effects |= dict.fromkeys(trial.names, effect)
        return Trace(
            question_id=question.id,
            traced_as=case.traced_as,
            retrieved=ranked(with_company([with_effects(one, effects) for one in clues])),
            threshold=self._threshold,
            reruns=1 + min(len(trials), self._most),
            skipped=max(0, len(trials) - self._most),
        )


def case_of(base: AnswerResult, *, said: str | None, now: datetime) -> Case:
    """Return what is looked for: who brought about `said`, or what divides the drafts."""
    question = base.question.text
    troubled = base.outcome is Outcome.ABSTAIN or is_disputed(
        agreement=base.agreement, entropy=base.entropy
    )
    if said is None and base.best is not None and not troubled:
        said = base.best.answer
    if said is not None:
        return Case(traced_as=TracedAs.WRONG_ANSWER, question=question, accused=(said,))
    defended = _defended(base, now)
    return Case(
        traced_as=TracedAs.DISPUTE,
        question=question,
        accused=tuple(one.answer for one in base.groups if one is not defended),
        defended=None if defended is None else defended.answer,
    )


def _defended(base: AnswerResult, now: datetime) -> AnswerGroup | None:
    """Return the group that most seasoned established documents are quoted for.

    Where nobody vouches for any of the evidence, most seasoned ones.
    """
    ages = {hit.chunk.document_id: _age(hit, now) for hit in base.retrieved}
    vouched = {hit.chunk.document_id for hit in base.retrieved if hit.origin.established}
    standing = vouched or ages.keys()

    def seasoned(group: AnswerGroup) -> int:
        quoted = {
            quote.origin
            for scored in group.drafts
            for quote in scored.draft.quotes
            if quote.document_id in standing and ages.get(quote.document_id, 0.0) > YOUNG_DAYS
        }
        return len(quoted)

    best = max(base.groups, key=lambda one: (seasoned(one), one.score), default=None)
    return best if best is not None and seasoned(best) else None


def clues_of(
    case: Case, base: AnswerResult, *, now: datetime, named: Collection[str] = ()
) -> tuple[Clues, ...]:
    """Return the clues against each retrieved document, in the order of its best chunk."""
    accused = [one for one in base.groups if _is_accused(case, one.answer)]
    quoted = {
        quote.document_id
        for group in accused
        for scored in group.drafts
        for quote in scored.draft.quotes
    }
    stating = [states(case.question, answer) for answer in case.accused]
    vouched = any(hit.origin.established for hit in base.retrieved)
    against = None if case.defended is None else states(case.question, case.defended)
    chunks: dict[DocumentId, list[ScoredChunk]] = {}
    for hit in base.retrieved:
        chunks.setdefault(hit.chunk.document_id, []).append(hit)

    def says(hits: Sequence[ScoredChunk]) -> bool:
        texts = [hit.chunk.text for hit in hits]
        if against is not None and any(map(against, texts)):
            return False
        return any(says(text) for says in stating for text in texts)

    return tuple(
        Clues(
            document_id=document_id,
            origin=hits[0].origin.ref,
            family_id=hits[0].family_id,
            established=hits[0].origin.established,
            age_days=_age(hits[0], now),
            trust=hits[0].trust,
            quoted=document_id in quoted,
            states=says(hits),
            named=not {
                f"document {document_id}",
                f"origin {hits[0].origin.ref}",
                f"family {hits[0].family_id}",
            }.isdisjoint(named),
            strangers_tell=vouched or case.traced_as is TracedAs.WRONG_ANSWER,
        )
        for document_id, hits in chunks.items()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One thing to withhold; `names` of all that withholding it withholds whole."""

    names: tuple[str, ...]
    withheld: Withheld
    prior: float


def trials_of(clues: Sequence[Clues]) -> tuple[Trial, ...]:
    """Return newcomers, origins and families to withhold, the likeliest first.

    What would withhold the same documents is tried once.
    """
    found: dict[frozenset[DocumentId], Trial] = {}
    newcomers = frozenset(one.document_id for one in clues if _is_newcomer(one))
    groups: list[tuple[str, frozenset[DocumentId], Withheld]] = []
    if newcomers:
        groups.append((_NEWCOMERS, newcomers, Withheld(documents=newcomers)))
    for origin in dict.fromkeys(one.origin for one in clues):
        covered = frozenset(one.document_id for one in clues if one.origin == origin)
        groups.append((_origin(origin), covered, Withheld(origins=frozenset({origin}))))
    for family in dict.fromkeys(one.family_id for one in clues):
        covered = frozenset(one.document_id for one in clues if one.family_id == family)
        groups.append((_family(family), covered, Withheld(families=frozenset({family}))))
    for name, covered, withheld in groups:
        known = found.get(covered)
        if known is not None:
            found[covered] = replace(known, names=(*known.names, name))
            continue
        prior = max(suspicion(one) for one in clues if one.document_id in covered)
        found[covered] = Trial(names=(name,), withheld=withheld, prior=prior)
    return tuple(sorted(found.values(), key=lambda one: (-one.prior, one.names)))


def with_effects(clues: Clues, effects: Mapping[str, float]) -> Clues:
    """Return the clues with what withholding came to."""
    return replace(
        clues,
        family_effect=effects.get(_family(clues.family_id)),
        origin_effect=effects.get(_origin(clues.origin)),
        newcomers_effect=effects.get(_NEWCOMERS) if _is_newcomer(clues) else None,
    )


def with_company(found: Sequence[Clues]) -> Sequence[Clues]:
    """Return the clues with whose origin added something lately that makes the trouble.

    Of several texts that an attacker plants one may do all the work, and the others wait.
    """
    proven = {
        (one.origin, one.document_id)
        for one in found
        if one.age_days <= YOUNG_DAYS and (one.family_effect or 0.0) >= _PROVEN
    }
    return [
        replace(
            one,
            beside=one.age_days <= YOUNG_DAYS
            and any(
                origin == one.origin and document != one.document_id for origin, document in proven
            ),
        )
        for one in found
    ]


def relief(case: Case, base: AnswerResult, again: AnswerResult) -> float:
    """Return how much of the trouble went with what was withheld, in [0, 1]."""
    if case.traced_as is TracedAs.WRONG_ANSWER:
        before, after = _support(case, base), _support(case, again)
        if before == 0.0:
            return 0.0
        held = base.best is not None and _is_accused(case, base.best.answer)
        still = again.best is not None and _is_accused(case, again.best.answer)
        return 1.0 if held and not still else _drop(before, after)
    if again.best is None:
        return 0.0  # nothing is left that could be disputed
    if case.defended is not None and not states(case.question, case.defended)(again.best.answer):
        return 0.0  # the truth went, and not what was against it
    if base.outcome is Outcome.ABSTAIN and again.outcome is not Outcome.ABSTAIN:
        return 1.0
    return _drop(base.entropy, again.entropy)


def states(question: str, answer: str) -> Callable[[str], bool]:
    """Return what tells whether a text says what the answer says, wording aside."""
    profile = read_question(question)
    if profile.type is AnswerType.YES_NO:
        polarity = yes_or_no(profile, answer)
        if polarity is not None:
            return lambda text: yes_or_no(profile, text) is polarity
    focus = find_focus(profile, answer)
    value, name = focus.value, focus.name
    if value is not None:
        return lambda text: any(same_value(value, one) for one in answer_values(profile, text))
    if name is not None:
        return lambda text: mentions(name, keyword_set(text))
    own = keyword_set(answer) - keyword_set(question)
    return lambda text: bool(own) and len(own & keyword_set(text)) >= _MOST_WORDS * len(own)


def _is_accused(case: Case, answer: str) -> bool:
    profile = read_question(case.question)
    return any(answer == one or same_answer(profile, answer, one, 0.0) for one in case.accused)


def _support(case: Case, result: AnswerResult) -> float:
    return sum(one.score for one in result.groups if _is_accused(case, one.answer))


def _drop(before: float, after: float) -> float:
    return min(1.0, max(0.0, (before - after) / before)) if before > 0 else 0.0


def _is_newcomer(clues: Clues) -> bool:
    return is_newcomer(established=clues.established, age_days=clues.age_days)


def _age(hit: ScoredChunk, now: datetime) -> float:
    return max((now - hit.admitted_at).total_seconds(), 0.0) / _DAY_SECONDS


_NEWCOMERS: Final = "newcomers"


def _origin(origin: OriginRef) -> str:
    return f"origin {origin}"


def _family(family: FamilyId) -> str:
    return f"family {family}"
