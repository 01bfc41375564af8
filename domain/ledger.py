"""The ledger: what must not be lost. Each Protocol is one table group of one database.

Every method is one transaction unless it says otherwise, and raises `TransientError` when the
database does not answer. `journal` rows are appended in the same transaction as what they tell of.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

from domain.access import ApiKey, KeyId
from domain.answering import Outcome, QuestionId
from domain.documents import (
    DocumentId,
    DocumentStatus,
    LabelMapping,
    Origin,
    OriginKind,
    OriginRef,
    TenantId,
)
from domain.jobs import JobName, OutboxEntry
from domain.lifecycle import DocumentLifecycle, EditionMark
from domain.monitoring import (
    Alert,
    AlertStatus,
    Delivery,
    MonitorState,
    Observation,
    Topic,
    TopicId,
    Webhook,
    WebhookId,
)
from domain.publishing import Publication, PublisherLedger, SignatureState
from domain.retrieval import FamilyId, Fingerprint
from domain.scanning import ScanReport
from domain.suppressions import SuppressionLedger
from domain.trust import CoarseReason, TrustAssessment, Verdict

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[T]):
    """`next_cursor` is opaque; None on the last page."""

    items: tuple[T, ...]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """An upload, its bytes already stored under `original/<sha256>`."""

    id: DocumentId
    tenant_id: TenantId
    origin: OriginRef
    sha256: str
    size_bytes: int
    media_type: str | None
    file_name: str | None
    title: str | None
    source_uri: str | None
    labels: LabelMapping
    received_at: datetime
    actor: str
    logical_id: str | None = None
    """The document whatever its version, among those of its origin."""
    publication: Publication | None = None
    """What its publisher signed, verified; the origin is then that publisher."""
    signature: SignatureState | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotencyClaim:
    """`request_hash`: of everything in the request that matters, body included."""

    key: str
    key_id: KeyId
    request_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentRecord:
    """A document as the ledger knows it; `verdict` and what hangs on it are None before the scan.

    Attributes:
        attempts: Scans begun, written before parsing (a file that kills its worker is counted).
        decided_by: `policy`, or the actor of the last decision of a person.
        family_id, voting: Family membership; None and True before admission.
        logical_id, version: Which document it is an edition of; `version` of a publisher's alone.
        signature: Whether it came with a publisher's signature, and what that was worth.
        rescans: How often it was taken out of a hold to be scanned again.
    """

    id: DocumentId
    tenant_id: TenantId
    origin: OriginRef
    sha256: str
    size_bytes: int
    media_type: str | None
    file_name: str | None
    title: str | None
    source_uri: str | None
    labels: LabelMapping
    status: DocumentStatus
    attempts: int
    received_at: datetime
    verdict: Verdict | None = None
    reason: CoarseReason | None = None
    trust: float | None = None
    policy_version: str | None = None
    decided_at: datetime | None = None
    decided_by: str | None = None
    admitted_at: datetime | None = None
    family_id: FamilyId | None = None
    voting: bool = True
    logical_id: str | None = None
    version: int | None = None
    signature: SignatureState | None = None
    rescans: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """`created` is False where the same bytes of the same origin, or the same request, were known."""

    record: DocumentRecord
    created: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAssessment:
    """Everything the report of a document shows."""

    report: ScanReport
    assessment: TrustAssessment


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """What a scan settled: written once, only if the document is still being scanned.

    Attributes:
        fingerprint: So that a wiped index can be rebuilt; None if the text is too short for one.
        settled_at: Also the moment of admission, if the verdict is `admit`.
        family_id, voting: Given if and only if the verdict is `admit`.
        mark: By which later versions know it; None where it could not be read.
    """

    assessment: TrustAssessment
    report: ScanReport | None
    media_type: str | None
    fingerprint: Fingerprint | None
    settled_at: datetime
    family_id: FamilyId | None = None
    voting: bool = True
    mark: EditionMark | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFilter:
    status: DocumentStatus | None = None
    origin: OriginRef | None = None
    rule: str | None = None
    """Documents with a finding of this rule, or of any rule of this detector (`hidden-text`)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownFingerprint:
    """What the ledger remembers of a text, for an index that is rebuilt.

    Attributes:
        denied: Quarantined or rejected; also if the document was deleted since.
    """

    fingerprint: Fingerprint
    origin: OriginRef
    denied: bool


class DecisionAction(StrEnum):
    RELEASE = "release"
    REJECT = "reject"


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry:
    """Who did what to which object, when and why. Append-only. Never document text."""

    seq: int
    at: datetime
    tenant_id: TenantId
    actor: str
    action: str
    object_kind: str
    object_id: str
    reason: str | None
    facts: Mapping[str, str]


