"""Holds ledger and index against each other: as a whole, or a share at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Final

from domain.documents import UNDECIDED, DocumentId, DocumentStatus, TenantId
from domain.errors import InputError, NotFoundError
from domain.ledger import DocumentFilter, DocumentLedger, every
from domain.retrieval import VectorStore

SETTLED_FOR: Final = timedelta(minutes=1)
"""A decision younger than this may still be on its way to the index."""
SHARE: Final = 5_000
"""Documents of a tenant that one round looks at, in the ledger and in the index."""

_PAGE: Final = 200
_REMEMBERED: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexDefects:
    """Documents of a tenant in whose case ledger and index disagree."""

    not_admitted: tuple[DocumentId, ...]
    not_indexed: tuple[DocumentId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexProgress:
    """How far rounds have come. `cursor` is the ledger's, None at its newest; `after` an id.

    `suspects` are documents that differed: each round looks at them again.
    """

    cursor: str | None = None
    after: str = ""
    suspects: tuple[DocumentId, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRound:
    """What a round found, and where the next one goes on."""

    defects: IndexDefects
    progress: IndexProgress


class _Difference(Enum):
    NONE = auto()
    SETTLING = auto()
    """Decided just now: it may be on its way."""
    REAL = auto()


class IndexCheck:
    """Compares one tenant's documents; work that goes on meanwhile is no defect.

    A document that is being scanned or was decided just now is passed over, and each suspect is
    looked at once more.
    """

    def __init__(
        self, documents: DocumentLedger, vectors: VectorStore, tenant_id: TenantId, *, now: datetime
    ) -> None:
        self._documents = documents
        self._vectors = vectors
        self._tenant_id = tenant_id
        self._now = now

    async def whole(self) -> IndexDefects:
        """Compare all of ledger and index.

        Raises:
            TransientError: Ledger or index did not answer.
        """
        indexed = await self._vectors.document_ids(tenant_id=self._tenant_id)
        extra, missing = set(indexed), set[DocumentId]()
        async for record in every(
            lambda cursor: self._documents.list(
                self._tenant_id, DocumentFilter(), cursor=cursor, limit=_PAGE
            )
        ):
            if record.status is DocumentStatus.ADMITTED:
                if record.id in indexed:
                    extra.discard(record.id)
                else:
                    missing.add(record.id)
            elif record.status in UNDECIDED:
                extra.discard(record.id)
        return _defects((await self._differing(extra | missing))[_Difference.REAL], indexed)

    async def round(self, progress: IndexProgress, *, share: int = SHARE) -> IndexRound:
        """Compare a share of each, the newest documents, and those that differed before.

        Of the index the ids alone are listed whole.

        A cursor that is none of this ledger's is forgotten: the round begins at the newest.

        Raises:
            TransientError: Ledger or index did not answer.
        """
        indexed = await self._vectors.document_ids(tenant_id=self._tenant_id)
        suspects = set(progress.suspects)
        newest, _ = await self._lacking(indexed, None, pages=1)
        pages = max(1, share // _PAGE)
        try:
            lacking, cursor = await self._lacking(indexed, progress.cursor, pages=pages)
        except InputError:
            lacking, cursor = await self._lacking(indexed, None, pages=pages)
        later = sorted(each for each in indexed if each > progress.after)
        part = later[:share]
        suspects |= newest | lacking | await self._unwanted(part)
        found = await self._differing(suspects)
        kept = sorted(found[_Difference.REAL] | found[_Difference.SETTLING])
        return IndexRound(
            defects=_defects(found[_Difference.REAL], indexed),
            progress=IndexProgress(
                cursor=cursor,
                after=part[-1] if len(part) < len(later) else "",
                suspects=tuple(kept[:_REMEMBERED]),
            ),
        )

    async def _lacking(
        self, indexed: frozenset[DocumentId], cursor: str | None, *, pages: int
    ) -> tuple[set[DocumentId], str | None]:
        """Return the admitted documents of some pages that the index lacks, and where they end."""
        found: set[DocumentId] = set()
        for _ in range(pages):
            page = await self._documents.list(
                self._tenant_id,
                DocumentFilter(status=DocumentStatus.ADMITTED),
                cursor=cursor,
                limit=_PAGE,
            )
            found |= {record.id for record in page.items if record.id not in indexed}
            cursor = page.next_cursor
            if cursor is None:
                break
        return found, cursor

    async def _unwanted(self, document_ids: Sequence[DocumentId]) -> set[DocumentId]:
        """Return those that the ledger does not admit, and does not decide at the moment."""
        records = await self._documents.records(self._tenant_id, document_ids)
        wanted = {DocumentStatus.ADMITTED, *UNDECIDED}
        return {i for i in document_ids if i not in records or records[i].status not in wanted}

    async def _differing(
        self, suspects: Iterable[DocumentId]
    ) -> dict[_Difference, set[DocumentId]]:
        found: dict[_Difference, set[DocumentId]] = {kind: set() for kind in _Difference}
        for each in sorted(suspects):
            found[await self._difference(each)].add(each)
        return found

    async def _difference(self, document_id: DocumentId) -> _Difference:
        holds = await self._vectors.holds(document_id, tenant_id=self._tenant_id)
        try:
            record = await self._documents.get(self._tenant_id, document_id)
        except NotFoundError:
            return _Difference.REAL if holds else _Difference.NONE
        if record.status in UNDECIDED or holds == (record.status is DocumentStatus.ADMITTED):
            return _Difference.NONE
        # Neither long ago nor, by a clock that was set back since, long from now.
        recent = record.decided_at is not None and abs(self._now - record.decided_at) < SETTLED_FOR
        return _Difference.SETTLING if recent else _Difference.REAL


def _defects(differing: Iterable[DocumentId], indexed: frozenset[DocumentId]) -> IndexDefects:
    found = sorted(differing)
    return IndexDefects(
        not_admitted=tuple(each for each in found if each in indexed),
        not_indexed=tuple(each for each in found if each not in indexed),
    )
