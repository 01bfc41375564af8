"""`/v1/alerts` and `/v1/webhooks`: what the security team sees and is told."""

from __future__ import annotations

import base64
import secrets
from typing import Annotated

from fastapi import APIRouter, Path, Query, status

from domain.errors import NotFoundError
from domain.monitoring import AlertStatus, Webhook, WebhookId
from gateway.http.auth import Admin, Reviewer
from gateway.http.dependencies import ServicesDependency
from gateway.http.models_alerts import (
    AlertModel,
    AlertPage,
    CreatedWebhook,
    DeliveryList,
    DeliveryModel,
    NewWebhook,
    WebhookList,
    WebhookModel,
)
from gateway.http.models_documents import IDENTIFIER
from gateway.http.parameters import Cursor, Limit

router = APIRouter(tags=["alerts"])

WebhookIdPath = Annotated[str, Path(pattern=IDENTIFIER)]


@router.get("/v1/alerts", summary="List alerts, newest first")
async def list_alerts(
    services: ServicesDependency,
    principal: Reviewer,
    alert_status: Annotated[AlertStatus | None, Query(alias="status")] = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> AlertPage:
    page = await services.ledger.alerts.list(
        principal.tenant_id, status=alert_status, cursor=cursor, limit=limit
    )
    return AlertPage(
        items=[AlertModel.of(alert) for alert in page.items], next_cursor=page.next_cursor
    )


@router.post("/v1/webhooks", status_code=status.HTTP_201_CREATED, summary="Register a receiver")
async def add_webhook(
    services: ServicesDependency, principal: Admin, new: NewWebhook
) -> CreatedWebhook:
    """Deliveries are signed by the Standard Webhooks scheme, at least once, with retries."""
    services.check_webhook_url(new.url)
    webhook = Webhook(
        id=WebhookId(services.ids.new("wh")),
        tenant_id=principal.tenant_id,
        url=new.url,
        secret=_secret(new.secret),
        event_types=frozenset(new.event_types),
        created_at=services.clock.now(),
    )
    await services.ledger.webhooks.add(webhook, actor=principal.actor)
    return CreatedWebhook(**WebhookModel.of(webhook).model_dump(), secret=webhook.secret)


@router.get("/v1/webhooks", summary="List receivers")
async def list_webhooks(services: ServicesDependency, principal: Admin) -> WebhookList:
    webhooks = await services.ledger.webhooks.list(principal.tenant_id)
    return WebhookList(items=[WebhookModel.of(webhook) for webhook in webhooks])


@router.delete(
    "/v1/webhooks/{webhook_id}",
    status_code=status.HTTP_204_NO_CONTENT,
    summary="Remove a receiver and what is pending for it",
)
async def remove_webhook(
    services: ServicesDependency, principal: Admin, webhook_id: WebhookIdPath
) -> None:
    await services.ledger.webhooks.remove(
        principal.tenant_id,
        WebhookId(webhook_id),
        actor=principal.actor,
        at=services.clock.now(),
    )


@router.get("/v1/webhooks/{webhook_id}/deliveries", summary="What was sent, and how it went")
async def list_deliveries(
    services: ServicesDependency, principal: Admin, webhook_id: WebhookIdPath
) -> DeliveryList:
    webhook = await services.ledger.webhooks.get(WebhookId(webhook_id))
    if webhook is None or webhook.tenant_id != principal.tenant_id:
        raise NotFoundError(f"no webhook {webhook_id!r}")
    deliveries = await services.ledger.webhooks.deliveries(principal.tenant_id, webhook.id)
    return DeliveryList(items=[DeliveryModel.of(delivery) for delivery in deliveries])


def _secret(given: str | None) -> str:
    return given or "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
