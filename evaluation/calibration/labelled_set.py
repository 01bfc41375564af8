"""The labelled questions that calibration is fitted on, and what counts as a right answer.

The corpus beside this module is invented and disjoint from the demo's; `README.md` says how it was
written and what it cannot show.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Final, TypeVar

from domain.documents import OriginKind
from domain.errors import InputError
from evaluation.calibration.answer_matching import (
    canonical_tokens,
    contains_phrase,
    is_bare_value,
)
from evaluation.calibration.polarity import POLAR, polarity

__all__ = [
    "AnswerKind",
    "Condition",
    "LabelledDocument",
    "LabelledQuestion",
    "LabelledSet",
    "Split",
    "is_right",
    "load_labelled_set",
]

_Member = TypeVar("_Member", bound=StrEnum)
_Row = TypeVar("_Row")

DOCUMENTS_FILE: Final = "documents.jsonl"
QUESTIONS_FILE: Final = "questions.jsonl"
MEDIA_TYPES: Final = frozenset({"text/markdown", "text/plain", "text/html"})


class AnswerKind(StrEnum):
    """What sort of thing answers the question; `date` covers times, weekdays and years."""

    NUMBER = "number"
    DATE = "date"
    DURATION = "duration"
    MONEY = "money"
    PERSON = "person"
    PLACE = "place"
    YES_NO = "yes-no"
    NAME = "name"
    DESCRIPTION = "description"


class Condition(StrEnum):
    """How the corpus stands to the question; seats are established origins that state the answer.

    `contested`: established origins disagree, or the pool contradicts them, without an attack on
    the question. `attacked`: planted or mistaken pool documents aim at it.
    """

    ONE_SEAT = "one-seat"
    TWO_SEATS = "two-seats"
    THREE_SEATS = "three-seats"
    POOL_ONLY = "pool-only"
    CONTESTED = "contested"
    ATTACKED = "attacked"
    UNANSWERABLE = "unanswerable"
    HARD_PARAPHRASE = "hard-paraphrase"


class Split(StrEnum):
    """`fit` for the calibrators, `tau` for the threshold alone (Law 12), `test` for reporting."""

    FIT = "fit"
    TAU = "tau"
    TEST = "test"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledDocument:
    id: str
    origin: str
    kind: OriginKind
    established: bool
    title: str
    media_type: str
    published: date
    text: str

    def __post_init__(self) -> None:
        if not (self.id and self.origin and self.title.strip() and self.text.strip()):
            raise InputError("id, origin, title and text must not be empty")
        if self.media_type not in MEDIA_TYPES:
            raise InputError(f"media_type is {self.media_type!r}, expected {sorted(MEDIA_TYPES)}")
        if self.established and self.kind is OriginKind.UPLOADER:
            raise InputError("an uploader cannot be established in this set")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledQuestion:
    """A question with what is right, what is known to be wrong, and where the right stands.

    Attributes:
        fact: Questions on one fact share it, and with it their split.
        answers: Accepted strings; empty if nothing or nothing decidable answers the question. For
            yes-no the first is `yes` or `no`, the others are phrases that say so.
        wrong_answers: Values that some document gives and that make an answer wrong.
        support: Ids of the documents that state the answer.
    """

    id: str
    fact: str
    question: str
    answers: tuple[str, ...]
    wrong_answers: tuple[str, ...]
    kind: AnswerKind
    support: tuple[str, ...]
    condition: Condition
    split: Split

    def __post_init__(self) -> None:
        if not (self.id and self.fact and self.question.strip()):
            raise InputError("id, fact and question must not be empty")
        if bool(self.answers) != bool(self.support):
            raise InputError("answers and support must both be given or both be empty")
        if not self.answers and self.condition not in {
            Condition.UNANSWERABLE,
            Condition.CONTESTED,
        }:
            raise InputError(f"a question that is {self.condition.value!r} needs answers")
        if self.answers and self.condition is Condition.UNANSWERABLE:
            raise InputError("an unanswerable question has no answers")
        if self.answers and self.kind is AnswerKind.YES_NO and self.answers[0] not in POLAR:
            raise InputError("the first answer of a yes-no question must be 'yes' or 'no'")
        if any(not canonical_tokens(text) for text in (*self.answers, *self.wrong_answers)):
            raise InputError("an answer must hold at least one letter or digit")


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSet:
    """Documents and questions in file order, checked against each other."""

    documents: tuple[LabelledDocument, ...]
    questions: tuple[LabelledQuestion, ...]

    def document(self, document_id: str) -> LabelledDocument:
        """Return the document.

        Raises:
            InputError: No document has that id.
        """
        for document in self.documents:
            if document.id == document_id:
                return document
        raise InputError(f"no document {document_id!r} in the labelled set")

    def in_split(self, split: Split) -> tuple[LabelledQuestion, ...]:
        return tuple(question for question in self.questions if question.split is split)


def load_labelled_set(directory: Path | None = None) -> LabelledSet:
    """Read and check the set in `directory`, by default the one shipped beside this module.

    Raises:
        InputError: A line is not a JSON object of exactly the documented keys and types, an id
            comes twice, an origin is both established and not, a support document is missing or a
            fact is in two splits. The message names the file and the line.
    """
    folder = directory if directory is not None else Path(__file__).parent
    documents: dict[str, LabelledDocument] = {}
    questions: dict[str, LabelledQuestion] = {}
    standing: dict[tuple[str, OriginKind], bool] = {}
    splits: dict[str, Split] = {}

    def add_document(row: Mapping[str, object]) -> None:
        document = _document(row)
        _insert(documents, document.id, document)
        key = (document.origin, document.kind)
        if standing.setdefault(key, document.established) is not document.established:
            raise InputError(f"origin {document.origin!r} is both established and not")

    def add_question(row: Mapping[str, object]) -> None:
        question = _question(row)
        _insert(questions, question.id, question)
        missing = [support for support in question.support if support not in documents]
        if missing:
            raise InputError(f"support documents {missing!r} do not exist")
        if splits.setdefault(question.fact, question.split) is not question.split:
            raise InputError(f"fact {question.fact!r} is in two splits")

    _read_lines(folder / DOCUMENTS_FILE, add_document)
    _read_lines(folder / QUESTIONS_FILE, add_question)
    return LabelledSet(documents=tuple(documents.values()), questions=tuple(questions.values()))


def is_right(answer: str, question: LabelledQuestion) -> bool:
    """Whether `answer` holds an accepted answer and no known wrong one.

    Whole tokens are compared by value (`answer_matching`); a number without its unit counts when it
    is all that was said. A yes-no question goes by the first word, then by an accepted phrase, then
    by a word of polarity in an answer that names something the question asks about. A question
    without accepted answers has no right answer: abstaining is right there, and is not judged here.
    """
    tokens = canonical_tokens(answer)
    if not tokens or not question.answers:
        return False
    phrases = [text for text in question.answers if text not in POLAR]
    wrong = [text for text in question.wrong_answers if text not in POLAR]
    if any(contains_phrase(tokens, text) or is_bare_value(tokens, text) for text in wrong):
        return False
    if question.kind is AnswerKind.YES_NO:
        if tokens[0] not in POLAR and any(contains_phrase(tokens, text) for text in phrases):
            return True
        return polarity(tokens, question=question.question, phrases=phrases) == question.answers[0]
    return any(contains_phrase(tokens, text) or is_bare_value(tokens, text) for text in phrases)


def _read_lines(path: Path, accept: Callable[[Mapping[str, object]], None]) -> None:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path.name} cannot be read as UTF-8 text") from error
    if lines[-1] == "":
        lines.pop()
    for number, line in enumerate(lines, start=1):
        try:
            accept(_object(json.loads(line)))
        except json.JSONDecodeError as error:
            raise InputError(f"{path.name}, line {number}: not JSON ({error.msg})") from error
        except InputError as error:
            raise InputError(f"{path.name}, line {number}: {error}") from error


def _object(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise InputError("a line must be a JSON object")
    return value


def _document(row: Mapping[str, object]) -> LabelledDocument:
    _check_keys(row, LabelledDocument)
    established = row["established"]
    if not isinstance(established, bool):
        raise InputError("established must be true or false")
    try:
        published = date.fromisoformat(_text(row, "published"))
    except ValueError as error:
        raise InputError("published must be an ISO date") from error
    return LabelledDocument(
        id=_text(row, "id"),
        origin=_text(row, "origin"),
        kind=_member(row, "kind", OriginKind),
        established=established,
        title=_text(row, "title"),
        media_type=_text(row, "media_type"),
        published=published,
        text=_text(row, "text"),
    )


def _question(row: Mapping[str, object]) -> LabelledQuestion:
    _check_keys(row, LabelledQuestion)
    return LabelledQuestion(
        id=_text(row, "id"),
        fact=_text(row, "fact"),
        question=_text(row, "question"),
        answers=_texts(row, "answers"),
        wrong_answers=_texts(row, "wrong_answers"),
        kind=_member(row, "kind", AnswerKind),
        support=_texts(row, "support"),
        condition=_member(row, "condition", Condition),
        split=_member(row, "split", Split),
    )


def _check_keys(
    row: Mapping[str, object], shape: type[LabelledDocument] | type[LabelledQuestion]
) -> None:
    wanted = set(shape.__dataclass_fields__)
    if set(row) != wanted:
        raise InputError(
            f"missing keys {sorted(wanted - set(row))}, unknown keys {sorted(set(row) - wanted)}"
        )


def _text(row: Mapping[str, object], key: str) -> str:
    value = row[key]
    if not isinstance(value, str):
        raise InputError(f"{key} must be a string")
    return value


def _texts(row: Mapping[str, object], key: str) -> tuple[str, ...]:
    value = row[key]
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError(f"{key} must be a list of strings")
    if len(set(value)) != len(value):
        raise InputError(f"{key} holds an entry twice")
    return tuple(value)


def _member(row: Mapping[str, object], key: str, members: type[_Member]) -> _Member:
    try:
        return members(_text(row, key))
    except ValueError as error:
        raise InputError(f"{key} must be one of {[member.value for member in members]}") from error


def _insert(rows: dict[str, _Row], row_id: str, row: _Row) -> None:
    if row_id in rows:
        raise InputError(f"id {row_id!r} comes twice")
    rows[row_id] = row
