"""`/v1/policy`: why a document was judged as it was, and what another policy would say."""

from __future__ import annotations

import asyncio
from typing import Final

from fastapi import APIRouter

from defences.trust.policy import load_policy
from domain.documents import DocumentId
from domain.errors import ConfigurationError, InputError, RateLimitedError
from gateway.http.auth import Reviewer
from gateway.http.dependencies import ServicesDependency
from gateway.http.models_documents import ContributionModel, OriginModel
from gateway.http.models_trust import (
    ExplanationModel,
    GroupModel,
    JudgementModel,
    ReplayedModel,
    ReplayModel,
    ReplayRequest,
)
from gateway.http.routes.documents import DocumentIdPath
from ingest.replaying import Replayed

router = APIRouter(prefix="/v1/policy", tags=["policy"])

REPLAYS_PER_MINUTE: Final = 120


@router.get("/explanations/{document_id}", summary="Why a document has its verdict")
async def explain(
    services: ServicesDependency, principal: Reviewer, document_id: DocumentIdPath
) -> ExplanationModel:
    """Explain the last scan's verdict, and say what the policy in force makes of it."""
    policy = services.trust.policy
    replayed = await services.trust.replay.one(principal.tenant_id, DocumentId(document_id), policy)
    return ExplanationModel(
        document_id=document_id,
        judgement=JudgementModel.of(replayed.before),
        contributions=[ContributionModel.of(c) for c in replayed.before.contributions],
        groups=[
            GroupModel(
                group=one.group.value, points=one.points, cap=one.cap, quarantine=one.quarantine
            )
            for one in policy.groups(replayed.before)
        ],
        in_force=JudgementModel.of(replayed.after),
        settled_by_person=replayed.settled_by_person,
    )


@router.post("/replays", summary="What would change under another policy")
async def replay(
    services: ServicesDependency, principal: Reviewer, body: ReplayRequest
) -> ReplayModel:
    """Assess stored reports by the policy sent, newest documents first. Nothing is changed."""
    wait = await services.rate_limiter.take(
        f"replays:{principal.key_id}", limit=REPLAYS_PER_MINUTE, window_seconds=60
    )
    if wait > 0:
        raise RateLimitedError(
            f"more than {REPLAYS_PER_MINUTE} replays a minute", retry_after_seconds=wait
        )
    try:
        policy = await asyncio.to_thread(load_policy, body.policy)
    except ConfigurationError as exc:
        raise InputError(str(exc)) from exc  # the caller's file, not ours
    page = await services.trust.replay.page(
        principal.tenant_id, policy, cursor=body.cursor, limit=body.limit
    )
    return ReplayModel(
        policy_version=policy.version,
        items=[_model(replayed) for replayed in page.items],
        unread=page.unread,
        next_cursor=page.next_cursor,
    )


def _model(replayed: Replayed) -> ReplayedModel:
    origin = replayed.record.origin
    return ReplayedModel(
        document_id=replayed.record.id,
        origin=OriginModel.of(origin.kind, origin.id),
        before=JudgementModel.of(replayed.before),
        after=JudgementModel.of(replayed.after),
        changes_verdict=replayed.changes_verdict,
        settled_by_person=replayed.settled_by_person,
    )
