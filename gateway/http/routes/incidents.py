"""`/v1/incidents`: a dry run, then containment in one step; it can be undone."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Path, status

from domain.access import Principal
from domain.documents import DocumentId, OriginKind, OriginRef
from domain.errors import InputError, RateLimitedError
from domain.incidents import IncidentId
from domain.monitoring import AlertId
from domain.retrieval import FamilyId
from gateway.http.auth import Reviewer
from gateway.http.dependencies import ServicesDependency
from gateway.http.incident_views import dry_run, report
from gateway.http.models_documents import IDENTIFIER
from gateway.http.models_incidents import (
    ContainRequest,
    DryRun,
    IncidentList,
    IncidentModel,
    IncidentReport,
    IncidentRequest,
    UndoRequest,
)
from gateway.http.parameters import Limit
from gateway.http.tracing_back import trace_alert
from ingest.containing import Selection
from runtime.wiring import Services

router = APIRouter(prefix="/v1/incidents", tags=["incidents"])

DRY_RUNS_PER_MINUTE: Final = 10
"""A dry run asks questions again."""

IncidentPath = Annotated[str, Path(pattern=IDENTIFIER)]


@router.post("", status_code=status.HTTP_201_CREATED, summary="Open an incident: a dry run")
async def open_incident(
    services: ServicesDependency, principal: Reviewer, body: IncidentRequest
) -> DryRun:
    """Journalled. Says what would go and which answers change; nothing is touched."""
    selectors = (body.documents, body.alert_id, body.origin, body.family)
    ranged = body.since is not None or body.until is not None
    if sum(one is not None for one in selectors) + ranged != 1:
        raise InputError(
            "an incident is opened from one of documents, alert_id, origin, family, or a time range"
        )
    wait = await services.rate_limiter.take(
        f"incidents:{principal.key_id}", limit=DRY_RUNS_PER_MINUTE, window_seconds=60
    )
    if wait > 0:
        raise RateLimitedError(
            f"more than {DRY_RUNS_PER_MINUTE} incidents a minute", retry_after_seconds=wait
        )
    incident = await services.containment.open(
        principal.tenant_id,
        await _selection(services, principal, body),
        cause=_cause(body),
        reason=body.reason,
        actor=principal.actor,
    )
    return await dry_run(services, incident)


@router.get("", summary="List incidents, newest first")
async def list_incidents(
    services: ServicesDependency, principal: Reviewer, limit: Limit = 50
) -> IncidentList:
    found = await services.ledger.incidents.list(principal.tenant_id, limit=limit)
    return IncidentList(items=[IncidentModel.of(one) for one in found])


@router.get("/{incident_id}", summary="One incident")
async def get_incident(
    services: ServicesDependency, principal: Reviewer, incident_id: IncidentPath
) -> IncidentModel:
    found = await services.ledger.incidents.get(principal.tenant_id, IncidentId(incident_id))
    return IncidentModel.of(found)


@router.post("/{incident_id}/approve", summary="Approve an incident that another opened")
async def approve_incident(
    services: ServicesDependency, principal: Reviewer, incident_id: IncidentPath
) -> IncidentModel:
    """Journalled. Needed where much of a topic's established evidence goes."""
    after = await services.ledger.incidents.approve(
        principal.tenant_id,
        IncidentId(incident_id),
        actor=principal.actor,
        at=services.clock.now(),
    )
    return IncidentModel.of(after)


@router.post("/{incident_id}/contain", summary="Quarantine all of an incident in one step")
async def contain_incident(
    services: ServicesDependency,
    principal: Reviewer,
    incident_id: IncidentPath,
    body: ContainRequest,
) -> IncidentModel:
    """Journalled. From the next question on none of it is evidence, and its texts are denied."""
    after = await services.containment.contain(
        principal.tenant_id,
        IncidentId(incident_id),
        confirmed=[DocumentId(one) for one in body.confirm],
        actor=principal.actor,
    )
    return IncidentModel.of(after)


@router.post("/{incident_id}/undo", summary="Scan anew what an incident contained")
async def undo_incident(
    services: ServicesDependency, principal: Reviewer, incident_id: IncidentPath, body: UndoRequest
) -> IncidentModel:
    """Journalled. What passes the policy of today comes back; what others decided since stays."""
    after = await services.containment.undo(
        principal.tenant_id,
        IncidentId(incident_id),
        reason=body.reason,
        actor=principal.actor,
    )
    return IncidentModel.of(after)


@router.get("/{incident_id}/report", summary="Timeline, documents and answers to recall")
async def report_incident(
    services: ServicesDependency, principal: Reviewer, incident_id: IncidentPath
) -> IncidentReport:
    incident = await services.ledger.incidents.get(principal.tenant_id, IncidentId(incident_id))
    return await report(services, incident)


async def _selection(services: Services, principal: Principal, body: IncidentRequest) -> Selection:
    if body.alert_id is not None:
        traced = await trace_alert(services, principal, AlertId(body.alert_id))
        if not traced.suspects:
            raise InputError(f"alert {body.alert_id!r} is traced to no suspect")
        return Selection(suspects=tuple(DocumentId(one.document) for one in traced.suspects))
    origin = None
    if body.origin is not None:
        kind, _, name = body.origin.partition(":")
        origin = OriginRef(kind=OriginKind(kind), id=name)
    return Selection(
        documents=tuple(DocumentId(one) for one in body.documents or ()),
        origin=origin,
        family=None if body.family is None else FamilyId(body.family),
        since=body.since,
        until=body.until,
    )


def _cause(body: IncidentRequest) -> str:
    if body.alert_id is not None:
        return f"alert {body.alert_id}"
    if body.origin is not None:
        return f"origin {body.origin}"
    if body.family is not None:
        return f"family {body.family}"
    if body.documents is not None:
        return f"{len(body.documents)} named documents"
    since = "the beginning" if body.since is None else body.since.isoformat()
    until = "now" if body.until is None else body.until.isoformat()
    return f"admitted from {since} to {until}"
