"""Small charts as SVG: lines, named points, and values with their intervals. Text is escaped."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

_WIDTH: Final = 680
_HEIGHT: Final = 400
_LEFT: Final = 64
_RIGHT: Final = 220
_TOP: Final = 36
_BOTTOM: Final = 48
_COLOURS: Final = (
    "#1b6ca8", "#c8553d", "#2e7d4f", "#8a5a9e", "#b8860b", "#3f7f7f", "#7a7a7a", "#a03060", "#5d6d1e", "#333333",
    "#4aa3df", "#e8927c", "#6fbf8b", "#c39bd3", "#d4ac0d", "#76b7b2", "#b0b0b0", "#e377a2", "#a9b665", "#888888",
)  # fmt: skip
_SPAN_HEAD: Final = 20
_SPAN_STEP: Final = 9
_SPAN_GAP: Final = 6
_FONT: Final = 'font-family="sans-serif" font-size="12"'


def lines(
    title: str, series: Mapping[str, Sequence[tuple[float, float]]], *, across: str, up: str
) -> str:
    """Return a chart of named series of positive points, both axes logarithmic."""
    places = [place for points in series.values() for place in points]
    left, right = _decades([x for x, _ in places])
    low, high = _decades([y for _, y in places])
    body = [*_axes(title, across, up), *_grid(left, right, low, high)]
    for at, (name, points) in enumerate(series.items()):
        colour = _COLOURS[at % len(_COLOURS)]
        shown = [
            (_across(math.log10(x), left, right), _up(math.log10(y), low, high)) for x, y in points
        ]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in shown)
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        body += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in shown]
        body += _key(at, name, colour)
    return _svg(body)


def points(title: str, named: Mapping[str, tuple[float, float]], *, across: str, up: str) -> str:
    """Return a chart of named points, both coordinates in [0, 1] and told in per cent."""
    body = [*_axes(title, across, up), *_unit_grid()]
    for at, (name, (right, height)) in enumerate(named.items()):
        colour = _COLOURS[at % len(_COLOURS)]
        x, y = _across(right, 0, 1), _up(height, 0, 1)
        body.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{colour}"/>')
        body += _key(at, name, colour)
    return _svg(body)


def unit_lines(
    title: str,
    series: Mapping[str, Sequence[tuple[float, float]]],
    *,
    across: str,
    up: str,
    diagonal: bool = False,
    marked: bool = True,
) -> str:
    """Return a chart of named series of points in [0, 1], told in per cent.

    Args:
        title: Above it.
        series: Points of each by rising first coordinate.
        across: What the first coordinate is.
        up: What the second is.
        diagonal: Draw where both are equal.
        marked: Draw each point, not the line alone.
    """
    body = [*_axes(title, across, up), *_unit_grid()]
    if diagonal:
        body.append(_rule(_LEFT, _HEIGHT - _BOTTOM, _WIDTH - _RIGHT, _TOP))
    for at, (name, places) in enumerate(series.items()):
        colour = _COLOURS[at % len(_COLOURS)]
        shown = [(_across(x, 0, 1), _up(y, 0, 1)) for x, y in places]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in shown)
        body.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        if marked:
            body += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in shown]
        body += _key(at, name, colour)
    return _svg(body, height=_with_key(len(series)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A value with what lies about it: `low` <= `value` <= `high`."""

    low: float
    value: float
    high: float


def spans(
    title: str, groups: Mapping[str, Mapping[str, Span]], *, across: str, per_cent: bool
) -> str:
    """Return values with their intervals, one below another: a block a group, a colour a series.

    Args:
        title: Above it.
        groups: Spans by series; a group may lack some series. Nothing is below 0.
        across: What the values are.
        per_cent: The axis goes from 0 to 100%; if not, from 0 to the highest in its own unit.
    """
    names = list(dict.fromkeys(name for spans_ in groups.values() for name in spans_))
    colours = {name: _COLOURS[at % len(_COLOURS)] for at, name in enumerate(names)}
    highest = max((one.high for held in groups.values() for one in held.values()), default=0.0)
    top = 1.0 if per_cent else highest or 1.0
    body, y = [_text(_LEFT, 20, title, weight="bold")], float(_TOP)
    for group, held in groups.items():
        body.append(_text(_LEFT, y + 10, group))
        y += _SPAN_HEAD
        for name, one in held.items():
            body += _span(one, y, top=top, colour=colours[name], name=f"{group}: {name}")
            y += _SPAN_STEP
        y += _SPAN_GAP
    ruled = []
    for part in range(6):
        x = _across(part / 5, 0, 1)
        told = f"{part * 20}%" if per_cent else f"{top * part / 5:.3g}"
        ruled += [_rule(x, _TOP, x, y), _text(x, y + 16, told, anchor="middle")]
    ruled.append(_text((_LEFT + _WIDTH - _RIGHT) / 2, y + 34, across, anchor="middle"))
    for at, name in enumerate(names):
        body += _key(at, name, colours[name])
    return _svg([*ruled, *body], height=max(round(y) + _BOTTOM, _with_key(len(names))))


