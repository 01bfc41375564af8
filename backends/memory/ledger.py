"""The ledger in this process's memory."""

from __future__ import annotations

from datetime import datetime

from backends.ledger import cursors
from backends.memory.ledger_access import (
    InMemoryJournal,
    InMemoryKeyLedger,
    InMemoryOriginLedger,
)
from backends.memory.ledger_alerting import (
    InMemoryAlertLedger,
    InMemoryReviewLedger,
    InMemorySilenceLedger,
)
from backends.memory.ledger_documents import InMemoryDocumentLedger, InMemoryOutbox
from backends.memory.ledger_feedback import InMemoryFeedbackLedger
from backends.memory.ledger_incidents import InMemoryIncidentLedger
from backends.memory.ledger_monitoring import InMemoryObservationLedger, InMemoryQuestionLedger
from backends.memory.ledger_topics import InMemoryTopicDefinitionLedger
from backends.memory.ledger_trust import (
    InMemoryDocumentLifecycle,
    InMemoryPublisherLedger,
    InMemorySuppressionLedger,
)
from backends.memory.ledger_webhooks import InMemoryWebhookLedger
from domain.audit import AuditKey
from domain.clock import Clock, IdFactory


class InMemoryRetention:
    def __init__(
        self,
        documents: InMemoryDocumentLedger,
        outbox: InMemoryOutbox,
        webhooks: InMemoryWebhookLedger,
        observations: InMemoryObservationLedger,
    ) -> None:
        self._documents = documents
        self._outbox = outbox
        self._webhooks = webhooks
        self._observations = observations

    async def prune_claims(self, *, made_before: datetime, limit: int) -> int:
        cursors.require_limit(limit)
        return self._documents.forget_claims(made_before=made_before, limit=limit)

    async def prune_outbox(self, *, published_before: datetime, limit: int) -> int:
        cursors.require_limit(limit)
        return self._outbox.forget_published(before=published_before, limit=limit)

    async def prune_deliveries(self, *, made_before: datetime, limit: int) -> int:
        cursors.require_limit(limit)
        return self._webhooks.forget_deliveries(made_before=made_before, limit=limit)

    async def prune_observations(self, *, made_before: datetime, limit: int) -> int:
        cursors.require_limit(limit)
        return self._observations.forget(made_before=made_before, limit=limit)


class InMemoryLedger:
    """Every table group, for one event loop: no method awaits anything, so each is atomic."""

    def __init__(self, *, clock: Clock, ids: IdFactory, audit_key: AuditKey | None = None) -> None:
        self.journal = InMemoryJournal(audit_key=audit_key)
        self.origins = InMemoryOriginLedger(self.journal)
        self.keys = InMemoryKeyLedger(self.journal, self.origins)
        self.observations = InMemoryObservationLedger()
        self.questions = InMemoryQuestionLedger(self.observations)
        self.feedback = InMemoryFeedbackLedger(self.journal, self.questions, self.observations)
        self.webhooks = InMemoryWebhookLedger(self.journal, ids=ids)
        self.topic_definitions = InMemoryTopicDefinitionLedger(self.journal)
        self.alerts = InMemoryAlertLedger(self.journal, self.webhooks, clock=clock)
        self.silences = InMemorySilenceLedger(self.journal)
        self.reviews = InMemoryReviewLedger(self.journal)
        self.documents = InMemoryDocumentLedger(
            self.journal, self.keys, self.observations, self.webhooks, clock=clock
        )
        self.lifecycle = InMemoryDocumentLifecycle(self.journal, self.documents)
        self.suppressions = InMemorySuppressionLedger(self.journal)
        self.publishers = InMemoryPublisherLedger(self.journal)
        self.outbox = InMemoryOutbox(self.documents)
        self.incidents = InMemoryIncidentLedger(self.journal, self.documents, self.webhooks)
        self.retention = InMemoryRetention(
            self.documents, self.outbox, self.webhooks, self.observations
        )

    async def ping(self) -> None:
        return None

    async def close(self) -> None:
        return None
