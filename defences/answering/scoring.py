"""One number a draft: Law 7 of the design."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from defences.retrieval.partition import seat_of
from domain.answering import Draft, EvidenceSubset, PartitionMode, ScoredDraft, SeatId
from domain.documents import Tier

LEAST_RAW: Final = 1e-12
"""Keeps a score above 0, so that its logarithm is finite."""


def score_drafts(
    drafts: Sequence[Draft],
    own: NDArray[np.float64],
    unconditional: NDArray[np.float64],
    *,
    mode: PartitionMode,
    lift_bound: float,
    cross: NDArray[np.float64] | None = None,
) -> tuple[ScoredDraft, ...]:
    """Return the usable drafts with their scores, in order.

    raw = probability x exp(log P(draft | own evidence)) x exp(sum of clipped lifts), at most 1.
    A lift is log P(draft | E_j) - log P(draft), counted once for each other established seat whose
    own draft did not abstain, clipped to +-`lift_bound`: one seat moves log raw by at most that,
    the pool by nothing.

    Args:
        drafts: All drafts of the question; those that abstained or failed say whose evidence does
            not count as a witness.
        own: Shape `(len(drafts),)`, log P per token given the draft's own subset; of a draft that
            is not usable any number.
        unconditional: Shape `(len(drafts),)`, log P per token given nothing.
        cross: Shape `(len(drafts), len(drafts))`, log P of draft i given the subset of draft j;
            None where cross-examination is off, and every lift 0.
    """
    scored = []
    for at, draft in enumerate(drafts):
        if not draft.usable:
            continue
        faithfulness = _probability(own[at])
        lift = 0.0
        if cross is not None:
            lift = corroboration(drafts, at, cross[at] - unconditional[at], lift_bound=lift_bound)
        raw = draft.probability * faithfulness * float(np.exp(lift))
        scored.append(
            ScoredDraft(
                draft=draft,
                faithfulness=faithfulness,
                unconditional=_probability(unconditional[at]),
                corroboration=lift,
                raw=min(1.0, max(LEAST_RAW, raw)),
                trust=min((quote.trust for quote in draft.quotes), default=0.0),
                seats=voting_seats(draft, mode),
            )
        )
    return tuple(scored)


def corroboration(
    drafts: Sequence[Draft], at: int, lifts: NDArray[np.float64], *, lift_bound: float
) -> float:
    """Return the sum over other established seats of their mean lift, each clipped, in nats.

    Several subsets of one seat are one witness. Seats that share a subset cannot be told apart
    and are one witness too.
    """
    own_seats = set(drafts[at].subset.seats)
    witnesses: dict[tuple[SeatId, ...], list[float]] = {}
    for other, draft in enumerate(drafts):
        subset: EvidenceSubset = draft.subset
        if subset.tier is Tier.POOL or not draft.usable or own_seats & set(subset.seats):
            continue
        witnesses.setdefault(subset.seats, []).append(float(lifts[other]))
    clipped = [
        min(lift_bound, max(-lift_bound, sum(values) / len(values)))
        for values in witnesses.values()
    ]
    return float(sum(clipped))


def voting_seats(draft: Draft, mode: PartitionMode) -> tuple[SeatId, ...]:
    """Return the seats whose documents the draft quotes, sorted.

    A quote of a document that is not in the draft's own subset gives no vote.
    """
    quoted = {quote.document_id for quote in draft.quotes}
    return tuple(
        sorted(
            {
                seat_of(chunk, mode)
                for chunk in draft.subset.chunks
                if chunk.chunk.document_id in quoted
            }
        )
    )


def _probability(log_probability: float) -> float:
    return float(np.exp(min(0.0, max(-50.0, float(log_probability)))))
