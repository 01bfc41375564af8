"""Objects and filters of the Weaviate store: what it keeps of a chunk, and how it asks for them."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from backends.keywords import words_of
from backends.rank_fusion import RankedChunk
from backends.vector_fields import SEARCHABLE, fields_of, record_of
from domain.documents import ChunkId, TenantId
from domain.retrieval import EvidenceFilter, Vector, VectorRecord

if TYPE_CHECKING:
    from weaviate.collections import CollectionAsync
    from weaviate.collections.classes.filters import FilterReturn
    from weaviate.collections.classes.internal import Object

_CHUNKS: Final = uuid.UUID("6f1d2f0e-3f0a-5b7e-9f6c-0c2f6b6a3c11")
_RANKED: Final = ["chunk_id", "origin_key"]

MAX_QUERY_WORDS: Final = 256
"""Distinct words of a question; a character of a script without spaces is one."""


class VectorPage:
    def __init__(
        self, side: CollectionAsync[Any, Any], query: Vector, wanted: FilterReturn
    ) -> None:
        self._side = side
        self._query = query.tolist()
        self._wanted = wanted

    async def __call__(self, count: int, without: frozenset[str]) -> Sequence[RankedChunk]:
        from weaviate.classes.query import MetadataQuery

        found = await self._side.query.near_vector(
            self._query,
            limit=count,
            filters=_besides(self._wanted, without),
            return_metadata=MetadataQuery(distance=True),
            return_properties=_RANKED,
        )
        return [_ranked(row, -(row.metadata.distance or 0.0)) for row in found.objects]


class KeywordPage:
    def __init__(self, side: CollectionAsync[Any, Any], words: str, wanted: FilterReturn) -> None:
        self._side = side
        self._words = " ".join(list(dict.fromkeys(words_of(words)))[:MAX_QUERY_WORDS])
        self._wanted = wanted

    async def __call__(self, count: int, without: frozenset[str]) -> Sequence[RankedChunk]:
        from weaviate.classes.query import MetadataQuery

        if not self._words:
            return []
        found = await self._side.query.bm25(
            self._words,
            query_properties=[SEARCHABLE],
            limit=count,
            filters=_besides(self._wanted, without),
            return_metadata=MetadataQuery(score=True),
            return_properties=_RANKED,
        )
        return [_ranked(row, row.metadata.score or 0.0) for row in found.objects]


def _ranked(row: Object[Any, Any], score: float) -> RankedChunk:
    return RankedChunk(
        chunk_id=ChunkId(str(row.properties["chunk_id"])),
        origin=str(row.properties["origin_key"]),
        score=score,
    )


def records_in(
    rows: Iterable[Object[Any, Any]], tenant_id: TenantId, *, established: bool
) -> list[VectorRecord]:
    return [
        record_of(
            json.loads(str(row.properties["payload"])),
            np.asarray(row.vector["default"], dtype=np.float32),
            tenant_id=tenant_id,
            established=established,
        )
        for row in rows
    ]


def properties_of(record: VectorRecord) -> dict[str, str | float | bool]:
    fields = fields_of(record)
    return {
        # Ids that filters compare are digests: the server trims and limits what it indexes.
        "origin_key": digest(str(record.origin.ref)),
        "document_key": digest(record.chunk.document_id),
        "family_key": digest(record.family_id),
        "chunk_id": record.chunk.id,
        "document_id": record.chunk.document_id,
        "reviewed": record.origin.reviewed,
        "voting": record.voting,
        "trust": record.trust,
        # As words, like the question's: the server's tokenisation `word` neither folds (ligatures,
        # widths, sharp s, composed and decomposed letters) nor parts what is written without spaces.
        SEARCHABLE: " ".join(words_of(str(fields.pop(SEARCHABLE)))),
        "payload": json.dumps(fields, ensure_ascii=False),
    }


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def tenant_name(tenant_id: TenantId) -> str:
    return f"t-{digest(tenant_id)}"


def object_id(chunk_id: ChunkId) -> uuid.UUID:
    return uuid.uuid5(_CHUNKS, digest(chunk_id))


def has(name: str, value: str | bool) -> FilterReturn:
    from weaviate.classes.query import Filter

    return Filter.by_property(name).equal(value)


def is_not(name: str, value: str | float) -> FilterReturn:
    from weaviate.classes.query import Filter

    return Filter.by_property(name).not_equal(value)


def may_be_found(min_trust: float, only: EvidenceFilter) -> FilterReturn:
    from weaviate.classes.query import Filter

    wanted = has("voting", True) & Filter.by_property("trust").greater_or_equal(float(min_trust))
    if only.origins:
        keys = sorted(digest(str(ref)) for ref in only.origins)
        wanted &= Filter.by_property("origin_key").contains_any(keys)
    if only.documents:
        keys = sorted(digest(document_id) for document_id in only.documents)
        wanted &= Filter.by_property("document_key").contains_any(keys)
    return wanted


def _besides(wanted: FilterReturn, without: frozenset[str]) -> FilterReturn:
    from weaviate.classes.query import Filter

    if not without:
        return wanted
    return wanted & Filter.by_property("origin_key").contains_none(sorted(without))
