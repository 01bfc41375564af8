"""What a chorus is worth: one voice, and none against a family that is sure and stands alone.

A chorus (`defences.retrieval.chorus`) is no proof of a plant, and families without provenance prove
nothing else either. So where its families agree they count as one. Against a family that stands alone
and is sure, they are not asked to decide; against one that is unsure it is one voice to one, which is
a conflict, and nobody is answered. The same where its families all say something else (texts planted
to set sources against each other): their quarrel does not silence a family that is none of them. Whoever uploads two texts far apart in words is no chorus: this is
worth something against planted consensus, and no guarantee.

A family by itself that repeats the question, as texts do that were written to be found by it, is
treated likewise by a sure family that does not and was there no later. Texts that come later than
an honest FAQ gain nothing by that, and where nobody else is sure it speaks as any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from defences.retrieval.chorus import repeats
from defences.retrieval.partition import Choruses
from domain.answering import AnswerGroup, AnswerWarning, GuardDecision, ScoredDraft, SeatId


@dataclass(frozen=True, slots=True, kw_only=True)
class Voices:
    """Groups of answers in which a chorus speaks once.

    Attributes:
        groups: Non-empty, in the order that they had.
        chorus: Indices of the subsets whose drafts speak for a chorus, or yield as one does.
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


def one_voice(
    groups: Sequence[Sequence[ScoredDraft]], choruses: Choruses, *, question: str | None = None
) -> Voices:
    """Return the groups with the best draft alone of those that one chorus gave to a group.

    Args:
        groups: Of drafts; in a mode with provenance nothing of this applies to them.
        choruses: Of the families; empty where they are not the seats.
        question: Its text, where families are the seats; None elsewhere.
    """
    parties: dict[int, list[list[ScoredDraft]]] = {}
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
        for number, members in by_chorus.items():
            members.sort(key=lambda scored: -scored.raw)
            alone.append(members[0])
            parties.setdefault(number, []).append(members)
        voiced.append(tuple(alone))
    speaking = (party for of_one in parties.values() for party in _speaking(of_one))
    chorus = frozenset(party[0].draft.subset.index for party in speaking)
    if question is not None:
        others = [one for group in voiced for one in group if one.draft.subset.index not in chorus]
        chorus |= _yielding(others, question)
    return Voices(groups=tuple(voiced), chorus=chorus)


def _yielding(drafts: Sequence[ScoredDraft], question: str) -> frozenset[int]:
    """Return the indices of those that repeat the question and are no older than a sure one that does not."""
    echoing = {
        one.draft.subset.index: one
        for one in drafts
        if any(repeats(hit.chunk.text, question) for hit in one.draft.subset.chunks)
    }
    plain = [
        _since(one)
        for one in drafts
        if not one.draft.tentative and one.draft.subset.index not in echoing
    ]
    if not plain:
        return frozenset()
    return frozenset(at for at, one in echoing.items() if _since(one) >= min(plain))


def _since(scored: ScoredDraft) -> datetime:
    return min(hit.admitted_at for hit in scored.draft.subset.chunks)


def _speaking(parties: Sequence[Sequence[ScoredDraft]]) -> Sequence[Sequence[ScoredDraft]]:
    """Return who speaks for a chorus: its members that agree or, where none do, all that quarrel."""
    agreeing = [party for party in parties if len(party) > 1]
    return agreeing or (parties if len(parties) > 1 else ())


def _chorus_of(scored: ScoredDraft, choruses: Choruses) -> int | None:
    seats: frozenset[SeatId] = frozenset(scored.seats)
    return next((at for at, chorus in enumerate(choruses) if seats <= chorus and seats), None)
