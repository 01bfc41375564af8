"""Chooses the way of a question: Law 8.

A short way saves drafts, and with them what seats say against each other. So it is open only where
established seats alone have evidence, few enough that **each** has a passage in the one draft, all
of one tier, and where they read alike. Nothing that the pool uploads opens it: pooled evidence
that speaks to the question closes it. Neither load nor a score's shape is asked.

Speculative RAG pays where `C_big x T_ctx > m x C_small x (T_subset + T_draft) + C_big x m x T_draft`
(Wang et al. 2025, arXiv:2407.08223, and `cost.py`). With a drafter that costs little beside
the large model that is `T_ctx > m x T_draft`; below it, one reading of all evidence is cheaper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from defences.answering.questions import AnswerType, QuestionProfile
from defences.retrieval.partition import MIN_RELEVANCE, seat_of
from defences.retrieval.ranking import best_first
from domain.answering import EvidenceSubset, PartitionMode, SeatId
from domain.documents import Tier
from domain.retrieval import ScoredChunk
from domain.routing import LEAST_DRAFTS, Route, RouteReason, Way

SHORT_PASSAGES: Final = 3
"""Passages that a factoid's draft reads, and so the seats that may share it; of a short context too."""

DRAFT_TOKENS: Final = 120
"""Of one draft, answer, rationale and quotes: the published cost model's figure."""

_TOKENS_A_WORD: Final = 4 / 3

_FACTS: Final = frozenset(AnswerType) - {AnswerType.YES_NO, AnswerType.DESCRIPTION}


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """What there is to draft from.

    Attributes:
        seats: Established seats with a relevant passage.
        tiers: Tiers of those seats.
        pool: The pool has a relevant passage, so that it would draft too.
        passages: Chunks of those seats, best first; one a family.
        tokens: In those passages, estimated at 4/3 a word.
    """

    seats: frozenset[SeatId]
    tiers: frozenset[Tier]
    pool: bool
    passages: tuple[ScoredChunk, ...]
    tokens: int

    @property
    def established_alone(self) -> bool:
        """Whether established seats alone fill the evidence (Law 8)."""
        return bool(self.seats) and not self.pool


def survey(chunks: Sequence[ScoredChunk], *, min_relevance: float = MIN_RELEVANCE) -> Survey:
    """Return what collapsed evidence has to offer, by the relevance that partition goes by."""
    relevant = [chunk for chunk in chunks if chunk.similarity >= min_relevance]
    seats = frozenset(
        seat_of(chunk, PartitionMode.ISOLATED) for chunk in relevant if chunk.origin.established
    )
    held = best_first(
        chunk
        for chunk in chunks
        if chunk.origin.established and seat_of(chunk, PartitionMode.ISOLATED) in seats
    )
    return Survey(
        seats=seats,
        tiers=frozenset(chunk.origin.tier for chunk in held),
        pool=any(not chunk.origin.established for chunk in relevant),
        passages=tuple(held),
        tokens=round(sum(len(chunk.chunk.text.split()) for chunk in held) * _TOKENS_A_WORD),
    )


def barred(found: Survey, *, mode: PartitionMode, min_tolerance: int) -> RouteReason | None:
    """Return why no short way is open, whatever the seats say; None if one may be."""
    if mode is not PartitionMode.ISOLATED:
        return RouteReason.PARTITION
    if min_tolerance > 0:
        return RouteReason.TOLERANCE
    if not found.seats:
        return RouteReason.NOT_ESTABLISHED
    if found.pool:
        return RouteReason.POOL
    if len(found.seats) > SHORT_PASSAGES:
        return RouteReason.MANY_SEATS
    if len(found.tiers) > 1:
        return RouteReason.TIERS
    return None


def choose_way(
    profile: QuestionProfile, found: Survey, *, m: int, k: int, alike: bool, why_not: str | None
) -> Way:
    """Return the way of a question.

    Args:
        profile: Of the question.
        found: The evidence.
        m: Drafts as asked for or configured.
        k: Chunks a draft, likewise.
        alike: Some established seat reads as an answer, and none as another.
        why_not: What `barred` said.
    """
    m = least_drafts(m, found)
    if why_not is not None:
        return Way(route=Route.LONG, reason=RouteReason(why_not), m=m, k=k)
    if not alike:
        return Way(route=Route.LONG, reason=RouteReason.CONFLICT, m=m, k=k)
    if profile.type in _FACTS and not profile.negated:
        return Way(route=Route.FACTOID, reason=RouteReason.FACTOID, m=1, k=SHORT_PASSAGES)
    if len(found.passages) <= SHORT_PASSAGES or found.tokens <= m * DRAFT_TOKENS:
        return Way(route=Route.STANDARD, reason=RouteReason.SHORT_CONTEXT, m=1, k=m * k)
    fewer = least_drafts(len(found.seats) + 1, found)
    if fewer < m:
        return Way(route=Route.LONG, reason=RouteReason.CLEAR, m=fewer, k=k)
    return Way(route=Route.LONG, reason=RouteReason.QUESTION, m=m, k=k)


def least_drafts(m: int, found: Survey) -> int:
    """Return `m`, raised to three where anybody but established seats has evidence (Law 8)."""
    return m if found.established_alone else max(m, LEAST_DRAFTS)


def one_subset(found: Survey, *, k: int) -> EvidenceSubset:
    """Return the evidence of a short way: of each seat its best passage, then the best of the rest.

    Raises:
        ValueError: There are more seats than places: one of them would not be heard.
    """
    if not 0 < len(found.seats) <= k or len(found.tiers) != 1:
        raise ValueError(f"{len(found.seats)} seats of {len(found.tiers)} tiers for {k} passages")
    first: dict[SeatId, ScoredChunk] = {}
    for chunk in found.passages:
        first.setdefault(seat_of(chunk, PartitionMode.ISOLATED), chunk)
    chosen = list(first.values())
    chosen += [chunk for chunk in found.passages if chunk not in chosen][: k - len(chosen)]
    (tier,) = found.tiers
    return EvidenceSubset(
        index=0, seats=tuple(sorted(first)), tier=tier, chunks=tuple(best_first(chosen))
    )