class DocumentLedger(Protocol):
    async def receive(self, new: NewDocument, *, claim: IdempotencyClaim | None) -> Receipt:
        """Write document, outbox entry (`documents.ingest`) and journal in one transaction.

        The same bytes (`sha256`) from the same origin make no second document, unless the known
        one was deleted: `created` is False and nothing is queued, whatever its verdict is. Of
        concurrent calls exactly one creates. The same claim leads to the same document again,
        even if that was deleted meanwhile.

        Raises:
            IdempotencyMismatchError: `claim.key` of this key id was used with another request hash.
            ConflictError: The publication's version is not above that of another content which
                its publisher has published under this logical id, deleted or not.
            InputError: A text holds a NUL character or an unpaired surrogate.
        """
        ...

    async def get(self, tenant_id: TenantId, document_id: DocumentId) -> DocumentRecord:
        """Return the record.

        Raises:
            NotFoundError: Unknown to this tenant. A deleted document is found, status `deleted`.
        """
        ...

    async def find(self, document_id: DocumentId) -> DocumentRecord:
        """As `get`, across tenants: for workers, which are handed an id alone.

        Raises:
            NotFoundError: Unknown.
        """
        ...

    async def list(
        self,
        tenant_id: TenantId,
        filter: DocumentFilter,
        *,
        cursor: str | None,
        limit: int,
    ) -> Page[DocumentRecord]:
        """Return newest first; deleted ones only if asked for by status.

        Raises:
            InputError: The cursor is not one of ours.
        """
        ...

    async def stored_assessment(
        self, tenant_id: TenantId, document_id: DocumentId
    ) -> StoredAssessment | None:
        """Return what the last scan said; None before it, or where parsing never succeeded."""
        ...

    async def begin_attempt(
        self, document_id: DocumentId, *, lease_seconds: float = 0.0
    ) -> DocumentRecord | None:
        """Count one more attempt, set `scanning`, commit, and return the record.

        None where there is nothing to do: decided already, or deleted. An attempt that began, or
        extended its lease, less than `lease_seconds` ago is under way: another is refused and not
        counted. One that is older is taken for dead.

        Raises:
            NotFoundError: Unknown.
            ScanUnderWayError: Another attempt holds the lease.
        """
        ...

    async def extend_lease(self, document_id: DocumentId, *, attempt: int) -> bool:
        """Write a sign of life of the attempt of this number.

        Return False, and write nothing, where it is not under way: settled, deleted, or taken for
        dead and followed by another.

        Raises:
            NotFoundError: Unknown.
        """
        ...

    async def give_back(self, document_id: DocumentId, *, attempt: int | None = None) -> None:
        """Uncount the attempt under way: a service failed, not the document.

        The status is `received` again. Nothing happens unless it is `scanning`, and in that
        `attempt` if it is given.

        Raises:
            NotFoundError: Unknown.
        """
        ...

    async def settle(self, document_id: DocumentId, settlement: Settlement) -> bool:
        """Write the verdict of a scan if the status is still `scanning`; return whether it was.

        Of two workers that scan the same document one settles it. The journal gets
        `document.admitted`, `document.quarantined` or `document.rejected`.

        Raises:
            NotFoundError: Unknown.
        """
        ...

    async def decide(
        self,
        tenant_id: TenantId,
        document_id: DocumentId,
        *,
        action: DecisionAction,
        reason: str,
        actor: str,
        at: datetime,
        family_id: FamilyId | None = None,
        voting: bool = True,
        trust: float | None = None,
        seen: DocumentRecord | None = None,
    ) -> DocumentRecord:
        """Write a person's decision: `release` admits, `reject` rejects; both can be undone.

        `family_id`, `voting` and `trust` are those of a release; a rejection keeps the trust.
        With `seen`, the record that the person decided about, it is a compare-and-set: nothing is
        written if somebody has decided since.

        The caller keeps the index in step: vectors are written before a release is, and removed
        before a rejection is.

        Raises:
            ConflictError: Not yet scanned, deleted, already in that state, or decided since `seen`.
        """
        ...

    async def delete(
        self, tenant_id: TenantId, document_id: DocumentId, *, actor: str, at: datetime
    ) -> DocumentRecord:
        """Mark as deleted, forget title, file name, uri, labels and findings; the journal stays.

        The fingerprint stays too where the document was quarantined or rejected.

        Raises:
            NotFoundError: Unknown, or deleted already.
        """
        ...

    async def blob_in_use(self, tenant_id: TenantId, sha256: str) -> bool:
        """Return whether a document that is not deleted has these bytes."""
        ...

    async def undecided(self, *, received_before: datetime, limit: int) -> Sequence[DocumentId]:
        """Return documents of all tenants without a verdict, oldest first: for the sweeper.

        One that was begun or put into the outbox again since `received_before` is left out, so
        that a sweeper that calls `Outbox.add` does not queue a long backlog at every round.
        """
        ...

    async def records(
        self, tenant_id: TenantId, document_ids: Sequence[DocumentId]
    ) -> Mapping[DocumentId, DocumentRecord]:
        """Return those that are known and not deleted."""
        ...

    async def family(self, tenant_id: TenantId, family_id: FamilyId) -> Sequence[DocumentRecord]:
        """Return the admitted members, earliest admitted first."""
        ...

    async def set_family(
        self,
        tenant_id: TenantId,
        document_id: DocumentId,
        *,
        family_id: FamilyId,
        voting: bool,
    ) -> None: ...

    async def fingerprints(
        self, tenant_id: TenantId, document_ids: Sequence[DocumentId] | None = None
    ) -> Mapping[DocumentId, KnownFingerprint]:
        """Return those of the documents named, or of all, that are not deleted.

        Also those of documents that were quarantined or rejected when they were deleted: a text
        that was turned away stays known by its hashes. Passages are those an index stores.
        """
        ...

    async def tenants(self) -> Sequence[TenantId]: ...

    async def count_by_status(self, tenant_id: TenantId) -> Mapping[DocumentStatus, int]: ...


