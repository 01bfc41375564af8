"""The disagreement guard: Law 9 of the design."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from domain.answering import (
    AbstainReason,
    AnswerGroup,
    AnswerWarning,
    GuardDecision,
    Outcome,
    PartitionMode,
    SeatId,
    SeatVote,
)

_FULL_SUPPORT: Final = 2.0
"""Independent established seats that must stand behind an answer given without a warning."""

_ROUNDING: Final = 1e-9
"""Shares are sums of fractions: three thirds may fall short of 1 by this much."""

_WHOLE: Final = 1.0 - _ROUNDING


def shannon_entropy(weights: Sequence[float]) -> float:
    """Return the entropy of a distribution, in nats. `weights` are >= 0 and sum to 1.

    Zero weights add nothing, by continuity.
    """
    return max(0.0, -sum(weight * math.log(weight) for weight in weights if weight > 0.0))


def seat_agreement(votes: Mapping[SeatId, Mapping[int, float]]) -> float:
    """Return the share of pairs of seats that gave the same answer, in [0, 1].

    A seat that splits its vote disagrees with every other. A single seat agrees with itself as far
    as two of its drafts, drawn at random, do; 1 where it is whole or no seat answered.

    Args:
        votes: Shares by answer group of each seat.
    """
    if not votes:
        return 1.0
    if len(votes) == 1:
        (shares,) = votes.values()
        return min(1.0, sum(share * share for share in shares.values()))
    held = [_whole_vote(shares) for shares in votes.values()]
    pairs = list(itertools.combinations(held, 2))
    return sum(first is not None and first == second for first, second in pairs) / len(pairs)


def _whole_vote(shares: Mapping[int, float]) -> int | None:
    return next((group for group, share in shares.items() if share >= _WHOLE), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Standing:
    """The groups in the order in which they may decide, with the numbers the guard goes by.

    `seats` counts what contends: established seats where any voted, families or the pool's share
    of its vote otherwise.
    """

    ranked: tuple[AnswerGroup, ...]
    seats: tuple[float, ...]
    pool_only: bool
    agreement: float
    entropy: float
    margin: float = field(default=0.0)


class DisagreementGuard:
    """Answers only with a confident group that independent seats support.

    **Who contends.** Where an established seat voted, only groups with established support can be
    answered: the pool's score counts in the entropy, adds a warning, and neither wins nor blocks.
    Otherwise the pool's groups contend, and the best outcome is an answer with a warning.

    **What is a conflict.** Seats cannot be forged, while the shape of a score (a fluent draft, a
    close quote) is the author's to choose. So the group with the best score must also have more
    seats than every other: a rival with as many is a conflict whatever the scores, and so is an
    equal score. A reviewed seat breaks no tie: between two seats that disagree the agreement is 0,
    which Law 9 sends up the ladder whoever they are. So a compromised established origin can
    silence one other seat, and never two that agree.

    Entropy is taken over groups of answers that mean the same, not over wordings: semantic entropy,
    Kuhn et al. 2023, https://arxiv.org/abs/2302.09664. It is reported, and decides nothing here.
    The ladder is the pipeline's; the guard only says when it is needed.
    """

    def __init__(self, *, tau: float, agreement_floor: float) -> None:
        if not 0.0 < tau <= 1.0 or not 0.0 <= agreement_floor <= 1.0:
            raise ValueError(
                f"need 0 < tau <= 1 and 0 <= floor <= 1, got {tau!r}, {agreement_floor!r}"
            )
        self._tau = tau
        self._agreement_floor = agreement_floor

    def decide(
        self, groups: Sequence[AnswerGroup], *, mode: PartitionMode, calibrated: bool
    ) -> GuardDecision:
        """Say whether the seats agree enough to answer. An empty sequence abstains.

        Groups without a vote or a score stand for no usable draft. The order of `groups` does not
        matter.
        """
        usable = [group for group in groups if group.votes and group.score > 0.0]
        if not usable:
            return _abstain(AbstainReason.NOT_IN_DOCUMENTS, _NOTHING, ())
        standing = _stand(usable, mode)
        best = standing.ranked[0]
        warnings = _warnings(usable, standing, mode, calibrated=calibrated)
        if _conflict(standing) or standing.agreement < self._agreement_floor:
            return _abstain(AbstainReason.DISAGREEMENT, standing, warnings)
        if best.confidence < self._tau:
            return _abstain(AbstainReason.LOW_CONFIDENCE, standing, warnings)
        return GuardDecision(
            outcome=Outcome.ANSWER_WITH_WARNING if warnings else Outcome.ANSWER,
            reason=None,
            warnings=warnings,
            agreement=standing.agreement,
            entropy=standing.entropy,
            margin=standing.margin,
            chosen=best,
            contender=best,
        )


_NOTHING: Final = _Standing(ranked=(), seats=(), pool_only=False, agreement=1.0, entropy=0.0)


def _stand(groups: Sequence[AnswerGroup], mode: PartitionMode) -> _Standing:
    trusted = [group for group in groups if _seats(group, established=True) > 0.0]
    pool_only = not trusted
    contenders = trusted or list(groups)
    ranked = sorted(contenders, key=lambda group: (-group.score, group.answer))
    counted = [_seats(group, established=not pool_only) for group in ranked]
    total = sum(group.score for group in groups)
    second = ranked[1].score if len(ranked) > 1 else 0.0
    families = mode is PartitionMode.NO_PROVENANCE
    return _Standing(
        ranked=tuple(ranked),
        seats=tuple(counted),
        pool_only=pool_only,
        agreement=seat_agreement(seat_votes(groups, established=None if families else True)),
        entropy=shannon_entropy([group.score / total for group in groups]),
        margin=ranked[0].score - second,
    )


def seat_votes(
    groups: Sequence[AnswerGroup], *, established: bool | None = None
) -> dict[SeatId, dict[int, float]]:
    """Return each seat's shares by position of the group.

    Args:
        established: Only seats that are, or are not; None for all.
    """
    votes: dict[SeatId, dict[int, float]] = {}
    for position, group in enumerate(groups):
        for vote in group.votes:
            if established is None or vote.established is established:
                votes.setdefault(vote.seat, {})[position] = vote.share
    return votes


def _seats(group: AnswerGroup, *, established: bool) -> float:
    return sum(vote.share for vote in group.votes if vote.established is established)


def _conflict(standing: _Standing) -> bool:
    """Whether a rival ties with the best group by score or has as many seats."""
    best, *rivals = standing.ranked
    return any(
        rival.score == best.score or seats >= standing.seats[0] - _ROUNDING
        for rival, seats in zip(rivals, standing.seats[1:], strict=True)
    )


def _warnings(
    groups: Sequence[AnswerGroup], standing: _Standing, mode: PartitionMode, *, calibrated: bool
) -> tuple[AnswerWarning, ...]:
    best = standing.ranked[0]
    found: list[AnswerWarning] = []
    if mode is PartitionMode.NO_PROVENANCE:
        found.append(AnswerWarning.NO_PROVENANCE)
    elif standing.pool_only:
        found.append(AnswerWarning.POOL_ONLY)
    elif best.support < _FULL_SUPPORT - _ROUNDING and not _reviewed_whole(best.votes):
        found.append(AnswerWarning.SINGLE_SEAT)
    others = [group for group in groups if group is not best]
    if standing.pool_only:
        if others:
            found.append(AnswerWarning.POOL_DISSENT)
    else:
        if any(_seats(group, established=True) > 0.0 for group in others):
            found.append(AnswerWarning.DISSENT)
        if any(_seats(group, established=False) > 0.0 for group in others):
            found.append(AnswerWarning.POOL_DISSENT)
    if not mode.isolates:
        found.append(AnswerWarning.NOT_ISOLATED)
    if not calibrated:
        found.append(AnswerWarning.UNCALIBRATED)
    return tuple(found)


def _reviewed_whole(votes: Sequence[SeatVote]) -> bool:
    return any(vote.reviewed and vote.share >= _WHOLE for vote in votes)


def _abstain(
    reason: AbstainReason, standing: _Standing, warnings: tuple[AnswerWarning, ...]
) -> GuardDecision:
    return GuardDecision(
        outcome=Outcome.ABSTAIN,
        reason=reason,
        warnings=warnings,
        agreement=standing.agreement,
        entropy=standing.entropy,
        margin=standing.margin,
        chosen=None,
        contender=standing.ranked[0] if standing.ranked else None,
    )
