"""Two small charts as SVG: lines over logarithmic axes, and points named on the unit square."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
)  # fmt: skip
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
    body = _axes(title, across, up)
    for tick in range(0, 101, 20):
        x, y = _across(tick / 100, 0, 1), _up(tick / 100, 0, 1)
        body.append(_text(x, _HEIGHT - _BOTTOM + 16, f"{tick}%", anchor="middle"))
        body.append(_text(_LEFT - 8, y + 4, f"{tick}%", anchor="end"))
        body.append(_rule(_LEFT, y, _WIDTH - _RIGHT, y))
        body.append(_rule(x, _TOP, x, _HEIGHT - _BOTTOM))
    for at, (name, (right, height)) in enumerate(named.items()):
        colour = _COLOURS[at % len(_COLOURS)]
        x, y = _across(right, 0, 1), _up(height, 0, 1)
        body.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{colour}"/>')
        body += _key(at, name, colour)
    return _svg(body)


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


def _svg(body: Sequence[str]) -> str:
    inner = "\n".join(body)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'width="{_WIDTH}" height="{_HEIGHT}">\n'
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>\n{inner}\n</svg>\n'
    )
