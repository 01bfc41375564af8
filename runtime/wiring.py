"""Builds the object graph from `Settings`. The only package that knows every concrete class."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

import httpx

from backends.alert_sinks import SinkSender
from backends.answer_cache_redis import RedisAnswerCache, RedisEvidenceStamps
from backends.citations.cache_redis import RedisCitationCache
from backends.clock import SystemClock
from backends.guarded_post import GuardedPoster
from backends.ids import RandomIds
from backends.jobs_celery import CeleryJobQueue
from backends.llm.server_metrics import ServerLoad, ServerWatch
from backends.locks_redis import RedisLock, RedisRateLimiter
from backends.near_duplicates_redis import RedisNearDuplicateIndex
from backends.redis_clients import opened_redis
from backends.stamped_vectors import StampedVectorStore
from backends.webhook_http import HttpWebhookSender, check_url
from defences.retrieval.shingles import SCHEME
from domain.clock import Clock, IdFactory
from domain.decomposition import Decomposer
from domain.documents import BlobStore
from domain.errors import MithridateError, TransientError
from domain.jobs import JobQueue, Lock
from domain.ledger import Ledger
from domain.limits import RateLimiter
from domain.retrieval import Embedder, NearDuplicateIndex, VectorStore
from domain.stages import UNOBSERVED
from gateway.query.multi_hop import MultiHop
from gateway.query.pipeline import QueryPipeline
from ingest.containing import ContainmentDesk
from ingest.offences import OffendingCopies
from ingest.origins import OriginDesk
from ingest.pipeline import IngestPipeline
from ingest.review import ReviewDesk
from monitors.calibration_drift import CalibrationDriftMonitor
from monitors.deliveries import DeliveryPump
from monitors.ingestion import IngestionMonitor
from monitors.invariants import InvariantMonitor
from monitors.latency import LatencyMonitor
from monitors.observer import Observer
from monitors.routing import AlertDispatcher
from monitors.stream_monitor import StreamMonitor
from monitors.traceback import Traceback
from monitors.upload_topics import UploadTopics
from runtime.access import build_doorkeeper
from runtime.alerts import build_dispatcher, build_sinks, sink_rows
from runtime.answer_cache import KeptAnswers
from runtime.answering import build_decomposer, build_query, model_urls
from runtime.audit import Checkpointer, audit_keys, build_checkpointer
from runtime.backpressure import BackPressure
from runtime.citations import build_citation_lookup
from runtime.doorkeeping import Doorkeeper
from runtime.home import open_ledger
from runtime.ingestion import TrustServices, build_ingestion
from runtime.metrics import Metrics
from runtime.monitoring import (
    build_deliveries,
    build_latency_monitor,
    build_monitor,
    build_observer,
    build_upload_topics,
)
from runtime.outbox import OutboxRelay
from runtime.secrets import instance_secret
from runtime.settings import Settings
from runtime.storage import build_blobs, build_embedder, build_vectors, close_vectors
from runtime.traceback import build_traceback
from runtime.tracing import Tracing, Untraced, build_tracing
from runtime.web import build_web

_CHECK_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Everything that the doors and the workers call. One a process, on one event loop."""

    settings: Settings
    clock: Clock
    ids: IdFactory
    ledger: Ledger
    blobs: BlobStore
    vectors: VectorStore
    near_duplicates: NearDuplicateIndex
    embedder: Embedder
    ingest: IngestPipeline
    review: ReviewDesk
    origins: OriginDesk
    trust: TrustServices
    query: QueryPipeline
    answers: KeptAnswers
    observer: Observer
    monitor: StreamMonitor
    upload_topics: UploadTopics
    latency_monitor: LatencyMonitor
    deliveries: DeliveryPump
    relay: OutboxRelay
    queue: JobQueue
    lock: Lock
    rate_limiter: RateLimiter
    doorkeeper: Doorkeeper
    pressure: BackPressure
    metrics: Metrics
    closing: AsyncExitStack
    decomposer: Decomposer | None = None
    tracing: Tracing = field(default_factory=Untraced)
    watch: ServerWatch | None = None

    @property
    def drift_monitor(self) -> CalibrationDriftMonitor:
        """Remembers nothing, so that it can be made when it is asked."""
        return CalibrationDriftMonitor(self.ledger.feedback, self.ledger.alerts, ids=self.ids)

    @property
    def dispatcher(self) -> AlertDispatcher:
        """Remembers nothing either."""
        return build_dispatcher(self.settings, ledger=self.ledger, clock=self.clock)

    @property
    def checkpointer(self) -> Checkpointer:
        return build_checkpointer(self.settings, journal=self.ledger.journal, clock=self.clock)

    @property
    def ingestion_monitor(self) -> IngestionMonitor:
        """Remembers nothing either."""
        return IngestionMonitor(
            self.ledger.documents, self.ledger.alerts, ids=self.ids, topics=self.upload_topics
        )

    @property
    def invariant_monitor(self) -> InvariantMonitor:
        """Keeps in the ledger how far it has come."""
        return InvariantMonitor(
            documents=self.ledger.documents,
            journal=self.ledger.journal,
            alerts=self.ledger.alerts,
            states=self.ledger.observations,
            vectors=self.vectors,
            audit_keys=audit_keys(self.settings),
            ids=self.ids,
            verdict_within=timedelta(seconds=self.settings.monitors.verdict_seconds),
        )

    @property
    def containment(self) -> ContainmentDesk:
        """Remembers nothing either."""
        return ContainmentDesk(
            ledger=self.ledger,
            pipeline=self.ingest,
            copies=OffendingCopies(
                ledger=self.ledger, blobs=self.blobs, index=self.near_duplicates
            ),
            clock=self.clock,
            ids=self.ids,
        )

    @property
    def traceback(self) -> Traceback:
        """Remembers nothing either."""
        return build_traceback(self.settings, hops=self.hops)

    @property
    def hops(self) -> MultiHop:
        """The question path, in hops where a question needs them."""
        return MultiHop(
            self.query,
            decomposer=self.decomposer,
            embedder=self.embedder,
            timeout_seconds=self.settings.answering.timeout_seconds,
        )

    async def model_loads(self) -> Sequence[ServerLoad]:
        """Return what the configured model servers told of themselves lately."""
        return () if self.watch is None else await self.watch.loads()

    async def close(self) -> None:
        await self.closing.aclose()

    async def warm_up(self) -> None:
        """Load what takes seconds to load before the first caller waits for it."""
        await self.check_dependencies()

    async def check_dependencies(self) -> Mapping[str, str]:
        """Ask each dependency; `ok`, or one word for what is wrong."""
        checks: dict[str, Callable[[], Awaitable[object]]] = {
            "database": self.ledger.ping,
            "broker": lambda: asyncio.to_thread(self.queue.ping),
            "index": self.vectors.ping,
            "embedder": lambda: self.embedder.embed(["ready"]),
        }
        states = await asyncio.gather(*(_state(check) for check in checks.values()))
        named = dict(zip(checks, states, strict=True))
        named["calibration"] = "ok" if self.query.calibrated() else "uncalibrated"
        return named

    async def release_quietly(self, name: str) -> None:
        """Let go of a lock; if its store is down the lease ends it."""
        try:
            await self.lock.release(name)
        except TransientError:
            return

    def check_webhook_url(self, url: str) -> None:
        """Refuse an address that would never be delivered to.

        Raises:
            InputError: Not https, or private, where the settings do not allow it.
        """
        check_url(url, allow_private_networks=self.settings.webhooks.allow_private_networks)


