"""Turns the trace of an answer into what the monitors keep of it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from defences.answering.disagreement import family_votes
from defences.answering.focus import find_focus, yes_or_no
from defences.answering.guard import seat_votes
from defences.answering.keywords import keywords
from defences.answering.questions import AnswerType, QuestionProfile, read_question
from defences.answering.values import Value
from domain.answering import AnswerGroup, AnswerResult
from domain.clock import IdFactory
from domain.documents import DocumentId
from domain.ledger import ObservationLedger
from domain.monitoring import EvidenceNote, Observation
from domain.retrieval import ScoredChunk
from domain.topics import TopicDefinitionLedger
from monitors.known_topics import TopicOptions
from monitors.topic_words import question_key
from monitors.topics import Topics

_DAY_SECONDS: Final = 86_400.0


class Observer:
    def __init__(
        self,
        ledger: ObservationLedger,
        *,
        ids: IdFactory,
        options: TopicOptions | None = None,
        definitions: TopicDefinitionLedger | None = None,
    ) -> None:
        self._topics = Topics(
            ledger, ids=ids, options=options or TopicOptions(), definitions=definitions
        )

    async def observe(
        self, result: AnswerResult, *, principal: str, observed_at: datetime
    ) -> Observation:
        """Return the observation of an answer, its question counted in a topic.

        The observation itself is not written: the caller does so with the question.

        Raises:
            TransientError: The ledger did not answer.
        """
        question = result.question
        topic_id = await self._topics.assign(
            question.tenant_id, question.text, result.embedding, at=observed_at
        )
        return Observation(
            question_id=question.id,
            tenant_id=question.tenant_id,
            topic_id=topic_id,
            principal=principal,
            question_key=question_key(question.text),
            observed_at=observed_at,
            disagreement=result.disagreement,
            entropy=result.entropy,
            agreement=result.agreement,
            margin=result.margin,
            confidence=result.confidence,
            outcome=result.outcome,
            answer_group=_answer_group(result),
            seats=count_voters(result.groups),
            m=result.m,
            route=result.route.value,
            calibration_version=result.calibration_version,
            evidence=_evidence(result.retrieved, observed_at),
            latency_class=result.latency_class,
            seconds=result.seconds,
        )


def count_voters(groups: Sequence[AnswerGroup]) -> int:
    """Return how many voters the monitored disagreement compares.

    Seats that answered, or the families of the only one that did: as `monitored_disagreement`
    does, so that a corpus of one origin counts as watched.
    """
    seats = len(seat_votes(groups))
    return seats if seats > 1 else max(seats, len(family_votes(groups)))


def _answer_group(result: AnswerResult) -> str | None:
    if result.best is None:
        return None
    normal = normal_form(result.question.text, result.best.answer)
    return hashlib.sha256(normal.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def normal_form(question: str, answer: str) -> str:
    """Return what the answer says, wording aside: its figure, its name, yes or no, or its words.

    Equal forms mean the same answer. Different ones need not differ: "a month" and "30 days" are
    one answer to the guard, and two here.
    """
    profile = read_question(question)
    if profile.type is AnswerType.YES_NO:
        polarity = yes_or_no(profile, answer)
        if polarity is not None:
            return "yes" if polarity else "no"
    return _by_focus(profile, answer)


def _by_focus(profile: QuestionProfile, answer: str) -> str:
    focus = find_focus(profile, answer)
    if focus.value is not None:
        return _figure(focus.value)
    if focus.name is not None:
        return "name " + " ".join(sorted(focus.name.stems))
    return "words " + " ".join(sorted(set(keywords(answer))))


def _figure(value: Value) -> str:
    if value.moment is not None:
        moment = value.moment
        parts = (moment.year, moment.month, moment.day, moment.weekday, moment.minute)
        return f"{value.kind} {parts} {moment.decade}"
    return f"{value.kind} {value.low:.6g} {value.high:.6g} {value.unit} {value.per}".rstrip()


def _evidence(retrieved: Sequence[ScoredChunk], observed_at: datetime) -> tuple[EvidenceNote, ...]:
    """Return one note a document, in the order of its best chunk."""
    first: dict[DocumentId, ScoredChunk] = {}
    for hit in retrieved:
        first.setdefault(hit.chunk.document_id, hit)
    return tuple(
        EvidenceNote(
            document_id=document_id,
            origin=hit.origin.ref,
            established=hit.origin.established,
            family_id=hit.family_id,
            age_days=max((observed_at - hit.admitted_at).total_seconds(), 0.0) / _DAY_SECONDS,
            trust=hit.trust,
        )
        for document_id, hit in first.items()
    )
