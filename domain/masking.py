"""Values that must not be read by everybody who may read the document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

PLACEHOLDER_OPENING: Final = "[masked:"


def placeholder(rule: str) -> str:
    """Return what stands for a value, e.g. `[masked:iban]`."""
    return f"{PLACEHOLDER_OPENING}{rule.rpartition('.')[2]}]"


class ValueAction(StrEnum):
    """What is done about a kind of value."""

    FLAG = "flag"
    """A finding, weighed like any other."""
    MASK = "mask"
    """A typed placeholder stands for it in the index; the value is in the blob only."""
    HOLD = "hold"
    """The document waits for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SensitiveValue:
    """`[start, end)` of a text is a value that `rule`, e.g. `personal-data.iban`, is about."""

    rule: str
    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ValueError(f"a value must have a place, got {self.start}, {self.end}")


class ValueFinder(Protocol):
    """Finds every value of its kinds, however many: what it leaves out would be read. Pure."""

    def find(self, text: str) -> Sequence[SensitiveValue]:
        """Return the values in order of their place, none overlapping another.

        Raises:
            DetectorUnavailableError: It cannot be loaded, or not all of the text was looked at.
        """
        ...
