"""What an attack puts into the corpus, and the Protocol of an attack."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from random import Random
from typing import Protocol

from evaluation.redteam.rows import Row


class Hand(StrEnum):
    """Who plants a text, where the attack itself decides that; `any`: the provenance mode does."""

    ANY = "any"
    OWNER = "owner"
    """The established origin of the clean passage that is replaced."""
    ESTABLISHED = "established"
    """An established origin of the attacker's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """One text that the attacker plants for one question.

    Attributes:
        text: As uploaded: plain text, Markdown, or HTML by `media_type`.
        answer: What it wants said; empty where it wants no answer at all.
        replaces: Index of the row's clean passage whose place it takes; None: it is added.
        before: Whether the replaced passage is deleted first and this uploaded as a new document.
        days_ago: How long before the question it was uploaded; clean passages are 200 days old.
        slot: Texts of one slot come from one hand where the provenance mode deals several.
        honest: Whether it is a true text that only earns its hand a good name; `answer` is empty.
    """

    text: str
    answer: str
    media_type: str = "text/plain"
    title: str = ""
    hand: Hand = Hand.ANY
    replaces: int | None = None
    before: bool = False
    days_ago: float = 1.0
    slot: int = 0
    honest: bool = False


class Attack(Protocol):
    """Makes the texts that are planted for one question. Deterministic in its arguments."""

    def __call__(
        self, row: Row, b: int, others: Sequence[Row], random: Random
    ) -> tuple[Planted, ...]:
        """Return what is planted for `row`.

        Args:
            row: The question; texts that stand in it win over templates.
            b: Texts that the attacker has, >= 1. An attack that is a flood by its nature plants
                the number that its docstring states.
            others: The other questions of the run, e.g. to borrow a wrong answer of the same kind.
            random: Seeded by run, attack and row.
        """
        ...
