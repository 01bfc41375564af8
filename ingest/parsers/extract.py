"""What a parser finds, in plain Python, so that the child process need not load numpy.

`ingest.parsers.wire` turns it into JSON and `domain.parse_wire` turns that into a
`ParsedDocument`. A derived text is a list of segments: a piece copied from the source one code
point for one, or a piece put in its place (an entity, a separator) that stands for a whole range.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from domain.errors import DocumentUnreadableError


@dataclass(frozen=True, slots=True)
class Copied:
    """`length` code points of the source from `start`."""

    start: int
    length: int


@dataclass(frozen=True, slots=True)
class Put:
    """`text` that stands for the source range `[start, end)`, each code point for all of it."""

    text: str
    start: int
    end: int


Segment = Copied | Put


@dataclass(frozen=True, slots=True)
class Derived:
    """Text derived from a source, as segments in reading order."""

    segments: tuple[Segment, ...] = ()

    def text(self, source: str) -> str:
        return "".join(
            source[s.start : s.start + s.length] if isinstance(s, Copied) else s.text
            for s in self.segments
        )

    def shifted(self, offset: int) -> Derived:
        """Return the same text for a source that now stands at `offset` of a longer one."""
        return Derived(tuple(_shifted(segment, offset) for segment in self.segments))


def _shifted(segment: Segment, offset: int) -> Segment:
    if isinstance(segment, Copied):
        return Copied(segment.start + offset, segment.length)
    return Put(segment.text, segment.start + offset, segment.end + offset)


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Hidden text; `domain.documents.HiddenPassage` before its map is made."""

    channel: str
    text: Derived
    locator: str | None = None
    benign: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRange:
    locator: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """`domain.documents.ParsedDocument` before its maps are made."""

    media_type: str
    raw_text: str
    visible: Derived
    hidden: tuple[Passage, ...] = ()
    metadata: tuple[Field, ...] = ()
    parts: tuple[PartRange, ...] = ()
    warnings: tuple[str, ...] = ()


class DerivedBuilder:
    """Collects segments; adjacent copies become one."""

    __slots__ = ("_segments",)

    def __init__(self) -> None:
        self._segments: list[Segment] = []

    def copy(self, start: int, end: int) -> None:
        if end <= start:
            return
        if self._segments:
            last = self._segments[-1]
            if isinstance(last, Copied) and last.start + last.length == start:
                self._segments[-1] = Copied(last.start, last.length + end - start)
                return
        self._segments.append(Copied(start, end - start))

    def put(self, text: str, start: int, end: int) -> None:
        if text:
            self._segments.append(Put(text, start, end))

    def build(self) -> Derived:
        return Derived(tuple(self._segments))

    def __bool__(self) -> bool:
        return bool(self._segments)


@dataclass(slots=True)
class BinaryText:
    """Builds the raw text of a format that has none of its own, visible and hidden in one.

    Attributes:
        max_chars: Most code points of raw text.
    """

    max_chars: int
    size: int = 0
    hidden: list[Passage] = field(default_factory=list)
    metadata: list[Field] = field(default_factory=list)
    parts: list[PartRange] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    _pieces: list[str] = field(default_factory=list)
    _visible: DerivedBuilder = field(default_factory=DerivedBuilder)
    _embedded: bool = False

    def _append(self, text: str) -> int:
        start = self.size
        self.size += len(text)
        if self.size > self.max_chars:
            raise DocumentUnreadableError(
                f"document gives more than {self.max_chars} code points", reason="too-much-text"
            )
        self._pieces.append(text)
        return start

    def show(self, text: str) -> None:
        start = self._append(text)
        self._visible.copy(start, self.size)

    def hide(
        self, text: str, *, channel: str, locator: str | None = None, benign: bool = False
    ) -> None:
        """Add `text` as a hidden passage, on lines of its own."""
        if not text.strip():
            return
        start = self._append(text)
        passage = Derived((Copied(start, self.size - start),))
        self._append("\n")
        self.hidden.append(Passage(channel=channel, text=passage, locator=locator, benign=benign))

    def warn(self, *codes: str) -> None:
        self.warnings.extend(code for code in codes if code not in self.warnings)

    def describe(self, name: str, value: str) -> None:
        if value.strip():
            self.metadata.append(Field(name=name, value=value.strip()))

    def part(self, locator: str, start: int) -> None:
        """Record that the part `locator` reaches from `start` to here."""
        self.parts.append(PartRange(locator=locator, start=start, end=self.size))

    def embed(self, extract: Extract, *, locator: str, visible: bool = True) -> None:
        """Add another document's text as the part `locator`, its own parts below that."""
        if visible and self._embedded:
            between = self._append("\n")  # or the last word of one part would run into the next
            self._visible.copy(between, self.size)
        self._embedded = self._embedded or (visible and bool(extract.visible.segments))
        offset = self._append(extract.raw_text)
        if visible:
            for segment in extract.visible.shifted(offset).segments:
                if isinstance(segment, Copied):
                    self._visible.copy(segment.start, segment.start + segment.length)
                else:
                    self._visible.put(segment.text, segment.start, segment.end)
        self._append("\n")
        self.part(locator, offset)
        for part in extract.parts:
            self.parts.append(
                PartRange(
                    locator=f"{locator}, {part.locator}",
                    start=part.start + offset,
                    end=part.end + offset,
                )
            )
        for passage in extract.hidden:
            inner = locator if passage.locator is None else f"{locator}, {passage.locator}"
            self.hidden.append(
                Passage(
                    channel=passage.channel,
                    text=passage.text.shifted(offset),
                    locator=inner,
                    benign=passage.benign,
                )
            )
        self.metadata.extend(extract.metadata)
        self.warn(*extract.warnings)

    def build(self, media_type: str) -> Extract:
        return Extract(
            media_type=media_type,
            raw_text="".join(self._pieces),
            visible=self._visible.build(),
            hidden=tuple(self.hidden),
            metadata=tuple(self.metadata),
            parts=tuple(sorted(self.parts, key=lambda part: part.start)),
            warnings=tuple(self.warnings),
        )


def unreadable(reason: str) -> DocumentUnreadableError:
    return DocumentUnreadableError(f"document cannot be read: {reason!r}", reason=reason)


def word_count(texts: Iterable[str]) -> int:
    return sum(len(text.split()) for text in texts)