class Outbox(Protocol):
    async def pending(self, *, limit: int) -> Sequence[OutboxEntry]:
        """Return unpublished entries, oldest first."""
        ...

    async def mark_published(self, entry_ids: Sequence[int], *, at: datetime) -> None: ...

    async def add(self, name: JobName, subject_id: str, *, at: datetime) -> None: ...


class OriginLedger(Protocol):
    async def get(self, tenant_id: TenantId, ref: OriginRef) -> Origin:
        """Return the origin; one never heard of is unestablished, not an error."""
        ...

    async def add(
        self, tenant_id: TenantId, kind: OriginKind, id: str, *, actor: str, at: datetime
    ) -> Origin:
        """Write a new unestablished origin; a known one is returned as it is."""
        ...

    async def list(self, tenant_id: TenantId) -> Sequence[Origin]:
        """Return all, by kind and id."""
        ...

    async def establish(
        self,
        tenant_id: TenantId,
        ref: OriginRef,
        *,
        reviewed: bool,
        reason: str,
        actor: str,
        at: datetime,
    ) -> Origin:
        """Vouch for an origin; journalled with the reason.

        Raises:
            NotFoundError: Unknown origin.
            InputError: The reason is empty.
            ConflictError: A connector of a source that anybody may write to.
        """
        ...

    async def revoke(
        self, tenant_id: TenantId, ref: OriginRef, *, reason: str, actor: str, at: datetime
    ) -> Origin:
        """Take the vouching back; errors as `establish`."""
        ...

    async def declare(
        self, tenant_id: TenantId, ref: OriginRef, *, open_write: bool, actor: str, at: datetime
    ) -> Origin:
        """Say whether anybody may write to what a connector reads; journalled.

        Where anybody may, nobody vouches for it: it is unestablished from then on (Law 1).

        Raises:
            NotFoundError: Unknown origin.
            InputError: It is no connector.
        """
        ...

    async def open_write(self, tenant_id: TenantId, ref: OriginRef) -> bool | None:
        """Return what was declared; None where nothing was, or the origin is unknown."""
        ...


class KeyLedger(Protocol):
    async def add(self, key: ApiKey, *, actor: str) -> None:
        """Write a key and, if it is new, its origin, unestablished.

        Raises:
            ConflictError: There is a key with this id.
        """
        ...

    async def find(self, key_id: KeyId) -> ApiKey | None:
        """Return the key, revoked or not; None if unknown."""
        ...

    async def list(self, tenant_id: TenantId) -> Sequence[ApiKey]: ...

    async def revoke(
        self, tenant_id: TenantId, key_id: KeyId, *, actor: str, at: datetime
    ) -> ApiKey:
        """Raise `NotFoundError` for an unknown key; revoking twice is no error."""
        ...


