"""`/v1/scans`: judge a document and store nothing."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request

from domain.access import Principal, Scope
from domain.documents import OriginKind, OriginRef
from domain.errors import InputError, RateLimitedError
from domain.ledger import StoredAssessment
from gateway.http.auth import Reader
from gateway.http.dependencies import ServicesDependency
from gateway.http.models_documents import AssessmentModel, ScanResult
from gateway.http.uploads import UPLOAD_BODY, Upload, attestation_of, read_upload
from ingest.examination import Examination, metadata_fields
from ingest.publishers import Attribution
from runtime.wiring import Services

router = APIRouter(prefix="/v1/scans", tags=["documents"])

DRY_RUNS_PER_MINUTE: Final = 30
"""Law 15: a dry run is an oracle, so it is limited and journalled."""

_NOBODY: Final = OriginRef(kind=OriginKind.UPLOADER, id="dry-run")
"""Whose a document is that is scanned with a key bound to no origin."""


@router.post("", openapi_extra=UPLOAD_BODY, summary="Dry run: scan and store nothing")
async def scan(request: Request, services: ServicesDependency, principal: Reader) -> ScanResult:
    """Judge as if uploaded with this key. A submit-only key gets verdict and coarse reason alone."""
    wait = await services.rate_limiter.take(
        f"scans:{principal.key_id}", limit=DRY_RUNS_PER_MINUTE, window_seconds=60
    )
    if wait > 0:
        raise RateLimitedError(
            f"more than {DRY_RUNS_PER_MINUTE} dry runs a minute", retry_after_seconds=wait
        )
    uploaded = await read_upload(request, max_bytes=services.settings.server.max_body_bytes)
    whose = await services.trust.publishers.attribute(
        principal.tenant_id, principal.origin or _NOBODY, attestation_of(uploaded)
    )
    reviewer = principal.allows(Scope.QUARANTINE_REVIEW)
    try:
        seen = await _judge(services, principal, whose, uploaded, against_index=reviewer)
    except InputError:
        await _journal(services, principal, verdict="unreadable")
        raise
    await _journal(services, principal, verdict=seen.assessment.verdict.value)
    return ScanResult(
        verdict=seen.assessment.verdict,
        reason=seen.assessment.reason,
        media_type=seen.document.media_type,
        assessment=AssessmentModel.of(
            StoredAssessment(report=seen.report, assessment=seen.assessment)
        )
        if reviewer
        else None,
    )


async def _judge(
    services: Services,
    principal: Principal,
    whose: Attribution,
    uploaded: Upload,
    *,
    against_index: bool,
) -> Examination:
    return await services.ingest.examiner.dry_run(
        uploaded.content,
        tenant_id=principal.tenant_id,
        origin=await services.ledger.origins.get(principal.tenant_id, whose.origin),
        signature=whose.signature,
        claimed_media_type=uploaded.media_type,
        file_name=uploaded.file_name,
        metadata=metadata_fields(
            title=uploaded.title,
            file_name=uploaded.file_name,
            source_uri=uploaded.source_uri,
            labels=uploaded.labels,
        ),
        # What is in the index is not for somebody who can only submit to find out.
        against_index=against_index,
    )


async def _journal(services: Services, principal: Principal, *, verdict: str) -> None:
    await services.ledger.journal.append(
        tenant_id=principal.tenant_id,
        at=services.clock.now(),
        actor=principal.actor,
        action="scan.dry-run",
        object_kind="scan",
        object_id=services.ids.new("scan"),
        facts={"verdict": verdict},
    )
