"""The FastAPI application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Final

from fastapi import FastAPI

from gateway.http.limits import BodyLimitMiddleware, Pace
from gateway.http.observing import ObservingMiddleware
from gateway.http.problems import RESPONSES, install
from gateway.http.routes import (
    alerts,
    audit,
    chat,
    documents,
    feedback,
    health,
    incidents,
    origins,
    policy,
    publishers,
    questions,
    retrieval,
    scans,
    suppressions,
    topics,
    traces,
    webhooks,
)
from runtime.audit import audit_keys
from runtime.heap import settled_heap
from runtime.settings import Settings
from runtime.settings_audit import record_settings
from runtime.wiring import Services, build_services

_DESCRIPTION: Final = (
    "A secure ingestion and poisoning-defence gateway for retrieval-augmented generation. "
    "Errors are application/problem+json (RFC 9457)."
)


def create_app(
    settings: Settings, *, broker_url: str = "", services: Services | None = None
) -> FastAPI:
    """Build the application; services are built at start-up unless given (they are then not closed).

    Args:
        settings: The configuration in force.
        broker_url: Where the broker is; needed unless `services` is given.
        services: Ready-made services, e.g. in-memory ones.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        if services is not None:
            app.state.services = services
            yield
            return
        built = await build_services(settings, broker_url=broker_url)
        app.state.services = built
        await record_settings(
            settings,
            built.ledger.journal,
            audit_keys(settings).current,
            policy_version=built.trust.policy.version,
            clock=built.clock,
        )
        await built.warm_up()
        try:
            with settled_heap():
                yield
        finally:
            await built.close()

    app = FastAPI(
        title="Mithridate",
        version=version("mithridate"),
        description=_DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        # A redirect would be built from the Host header, which the caller writes.
        redirect_slashes=False,
        responses=RESPONSES,
        generate_unique_id_function=lambda route: route.name,
    )
    install(app)
    for module in (
        documents,
        scans,
        policy,
        suppressions,
        questions,
        feedback,
        chat,
        retrieval,
        origins,
        publishers,
        alerts,
        traces,
        incidents,
        topics,
        webhooks,
        audit,
        health,
    ):
        app.include_router(module.router)
    # The last one added is the outermost.
    app.add_middleware(
        BodyLimitMiddleware,
        max_bytes=settings.server.max_body_bytes,
        pace=Pace(
            seconds=settings.server.body_seconds,
            bytes_per_second=settings.server.body_bytes_per_second,
        ),
    )
    app.add_middleware(ObservingMiddleware)
    return app
