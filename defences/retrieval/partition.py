"""Places every seat's evidence in subsets of its own: Laws 2 and 5 of the design."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from defences.retrieval.comparison import MIXERS, mixed
from defences.retrieval.ranking import best_first
from domain.answering import PLAIN_SEAT, POOL_SEAT, EvidenceSubset, PartitionMode, SeatId
from domain.documents import Tier
from domain.retrieval import FamilyId, ScoredChunk

MIN_RELEVANCE: Final = 0.2
"""Cosine below which a seat's best passage has nothing to do with the question."""

SPREAD_MARGIN: Final = 0.1
"""How far below its seat's best passage a family may lie to get a subset of its own."""

_OF_A_CHORUS: Final = 2
"""Families of a chorus that are drafted before all others are: enough to see whether they agree."""

Choruses = tuple[frozenset[SeatId], ...]
"""Sets of families that stand at the question together; only in mode `no-provenance`."""

_SEATS_TO_MIX: Final = 2
"""Established seats from which on a plain seat reads anything that one seat's own draft does not."""

_RANK: Final[Mapping[Tier, int]] = {Tier.REVIEWED: 0, Tier.ESTABLISHED: 1, Tier.POOL: 2}

NEARLY_AS_RELEVANT: Final = 0.05
"""Cosine below a seat's best passage down to which families are taken by trust and age. Farther
down relevance decides: a seat of many documents would else speak from its oldest ones."""

