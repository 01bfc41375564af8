"""Prometheus metrics of one process, with documented names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from backends.llm.server_metrics import ServerLoad
from domain.answering import AnswerResult
from domain.documents import DocumentStatus
from domain.queues import QueueDepth
from domain.usage import ModelRole
from domain.verification import LatencyClass
from runtime.watching import AlertGauges

_LATENCY_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)


class Metrics:
    """Counters of this process, and gauges read off the ledger when scraped."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.alerts = AlertGauges(self.registry)
        self._requests = Counter(
            "mithridate_http_requests_total",
            "Answered HTTP requests",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self._latency = Histogram(
            "mithridate_http_request_seconds",
            "Time to the response's start",
            ["route"],
            buckets=_LATENCY_BUCKETS,
            registry=self.registry,
        )
        self._questions = Counter(
            "mithridate_questions_total",
            "Questions by outcome and abstain reason",
            ["outcome", "reason"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "mithridate_question_seconds",
            "Time of whole answers by latency class",
            ["latency_class"],
            buckets=_LATENCY_BUCKETS,
            registry=self.registry,
        )
        self._missed = Counter(
            "mithridate_question_deadline_missed_total",
            "Questions that failed at the deadline of their latency class",
            ["latency_class"],
            registry=self.registry,
        )
        self._again = Counter(
            "mithridate_answers_given_again_total",
            "Questions answered from the cache",
            registry=self.registry,
        )
        self._stages = Histogram(
            "mithridate_question_stage_seconds",
            "Time of a question's stages",
            ["stage"],
            buckets=_LATENCY_BUCKETS,
            registry=self.registry,
        )
        self._disagreement = Histogram(
            "mithridate_question_disagreement",
            "Unweighted pairwise disagreement of the seats, in 0..1",
            buckets=(0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0),
            registry=self.registry,
        )
        self._diversity = Histogram(
            "mithridate_question_draft_diversity",
            "Share of pairs of a question's answering drafts that say different things, in 0..1",
            buckets=(0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1.0),
            registry=self.registry,
        )
        self._picked = Counter(
            "mithridate_question_picked_draft_total",
            "Answers by the number of the draft that they are; one number alone: drafts do no work",
            ["draft"],
            registry=self.registry,
        )
        self._queue = Gauge(
            "mithridate_model_queue",
            "Drafts or scoring jobs of this process that wait, and calls under way, by model",
            ["role", "state"],
            registry=self.registry,
        )
        self._server_up = self._server_gauge("up", "Whether the model server answered just now")
        self._server_requests = self._server_gauge(
            "requests", "Requests of the model server, by vLLM's own count", "state"
        )
        self._server_cache = self._server_gauge(
            "cache_usage_ratio", "Share of the model server's KV cache in use, in 0..1"
        )
        self._documents = Gauge(
            "mithridate_documents",
            "Documents in the ledger by status",
            ["status"],
            registry=self.registry,
        )

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        self._requests.labels(method, route, str(status)).inc()
        self._latency.labels(route).observe(seconds)

    def question(self, result: AnswerResult) -> None:
        reason = result.reason.value if result.reason else ""
        self._questions.labels(result.outcome.value, reason).inc()
        self._disagreement.observe(result.disagreement)
        self._seconds.labels(result.latency_class.value).observe(result.seconds)
        for timing in result.timings:
            self._stages.labels(timing.stage).observe(timing.seconds)
        sizes = [len(group.drafts) for group in result.groups]
        drafts = sum(sizes)
        if drafts > 1:
            alike = sum(size * (size - 1) for size in sizes) / (drafts * (drafts - 1))
            self._diversity.observe(1.0 - alike)
        if result.answer is not None and result.best is not None and result.best.drafts:
            self._picked.labels(str(result.best.drafts[0].draft.subset.index)).inc()

    def model_servers(self, loads: Sequence[ServerLoad]) -> None:
        """Set the gauges of model servers; what one does not tell is not there."""
        for gauge in (self._server_up, self._server_requests, self._server_cache):
            gauge.clear()
        for load in loads:
            self._server_up.labels(load.role, load.url).set(load.up)
            for state, count in (("running", load.running), ("waiting", load.waiting)):
                if count is not None:
                    self._server_requests.labels(load.role, load.url, state).set(count)
            if load.cache is not None:
                self._server_cache.labels(load.role, load.url).set(load.cache)

    def queues(self, depths: Mapping[ModelRole, QueueDepth]) -> None:
        """Set what waits for each model that has a queue."""
        self._queue.clear()
        for role, depth in depths.items():
            self._queue.labels(role.value, "waiting").set(depth.waiting)
            self._queue.labels(role.value, "under-way").set(depth.under_way)

    def _server_gauge(self, name: str, meaning: str, *labels: str) -> Gauge:
        return Gauge(
            f"mithridate_model_server_{name}",
            meaning,
            ["role", "server", *labels],
            registry=self.registry,
        )

    def answered_again(self) -> None:
        self._again.inc()

    def deadline_missed(self, latency_class: LatencyClass) -> None:
        self._missed.labels(latency_class.value).inc()

    def documents(self, counts: dict[DocumentStatus, int]) -> None:
        for status in DocumentStatus:
            self._documents.labels(status.value).set(counts.get(status, 0))

    def render(self) -> bytes:
        return generate_latest(self.registry)
