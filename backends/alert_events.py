"""Events as sinks read them: who and what in one form, whatever kind of event it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from domain.errors import PermanentError
from domain.monitoring import Delivery

_KNOWN = frozenset(
    {"id", "name", "severity", "status", "fingerprint", "labels", "starts_at", "ends_at", "url"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertEvent:
    """What a delivery tells of.

    Attributes:
        name: The monitor's for alerts, else the event's type.
        resolved: Whether it tells of an end.
        facts: Everything else, numbers and ids as text.
    """

    type: str
    at: datetime
    id: str
    name: str
    severity: str
    resolved: bool
    fingerprint: str
    labels: Mapping[str, str]
    starts_at: datetime
    ends_at: datetime | None
    url: str | None
    facts: Mapping[str, str] = field(default_factory=dict)

    @property
    def critical(self) -> bool:
        return self.severity == "critical"


def read_event(delivery: Delivery) -> AlertEvent:
    """Return the event.

    Raises:
        PermanentError: The payload is no event of ours.
    """
    try:
        content = json.loads(delivery.payload)
        data = content.get("data", {})
        at = _moment(content.get("timestamp")) or delivery.created_at
        return AlertEvent(
            type=delivery.event_type,
            at=at,
            id=str(data.get("id", delivery.id)),
            name=str(data.get("name", delivery.event_type)),
            severity=str(data.get("severity", "warning")),
            resolved=str(data.get("status", "")) == "resolved",
            fingerprint=str(data.get("fingerprint", "")),
            labels={str(name): str(value) for name, value in data.get("labels", {}).items()},
            starts_at=_moment(data.get("starts_at")) or at,
            ends_at=_moment(data.get("ends_at")),
            url=str(data["url"]) if "url" in data else None,
            facts={str(name): _text(data[name]) for name in data if name not in _KNOWN},
        )
    except (ValueError, AttributeError, TypeError, RecursionError) as exc:
        raise PermanentError("the event cannot be read") from exc


def _moment(text: object) -> datetime | None:
    return None if text is None else datetime.fromisoformat(str(text))


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ",".join(value)
    if isinstance(value, list) and all(isinstance(one, dict) and "score" in one for one in value):
        return "; ".join(_suspect(one) for one in value)
    return json.dumps(value, separators=(",", ":"))


def _suspect(one: Mapping[str, object]) -> str:
    """Return a suspect on one line, short enough for a field of a SIEM."""
    codes = one.get("reasons")
    told = " ".join(map(str, codes)) if isinstance(codes, list) else ""
    return f"{one.get('document')} {one['score']} {one.get('origin')} {told}".rstrip()
