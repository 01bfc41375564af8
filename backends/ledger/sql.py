"""The ledger in one SQL database."""

from __future__ import annotations

from backends.ledger.alerting import SqlReviewLedger, SqlSilenceLedger
from backends.ledger.alerts import SqlAlertLedger
from backends.ledger.documents import SqlDocumentLedger
from backends.ledger.engine import ANSWER_SECONDS, Database
from backends.ledger.feedback import SqlFeedbackLedger
from backends.ledger.incidents import SqlIncidentLedger
from backends.ledger.journal import SqlJournal
from backends.ledger.keys import SqlKeyLedger
from backends.ledger.lifecycle import SqlDocumentLifecycle
from backends.ledger.migrating import head_revision, revision_of
from backends.ledger.observations import SqlObservationLedger
from backends.ledger.origins import SqlOriginLedger
from backends.ledger.outbox import SqlOutbox
from backends.ledger.publishers import SqlPublisherLedger
from backends.ledger.questions import SqlQuestionLedger
from backends.ledger.retention import SqlRetention
from backends.ledger.suppressions import SqlSuppressionLedger
from backends.ledger.topic_definitions import SqlTopicDefinitionLedger
from backends.ledger.webhooks import SqlWebhookLedger
from domain.audit import AuditKey
from domain.clock import Clock, IdFactory
from domain.errors import TransientError


class SqlLedger:
    """All table groups of one database.

    Connects when first used: that must be on one side of a fork. Usable from any event loop.
    The schema is made by `migrating.migrate`, never by use.
    """

    def __init__(
        self,
        url: str,
        *,
        clock: Clock,
        ids: IdFactory,
        audit_key: AuditKey | None = None,
        timeout_seconds: float = ANSWER_SECONDS,
    ) -> None:
        """Take the database at `url`, e.g. `sqlite:////var/lib/mithridate/ledger.db`.

        Args:
            url: Of SQLite or PostgreSQL.
            clock: For what happens now.
            ids: For deliveries.
            audit_key: Seals the journal; None leaves what is written here unsealed.
            timeout_seconds: How long a caller waits for a transaction.

        Raises:
            ConfigurationError: Not a URL of SQLite or PostgreSQL.
        """
        self._database = Database(url, audit_key=audit_key, timeout_seconds=timeout_seconds)
        self.documents = SqlDocumentLedger(self._database, clock=clock, ids=ids)
        self.lifecycle = SqlDocumentLifecycle(self._database)
        self.suppressions = SqlSuppressionLedger(self._database)
        self.publishers = SqlPublisherLedger(self._database)
        self.outbox = SqlOutbox(self._database)
        self.origins = SqlOriginLedger(self._database)
        self.keys = SqlKeyLedger(self._database)
        self.journal = SqlJournal(self._database)
        self.questions = SqlQuestionLedger(self._database)
        self.feedback = SqlFeedbackLedger(self._database)
        self.observations = SqlObservationLedger(self._database)
        self.topic_definitions = SqlTopicDefinitionLedger(self._database)
        self.alerts = SqlAlertLedger(self._database, clock=clock, ids=ids)
        self.webhooks = SqlWebhookLedger(self._database, ids=ids)
        self.silences = SqlSilenceLedger(self._database)
        self.reviews = SqlReviewLedger(self._database)
        self.incidents = SqlIncidentLedger(self._database, ids=ids)
        self.retention = SqlRetention(self._database)

    async def ping(self) -> None:
        revision = await self._database.read(revision_of)
        if revision != head_revision():
            raise TransientError(
                f"the ledger's schema is at {revision!r}, this program needs {head_revision()!r}"
            )

    async def close(self) -> None:
        await self._database.close()
