"""The sliding window over a topic's observations: what counts in it, and once (Law 11)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from domain.answering import QuestionId
from domain.monitoring import Observation

LEAST_VOTERS: Final = 2
"""With fewer there is no pair that could disagree."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a window keeps of one observation.

    Attributes:
        asker: Digest of principal and question: repeats of one question by one principal share it.
        stratum: Readings of different m or route are not compared with one reference.
        disagreement: In [0, 1].
    """

    question_id: QuestionId
    asker: str
    observed_at: datetime
    stratum: str
    disagreement: float

    @property
    def order(self) -> tuple[datetime, str]:
        """By time, equal times by question id, so that the order of arrival decides nothing."""
        return (self.observed_at, self.question_id)


def read(observation: Observation) -> Reading | None:
    """Return the observation as a reading; None where fewer than two voters answered."""
    if observation.seats < LEAST_VOTERS:
        return None
    asker = f"{observation.principal}\x00{observation.question_key}"
    return Reading(
        question_id=observation.question_id,
        asker=hashlib.sha256(asker.encode()).hexdigest()[:24],
        observed_at=observation.observed_at,
        stratum=f"{observation.m}:{observation.route}",
        disagreement=observation.disagreement,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The latest `size` readings, oldest first, each asker once, with its latest reading."""

    size: int
    readings: tuple[Reading, ...] = ()

    @property
    def full(self) -> bool:
        return len(self.readings) == self.size

    def push(self, reading: Reading) -> Push:
        """Take one more reading, which may be a repeat or come late."""
        others = tuple(known for known in self.readings if known.asker != reading.asker)
        repeated = len(others) < len(self.readings)
        if repeated and any(
            known.asker == reading.asker and known.order >= reading.order for known in self.readings
        ):
            return Push(window=self, left=None, fresh=False)
        placed = sorted((*others, reading), key=lambda known: known.order)
        left = placed[0] if len(placed) > self.size else None
        kept = tuple(placed[-self.size :])
        return Push(
            window=replace(self, readings=kept),
            left=None if left is reading else left,
            fresh=not repeated and left is not reading,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Push:
    """What taking a reading did.

    Attributes:
        left: The reading that the new one pushed out at the old end.
        fresh: The window holds one more question than it would without: neither a repeat nor
            older than all the window has room for.
    """

    window: Window
    left: Reading | None
    fresh: bool


def window_of(observations: Iterable[Observation], *, size: int) -> Window:
    """Return the window over a topic's observations, in whatever order they come."""
    readings = [reading for reading in map(read, observations) if reading is not None]
    window = Window(size=size)
    for reading in sorted(readings, key=lambda known: known.order):
        window = window.push(reading).window
    return window
