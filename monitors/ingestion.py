"""Watches what is uploaded: bursts of held or alike documents of one origin, blind detectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from domain.clock import IdFactory
from domain.documents import DocumentStatus, TenantId
from domain.ledger import AlertLedger, DocumentFilter, DocumentLedger, DocumentRecord
from domain.monitoring import Alert, AlertId, AlertStatus, Severity
from monitors.events import fingerprint
from monitors.standing import begin, end, firing

BURST: Final = "ingestion-burst"
UNAVAILABLE: Final = "detector-unavailable"

_HELD: Final = frozenset({DocumentStatus.QUARANTINED, DocumentStatus.REJECTED})
_DECIDED: Final = _HELD | {DocumentStatus.ADMITTED}
_PAGE: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestionOptions:
    """When uploads are a burst, and a detector blind.

    Attributes:
        window: What is looked at.
        most: Documents looked at, the latest.
        held: Documents of one origin that were quarantined or rejected, at least.
        alike: Documents of one origin in one family, at least.
        share: Of the origin's documents that are the one or the other, at least: a large honest
            batch holds a few of both.
        scans: Latest decided documents whose scans are looked at.
        blind: Of these, scans that a detector missed, at least.
    """

    window: timedelta = timedelta(hours=1)
    most: int = 1_000
    held: int = 10
    alike: int = 20
    share: float = 0.5
    scans: int = 20
    blind: int = 3


class IngestionMonitor:
    """A `Monitor` of uploads: one alert an origin, and one a detector.

    It remembers nothing: what is in the window decides, and the alerts that stand.
    """

    def __init__(
        self,
        documents: DocumentLedger,
        alerts: AlertLedger,
        *,
        ids: IdFactory,
        options: IngestionOptions | None = None,
    ) -> None:
        self._documents = documents
        self._alerts = alerts
        self._ids = ids
        self._options = options or IngestionOptions()

    @property
    def name(self) -> str:
        return "ingestion"

    async def evaluate(self, tenant_id: TenantId, *, now: datetime) -> Sequence[Alert]:
        """Return alerts that changed status.

        Raises:
            TransientError: The ledger did not answer.
        """
        recent = await self._recent(tenant_id, now - self._options.window)
        found = {
            **{("origin", origin): told for origin, told in bursts(recent, self._options).items()},
            **{("detector", name): told for name, told in (await self._blind(recent)).items()},
        }
        standing: dict[tuple[str, str], Alert] = {}
        async for alert in firing(self._alerts, tenant_id, BURST, UNAVAILABLE):
            kind = "origin" if alert.name == BURST else "detector"
            standing[kind, alert.labels[kind]] = alert
        changed: list[Alert] = []
        for (kind, who), numbers in found.items():
            if (kind, who) not in standing:
                changed += await self._fire(tenant_id, kind, who, numbers, now)
        for key, alert in standing.items():
            if key not in found:
                ended = await end(self._alerts, alert, {}, at=now)
                changed += [] if ended is None else [ended]
        return changed

    async def _recent(self, tenant_id: TenantId, since: datetime) -> Sequence[DocumentRecord]:
        recent: list[DocumentRecord] = []
        cursor: str | None = None
        while len(recent) < self._options.most:
            page = await self._documents.list(
                tenant_id, DocumentFilter(), cursor=cursor, limit=_PAGE
            )
            recent += (one for one in page.items if one.received_at >= since)
            cursor = page.next_cursor
            if cursor is None or page.items[-1].received_at < since:
                break
        return recent

    async def _blind(self, recent: Sequence[DocumentRecord]) -> Mapping[str, Mapping[str, int]]:
        decided = [one for one in recent if one.status in _DECIDED][: self._options.scans]
        missed: Counter[str] = Counter()
        for one in decided:
            stored = await self._documents.stored_assessment(one.tenant_id, one.id)
            if stored is not None:
                missed.update(stored.report.unavailable)
        return {
            name: {"missed": count, "scans": len(decided)}
            for name, count in missed.items()
            if count >= self._options.blind
        }

    async def _fire(
        self,
        tenant_id: TenantId,
        kind: str,
        who: str,
        numbers: Mapping[str, int],
        now: datetime,
    ) -> list[Alert]:
        name = BURST if kind == "origin" else UNAVAILABLE
        labels = {"monitor": name, kind: who}
        alert = Alert(
            id=AlertId(self._ids.new("alr")),
            tenant_id=tenant_id,
            name=name,
            fingerprint=fingerprint(labels),
            severity=Severity.WARNING,
            status=AlertStatus.FIRING,
            labels=labels,
            annotations={what: str(count) for what, count in numbers.items()},
            starts_at=now,
        )
        return [alert] if await begin(self._alerts, alert, numbers) else []


def bursts(
    recent: Iterable[DocumentRecord], options: IngestionOptions
) -> Mapping[str, Mapping[str, int]]:
    """Return the origins that upload a burst, and how many documents of each kind."""
    uploads: Counter[str] = Counter()
    held: Counter[str] = Counter()
    families: dict[str, Counter[str]] = {}
    for one in recent:
        origin = f"{one.origin.kind.value}:{one.origin.id}"
        uploads[origin] += 1
        held[origin] += one.status in _HELD
        if one.family_id is not None:
            families.setdefault(origin, Counter())[one.family_id] += 1
    found = {}
    for origin, count in uploads.items():
        alike = max(families.get(origin, Counter()).values(), default=0)
        if (held[origin] >= options.held and held[origin] >= options.share * count) or (
            alike >= options.alike and alike >= options.share * count
        ):
            found[origin] = {"uploads": count, "held": held[origin], "alike": alike}
    return found
