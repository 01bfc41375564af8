"""A table's rows in memory as of one version, and a search of them with quotas (Law 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from backends.rank_fusion import RankedChunk, cap_for, capped, depth_for, fuse
from backends.resident.postings import LivingPostings, scores
from backends.resident.projections import cosines
from backends.resident.segments import Segment
from domain.documents import ChunkId
from domain.retrieval import ANYTHING, EvidenceFilter, Vector

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is searched for. `tokens`: the question's words, as the keyword index has them."""

    query: Vector
    tokens: Sequence[str]
    limit: int
    per_origin: int
    min_trust: float
    only: EvidenceFilter


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRow:
    """A hit: its columns but the vector, the vector, and its relevance."""

    fields: Mapping[str, Any]
    vector: Vector
    relevance: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    segment: int
    row: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LivingSegment:
    """A segment, and which of its rows are in the table's version."""

    segment: Segment
    alive: NDArray[np.bool_]

    @property
    def living(self) -> LivingPostings:
        return LivingPostings(postings=self.segment.postings, alive=self.alive)


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """All rows of a table at a version.

    Attributes:
        origins, tokens: Numbers of origins and tokens. They only grow, and are shared with later
            copies of the table.
    """

    version: int
    segments: tuple[LivingSegment, ...]
    origins: dict[str, int]
    tokens: dict[str, int]

    @property
    def nbytes(self) -> int:
        return sum(part.segment.nbytes for part in self.segments) + 150 * (
            len(self.tokens) + len(self.origins)
        )

    def search(self, asked: Asked) -> Sequence[FoundRow]:
        """Return hits best first; see `ChunkSearch.search`."""
        allowed = [_allowed(part, asked) for part in self.segments]
        places: dict[ChunkId, _Place] = {}
        depth, cap = depth_for(asked.limit), cap_for(asked.per_origin)
        rankings = [
            self._best(ranked, places, depth=depth, cap=cap)
            for ranked in (
                self._by_vector(asked.query, allowed, depth=depth, cap=cap),
                self._by_keyword(asked.tokens, allowed),
            )
        ]
        fused = fuse(*rankings, limit=asked.limit, per_origin=asked.per_origin)
        return self._rows([places[row.chunk_id] for row in fused], [row.relevance for row in fused])

    def _by_vector(
        self, query: Vector, allowed: Sequence[NDArray[np.bool_]], *, depth: int, cap: int
    ) -> Sequence[_Scored]:
        return [
            _nearest(part.segment, query, wanted, depth=depth, cap=cap)
            for part, wanted in zip(self.segments, allowed, strict=True)
        ]

    def _by_keyword(
        self, tokens: Sequence[str], allowed: Sequence[NDArray[np.bool_]]
    ) -> Sequence[_Scored]:
        numbers = [self.tokens[token] for token in dict.fromkeys(tokens) if token in self.tokens]
        found = scores([part.living for part in self.segments], numbers)
        return [
            _Scored(rows=rows, scores=score[rows])
            for score, wanted in zip(found, allowed, strict=True)
            for rows in [np.flatnonzero(wanted & (score > 0))]
        ]

    def _best(
        self, found: Sequence[_Scored], places: dict[ChunkId, _Place], *, depth: int, cap: int
    ) -> list[RankedChunk]:
        """Return the first `depth` in which each origin keeps its best; notes where they stand."""
        ranked: list[RankedChunk] = []
        for number, (part, scored) in enumerate(zip(self.segments, found, strict=True)):
            rows, kept = _first(part.segment, scored, depth=depth, cap=cap)
            chunk_ids, keys = part.segment.chunk_ids, part.segment.origin_keys
            for row, score in zip(rows.tolist(), kept.tolist(), strict=True):
                chunk_id = ChunkId(chunk_ids[row])
                places[chunk_id] = _Place(segment=number, row=row)
                ranked.append(RankedChunk(chunk_id=chunk_id, origin=keys[row], score=score))
        return capped(ranked, per_origin=cap)[:depth]

    def _rows(self, places: Sequence[_Place], relevances: Sequence[float]) -> Sequence[FoundRow]:
        fields: dict[_Place, Mapping[str, Any]] = {}
        for number, part in enumerate(self.segments):
            here = [place for place in places if place.segment == number]
            if not here:
                continue
            taken: pa.Table = part.segment.shown.take([place.row for place in here])
            fields.update(zip(here, taken.to_pylist(), strict=True))
        return [
            FoundRow(
                fields=fields[place],
                vector=self.segments[place.segment].segment.vectors[place.row].copy(),
                relevance=relevance,
            )
            for place, relevance in zip(places, relevances, strict=True)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scored:
    """Rows of one segment that may be found; higher is better."""

    rows: NDArray[np.int64]
    scores: NDArray[np.floating[Any]]


def _allowed(part: LivingSegment, asked: Asked) -> NDArray[np.bool_]:
    segment = part.segment
    wanted: NDArray[np.bool_] = part.alive & segment.voting & (segment.trust >= asked.min_trust)
    if asked.only == ANYTHING:
        return wanted
    import pyarrow as pa
    import pyarrow.compute as pc

    for column, values in (
        ("origin_key", sorted(map(str, asked.only.origins))),
        ("document_id", sorted(asked.only.documents)),
    ):
        if values:
            among = pc.is_in(segment.shown.column(column), value_set=pa.array(values, pa.string()))
            wanted = wanted & among.to_numpy()
    return wanted


def _nearest(
    segment: Segment, query: Vector, wanted: NDArray[np.bool_], *, depth: int, cap: int
) -> _Scored:
    """Return all rows that may stand among the first `depth` with no more than `cap` of an origin.

    The likeliest are read first, then whatever may be better than what they leave open.
    """
    if segment.projection is None:
        rows = np.flatnonzero(wanted)
        return _Scored(rows=rows, scores=cosines(segment.vectors, query)[rows])
    likely = segment.projection.likely(query)
    hoped = np.where(wanted, likely.cosines, np.float32(-np.inf))
    utmost = hoped + likely.slack
    found = np.full(len(wanted), -np.inf, dtype=np.float32)
    left, read = np.arange(len(wanted)), np.zeros(0, dtype=np.int64)
    many, origins = 4 * depth, segment.origins
    while len(left):
        if len(left) > many:
            left = left[np.argpartition(hoped[left], len(left) - many)[-many:]]
        left = left[wanted[left]]
        found[left] = cosines(segment.vectors[left], query)
        utmost[left] = -np.inf  # read
        read = np.concatenate([read, left])
        enough = _enough(found[read], origins[read], segment.origin_count, depth=depth, cap=cap)
        left = np.flatnonzero((utmost >= enough.min()) & (utmost > -np.inf))
        left = left[utmost[left] >= enough[origins[left]]]
        many *= 4
    return _Scored(rows=read, scores=found[read])


def _enough(
    found: NDArray[np.float32],
    origins: NDArray[np.int32],
    count: int,
    *,
    depth: int,
    cap: int,
) -> NDArray[np.float32]:
    """Return, for each origin of `count`, what a further row of its needs to be of any use."""
    order = np.argsort(-found, kind="stable")
    places = _places_in_origin(origins[order])
    kept = order[places < cap]
    enough = np.full(count, -np.inf, dtype=np.float32)
    last = order[places == cap - 1]
    enough[origins[last]] = found[last]
    return np.maximum(enough, found[kept[depth - 1]]) if len(kept) >= depth else enough


def _first(
    segment: Segment, scored: _Scored, *, depth: int, cap: int
) -> tuple[NDArray[np.int64], NDArray[np.floating[Any]]]:
    """Return the first `depth` rows with no more than `cap` of an origin, ties by chunk id."""
    rows, found = scored.rows, scored.scores
    many = min(len(rows), 8 * depth)
    while True:
        # All rows as good as the last of so many, so that ties are whole.
        least = np.partition(found, len(found) - many)[len(found) - many] if many else 0.0
        near = np.flatnonzero(found >= least)
        order = near[np.lexsort((segment.id_ranks[rows[near]], -found[near]))]
        kept = order[_places_in_origin(segment.origins[rows[order]]) < cap][:depth]
        if len(kept) == depth or len(near) == len(rows):
            return rows[kept], found[kept]
        many = min(len(rows), 8 * many)


def _places_in_origin(origins: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return, for rows in order, how many rows of the same origin stand before each."""
    by = np.argsort(origins, kind="stable")
    in_order = origins[by]
    places = np.empty(len(origins), dtype=np.int64)
    places[by] = np.arange(len(origins)) - np.searchsorted(in_order, in_order)
    return places
