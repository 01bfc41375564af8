"""`/v1/alerts`, `/v1/silences`, `/v1/reviews`: what the security team sees, and does about it."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, status

from domain.alerting import Silence
from domain.answering import QuestionId
from domain.errors import InputError
from domain.monitoring import AlertId, AlertStatus
from gateway.http.auth import Reviewer
from gateway.http.dependencies import ServicesDependency
from gateway.http.models_alerts import (
    AlertModel,
    AlertPage,
    ReviewList,
    ReviewModel,
    SilenceList,
    SilenceModel,
    SilenceRequest,
)
from gateway.http.models_documents import IDENTIFIER
from gateway.http.parameters import Cursor, Limit

router = APIRouter(tags=["alerts"])

LONGEST_SILENCE: Final = timedelta(days=90)

IdPath = Annotated[str, Path(pattern=IDENTIFIER)]


@router.get("/v1/alerts", summary="List alerts, newest first")
async def list_alerts(
    services: ServicesDependency,
    principal: Reviewer,
    alert_status: Annotated[AlertStatus | None, Query(alias="status")] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> AlertPage:
    tenant_id, now = principal.tenant_id, services.clock.now()
    page = await services.ledger.alerts.list(
        tenant_id, status=alert_status, cursor=cursor, limit=limit
    )
    silences = await services.ledger.silences.active(tenant_id, now=now)
    return AlertPage(
        items=[AlertModel.of(alert, silences, now=now) for alert in page.items],
        next_cursor=page.next_cursor,
    )


@router.get("/v1/alerts/{alert_id}", summary="One alert")
async def get_alert(
    services: ServicesDependency, principal: Reviewer, alert_id: IdPath
) -> AlertModel:
    now = services.clock.now()
    alert = await services.ledger.alerts.get(principal.tenant_id, AlertId(alert_id))
    silences = await services.ledger.silences.active(principal.tenant_id, now=now)
    return AlertModel.of(alert, silences, now=now)


@router.post("/v1/alerts/{alert_id}/acknowledge", summary="Say that you look after an alert")
async def acknowledge_alert(
    services: ServicesDependency, principal: Reviewer, alert_id: IdPath
) -> AlertModel:
    """Journalled. Receivers get no more reminders of it, but are told when it ends."""
    now = services.clock.now()
    alert = await services.ledger.alerts.acknowledge(
        principal.tenant_id, AlertId(alert_id), actor=principal.actor, at=now
    )
    silences = await services.ledger.silences.active(principal.tenant_id, now=now)
    return AlertModel.of(alert, silences, now=now)


@router.get("/v1/silences", summary="List silences, ended ones too")
async def list_silences(services: ServicesDependency, principal: Reviewer) -> SilenceList:
    found = await services.ledger.silences.list(principal.tenant_id)
    return SilenceList(items=[SilenceModel.of(one) for one in found])


@router.post("/v1/silences", status_code=status.HTTP_201_CREATED, summary="Silence alerts")
async def add_silence(
    services: ServicesDependency, principal: Reviewer, body: SilenceRequest
) -> SilenceModel:
    """Journalled. Alerts with all these labels are listed, but nobody is told until it expires."""
    now = services.clock.now()
    if not now < body.expires_at <= now + LONGEST_SILENCE:
        raise InputError(
            f"a silence expires within {LONGEST_SILENCE.days} days, and later than now"
        )
    if (body.alert_id is None) == (body.matchers is None):
        raise InputError("a silence is for either an alert_id or matchers")
    matchers = body.matchers or {}
    if body.alert_id is not None:
        alert = await services.ledger.alerts.get(principal.tenant_id, AlertId(body.alert_id))
        matchers = {**alert.labels, "name": alert.name}
    if not matchers:
        raise InputError("a silence needs a label to match")
    silence = Silence(
        id=services.ids.new("sil"),
        tenant_id=principal.tenant_id,
        matchers=matchers,
        author=principal.actor,
        reason=body.reason,
        created_at=now,
        expires_at=body.expires_at,
    )
    await services.ledger.silences.add(silence)
    return SilenceModel.of(silence)


@router.post("/v1/silences/{silence_id}/remove", summary="End a silence now")
async def remove_silence(
    services: ServicesDependency, principal: Reviewer, silence_id: IdPath
) -> SilenceModel:
    """Journalled. What still fires and was never told is told then."""
    removed = await services.ledger.silences.remove(
        principal.tenant_id, silence_id, actor=principal.actor, at=services.clock.now()
    )
    return SilenceModel.of(removed)


@router.get(
    "/v1/reviews", summary="Questions of alerts that wait for a reviewer, first things first"
)
async def list_reviews(
    services: ServicesDependency, principal: Reviewer, limit: Limit = 50
) -> ReviewList:
    """By reach times severity. `GET /v1/questions/{id}` shows one, its feedback labels it."""
    found = await services.ledger.reviews.open(principal.tenant_id, limit=limit)
    return ReviewList(items=[ReviewModel.of(review) for review in found])


@router.post("/v1/reviews/{question_id}/close", summary="Take a question off the queue")
async def close_review(
    services: ServicesDependency, principal: Reviewer, question_id: IdPath
) -> ReviewModel:
    closed = await services.ledger.reviews.close(
        principal.tenant_id,
        QuestionId(question_id),
        actor=principal.actor,
        at=services.clock.now(),
    )
    return ReviewModel.of(closed)
