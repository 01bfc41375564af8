"""`/v1/webhooks`: receivers of signed events."""

from __future__ import annotations

import base64
import secrets
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Path, status

from domain.errors import InputError, NotFoundError
from domain.monitoring import Delivery, Webhook, WebhookId
from gateway.http.auth import Admin
from gateway.http.dependencies import ServicesDependency
from gateway.http.models_alerts import (
    CreatedWebhook,
    DeliveryList,
    DeliveryModel,
    NewWebhook,
    ReplayDeliveries,
    ReplayedDeliveries,
    RotatedWebhook,
    RotationRequest,
    WebhookList,
    WebhookModel,
)
from gateway.http.models_documents import IDENTIFIER
from monitors.events import EVENT_TEST, event

router = APIRouter(prefix="/v1/webhooks", tags=["alerts"])

WebhookIdPath = Annotated[str, Path(pattern=IDENTIFIER)]


@router.post("", status_code=status.HTTP_201_CREATED, summary="Register a receiver")
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


@router.get("", summary="List receivers")
async def list_webhooks(services: ServicesDependency, principal: Admin) -> WebhookList:
    webhooks = await services.ledger.webhooks.list(principal.tenant_id)
    return WebhookList(items=[WebhookModel.of(webhook) for webhook in webhooks])


@router.delete(
    "/{webhook_id}",
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


@router.get("/{webhook_id}/deliveries", summary="What was sent, and how it went")
async def list_deliveries(
    services: ServicesDependency, principal: Admin, webhook_id: WebhookIdPath
) -> DeliveryList:
    webhook = await _find(services, principal, webhook_id)
    deliveries = await services.ledger.webhooks.deliveries(principal.tenant_id, webhook.id)
    return DeliveryList(items=[DeliveryModel.of(delivery) for delivery in deliveries])


@router.post("/{webhook_id}/rotate-secret", summary="Change the secret of a receiver")
async def rotate_secret(
    services: ServicesDependency,
    principal: Admin,
    webhook_id: WebhookIdPath,
    body: RotationRequest,
) -> RotatedWebhook:
    """Journalled. Both secrets sign for a while, so that the receiver can change over."""
    now = services.clock.now()
    former_until = now + timedelta(hours=services.settings.webhooks.former_secret_hours)
    webhook = await services.ledger.webhooks.rotate(
        principal.tenant_id,
        WebhookId(webhook_id),
        secret=_secret(body.secret),
        former_until=former_until,
        actor=principal.actor,
        at=now,
    )
    return RotatedWebhook(
        **WebhookModel.of(webhook).model_dump(), secret=webhook.secret, former_until=former_until
    )


@router.post("/{webhook_id}/test", summary="Send a test event now")
async def send_test_event(
    services: ServicesDependency, principal: Admin, webhook_id: WebhookIdPath
) -> DeliveryModel:
    """Tried once, while you wait; the answer says how it went."""
    webhook = await _find(services, principal, webhook_id)
    now = services.clock.now()
    delivery = Delivery(
        id=services.ids.new("dlv"),
        tenant_id=principal.tenant_id,
        webhook_id=webhook.id,
        event_type=EVENT_TEST,
        payload=event(EVENT_TEST, now, {"id": webhook.id}),
        created_at=now,
        attempts=0,
        # Not before the attempt that is made here has ended, lest a worker makes it too.
        next_attempt_at=now + timedelta(minutes=5),
    )
    await services.ledger.webhooks.add_delivery(delivery)
    return DeliveryModel.of(await services.deliveries.deliver_now(delivery, webhook))


@router.post("/{webhook_id}/enable", summary="Deliver again to a receiver that was disabled")
async def enable_webhook(
    services: ServicesDependency, principal: Admin, webhook_id: WebhookIdPath
) -> WebhookModel:
    """Journalled. A receiver is disabled when it answers 410; `replays` sends what it missed."""
    webhook = await services.ledger.webhooks.enable(
        principal.tenant_id,
        WebhookId(webhook_id),
        actor=principal.actor,
        at=services.clock.now(),
    )
    return WebhookModel.of(webhook)


@router.post("/{webhook_id}/replays", summary="Send deliveries again")
async def replay_deliveries(
    services: ServicesDependency,
    principal: Admin,
    webhook_id: WebhookIdPath,
    body: ReplayDeliveries,
) -> ReplayedDeliveries:
    """Journalled. Under their ids: receivers that deduplicate take what they have not seen."""
    if (body.delivery_id is None) == (body.since is None):
        raise InputError("replay either one delivery_id, or all since a moment")
    count = await services.ledger.webhooks.replay(
        principal.tenant_id,
        WebhookId(webhook_id),
        delivery_id=body.delivery_id,
        since=body.since,
        actor=principal.actor,
        at=services.clock.now(),
    )
    return ReplayedDeliveries(count=count)


async def _find(services: ServicesDependency, principal: Admin, webhook_id: str) -> Webhook:
    for webhook in await services.ledger.webhooks.list(principal.tenant_id):
        if webhook.id == webhook_id:
            return webhook
    raise NotFoundError(f"no webhook {webhook_id!r}")


def _secret(given: str | None) -> str:
    return given or "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
