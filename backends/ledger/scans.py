"""What scans said, and by what a text is known again: assessments, findings, fingerprints."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, Row, delete, select

from backends.ledger.schema import assessments, findings, signatures
from backends.ledger.statements import insert_rows
from backends.ledger.transitions import DENIED
from backends.ledger.types import to_json
from domain.documents import DocumentId, DocumentStatus, OriginRef, Span, TenantId
from domain.ledger import KnownFingerprint, StoredAssessment
from domain.retrieval import EXACT_BYTES, Fingerprint
from domain.scanning import Finding, ScanReport
from domain.trust import Contribution, TrustAssessment, Verdict


def insert_scan(
    connection: Connection,
    document_id: DocumentId,
    report: ScanReport,
    assessment: TrustAssessment,
) -> None:
    insert_rows(
        connection,
        assessments,
        {
            "document_id": document_id,
            "score": assessment.score,
            "risk": assessment.risk,
            "verdict": assessment.verdict,
            "reason": assessment.reason,
            "policy_version": assessment.policy_version,
            "contributions": to_json([_written(item) for item in assessment.contributions]),
            "completed": report.completed,
            "unavailable": report.unavailable,
            "decisive": assessment.decisive,
        },
    )
    rows = [
        _finding_row(document_id, ordinal, finding)
        for ordinal, finding in enumerate(report.findings)
    ]
    if rows:
        insert_rows(connection, findings, rows)


def insert_fingerprint(
    connection: Connection, tenant_id: TenantId, document_id: DocumentId, made: Fingerprint
) -> None:
    insert_rows(
        connection,
        signatures,
        {
            "document_id": document_id,
            "tenant_id": tenant_id,
            "content": b"" if made.signature is None else _packed(made.signature),
            "scheme": made.scheme,
            "exact": made.exact,
            "passages": _packed(made.stored),
            "sampled": made.kept,
        },
    )


def read_fingerprint(row: Row[Any]) -> KnownFingerprint:
    """Read a row of fingerprint, origin and status; one of the first release has no scheme."""
    return KnownFingerprint(
        fingerprint=Fingerprint(
            exact=row.exact or bytes(EXACT_BYTES),
            signature=_unpacked(row.content) if row.content else None,
            passages=_unpacked(row.passages or b""),
            sampled=row.sampled or 0,
            kept=row.sampled or 0,
            scheme=row.scheme or "",
        ),
        origin=OriginRef(kind=row.origin_kind, id=row.origin_id),
        denied=row.status in (*DENIED, DocumentStatus.DELETED),
    )


def _packed(values: NDArray[np.uint32]) -> bytes:
    return np.asarray(values, dtype="<u4").tobytes()


def _unpacked(content: bytes) -> NDArray[np.uint32]:
    return np.frombuffer(content, dtype="<u4").astype(np.uint32)


def forget_scan(
    connection: Connection, document_id: DocumentId, *, fingerprint: bool = True
) -> None:
    """Delete findings and assessment; the fingerprint only if told so."""
    for table in (findings, assessments, *((signatures,) if fingerprint else ())):
        connection.execute(delete(table).where(table.c["document_id"] == document_id))


def load_scan(connection: Connection, document_id: DocumentId) -> StoredAssessment | None:
    row = connection.execute(
        select(assessments).where(assessments.c.document_id == document_id)
    ).first()
    if row is None:
        return None
    found = connection.execute(
        select(findings).where(findings.c.document_id == document_id).order_by(findings.c.ordinal)
    )
    return StoredAssessment(
        report=ScanReport(
            document_id=document_id,
            findings=tuple(_finding(item) for item in found),
            completed=row.completed,
            unavailable=row.unavailable,
        ),
        assessment=TrustAssessment(
            document_id=document_id,
            score=row.score,
            risk=row.risk,
            verdict=row.verdict,
            reason=row.reason,
            contributions=tuple(_contribution(item) for item in json.loads(row.contributions)),
            policy_version=row.policy_version,
            decisive=row.decisive or "",
        ),
    )


def detector_of(rule: str) -> str:
    """Return the part of a rule's name before the first dot."""
    return rule.partition(".")[0]


def _finding_row(document_id: DocumentId, ordinal: int, finding: Finding) -> Mapping[str, object]:
    return {
        "document_id": document_id,
        "ordinal": ordinal,
        "rule": finding.rule,
        "detector": detector_of(finding.rule),
        "risk": finding.risk,
        "level": finding.level,
        "start": None if finding.span is None else finding.span.start,
        "end": None if finding.span is None else finding.span.end,
        "locator": finding.locator,
        "message": finding.message,
        "evidence": to_json(dict(finding.evidence)),
        "suppressed_by": finding.suppressed_by,
    }


def _finding(row: Row[Any]) -> Finding:
    return Finding(
        rule=row.rule,
        risk=row.risk,
        level=row.level,
        message=row.message,
        span=None if row.start is None else Span(row.start, row.end),
        locator=row.locator,
        evidence=json.loads(row.evidence),
        suppressed_by=row.suppressed_by,
    )


def _written(item: Contribution) -> Mapping[str, object]:
    return {
        "rule": item.rule,
        "risk": item.risk,
        "weight": item.weight,
        "points": item.points,
        "mode": item.mode,
        "version": item.version,
        "hard": None if item.hard is None else item.hard.value,
        "explained_by": item.explained_by,
        "suppressed": item.suppressed,
    }


def _contribution(written: Mapping[str, Any]) -> Contribution:
    return Contribution(
        rule=written["rule"],
        risk=written["risk"],
        weight=written["weight"],
        points=written["points"],
        mode=written["mode"],
        # Written since revision 0003.
        version=written.get("version", ""),
        hard=None if written.get("hard") is None else Verdict(written["hard"]),
        explained_by=written.get("explained_by"),
        suppressed=written.get("suppressed", 0),
    )
