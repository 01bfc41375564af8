"""`/v1/origins`: who is vouched for (Laws 1 and 2)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, status

from domain.documents import OriginKind, OriginRef
from gateway.http.auth import Admin
from gateway.http.dependencies import ServicesDependency
from gateway.http.models_documents import (
    ORIGIN_ID,
    DeclareRequest,
    EstablishRequest,
    NewOrigin,
    OriginDetail,
    OriginList,
    ReasonRequest,
)

router = APIRouter(prefix="/v1/origins", tags=["origins"])

OriginIdPath = Annotated[str, Path(pattern=ORIGIN_ID)]


@router.get("", summary="List origins")
async def list_origins(services: ServicesDependency, principal: Admin) -> OriginList:
    origins = await services.ledger.origins.list(principal.tenant_id)
    return OriginList(items=[OriginDetail.of_origin(origin) for origin in origins])


@router.post("", status_code=status.HTTP_201_CREATED, summary="Add an origin, unestablished")
async def add_origin(
    services: ServicesDependency, principal: Admin, new: NewOrigin
) -> OriginDetail:
    origin = await services.origins.add(
        principal.tenant_id, OriginRef(kind=new.kind, id=new.id), actor=principal.actor
    )
    return OriginDetail.of_origin(origin)


@router.post("/{kind}/{origin_id}/establish", summary="Vouch for an origin, with a reason")
async def establish(
    services: ServicesDependency,
    principal: Admin,
    kind: OriginKind,
    origin_id: OriginIdPath,
    body: EstablishRequest,
) -> OriginDetail:
    """Journalled. Every document of the origin changes sides in the index before this answers."""
    origin = await services.origins.establish(
        principal.tenant_id,
        OriginRef(kind=kind, id=origin_id),
        reviewed=body.reviewed,
        reason=body.reason,
        actor=principal.actor,
    )
    return OriginDetail.of_origin(origin)


@router.post("/{kind}/{origin_id}/revoke", summary="Take the vouching back, with a reason")
async def revoke(
    services: ServicesDependency,
    principal: Admin,
    kind: OriginKind,
    origin_id: OriginIdPath,
    body: ReasonRequest,
) -> OriginDetail:
    origin = await services.origins.revoke(
        principal.tenant_id,
        OriginRef(kind=kind, id=origin_id),
        reason=body.reason,
        actor=principal.actor,
    )
    return OriginDetail.of_origin(origin)


@router.post("/connector/{origin_id}/declare", summary="Say who may write to a connector's source")
async def declare(
    services: ServicesDependency, principal: Admin, origin_id: OriginIdPath, body: DeclareRequest
) -> OriginDetail:
    """Journalled. A source that anybody may write to is the pool's and cannot be vouched for."""
    origin = await services.origins.declare(
        principal.tenant_id,
        OriginRef(kind=OriginKind.CONNECTOR, id=origin_id),
        open_write=body.open_write,
        actor=principal.actor,
    )
    return OriginDetail.of_origin(origin)
