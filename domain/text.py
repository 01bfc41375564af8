"""Text that remembers where it came from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range `[start, end)` of code points in `Document.raw_text`."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"span must satisfy 0 <= start <= end, got {self.start}, {self.end}")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MappedText:
    """A text derived from another, with a map from each code point to its source range.

    Attributes:
        text: The derived text, e.g. NFKC with invisible characters removed.
        starts: Shape `(len(text),)`, int32: first source code point behind each derived one.
        ends: Shape `(len(text),)`, int32: one past the last. `starts <= ends`. Neighbours may
            overlap (a ligature that became two letters) and gaps are what was dropped.
            `starts` need not rise where a bidirectional override was undone.
    """

    text: str
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]

    def __post_init__(self) -> None:
        if not len(self.text) == len(self.starts) == len(self.ends):
            raise ValueError(
                f"map of {len(self.starts)}, {len(self.ends)} for {len(self.text)} code points"
            )

    @classmethod
    def identity(cls, text: str, *, offset: int = 0) -> MappedText:
        """Return `text` mapped to itself, standing at `offset` in its source."""
        starts = np.arange(offset, offset + len(text), dtype=np.int32)
        return cls(text=text, starts=starts, ends=starts + 1)

    def source(self, start: int, end: int) -> Span:
        """Return the smallest source span that covers derived `[start, end)`.

        An empty derived range maps to an empty source range at its start; past the last code
        point that is the end of the source range. An empty text maps to `Span(0, 0)`.

        Raises:
            ValueError: Not `0 <= start <= end <= len(text)`.
        """
        if not 0 <= start <= end <= len(self.text):
            raise ValueError(f"range {start}:{end} outside text of {len(self.text)}")
        if not self.text:
            return Span(0, 0)
        if start == end:
            at = int(self.starts[start]) if start < len(self.text) else int(self.ends[-1])
            return Span(at, at)
        return Span(int(self.starts[start:end].min()), int(self.ends[start:end].max()))

    def slice(self, start: int, end: int) -> MappedText:
        """Return derived `[start, end)` with its map."""
        return MappedText(
            text=self.text[start:end], starts=self.starts[start:end], ends=self.ends[start:end]
        )
