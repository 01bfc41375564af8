"""Observing disagreement over time and telling somebody: Law 11."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, NewType, Protocol

import numpy as np
from numpy.typing import NDArray

from domain.answering import Outcome, QuestionId
from domain.documents import DocumentId, OriginRef, TenantId
from domain.verification import LatencyClass

TopicId = NewType("TopicId", str)
AlertId = NewType("AlertId", str)
WebhookId = NewType("WebhookId", str)

WEBHOOK: Final = "webhook"


class Severity(StrEnum):
    """`NOTICE`: worth knowing, no alarm."""

    NOTICE = "notice"
    WARNING = "warning"
    CRITICAL = "critical"


class AlertStatus(StrEnum):
    FIRING = "firing"
    RESOLVED = "resolved"


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceNote:
    """A document that was in a question's evidence, for the monitors and the traceback."""

    document_id: DocumentId
    origin: OriginRef
    established: bool
    family_id: str
    age_days: float
    trust: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One answered (or withheld) question, as the monitors see it.

    Attributes:
        question_key: Hash of the normalised question; repeats by one principal count once a window.
        disagreement: Unweighted, pairwise, over non-abstaining seats; in [0, 1].
        entropy: Over normalised group scores, in nats.
        seats: Non-abstaining seats that answered; with fewer than two there is nothing to disagree.
        answer_group: Hash of the settled answer's normal form; None if no group stands.
        seconds: What the answer took, from question to decision.
    """

    question_id: QuestionId
    tenant_id: TenantId
    topic_id: TopicId
    principal: str
    question_key: str
    observed_at: datetime
    disagreement: float
    entropy: float
    agreement: float
    margin: float
    confidence: float
    outcome: Outcome
    answer_group: str | None
    seats: int
    m: int
    route: str
    calibration_version: str | None
    evidence: tuple[EvidenceNote, ...]
    latency_class: LatencyClass = LatencyClass.INTERACTIVE
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """How long one answer took."""

    latency_class: LatencyClass
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Topic:
    """Questions that belong together.

    Attributes:
        centroid: Shape (dimensions,), unit norm.
        terms: Readable label: letters alone, so that it is the same in every sink.
        merged_into: The topic that its questions go to now; its id lives on as that one's alias.
    """

    id: TopicId
    tenant_id: TenantId
    centroid: NDArray[np.float32]
    size: int
    terms: tuple[str, ...]
    created_at: datetime
    version: int = 0
    merged_into: TopicId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorState:
    """What a detector remembers of one topic between evaluations; `state` is its own JSON."""

    tenant_id: TenantId
    topic_id: TopicId
    monitor: str
    state: str
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertSuspect:
    """A document that an alert suspects, as far as observations tell; a traceback tells more.

    Attributes:
        score: In [0, 1].
        reasons: Codes: `young`, `unestablished`, `low-trust`, `affected`, `only-affected`, `named`.
    """

    document_id: DocumentId
    origin: str
    family_id: str
    score: float
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One episode of one cause.

    Attributes:
        fingerprint: The same for the same `labels`, so that sinks can deduplicate.
        labels: What identifies it: monitor, topic.
        annotations: For people: numbers and ids. Never document or question text.
        suspects: The worst first; empty where the alert is not about what answers say.
        acknowledged_at, acknowledged_by: A person looks after it: no more reminders.
    """

    id: AlertId
    tenant_id: TenantId
    name: str
    fingerprint: str
    severity: Severity
    status: AlertStatus
    labels: Mapping[str, str]
    annotations: Mapping[str, str]
    starts_at: datetime
    ends_at: datetime | None = None
    acknowledged_at: datetime | None = None
    acknowledged_by: str | None = None
    suspects: tuple[AlertSuspect, ...] = ()


class Monitor(Protocol):
    @property
    def name(self) -> str: ...

    async def evaluate(self, tenant_id: TenantId, *, now: datetime) -> Sequence[Alert]:
        """Return alerts that changed status since the last call; usually none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook:
    """A registered receiver.

    Attributes:
        secret: `whsec_<base64>`, needed for signing, never shown again.
        kind: `WEBHOOK`, or the kind of a sink: then it is of the settings and serves all tenants.
        former_secret: Signs as well until `former_until`, so that receivers can change over.
    """

    id: WebhookId
    tenant_id: TenantId
    url: str
    secret: str
    event_types: frozenset[str]
    created_at: datetime
    disabled_at: datetime | None = None
    kind: str = WEBHOOK
    former_secret: str | None = None
    former_until: datetime | None = None

    def secrets_at(self, now: datetime) -> tuple[str, ...]:
        """Return the secrets that sign at this moment, the current one first."""
        if self.former_secret is None or self.former_until is None or now >= self.former_until:
            return (self.secret,)
        return (self.secret, self.former_secret)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One event for one webhook: delivered at least once, tried again until `attempts` run out."""

    id: str
    tenant_id: TenantId
    webhook_id: WebhookId
    event_type: str
    payload: str
    created_at: datetime
    attempts: int
    next_attempt_at: datetime
    delivered_at: datetime | None = None
    last_error: str | None = None


class WebhookSender(Protocol):
    async def send(self, delivery: Delivery, webhook: Webhook, *, now: datetime) -> None:
        """Send one signed delivery. Safe to repeat: receivers deduplicate by delivery id.

        Raises:
            TransientError: Try again later.
            ReceiverGoneError: The receiver wants nothing more (410 Gone).
            PermanentError: Never try this delivery again (the address is not allowed).
        """
        ...
