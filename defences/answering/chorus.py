"""What a chorus is worth: one voice, and none against a family that is sure and stands alone.

A chorus (`defences.retrieval.chorus`) is no proof of a plant, and families without provenance prove
nothing else either. So where its families agree they count as one. Against a family that stands alone
and is sure, they are not asked to decide; against one that is unsure it is one voice to one, which is
a conflict, and nobody is answered. Whoever uploads two texts far apart in words is no chorus: this is
worth something against planted consensus, and no guarantee.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from defences.retrieval.partition import Choruses
from domain.answering import AnswerGroup, AnswerWarning, GuardDecision, ScoredDraft, SeatId


@dataclass(frozen=True, slots=True, kw_only=True)
class Voices:
    """Groups of answers in which a chorus speaks once.

    Attributes:
        groups: Non-empty, in the order that they had.
        chorus: Indices of the subsets whose drafts speak for a chorus.
    """

    groups: tuple[tuple[ScoredDraft, ...], ...]
    chorus: frozenset[int] = frozenset()

    def contending(self, groups: Sequence[AnswerGroup]) -> tuple[AnswerGroup, ...]:
        """Return the weighed groups without those of a chorus alone, where a sure family stands."""
        sure = any(
            not scored.draft.tentative and not self._speaks_for_one(scored)
            for group in groups
            for scored in group.drafts
        )
        if not sure:
            return tuple(groups)
        return tuple(group for group in groups if not all(map(self._speaks_for_one, group.drafts)))

    def marked(self, decision: GuardDecision) -> GuardDecision:
        """Return the decision, with a warning where a chorus spoke."""
        if not self.chorus:
            return decision
        return replace(decision, warnings=(*decision.warnings, AnswerWarning.CHORUS))

    def _speaks_for_one(self, scored: ScoredDraft) -> bool:
        return scored.draft.subset.index in self.chorus


def one_voice(groups: Sequence[Sequence[ScoredDraft]], choruses: Choruses) -> Voices:
    """Return the groups with the best draft alone of those that one chorus gave to a group."""
    chorus: set[int] = set()
    voiced: list[tuple[ScoredDraft, ...]] = []
    for group in groups:
        by_chorus: dict[int, list[ScoredDraft]] = {}
        alone: list[ScoredDraft] = []
        for scored in group:
            number = _chorus_of(scored, choruses)
            if number is None:
                alone.append(scored)
            else:
                by_chorus.setdefault(number, []).append(scored)
        for members in by_chorus.values():
            best = max(members, key=lambda scored: scored.raw)
            alone.append(best)
            if len(members) > 1:
                chorus.add(best.draft.subset.index)
        voiced.append(tuple(alone))
    return Voices(groups=tuple(voiced), chorus=frozenset(chorus))


def _chorus_of(scored: ScoredDraft, choruses: Choruses) -> int | None:
    seats: frozenset[SeatId] = frozenset(scored.seats)
    return next((at for at, chorus in enumerate(choruses) if seats <= chorus and seats), None)