async def build_services(settings: Settings, *, broker_url: str) -> Services:
    """Build and connect everything; the ledger must have been migrated (`prepare_home`).

    Raises:
        ConfigurationError: A policy, model, artefact or backend is not usable as configured.
    """
    closing = AsyncExitStack()
    clock = SystemClock()
    ids = RandomIds(clock)
    ledger = open_ledger(settings, clock=clock, ids=ids)
    closing.push_async_callback(ledger.close)
    state = settings.queue.state_url
    redis = await closing.enter_async_context(
        opened_redis(
            broker_url if state is None else state.get_secret_value(),
            ca_path=settings.queue.ca_path,
        )
    )
    tracing = build_tracing(settings.tracing)
    closing.callback(tracing.close)
    http = await closing.enter_async_context(
        httpx.AsyncClient(follow_redirects=False, event_hooks={"request": [tracing.sent]})
    )
    blobs = build_blobs(settings)
    embedder = build_embedder(settings.embedder, http)
    stored = build_vectors(settings, dimensions=embedder.dimensions)
    closing.push_async_callback(close_vectors, stored)
    stamps = RedisEvidenceStamps(redis)
    vectors = StampedVectorStore(stored, stamps)
    await ledger.webhooks.synchronise(sink_rows(settings, at=clock.now()), at=clock.now())
    queue = CeleryJobQueue(
        broker_url=broker_url,
        visibility_timeout_seconds=settings.queue.visibility_timeout_seconds,
        ca_path=settings.queue.ca_path,
    )
    near_duplicates = RedisNearDuplicateIndex(redis, SCHEME)
    ingestion = build_ingestion(
        settings,
        ledger=ledger,
        blobs=blobs,
        vectors=vectors,
        embedder=embedder,
        near_duplicates=near_duplicates,
        clock=clock,
        lock=RedisLock(redis),
        citations=build_citation_lookup(
            settings.ingest.citations,
            cache=RedisCitationCache(redis, clock=clock),
            rate_limiter=RedisRateLimiter(redis),
            clock=clock,
        ),
    )
    query = await build_query(
        settings,
        embedder=embedder,
        vectors=vectors,
        clock=clock,
        secret=instance_secret(settings),
        http=http,
        web=build_web(settings.web_search, ingestion=ingestion, clock=clock),
        batches=tracing.stages(UNOBSERVED),
    )
    watch = ServerWatch(model_urls(settings), http)
    closing.push_async_callback(watch.close)
    return Services(
        settings=settings,
        clock=clock,
        ids=ids,
        ledger=ledger,
        blobs=blobs,
        vectors=vectors,
        near_duplicates=near_duplicates,
        embedder=embedder,
        ingest=ingestion.pipeline,
        review=ingestion.review,
        origins=ingestion.origins,
        trust=ingestion.trust,
        query=query,
        answers=KeptAnswers(
            RedisAnswerCache(redis, clock=clock), stamps, query=query, settings=settings
        ),
        observer=build_observer(settings, ledger=ledger, ids=ids),
        monitor=build_monitor(settings, ledger=ledger, ids=ids),
        upload_topics=build_upload_topics(settings, ledger=ledger, embedder=embedder, blobs=blobs),
        latency_monitor=build_latency_monitor(settings, ledger=ledger, ids=ids),
        deliveries=build_deliveries(
            settings,
            ledger=ledger,
            clock=clock,
            sender=SinkSender(
                HttpWebhookSender(
                    GuardedPoster(
                        allow_private_networks=settings.webhooks.allow_private_networks,
                        timeout_seconds=settings.webhooks.timeout_seconds,
                    )
                ),
                build_sinks(settings),
            ),
        ),
        relay=OutboxRelay(
            outbox=ledger.outbox, documents=ledger.documents, queue=queue, clock=clock
        ),
        queue=queue,
        lock=RedisLock(redis),
        rate_limiter=RedisRateLimiter(redis),
        doorkeeper=build_doorkeeper(
            settings.access, keys=ledger.keys, limiter=RedisRateLimiter(redis), clock=clock
        ),
        pressure=BackPressure(
            documents=ledger.documents,
            limiter=RedisRateLimiter(redis),
            clock=clock,
            settings=settings.queue,
        ),
        metrics=Metrics(),
        closing=closing,
        decomposer=build_decomposer(settings, http=http),
        tracing=tracing,
        watch=watch,
    )


async def _state(check: Callable[[], Awaitable[object]]) -> str:
    try:
        await asyncio.wait_for(check(), _CHECK_SECONDS)
    except TimeoutError:
        return "timeout"
    except MithridateError as exc:
        return exc.code
    except Exception:  # the edge: whatever a client library raises, the check has failed
        return "failed"
    return "ok"