_TRUST_STEP: Final = 0.1
"""Trust is compared in steps: a hundredth more is no reason to take the slot of another family."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """Evidence subsets, one a draft.

    In mode `isolated` they are disjoint, best seat first within a tier, then the pool's, then the
    plain seat's, which alone repeats what others hold.
    """

    mode: PartitionMode
    subsets: tuple[EvidenceSubset, ...]
    choruses: Choruses = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    seats: tuple[SeatId, ...]
    tier: Tier
    chunks: tuple[ScoredChunk, ...]


def seat_of(chunk: ScoredChunk, mode: PartitionMode) -> SeatId:
    """Return the seat that a chunk speaks for (Law 2)."""
    if mode is PartitionMode.NO_PROVENANCE:
        return SeatId(f"family:{chunk.family_id}")
    return SeatId(str(chunk.origin.ref)) if chunk.origin.established else POOL_SEAT


def partition(
    chunks: Sequence[ScoredChunk],
    *,
    m: int,
    k: int,
    key: bytes,
    mode: PartitionMode = PartitionMode.ISOLATED,
    plain_seat: bool = False,
    min_relevance: float = MIN_RELEVANCE,
    choruses: Choruses = (),
) -> Partition:
    """Return the evidence subsets of a question, one draft each.

    The rest of this is about mode `isolated`; `comparison.py` has the modes that mix seats.

    Established seats and the pool never meet, and of `m` subsets one is the pool's whether the
    pool has evidence or not: what is retrieved from the pool cannot change an established subset.
    No seat with relevant evidence is dropped. Where the seats of a tier outnumber its subsets they
    share by a keyed hash, each with at least one chunk; where even that does not fit `k`, or a
    second tier would get none, there are more than `m` subsets. Where seats are fewer, a seat's
    own families spread over the rest, those nearly as relevant as its best.

    With nothing established among the relevant the families are the seats (`no-provenance`); the
    `m` most relevant ones are drafted, and no more; of a chorus the best two before all others.

    Args:
        chunks: One vote a family already (Law 3), in any order.
        m: Drafts a question, >= 1.
        k: Chunks a draft, >= 1.
        key: Secret of the installation, changed daily: nobody outside can steer who shares.
        mode: `isolated`, or a comparison mode.
        plain_seat: One more subset, of the best passages of all established seats where there are
            several. Whoever holds one of those seats moves it.
        min_relevance: Least cosine of a seat's best passage.
        choruses: Of the families, where nothing is established.
    """
    if m < 1 or k < 1 or not key:
        raise ValueError(f"need m >= 1, k >= 1 and a key, got {m}, {k}, {len(key)} bytes")
    if mode in MIXERS:
        relevant = [chunk for chunk in chunks if chunk.similarity >= min_relevance]
        held = mixed(relevant, mode, m=m, k=k, key=key)
        return Partition(mode=mode, subsets=_numbered([_mixed_plan(subset) for subset in held]))
    established = [chunk for chunk in chunks if chunk.origin.established]
    pool = [chunk for chunk in chunks if not chunk.origin.established]
    seats = _relevant(established, PartitionMode.ISOLATED, min_relevance)
    if seats:
        plans = _established_plans(seats, slots=max(1, m - 1), k=k, key=key)
        if _best(pool) >= min_relevance:
            chosen = _pool_chunks(pool, k=k, key=key)
            plans.append(_Plan(seats=(POOL_SEAT,), tier=Tier.POOL, chunks=chosen))
        if plain_seat and len(seats) >= _SEATS_TO_MIX:
            best = best_first(chunk for held in seats.values() for chunk in held)[:k]
            plans.append(_Plan(seats=(PLAIN_SEAT,), tier=Tier.ESTABLISHED, chunks=tuple(best)))
        return Partition(mode=PartitionMode.ISOLATED, subsets=_numbered(plans))
    families = _relevant(pool, PartitionMode.NO_PROVENANCE, min_relevance)
    ranked = sorted(families, key=lambda seat: (-_best(families[seat]), _hash(key, seat)))
    plans = [
        _Plan(seats=(seat,), tier=Tier.POOL, chunks=tuple(best_first(families[seat])[:k]))
        for seat in _few_of_each(ranked, choruses)[:m]
    ]
    return Partition(mode=PartitionMode.NO_PROVENANCE, subsets=_numbered(plans), choruses=choruses)


def _few_of_each(ranked: Sequence[SeatId], choruses: Choruses) -> list[SeatId]:
    """Return the seats in order, those of a chorus that has spoken enough behind all others."""
    first: list[SeatId] = []
    later: list[SeatId] = []
    for seat in ranked:
        mates = next((chorus for chorus in choruses if seat in chorus), frozenset[SeatId]())
        spoken = sum(one in mates for one in first)
        (later if spoken >= _OF_A_CHORUS else first).append(seat)
    return first + later


def _numbered(plans: Sequence[_Plan]) -> tuple[EvidenceSubset, ...]:
    return tuple(
        EvidenceSubset(index=index, seats=plan.seats, tier=plan.tier, chunks=plan.chunks)
        for index, plan in enumerate(plans)
    )


def _mixed_plan(chunks: Sequence[ScoredChunk]) -> _Plan:
    seats = {seat_of(chunk, PartitionMode.ISOLATED) for chunk in chunks}
    return _Plan(
        seats=tuple(sorted(seats)),
        tier=max((chunk.origin.tier for chunk in chunks), key=lambda tier: _RANK[tier]),
        chunks=tuple(chunks),
    )


def _relevant(
    chunks: Iterable[ScoredChunk], mode: PartitionMode, min_relevance: float
) -> dict[SeatId, list[ScoredChunk]]:
    seats: dict[SeatId, list[ScoredChunk]] = {}
    for chunk in chunks:
        seats.setdefault(seat_of(chunk, mode), []).append(chunk)
    return {seat: held for seat, held in seats.items() if _best(held) >= min_relevance}


def _best(chunks: Sequence[ScoredChunk]) -> float:
    return max((chunk.similarity for chunk in chunks), default=-1.0)


def _hash(key: bytes, text: str) -> bytes:
    return hashlib.blake2b(text.encode(), key=key[:64], digest_size=16).digest()


def _established_plans(
    seats: Mapping[SeatId, Sequence[ScoredChunk]], *, slots: int, k: int, key: bytes
) -> list[_Plan]:
    tiers = {
        tier: [seat for seat, held in seats.items() if held[0].origin.tier is tier]
        for tier in (Tier.REVIEWED, Tier.ESTABLISHED)
    }
    if len(seats) <= slots:
        spread = _spread(seats, spare=slots - len(seats), k=k, key=key)
        return [plan for tier in tiers for plan in spread if plan.tier is tier]
    plans: list[_Plan] = []
    reviewed, plain = tiers[Tier.REVIEWED], tiers[Tier.ESTABLISHED]
    for_reviewed = min(len(reviewed), max(1, slots - (1 if plain else 0)))
    for_plain = min(len(plain), max(1, slots - for_reviewed))
    for tier, count in ((Tier.REVIEWED, for_reviewed), (Tier.ESTABLISHED, for_plain)):
        held = {seat: seats[seat] for seat in tiers[tier]}
        if held:
            plans.extend(_shared(held, tier, count=max(count, -(-len(held) // k)), k=k, key=key))
    return plans


def _shared(
    seats: Mapping[SeatId, Sequence[ScoredChunk]], tier: Tier, *, count: int, k: int, key: bytes
) -> list[_Plan]:
    """Deal seats into `count` subsets in the order of their keyed hash."""
    dealt: list[list[SeatId]] = [[] for _ in range(count)]
    for position, seat in enumerate(sorted(seats, key=lambda seat: _hash(key, seat))):
        dealt[position % count].append(seat)
    plans = []
    for members in dealt:
        slots = [_by_family(seats[seat]) for seat in members]
        chosen = best_first(_round_robin(slots, k))
        plans.append(_Plan(seats=tuple(sorted(members)), tier=tier, chunks=tuple(chosen)))
    return plans


def _spread(
    seats: Mapping[SeatId, Sequence[ScoredChunk]], *, spare: int, k: int, key: bytes
) -> list[_Plan]:
    """Give each seat a subset, and spare ones in turn to seats with more families to show."""
    order = sorted(seats, key=lambda seat: (-_best(seats[seat]), _hash(key, seat)))
    groups: dict[SeatId, list[list[ScoredChunk]]] = {
        seat: _close_families(seats[seat]) for seat in order
    }
    counts = dict.fromkeys(order, 1)
    while spare > 0:
        open_seats = [seat for seat in order if counts[seat] < len(groups[seat])]
        if not open_seats:
            break
        for seat in open_seats[:spare]:
            counts[seat] += 1
        spare -= min(spare, len(open_seats))
    plans: list[_Plan] = []
    for seat in order:
        plans.extend(
            _Plan(seats=(seat,), tier=part[0].origin.tier, chunks=tuple(part))
            for part in _parts(seats[seat], groups[seat], counts[seat], k)
        )
    return plans


def _close_families(chunks: Sequence[ScoredChunk]) -> list[list[ScoredChunk]]:
    """Return the families nearly as relevant as the best, most relevant first."""
    floor = _best(chunks) - SPREAD_MARGIN
    families = sorted(_families(chunks).values(), key=lambda held: (-_best(held), held[0].chunk.id))
    return [held for held in families if _best(held) >= floor]


def _parts(
    chunks: Sequence[ScoredChunk], families: Sequence[list[ScoredChunk]], count: int, k: int
) -> list[list[ScoredChunk]]:
    """Split a seat's chunks into `count` disjoint parts, a leading family apart in each."""
    if count == 1:
        return [best_first(_by_family(chunks)[:k])]
    parts = [best_first(held)[:k] for held in families[: count - 1]]
    apart = {held[0].family_id for held in families[: count - 1]}
    rest = [chunk for chunk in chunks if chunk.family_id not in apart]
    return [*parts, best_first(_by_family(rest)[:k])]


