"""`/v1/topics`: what questions are watched together, and which topics an administrator defines."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, status

from domain.monitoring import TopicId
from gateway.http.auth import Admin, Reviewer
from gateway.http.dependencies import ServicesDependency
from gateway.http.models_documents import IDENTIFIER, ReasonRequest
from gateway.http.models_topics import TopicList, TopicModel, TopicRequest
from monitors.defined_topics import define_topic
from monitors.detectors.registry import CONTESTED
from monitors.standing import firing

router = APIRouter(prefix="/v1/topics", tags=["topics"])

TopicPath = Annotated[str, Path(pattern=IDENTIFIER)]


@router.get("", summary="List topics, defined ones first, merged and removed ones too")
async def list_topics(services: ServicesDependency, principal: Reviewer) -> TopicList:
    """Terms are words of askers' questions: that is why receivers of alerts get ids alone."""
    ledger, tenant_id = services.ledger, principal.tenant_id
    topics = {one.id: one for one in await ledger.observations.topics(tenant_id)}
    contested = {
        alert.labels.get("topic") async for alert in firing(ledger.alerts, tenant_id, CONTESTED)
    }
    defined = await ledger.topic_definitions.list(tenant_id)
    pairs = [
        *((topics.pop(one.id, None), one) for one in defined),
        *((one, None) for one in topics.values()),
    ]
    return TopicList(
        items=[
            TopicModel.of(topic, definition, contested=topic is not None and topic.id in contested)
            for topic, definition in pairs
        ]
    )


@router.post("", status_code=status.HTTP_201_CREATED, summary="Define a topic by filter")
async def add_topic(
    services: ServicesDependency, principal: Admin, body: TopicRequest
) -> TopicModel:
    """Journalled. Within half a minute each question that it covers is watched there.

    The question alone decides: what documents or their uploaders say never selects a monitor.
    """
    definition = await define_topic(
        services.ledger.topic_definitions,
        principal.tenant_id,
        name=body.name,
        about=body.about,
        reason=body.reason,
        actor=principal.actor,
        clock=services.clock,
        ids=services.ids,
    )
    return TopicModel.of(None, definition)


@router.post("/{topic_id}/remove", summary="End a defined topic, with a reason")
async def remove_topic(
    services: ServicesDependency, principal: Admin, topic_id: TopicPath, body: ReasonRequest
) -> TopicModel:
    """Journalled. Its questions go where they are alike; what was observed stays under its id."""
    removed = await services.ledger.topic_definitions.remove(
        principal.tenant_id,
        TopicId(topic_id),
        reason=body.reason,
        actor=principal.actor,
        at=services.clock.now(),
    )
    return TopicModel.of(None, removed)
