"""The FastAPI application."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any, Final

import structlog
from fastapi import FastAPI, Request, Response

from gateway.http.limits import BodyLimitMiddleware
from gateway.http.problems import RESPONSES, install
from gateway.http.routes import alerts, documents, health, origins, questions, scans
from runtime.settings import Settings
from runtime.wiring import Services, build_services

_DESCRIPTION: Final = (
    "A secure ingestion and poisoning-defence gateway for retrieval-augmented generation. "
    "Errors are application/problem+json (RFC 9457)."
)

_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
}


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
        try:
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
        responses=RESPONSES,
    )
    install(app)
    for module in (documents, scans, questions, origins, alerts, health):
        app.include_router(module.router)
    app.middleware("http")(_observe)
    app.add_middleware(BodyLimitMiddleware, max_bytes=settings.server.max_body_bytes)
    return app


async def _observe(
    request: Request, call_next: Callable[[Request], Awaitable[Response]]
) -> Response:
    """Count and time the request, bind its id to every log line, set the security headers."""
    services: Services = request.app.state.services
    request_id = services.ids.new("req")
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(request=request_id)
    began = time.perf_counter()
    response = await call_next(request)
    seconds = time.perf_counter() - began
    route = _template(request.scope)
    services.metrics.request(request.method, route, response.status_code, seconds)
    for name, value in {**_HEADERS, "X-Request-Id": request_id}.items():
        response.headers.setdefault(name, value)
    structlog.get_logger("gateway.http").info(
        "request_answered",
        method=request.method,
        route=route,
        status=response.status_code,
        milliseconds=round(seconds * 1000, 1),
    )
    return response


def _template(scope: MutableMapping[str, Any]) -> str:
    """The route's pattern, not the path: ids in paths would make a metric a request."""
    route = scope.get("route")
    return str(getattr(route, "path", "unmatched"))
