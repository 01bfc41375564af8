"""The production vector store: Weaviate, two collections, a tenant each for ours."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from backends.keywords import question_text
from backends.rank_fusion import cap_for, capped_ranking, depth_for, fuse
from backends.vector_records import check_query, cosine, hit, latest
from backends.weaviate_objects import (
    KeywordPage,
    VectorPage,
    digest,
    has,
    is_not,
    may_be_found,
    object_id,
    properties_of,
    records_in,
    tenant_name,
)
from backends.weaviate_session import WeaviateSession, wrapped
from domain.documents import DocumentId, Origin, TenantId
from domain.errors import DependencyError, TransientError
from domain.retrieval import (
    ANYTHING,
    EvidenceFilter,
    FamilyId,
    ScoredChunk,
    Vector,
    VectorRecord,
)

if TYPE_CHECKING:
    from weaviate.collections.classes.filters import FilterReturn
    from weaviate.collections.classes.internal import Object

_SIDES: Final = (True, False)

# The server's QUERY_MAXIMUM_RESULTS, unless an operator changed it.
_MAX_WINDOW: Final = 10_000
_LISTING_SECONDS: Final = 600.0
_BATCH: Final = 200
_MAX_PAGES: Final = 100_000


class WeaviateVectorStore:
    """Searches on the server, by vector and by keyword; the fusion is ours.

    The server's own hybrid search fuses before a cap per origin can apply, so that one loud
    origin would push the others down (Law 4): the two rankings are asked for apart instead, each
    with its caps, and fused as the other stores do it.

    Established origins and the pool have a collection each (`...Established`, `...Pool`), since a
    collection's keyword statistics are shared by all that is in it. A write that touches both is
    written where it goes to first. Object ids follow from chunk ids, so that repeating a call that
    broke off repairs it.
    """

    def __init__(
        self,
        url: str,
        *,
        grpc_port: int,
        api_key: str | None,
        collection: str,
        dimensions: int,
        timeout_seconds: float = 10.0,
    ) -> None:
        self._dimensions = dimensions
        self._timeout_seconds = timeout_seconds
        self._session = WeaviateSession(
            url,
            grpc_port=grpc_port,
            api_key=api_key,
            collection=collection,
            dimensions=dimensions,
            timeout_seconds=timeout_seconds,
        )

    async def upsert(self, records: Sequence[VectorRecord]) -> None:
        """Write or replace; see the Protocol.

        If the server takes some objects only, the call's chunks are removed again: none rather
        than some. If that fails too, some may be left until the call is repeated.

        Raises:
            TransientError: The server did not answer or did not take every object.
            PermanentError: A vector is not a unit vector of the index's length, or the server
                refused the call.
        """
        sides: dict[tuple[TenantId, bool], list[VectorRecord]] = {}
        for record in latest(records, dimensions=self._dimensions).values():
            sides.setdefault((record.tenant_id, record.origin.established), []).append(record)
        try:
            for (tenant_id, established), group in sides.items():
                await self._write(group, tenant_id, established=established)
        except DependencyError:
            with contextlib.suppress(DependencyError):
                for (tenant_id, established), group in sides.items():
                    await self._remove(group, tenant_id, established=established)
            raise
        for (tenant_id, established), group in sides.items():
            await self._remove(group, tenant_id, established=not established)

    async def search(
        self,
        query: Vector,
        text: str,
        *,
        tenant_id: TenantId,
        established: bool,
        limit: int,
        per_origin: int,
        min_trust: float = 0.0,
        only: EvidenceFilter = ANYTHING,
    ) -> Sequence[ScoredChunk]:
        query = check_query(query, dimensions=self._dimensions)
        side = await self._session.side(tenant_name(tenant_id), established=established)
        if side is None or limit < 1 or per_origin < 1:
            return ()
        wanted = may_be_found(min_trust, only)
        pages = (
            VectorPage(side, query, wanted),
            KeywordPage(side, question_text(text), wanted),
        )
        async with wrapped("searching", within_seconds=self._timeout_seconds):
            rankings = await asyncio.gather(
                *(
                    capped_ranking(
                        page,
                        depth=depth_for(limit),
                        per_origin=cap_for(per_origin),
                        max_window=_MAX_WINDOW,
                    )
                    for page in pages
                )
            )
            fused = fuse(*rankings, limit=limit, per_origin=per_origin)
            if not fused:
                return ()
            found = await side.query.fetch_objects_by_ids(
                [object_id(row.chunk_id) for row in fused],
                limit=len(fused),
                include_vector=True,
                return_properties=["payload"],
            )
        records = {
            record.chunk.id: record
            for record in records_in(found.objects, tenant_id, established=established)
        }
        # A chunk may have been removed, or lost its vote, since it was ranked.
        return tuple(
            hit(
                records[row.chunk_id],
                similarity=cosine(query, records[row.chunk_id].vector),
                relevance=row.relevance,
            )
            for row in fused
            if row.chunk_id in records and records[row.chunk_id].voting
        )

    async def delete_document(self, document_id: DocumentId, *, tenant_id: TenantId) -> int:
        return sum(
            [
                await self._delete_where(
                    has("document_key", digest(document_id)), tenant_id, established=side
                )
                for side in _SIDES
            ]
        )

    async def holds(self, document_id: DocumentId, *, tenant_id: TenantId) -> bool:
        ours = has("document_key", digest(document_id))
        for established in _SIDES:
            side = await self._session.side(tenant_name(tenant_id), established=established)
            if side is not None:
                async with wrapped("looking for a document", within_seconds=self._timeout_seconds):
                    if (await side.query.fetch_objects(filters=ours, limit=1)).objects:
                        return True
        return False

    async def document_ids(self, *, tenant_id: TenantId) -> frozenset[DocumentId]:
        found: set[DocumentId] = set()
        for established in _SIDES:
            side = await self._session.side(tenant_name(tenant_id), established=established)
            if side is not None:
                async with wrapped("listing documents", within_seconds=_LISTING_SECONDS):
                    async for row in side.iterator(
                        return_properties=["document_id"], cache_size=1000
                    ):
                        found.add(DocumentId(str(row.properties["document_id"])))
        return frozenset(found)

    async def records(self, *, tenant_id: TenantId) -> AsyncIterator[Sequence[VectorRecord]]:
        for established in _SIDES:
            side = await self._session.side(tenant_name(tenant_id), established=established)
            if side is None:
                continue
            page: list[Object[Any, Any]] = []
            async with wrapped("listing chunks", within_seconds=_LISTING_SECONDS):
                async for row in side.iterator(
                    include_vector=True, return_properties=["payload"], cache_size=_BATCH
                ):
                    page.append(row)
                    if len(page) == _BATCH:
                        yield records_in(page, tenant_id, established=established)
                        page = []
            yield records_in(page, tenant_id, established=established)

    async def set_origin(self, origin: Origin, *, tenant_id: TenantId) -> int:
        await self._session.client()
        theirs = has("origin_key", digest(str(origin.ref)))
        stale = theirs & has("reviewed", not origin.reviewed)
        for established, wanted in ((not origin.established, theirs), (origin.established, stale)):
            async for group in self._pages(wanted, tenant_id, established=established):
                changed = [replace(record, origin=origin) for record in group]
                await self._write(changed, tenant_id, established=origin.established)
                if established != origin.established:
                    await self._remove(changed, tenant_id, established=established)
        side = await self._session.side(tenant_name(tenant_id), established=origin.established)
        if side is None:
            return 0
        async with wrapped("counting", within_seconds=self._timeout_seconds):
            counted = await side.aggregate.over_all(filters=theirs, total_count=True)
        return counted.total_count or 0

    async def set_family(
        self, document_id: DocumentId, *, tenant_id: TenantId, family_id: FamilyId, voting: bool
    ) -> None:
        await self._session.client()
        stale = has("document_key", digest(document_id)) & (
            is_not("family_key", digest(family_id)) | has("voting", not voting)
        )
        for established in _SIDES:
            async for group in self._pages(stale, tenant_id, established=established):
                changed = [replace(r, family_id=family_id, voting=voting) for r in group]
                await self._write(changed, tenant_id, established=established)

    async def set_trust(
        self, document_id: DocumentId, *, tenant_id: TenantId, trust: float
    ) -> None:
        await self._session.client()
        stale = has("document_key", digest(document_id)) & is_not("trust", trust)
        for established in _SIDES:
            async for group in self._pages(stale, tenant_id, established=established):
                changed = [replace(record, trust=trust) for record in group]
                await self._write(changed, tenant_id, established=established)

    async def ping(self) -> None:
        try:
            await self._session.ping()
        except DependencyError as exc:
            raise TransientError(str(exc)) from exc

    async def close(self) -> None:
        """Close the connection of the running event loop; the next call opens another."""
        await self._session.close()

    async def _write(
        self, records: Sequence[VectorRecord], tenant_id: TenantId, *, established: bool
    ) -> None:
        side = await self._session.new_side(tenant_name(tenant_id), established=established)
        from weaviate.classes.data import DataObject

        for start in range(0, len(records), _BATCH):
            batch = records[start : start + _BATCH]
            async with wrapped("writing", within_seconds=3 * self._timeout_seconds):
                done = await side.data.insert_many(
                    [
                        DataObject(
                            properties=properties_of(record),
                            uuid=object_id(record.chunk.id),
                            vector=record.vector.tolist(),
                        )
                        for record in batch
                    ]
                )
            if done.has_errors:
                raise TransientError(
                    f"weaviate: {len(done.errors)} of {len(batch)} chunks were not taken"
                )

    async def _remove(
        self, records: Sequence[VectorRecord], tenant_id: TenantId, *, established: bool
    ) -> None:
        from weaviate.classes.query import Filter

        for start in range(0, len(records), _BATCH):
            batch = records[start : start + _BATCH]
            these = Filter.by_id().contains_any([object_id(r.chunk.id) for r in batch])
            await self._delete_where(these, tenant_id, established=established)

    async def _delete_where(
        self, wanted: FilterReturn, tenant_id: TenantId, *, established: bool
    ) -> int:
        side = await self._session.side(tenant_name(tenant_id), established=established)
        deleted, more = 0, side is not None
        while side is not None and more:
            async with wrapped("deleting", within_seconds=3 * self._timeout_seconds):
                done = await side.data.delete_many(wanted)
            if done.failed:
                raise TransientError(f"weaviate: {done.failed} chunks could not be deleted")
            deleted += done.successful
            # Of one call no more go than QUERY_MAXIMUM_RESULTS, whatever it is set to.
            more = 0 < done.successful < done.matches or done.successful >= _MAX_WINDOW
        return deleted

    async def _pages(
        self, wanted: FilterReturn, tenant_id: TenantId, *, established: bool
    ) -> AsyncIterator[list[VectorRecord]]:
        """Yield what fits the filter until nothing does: the caller must change what it gets."""
        side = await self._session.side(tenant_name(tenant_id), established=established)
        if side is None:
            return
        for _ in range(_MAX_PAGES):
            async with wrapped("reading chunks", within_seconds=self._timeout_seconds):
                found = await side.query.fetch_objects(
                    filters=wanted, limit=_BATCH, include_vector=True, return_properties=["payload"]
                )
            if not found.objects:
                return
            yield records_in(found.objects, tenant_id, established=established)
        raise TransientError("weaviate: chunks stayed as they were after they were rewritten")
