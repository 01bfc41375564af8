"""What receivers are told of documents: ids, the coarse reason and numbers, never a title or text."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime

from domain.ledger import DecisionAction, DocumentRecord
from domain.trust import Verdict

SETTLED_EVENTS: Mapping[Verdict, str] = {
    Verdict.QUARANTINE: "document.quarantined",
    Verdict.REJECT: "document.rejected",
}
"""An admission is no news."""
DECIDED_EVENTS: Mapping[DecisionAction, str] = {
    DecisionAction.RELEASE: "document.released",
    DecisionAction.REJECT: "document.rejected",
}


def document_events(
    event_type: str | None, after: DocumentRecord, *, at: datetime
) -> Mapping[str, str]:
    """Return the payload by its type; nothing where there is nothing to tell."""
    if event_type is None:
        return {}
    facts = {
        "id": after.id,
        "status": after.status.value,
        "origin": str(after.origin),
        "reason": None if after.reason is None else after.reason.value,
        "trust": None if after.trust is None else round(after.trust, 4),
        "policy_version": after.policy_version,
        "by_person": event_type == "document.released" or after.decided_by != "policy",
    }
    payload = {"type": event_type, "timestamp": at.isoformat(), "data": facts}
    return {event_type: json.dumps(payload, separators=(",", ":"), allow_nan=False)}
