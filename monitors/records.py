"""Recorded observations, a JSON object a line: what `monitor export` writes and `replay` reads."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final

from domain.answering import Outcome
from domain.errors import InputError
from domain.monitoring import Observation
from monitors.sightings import LEAST_VOTERS, Sighting, Source, digest, is_disputed

_NOT_JSON: Final = (json.JSONDecodeError, UnicodeDecodeError, RecursionError)
_TEXT_LIMIT: Final = 512
"""Characters of an id; ours have 30."""
_OUTCOMES: Final = frozenset(outcome.value for outcome in Outcome)


def record(observation: Observation) -> dict[str, object]:
    """Return the fields of a line. Ids and numbers alone, no text of questions or documents."""
    return {
        "at": observation.observed_at.isoformat(),
        "topic": observation.topic_id,
        "question_id": observation.question_id,
        "question_key": observation.question_key,
        "principal": observation.principal,
        "entropy": observation.entropy,
        "agreement": observation.agreement,
        "disagreement": observation.disagreement,
        "margin": observation.margin,
        "confidence": observation.confidence,
        "outcome": observation.outcome.value,
        "answer_group": observation.answer_group,
        "seats": observation.seats,
        "m": observation.m,
        "route": observation.route,
        "calibration_version": observation.calibration_version,
        "latency_class": observation.latency_class.value,
        "seconds": observation.seconds,
        "evidence": [
            {
                "document": note.document_id,
                "origin": str(note.origin),
                "family": note.family_id,
                "age_days": note.age_days,
                "trust": note.trust,
                "established": note.established,
            }
            for note in observation.evidence
        ],
    }


def read_lines(lines: Iterable[bytes | str]) -> Iterator[Sighting]:
    """Yield what each line that is not blank holds; fields that are not known are passed over.

    Raises:
        InputError: A line is not of the format; its number, from 1, is in the message.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            try:
                yield _sighting(_object(json.loads(line)))
            except (ValueError, RecursionError) as exc:
                told = "not JSON" if isinstance(exc, _NOT_JSON) else str(exc)
                raise InputError(f"line {number}: {told}") from exc


def _object(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004 - the caller's one kind of error
    return value


def _sighting(fields: Mapping[str, object]) -> Sighting:
    """Return the line's sighting.

    Without `disagreement` it is the higher of 1 - agreement and 1 - exp(-entropy): the share of
    pairs that differ, and what it would be for exp(entropy) answers of equal weight (Hill's
    number). Without `principal` no two questions are taken for repeats.
    """
    agreement = _number(fields, "agreement", most=1.0)
    entropy = _number(fields, "entropy")
    question_id = _text(fields, "question_id")
    key = _optional_text(fields, "question_key")
    principal = _optional_text(fields, "principal")
    seats = _optional_number(fields, "seats")
    voted = seats is None or seats >= LEAST_VOTERS
    told = _optional_number(fields, "disagreement", most=1.0)
    derived = max(1.0 - agreement, -math.expm1(-entropy))
    known = principal is not None and key is not None
    return Sighting(
        question_id=question_id,
        topic=_text(fields, "topic"),
        at=_moment(fields),
        asker=digest(principal or "", key or "") if known else question_id,
        key=key,
        stratum=f"{_optional_number(fields, 'm') or 0:g}:{_optional_text(fields, 'route') or ''}",
        disagreement=(derived if told is None else told) if voted else None,
        disputed=voted and is_disputed(agreement=agreement, entropy=entropy),
        withheld=_outcome(fields) == Outcome.ABSTAIN.value,
        group=_optional_text(fields, "answer_group", required=True),
        margin=_optional_number(fields, "margin", most=1.0) if voted else None,
        evidence=_evidence(fields),
    )


def _evidence(fields: Mapping[str, object]) -> tuple[Source, ...]:
    notes = fields.get("evidence")
    if not isinstance(notes, list):
        raise ValueError("'evidence' must be a list")  # noqa: TRY004
    return tuple(_source(_object(note)) for note in notes)


def _source(note: Mapping[str, object]) -> Source:
    established = note.get("established")
    if established is not None and not isinstance(established, bool):
        raise ValueError("'established' must be true or false")
    return Source(
        document=_text(note, "document"),
        origin=_text(note, "origin"),
        family=_text(note, "family"),
        age_days=_number(note, "age_days"),
        trust=_number(note, "trust", most=1.0),
        established=established,
    )


def _outcome(fields: Mapping[str, object]) -> str:
    outcome = _text(fields, "outcome")
    if outcome not in _OUTCOMES:
        raise ValueError(f"'outcome' must be one of {', '.join(sorted(_OUTCOMES))}")
    return outcome


def _moment(fields: Mapping[str, object]) -> datetime:
    try:
        at = datetime.fromisoformat(_text(fields, "at"))
    except ValueError as exc:
        raise ValueError("'at' must be a time like 2026-11-30T12:00:00Z") from exc
    if at.tzinfo is None:
        raise ValueError("'at' must tell its offset from UTC, as in 2026-11-30T12:00:00Z")
    return at


def _text(fields: Mapping[str, object], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not 0 < len(value) <= _TEXT_LIMIT:
        raise ValueError(f"{name!r} must be a string of 1 to {_TEXT_LIMIT} characters")
    return value


def _optional_text(
    fields: Mapping[str, object], name: str, *, required: bool = False
) -> str | None:
    """Return None for null; absent is wrong where the field is `required`."""
    if required and name not in fields:
        raise ValueError(f"{name!r} is missing")
    return None if fields.get(name) is None else _text(fields, name)


def _number(fields: Mapping[str, object], name: str, *, most: float = math.inf) -> float:
    value = fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name!r} must be a number")  # noqa: TRY004
    if not math.isfinite(value) or not 0 <= value <= most:
        raise ValueError(
            f"{name!r} must be 0 or more" + (f", {most:g} at most" * (most < math.inf))
        )
    return float(value)


def _optional_number(
    fields: Mapping[str, object], name: str, *, most: float = math.inf
) -> float | None:
    return None if fields.get(name) is None else _number(fields, name, most=most)
