"""Who scans a document at the moment: the moment of its last sign of life is the lease."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, select

from backends.ledger import transitions
from backends.ledger.records import find_record, save_change
from backends.ledger.schema import documents
from domain.documents import UNDECIDED, DocumentId, DocumentStatus
from domain.ledger import DocumentRecord


def begin(
    connection: Connection, document_id: DocumentId, *, at: datetime, lease_seconds: float
) -> DocumentRecord | None:
    """Count an attempt and take the lease; None where there is nothing to scan.

    Raises:
        NotFoundError: Unknown.
        ScanUnderWayError: Another's lease is live.
    """
    before = find_record(connection, document_id, locked=True)
    if before.status not in UNDECIDED:
        return None
    touched_at = connection.execute(
        select(documents.c.touched_at).where(documents.c.id == document_id)
    ).scalar_one()
    transitions.require_no_lease(before, touched_at, at=at, lease_seconds=lease_seconds)
    after = transitions.begun(before)
    save_change(connection, before, after, touched_at=at)
    return after


def extend(connection: Connection, document_id: DocumentId, *, attempt: int, at: datetime) -> bool:
    """Write a sign of life of the attempt; False where it is no longer the one under way."""
    before = find_record(connection, document_id, locked=True)
    if not transitions.is_under_way(before, attempt):
        return False
    save_change(connection, before, before, touched_at=at)
    return True


def give_back(
    connection: Connection, document_id: DocumentId, *, attempt: int | None, at: datetime
) -> None:
    """Uncount the attempt; nothing where another is under way."""
    before = find_record(connection, document_id, locked=True)
    if before.status is DocumentStatus.SCANNING and attempt in (None, before.attempts):
        save_change(connection, before, transitions.given_back(before), touched_at=at)
