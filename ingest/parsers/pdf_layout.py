"""Joins a page's pieces of text into lines, and tells the ones a reader cannot see."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ingest.parsers.extract import BinaryText

Box = tuple[float, float, float, float]
"""Left, bottom, right, top in page space."""
Rgb = tuple[int, int, int]

WHITE: Final = (255, 255, 255)
INVISIBLE_MODES: Final = frozenset({3, 7})
STROKE_MODES: Final = frozenset({1, 5})
OUTLINED_MODES: Final = frozenset({2, 6})
TINY_POINTS: Final = 2.0
FAINT_ALPHA: Final = 20
NEAR: Final = 24
"""Channels of 255 within which text cannot be told from its background."""
MAX_PAINTS: Final = 400
COVERED: Final = 0.85
SQUEEZED: Final = 0.1
"""Ems a letter: narrow letters are twice as wide. Text over fewer is not what the glyphs show."""
_FEWEST_LETTERS: Final = 6
_FEWEST_WORDS: Final = 4
"""Of a replacement: a ligature, a word that a line parts, a symbol are replaced by less."""
SCAN_SHARE: Final = 0.5
"""Share of a page that an image covers where invisible text is taken for its OCR layer."""
HEADING_RATIO: Final = 1.18
HEADING_WORDS: Final = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Glyphs:
    """One text object.

    Attributes:
        size: Height of its font in page space.
        mode: PDF text render mode.
        colour, alpha: Of the letters' fill, or of their outline where that is all; alpha 0 to 255.
        edge: Colour of the outline besides the fill; None where there is none to see.
        order: Place in the order of painting.
        replaced: The file gives the text in the glyphs' place (`ActualText`).
        layered: On a layer that is off when the file is opened.
        clip: What clipping leaves of the page; None where nothing clips.
    """

    text: str
    box: Box
    baseline: float
    left: float
    size: float
    upright: bool
    mode: int
    colour: Rgb
    alpha: int
    edge: Rgb | None = None
    order: int
    replaced: bool = False
    layered: bool = False
    clip: Box | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Paint:
    """An opaque box or an image; `colour` is None where it is not known."""

    box: Box
    colour: Rgb | None
    order: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    text: str
    channel: str | None
    size: float
    gap: float
    """Distance to the line before, in line heights; 0 for the first."""


def lay_out(
    glyphs: Sequence[Glyphs], paints: Sequence[Paint], *, box: Box, into: BinaryText, locator: str
) -> None:
    """Add a page's text to `into`: what is seen as shown lines, the rest as passages."""
    large = sorted(paints, key=lambda paint: -_area(paint.box))
    if len(large) > MAX_PAINTS:
        into.warn("pdf-page-too-complex")
    kept = sorted(large[:MAX_PAINTS], key=lambda paint: paint.order)
    lines = list(_lines(glyphs, [_channel(item, kept, box) for item in glyphs]))
    seen = {word for line in lines if line.channel is None for word in line.text.lower().split()}
    scanned = any(
        paint.colour is None and _overlap(paint.box, box) >= SCAN_SHARE * _area(box)
        for paint in kept
    )
    body = statistics.median(line.size for line in lines if line.channel is None) if seen else 0.0
    for channel, group in _groups(lines):
        if channel is None:
            _show(group, body, into)
            continue
        text = "\n".join(line.text for line in group)
        repeats = _repeats(text, seen)
        layer = channel == "pdf-render-mode-3" and scanned and not seen
        into.hide(text, channel=channel, locator=locator, benign=repeats or layer)
        if layer:  # the only text of a scanned page: what its reader reads, as far as OCR goes
            into.warn("pdf-ocr-layer")
            into.show(text + "\n")
    if scanned and not lines:
        into.warn("pdf-no-text-layer")


def _repeats(text: str, seen: set[str]) -> bool:
    words = text.lower().split()
    return bool(words) and sum(word in seen for word in words) >= 0.9 * len(words)


def _show(lines: Sequence[_Line], body: float, into: BinaryText) -> None:
    for line in lines:
        if line.gap > 1.7 and into.size:  # noqa: PLR2004 - line heights
            into.show("\n")
        heading = line.size >= body * HEADING_RATIO and len(line.text.split()) <= HEADING_WORDS
        into.show(f"# {line.text}\n" if heading else f"{line.text}\n")


def _groups(lines: Iterable[_Line]) -> Iterable[tuple[str | None, list[_Line]]]:
    """Yield runs of lines of one channel."""
    group: list[_Line] = []
    for line in lines:
        if group and group[-1].channel != line.channel:
            yield group[-1].channel, group
            group = []
        group.append(line)
    if group:
        yield group[-1].channel, group


def _lines(glyphs: Sequence[Glyphs], channels: Sequence[str | None]) -> Iterable[_Line]:
    items: list[Glyphs] = []
    channel: str | None = None
    gap = 0.0
    for item, hidden in zip(glyphs, channels, strict=True):
        blank = not item.text.strip()
        if items and ((hidden != channel and not blank) or not _same_line(items[-1], item)):
            yield from _line(items, channel, gap)
            gap = abs(items[-1].baseline - item.baseline) / max(items[0].size, 1.0)
            items = []
        if blank and not items:
            continue
        if not items:
            channel = hidden
        items.append(item)
    yield from _line(items, channel, gap)


