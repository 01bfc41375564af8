"""Case law in some hundreds of reporters, by eyecite: an extra, `pip install 'mithridate[case-law]'`.

It finds and knows when each reporter appeared. Whether a decision exists it does not know, and the
year it tells may be that of a citation next to it, so the year is read here.
"""

from __future__ import annotations

import re
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from itertools import islice
from typing import Final, Protocol, cast

from domain.citations import Case
from domain.errors import DetectorUnavailableError
from domain.text import Span

MAX_WINDOWS: Final = 100
"""Of a document, at some ten milliseconds each; the rest is left to the built-in reporters."""
_REACH: Final = 60
_MAX_WINDOW: Final = 2_000
_CANDIDATE: Final = re.compile(
    r"(?<![\w.])\d{1,4} [A-Z][A-Za-z.'\u2019 ]{1,24}(?:[2-5][a-z]{1,2})? \d{1,5}(?!\w)"
)
_YEAR: Final = re.compile(
    r"(?:,? \d{1,5}(?:[-\u2013]\d{1,5})?){0,2} ?\([^()\n]{0,40}?(1[6-9]\d\d|2\d\d\d)\)"
)


class _Edition(Protocol):
    start: datetime | None
    end: datetime | None


class _Found(Protocol):
    all_editions: Iterable[_Edition]

    def span(self) -> tuple[int, int]: ...


class EyeciteCases:
    """A `CaseFinder`. Loads eyecite and its reporters at the first text."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._get: Callable[[str], Sequence[_Found]] | None = None

    def find(self, text: str, *, today: date) -> Sequence[Case]:
        windows = list(islice(_windows(text), MAX_WINDOWS))
        if not windows:
            return ()
        with self._lock:
            get = self._load()
            return [
                _case(text, window, found, today)
                for window in windows
                for found in get(text[window.start : window.end])
                if hasattr(found, "all_editions")
            ]

    def _load(self) -> Callable[[str], Sequence[_Found]]:
        if self._get is None:
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of its import, not ours to mend
                    from eyecite import get_citations
            except ImportError as exc:
                raise DetectorUnavailableError("eyecite is not installed") from exc
            self._get = lambda piece: cast("Sequence[_Found]", get_citations(piece))
        return self._get


def _windows(text: str) -> Iterator[Span]:
    """Yield where case law may be cited, joined where that is close together, in bounded pieces."""
    last: Span | None = None
    for match in _CANDIDATE.finditer(text):
        start, end = max(0, match.start() - _REACH), min(len(text), match.end() + _REACH)
        if last is not None and start <= last.end and end - last.start <= _MAX_WINDOW:
            last = Span(last.start, end)
            continue
        if last is not None:
            yield last
        last = Span(start if last is None else max(start, last.end), end)
    if last is not None:
        yield last


def _case(text: str, window: Span, found: _Found, today: date) -> Case:
    start, end = found.span()
    at = Span(window.start + start, window.start + end)
    said = _YEAR.match(text, at.end)
    year = int(said[1]) if said else None
    whole = Span(at.start, said.end() if said else at.end)
    return Case(at=whole, fault=None if year is None else _fault(year, found, today))


def _fault(year: int, found: _Found, today: date) -> str | None:
    if year > today.year:
        return "a decision of the future"
    editions = list(found.all_editions)
    known = [one for one in editions if one.start is not None]
    if not known or len(known) < len(editions):
        return None
    # Reporters take up older decisions, and print those of their last year later.
    fits = any(
        one.start is not None
        and one.start.year - 2 <= year <= (one.end.year if one.end else today.year) + 1
        for one in known
    )
    return None if fits else "the reporter did not appear then"
