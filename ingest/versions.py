"""Looks up what a document changes in earlier versions of itself, before it is scanned."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from defences.retrieval.subjects import subjects_differ
from defences.retrieval.versions import (
    DAYS,
    Change,
    baselines,
    changes_from_memory,
    compare,
    is_version,
    mark,
    rewritten,
    says,
)
from domain.clock import Clock
from domain.documents import (
    BlobStore,
    ChangeKind,
    Document,
    DocumentStatus,
    Tier,
    VersionChange,
)
from domain.ledger import DocumentRecord
from domain.lifecycle import DocumentLifecycle, Edition, EditionMark
from domain.retrieval import Embedder
from ingest.neighbours import text_of

MOST_READ: Final = 256
"""Texts of one template that are read to see whose they are; the rest count as versions."""


class VersionLookup:
    """Finds earlier versions by logical id or likeness, and says what changed.

    Likeness is sought among what the same origin brought, or what of its own served, in the last 90
    days, deleted documents included; an id has no age.
    """

    def __init__(
        self,
        *,
        lifecycle: DocumentLifecycle,
        blobs: BlobStore,
        clock: Clock,
        embedder: Embedder | None = None,
    ) -> None:
        """Set up; without an embedder every passage in other words counts as changed."""
        self._lifecycle = lifecycle
        self._blobs = blobs
        self._clock = clock
        self._embedder = embedder

    async def mark(self, document: Document) -> EditionMark:
        """Return what later versions will know the document by."""
        return await asyncio.to_thread(mark, document.tenant_id, document.text.text)

    async def changes(
        self, document: Document, own: EditionMark, *, logical_id: str | None
    ) -> tuple[VersionChange, ...]:
        """Return the changes; none where a person reviews all that the origin brings."""
        origin = document.provenance.origin
        if origin.tier is Tier.REVIEWED:
            return ()
        known = await self._lifecycle.editions(
            document.tenant_id,
            origin.ref,
            logical_id=logical_id,
            since=self._clock.now() - timedelta(days=DAYS),
            near=[
                near.document_id for near in document.neighbours if near.origin.ref == origin.ref
            ],
        )
        linked = await self._of_the_same(
            document,
            [
                one
                for one in known
                if one.document_id != document.id
                and is_version(
                    one,
                    own,
                    logical_id=logical_id,
                    ids_are_vouched=document.provenance.signature_verified,
                )
            ],
            logical_id=logical_id,
        )
        found: dict[tuple[int, int], VersionChange] = {}
        witnesses = await self._witnesses(document) if linked else ()
        for earlier in baselines(linked):
            if rewritten(earlier.mark, own):
                whole = document.text.source(0, len(document.text.text))
                found[whole.start, whole.end] = VersionChange(
                    kind=ChangeKind.TEXT, span=whole, earlier=earlier.document_id
                )
                continue
            for change in await self._compare(document, earlier):
                span = document.text.source(change.span.start, change.span.end)
                confirmed = any(says(document.text.text, change.span, one) for one in witnesses)
                found.setdefault(
                    (span.start, span.end),
                    VersionChange(
                        kind=change.kind,
                        span=span,
                        earlier=earlier.document_id,
                        confirmed=confirmed,
                    ),
                )
        return tuple(found.values())

    async def replaced_by(self, record: DocumentRecord) -> Sequence[Edition]:
        """Return the admitted versions that a document of the same logical id takes the place of."""
        return [one for one in await self._serving(record) if not _is_newer(one, record)]

    async def newer(self, record: DocumentRecord) -> Edition | None:
        """Return an admitted newer version of a document; None if it is the newest."""
        serving = await self._serving(record)
        return next((one for one in serving if _is_newer(one, record)), None)

    async def forget_old(self) -> int:
        """Forget deleted documents that are too old to be anybody's earlier version."""
        return await self._lifecycle.forget_editions(
            gone_before=self._clock.now() - timedelta(days=DAYS)
        )

    async def _serving(self, record: DocumentRecord) -> Sequence[Edition]:
        if record.logical_id is None:
            return ()
        known = await self._lifecycle.editions(
            record.tenant_id,
            record.origin,
            logical_id=record.logical_id,
            since=self._clock.now(),
        )
        return [
            one
            for one in known
            if one.logical_id == record.logical_id
            and one.document_id != record.id
            and one.status is DocumentStatus.ADMITTED
        ]

    async def _of_the_same(
        self, document: Document, linked: Sequence[Edition], *, logical_id: str | None
    ) -> Sequence[Edition]:
        """Leave out what likeness alone links and what is about something else.

        Of a deleted document there is no text to tell that by: it stays.
        """
        kept: list[Edition] = []
        read = 0
        for one in linked:
            by_id = logical_id is not None and one.logical_id == logical_id
            if by_id or one.status is DocumentStatus.DELETED or read == MOST_READ:
                kept.append(one)
                continue
            read += 1
            text = await text_of(self._blobs, document.tenant_id, one.document_id)
            if text is None or not await asyncio.to_thread(
                subjects_differ, text, document.text.text
            ):
                kept.append(one)
        return kept

    async def _compare(self, document: Document, earlier: Edition) -> Sequence[Change]:
        text = await text_of(self._blobs, document.tenant_id, earlier.document_id)
        if text is None:
            return await asyncio.to_thread(
                changes_from_memory, document.tenant_id, earlier.mark.statements, document.text.text
            )
        found = await asyncio.to_thread(compare, text, document.text.text)
        if self._embedder is None or not found.doubtful:
            return found.settled(None)
        return found.settled(await self._embedder.embed(found.passages))

    async def _witnesses(self, document: Document) -> Sequence[str]:
        """Return the texts of admitted near-copies that other established origins vouch for."""
        texts = [
            await text_of(self._blobs, document.tenant_id, near.document_id)
            for near in document.neighbours
            if near.admitted
            and near.origin.established
            and near.origin.ref != document.provenance.origin.ref
        ]
        return [text for text in texts if text is not None]


def _is_newer(edition: Edition, record: DocumentRecord) -> bool:
    if edition.version is not None and record.version is not None:
        return edition.version > record.version
    return edition.received_at > record.received_at
