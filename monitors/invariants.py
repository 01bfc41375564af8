"""Watches that ledger and index agree, that the audit log is whole, and that verdicts come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from domain.audit import AuditKeys, ChainCheck
from domain.clock import IdFactory
from domain.documents import DEFAULT_TENANT, UNDECIDED, DocumentId, DocumentStatus, TenantId
from domain.errors import NotFoundError
from domain.ledger import AlertLedger, DocumentFilter, DocumentLedger, Journal, every
from domain.monitoring import Alert, AlertId, AlertStatus, Severity
from domain.retrieval import VectorStore
from monitors.events import fingerprint
from monitors.standing import begin, end, firing

BROKEN: Final = "invariant-broken"

_PAGE: Final = 200
_ENTRIES: Final = 1_000
_NAMED: Final = 5
"""Documents that an alert names."""
_OVERDUE: Final = 1_000
"""Documents without a verdict that are looked at."""
SETTLED_FOR: Final = timedelta(minutes=1)
"""A decision younger than this may still be on its way to the index."""


class Invariant(StrEnum):
    NOT_ADMITTED = "indexed-not-admitted"
    """A document has vectors that the ledger does not admit, or does not know."""
    NOT_INDEXED = "admitted-not-indexed"
    AUDIT_LOG = "audit-log-whole"
    OVERDUE = "verdict-overdue"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexDefects:
    """Documents of a tenant in whose case ledger and index disagree."""

    not_admitted: tuple[DocumentId, ...]
    not_indexed: tuple[DocumentId, ...]


async def index_defects(
    documents: DocumentLedger, vectors: VectorStore, tenant_id: TenantId, *, now: datetime
) -> IndexDefects:
    """Compare ledger and index of a tenant.

    A document that is being scanned or was decided just now is passed over, and each suspect is
    looked at once more: work that goes on meanwhile is no defect.

    Raises:
        TransientError: Ledger or index did not answer.
    """
    indexed = await vectors.document_ids(tenant_id=tenant_id)
    extra, missing = set(indexed), set[DocumentId]()
    async for record in every(
        lambda cursor: documents.list(tenant_id, DocumentFilter(), cursor=cursor, limit=_PAGE)
    ):
        if record.status is DocumentStatus.ADMITTED:
            if record.id in indexed:
                extra.discard(record.id)
            else:
                missing.add(record.id)
        elif record.status in UNDECIDED:
            extra.discard(record.id)
    suspects = sorted(extra | missing)
    confirmed = [
        each for each in suspects if await _disagrees(documents, vectors, tenant_id, each, now=now)
    ]
    return IndexDefects(
        not_admitted=tuple(each for each in confirmed if each in extra),
        not_indexed=tuple(each for each in confirmed if each in missing),
    )


async def _disagrees(
    documents: DocumentLedger,
    vectors: VectorStore,
    tenant_id: TenantId,
    document_id: DocumentId,
    *,
    now: datetime,
) -> bool:
    holds = await vectors.holds(document_id, tenant_id=tenant_id)
    try:
        record = await documents.get(tenant_id, document_id)
    except NotFoundError:
        return holds
    if record.status in UNDECIDED or (
        record.decided_at is not None and now - record.decided_at < SETTLED_FOR
    ):
        return False
    return holds != (record.status is DocumentStatus.ADMITTED)


class InvariantMonitor:
    """A `Monitor`: one alert a tenant and broken invariant; it remembers nothing.

    The audit log is one for all tenants, and its alert is the default tenant's.
    """

    def __init__(
        self,
        *,
        documents: DocumentLedger,
        journal: Journal,
        alerts: AlertLedger,
        vectors: VectorStore,
        audit_keys: AuditKeys,
        ids: IdFactory,
        verdict_within: timedelta = timedelta(hours=1),
    ) -> None:
        self._documents = documents
        self._journal = journal
        self._alerts = alerts
        self._vectors = vectors
        self._audit_keys = audit_keys
        self._ids = ids
        self._verdict_within = verdict_within

    @property
    def name(self) -> str:
        return "invariants"

    async def evaluate(self, tenant_id: TenantId, *, now: datetime) -> Sequence[Alert]:
        """Return alerts that changed status.

        Raises:
            TransientError: Ledger or index did not answer.
        """
        found = await self._broken(tenant_id, now)
        standing = {
            alert.labels["invariant"]: alert
            async for alert in firing(self._alerts, tenant_id, BROKEN)
        }
        changed: list[Alert] = []
        for invariant, told in found.items():
            if invariant.value not in standing:
                changed += await self._fire(tenant_id, invariant, told, now)
        for name, alert in standing.items():
            if name not in {invariant.value for invariant in found}:
                ended = await end(self._alerts, alert, {}, at=now)
                changed += [] if ended is None else [ended]
        return changed

    async def _broken(
        self, tenant_id: TenantId, now: datetime
    ) -> Mapping[Invariant, Mapping[str, str]]:
        defects = await index_defects(self._documents, self._vectors, tenant_id, now=now)
        found = {
            Invariant.NOT_ADMITTED: defects.not_admitted,
            Invariant.NOT_INDEXED: defects.not_indexed,
            Invariant.OVERDUE: await self._overdue(tenant_id, now),
        }
        told: dict[Invariant, Mapping[str, str]] = {
            invariant: {"documents": str(len(ids)), "first": ", ".join(ids[:_NAMED])}
            for invariant, ids in found.items()
            if ids
        }
        if tenant_id == DEFAULT_TENANT and (seq := await self._fault()) is not None:
            told[Invariant.AUDIT_LOG] = {"entry": str(seq)}
        return told

    async def _overdue(self, tenant_id: TenantId, now: datetime) -> Sequence[DocumentId]:
        waiting = await self._documents.undecided(
            received_before=now - self._verdict_within, limit=_OVERDUE
        )
        records = await self._documents.records(tenant_id, waiting)
        return [each for each in waiting if each in records]

    async def _fault(self) -> int | None:
        """Return the number of the first entry that is wrong; None where the chain is whole."""
        check, after = ChainCheck(self._audit_keys), 0
        while entries := await self._journal.sealed(after=after, limit=_ENTRIES):
            if not check.take(entries):
                break
            after = entries[-1].entry.seq
        fault = check.finish()
        return None if fault is None else fault.seq

    async def _fire(
        self, tenant_id: TenantId, invariant: Invariant, told: Mapping[str, str], now: datetime
    ) -> list[Alert]:
        labels = {"monitor": BROKEN, "invariant": invariant.value}
        overdue = invariant is Invariant.OVERDUE
        alert = Alert(
            id=AlertId(self._ids.new("alr")),
            tenant_id=tenant_id,
            name=BROKEN,
            fingerprint=fingerprint(labels),
            severity=Severity.WARNING if overdue else Severity.CRITICAL,
            status=AlertStatus.FIRING,
            labels=labels,
            annotations=told,
            starts_at=now,
        )
        return [alert] if await begin(self._alerts, alert, told) else []
