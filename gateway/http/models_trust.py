"""Bodies of the policy, suppression and publisher routes."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import AwareDatetime, Field

from domain.publishing import PublisherKey
from domain.suppressions import Suppression
from domain.trust import CoarseReason, TrustAssessment, Verdict
from gateway.http.models_documents import (
    IDENTIFIER,
    ContributionModel,
    Model,
    OriginId,
    OriginModel,
    Reason,
)

RULE = r"^[a-z0-9-]{1,60}\.[a-z0-9.-]{1,100}$"


class JudgementModel(Model):
    """What a policy makes of one report."""

    verdict: Verdict
    reason: CoarseReason
    risk: float
    trust: float
    policy_version: str
    decisive: str

    @classmethod
    def of(cls, assessment: TrustAssessment) -> JudgementModel:
        return cls(
            verdict=assessment.verdict,
            reason=assessment.reason,
            risk=assessment.risk,
            trust=assessment.score,
            policy_version=assessment.policy_version,
            decisive=assessment.decisive,
        )


class GroupModel(Model):
    group: str
    points: float
    cap: float
    quarantine: float = Field(description="points from which the group alone quarantines")


class ExplanationModel(Model):
    """Why a document has the verdict of its last scan."""

    document_id: str
    judgement: JudgementModel
    contributions: list[ContributionModel]
    groups: list[GroupModel] = Field(description="by the groups of the policy in force")
    in_force: JudgementModel = Field(description="what the policy in force makes of it now")
    settled_by_person: bool


class ReplayRequest(Model):
    policy: Annotated[str, Field(min_length=1, max_length=100_000)] = Field(
        description="a trust policy, as TOML"
    )
    limit: Annotated[int, Field(ge=1, le=200, strict=True)] = 100
    cursor: Annotated[str, Field(max_length=200, json_schema_extra={"format": "cursor"})] | None = (
        None
    )


class ReplayedModel(Model):
    document_id: str
    origin: OriginModel
    before: JudgementModel
    after: JudgementModel
    changes_verdict: bool
    settled_by_person: bool = Field(description="a person decided: the policy changes nothing")


class ReplayModel(Model):
    """Nothing was changed."""

    policy_version: str
    items: list[ReplayedModel]
    unread: int = Field(description="documents of the page without a report to replay")
    next_cursor: str | None


class SuppressionRequest(Model):
    document_id: Annotated[str, Field(pattern=IDENTIFIER)]
    rule: Annotated[str, Field(pattern=RULE)]
    start: Annotated[int, Field(ge=0, le=2**31, strict=True)]
    end: Annotated[int, Field(ge=1, le=2**31, strict=True)]
    reason: Reason
    expires_at: AwareDatetime | None = Field(None, description="at most a year on; None: 90 days")


class SuppressionModel(Model):
    id: str
    rule: str
    origin: OriginModel
    document_id: str
    start: int
    end: int
    sentences: int = Field(description="how many sentences it covers")
    reason: str
    created_by: str
    created_at: datetime
    expires_at: datetime
    removed_at: datetime | None

    @classmethod
    def of(cls, suppression: Suppression) -> SuppressionModel:
        return cls(
            id=suppression.id,
            rule=suppression.rule,
            origin=OriginModel.of(suppression.origin.kind, suppression.origin.id),
            document_id=suppression.document_id,
            start=suppression.span.start,
            end=suppression.span.end,
            sentences=len(suppression.sentences),
            reason=suppression.reason,
            created_by=suppression.created_by,
            created_at=suppression.created_at,
            expires_at=suppression.expires_at,
            removed_at=suppression.removed_at,
        )


class SuppressionList(Model):
    items: list[SuppressionModel]


class PublisherKeyRequest(Model):
    publisher: OriginId
    public_key: Annotated[str, Field(min_length=1, max_length=1000)] = Field(
        description="Ed25519, as PEM, or 32 bytes in base64 or hexadecimal"
    )
    reason: Reason


class PublisherKeyModel(Model):
    publisher: str
    id: str
    public_key: str = Field(description="base64")
    added_at: datetime
    revoked_at: datetime | None

    @classmethod
    def of(cls, key: PublisherKey, *, encoded: str) -> PublisherKeyModel:
        return cls(
            publisher=key.publisher,
            id=key.id,
            public_key=encoded,
            added_at=key.added_at,
            revoked_at=key.revoked_at,
        )


class PublisherKeyList(Model):
    items: list[PublisherKeyModel]
