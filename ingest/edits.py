"""Changes a mapped text in many places at once, in time linear in it."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from domain.text import MappedText

_COPIED: Final = -1


class Edits:
    """Changes to a text, told from its beginning to its end and made at once."""

    def __init__(self, source: MappedText) -> None:
        self._source = source
        self._pieces: list[str] = []
        self._rows: list[tuple[int, int, int]] = []
        self._at = 0

    def put(self, start: int, end: int, text: str) -> None:
        """Have `text` stand for `[start, end)`, each of its code points for all of it."""
        self._copy_to(start)
        self._pieces.append(text)
        self._rows.append((len(text), start, end))
        self._at = end

    def substitute(self, start: int, text: str) -> None:
        """Have each code point of `text` stand for the one that is in its place."""
        self._copy_to(start)
        self._pieces.append(text)
        self._rows.append((len(text), start, _COPIED))
        self._at = start + len(text)

    def drop(self, start: int, end: int) -> None:
        """Leave `[start, end)` out."""
        self._copy_to(start)
        self._at = end

    def before(self, place: int) -> str:
        """Return the code point that stands before `place` as changed so far; empty at the start."""
        if place == self._at and self._pieces:
            return self._pieces[-1][-1:]
        return self._source.text[place - 1 : place] if place else ""

    def made(self) -> MappedText:
        """Return the text with all changes; the source itself if there are none."""
        if not self._at:
            return self._source
        self._copy_to(len(self._source.text))
        rows = np.array(self._rows, dtype=np.int64).reshape(-1, 3)
        lengths, first, last = rows.T
        copied = last == _COPIED
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        index = np.repeat(first, lengths) + np.where(np.repeat(copied, lengths), within, 0)
        starts, ends = self._source.starts[index], self._source.ends[index]
        wide = ~copied & (last - first > 1)
        if wide.any():
            edges = rows[wide, 1:].ravel()
            # One more code point than there is: `reduceat` takes no edge at the end.
            least = np.minimum.reduceat(np.append(self._source.starts, 0), edges)[::2]
            greatest = np.maximum.reduceat(np.append(self._source.ends, 0), edges)[::2]
            put = np.repeat(wide, lengths)
            starts[put] = np.repeat(least, lengths[wide])
            ends[put] = np.repeat(greatest, lengths[wide])
        return MappedText(text="".join(self._pieces), starts=starts, ends=ends)

    def _copy_to(self, place: int) -> None:
        if place > self._at:
            self._pieces.append(self._source.text[self._at : place])
            self._rows.append((place - self._at, self._at, _COPIED))


def without(source: MappedText, pattern: re.Pattern[str], group: int = 0) -> MappedText:
    """Return the text without what `pattern` (or a group of it) matches."""
    spans = [match.span(group) for match in pattern.finditer(source.text)]
    if not spans:
        return source
    edges = np.array(spans, dtype=np.int64)
    change = np.zeros(len(source.text) + 1, dtype=np.int32)
    np.add.at(change, edges[:, 0], 1)
    np.add.at(change, edges[:, 1], -1)
    return kept(source, np.cumsum(change[:-1]) == 0)


def kept(source: MappedText, mask: np.typing.NDArray[np.bool_]) -> MappedText:
    """Return the code points of the text for which `mask`, shape `(len(text),)`, is true."""
    codes = np.frombuffer(source.text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    return MappedText(
        text=codes[mask].tobytes().decode("utf-32-le", "surrogatepass"),
        starts=source.starts[mask],
        ends=source.ends[mask],
    )
