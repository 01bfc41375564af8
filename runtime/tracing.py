"""Spans by OpenTelemetry, where a collector is configured: a request, its stages, a scan.

Numbers and ids alone; the question's text only where `tracing.content` asks for it, a document's
never. The libraries are the extra `otel`; without a collector nothing of them is imported.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol

import httpx

from domain.errors import ConfigurationError
from domain.stages import StageObserver, StageReport
from runtime.settings import TracingSettings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

_NANOSECONDS: Final = 1_000_000_000
_CARRIED: Final = ("traceparent", "tracestate")


class Tracing(Protocol):
    """What doors and workers tell of what they do."""

    @contextmanager
    def span(
        self,
        name: str,
        *,
        carried: Mapping[str, str] | None = None,
        facts: Mapping[str, str | int] | None = None,
    ) -> Iterator[None]:
        """Time the block; `carried` are headers that may name the caller's span (W3C)."""
        ...

    def stages(self, inner: StageObserver) -> StageObserver:
        """Return an observer that makes a span of each stage, and tells `inner`."""
        ...

    def question(self, text: str) -> None:
        """Note the question on the span under way, where content is asked for."""
        ...

    async def sent(self, request: httpx.Request) -> None:
        """Name the span under way to who is asked: a hook of the HTTP client."""
        ...

    def close(self) -> None:
        """Send what is not sent yet."""
        ...


class Untraced:
    """Nobody collects."""

    @contextmanager
    def span(
        self,
        name: str,
        *,
        carried: Mapping[str, str] | None = None,
        facts: Mapping[str, str | int] | None = None,
    ) -> Iterator[None]:
        del name, carried, facts
        yield

    def stages(self, inner: StageObserver) -> StageObserver:
        return inner

    def question(self, text: str) -> None:
        del text

    async def sent(self, request: httpx.Request) -> None:
        del request

    def close(self) -> None:
        return


class OpenTelemetry:
    """Spans of a provider; whoever made it decides where they go."""

    def __init__(self, provider: TracerProvider, *, content: bool = False) -> None:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._provider = provider
        self._tracer = provider.get_tracer("mithridate")
        self._propagator = TraceContextTextMapPropagator()
        self._content = content

    @contextmanager
    def span(
        self,
        name: str,
        *,
        carried: Mapping[str, str] | None = None,
        facts: Mapping[str, str | int] | None = None,
    ) -> Iterator[None]:
        from opentelemetry.trace import SpanKind

        headers = {key: value for key, value in (carried or {}).items() if key in _CARRIED}
        parent = self._propagator.extract(headers) if headers else None
        with self._tracer.start_as_current_span(
            name,
            context=parent,
            kind=SpanKind.INTERNAL if carried is None else SpanKind.SERVER,
            attributes=dict(facts or {}),
            record_exception=False,  # a message may hold what a document says
            set_status_on_exception=False,
        ) as span:
            try:
                yield
            except BaseException as exc:
                span.set_attribute("error.type", type(exc).__name__)
                raise

    def stages(self, inner: StageObserver) -> StageObserver:
        return _StageSpans(self._tracer, inner)

    def question(self, text: str) -> None:
        from opentelemetry.trace import get_current_span

        if self._content:
            get_current_span().set_attribute("mithridate.question", text)

    async def sent(self, request: httpx.Request) -> None:
        carrier: dict[str, str] = {}
        self._propagator.inject(carrier)
        request.headers.update(carrier)

    def close(self) -> None:
        self._provider.shutdown()


class _StageSpans:
    """Makes a span of a stage that is over: it ends now and began its seconds ago."""

    def __init__(self, tracer: Tracer, inner: StageObserver) -> None:
        self._tracer = tracer
        self._inner = inner

    def reached(self, report: StageReport) -> None:
        ended = time.time_ns()
        attributes: dict[str, str | int] = {
            f"mithridate.{name}": count for name, count in report.counts.items()
        }
        if report.rung is not None:
            attributes["mithridate.step"] = report.rung.step.value
            attributes["mithridate.result"] = report.rung.result
        span = self._tracer.start_span(
            f"question.{report.stage}",
            attributes=attributes,
            start_time=ended - round(report.seconds * _NANOSECONDS),
        )
        span.end(end_time=ended)
        self._inner.reached(report)


def build_tracing(settings: TracingSettings) -> Tracing:
    """Build what sends spans to `tracing.endpoint`; nothing is collected where it is not set.

    Raises:
        ConfigurationError: It is set, and the extra `otel` is not installed.
    """
    if settings.endpoint is None:
        return Untraced()
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as exc:
        raise ConfigurationError(
            "tracing.endpoint needs the extra: pip install 'mithridate[otel]'"
        ) from exc
    provider = TracerProvider(resource=Resource.create({"service.name": settings.service_name}))
    exporter = OTLPSpanExporter(endpoint=settings.endpoint, timeout=settings.timeout_seconds)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return OpenTelemetry(provider, content=settings.content)