def _families(chunks: Iterable[ScoredChunk]) -> dict[FamilyId, list[ScoredChunk]]:
    families: dict[FamilyId, list[ScoredChunk]] = {}
    for chunk in best_first(chunks):
        families.setdefault(chunk.family_id, []).append(chunk)
    return families


def _by_family(chunks: Sequence[ScoredChunk]) -> list[ScoredChunk]:
    """Return chunks one a family in turn.

    Of the families nearly as relevant as the best one the most trusted and oldest come first, so
    that a late text as good as another takes nobody's place; then the others by relevance. A
    reranker's order is taken as it is.
    """
    families = list(_families(chunks).values())
    if not any(chunk.rerank is not None for chunk in chunks):
        floor = _best(chunks) - NEARLY_AS_RELEVANT
        close = [held for held in families if _best(held) >= floor]
        families = [
            *sorted(close, key=_seniority),
            *(held for held in families if _best(held) < floor),
        ]
    return _round_robin(families, len(chunks))


def _seniority(family: Sequence[ScoredChunk]) -> tuple[int, datetime, float, str]:
    trust = round(min(chunk.trust for chunk in family) / _TRUST_STEP)
    return -trust, family[0].admitted_at, -_best(family), family[0].chunk.id


def _round_robin(queues: Sequence[Sequence[ScoredChunk]], limit: int) -> list[ScoredChunk]:
    taken: list[ScoredChunk] = []
    for depth in range(max((len(queue) for queue in queues), default=0)):
        taken.extend(queue[depth] for queue in queues if depth < len(queue))
    return taken[:limit]


def _pool_chunks(chunks: Sequence[ScoredChunk], *, k: int, key: bytes) -> tuple[ScoredChunk, ...]:
    """Return `k` chunks, in turn over uploaders and over each one's families.

    Uploaders come in the order of a keyed hash and not by relevance, so that neither a flood nor
    an optimised passage takes the slots of others.
    """
    uploaders: dict[str, list[ScoredChunk]] = {}
    for chunk in chunks:
        uploaders.setdefault(str(chunk.origin.ref), []).append(chunk)
    order = sorted(uploaders, key=lambda name: _hash(key, name))
    queues = []
    for name in order:
        families = _families(uploaders[name])
        names = sorted(families, key=lambda family: _hash(key, family))
        queues.append(_round_robin([families[family] for family in names], len(chunks)))
    return tuple(best_first(_round_robin(queues, k)))
