"""Alerts, silences and the review queue in this process's memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from backends.ledger import cursors, entries
from backends.ledger.transitions import (
    not_firing,
    require_reason,
    unknown_alert,
    unknown_review,
    unknown_silence,
)
from backends.memory.ledger_access import InMemoryJournal
from backends.memory.ledger_webhooks import InMemoryWebhookLedger
from domain.alerting import Event, Review, Silence, Standing, Step
from domain.answering import QuestionId
from domain.clock import Clock
from domain.documents import TenantId
from domain.errors import ConflictError
from domain.ledger import Page
from domain.monitoring import Alert, AlertId, AlertStatus


@dataclass(slots=True, kw_only=True)
class _Kept:
    standing: Standing
    settled: bool = False


class InMemoryAlertLedger:
    def __init__(
        self, journal: InMemoryJournal, webhooks: InMemoryWebhookLedger, *, clock: Clock
    ) -> None:
        self._journal = journal
        self._webhooks = webhooks
        self._clock = clock
        self._alerts: dict[AlertId, _Kept] = {}

    async def fire(self, alert: Alert, *, event_type: str, payload: str) -> bool:
        if self._firing(alert.tenant_id, alert.fingerprint) is not None:
            return False
        if alert.id in self._alerts:
            raise ConflictError("the ledger has a row with that id already")
        fired = replace(alert, status=AlertStatus.FIRING, ends_at=None)
        began = Event(type=event_type, payload=payload)
        self._alerts[alert.id] = _Kept(
            standing=Standing(alert=fired, began=began, ended=None, notices=0, notified_at=None)
        )
        self._journal.write(entries.alert_fired(alert, at=self._clock.now()))
        return True

    async def resolve(
        self, tenant_id: TenantId, fingerprint: str, *, at: datetime, event_type: str, payload: str
    ) -> Alert | None:
        kept = self._firing(tenant_id, fingerprint)
        if kept is None:
            return None
        resolved = replace(kept.standing.alert, status=AlertStatus.RESOLVED, ends_at=at)
        ended = Event(type=event_type, payload=payload)
        kept.standing = replace(kept.standing, alert=resolved, ended=ended)
        self._journal.write(entries.alert_resolved(resolved, at=at))
        return resolved

    async def list(
        self, tenant_id: TenantId, *, status: AlertStatus | None, cursor: str | None, limit: int
    ) -> Page[Alert]:
        cursors.require_limit(limit)
        found = [
            kept.standing.alert
            for kept in self._alerts.values()
            if kept.standing.alert.tenant_id == tenant_id
            and status in (None, kept.standing.alert.status)
        ]
        if cursor is not None:
            last = cursors.decode(cursor)
            found = [alert for alert in found if _position(alert).key < last.key]
        found.sort(key=lambda alert: _position(alert).key, reverse=True)
        return cursors.page(found[: limit + 1], limit=limit, position=_position)

    async def get(self, tenant_id: TenantId, alert_id: AlertId) -> Alert:
        return self._find(tenant_id, alert_id).standing.alert

    async def standing(self, tenant_id: TenantId) -> Sequence[Standing]:
        found = [
            kept.standing
            for kept in self._alerts.values()
            if not kept.settled and kept.standing.alert.tenant_id == tenant_id
        ]
        return sorted(found, key=lambda one: (one.alert.starts_at, one.alert.id))

    async def notify(
        self, tenant_id: TenantId, steps: Sequence[Step], *, events: Mapping[str, str], at: datetime
    ) -> bool:
        found = {step.alert_id: self._alerts.get(step.alert_id) for step in steps}
        for step in steps:
            kept = found[step.alert_id]
            if (
                kept is None
                or kept.settled
                or kept.standing.alert.tenant_id != tenant_id
                or kept.standing.notices != step.notices_before
            ):
                return False
        for step in steps:
            kept = self._alerts[step.alert_id]
            told_at = at if events else kept.standing.notified_at
            kept.standing = replace(kept.standing, notices=step.notices, notified_at=told_at)
            kept.settled = step.settled
        self._webhooks.write(tenant_id, events=events, at=at)
        return True

    async def acknowledge(
        self, tenant_id: TenantId, alert_id: AlertId, *, actor: str, at: datetime
    ) -> Alert:
        kept = self._find(tenant_id, alert_id)
        alert = kept.standing.alert
        if alert.status is not AlertStatus.FIRING:
            raise not_firing(alert)
        if alert.acknowledged_at is not None:
            return alert
        after = replace(alert, acknowledged_at=at, acknowledged_by=actor)
        kept.standing = replace(kept.standing, alert=after)
        self._journal.write(entries.alert_acknowledged(after, actor=actor, at=at))
        return after

    def _find(self, tenant_id: TenantId, alert_id: AlertId) -> _Kept:
        kept = self._alerts.get(alert_id)
        if kept is None or kept.standing.alert.tenant_id != tenant_id:
            raise unknown_alert(alert_id)
        return kept

    def _firing(self, tenant_id: TenantId, fingerprint: str) -> _Kept | None:
        for kept in self._alerts.values():
            alert = kept.standing.alert
            same = alert.tenant_id == tenant_id and alert.fingerprint == fingerprint
            if same and alert.status is AlertStatus.FIRING:
                return kept
        return None


class InMemorySilenceLedger:
    def __init__(self, journal: InMemoryJournal) -> None:
        self._journal = journal
        self._silences: dict[str, Silence] = {}

    async def add(self, silence: Silence) -> None:
        require_reason(silence.reason)
        if silence.id in self._silences:
            raise ConflictError("the ledger has a row with that id already")
        self._silences[silence.id] = silence
        self._journal.write(entries.silence_added(silence))

    async def list(self, tenant_id: TenantId) -> Sequence[Silence]:
        found = [one for one in self._silences.values() if one.tenant_id == tenant_id]
        return sorted(found, key=lambda one: (one.created_at, one.id), reverse=True)

    async def active(self, tenant_id: TenantId, *, now: datetime) -> Sequence[Silence]:
        return [
            one
            for one in await self.list(tenant_id)
            if one.expires_at > now and (one.removed_at is None or one.removed_at > now)
        ]

    async def remove(
        self, tenant_id: TenantId, silence_id: str, *, actor: str, at: datetime
    ) -> Silence:
        before = self._silences.get(silence_id)
        if before is None or before.tenant_id != tenant_id:
            raise unknown_silence(silence_id)
        if before.removed_at is not None:
            return before
        self._silences[silence_id] = after = replace(before, removed_at=at)
        self._journal.write(entries.silence_removed(before, actor=actor, at=at))
        return after


class InMemoryReviewLedger:
    def __init__(self, journal: InMemoryJournal) -> None:
        self._journal = journal
        self._reviews: dict[tuple[TenantId, QuestionId], Review] = {}

    async def add(self, reviews: Sequence[Review], *, quota: int) -> int:
        added = 0
        for review in reviews:
            waiting = [
                one
                for one in self._reviews.values()
                if one.tenant_id == review.tenant_id
                and one.principal == review.principal
                and one.closed_at is None
            ]
            key = (review.tenant_id, review.question_id)
            if len(waiting) < quota and key not in self._reviews:
                self._reviews[key] = review
                added += 1
        return added

    async def open(self, tenant_id: TenantId, *, limit: int) -> Sequence[Review]:
        cursors.require_limit(limit)
        found = [
            one
            for one in self._reviews.values()
            if one.tenant_id == tenant_id and one.closed_at is None
        ]
        found.sort(key=lambda one: (-one.priority, one.added_at, one.question_id))
        return found[:limit]

    async def close(
        self, tenant_id: TenantId, question_id: QuestionId, *, actor: str, at: datetime
    ) -> Review:
        before = self._reviews.get((tenant_id, question_id))
        if before is None:
            raise unknown_review(question_id)
        if before.closed_at is not None:
            return before
        after = replace(before, closed_at=at, closed_by=actor)
        self._reviews[tenant_id, question_id] = after
        self._journal.write(entries.review_closed(before, actor=actor, at=at))
        return after


def _position(alert: Alert) -> cursors.Position:
    return cursors.Position(at=alert.starts_at, id=alert.id)
