"""Bodies of the document, scan and origin routes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from domain.documents import DocumentStatus, Origin, OriginKind
from domain.ledger import DecisionAction, DocumentRecord, StoredAssessment
from domain.publishing import SignatureState
from domain.scanning import Finding, FindingLevel
from domain.trust import CoarseReason, Contribution, TrustAssessment, Verdict

IDENTIFIER: Final = r"^[A-Za-z0-9_-]{1,64}$"
ORIGIN_ID: Final = r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,99}$"
ORIGIN: Final = r"^(publisher|connector|uploader):[A-Za-z0-9][A-Za-z0-9._@-]{0,99}$"
LINE: Final = r"^[^\x00-\x1f\x7f-\x9f]*$"
"""No control characters."""
NAMED_LINE: Final = r"^[^\x00-\x1f\x7f-\x9f]*[^\x00-\x1f\x7f-\x9f\s][^\x00-\x1f\x7f-\x9f]*$"
"""As `LINE`, and not blank."""
PROSE: Final = (
    r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*"
    r"[^\x00-\x1f\x7f-\x9f\s]"
    r"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$"
)
"""Something other than white space, and no control characters but tabs and ends of lines."""

OriginId = Annotated[str, Field(pattern=ORIGIN_ID)]
Reason = Annotated[str, Field(min_length=1, max_length=1000, pattern=PROSE)]


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class OriginModel(Model):
    kind: OriginKind
    id: str

    @classmethod
    def of(cls, kind: OriginKind, id: str) -> OriginModel:
        return cls(kind=kind, id=id)


class DocumentModel(Model):
    """A document. `trust` and `policy_version` are given to reviewers only."""

    id: str
    status: DocumentStatus
    verdict: Verdict | None
    reason: CoarseReason | None = Field(description="coarse reason of the verdict")
    origin: OriginModel
    media_type: str | None
    file_name: str | None
    title: str | None
    source_uri: str | None
    labels: dict[str, str]
    size_bytes: int
    sha256: str
    received_at: datetime
    decided_at: datetime | None
    logical_id: str | None = Field(None, description="the document whatever its version")
    version: int | None = Field(None, description="the publisher's, where it signed one")
    signature: SignatureState | None = None
    trust: float | None = None
    policy_version: str | None = None
    decided_by: str | None = None
    attempts: int | None = None
    rescans: int | None = None

    @classmethod
    def of(cls, record: DocumentRecord, *, reviewer: bool) -> DocumentModel:
        model = cls(
            id=record.id,
            status=record.status,
            verdict=record.verdict,
            reason=record.reason,
            origin=OriginModel.of(record.origin.kind, record.origin.id),
            media_type=record.media_type,
            file_name=record.file_name,
            title=record.title,
            source_uri=record.source_uri,
            labels=dict(record.labels),
            size_bytes=record.size_bytes,
            sha256=record.sha256,
            received_at=record.received_at,
            decided_at=record.decided_at,
            logical_id=record.logical_id,
            version=record.version,
            signature=record.signature,
        )
        if not reviewer:
            return model
        return model.model_copy(
            update={
                "trust": record.trust,
                "policy_version": record.policy_version,
                "decided_by": record.decided_by,
                "attempts": record.attempts,
                "rescans": record.rescans,
            }
        )


class ReceiptModel(Model):
    id: str
    status: DocumentStatus
    created: bool = Field(description="false where these bytes were known from this origin")


class DocumentPage(Model):
    items: list[DocumentModel]
    next_cursor: str | None


class FindingModel(Model):
    rule: str
    risk: float
    level: FindingLevel
    message: str
    start: int | None = Field(description="code points in the original text")
    end: int | None
    locator: str | None
    evidence: dict[str, str | int | float | bool]
    suppressed_by: str | None = Field(None, description="suppression that covers it")

    @classmethod
    def of(cls, finding: Finding) -> FindingModel:
        return cls(
            rule=finding.rule,
            risk=finding.risk,
            level=finding.level,
            message=finding.message,
            start=finding.span.start if finding.span else None,
            end=finding.span.end if finding.span else None,
            locator=finding.locator,
            evidence=dict(finding.evidence),
            suppressed_by=finding.suppressed_by,
        )


class ContributionModel(Model):
    rule: str
    risk: float
    weight: float
    points: float
    mode: str
    version: str = Field("", description="of the detector")
    hard: Verdict | None = Field(None, description="verdict the rule alone causes")
    explained_by: str | None = Field(None, description="composite that took its points")
    suppressed: int = Field(0, description="findings that a suppression covers")

    @classmethod
    def of(cls, contribution: Contribution) -> ContributionModel:
        return cls(
            rule=contribution.rule,
            risk=contribution.risk,
            weight=contribution.weight,
            points=contribution.points,
            mode=contribution.mode,
            version=contribution.version,
            hard=contribution.hard,
            explained_by=contribution.explained_by,
            suppressed=contribution.suppressed,
        )


class AssessmentModel(Model):
    """A judgement with its reasons. Reviewers only."""

    verdict: Verdict
    reason: CoarseReason
    trust: float
    risk: float
    policy_version: str
    decisive: str = Field(
        "", description="what decided: hard:<rule>, sum, group:<name>, unavailable:<names>, hold"
    )
    contributions: list[ContributionModel]
    findings: list[FindingModel]
    detectors: dict[str, str] = Field(description="version of each detector that looked")
    unavailable: list[str] = Field(description="detectors that could not look")

    @classmethod
    def of(cls, stored: StoredAssessment) -> AssessmentModel:
        assessment: TrustAssessment = stored.assessment
        return cls(
            verdict=assessment.verdict,
            reason=assessment.reason,
            trust=assessment.score,
            risk=assessment.risk,
            policy_version=assessment.policy_version,
            decisive=assessment.decisive,
            contributions=[ContributionModel.of(c) for c in assessment.contributions],
            findings=[FindingModel.of(finding) for finding in stored.report.findings],
            detectors=dict(stored.report.completed),
            unavailable=sorted(stored.report.unavailable),
        )


class ReportModel(Model):
    document: DocumentModel
    assessment: AssessmentModel | None


class DecisionRequest(Model):
    action: DecisionAction
    reason: Reason


class ScanResult(Model):
    """A dry run: nothing was stored. `assessment` is given to reviewers only."""

    verdict: Verdict
    reason: CoarseReason
    media_type: str
    assessment: AssessmentModel | None = None


class OriginDetail(Model):
    kind: OriginKind
    id: str
    established: bool
    reviewed: bool

    @classmethod
    def of_origin(cls, origin: Origin) -> OriginDetail:
        return cls(
            kind=origin.kind,
            id=origin.id,
            established=origin.established,
            reviewed=origin.reviewed,
        )


class OriginList(Model):
    items: list[OriginDetail]


class NewOrigin(Model):
    kind: OriginKind
    id: OriginId


class EstablishRequest(Model):
    reason: Reason
    reviewed: Annotated[bool, Field(strict=True)] = False


class ReasonRequest(Model):
    """Body of what ends something: a suppression, a key, the vouching for an origin."""

    reason: Reason


class DeclareRequest(Model):
    open_write: Annotated[bool, Field(strict=True)]
