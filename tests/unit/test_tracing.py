"""Spans, with the SDK's own exporter in memory; skipped where the extra `otel` is not installed."""

from __future__ import annotations

import httpx
import pytest

from domain.answering import LadderStep, Rung
from domain.errors import ConfigurationError
from domain.stages import UNOBSERVED, StageReport
from runtime.settings import TracingSettings
from runtime.tracing import OpenTelemetry, Untraced, build_tracing

pytestmark = pytest.mark.anyio

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


class Collected:
    """Tracing into memory."""

    def __init__(self, *, content: bool = False) -> None:
        trace = pytest.importorskip("opentelemetry.sdk.trace")
        export = pytest.importorskip("opentelemetry.sdk.trace.export")
        memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
        self.exporter = memory.InMemorySpanExporter()
        provider = trace.TracerProvider()
        provider.add_span_processor(export.SimpleSpanProcessor(self.exporter))
        self.tracing = OpenTelemetry(provider, content=content)

    def shown(self) -> str:
        return " ".join(span.to_json() for span in self.exporter.get_finished_spans())


def test_stages_are_spans_inside_the_request_of_the_caller() -> None:
    collected = Collected()

    with collected.tracing.span("http.request", carried={"traceparent": PARENT, "cookie": "x"}):
        observer = collected.tracing.stages(UNOBSERVED)
        observer.reached(StageReport(stage="draft", seconds=0.25, counts={"drafts": 3}))
        observer.reached(
            StageReport(
                stage="rung", seconds=0.0, rung=Rung(step=LadderStep.FULL_RAG, result="answered")
            )
        )

    draft, rung, request = collected.exporter.get_finished_spans()
    assert format(request.context.trace_id, "032x") == PARENT.split("-")[1]
    assert format(request.parent.span_id, "016x") == PARENT.split("-")[2]
    assert draft.parent.span_id == rung.parent.span_id == request.context.span_id
    assert draft.name == "question.draft"
    assert draft.attributes == {"mithridate.drafts": 3}
    assert draft.end_time - draft.start_time == pytest.approx(0.25e9)
    assert rung.attributes["mithridate.step"] == "full-rag"
    assert "cookie" not in collected.shown()


@pytest.mark.parametrize("carried", [{}, {"traceparent": "nonsense"}, {"traceparent": ""}])
def test_a_caller_that_names_no_span_begins_a_trace(carried: dict[str, str]) -> None:
    collected = Collected()

    with collected.tracing.span("http.request", carried=carried):
        pass

    (request,) = collected.exporter.get_finished_spans()
    assert request.parent is None


@pytest.mark.parametrize("content", [False, True])
def test_content_stands_in_spans_only_where_it_is_asked_for(content: bool) -> None:
    collected = Collected(content=content)

    with collected.tracing.span("http.request"):
        collected.tracing.question("With what does the safe open?")

    assert ("safe" in collected.shown()) is content


def test_an_error_is_named_and_its_message_is_not() -> None:
    collected = Collected()

    with (
        pytest.raises(ValueError, match="4711"),
        collected.tracing.span("document.scan", facts={"mithridate.document": "doc_1"}),
    ):
        raise ValueError("the safe opens with 4711")

    assert "4711" not in collected.shown()
    (span,) = collected.exporter.get_finished_spans()
    assert span.attributes == {"mithridate.document": "doc_1", "error.type": "ValueError"}


async def test_our_span_is_named_to_who_is_asked() -> None:
    collected = Collected()
    request = httpx.Request("POST", "http://model.test/v1/completions")

    with collected.tracing.span("http.request", carried={"traceparent": PARENT}):
        await collected.tracing.sent(request)

    assert request.headers["traceparent"].split("-")[1] == PARENT.split("-")[1]
    assert request.headers["traceparent"] != PARENT


async def test_without_a_collector_nothing_is_made_or_sent() -> None:
    tracing = build_tracing(TracingSettings())
    request = httpx.Request("POST", "http://model.test/v1/completions")

    with tracing.span("http.request", carried={"traceparent": PARENT}):
        await tracing.sent(request)

    assert isinstance(tracing, Untraced)
    assert tracing.stages(UNOBSERVED) is UNOBSERVED
    assert "traceparent" not in request.headers


def test_a_collector_without_the_extra_is_refused_with_what_to_install() -> None:
    try:
        import opentelemetry.exporter.otlp.proto.http  # noqa: F401
    except ImportError:
        with pytest.raises(ConfigurationError, match="otel"):
            build_tracing(TracingSettings(endpoint="http://127.0.0.1:1/v1/traces"))
    else:
        build_tracing(TracingSettings(endpoint="http://127.0.0.1:1/v1/traces")).close()
