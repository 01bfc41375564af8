"""The tables. What the migrations make must agree with them: a test compares the two.

No type of one database alone. Moments are integers of microseconds, structures are JSON as text.
Names of constraints are fixed, so that a later migration can drop them anywhere.
"""

from __future__ import annotations

from backends.ledger.schema.base import metadata
from backends.ledger.schema.documents import (
    LIVE,
    assessments,
    claims,
    documents,
    editions,
    findings,
    outbox,
    signatures,
)
from backends.ledger.schema.monitoring import (
    FIRING,
    alerts,
    deliveries,
    feedback,
    incidents,
    monitor_states,
    observations,
    questions,
    reviews,
    silences,
    topic_definitions,
    topics,
    webhooks,
)
from backends.ledger.schema.trust import (
    api_keys,
    journal,
    origins,
    publications,
    publisher_keys,
    suppressions,
)

__all__ = [
    "FIRING",
    "LIVE",
    "alerts",
    "api_keys",
    "assessments",
    "claims",
    "deliveries",
    "documents",
    "editions",
    "feedback",
    "findings",
    "incidents",
    "journal",
    "metadata",
    "monitor_states",
    "observations",
    "origins",
    "outbox",
    "publications",
    "publisher_keys",
    "questions",
    "reviews",
    "signatures",
    "silences",
    "suppressions",
    "topic_definitions",
    "topics",
    "webhooks",
]