def _line(items: Sequence[Glyphs], channel: str | None, gap: float) -> Iterable[_Line]:
    text = " ".join(_join(items).split())
    if text:
        yield _Line(text=text, channel=channel, size=items[0].size, gap=gap)


def _join(items: Sequence[Glyphs]) -> str:
    """Return the text of one line.

    Where each glyph is an object of its own, distance says little: a word's letters may stand as far apart as words do, so spaces are where they were written, or
    where the distance is well above the line's own.
    """
    single = sum(len(item.text.strip()) <= 1 for item in items) >= max(4, 0.8 * len(items))
    if not single:
        return "".join(
            (" " if at and _spaced(items[at - 1], item, 0.22) else "") + item.text
            for at, item in enumerate(items)
        )
    if sum(not item.text.strip() for item in items) * 20 >= len(items):
        return "".join(item.text.strip() or " " for item in items)
    gaps = [(b.box[0] - a.box[2]) / max(b.size, 1.0) for a, b in itertools.pairwise(items)]
    usual = max(0.22, statistics.median(gaps) + 0.18)
    return items[0].text.strip() + "".join(
        (" " if gap > usual else "") + item.text.strip()
        for gap, item in zip(gaps, items[1:], strict=True)
    )


def _same_line(last: Glyphs, item: Glyphs) -> bool:
    tall = max(last.size, item.size, 1.0)
    return (
        last.upright
        and item.upright
        and abs(last.baseline - item.baseline) <= 0.4 * tall
        and item.left >= last.left - 0.5 * tall
        and item.left - last.box[2] < 20 * tall
    )


def _spaced(last: Glyphs, item: Glyphs, ems: float) -> bool:
    return item.box[0] - last.box[2] > ems * max(item.size, 1.0)


def _channel(item: Glyphs, paints: Sequence[Paint], page: Box) -> str | None:
    """Return how `item` is hidden; None if a reader sees it."""
    if not item.text.strip():
        return None
    if item.mode in INVISIBLE_MODES:
        return "pdf-render-mode-3"
    return _cut_away(item, page) or _painted_away(item, paints)


def _cut_away(item: Glyphs, page: Box) -> str | None:
    if _overlap(item.box, page) <= 0.1 * _area(item.box):
        return "pdf-off-page"
    if item.layered:
        return "pdf-layer"
    if item.clip is not None and _overlap(item.box, item.clip) <= 0.1 * _area(item.box):
        return "pdf-clipped"
    if item.size < TINY_POINTS or item.box[3] - item.box[1] < 0.6:  # noqa: PLR2004 - points
        return "pdf-tiny"
    if item.replaced and len(item.text.split()) >= _FEWEST_WORDS:
        return "pdf-actual-text"
    return "pdf-squeezed" if _is_squeezed(item) else None


def _is_squeezed(item: Glyphs) -> bool:
    """Whether the text has no room: letters set on one spot, or glyphs that stand for much text."""
    letters = sum(not letter.isspace() for letter in item.text)
    across, up = item.box[2] - item.box[0], item.box[3] - item.box[1]
    along, height = (across, up) if item.upright else (up, across)
    em = min(item.size, 1.6 * height)  # letters without ascenders are half an em high
    return letters >= _FEWEST_LETTERS and along < SQUEEZED * em * letters


def _painted_away(item: Glyphs, paints: Sequence[Paint]) -> str | None:
    if item.alpha <= FAINT_ALPHA and item.edge is None:
        return "pdf-transparent"
    behind: Rgb | None = WHITE
    strips: list[tuple[float, float]] = []
    for paint in paints:
        share = _overlap(item.box, paint.box) / max(_area(item.box), 1e-6)
        if share < COVERED:
            if paint.order > item.order and share > 0 and _is_high(paint.box, item.box):
                strips.append((paint.box[0], paint.box[2]))
            continue
        if paint.order > item.order:
            return "pdf-under-image" if paint.colour is None else "pdf-under-box"
        behind = paint.colour
    if strips and _covered(strips, item.box[0], item.box[2]) >= COVERED:
        return "pdf-under-box"
    if behind is None or (item.edge is not None and not _near(item.edge, behind)):
        return None
    if _near(item.colour, behind):
        return "pdf-near-white" if _near(behind, WHITE) else "pdf-colour-on-colour"
    return None


def _is_high(paint: Box, letters: Box) -> bool:
    height = max(letters[3] - letters[1], 1e-6)
    return min(paint[3], letters[3]) - max(paint[1], letters[1]) >= COVERED * height


def _covered(strips: Sequence[tuple[float, float]], left: float, right: float) -> float:
    """Return the share of a line that strips side by side cover together."""
    covered, reached = 0.0, left
    for start, end in sorted(strips):
        covered += max(0.0, min(end, right) - max(start, reached))
        reached = max(reached, min(end, right))
    return covered / max(right - left, 1e-6)


def _near(one: Rgb, other: Rgb) -> bool:
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) <= NEAR


def _area(box: Box) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def _overlap(one: Box, other: Box) -> float:
    return _area(
        (max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3]))
    )
