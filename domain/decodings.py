"""What a text says once it is decoded: facts that several detectors read and one works out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from domain.text import MappedText


@dataclass(frozen=True, slots=True, kw_only=True)
class Blob:
    """What an encoded run says.

    Attributes:
        text: Mapped to the text that the run stands in, evenly over the run.
        start, end: The run.
        embedded: Part of a `data:` URI of another type than text: a picture, a source map.
        letters: Plain ASCII letters were escaped, which nothing honest needs.
    """

    encoding: str
    text: MappedText
    start: int
    end: int
    embedded: bool = False
    letters: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Disguise:
    """A sentence in disguise, with what it says.

    Attributes:
        readings: What it says, mapped to the text; a reversed one may be read in two orders.
        votes: Words that are common ones in disguise.
    """

    encoding: str
    start: int
    end: int
    votes: int
    readings: tuple[MappedText, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Prose that was taken apart or run together, joined as it reads; mapped to the text.

    Attributes:
        sure: So long, or so odd, that no identifier or poem reads like it.
    """

    encoding: str
    start: int
    end: int
    text: MappedText
    sure: bool = True


class Decodings(Protocol):
    """Decodes a text one layer deep, each text once. Belongs to one scan, on one thread."""

    def blobs(self, text: str) -> Sequence[Blob]:
        """Return the readable contents of encoded runs."""
        ...

    def disguises(self, text: str) -> Sequence[Disguise]:
        """Return the sentences whose words are written otherwise, in order."""
        ...

    def splits(self, text: str) -> Sequence[Split]:
        """Return what reads as prose once it is joined or divided."""
        ...
