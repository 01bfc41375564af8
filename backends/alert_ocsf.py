"""Events as OCSF Detection Findings (class 2004), version 1.5.0 of the schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from importlib.metadata import version
from typing import Final

from backends.alert_events import AlertEvent
from domain.escaping import line

OCSF_VERSION: Final = "1.5.0"
CLASS_UID: Final = 2004

_CATEGORY_UID: Final = 2
_CREATE, _CLOSE = 1, 3
_NEW, _RESOLVED = 1, 4
_MEDIUM, _CRITICAL = 3, 5
_SEVERITIES: Final = {_MEDIUM: "Medium", _CRITICAL: "Critical"}
_ACTIVITIES: Final = {_CREATE: "Create", _CLOSE: "Close"}
_STATUSES: Final = {_NEW: "New", _RESOLVED: "Resolved"}


def finding(event: AlertEvent, *, uid: str) -> Mapping[str, object]:
    """Return the finding; `uid` is the delivery's, by which receivers deduplicate."""
    activity = _CLOSE if event.resolved else _CREATE
    severity = _CRITICAL if event.critical else _MEDIUM
    status = _RESOLVED if event.resolved else _NEW
    info: dict[str, object] = {
        "uid": line(event.id),
        "title": line(event.name),
        "types": [line(event.type)],
        "first_seen_time": _milliseconds(event.starts_at),
        "last_seen_time": _milliseconds(event.ends_at or event.at),
        "product": _product(),
    }
    if event.url is not None:
        info["src_url"] = event.url
    return {
        "activity_id": activity,
        "activity_name": _ACTIVITIES[activity],
        "category_uid": _CATEGORY_UID,
        "category_name": "Findings",
        "class_uid": CLASS_UID,
        "class_name": "Detection Finding",
        "type_uid": CLASS_UID * 100 + activity,
        "type_name": f"Detection Finding: {_ACTIVITIES[activity]}",
        "time": _milliseconds(event.at),
        "severity_id": severity,
        "severity": _SEVERITIES[severity],
        "status_id": status,
        "status": _STATUSES[status],
        "is_alert": event.type.startswith(("alert.", "disagreement.", "calibration.", "detector.")),
        "metadata": {
            "version": OCSF_VERSION,
            "uid": uid,
            "event_code": line(event.type),
            "product": _product(),
        },
        "finding_info": info,
        "unmapped": {
            "fingerprint": event.fingerprint,
            "labels": {line(name): line(value) for name, value in event.labels.items()},
            "facts": {line(name): line(value) for name, value in event.facts.items()},
        },
    }


def to_json(event: AlertEvent, *, uid: str) -> str:
    return json.dumps(finding(event, uid=uid), separators=(",", ":"))


def _product() -> Mapping[str, str]:
    return {"name": "Mithridate", "vendor_name": "Mithridate", "version": version("mithridate")}


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)
