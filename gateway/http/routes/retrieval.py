"""`/v1/retrieve`: evidence under the same guard as a question's, and nothing drafted."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from fastapi import APIRouter

from domain.access import Scope
from domain.documents import DocumentId, TenantId
from domain.errors import ForbiddenError
from domain.retrieval import ScoredChunk
from domain.scanning import Finding
from gateway.http.auth import AskerOrReviewer
from gateway.http.dependencies import ServicesDependency
from gateway.http.models_retrieval import HitModel, RetrieveRequest, RetrieveResult
from runtime.wiring import Services

router = APIRouter(prefix="/v1/retrieve", tags=["questions"])


@router.post("", summary="Retrieve guarded evidence, for a generator of your own")
async def retrieve(
    services: ServicesDependency, principal: AskerOrReviewer, body: RetrieveRequest
) -> RetrieveResult:
    """Search established origins and all others apart, under their quotas; one voice a family.

    Nothing here is an answer: there is no agreement, confidence or abstention in it.
    """
    reviewer = principal.allows(Scope.QUARANTINE_REVIEW)
    if body.unmasked and not reviewer:
        raise ForbiddenError(f"unmasked text needs the scope {Scope.QUARANTINE_REVIEW.value}")
    hits = await services.query.evidence(
        body.question,
        tenant_id=principal.tenant_id,
        established_limit=body.established_limit,
        pool_limit=body.pool_limit,
        min_trust=body.min_trust,
        only=body.only(),
    )
    findings = await _findings(services, principal.tenant_id, hits)
    return RetrieveResult(
        hits=[
            HitModel.of(
                hit,
                findings[hit.chunk.document_id],
                unmasked=body.unmasked,
                reviewer=reviewer,
            )
            for hit in hits
        ],
        provenance=any(hit.origin.established for hit in hits),
    )


async def _findings(
    services: Services, tenant_id: TenantId, hits: Sequence[ScoredChunk]
) -> Mapping[DocumentId, Sequence[Finding]]:
    documents = list(dict.fromkeys(hit.chunk.document_id for hit in hits))
    stored = await asyncio.gather(
        *(services.ledger.documents.stored_assessment(tenant_id, one) for one in documents)
    )
    return {
        document: found.report.findings if found is not None else ()
        for document, found in zip(documents, stored, strict=True)
    }
