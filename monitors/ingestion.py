"""Watches uploads: bursts of held or alike ones of an origin or on a topic, blind detectors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from domain.clock import IdFactory
from domain.documents import DocumentId, DocumentStatus, TenantId
from domain.ledger import AlertLedger, DocumentFilter, DocumentLedger, DocumentRecord
from domain.monitoring import Alert, AlertId, AlertStatus, Severity, TopicId
from monitors.events import fingerprint
from monitors.standing import begin, end, firing
from monitors.upload_topics import UploadTopics

BURST: Final = "ingestion-burst"
UNAVAILABLE: Final = "detector-unavailable"

_HELD: Final = frozenset({DocumentStatus.QUARANTINED, DocumentStatus.REJECTED})
_DECIDED: Final = _HELD | {DocumentStatus.ADMITTED}
_PAGE: Final = 200
_KINDS: Final = ("origin", "topic", "detector")


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestionOptions:
    """When uploads are a burst, and a detector blind.

    Attributes:
        window: What is looked at.
        most: Documents looked at, the latest.
        held: Documents of one origin, or on one topic, that were quarantined or rejected, at least.
        alike: Documents of one origin, or on one topic, in one family, at least.
        share: Of the origin's or the topic's documents that are the one or the other, at least: a
            large honest batch holds a few of both.
        origins: Origins from which on a topic's burst is told: that of one is its own.
        scans: Latest decided documents whose scans are looked at.
        blind: Of these, scans that a detector missed, at least.
    """

    window: timedelta = timedelta(hours=1)
    most: int = 1_000
    held: int = 10
    alike: int = 20
    share: float = 0.5
    origins: int = 2
    scans: int = 20
    blind: int = 3


class IngestionMonitor:
    """A `Monitor` of uploads: one alert an origin, one a topic, and one a detector.

    It remembers nothing: what is in the window decides, and the alerts that stand.
    """

    def __init__(
        self,
        documents: DocumentLedger,
        alerts: AlertLedger,
        *,
        ids: IdFactory,
        options: IngestionOptions | None = None,
        topics: UploadTopics | None = None,
    ) -> None:
        """Set up; without `topics` nothing is told by topic."""
        self._documents = documents
        self._alerts = alerts
        self._ids = ids
        self._options = options or IngestionOptions()
        self._topics = topics

    @property
    def name(self) -> str:
        return "ingestion"

    async def evaluate(self, tenant_id: TenantId, *, now: datetime) -> Sequence[Alert]:
        """Return alerts that changed status.

        Raises:
            TransientError: The ledger, or what tells topics, did not answer.
        """
        recent = await self._recent(tenant_id, now - self._options.window)
        found = {
            **{("origin", origin): told for origin, told in bursts(recent, self._options).items()},
            **{
                ("topic", topic): told
                for topic, told in (await self._on_topics(tenant_id, recent)).items()
            },
            **{("detector", name): told for name, told in (await self._blind(recent)).items()},
        }
        standing: dict[tuple[str, str], Alert] = {}
        async for alert in firing(self._alerts, tenant_id, BURST, UNAVAILABLE):
            kind = next(kind for kind in _KINDS if kind in alert.labels)
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

    async def _on_topics(
        self, tenant_id: TenantId, recent: Sequence[DocumentRecord]
    ) -> Mapping[str, Mapping[str, int]]:
        """Look for topics only where all uploads together are a burst of several origins."""
        several = len({one.origin for one in recent}) >= self._options.origins
        together = _counts(recent)
        enough = together["held"] >= self._options.held or together["alike"] >= self._options.alike
        if self._topics is None or not (several and enough):
            return {}
        decided = [one for one in recent if one.status in _DECIDED]
        return bursts_on_topics(decided, await self._topics.of(tenant_id, decided), self._options)

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
        name = UNAVAILABLE if kind == "detector" else BURST
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
    by_origin: dict[str, list[DocumentRecord]] = {}
    for one in recent:
        by_origin.setdefault(str(one.origin), []).append(one)
    return _told(by_origin, options)


def bursts_on_topics(
    recent: Iterable[DocumentRecord],
    topics: Mapping[DocumentId, TopicId],
    options: IngestionOptions,
) -> Mapping[str, Mapping[str, int]]:
    """Return the topics on which several origins together upload a burst."""
    by_topic: dict[str, list[DocumentRecord]] = {}
    for one in recent:
        if one.id in topics:
            by_topic.setdefault(topics[one.id], []).append(one)
    several = {
        topic: held
        for topic, held in by_topic.items()
        if len({one.origin for one in held}) >= options.origins
    }
    return _told(several, options)


def _told(
    groups: Mapping[str, Sequence[DocumentRecord]], options: IngestionOptions
) -> Mapping[str, Mapping[str, int]]:
    counted = {who: _counts(documents) for who, documents in groups.items()}
    return {who: counts for who, counts in counted.items() if _is_burst(counts, options)}


def _counts(documents: Sequence[DocumentRecord]) -> Mapping[str, int]:
    families = Counter(one.family_id for one in documents if one.family_id is not None)
    return {
        "uploads": len(documents),
        "held": sum(one.status in _HELD for one in documents),
        "alike": max(families.values(), default=0),
    }


def _is_burst(counts: Mapping[str, int], options: IngestionOptions) -> bool:
    least = options.share * counts["uploads"]
    return (counts["held"] >= options.held and counts["held"] >= least) or (
        counts["alike"] >= options.alike and counts["alike"] >= least
    )
