"""From groups of drafts to weighed answers: Laws 2 and 7 of the design."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from defences.answering.scoring import POOL_SUPPORT, source_diversity
from domain.answering import (
    PLAIN_SEAT,
    AnswerGroup,
    Calibrator,
    PartitionMode,
    ScoredDraft,
    SeatId,
    SeatVote,
)
from domain.documents import Tier

_RANK: Final[Mapping[Tier, int]] = {Tier.REVIEWED: 0, Tier.ESTABLISHED: 1, Tier.POOL: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLoad:
    """How many drafts a seat votes with, over all groups: each carries that part of its vote.

    `tier` is the least established that it spoke from: a draft that read the pool is the pool's.
    """

    drafts: int
    tier: Tier


def weigh_groups(
    groups: Sequence[Sequence[ScoredDraft]],
    *,
    mode: PartitionMode,
    calibrator: Calibrator | None,
) -> tuple[AnswerGroup, ...]:
    """Return the groups with votes and scores, best score first, ties by answer.

    A seat has one vote. Its drafts carry equal parts of it, so that a seat which contradicts itself
    splits its vote, and a split seat weighs no more than a whole one. The score is
    d x min(1, sum over seats of vote x raw x trust).

    Args:
        groups: Each non-empty, together all usable drafts of the question.
        calibrator: None where no artefact matches: the score itself is then the confidence, which
            is no probability, and the guard must be told so.
    """
    loads = _loads(groups, mode)
    weighed = [_weigh(group, loads) for group in groups if group]
    if calibrator is not None and weighed:
        scores = np.array([group.score for group in weighed], dtype=np.float64)
        confidences = calibrator.predict(scores)
        weighed = [
            replace(group, confidence=float(confidence))
            for group, confidence in zip(weighed, confidences, strict=True)
        ]
    return tuple(sorted(weighed, key=lambda group: (-group.score, group.answer)))


def _loads(groups: Sequence[Sequence[ScoredDraft]], mode: PartitionMode) -> dict[SeatId, SeatLoad]:
    loads: dict[SeatId, SeatLoad] = {}
    for group in groups:
        for scored in group:
            for seat in scored.seats:
                known = loads.get(seat)
                tier = (
                    Tier.POOL if mode is PartitionMode.NO_PROVENANCE else scored.draft.subset.tier
                )
                if known is not None:
                    tier = max(tier, known.tier, key=lambda each: _RANK[each])
                loads[seat] = SeatLoad(drafts=(known.drafts if known else 0) + 1, tier=tier)
    return loads


def _weigh(group: Sequence[ScoredDraft], loads: dict[SeatId, SeatLoad]) -> AnswerGroup:
    drafts = sorted(group, key=_precedence)
    shares: dict[SeatId, float] = {}
    weight = 0.0
    for scored in drafts:
        for seat in scored.seats:
            part = 1.0 / loads[seat].drafts
            shares[seat] = shares.get(seat, 0.0) + part
            weight += part * scored.raw * scored.trust
    votes = tuple(
        SeatVote(
            seat=seat,
            established=loads[seat].tier is not Tier.POOL,
            reviewed=loads[seat].tier is Tier.REVIEWED,
            share=min(1.0, share),
        )
        for seat, share in sorted(shares.items())
    )
    established = sum(vote.share for vote in votes if vote.established and vote.seat != PLAIN_SEAT)
    support = established if established > 0.0 else (POOL_SUPPORT if votes else 0.0)
    diversity = source_diversity(support)
    score = diversity * min(1.0, weight)
    return AnswerGroup(
        answer=drafts[0].draft.answer,
        drafts=tuple(drafts),
        votes=votes,
        support=support,
        diversity=diversity,
        score=score,
        confidence=score,
    )


def _precedence(scored: ScoredDraft) -> tuple[int, float, str]:
    """Order the drafts of a group: the words of an answer are an established seat's if one has it."""
    return (_RANK[scored.draft.subset.tier], -scored.raw, scored.draft.answer)