class Journal(Protocol):
    async def append(
        self,
        *,
        tenant_id: TenantId,
        at: datetime,
        actor: str,
        action: str,
        object_kind: str,
        object_id: str,
        reason: str | None = None,
        facts: Mapping[str, str] | None = None,
    ) -> None: ...

    async def entries(
        self, tenant_id: TenantId, *, object_id: str | None = None, limit: int = 100
    ) -> Sequence[JournalEntry]:
        """Return newest first."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRecord:
    """An answered question. `trace` is the public JSON of `GET /v1/questions/{id}`."""

    id: QuestionId
    tenant_id: TenantId
    principal: str
    asked_at: datetime
    outcome: Outcome
    trace: str


class QuestionLedger(Protocol):
    async def add(self, record: QuestionRecord, observation: Observation | None) -> None:
        """Write question and observation in one transaction.

        Raises:
            ConflictError: There is a question with this id.
        """
        ...

    async def list(
        self, tenant_id: TenantId, *, outcome: Outcome | None, cursor: str | None, limit: int
    ) -> Page[QuestionRecord]:
        """Return newest first; those that abstained are the queue for people (Law 9).

        Raises:
            InputError: The cursor is not one of ours.
        """
        ...

    async def get(self, tenant_id: TenantId, question_id: QuestionId) -> QuestionRecord:
        """Raise `NotFoundError` for one unknown to this tenant."""
        ...


class ObservationLedger(Protocol):
    async def window(
        self, tenant_id: TenantId, topic_id: TopicId, *, limit: int
    ) -> Sequence[Observation]:
        """Return the latest `limit`, oldest first."""
        ...

    async def topics(self, tenant_id: TenantId) -> Sequence[Topic]: ...

    async def save_topic(self, topic: Topic) -> bool:
        """Insert (`version` 0) or replace if the stored version is `topic.version - 1`.

        Return whether it was written: False means that another process was faster.
        """
        ...

    async def monitor_state(
        self, tenant_id: TenantId, topic_id: TopicId, monitor: str
    ) -> MonitorState | None: ...

    async def save_monitor_state(self, state: MonitorState) -> bool:
        """As `save_topic`, by version."""
        ...


class AlertLedger(Protocol):
    async def fire(self, alert: Alert, *, event_type: str, payload: str) -> bool:
        """Write a firing alert, and one delivery for each subscribed webhook, in one transaction.

        Return False and write nothing where one with this fingerprint is firing already.
        """
        ...

    async def resolve(
        self, tenant_id: TenantId, fingerprint: str, *, at: datetime, event_type: str, payload: str
    ) -> Alert | None:
        """Resolve the firing alert with this fingerprint, with deliveries; None if there is none."""
        ...

    async def list(
        self, tenant_id: TenantId, *, status: AlertStatus | None, cursor: str | None, limit: int
    ) -> Page[Alert]:
        """Return newest first."""
        ...


class WebhookLedger(Protocol):
    async def add(self, webhook: Webhook, *, actor: str) -> None: ...

    async def get(self, webhook_id: WebhookId) -> Webhook | None: ...

    async def list(self, tenant_id: TenantId) -> Sequence[Webhook]: ...

    async def remove(
        self, tenant_id: TenantId, webhook_id: WebhookId, *, actor: str, at: datetime
    ) -> None:
        """Remove with its pending deliveries; raise `NotFoundError` if unknown."""
        ...

    async def emit(
        self, tenant_id: TenantId, *, event_type: str, payload: str, at: datetime
    ) -> int:
        """Write one delivery for each webhook subscribed to `event_type`; return how many."""
        ...

    async def due(self, *, now: datetime, limit: int) -> Sequence[Delivery]:
        """Return undelivered deliveries whose time has come, of all tenants, oldest first."""
        ...

    async def save_attempt(
        self,
        delivery_id: str,
        *,
        delivered_at: datetime | None,
        next_attempt_at: datetime | None,
        error: str | None,
    ) -> None:
        """Count an attempt. Neither delivered nor next attempt: given up, kept for the record."""
        ...

    async def deliveries(self, tenant_id: TenantId, webhook_id: WebhookId) -> Sequence[Delivery]:
        """Return newest first."""
        ...


class Retention(Protocol):
    """Deletes what has been kept for long enough: at most `limit` rows a call, oldest or not.

    Never what is pending. Each returns how many went.
    """

    async def prune_claims(self, *, made_before: datetime, limit: int) -> int:
        """Forget idempotency keys; the same key then makes a request of its own."""
        ...

    async def prune_outbox(self, *, published_before: datetime, limit: int) -> int:
        """Delete published entries."""
        ...

    async def prune_deliveries(self, *, made_before: datetime, limit: int) -> int:
        """Delete deliveries that were made or given up."""
        ...


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
    def observations(self) -> ObservationLedger: ...
    @property
    def alerts(self) -> AlertLedger: ...
    @property
    def webhooks(self) -> WebhookLedger: ...
    @property
    def retention(self) -> Retention: ...

    async def ping(self) -> None:
        """Raise `TransientError` if the database does not answer or its schema is not current."""
        ...

    async def close(self) -> None: ...
