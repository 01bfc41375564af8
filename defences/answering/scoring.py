"""One number a draft: Law 7 of the design."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from defences.retrieval.partition import seat_of
from domain.answering import (
    PLAIN_SEAT,
    POOL_SEAT,
    Draft,
    EvidenceSubset,
    PartitionMode,
    ScoredDraft,
    SeatId,
)
from domain.documents import Tier

POOL_SUPPORT: Final = 0.5
"""Support of an answer that nobody established gives, however many accounts repeat it."""

LEAST_RAW: Final = 1e-12
"""Keeps a score above 0, so that its logarithm is finite."""

STRUCK: Final = 0.5
"""What a claim of the rationale that its own evidence does not bear out leaves of a score."""

TENTATIVE: Final = 0.5
"""What is left of the score of a draft that its drafter thinks more likely wrong than right.

Its probability says so too, but over our 320 labelled questions 34 of 91 answers that rest on such drafts
were right against 178 of 229, and fewer than of others with the same score: with the factor the
score orders right before wrong answers in .762 of pairs, without in .749.
"""

MOST_STRUCK: Final = 3
"""Claims that count; so the weight of a draft is its evidence's and not its rationale's length."""


def score_drafts(
    drafts: Sequence[Draft],
    own: NDArray[np.float64] | None,
    unconditional: NDArray[np.float64] | None,
    *,
    mode: PartitionMode,
    lift_bound: float,
    cross: NDArray[np.float64] | None = None,
) -> tuple[ScoredDraft, ...]:
    """Return the usable drafts with their scores, in order.

    raw = probability x exp(log P(draft | own evidence)) x exp(sum of clipped lifts) x
    STRUCK^(what the evidence check struck), at most 1; TENTATIVE times that for a tentative draft.
    What was not measured is left out of it; where nothing was given but the score without evidence,
    that stands in for the own.
    A lift is log P(draft | E_j) - log P(draft), counted once for each other established seat whose
    own draft did not abstain, clipped to +-`lift_bound`: one seat moves log raw by at most that,
    the pool by nothing. In a comparison mode, whose subsets mix seats, raw is multiplied by the
    source diversity of the draft's own subset.

    Args:
        drafts: All drafts of the question; those that abstained or failed say whose evidence does
            not count as a witness.
        own: Shape `(len(drafts),)`, log P per token given the draft's own subset; of a draft that
            is not usable any number. None where it was not measured.
        unconditional: Shape `(len(drafts),)`, log P per token given nothing; None likewise.
        cross: Shape `(len(drafts), len(drafts))`, log P of draft i given the subset of draft j;
            None where others' evidence was not asked, and every lift 0; `unconditional` is needed
            with it.

    Raises:
        ValueError: `cross` without `unconditional`.
    """
    if cross is not None and unconditional is None:
        raise ValueError("lifts need the score without evidence")
    scored = []
    for at, draft in enumerate(drafts):
        if not draft.usable:
            continue
        faithfulness = None if own is None else _probability(own[at])
        without = None if unconditional is None else _probability(unconditional[at])
        lift = 0.0
        if cross is not None and unconditional is not None:
            lift = corroboration(drafts, at, cross[at] - unconditional[at], lift_bound=lift_bound)
        verified = faithfulness if faithfulness is not None else without
        raw = draft.probability * (1.0 if verified is None else verified) * float(np.exp(lift))
        raw *= STRUCK ** min(draft.struck, MOST_STRUCK) * (TENTATIVE if draft.tentative else 1.0)
        if not mode.isolates:
            raw *= mixed_diversity(draft.subset)
        scored.append(
            ScoredDraft(
                draft=draft,
                faithfulness=faithfulness,
                unconditional=without,
                corroboration=lift,
                raw=min(1.0, max(LEAST_RAW, raw)),
                trust=min((quote.trust for quote in draft.quotes), default=0.0),
                seats=voting_seats(draft, mode),
                uncapped=max(LEAST_RAW, raw),
            )
        )
    return tuple(scored)


def corroboration(
    drafts: Sequence[Draft], at: int, lifts: NDArray[np.float64], *, lift_bound: float
) -> float:
    """Return the sum over other established seats of their mean lift, each clipped, in nats.

    Several subsets of one seat are one witness. Seats that share a subset cannot be told apart
    and are one witness too. The plain seat's passages are the others' own: it is no witness, and
    they are none of it.
    """
    if PLAIN_SEAT in drafts[at].subset.seats:
        return 0.0
    own_seats = set(drafts[at].subset.seats)
    witnesses: dict[tuple[SeatId, ...], list[float]] = {}
    for other, draft in enumerate(drafts):
        subset: EvidenceSubset = draft.subset
        silent = subset.tier is Tier.POOL or not draft.usable or PLAIN_SEAT in subset.seats
        if silent or own_seats & set(subset.seats):
            continue
        witnesses.setdefault(subset.seats, []).append(float(lifts[other]))
    clipped = [
        min(lift_bound, max(-lift_bound, sum(values) / len(values)))
        for values in witnesses.values()
    ]
    return float(sum(clipped))


def voting_seats(draft: Draft, mode: PartitionMode) -> tuple[SeatId, ...]:
    """Return the seats whose documents the draft quotes, sorted; the plain seat votes as itself.

    A quote of a document that is not in the draft's own subset gives no vote.
    """
    quoted = {quote.document_id for quote in draft.quotes}
    speaking = {
        seat_of(chunk, mode) for chunk in draft.subset.chunks if chunk.chunk.document_id in quoted
    }
    if PLAIN_SEAT in draft.subset.seats and speaking:
        return (PLAIN_SEAT,)
    return tuple(sorted(speaking))


def mixed_diversity(subset: EvidenceSubset) -> float:
    """Return 1 - 2^-s, s being the established seats that a subset mixes, 1/2 for the pool alone."""
    established = len(set(subset.seats) - {POOL_SEAT})
    return source_diversity(established or POOL_SUPPORT)


def source_diversity(support: float) -> float:
    """Return 1 - 2^-support, in [0, 1)."""
    return float(1.0 - 2.0**-support)


def _probability(log_probability: float) -> float:
    return float(np.exp(min(0.0, max(-50.0, float(log_probability)))))
