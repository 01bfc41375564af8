"""The event of an alert, as receivers get it: ids and numbers, never text of documents or askers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from domain.monitoring import Alert, Webhook

EVENT_FIRING: Final = "alert.firing"
EVENT_RESOLVED: Final = "alert.resolved"
EVENT_TEST: Final = "webhook.test"

_SPECIFIC: Final[Mapping[tuple[str, bool], str]] = {
    ("calibration-drift", False): "calibration.drifted",
    ("detector-unavailable", False): "detector.unavailable",
}
_NOT_OF_ANSWERS: Final = frozenset(
    {
        "calibration-drift",
        "detector-unavailable",
        "latency-p99",
        "ingestion-burst",
        "invariant-broken",
    }
)


def specific_type(alert: Alert, *, ended: bool) -> str | None:
    """Return the event type of this kind of alert, for receivers that want no others.

    Alerts on what a topic's answers say are `disagreement.firing` and `disagreement.resolved`.
    """
    if alert.name not in _NOT_OF_ANSWERS:
        return "disagreement.resolved" if ended else "disagreement.firing"
    return _SPECIFIC.get((alert.name, ended))


def fingerprint(labels: Mapping[str, str]) -> str:
    """Return a digest of the labels, whatever their order; 32 hex digits."""
    written = json.dumps(sorted(labels.items()), separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()[:32]


def payload(event_type: str, alert: Alert, numbers: Mapping[str, object]) -> str:
    """Return the event; `numbers` are the monitor's own."""
    at = alert.ends_at or alert.starts_at
    facts: dict[str, object] = {
        "id": alert.id,
        "name": alert.name,
        "severity": alert.severity,
        "status": alert.status,
        "fingerprint": alert.fingerprint,
        "labels": dict(alert.labels),
        "starts_at": alert.starts_at.isoformat(),
        "ends_at": None if alert.ends_at is None else alert.ends_at.isoformat(),
        **numbers,
    }
    if alert.suspects:
        facts["suspects"] = [
            {
                "document": one.document_id,
                "origin": one.origin,
                "family": one.family_id,
                "score": one.score,
                "reasons": list(one.reasons),
            }
            for one in alert.suspects
        ]
    return event(event_type, at, facts)


def webhook_disabled(webhook: Webhook, *, reason: str, at: datetime) -> str:
    """Return the event of a receiver that gets nothing more; its address is a secret."""
    return event("webhook.disabled", at, {"id": webhook.id, "kind": webhook.kind, "reason": reason})


def event(event_type: str, at: datetime, facts: Mapping[str, object]) -> str:
    return json.dumps(
        {"type": event_type, "timestamp": at.isoformat(), "data": dict(facts)},
        separators=(",", ":"),
        allow_nan=False,
    )
