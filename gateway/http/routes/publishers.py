"""`/v1/publishers`: keys by whose signatures documents are known (Law 1)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, status

from defences.trust.signing import encode_key, read_public_key
from domain.publishing import PublisherKey
from gateway.http.auth import Admin
from gateway.http.dependencies import ServicesDependency
from gateway.http.models_documents import ORIGIN_ID, ReasonRequest
from gateway.http.models_trust import (
    PublisherKeyList,
    PublisherKeyModel,
    PublisherKeyRequest,
)

router = APIRouter(prefix="/v1/publishers", tags=["origins"])

PublisherPath = Annotated[str, Path(pattern=ORIGIN_ID)]
KeyIdPath = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")]


@router.get("", summary="List publishers' keys, revoked ones too")
async def list_publishers(services: ServicesDependency, principal: Admin) -> PublisherKeyList:
    found = await services.ledger.publishers.list(principal.tenant_id)
    return PublisherKeyList(items=[_model(key) for key in found])


@router.post("", status_code=status.HTTP_201_CREATED, summary="Configure a publisher's key")
async def add_publisher(
    services: ServicesDependency, principal: Admin, body: PublisherKeyRequest
) -> PublisherKeyModel:
    """Vouch for a publisher by its key. From then on its documents need its signature."""
    key = await services.trust.publishers.add(
        principal.tenant_id,
        body.publisher,
        read_public_key(body.public_key),
        reason=body.reason,
        actor=principal.actor,
    )
    return _model(key)


@router.post("/{publisher}/keys/{key_id}/revoke", summary="End a key, with a reason")
async def revoke_publisher_key(
    services: ServicesDependency,
    principal: Admin,
    publisher: PublisherPath,
    key_id: KeyIdPath,
    body: ReasonRequest,
) -> PublisherKeyModel:
    """End a key. With the last one the vouching ends; what was admitted is the pool's then."""
    key = await services.trust.publishers.revoke(
        principal.tenant_id, publisher, key_id, reason=body.reason, actor=principal.actor
    )
    return _model(key)


def _model(key: PublisherKey) -> PublisherKeyModel:
    return PublisherKeyModel.of(key, encoded=encode_key(key.public_key))
