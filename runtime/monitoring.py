"""The observer, the monitor and the delivery of alerts, from `Settings`."""

from __future__ import annotations

from functools import partial
from random import SystemRandom

from domain.clock import Clock, IdFactory
from domain.documents import BlobStore
from domain.ledger import Ledger
from domain.monitoring import WebhookSender
from domain.retrieval import Embedder
from domain.verification import LatencyClass
from ingest.neighbours import text_of
from monitors.deliveries import DeliveryPump
from monitors.known_topics import TopicOptions
from monitors.latency import LatencyMonitor, LatencyOptions
from monitors.observer import Observer
from monitors.stream import StreamOptions
from monitors.stream_monitor import StreamMonitor
from monitors.upload_topics import UploadTopics
from runtime.settings import Settings


def build_observer(settings: Settings, *, ledger: Ledger, ids: IdFactory) -> Observer:
    monitors = settings.monitors
    return Observer(
        ledger.observations,
        ids=ids,
        options=TopicOptions(similarity=monitors.topic_similarity, max_topics=monitors.max_topics),
        definitions=ledger.topic_definitions,
    )


def build_monitor(settings: Settings, *, ledger: Ledger, ids: IdFactory) -> StreamMonitor:
    return StreamMonitor(
        ledger.observations,
        ledger.alerts,
        ids=ids,
        options=StreamOptions(window=settings.monitors.window),
    )


def build_latency_monitor(settings: Settings, *, ledger: Ledger, ids: IdFactory) -> LatencyMonitor:
    latency = settings.answering.latency
    return LatencyMonitor(
        ledger.observations,
        ledger.alerts,
        ids=ids,
        options=LatencyOptions(
            budgets={each: latency.of(each).budget_seconds for each in LatencyClass}
        ),
    )


def build_deliveries(
    settings: Settings, *, ledger: Ledger, clock: Clock, sender: WebhookSender
) -> DeliveryPump:
    return DeliveryPump(
        webhooks=ledger.webhooks,
        sender=sender,
        clock=clock,
        random=SystemRandom(),
        max_attempts=settings.webhooks.max_attempts,
    )


def build_upload_topics(
    settings: Settings, *, ledger: Ledger, embedder: Embedder, blobs: BlobStore
) -> UploadTopics:
    return UploadTopics(
        observations=ledger.observations,
        embedder=embedder,
        read=partial(text_of, blobs),
        similarity=settings.monitors.topic_similarity,
    )
