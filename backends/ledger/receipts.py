"""Uploads: received once, whatever is sent twice or side by side."""

from __future__ import annotations

from typing import Final

from sqlalchemy import Connection, select, update

from backends.ledger import entries, transitions
from backends.ledger.journal import append_entry
from backends.ledger.outbox import INGEST, INGEST_BULK, queue_job
from backends.ledger.publishers import note_publication
from backends.ledger.records import find_record, read_record, record_row
from backends.ledger.schema import LIVE, claims, documents
from backends.ledger.statements import insert_new
from domain.documents import DocumentId, DocumentStatus
from domain.errors import IdempotencyMismatchError, TransientError
from domain.ledger import DocumentRecord, IdempotencyClaim, NewDocument, Receipt

RECEIVE_ROUNDS: Final = 3
"""Only PostgreSQL needs a second one: where the known document is deleted under our eyes."""
LIVE_BYTES: Final = ("tenant_id", "sha256", "origin_kind", "origin_id")
"""The same bytes of the same origin are one document, among those that are not gone."""
GONE: Final = (DocumentStatus.DELETED, DocumentStatus.SUPERSEDED)


def receive(connection: Connection, new: NewDocument, claim: IdempotencyClaim | None) -> Receipt:
    """Write an upload with its claim, job and journal entry; as `DocumentLedger.receive`."""
    if claim is not None and not _claimed(connection, new, claim):
        return Receipt(record=_replay(connection, claim), created=False)
    record = transitions.received(new)
    if new.publication is not None:
        note_publication(connection, new.tenant_id, new.publication)
    row = record_row(record, touched_at=new.received_at)
    for _ in range(RECEIVE_ROUNDS):
        if insert_new(connection, documents, row, unique=LIVE_BYTES, among=LIVE):
            queue_job(connection, INGEST_BULK if new.bulk else INGEST, new.id, at=new.received_at)
            append_entry(connection, entries.document_received(new))
            return Receipt(record=record, created=True)
        known = _live(connection, new)
        if known is not None:
            if claim is not None:
                connection.execute(
                    update(claims)
                    .where(claims.c.key_id == claim.key_id, claims.c.key == claim.key)
                    .values(document_id=known.id)
                )
            return Receipt(record=known, created=False)
    raise TransientError(f"document {new.id!r} kept changing while it was received")


def _claimed(connection: Connection, new: NewDocument, claim: IdempotencyClaim) -> bool:
    return insert_new(
        connection,
        claims,
        {
            "key_id": claim.key_id,
            "key": claim.key,
            "request_hash": claim.request_hash,
            "document_id": new.id,
            "created_at": new.received_at,
        },
        unique=("key_id", "key"),
    )


def _replay(connection: Connection, claim: IdempotencyClaim) -> DocumentRecord:
    row = connection.execute(
        select(claims).where(claims.c.key_id == claim.key_id, claims.c.key == claim.key)
    ).one()
    if row.request_hash != claim.request_hash:
        raise IdempotencyMismatchError("the idempotency key was used with another request")
    return find_record(connection, DocumentId(row.document_id))


def _live(connection: Connection, new: NewDocument) -> DocumentRecord | None:
    row = connection.execute(
        select(documents).where(
            documents.c.tenant_id == new.tenant_id,
            documents.c.sha256 == new.sha256,
            documents.c.origin_kind == new.origin.kind,
            documents.c.origin_id == new.origin.id,
            documents.c.status.not_in(GONE),
        )
    ).first()
    return None if row is None else read_record(row)
