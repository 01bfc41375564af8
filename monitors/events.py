"""The event of an alert, as receivers get it: ids and numbers, never text of documents or askers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from domain.monitoring import Alert

EVENT_FIRING: Final = "alert.firing"
EVENT_RESOLVED: Final = "alert.resolved"


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
    return json.dumps(
        {"type": event_type, "timestamp": at.isoformat(), "data": facts},
        separators=(",", ":"),
        allow_nan=False,
    )
