"""Drafting, verifying, grouping, weighing and guarding an answer: Laws 2 and 5 to 12."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NewType, Protocol

import numpy as np
from numpy.typing import NDArray

from domain.documents import DocumentId, OriginRef, Span, TenantId, Tier
from domain.retrieval import ScoredChunk
from domain.routing import LEAST_DRAFTS, Route, RouteReason
from domain.usage import ModelUsage
from domain.verification import CrossExamination, LatencyClass

if TYPE_CHECKING:
    from domain.decomposition import Hop

QuestionId = NewType("QuestionId", str)

SeatId = NewType("SeatId", str)
"""`<kind>:<id>` of an established origin, or `POOL_SEAT` (Law 2).

In mode `no-provenance` it is `family:<family id>`.
"""

POOL_SEAT = SeatId("pool")

PLAIN_SEAT = SeatId("plain")
"""The one extra draft over the best passages of all established seats, where it is switched on.

It votes as a seat, supports nobody as an independent source, and is moved by every established seat.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    id: QuestionId
    tenant_id: TenantId
    text: str


class PartitionMode(StrEnum):
    """How evidence is dealt to drafts (Law 5). The last three are for comparison: see `isolates`."""

    ISOLATED = "isolated"
    NO_PROVENANCE = "no-provenance"
    """What `isolated` becomes where nothing relevant is established; nobody asks for it."""
    MULTI_PERSPECTIVE = "multi-perspective"
    ROUND_ROBIN = "round-robin"
    RANDOM = "random"

    @property
    def isolates(self) -> bool:
        """Whether no subset mixes seats of different tiers, nor one seat stands in many."""
        return self in {PartitionMode.ISOLATED, PartitionMode.NO_PROVENANCE}


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceSubset:
    """One part of the retrieved chunks; each draft sees exactly one.

    Disjoint, save the plain seat's and those of the comparison modes.

    Attributes:
        index: Position among the question's subsets, from 0.
        seats: Seats whose chunks stand in it: one, or several of one tier where seats exceed m.
        tier: `Tier.POOL` for the pool's subsets; pool and established never share one (Law 5).
            In a comparison mode, which mixes them, the least established among the chunks.
        chunks: Best first. Never empty.
    """

    index: int
    seats: tuple[SeatId, ...]
    tier: Tier
    chunks: tuple[ScoredChunk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Evidence that a draft quotes: `span` is in the document's `raw_text`."""

    document_id: DocumentId
    origin: OriginRef
    text: str
    span: Span
    trust: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A candidate answer with the rationale that ties it to its evidence.

    Attributes:
        answer: At most 12 words from a language model, one quoted sentence of at most 40 from
            the extractive drafter. Empty where the draft abstained.
        rationale: Why, in words of the drafter; empty where it abstained.
        quotes: Evidence of the answer, best first. Empty where it abstained or failed.
        probability: rho_draft, P(rationale | Q, subset) x P(answer | Q, subset, rationale),
            length-normalised, in (0, 1].
        abstained: The subset does not answer the question, as far as the drafter can tell.
        failure: Why there is no usable draft (`timeout`, `malformed`, `unfaithful`); None if there is.
        struck: Quotes, figures and citations that it claimed and its subset does not have.
        tentative: The subset more likely does not answer the question; the draft counts only where
            no established seat is surer (`second_look`).
    """

    subset: EvidenceSubset
    answer: str
    rationale: str
    quotes: tuple[Quote, ...]
    probability: float
    abstained: bool = False
    failure: str | None = None
    struck: int = 0
    tentative: bool = False

    @property
    def usable(self) -> bool:
        return not self.abstained and self.failure is None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredDraft:
    """A usable draft with the verifier's numbers, length-normalised.

    Attributes:
        faithfulness: P(draft | Q, own subset) per token, in (0, 1]; None if not measured.
        unconditional: P(draft | Q) per token, no evidence given, in (0, 1]; None if not measured.
        corroboration: Sum of clipped lifts from other established seats, in nats; 0 is neutral.
        raw: Drafter's and verifier's parts multiplied, in (0, 1]; an order, not a probability.
        trust: Least trust of the supporting documents, in [0, 1] (Law 7).
        uncapped: What `raw` was before its cap at 1; None: never above it.
        seats: Seats that vote for it: those whose documents it quotes.
    """

    draft: Draft
    faithfulness: float | None
    unconditional: float | None
    corroboration: float
    raw: float
    trust: float
    seats: tuple[SeatId, ...]
    uncapped: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatVote:
    """One seat's vote for one group: `share` in (0, 1], below 1 where the seat is split."""

    seat: SeatId
    established: bool
    reviewed: bool
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerGroup:
    """Drafts whose answers mean the same.

    Attributes:
        answer: The best draft's answer.
        drafts: Best first.
        votes: One a seat that supports it.
        support: Independent established seats behind it, split seats by their share;
            0.5 where only the pool is.
        diversity: source_diversity, 1 - 2^-support, in [0, 1).
        score: diversity x min(1, sum over seats of raw x trust), in [0, 1].
        confidence: Calibrated P(right) of `score`, in (0, 1).
    """

    answer: str
    drafts: tuple[ScoredDraft, ...]
    votes: tuple[SeatVote, ...]
    support: float
    diversity: float
    score: float
    confidence: float


class Outcome(StrEnum):
    ANSWER = "answer"
    ANSWER_WITH_WARNING = "answer-with-warning"
    ESCALATED = "escalated"
    ABSTAIN = "abstain"


class AbstainReason(StrEnum):
    DISAGREEMENT = "disagreement"
    LOW_CONFIDENCE = "low-confidence"
    NOT_IN_DOCUMENTS = "not-in-documents"
    DENIED = "denied"
    TOLERANCE = "tolerance"
    """An answer stands, but not against as many malicious seats as was required."""


class AnswerWarning(StrEnum):
    SINGLE_SEAT = "single-seat"
    """Fewer than two independent seats support it, and none is reviewed."""
    POOL_ONLY = "pool-only"
    """Only unestablished origins support it."""
    DISSENT = "dissent"
    """Established seats say otherwise, and do not decide."""
    POOL_DISSENT = "pool-dissent"
    """Unestablished origins say otherwise."""
    UNCALIBRATED = "uncalibrated"
    """No calibration artefact matches this configuration."""
    NO_PROVENANCE = "no-provenance"
    """Nothing retrieved is established: families took the seats."""
    NOT_ISOLATED = "not-isolated"
    """A comparison mode mixed the seats: one of them may have moved every draft."""
    CHORUS = "chorus"
    """Texts without provenance say one thing in nearly the question's words; they count as one."""
    WEB = "web"
    """It is not in the documents; results of a web search stood in the pool."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardDecision:
    """What the guard allows, and the numbers it went by.

    Attributes:
        agreement: Mean pairwise agreement of the established seats that answered, in [0, 1].
        entropy: Shannon entropy over normalised group scores, in nats.
        margin: Score of the best group less that of the second, in [0, 1].
        chosen: The group answered with; None if the ladder or a person must decide.
        contender: The group that was judged, answered with or not: the one whose confidence was
            compared with tau. None where no group could be.
    """

    outcome: Outcome
    reason: AbstainReason | None
    warnings: tuple[AnswerWarning, ...]
    agreement: float
    entropy: float
    margin: float
    chosen: AnswerGroup | None
    contender: AnswerGroup | None


class Drafter(Protocol):
    @property
    def version(self) -> str:
        """Model and prompt; part of what keys a calibration artefact."""
        ...

    async def draft(self, question: Question, subset: EvidenceSubset) -> Draft:
        """Answer from `subset` alone. Documents are data: nothing in them is obeyed.

        A malformed reply is a draft with `failure="malformed"`, never an answer.

        Raises:
            TransientError: The model did not answer in time or was over its limits.
            PermanentError: The endpoint refused or is not what was configured.
        """
        ...


class Verifier(Protocol):
    @property
    def version(self) -> str: ...

    async def score(
        self, question: Question, drafts: Sequence[Draft], evidence: Sequence[EvidenceSubset | None]
    ) -> NDArray[np.float64]:
        """Return log P(draft | question, evidence) per token, shape `(len(drafts), len(evidence))`.

        None stands for no evidence at all, the score as published. Values are finite and <= 0.

        Raises:
            TransientError: The model did not answer in time.
            PermanentError: The endpoint gives no usable log-probabilities.
        """
        ...


class Refiner(Protocol):
    @property
    def version(self) -> str: ...

    async def refine(
        self, question: Question, answers: Sequence[str], evidence: EvidenceSubset
    ) -> Draft:
        """Say once what `answers`, which mean the same, say, from `evidence` alone.

        What comes back is a draft like any other: it may fail, and nothing of it is believed before
        it was held against the evidence and against what the answers mean.

        Raises:
            TransientError: The model did not answer in time or was over its limits.
            PermanentError: The endpoint refused or is not what was configured.
        """
        ...


class Calibrator(Protocol):
    """Maps raw group scores to probabilities. Fitted offline; read-only when serving."""

    @property
    def version(self) -> str: ...

    @property
    def tau(self) -> float:
        """Least confidence of an answer, fitted with the artefact; in (0, 1]."""
        ...

    def predict(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return P(right) of group scores, in (0, 1), same shape, non-decreasing in them."""
        ...


class Guard(Protocol):
    def decide(
        self, groups: Sequence[AnswerGroup], *, mode: PartitionMode, calibrated: bool
    ) -> GuardDecision:
        """Say whether the seats agree enough to answer. An empty sequence abstains."""
        ...


class LadderStep(StrEnum):
    RE_RETRIEVE = "re-retrieve"
    FULL_RAG = "full-rag"
    WEB_SEARCH = "web-search"
    ABSTAIN = "abstain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rung:
    """One step of the escalation ladder (Law 9).

    `result` is `answered`, `no-better`, `unavailable`, or `no-time`: by what the first attempt took,
    it would not have ended before the deadline.
    """

    step: LadderStep
    result: str


class ToleranceNote(StrEnum):
    """Why an answer tolerates nobody, where that is a matter of what was found."""

    SINGLE_ORIGIN = "single origin"
    POOL_ONLY = "pool only"
    TENTATIVE = "tentative"
    """No seat was sure: one that is would be heard alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerance:
    """How many established seats may be malicious, and every pooled account with them (Law 10).

    Relative to the evidence retrieved and to the subsets that it was dealt to. 0 promises nothing.

    Attributes:
        answer: So many, whichever they are, cannot bring about another answer.
        abstention: So many cannot take this answer away, neither by another nor by an abstention;
            never more than `answer`.
        seats: Established seats whose evidence was retrieved.
    """

    answer: int
    abstention: int
    seats: int
    note: ToleranceNote | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where an answer comes from. `title` and `source_uri` are untrusted text."""

    document_id: DocumentId
    span: Span
    quote: str
    origin: OriginRef
    tier: Tier
    trust: float
    title: str
    source_uri: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StageTiming:
    stage: str
    seconds: float


class Refinement(StrEnum):
    """What came of saying the answer in one (off by default)."""

    REFINED = "refined"
    REJECTED = "rejected"
    """What the model said means something else, or is not borne out by the evidence."""
    UNAVAILABLE = "unavailable"
    """The model did not answer, or only the pool supports the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerResult:
    """The whole trace of one question.

    Attributes:
        answer: None where the outcome is `abstain`.
        confidence: Of the best group, in [0, 1]; 0 where no group stands.
        disagreement: Unweighted pairwise disagreement over non-abstaining seats, in [0, 1], over
            families where a single seat answered (Law 11). The monitored statistic; 0 without a pair.
        embedding: Of the question, for the topics.
        best: The group that the guard answered with, or would have; None if none stands.
        configuration: What keyed the calibration: drafter, verifier, mode, m, k, route.
        tolerance: Of the answer, or of what would have been one had more not been required. None
            where the guard chose nothing, and in every mode but `isolated`.
        reranker: Version of the reranker that ordered the evidence; None where none did.
        refinement: None where it is off or there is nothing to refine; the groups keep their words.
        verifier: Its version; ends in `:generative` where its numbers are votes and no likelihoods.
        usage: Calls and tokens of language models; nothing with the embedded default.
        hops: Of a question that was asked in several; seats, drafts and groups are the last one's.
        latency_class: As asked for; an asker who names none is interactive.
        route: The way that gave the result (Law 8), and what decided on it.
    """

    question: Question
    outcome: Outcome
    reason: AbstainReason | None
    warnings: tuple[AnswerWarning, ...]
    answer: str | None
    confidence: float
    sources: tuple[Source, ...]
    agreement: float
    entropy: float
    margin: float
    disagreement: float
    mode: PartitionMode
    m: int
    k: int
    retrieved: tuple[ScoredChunk, ...]
    subsets: tuple[EvidenceSubset, ...]
    drafts: tuple[Draft, ...]
    scored: tuple[ScoredDraft, ...]
    groups: tuple[AnswerGroup, ...]
    ladder: tuple[Rung, ...]
    timings: tuple[StageTiming, ...]
    calibration_version: str | None
    configuration: str
    embedding: NDArray[np.float32]
    best: AnswerGroup | None
    tolerance: Tolerance | None = None
    reranker: str | None = None
    cross_examination: CrossExamination = CrossExamination.ALL
    refinement: Refinement | None = None
    verifier: str = ""
    usage: ModelUsage = field(default_factory=ModelUsage)
    route: Route = Route.LONG
    route_reason: RouteReason = RouteReason.OFF
    hops: tuple[Hop, ...] = ()
    latency_class: LatencyClass = LatencyClass.INTERACTIVE

    @property
    def seconds(self) -> float:
        """What the whole of it took."""
        return next((one.seconds for one in self.timings if one.stage == "total"), 0.0)

    @property
    def cacheable(self) -> bool:
        """Whether it may be given again (Law 15).

        Not what a rung made, hence nothing from the web, nor what came by a short way (Law 8).
        """
        answered = self.outcome in {Outcome.ANSWER, Outcome.ANSWER_WITH_WARNING} and not self.hops
        short = self.route is not Route.LONG or self.m < LEAST_DRAFTS
        return answered and not self.ladder and not short
