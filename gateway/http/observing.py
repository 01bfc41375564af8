"""What every answer goes through: an id, headers, a count, a span, a log line, a last resort."""

from __future__ import annotations

import time
from collections.abc import MutableMapping
from typing import Any, Final

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.http.openai_errors import reshaped
from gateway.http.problems import unexpected
from runtime.wiring import Services

HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}

_SENT: Final = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
"""As ASGI has them: a mapping of them would be searched and encoded anew for each answer."""
_STRICT: Final = (b"strict-transport-security", b"max-age=31536000")

_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"})


class ObservingMiddleware:
    """The outermost: what another middleware refuses, or what nobody foresaw, is observed alike.

    Not Starlette's function middleware: that runs the rest in a task of its own, where the caller
    bound to the log is lost, and it never sees the answer to an unexpected error.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        services: Services = scope["app"].state.services
        request_id = services.ids.new("req")
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request=request_id)
        began = time.perf_counter()
        started = False

        async def observed(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                ours = [*_SENT, (b"x-request-id", request_id.encode())]
                if scope.get("scheme") == "https":
                    ours.append(_STRICT)
                named = {name for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(pair for pair in ours if pair[0] not in named),
                ]
                _record(services, scope, int(message["status"]), time.perf_counter() - began)
            await send(message)

        told = reshaped(scope, observed)
        carried = {
            name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]
        }
        try:
            with services.tracing.span("http.request", carried=carried):
                await self._app(scope, receive, told)
        except Exception as exc:
            # The outermost edge. Not raised again: the server would log its message, which may
            # hold what a document says.
            response = unexpected(exc, route=_template(scope))
            if not started:
                await response(scope, receive, told)


def _record(services: Services, scope: Scope, status: int, seconds: float) -> None:
    # A method is free text of the caller; only known ones may become a metric's label.
    method = scope["method"] if scope["method"] in _METHODS else "other"
    route = _template(scope)
    services.metrics.request(method, route, status, seconds)
    structlog.get_logger("gateway.http").info(
        "request_answered",
        method=method,
        route=route,
        status=status,
        milliseconds=round(seconds * 1000, 1),
    )


def _template(scope: MutableMapping[str, Any]) -> str:
    """Return the route's pattern, not the path: ids in paths would make a metric a request."""
    return str(getattr(scope.get("route"), "path", "unmatched"))
