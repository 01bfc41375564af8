"""Whether two topics are one, and whether one topic is two. Pure; vectors are of unit norm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from domain.monitoring import Topic, TopicId

_ROUNDS: Final = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeOptions:
    """When topics change.

    Attributes:
        merge: Least cosine of two centroids for the topics to be one.
        split: Highest cosine of the centroids of a topic's halves for them to be two.
        gain: By how much its questions must be nearer to their own half's centroid on average.
        part: Questions of the smaller half, at least.
        kept: Latest questions of a topic that are looked at.
        every: Questions between two looks at a topic.
    """

    # MiniLM int8 on the demo: halves of one topic 0.83 and nearer by 0.04, topics of one product up
    # to 0.74, two topics thrown together 0.28 and nearer by 0.17. Between the two nothing changes.
    merge: float = 0.82
    split: float = 0.45
    gain: float = 0.1
    part: int = 12
    kept: int = 64
    every: int = 16

    def __post_init__(self) -> None:
        if not 0 < self.split < self.merge < 1:
            raise ValueError(f"need 0 < split < merge < 1, got {self.split} and {self.merge}")


def twin_of(topic: Topic, others: Sequence[Topic], options: ShapeOptions) -> Topic | None:
    """Return the other topic that is the same as this one, the nearest; None where there is none."""
    alike = [one for one in others if one.centroid.shape == topic.centroid.shape]
    if not alike:
        return None
    cosines = np.stack([one.centroid for one in alike]) @ topic.centroid
    best = int(cosines.argmax())
    return alike[best] if cosines[best] >= options.merge else None


def larger_first(one: Topic, other: Topic) -> tuple[Topic, Topic]:
    """Return whose id stays, then whose becomes its alias: more questions, then age, then id."""

    def rank(topic: Topic) -> tuple[int, float, TopicId]:
        return (-topic.size, topic.created_at.timestamp(), topic.id)

    kept, gone = sorted((one, other), key=rank)
    return kept, gone


@dataclass(frozen=True, slots=True, kw_only=True)
class Halves:
    """`smaller`: shape (n,), which questions leave. The centroids are of unit norm."""

    smaller: NDArray[np.bool_]
    centroid: NDArray[np.float32]
    leaving: NDArray[np.float32]

    @property
    def share(self) -> float:
        """Of the questions, those that leave."""
        return float(self.smaller.mean())


def halves_of(questions: NDArray[np.float32], options: ShapeOptions) -> Halves | None:
    """Return the two topics that these questions are; None where they are one.

    2-means from the two that are farthest apart; of halves alike in size the one with the first
    question stays.

    Args:
        questions: Shape (n, dimensions), unit norm.
        options: When they are two.
    """
    if len(questions) < 2 * options.part:
        return None
    second = _second_half(questions)
    if second is None:
        return None
    smaller = second if second.sum() * 2 < len(second) else ~second
    if second.sum() * 2 == len(second) and smaller[0]:
        smaller = ~smaller
    if smaller.sum() < options.part:
        return None
    staying, leaving = unit(questions[~smaller].mean(0)), unit(questions[smaller].mean(0))
    own = np.where(smaller, questions @ leaving, questions @ staying)
    gain = float((own - questions @ unit(questions.mean(0))).mean())
    if float(staying @ leaving) > options.split or gain < options.gain:
        return None
    return Halves(smaller=smaller, centroid=staying, leaving=leaving)


def _second_half(questions: NDArray[np.float32]) -> NDArray[np.bool_] | None:
    cosines = questions @ questions.T
    first, second = np.unravel_index(int(cosines.argmin()), cosines.shape)
    centres = np.stack([questions[int(first)], questions[int(second)]])
    half: NDArray[np.bool_] | None = None
    for _ in range(_ROUNDS):
        nearer: NDArray[np.bool_] = (questions @ centres[1]) > (questions @ centres[0])
        if not nearer.any() or nearer.all():
            return None
        if half is not None and bool((nearer == half).all()):
            break
        half = nearer
        centres = np.stack([unit(questions[~half].mean(0)), unit(questions[half].mean(0))])
    return half


def unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    norm = float(np.linalg.norm(vector))
    scaled: NDArray[np.float32] = (vector / norm if norm > 0 else vector).astype(np.float32)
    return scaled