def _span(one: Span, y: float, *, top: float, colour: str, name: str) -> list[str]:
    low, value, high = (_across(each, 0, top) for each in (one.low, one.value, one.high))
    told = f"{name} {one.value:.3g} ({one.low:.3g} to {one.high:.3g})"
    return [
        f"<g><title>{escape(told)}</title>",
        f'<line x1="{low:.1f}" y1="{y:.1f}" x2="{high:.1f}" y2="{y:.1f}" stroke="{colour}"/>',
        f'<circle cx="{value:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/></g>',
    ]


def _with_key(names: int) -> int:
    """Return the height that a key of so many names needs at least."""
    return max(_HEIGHT, _TOP + 20 * names + 16)


def _unit_grid() -> list[str]:
    body = []
    for tick in range(0, 101, 20):
        x, y = _across(tick / 100, 0, 1), _up(tick / 100, 0, 1)
        body.append(_text(x, _HEIGHT - _BOTTOM + 16, f"{tick}%", anchor="middle"))
        body.append(_text(_LEFT - 8, y + 4, f"{tick}%", anchor="end"))
        body.append(_rule(_LEFT, y, _WIDTH - _RIGHT, y))
        body.append(_rule(x, _TOP, x, _HEIGHT - _BOTTOM))
    return body


def _decades(values: Sequence[float]) -> tuple[float, float]:
    """Return the logarithms of the ends, a little outside of the values."""
    return math.log10(min(values)) - 0.08, math.log10(max(values)) + 0.08


def _across(value: float, left: float, right: float) -> float:
    return _LEFT + (value - left) / (right - left) * (_WIDTH - _LEFT - _RIGHT)


def _up(value: float, low: float, high: float) -> float:
    return _HEIGHT - _BOTTOM - (value - low) / (high - low) * (_HEIGHT - _TOP - _BOTTOM)


def _grid(left: float, right: float, low: float, high: float) -> list[str]:
    body = []
    for value in (500, 1_000, 2_000, 4_000, 8_000, 20_000):
        if left <= math.log10(value) <= right:
            x = _across(math.log10(value), left, right)
            body.append(_rule(x, _TOP, x, _HEIGHT - _BOTTOM))
            body.append(_text(x, _HEIGHT - _BOTTOM + 16, f"{value:,}", anchor="middle"))
    for power in range(math.ceil(low), math.floor(high) + 1):
        y = _up(power, low, high)
        body.append(_rule(_LEFT, y, _WIDTH - _RIGHT, y))
        body.append(_text(_LEFT - 8, y + 4, f"{10.0**power:g}", anchor="end"))
    return body


def _axes(title: str, across: str, up: str) -> list[str]:
    middle = (_TOP + _HEIGHT - _BOTTOM) / 2
    return [
        _text(_LEFT, 20, title, weight="bold"),
        _text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 10, across, anchor="middle"),
        f'<text x="16" y="{middle}" {_FONT} text-anchor="middle" '
        f'transform="rotate(-90 16 {middle})">{escape(up)}</text>',
    ]


def _key(at: int, name: str, colour: str) -> list[str]:
    x, y = _WIDTH - _RIGHT + 16, _TOP + 12 + at * 20
    return [
        f'<rect x="{x}" y="{y - 9}" width="10" height="10" fill="{colour}"/>',
        _text(x + 16, y, name),
    ]


def _text(x: float, y: float, text: str, *, anchor: str = "start", weight: str = "normal") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" {_FONT} text-anchor="{anchor}" font-weight="{weight}">'
        f"{escape(text)}</text>"
    )


def _rule(left: float, top: float, right: float, bottom: float) -> str:
    return (
        f'<line x1="{left:.1f}" y1="{top:.1f}" x2="{right:.1f}" y2="{bottom:.1f}" stroke="#ddd"/>'
    )


def _svg(body: Sequence[str], *, height: int = _HEIGHT) -> str:
    inner = "\n".join(body)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" '
        f'width="{_WIDTH}" height="{height}">\n'
        f'<rect width="{_WIDTH}" height="{height}" fill="white"/>\n{inner}\n</svg>\n'
    )
