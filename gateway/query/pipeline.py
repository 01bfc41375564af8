"""The path of one question. Read this first.

    retrieve with quotas -> collapse families -> seats -> partition -> draft -> verify
        -> group -> weigh by provenance -> calibrate -> guard -> answer | escalate | abstain

Every number stands in the result, which is the trace. The Laws are carried out by `defences`.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import replace

from defences.answering.agreement import group_answers
from defences.answering.calibration import DEFAULT_TAU
from defences.answering.chorus import one_voice
from defences.answering.routing import survey
from defences.answering.second_look import heard
from defences.retrieval.families import collapse
from domain.answering import (
    AnswerResult,
    Calibrator,
    Drafter,
    Guard,
    PartitionMode,
    Question,
    Refiner,
    Rung,
    ScoredDraft,
    Verifier,
)
from domain.clock import Clock
from domain.documents import TenantId
from domain.errors import DeadlineError
from domain.queues import Queued, QueueDepth
from domain.retrieval import ANYTHING, ChunkSearch, Embedder, EvidenceFilter, Reranker, ScoredChunk
from domain.routing import Route, RouteReason, Way
from domain.stages import UNOBSERVED, StageObserver
from domain.usage import ModelRole, metered
from domain.verification import CrossExamination
from domain.web import WebEvidence
from gateway.query.drafting import draft_all, draft_counts
from gateway.query.ladder import Ladder
from gateway.query.options import AS_CONFIGURED, QueryOptions, Wishes
from gateway.query.refinement import refine
from gateway.query.results import Attempt, Inquiry, result_of
from gateway.query.retrieval import Retrieval, evidence_counts, reranked
from gateway.query.routing import Routing, deal_apart, find_way, long_way
from gateway.query.stages import Stages
from gateway.query.stopwatch import Stopwatch
from gateway.query.tolerated import permitted, rules_of, tolerance_of
from gateway.query.verification import SCORING, examine


class QueryPipeline:
    """Answers questions from admitted documents, or says honestly that it will not."""

    def __init__(
        self,
        *,
        embedder: Embedder,
        vectors: ChunkSearch,
        drafter: Drafter,
        verifier: Verifier,
        calibrators: Mapping[str, Calibrator],
        clock: Clock,
        secret: bytes,
        options: QueryOptions,
        large_model: Drafter | None = None,
        refiner: Refiner | None = None,
        reranker: Reranker | None = None,
        web: WebEvidence | None = None,
        routing: Routing | None = None,
        stages: Stages | None = None,
    ) -> None:
        self._embedder = embedder
        self._retrieval = Retrieval(vectors, reranker)
        self._drafter = drafter
        self._verifier = verifier
        self._calibrators = dict(calibrators)
        self._clock = clock
        self._secret = secret
        self._options = options
        self._large_model = large_model
        self._refiner = refiner
        self._ladder = Ladder(
            self._attempt,
            retrieval=self._retrieval,
            embedder=embedder,
            drafter=drafter,
            large_model=large_model,
            web=web,
        )
        self._routing = routing
        self._stages = stages or Stages()

    def configuration(
        self,
        mode: PartitionMode,
        *,
        m: int,
        k: int,
        drafter: str | None = None,
        cross_examination: CrossExamination | None = None,
        reordered: bool = True,
        route: Route = Route.LONG,
    ) -> str:
        """Name everything that shapes a score: what a calibration artefact is keyed by (Law 12).

        `reordered` False: the reranker, if there is one, did not answer.
        """
        reranker = self._retrieval.reranker if reordered else None
        scoring = SCORING[cross_examination or self._options.cross_examination]
        isolated = mode is PartitionMode.ISOLATED and route is Route.LONG
        plain = self._options.plain_seat and isolated
        return ";".join(
            [
                f"drafter={drafter or self._drafter.version}",
                f"verifier={self._verifier.version}",
                f"embedder={self._embedder.version}",
                f"scoring={scoring}",
                f"lift={self._options.lift_bound:g}",
                f"partition={mode.value}",
                f"m={m}",
                f"k={k}",
                f"route={route.value}",
                *([f"rerank={reranker}"] if reranker else []),
                *(["plain"] if plain else []),
            ]
        )

    def _key_of(
        self,
        way: Way,
        mode: PartitionMode,
        evidence: tuple[ScoredChunk, ...],
        options: QueryOptions,
        *,
        drafter: Drafter | None = None,
    ) -> str:
        return self.configuration(
            mode,
            m=way.m,
            k=way.k,
            drafter=(drafter or self._drafter_of(way)).version,
            cross_examination=options.cross_examination,
            reordered=reranked(evidence),
            route=way.route,
        )

    def _drafter_of(self, way: Way) -> Drafter:
        return (way.route is Route.STANDARD and self._large_model) or self._drafter

    def calibrator(self, configuration: str) -> Calibrator | None:
        """Return the calibrator fitted for exactly this configuration."""
        return self._calibrators.get(configuration)

    def tau(self, calibrator: Calibrator | None) -> float:
        """Return the threshold in force: as configured, else as fitted, else the default."""
        if self._options.tau is not None:
            return self._options.tau
        return calibrator.tau if calibrator is not None else DEFAULT_TAU

    def made_by(self) -> str:
        """Name all that answers are made by, the day's secret included (Law 15)."""
        made = hashlib.blake2b(self._key(), digest_size=32)
        parts = (self._drafter, self._verifier, self._embedder, self._large_model, self._refiner)
        versions = [part.version for part in parts if part is not None]
        fitted = [f"{key}:{one.version}" for key, one in sorted(self._calibrators.items())]
        for name in (*versions, self._retrieval.reranker or "", *fitted):
            made.update(f"{name}\0".encode())
        return made.hexdigest()

    def calibrated(self) -> bool:
        """Whether an artefact matches the default configuration; `/readyz` says so."""
        options = self._options
        key = self.configuration(PartitionMode.ISOLATED, m=options.m, k=options.k)
        return key in self._calibrators

    async def answer(
        self,
        question: Question,
        wishes: Wishes = AS_CONFIGURED,
        *,
        observer: StageObserver = UNOBSERVED,
    ) -> AnswerResult:
        """Answer one question; `observer` is told of each stage that is over.

        Raises:
            TransientError: Index or model did not answer, or the time ran out (`DeadlineError`).
            PermanentError: A model endpoint is not what was configured.
        """
        options = self._options.asked(question.text, wishes)
        try:
            with metered() as meter:
                async with asyncio.timeout(options.timeout_seconds):
                    watch = Stopwatch(self._clock, observer)
                    vector = (await self._embedder.embed([question.text]))[0]
                    watch.lap("embed")
                    inquiry = Inquiry(
                        question=question, options=options, watch=watch, vector=vector
                    )
                    return replace(await self._answer(inquiry), usage=meter.usage())
        except TimeoutError as exc:
            raise DeadlineError(f"no answer within {options.timeout_seconds:g} seconds") from exc

    def queue_depths(self) -> Mapping[ModelRole, QueueDepth]:
        """Return what waits for each model; those in this process have no queue."""
        parts: tuple[object, ...] = (self._drafter, self._verifier, self._large_model)
        roles = (ModelRole.DRAFTER, ModelRole.VERIFIER, ModelRole.LARGE)
        named = zip(roles, parts, strict=True)
        return {role: part.queue_depth() for role, part in named if isinstance(part, Queued)}

    def required_tolerance(self, text: str) -> int:
        """Return the tolerance that settings require of any answer to this question."""
        return self._options.required(text)

    async def evidence(
        self,
        text: str,
        *,
        tenant_id: TenantId,
        established_limit: int | None = None,
        pool_limit: int | None = None,
        min_trust: float = 0.0,
        only: EvidenceFilter = ANYTHING,
    ) -> tuple[ScoredChunk, ...]:
        """Return what a question would be drafted from, one voice a family; nothing is drafted.

        Limits only narrow those of the settings.

        Raises:
            TransientError: Index or embedder did not answer.
        """
        options = self._options
        most = (options.established_limit, options.pool_limit)
        asked = (established_limit, pool_limit)
        established, pool = (
            limit if wish is None else min(wish, limit)
            for wish, limit in zip(asked, most, strict=True)
        )
        vector = (await self._embedder.embed([text]))[0]
        found = await self._retrieval.find(
            text,
            text,
            vector,
            tenant_id=tenant_id,
            quotas=replace(
                options.quotas,
                established_limit=established,
                pool_limit=pool,
                min_trust=max(min_trust, options.min_trust),
                only=only,
            ),
        )
        return collapse(found)

    async def _answer(self, inquiry: Inquiry) -> AnswerResult:
        evidence = await self._retrieval.find(
            inquiry.question.text,
            inquiry.question.text,
            inquiry.vector,
            tenant_id=inquiry.question.tenant_id,
            quotas=inquiry.options.quotas,
        )
        inquiry.watch.lap("retrieve", **evidence_counts(evidence))
        way = await self._way(inquiry, evidence)
        attempt = await self._attempt(inquiry, evidence, self._drafter_of(way), way=way)
        if attempt.failed and way.short:
            way = long_way(
                survey(collapse(evidence)), inquiry.options, reason=RouteReason.UNSETTLED
            )
            attempt = await self._attempt(inquiry, evidence, self._drafter, way=way)
        ladder: tuple[Rung, ...] = ()
        if attempt.failed:
            climbed = await self._ladder.climb(inquiry, attempt)
            attempt, ladder = climbed.attempt, climbed.rungs
        result = result_of(
            inquiry,
            attempt,
            ladder,
            reranker=self._retrieval.reranker,
            verifier=self._verifier.version,
        )
        return await self._refined(inquiry, result)

    async def _way(self, inquiry: Inquiry, evidence: tuple[ScoredChunk, ...]) -> Way:
        options = inquiry.options

        def calibrated(way: Way) -> bool:
            return self._key_of(way, options.partition, evidence, options) in self._calibrators

        way = await find_way(
            self._routing,
            inquiry.question,
            evidence,
            options=options,
            embedder=self._embedder,
            key=self._key(),
            calibrated=calibrated,
        )
        if self._routing is not None:
            inquiry.watch.lap("route")
        return way

    async def _refined(self, inquiry: Inquiry, result: AnswerResult) -> AnswerResult:
        """Let the large model say the answer in one; what fails the checks changes nothing."""
        if self._refiner is None or result.answer is None or result.best is None:
            return result
        said = await refine(self._refiner, self._embedder, inquiry.question, result.best)
        inquiry.watch.lap("refine")
        return replace(
            result,
            answer=said.answer or result.answer,
            refinement=said.result,
            timings=inquiry.watch.timings(),
        )

    async def _attempt(
        self,
        inquiry: Inquiry,
        evidence: tuple[ScoredChunk, ...],
        drafter: Drafter,
        *,
        way: Way | None = None,
    ) -> Attempt:
        """Draft, verify and judge; the long way unless another is given."""
        question, options, watch = inquiry.question, inquiry.options, inquiry.watch
        way = way or long_way(survey(collapse(evidence)), options)
        parts = deal_apart(question.text, evidence, way, options=options, key=self._key())
        watch.lap("partition", subsets=len(parts.subsets))
        drafts = heard(
            self._stages.check(question, await draft_all(question, parts.subsets, drafter)),
            mode=parts.mode,
            choruses=parts.choruses,
        )
        watch.lap("draft", **draft_counts(drafts))
        scored = await examine(
            self._verifier,
            question,
            drafts,
            cross_examination=options.cross_examination,
            mode=parts.mode,
            lift_bound=options.lift_bound,
        )
        watch.lap("verify", scored=len(scored))
        configuration = self._key_of(way, parts.mode, evidence, options, drafter=drafter)
        calibrator = self._calibrators.get(configuration)
        asked = question.text if parts.mode is PartitionMode.NO_PROVENANCE else None
        voices = one_voice(await self._group(question, scored), parts.choruses, question=asked)
        groups = self._stages.weigh(voices.groups, mode=parts.mode, calibrator=calibrator)
        decision = voices.marked(
            self._guard(calibrator).decide(
                voices.contending(groups), mode=parts.mode, calibrated=calibrator is not None
            )
        )
        rules = rules_of(
            calibrator,
            tau=self.tau(calibrator),
            agreement_floor=options.agreement_floor,
            lift_bound=options.lift_bound
            if options.cross_examination is CrossExamination.ALL
            else 0.0,
        )
        tolerated = tolerance_of(decision, groups, parts, evidence, rules)
        decision = permitted(decision, tolerated, parts, options)
        watch.lap("decide", groups=len(groups))
        return Attempt(
            evidence=evidence,
            way=way,
            partition=parts,
            drafts=drafts,
            scored=scored,
            groups=groups,
            decision=decision,
            tolerance=tolerated,
            calibration_version=calibrator.version if calibrator else None,
            configuration=configuration,
        )

    async def _group(
        self, question: Question, scored: tuple[ScoredDraft, ...]
    ) -> tuple[tuple[ScoredDraft, ...], ...]:
        if not scored:
            return ()
        vectors = await self._embedder.embed([one.draft.answer for one in scored])
        return group_answers(question.text, scored, vectors @ vectors.T)

    def _guard(self, calibrator: Calibrator | None) -> Guard:
        return self._stages.guard(
            tau=self.tau(calibrator), agreement_floor=self._options.agreement_floor
        )

    def _key(self) -> bytes:
        """The secret of the day: who uploads cannot tell where a shuffle puts a document."""
        today = self._clock.now().date().isoformat().encode()
        return hashlib.blake2b(today, key=self._secret, digest_size=32).digest()
