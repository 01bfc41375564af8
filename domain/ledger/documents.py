"""Documents: what is kept of them from receipt to deletion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from domain.access import KeyId
from domain.documents import (
    DocumentId,
    DocumentStatus,
    LabelMapping,
    OriginRef,
    TenantId,
)
from domain.ledger.pages import Page
from domain.lifecycle import EditionMark
from domain.publishing import Publication, SignatureState
from domain.retrieval import FamilyId, Fingerprint
from domain.scanning import ScanReport
from domain.trust import CoarseReason, TrustAssessment, Verdict


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
    bulk: bool = False
    """Queued in the lane of bulk imports (`documents.ingest-bulk`); nothing else depends on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """What of one tenant waits for a verdict.

    Attributes:
        waiting: Documents without one.
        oldest_received_at: Of those never scanned before; None where all are scanned anew.
    """

    waiting: int
    oldest_received_at: datetime | None


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

    async def undecided(
        self, *, received_before: datetime, limit: int, latest: datetime | None = None
    ) -> Sequence[DocumentId]:
        """Return documents of all tenants without a verdict, oldest first: for the sweeper.

        One that was begun or put into the outbox again since `received_before` is left out, so
        that a sweeper that calls `Outbox.add` does not queue a long backlog at every round. One
        of which that is told for a moment after `latest` is not: the clock was set back since.
        """
        ...

    async def backlog(self) -> Mapping[TenantId, Backlog]:
        """Return what waits, by tenant; a tenant of which nothing waits is left out."""
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
