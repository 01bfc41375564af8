"""`/v1/suppressions`: sentences of one origin that a rule is wrong about (Law 13)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, status

from domain.documents import DocumentId, Span
from domain.errors import InputError
from gateway.http.auth import Reviewer
from gateway.http.dependencies import ServicesDependency
from gateway.http.models_documents import IDENTIFIER, ReasonRequest
from gateway.http.models_trust import (
    SuppressionList,
    SuppressionModel,
    SuppressionRequest,
)

router = APIRouter(prefix="/v1/suppressions", tags=["policy"])

SuppressionIdPath = Annotated[str, Path(pattern=IDENTIFIER)]


@router.get("", summary="List suppressions, ended ones too")
async def list_suppressions(services: ServicesDependency, principal: Reviewer) -> SuppressionList:
    found = await services.ledger.suppressions.list(principal.tenant_id)
    return SuppressionList(items=[SuppressionModel.of(one) for one in found])


@router.post("", status_code=status.HTTP_201_CREATED, summary="Suppress a rule for a sentence")
async def add_suppression(
    services: ServicesDependency, principal: Reviewer, body: SuppressionRequest
) -> SuppressionModel:
    """Cover the sentences that a span of a document touches, for its origin. Journalled.

    It counts from the next scan on, of new versions too. Hard rules and hidden text are never
    suppressed.
    """
    if body.end <= body.start:
        raise InputError("a span ends after it starts")
    suppression = await services.trust.suppressions.add(
        principal.tenant_id,
        DocumentId(body.document_id),
        rule=body.rule,
        span=Span(body.start, body.end),
        reason=body.reason,
        actor=principal.actor,
        expires_at=body.expires_at,
    )
    return SuppressionModel.of(suppression)


@router.post("/{suppression_id}/remove", summary="End a suppression, with a reason")
async def remove_suppression(
    services: ServicesDependency,
    principal: Reviewer,
    suppression_id: SuppressionIdPath,
    body: ReasonRequest,
) -> SuppressionModel:
    removed = await services.trust.suppressions.remove(
        principal.tenant_id, suppression_id, reason=body.reason, actor=principal.actor
    )
    return SuppressionModel.of(removed)
