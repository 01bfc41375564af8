"""`/healthz`, `/readyz`, `/metrics`: for orchestrators and Prometheus, without a key."""

from __future__ import annotations

from collections import Counter

from fastapi import APIRouter, Response, status
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel

from domain.documents import DocumentStatus
from gateway.http.dependencies import ServicesDependency

router = APIRouter(tags=["operations"])


class Health(BaseModel):
    status: str


class Readiness(BaseModel):
    """`dependencies` names each one and says `ok`, or in one word what is wrong."""

    ready: bool
    dependencies: dict[str, str]


@router.get("/healthz", summary="The process runs")
async def healthz() -> Health:
    return Health(status="ok")


@router.get(
    "/readyz",
    summary="Every dependency, by name",
    responses={503: {"model": Readiness, "description": "A dependency does not answer"}},
)
async def readyz(services: ServicesDependency, response: Response) -> Readiness:
    dependencies = await services.check_dependencies()
    ready = all(state == "ok" for name, state in dependencies.items() if name != "calibration")
    if not ready:
        response.status_code = status.HTTP_503_SERVICE_UNAVAILABLE
    return Readiness(ready=ready, dependencies=dependencies)


@router.get(
    "/metrics",
    summary="Prometheus metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}},
)
async def metrics(services: ServicesDependency) -> Response:
    counts: Counter[DocumentStatus] = Counter()
    tenants = await services.ledger.documents.tenants()
    await services.metrics.alerts.read(services.ledger, tenants, now=services.clock.now())
    for tenant_id in tenants:
        counts.update(await services.ledger.documents.count_by_status(tenant_id))
    services.metrics.documents(counts)
    services.metrics.queues(services.query.queue_depths())
    services.metrics.model_servers(await services.model_loads())
    return Response(services.metrics.render(), media_type=CONTENT_TYPE_LATEST)
