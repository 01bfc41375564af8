"""The documents: from receipt to verdict, decision and deletion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import (
    Connection,
    Select,
    case,
    exists,
    func,
    or_,
    select,
    true,
    tuple_,
    union,
    update,
)

from backends.ledger import cursors, entries, leases, transitions
from backends.ledger.document_events import DECIDED_EVENTS, SETTLED_EVENTS, document_events
from backends.ledger.engine import Database
from backends.ledger.journal import append_entry
from backends.ledger.lifecycle import mark_gone, mark_reviewed, save_mark
from backends.ledger.receipts import receive
from backends.ledger.records import find_record, read_record, save_change
from backends.ledger.scans import (
    detector_of,
    forget_scan,
    insert_fingerprint,
    insert_scan,
    load_scan,
    read_fingerprint,
)
from backends.ledger.schema import (
    api_keys,
    documents,
    findings,
    signatures,
    topics,
)
from backends.ledger.webhooks import insert_deliveries
from domain.clock import Clock, IdFactory
from domain.documents import UNDECIDED, DocumentId, DocumentStatus, TenantId
from domain.ledger import (
    Backlog,
    DecisionAction,
    DocumentFilter,
    DocumentRecord,
    IdempotencyClaim,
    KnownFingerprint,
    NewDocument,
    Page,
    Receipt,
    Settlement,
    StoredAssessment,
)
from domain.retrieval import FamilyId

IDS_A_QUERY: Final = 500


class SqlDocumentLedger:
    def __init__(self, database: Database, *, clock: Clock, ids: IdFactory) -> None:
        self._database = database
        self._clock = clock
        self._ids = ids

    async def receive(self, new: NewDocument, *, claim: IdempotencyClaim | None) -> Receipt:
        return await self._database.write(lambda connection: receive(connection, new, claim))

    async def get(self, tenant_id: TenantId, document_id: DocumentId) -> DocumentRecord:
        return await self._database.read(
            lambda connection: find_record(connection, document_id, tenant_id=tenant_id)
        )

    async def find(self, document_id: DocumentId) -> DocumentRecord:
        return await self._database.read(lambda connection: find_record(connection, document_id))

    async def list(
        self,
        tenant_id: TenantId,
        filter: DocumentFilter,
        *,
        cursor: str | None,
        limit: int,
    ) -> Page[DocumentRecord]:
        cursors.require_limit(limit)
        query = _filtered(tenant_id, filter)
        if cursor is not None:
            last = cursors.decode(cursor)
            key = tuple_(documents.c.received_at, documents.c.id)
            query = query.where(
                key
                < tuple_(
                    last.at, last.id, types=[documents.c.received_at.type, documents.c.id.type]
                )
            )
        query = query.order_by(documents.c.received_at.desc(), documents.c.id.desc())
        found = await self._records(query.limit(limit + 1))
        return cursors.page(found, limit=limit, position=_position)

    async def stored_assessment(
        self, tenant_id: TenantId, document_id: DocumentId
    ) -> StoredAssessment | None:
        def body(connection: Connection) -> StoredAssessment | None:
            find_record(connection, document_id, tenant_id=tenant_id)
            return load_scan(connection, document_id)

        return await self._database.read(body)

    async def begin_attempt(
        self, document_id: DocumentId, *, lease_seconds: float = 0.0
    ) -> DocumentRecord | None:
        at = self._clock.now()
        return await self._database.write(
            lambda connection: leases.begin(
                connection, document_id, at=at, lease_seconds=lease_seconds
            )
        )

    async def extend_lease(self, document_id: DocumentId, *, attempt: int) -> bool:
        at = self._clock.now()
        return await self._database.write(
            lambda connection: leases.extend(connection, document_id, attempt=attempt, at=at)
        )

    async def give_back(self, document_id: DocumentId, *, attempt: int | None = None) -> None:
        at = self._clock.now()
        await self._database.write(
            lambda connection: leases.give_back(connection, document_id, attempt=attempt, at=at)
        )

    async def settle(self, document_id: DocumentId, settlement: Settlement) -> bool:
        return await self._database.write(
            lambda connection: _settle(connection, document_id, settlement, self._ids)
        )

    async def decide(
        self,
        tenant_id: TenantId,
        document_id: DocumentId,
        *,
        action: DecisionAction,
        reason: str,
        actor: str,
        at: datetime,
        family_id: FamilyId | None = None,
        voting: bool = True,
        trust: float | None = None,
        seen: DocumentRecord | None = None,
    ) -> DocumentRecord:
        def body(connection: Connection) -> DocumentRecord:
            before = find_record(connection, document_id, tenant_id=tenant_id, locked=True)
            after = transitions.decided(
                before,
                action=action,
                actor=actor,
                at=at,
                family_id=family_id,
                voting=voting,
                trust=trust,
                seen=seen,
            )
            save_change(connection, before, after)
            draft = entries.document_decided(
                before, action=action, reason=reason, actor=actor, at=at
            )
            if action is DecisionAction.RELEASE:
                mark_reviewed(connection, document_id)
            else:
                mark_gone(connection, document_id, at=at)
            events = document_events(DECIDED_EVENTS[action], after, at=at)
            insert_deliveries(connection, tenant_id, events=events, at=at, ids=self._ids)
            append_entry(connection, draft)
            return after

        return await self._database.write(body)

    async def delete(
        self, tenant_id: TenantId, document_id: DocumentId, *, actor: str, at: datetime
    ) -> DocumentRecord:
        def body(connection: Connection) -> DocumentRecord:
            before = find_record(connection, document_id, tenant_id=tenant_id, locked=True)
            after = transitions.deleted(before)
            save_change(connection, before, after)
            mark_gone(connection, document_id, at=at)
            forget_scan(
                connection, document_id, fingerprint=before.status not in transitions.DENIED
            )
            append_entry(connection, entries.document_deleted(before, actor=actor, at=at))
            return after

        return await self._database.write(body)

    async def blob_in_use(self, tenant_id: TenantId, sha256: str) -> bool:
        query = select(
            exists().where(
                documents.c.tenant_id == tenant_id,
                documents.c.sha256 == sha256,
                documents.c.status != DocumentStatus.DELETED,
            )
        )
        return await self._database.read(
            lambda connection: bool(connection.execute(query).scalar_one())
        )

    async def undecided(
        self, *, received_before: datetime, limit: int, latest: datetime | None = None
    ) -> Sequence[DocumentId]:
        cursors.require_limit(limit)
        at = documents.c.touched_at
        query = (
            select(documents.c.id)
            .where(
                documents.c.status.in_(UNDECIDED),
                at < received_before if latest is None else or_(at < received_before, at > latest),
            )
            .order_by(documents.c.received_at, documents.c.id)
            .limit(limit)
        )
        return await self._database.read(
            lambda connection: [DocumentId(row.id) for row in connection.execute(query)]
        )

    async def backlog(self) -> Mapping[TenantId, Backlog]:
        first_scan = case((documents.c.rescans == 0, documents.c.received_at))
        query = (
            select(documents.c.tenant_id, func.count(), func.min(first_scan).label("oldest"))
            .where(documents.c.status.in_(UNDECIDED))
            .group_by(documents.c.tenant_id)
        )

        def body(connection: Connection) -> Mapping[TenantId, Backlog]:
            return {
                TenantId(tenant_id): Backlog(waiting=waiting, oldest_received_at=oldest)
                for tenant_id, waiting, oldest in connection.execute(query)
            }

        return await self._database.read(body)

    async def records(
        self, tenant_id: TenantId, document_ids: Sequence[DocumentId]
    ) -> Mapping[DocumentId, DocumentRecord]:
        queries = [
            select(documents).where(
                documents.c.tenant_id == tenant_id,
                documents.c.id.in_(some),
                documents.c.status != DocumentStatus.DELETED,
            )
            for some in _batches(document_ids)
        ]

        def body(connection: Connection) -> Mapping[DocumentId, DocumentRecord]:
            found = [read_record(row) for query in queries for row in connection.execute(query)]
            return {record.id: record for record in found}

        return await self._database.read(body)

    async def family(self, tenant_id: TenantId, family_id: FamilyId) -> Sequence[DocumentRecord]:
        query = (
            select(documents)
            .where(
                documents.c.tenant_id == tenant_id,
                documents.c.family_id == family_id,
                documents.c.status == DocumentStatus.ADMITTED,
            )
            .order_by(documents.c.admitted_at, documents.c.id)
        )
        return await self._records(query)

    async def set_family(
        self,
        tenant_id: TenantId,
        document_id: DocumentId,
        *,
        family_id: FamilyId,
        voting: bool,
    ) -> None:
        statement = (
            update(documents)
            .where(documents.c.id == document_id, documents.c.tenant_id == tenant_id)
            .values(family_id=family_id, voting=voting)
        )

        def body(connection: Connection) -> None:
            if connection.execute(statement).rowcount == 0:
                raise transitions.unknown_document(document_id)

        await self._database.write(body)

    async def fingerprints(
        self, tenant_id: TenantId, document_ids: Sequence[DocumentId] | None = None
    ) -> Mapping[DocumentId, KnownFingerprint]:
        query = (
            select(signatures, documents.c.origin_kind, documents.c.origin_id, documents.c.status)
            .join(documents, documents.c.id == signatures.c.document_id)
            .where(signatures.c.tenant_id == tenant_id)
        )
        queries = (
            [query]
            if document_ids is None
            else [query.where(documents.c.id.in_(some)) for some in _batches(document_ids)]
        )

        def body(connection: Connection) -> Mapping[DocumentId, KnownFingerprint]:
            found = [row for each in queries for row in connection.execute(each)]
            return {DocumentId(row.document_id): read_fingerprint(row) for row in found}

        return await self._database.read(body)

    async def tenants(self) -> Sequence[TenantId]:
        query = union(
            select(documents.c.tenant_id), select(api_keys.c.tenant_id), select(topics.c.tenant_id)
        )
        return await self._database.read(
            lambda connection: sorted(TenantId(row.tenant_id) for row in connection.execute(query))
        )

    async def count_by_status(self, tenant_id: TenantId) -> Mapping[DocumentStatus, int]:
        query = (
            select(documents.c.status, func.count().label("number"))
            .where(documents.c.tenant_id == tenant_id)
            .group_by(documents.c.status)
        )
        return await self._database.read(
            lambda connection: {row.status: row.number for row in connection.execute(query)}
        )

    async def _records(self, query: Select[*tuple[Any, ...]]) -> Sequence[DocumentRecord]:
        return await self._database.read(
            lambda connection: [read_record(row) for row in connection.execute(query)]
        )


def _settle(
    connection: Connection, document_id: DocumentId, settlement: Settlement, ids: IdFactory
) -> bool:
    before = find_record(connection, document_id, locked=True)
    if before.status is not DocumentStatus.SCANNING:
        return False
    after = transitions.settled(before, settlement)
    save_change(connection, before, after)
    if before.rescans:
        forget_scan(connection, document_id)
    if settlement.mark is not None:
        save_mark(connection, before, settlement)
    if settlement.report is not None:
        insert_scan(connection, document_id, settlement.report, settlement.assessment)
    if settlement.fingerprint is not None:
        insert_fingerprint(connection, before.tenant_id, document_id, settlement.fingerprint)
    at = settlement.settled_at
    told = document_events(SETTLED_EVENTS.get(settlement.assessment.verdict), after, at=at)
    insert_deliveries(connection, before.tenant_id, events=told, at=at, ids=ids)
    append_entry(connection, entries.document_settled(before, settlement))
    return True


def _filtered(tenant_id: TenantId, filter: DocumentFilter) -> Select[*tuple[Any, ...]]:
    query = select(documents).where(documents.c.tenant_id == tenant_id)
    if filter.status is None:
        query = query.where(documents.c.status != DocumentStatus.DELETED)
    else:
        query = query.where(documents.c.status == filter.status)
    if filter.origin is not None:
        query = query.where(
            documents.c.origin_kind == filter.origin.kind,
            documents.c.origin_id == filter.origin.id,
        )
    if filter.rule is not None:
        detector = detector_of(filter.rule)
        query = query.where(
            exists().where(
                findings.c.document_id == documents.c.id,
                findings.c.detector == detector,
                findings.c.rule == filter.rule if filter.rule != detector else true(),
            )
        )
    return query


def _position(record: DocumentRecord) -> cursors.Position:
    return cursors.Position(at=record.received_at, id=record.id)


def _batches(document_ids: Sequence[DocumentId]) -> Sequence[Sequence[DocumentId]]:
    return [
        document_ids[start : start + IDS_A_QUERY]
        for start in range(0, len(document_ids), IDS_A_QUERY)
    ]
