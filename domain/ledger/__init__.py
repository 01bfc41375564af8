"""The ledger: what must not be lost. Each Protocol is one table group of one database.

Every method is one transaction unless it says otherwise, and raises `TransientError` when the
database does not answer. `journal` rows are appended in the same transaction as what they tell of.
"""

from __future__ import annotations

from typing import Protocol

from domain.alerting import ReviewLedger, SilenceLedger
from domain.audit import JournalEntry
from domain.feedback import FeedbackLedger
from domain.incidents import IncidentLedger
from domain.ledger.access import (
    Journal,
    KeyLedger,
    OriginLedger,
    Outbox,
    Retention,
)
from domain.ledger.documents import (
    Backlog,
    DecisionAction,
    DocumentFilter,
    DocumentLedger,
    DocumentRecord,
    IdempotencyClaim,
    KnownFingerprint,
    NewDocument,
    Receipt,
    Settlement,
    StoredAssessment,
)
from domain.ledger.monitoring import (
    AlertLedger,
    ObservationLedger,
    QuestionLedger,
    QuestionRecord,
    WebhookLedger,
)
from domain.ledger.pages import Page, every
from domain.lifecycle import DocumentLifecycle
from domain.publishing import PublisherLedger
from domain.suppressions import SuppressionLedger
from domain.topics import TopicDefinitionLedger

__all__ = [
    "AlertLedger",
    "Backlog",
    "DecisionAction",
    "DocumentFilter",
    "DocumentLedger",
    "DocumentRecord",
    "IdempotencyClaim",
    "Journal",
    "JournalEntry",
    "KeyLedger",
    "KnownFingerprint",
    "Ledger",
    "NewDocument",
    "ObservationLedger",
    "OriginLedger",
    "Outbox",
    "Page",
    "QuestionLedger",
    "QuestionRecord",
    "Receipt",
    "Retention",
    "Settlement",
    "StoredAssessment",
    "WebhookLedger",
    "every",
]


class Ledger(Protocol):
    """All table groups of one database, and its life."""

    @property
    def documents(self) -> DocumentLedger: ...
    @property
    def lifecycle(self) -> DocumentLifecycle: ...
    @property
    def suppressions(self) -> SuppressionLedger: ...
    @property
    def publishers(self) -> PublisherLedger: ...
    @property
    def outbox(self) -> Outbox: ...
    @property
    def origins(self) -> OriginLedger: ...
    @property
    def keys(self) -> KeyLedger: ...
    @property
    def journal(self) -> Journal: ...
    @property
    def questions(self) -> QuestionLedger: ...
    @property
    def feedback(self) -> FeedbackLedger: ...
    @property
    def observations(self) -> ObservationLedger: ...
    @property
    def topic_definitions(self) -> TopicDefinitionLedger: ...
    @property
    def alerts(self) -> AlertLedger: ...
    @property
    def webhooks(self) -> WebhookLedger: ...
    @property
    def silences(self) -> SilenceLedger: ...
    @property
    def reviews(self) -> ReviewLedger: ...
    @property
    def incidents(self) -> IncidentLedger: ...
    @property
    def retention(self) -> Retention: ...

    async def ping(self) -> None:
        """Raise `TransientError` if the database does not answer or its schema is not current."""
        ...

    async def close(self) -> None: ...
