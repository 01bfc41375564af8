"""Which documents most likely caused an answer or an alert."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from domain.answering import AnswerResult, Question, QuestionId
from domain.documents import DocumentId, OriginRef
from domain.retrieval import FamilyId, Withheld


class Asking(Protocol):
    """The question path as the traceback asks it again."""

    async def ask(self, question: Question, *, without: Withheld) -> AnswerResult:
        """Answer as if `without` had never been admitted. Nothing is recorded or kept.

        Raises:
            TransientError: Index or model did not answer, or the time ran out.
            PermanentError: A model endpoint is not what was configured.
        """
        ...


class TracedAs(StrEnum):
    """What is looked for."""

    WRONG_ANSWER = "wrong-answer"
    """Who brought about the answer that was given."""
    DISPUTE = "dispute"
    """Who stands against the answer that seasoned sources support, or keeps it from being given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clues:
    """What speaks against one document that was retrieved.

    Attributes:
        age_days: Since its admission, when the question is traced.
        quoted: A draft on the accused side quotes it.
        states: Its text says what the accused side says.
        family_effect, origin_effect, newcomers_effect: How much of the trouble goes, in [0, 1],
            without its family, its origin, or all young documents that nobody vouches for, if it is
            one of them. None where it was not asked again.
        named: The alert names it, its origin or its family.
        beside: It is young, and the trouble goes without another young document of its origin.
        strangers_tell: Whether it says anything that nobody vouches for its origin: not in a dispute
            in which nobody vouches for any of the evidence.
    """

    document_id: DocumentId
    origin: OriginRef
    family_id: FamilyId
    established: bool
    age_days: float
    trust: float
    quoted: bool
    states: bool
    family_effect: float | None = None
    origin_effect: float | None = None
    newcomers_effect: float | None = None
    named: bool = False
    beside: bool = False
    strangers_tell: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """A document with its suspicion in [0, 1]. `reasons` hold ids and numbers, never text."""

    clues: Clues
    score: float
    reasons: tuple[str, ...]

    @property
    def document_id(self) -> DocumentId:
        return self.clues.document_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What a question was traced to.

    Attributes:
        traced_as: What was looked for.
        retrieved: Every document in the evidence, most suspect first; those of at least
            `threshold` are the suspects.
        reruns: How often the question was asked again with something withheld.
        skipped: Families and origins that were not tried, for there were too many.
    """

    question_id: QuestionId
    traced_as: TracedAs
    retrieved: tuple[Suspect, ...]
    threshold: float
    reruns: int
    skipped: int

    @property
    def suspects(self) -> tuple[Suspect, ...]:
        return tuple(one for one in self.retrieved if one.score >= self.threshold)
