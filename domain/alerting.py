"""The life of an alert between its cause and the people who are told, after Alertmanager."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from domain.answering import QuestionId
from domain.documents import TenantId
from domain.monitoring import Alert, AlertId, AlertStatus, Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What receivers are told, as the monitor worded it: a type and its JSON."""

    type: str
    payload: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """An alert about which something may still have to be said.

    Attributes:
        began, ended: `ended` is None while it fires.
        notices: How often receivers were told that it fires.
        notified_at: When they were last told; None before the first time.
    """

    alert: Alert
    began: Event
    ended: Event | None
    notices: int
    notified_at: datetime | None

    @property
    def firing(self) -> bool:
        return self.alert.status is AlertStatus.FIRING


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What a notice writes down of one alert: a compare-and-set on how often it was told of.

    Attributes:
        settled: There is nothing left to say of it.
    """

    alert_id: AlertId
    notices_before: int
    notices: int
    settled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """Alerts with all of these labels are not told of until it expires.

    `severity` and `name` count as labels. At least one is given: nobody silences everything.
    """

    id: str
    tenant_id: TenantId
    matchers: Mapping[str, str]
    author: str
    reason: str
    created_at: datetime
    expires_at: datetime
    removed_at: datetime | None = None

    def __post_init__(self) -> None:
        if not self.matchers:
            raise ValueError("a silence needs a label to match")
        if self.expires_at <= self.created_at:
            raise ValueError(f"a silence must expire after {self.created_at}")

    def covers(self, alert: Alert, *, now: datetime) -> bool:
        if self.removed_at is not None or not self.created_at <= now < self.expires_at:
            return False
        return self.tenant_id == alert.tenant_id and matches(alert, self.matchers)


def matches(alert: Alert, wanted: Mapping[str, str]) -> bool:
    """Return whether the alert has all of these labels; `severity` and `name` are labels too."""
    labels = {**alert.labels, "severity": alert.severity.value, "name": alert.name}
    return all(labels.get(name) == value for name, value in wanted.items())


class SilenceLedger(Protocol):
    async def add(self, silence: Silence) -> None:
        """Write it; journalled with its reason."""
        ...

    async def list(self, tenant_id: TenantId) -> Sequence[Silence]:
        """Return all, newest first, ended ones too."""
        ...

    async def active(self, tenant_id: TenantId, *, now: datetime) -> Sequence[Silence]: ...

    async def remove(
        self, tenant_id: TenantId, silence_id: str, *, actor: str, at: datetime
    ) -> Silence:
        """End it now; journalled. Ending it twice is no error.

        Raises:
            NotFoundError: Unknown.
        """
        ...


SEVERITY_WEIGHTS: Final[Mapping[Severity, int]] = {
    Severity.NOTICE: 0,
    Severity.WARNING: 1,
    Severity.CRITICAL: 3,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """A question that an alert is about, put before a reviewer.

    Attributes:
        principal: Who asked it.
        reach: Askers whom answers to this question reach, at least 1.
    """

    tenant_id: TenantId
    question_id: QuestionId
    principal: str
    alert_id: AlertId
    severity: Severity
    reach: int
    added_at: datetime
    closed_at: datetime | None = None
    closed_by: str | None = None

    @property
    def priority(self) -> int:
        """Reach times severity."""
        return self.reach * SEVERITY_WEIGHTS[self.severity]


class ReviewLedger(Protocol):
    async def add(self, reviews: Sequence[Review], *, quota: int) -> int:
        """Write those of questions that are not there yet; return how many.

        A principal with `quota` open ones gets no more: nobody fills the queue alone.
        """
        ...

    async def open(self, tenant_id: TenantId, *, limit: int) -> Sequence[Review]:
        """Return by reach times severity, greatest first, older before newer."""
        ...

    async def close(
        self, tenant_id: TenantId, question_id: QuestionId, *, actor: str, at: datetime
    ) -> Review:
        """Take one off the queue; journalled. Closing it twice is no error.

        Raises:
            NotFoundError: Not in the queue.
        """
        ...
