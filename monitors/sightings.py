"""What the detectors look at: an observation, from the ledger or from a recorded line."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from domain.answering import Outcome
from domain.monitoring import EvidenceNote, Observation

LEAST_VOTERS: Final = 2
"""With fewer there is no pair that could disagree."""

DISPUTED_AGREEMENT: Final = 0.3
DISPUTED_ENTROPY: Final = 0.69
"""Nats; two answers of equal weight have ln 2 = 0.693."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A document in the evidence of a question.

    Attributes:
        established: None where the record does not say.
    """

    document: str
    origin: str
    family: str
    age_days: float
    trust: float
    established: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """One question.

    Attributes:
        asker: Digest of principal and question: repeats of one question by one principal share it.
        key: Equal for equal questions; None where it was not recorded.
        stratum: Sightings of different m or route are not compared with one reference.
        disagreement: In [0, 1]; None where fewer than two voters answered.
        disputed: The established seats' agreement is under 0.3, or entropy above 0.69 nats.
        withheld: The question was abstained from.
        group: The settled answer; None where none stands.
        margin: Between the two best groups, in [0, 1]; None where it was not recorded.
    """

    question_id: str
    topic: str
    at: datetime
    asker: str
    key: str | None
    stratum: str
    disagreement: float | None
    disputed: bool
    withheld: bool
    group: str | None
    margin: float | None
    evidence: tuple[Source, ...]

    @property
    def order(self) -> tuple[datetime, str]:
        """By time, equal times by question id, so that the order of arrival decides nothing."""
        return (self.at, self.question_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """A change of an alert's status, and what is behind it.

    Attributes:
        detector: Its name in the registry.
        at: Time of the observation that brought it about.
        question_id: That observation.
        status: As the alert's: `firing` or `resolved`.
        severity: As the alert's.
        reasons: For people, a short sentence each: numbers and ids, never text.
        numbers: The same for machines.
        questions: The affected ones among the latest, oldest first.
        sources: Documents, origins and families under suspicion.
    """

    detector: str
    topic: str
    at: datetime
    question_id: str
    status: str
    severity: str
    reasons: tuple[str, ...] = ()
    numbers: Mapping[str, float] = field(default_factory=dict)
    questions: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()


def is_disputed(*, agreement: float, entropy: float) -> bool:
    return agreement < DISPUTED_AGREEMENT or entropy > DISPUTED_ENTROPY


def digest(principal: str, question_key: str) -> str:
    return hashlib.sha256(f"{principal}\x00{question_key}".encode()).hexdigest()[:24]


def sighting_of(observation: Observation) -> Sighting:
    """Return what the detectors see of an observation."""
    voted = observation.seats >= LEAST_VOTERS
    return Sighting(
        question_id=observation.question_id,
        topic=observation.topic_id,
        at=observation.observed_at,
        asker=digest(observation.principal, observation.question_key),
        key=observation.question_key,
        stratum=f"{observation.m}:{observation.route}",
        disagreement=observation.disagreement if voted else None,
        disputed=voted
        and is_disputed(agreement=observation.agreement, entropy=observation.entropy),
        withheld=observation.outcome is Outcome.ABSTAIN,
        group=observation.answer_group,
        margin=observation.margin if voted else None,
        evidence=_sources(observation.evidence),
    )


def _sources(notes: Sequence[EvidenceNote]) -> tuple[Source, ...]:
    return tuple(
        Source(
            document=note.document_id,
            origin=str(note.origin),
            family=note.family_id,
            age_days=note.age_days,
            trust=note.trust,
            established=note.established,
        )
        for note in notes
    )
