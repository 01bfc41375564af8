"""The statistic that the monitors watch: Law 11 of the design."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TypeVar

from defences.answering.guard import seat_votes
from domain.answering import AnswerGroup
from domain.retrieval import FamilyId

_Voter = TypeVar("_Voter", bound=str)

_WHOLE = 1.0 - 1e-9


def monitored_disagreement(groups: Sequence[AnswerGroup]) -> float:
    """Return the unweighted pairwise disagreement of the seats that answered, in [0, 1].

    Every seat counts the same, the pool's too, whatever its score or trust; a seat that splits its
    vote disagrees with all. Where a single seat answered, its families are compared instead, so
    that a corpus of one origin is watched too. 0 without a pair.
    """
    seats = seat_votes(groups)
    if len(seats) > 1:
        return pairwise_disagreement(seats)
    return pairwise_disagreement(family_votes(groups))


def pairwise_disagreement(votes: Mapping[_Voter, Mapping[int, float]]) -> float:
    """Return the share of pairs of voters that do not stand whole behind one group."""
    held = [
        next((group for group, share in shares.items() if share >= _WHOLE), None)
        for shares in votes.values()
    ]
    pairs = list(itertools.combinations(held, 2))
    if not pairs:
        return 0.0
    return sum(first is None or first != second for first, second in pairs) / len(pairs)


def family_votes(groups: Sequence[AnswerGroup]) -> dict[FamilyId, dict[int, float]]:
    """Return each quoted family's shares by position of the group."""
    counts: dict[FamilyId, dict[int, int]] = {}
    for position, group in enumerate(groups):
        for scored in group.drafts:
            quoted = {quote.document_id for quote in scored.draft.quotes}
            families = {
                chunk.family_id
                for chunk in scored.draft.subset.chunks
                if chunk.chunk.document_id in quoted
            }
            for family in families:
                held = counts.setdefault(family, {})
                held[position] = held.get(position, 0) + 1
    return {
        family: {at: count / sum(held.values()) for at, count in held.items()}
        for family, held in counts.items()
    }
