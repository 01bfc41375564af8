"""Questions that need the answer of another question first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from domain.answering import (
    AbstainReason,
    Outcome,
    Tolerance,
)

MAX_HOPS: Final = 4
"""Questions that one may come to; a plan with more is none."""

_PLACE: Final = re.compile(r"\{(\d+)\}")


class Combine(StrEnum):
    """How the answers of the hops make one. All but `last` compare two hops."""

    LAST = "last"
    """The last hop's answer; it asks about those before it."""
    LESS = "less"
    """The subject with the smaller figure or the earlier date."""
    MORE = "more"
    SAME = "same"
    """Yes where both answers mean the same, else no."""
    BOTH = "both"
    """Yes where both answers are yes, else no."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Questions in the order in which they are asked; `{1}` stands for the answer of the first.

    Attributes:
        hops: Between 2 and MAX_HOPS; a place names an earlier hop only. Where they are compared
            there are two, without places.
        subjects: What the two compared hops ask about, in words of the question; else empty.
    """

    hops: tuple[str, ...]
    combine: Combine = Combine.LAST
    subjects: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 2 <= len(self.hops) <= MAX_HOPS:  # noqa: PLR2004
            raise ValueError(f"a plan has 2 to {MAX_HOPS} hops, not {len(self.hops)}")
        for at, hop in enumerate(self.hops):
            if any(not 1 <= int(place) <= at for place in _PLACE.findall(hop)):
                raise ValueError(f"hop {at + 1} asks for the answer of a hop that is not before it")
        compared = self.combine is not Combine.LAST
        if compared and (len(self.hops) != 2 or any(map(needs, self.hops))):  # noqa: PLR2004
            raise ValueError("two questions are compared, and neither waits for the other")
        if self.combine in {Combine.LESS, Combine.MORE} and len(self.subjects) != 2:  # noqa: PLR2004
            raise ValueError("what is compared must be named")
        if not compared and not needs(self.hops[-1]):
            raise ValueError("the last hop must ask about one before it")


def needs(hop: str) -> frozenset[int]:
    """Return the numbers of the hops whose answers it waits for, from 1."""
    return frozenset(int(place) for place in _PLACE.findall(hop))


def filled(hop: str, answers: dict[int, str]) -> str:
    """Return the hop with answers in their places."""
    return _PLACE.sub(lambda match: answers[int(match[1])], hop)


class Decomposer(Protocol):
    @property
    def version(self) -> str: ...

    async def decompose(self, question: str) -> Plan | None:
        """Return a plan; None where one question is enough.

        It sees the question alone: never a document, never a draft.

        Raises:
            TransientError: A model did not answer in time.
            PermanentError: The endpoint refused or is not what was configured.
        """
        ...


class HopResult(StrEnum):
    PASSED = "passed"
    """Its answer stands, above tau, and was used."""
    UNSURE = "unsure"
    """Its answer stands, and is not above tau: it went nowhere."""
    ABSTAINED = "abstained"
    UNREADABLE = "unreadable"
    """Its answer names nothing that could be asked about or compared."""
    NOT_ASKED = "not-asked"
    """A hop that it waits for did not pass."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hop:
    """One question of a plan and what came of it.

    Attributes:
        question: As it was asked; with places where it was not.
        used: What of the answer went on, a few words; None where nothing did.
        tau: What the confidence was held against.
    """

    question: str
    result: HopResult
    outcome: Outcome | None = None
    reason: AbstainReason | None = None
    answer: str | None = None
    used: str | None = None
    confidence: float = 0.0
    tau: float = 1.0
    tolerance: Tolerance | None = None
