"""Watches that ledger and index agree, that the audit log is whole, and that verdicts come."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from domain.audit import AuditKeys, ChainCheck, Fault
from domain.clock import IdFactory
from domain.documents import DEFAULT_TENANT, DocumentId, TenantId
from domain.ledger import AlertLedger, DocumentLedger, Journal, ObservationLedger
from domain.monitoring import Alert, AlertId, AlertStatus, MonitorState, Severity, TopicId
from domain.retrieval import VectorStore
from monitors.events import fingerprint
from monitors.index_checks import SHARE, IndexCheck, IndexProgress
from monitors.standing import begin, end, firing

BROKEN: Final = "invariant-broken"

_ENTRIES: Final = 4
"""Of the journal, for each document of a share: about as many as a document writes in its life."""
_ENTRIES_A_PAGE: Final = 1_000
_NO_TOPIC: Final = TopicId("")
"""Whose state it is: a tenant's, and no topic's."""
_NAMED: Final = 5
"""Documents that an alert names."""
_OVERDUE: Final = 1_000
"""Documents without a verdict that are looked at."""


class Invariant(StrEnum):
    NOT_ADMITTED = "indexed-not-admitted"
    """A document has vectors that the ledger does not admit, or does not know."""
    NOT_INDEXED = "admitted-not-indexed"
    AUDIT_LOG = "audit-log-whole"
    OVERDUE = "verdict-overdue"


class _Kept(TypedDict):
    cursor: str | None
    after: str
    suspects: list[DocumentId]
    seq: Annotated[int, Field(ge=0)]
    hash: str


_KEPT: Final = TypeAdapter(_Kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Progress:
    """How far the rounds of a tenant have come; `seq` and `hash` are of the last sound entry."""

    index: IndexProgress = field(default_factory=IndexProgress)
    seq: int = 0
    hash: str = ""

    def written(self) -> str:
        return json.dumps(
            {
                "cursor": self.index.cursor,
                "after": self.index.after,
                "suspects": self.index.suspects,
                "seq": self.seq,
                "hash": self.hash,
            }
        )

    @classmethod
    def read(cls, written: str) -> _Progress:
        """Return what `written` gave; what is none of ours is forgotten, and rounds begin anew."""
        try:
            kept = _KEPT.validate_json(written)
        except ValidationError:
            return cls()
        index = IndexProgress(
            cursor=kept["cursor"], after=kept["after"], suspects=tuple(kept["suspects"])
        )
        return cls(index=index, seq=kept["seq"], hash=kept["hash"])


class InvariantMonitor:
    """A `Monitor`: one alert a tenant and broken invariant.

    A run looks at a share of what there is, goes on where the last one stopped, and begins anew at
    the end: how far it has come is kept in the ledger, with the monitors' states. The audit log is
    one for all tenants, and its alert is the default tenant's.
    """

    def __init__(
        self,
        *,
        documents: DocumentLedger,
        journal: Journal,
        alerts: AlertLedger,
        states: ObservationLedger,
        vectors: VectorStore,
        audit_keys: AuditKeys,
        ids: IdFactory,
        verdict_within: timedelta = timedelta(hours=1),
        share: int = SHARE,
    ) -> None:
        self._documents = documents
        self._journal = journal
        self._alerts = alerts
        self._states = states
        self._vectors = vectors
        self._audit_keys = audit_keys
        self._ids = ids
        self._verdict_within = verdict_within
        self._share = share

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
        kept = await self._states.monitor_state(tenant_id, _NO_TOPIC, self.name)
        progress = _Progress() if kept is None else _Progress.read(kept.state)
        check = IndexCheck(self._documents, self._vectors, tenant_id, now=now)
        looked = await check.round(progress.index, share=self._share)
        defects = looked.defects
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
        progress = replace(progress, index=looked.progress)
        if tenant_id == DEFAULT_TENANT:
            fault, progress = await self._follow_log(progress)
            if fault is not None:
                told[Invariant.AUDIT_LOG] = {"entry": str(fault.seq)}
        await self._states.save_monitor_state(
            MonitorState(
                tenant_id=tenant_id,
                topic_id=_NO_TOPIC,
                monitor=self.name,
                state=progress.written(),
                version=0 if kept is None else kept.version + 1,
            )
        )
        return told

    async def _overdue(self, tenant_id: TenantId, now: datetime) -> Sequence[DocumentId]:
        waiting = await self._documents.undecided(
            received_before=now - self._verdict_within, limit=_OVERDUE
        )
        records = await self._documents.records(tenant_id, waiting)
        return [each for each in waiting if each in records]

    async def _follow_log(self, progress: _Progress) -> tuple[Fault | None, _Progress]:
        """Follow the chain from the last sound entry on, so far as the share goes."""
        check, after, left = ChainCheck(self._audit_keys), progress.seq, _ENTRIES * self._share
        if progress.seq:
            last = await self._journal.sealed(after=progress.seq - 1, limit=1)
            if not last or not check.resume(last[0], hash=progress.hash):
                return Fault(seq=progress.seq, reason="it is not what it was"), progress
        while left > 0:
            entries = await self._journal.sealed(after=after, limit=min(left, _ENTRIES_A_PAGE))
            if not entries:
                return None, replace(progress, seq=0, hash="")
            if not check.take(entries):
                break
            after, left = entries[-1].entry.seq, left - len(entries)
        return check.fault, replace(progress, seq=check.head.seq, hash=check.head.hash)

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
