"""Small valid rows of the ledger; every argument that does not matter has a default."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np

from domain.access import ApiKey, KeyId, Scope
from domain.answering import Outcome, QuestionId
from domain.documents import DEFAULT_TENANT, DocumentId, OriginKind, OriginRef, Span, TenantId
from domain.ledger import (
    DocumentRecord,
    IdempotencyClaim,
    Ledger,
    NewDocument,
    QuestionRecord,
    Settlement,
)
from domain.monitoring import (
    Alert,
    AlertId,
    AlertStatus,
    EvidenceNote,
    Observation,
    Severity,
    Topic,
    TopicId,
    Webhook,
    WebhookId,
)
from domain.retrieval import FamilyId, Fingerprint
from domain.scanning import Finding, FindingLevel, ScanReport
from domain.trust import CoarseReason, Contribution, TrustAssessment, Verdict

NOW = datetime(2026, 11, 1, 12, 30, 15, 123_457, tzinfo=UTC)
OTHER_TENANT = TenantId("other")
ALICE = OriginRef(kind=OriginKind.UPLOADER, id="alice")
PRESS = OriginRef(kind=OriginKind.PUBLISHER, id="press")
REVIEWER = "key:reviewer"
SOMEWHERE = Span(3, 9)


def later(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def upload(
    name: str = "one",
    *,
    content: str | None = None,
    origin: OriginRef = ALICE,
    tenant_id: TenantId = DEFAULT_TENANT,
    received_at: datetime = NOW,
) -> NewDocument:
    """Return an upload with id `doc_<name>`, its bytes being `content`, else its name."""
    content = name if content is None else content
    return NewDocument(
        id=DocumentId(f"doc_{name}"),
        tenant_id=tenant_id,
        origin=origin,
        sha256=hashlib.sha256(content.encode()).hexdigest(),
        size_bytes=len(content.encode()),
        media_type="text/markdown",
        file_name=f"{name}.md",
        title=f"Title of {name}",
        source_uri=f"https://example.org/{name}",
        labels={"team": "support", "note": "naïve \U0001f40d \x00"},
        received_at=received_at,
        actor="key:uploader",
    )


def claim(key: str = "k1", *, request_hash: str = "h1", key_id: str = "key_a") -> IdempotencyClaim:
    return IdempotencyClaim(key=key, key_id=KeyId(key_id), request_hash=request_hash)


def finding(rule: str, *, span: Span | None = SOMEWHERE, locator: str | None = None) -> Finding:
    return Finding(
        rule=rule,
        risk=1 / 3,
        level=FindingLevel.SUSPICIOUS,
        message=f"{rule} was found twice",
        span=span,
        locator=locator,
        evidence={"count": 2, "share": 0.1, "channel": "html-display-none", "sure": True},
    )


def known_by(signature: list[int] | None, passages: Sequence[int] = ()) -> Fingerprint:
    """Return a fingerprint of which an index keeps one passage in four."""
    return Fingerprint(
        exact=b"0123456789abcdef",
        signature=None if signature is None else np.asarray(signature, np.uint32),
        passages=np.asarray(passages, np.uint32),
        sampled=0,
        kept=2,
        scheme="v0",
    )


def settlement(
    document_id: DocumentId,
    *,
    verdict: Verdict = Verdict.ADMIT,
    reason: CoarseReason = CoarseReason.CLEAN,
    findings: Sequence[Finding] = (),
    read: bool = True,
    fingerprint: Fingerprint | None = None,
    settled_at: datetime = NOW,
    family_id: str | None = None,
    voting: bool = True,
) -> Settlement:
    """Return what a scan settled; `read` is False where the document could not be parsed."""
    report = ScanReport(
        document_id=document_id,
        findings=tuple(findings),
        completed={"hidden-text": "1.2.0", "citations": "0.9"},
        unavailable=frozenset({"personal-data"}),
    )
    assessment = TrustAssessment(
        document_id=document_id,
        score=2 / 3,
        risk=1 / 3,
        verdict=verdict,
        reason=reason,
        contributions=(
            Contribution(rule="hidden-text.zero-width", risk=0.7, weight=0.9, points=0.1),
            Contribution(rule="citations.doi", risk=0.3, weight=1.0, points=0.0, mode="observe"),
        ),
        policy_version="2026-11",
    )
    admitted = verdict is Verdict.ADMIT
    return Settlement(
        assessment=assessment,
        report=report if read else None,
        media_type="text/html" if read else None,
        fingerprint=fingerprint,
        settled_at=settled_at,
        family_id=FamilyId(family_id or document_id) if admitted else None,
        voting=voting,
    )


async def settled(
    ledger: Ledger, new: NewDocument, *, verdict: Verdict = Verdict.ADMIT, **given: object
) -> DocumentRecord:
    """Receive, scan and settle a document."""
    receipt = await ledger.documents.receive(new, claim=None)
    await ledger.documents.begin_attempt(new.id)
    await ledger.documents.settle(new.id, settlement(new.id, verdict=verdict, **given))  # type: ignore[arg-type]
    return await ledger.documents.get(new.tenant_id, receipt.record.id)


def api_key(
    name: str = "a",
    *,
    origin: OriginRef | None = ALICE,
    tenant_id: TenantId = DEFAULT_TENANT,
    created_at: datetime = NOW,
) -> ApiKey:
    return ApiKey(
        id=KeyId(f"key_{name}"),
        tenant_id=tenant_id,
        name=f"Key {name}",
        secret_sha256=hashlib.sha256(name.encode()).hexdigest(),
        scopes=frozenset({Scope.DOCUMENTS_WRITE, Scope.QUESTIONS_ASK}),
        origin=origin,
        created_at=created_at,
    )


def question(name: str = "q1", *, tenant_id: TenantId = DEFAULT_TENANT) -> QuestionRecord:
    return QuestionRecord(
        id=QuestionId(name),
        tenant_id=tenant_id,
        principal="key:asker",
        asked_at=NOW,
        outcome=Outcome.ANSWER_WITH_WARNING,
        trace='{"answer": "42", "sources": []}',
    )


def observation(
    name: str = "q1",
    *,
    topic: str = "t1",
    tenant_id: TenantId = DEFAULT_TENANT,
    observed_at: datetime = NOW,
) -> Observation:
    return Observation(
        question_id=QuestionId(name),
        tenant_id=tenant_id,
        topic_id=TopicId(topic),
        principal="key:asker",
        question_key="ab" * 32,
        observed_at=observed_at,
        disagreement=0.1,
        entropy=0.2,
        agreement=0.9,
        margin=1 / 3,
        confidence=0.75,
        outcome=Outcome.ANSWER,
        answer_group=None,
        seats=3,
        m=5,
        route="full",
        calibration_version="cal-1",
        evidence=(
            EvidenceNote(
                document_id=DocumentId("doc_one"),
                origin=PRESS,
                established=True,
                family_id="doc_one",
                age_days=1.5,
                trust=0.875,
            ),
        ),
    )


def topic(
    name: str = "t1",
    *,
    version: int = 0,
    size: int = 1,
    tenant_id: TenantId = DEFAULT_TENANT,
    created_at: datetime = NOW,
) -> Topic:
    return Topic(
        id=TopicId(name),
        tenant_id=tenant_id,
        centroid=np.asarray([0.6, 0.8], dtype=np.float32),
        size=size,
        terms=("return", "policy"),
        created_at=created_at,
        version=version,
    )


def alert(
    name: str = "a1",
    *,
    fingerprint: str = "f1",
    tenant_id: TenantId = DEFAULT_TENANT,
    starts_at: datetime = NOW,
) -> Alert:
    return Alert(
        id=AlertId(name),
        tenant_id=tenant_id,
        name="disagreement-spike",
        fingerprint=fingerprint,
        severity=Severity.CRITICAL,
        status=AlertStatus.FIRING,
        labels={"monitor": "disagreement", "topic": "t1"},
        annotations={"mean": "0.61"},
        starts_at=starts_at,
    )


def webhook(
    name: str = "w1",
    *,
    event_types: Sequence[str] = ("alert.fired", "alert.resolved"),
    tenant_id: TenantId = DEFAULT_TENANT,
    disabled_at: datetime | None = None,
) -> Webhook:
    return Webhook(
        id=WebhookId(name),
        tenant_id=tenant_id,
        url=f"https://example.org/hooks/{name}?token=hush",
        secret="whsec_c2VjcmV0",
        event_types=frozenset(event_types),
        created_at=NOW,
        disabled_at=disabled_at,
    )
