"""Whether what a document says of a citation agrees with what its identifier resolves to.

Nothing is parsed out of the entry: the record's title, names and year are looked for in it, which
holds in any style of citing. A style without titles is why a missing title alone is no mismatch.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from rapidfuzz import fuzz

from defences.detectors.citations.author_year import folded
from domain.citations import CitationVerdict, Work

TITLE_AGREES: Final = 85.0
"""Least `partial_ratio` of the record's title within the entry: spelling, hyphens and a subtitle
left out stay above, another title of the same field below (tests/unit/detectors/test_records.py)."""
TITLE_DIFFERS: Final = 68.0
YEARS_APART: Final = 2
"""Online first, in print, and the preprint before: further apart is another work."""
_MIN_TITLE: Final = 3
_MIN_WORDS: Final = 5
_MAX_TEXT: Final = 1_200
_NAMES_COMPARED: Final = 20
_WORD: Final = re.compile(r"[^\W_]+")
_LINK: Final = re.compile(r"https?://\S+|\bdoi:\S+|\b10\.\d{4,9}/\S+|\barxiv:\S+", re.IGNORECASE)
_YEAR: Final = re.compile(r"(?<!\d)(?:1[6-9]|20)\d\d(?!\d)")
_RETRACTION: Final = re.compile(
    r"retract|withdrawn|zur[üu]ckgezogen|r[ée]tract|retirad|ritirat|撤稿|撤回", re.IGNORECASE
)
_SUBTITLE: Final = re.compile(r"[:.?!\u2013\u2014]\s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """`disagrees` names what does: `title`, `authors`, `year`."""

    verdict: CitationVerdict
    disagrees: tuple[str, ...] = ()
    risk: float = 0.0


def compare(work: Work, entry: str | None) -> Comparison:
    """Compare a record with the entry that names it; None where it stands in prose.

    A retracted work that agrees is `retracted`. One that the entry itself calls retracted agrees
    with its record, and is judged like any other.
    """
    if entry is None:
        agrees = Comparison(verdict=CitationVerdict.UNVERIFIED)
    else:
        agrees = _compared(work, entry[:_MAX_TEXT])
    if agrees.verdict is CitationVerdict.MISMATCH or not work.retracted:
        return agrees
    if entry is not None and _RETRACTION.search(entry):
        return agrees
    return Comparison(verdict=CitationVerdict.RETRACTED, risk=0.35)


def names_retraction(text: str) -> bool:
    """Whether the text speaks of a retraction."""
    return _RETRACTION.search(text) is not None


def _compared(work: Work, entry: str) -> Comparison:
    said = _words(_LINK.sub(" ", entry))
    title = _title(work.title, said)
    authors = _authors(work.authors, said)
    year = _year(work.year, entry)
    if len(said.split()) < _MIN_WORDS or title is None:
        return Comparison(verdict=CitationVerdict.UNVERIFIED)
    wrong = tuple(
        name
        for name, fits in (("title", title), ("authors", authors), ("year", year))
        if fits is False
    )
    if title == "unclear":
        doubtful = authors is False and year is False
        return _mismatch(("authors", "year"), 0.6) if doubtful else _UNVERIFIED
    if title is False:
        if authors is True and year is not False:
            return _UNVERIFIED  # a style that leaves titles out
        return _mismatch(wrong, 0.8 if authors is False else 0.65)
    if authors is False:
        return _mismatch(wrong, 0.65 if year is False else 0.5)
    if year is False:
        return _mismatch(wrong, 0.3)
    return Comparison(verdict=CitationVerdict.VERIFIED)


_UNVERIFIED: Final = Comparison(verdict=CitationVerdict.UNVERIFIED)


def _mismatch(wrong: tuple[str, ...], risk: float) -> Comparison:
    return Comparison(verdict=CitationVerdict.MISMATCH, disagrees=wrong, risk=risk)


def _title(title: str, said: str) -> bool | Literal["unclear"] | None:
    """Return whether the title is in what was said, `unclear` between, None without a title."""
    wanted = _words(title[:_MAX_TEXT])
    if len(wanted.replace(" ", "")) < _MIN_TITLE:
        return None
    best = _within(wanted, said)
    main = _words(_SUBTITLE.split(title, maxsplit=1)[0])
    if len(main.split()) >= _MIN_WORDS - 1:
        best = max(best, _within(main, said))
    if best >= TITLE_AGREES:
        return True
    return False if best < TITLE_DIFFERS else "unclear"


def _within(wanted: str, said: str) -> float:
    if len(wanted) > len(said):
        return float(fuzz.ratio(wanted, said))
    return float(fuzz.partial_ratio(wanted, said))


def _authors(authors: tuple[str, ...], said: str) -> bool | None:
    """Return whether any author's family name was said; None where there is no name to look for."""
    words = set(said.split())
    families = [_family(name) for name in authors[:_NAMES_COMPARED]]
    known = [family for family in families if family]
    if not known:
        return None
    return any(set(family.split()) <= words for family in known)


def _family(name: str) -> str:
    """Return the family name: what stands before a comma, else the last word."""
    before, comma, _ = name.partition(",")
    words = [word for word in _words(before).split() if len(word) > 1]
    if not words:
        return ""
    return " ".join(words) if comma else words[-1]


def _year(year: int | None, entry: str) -> bool | None:
    years = [int(found) for found in _YEAR.findall(_LINK.sub(" ", entry))]
    if year is None or not years:
        return None
    return any(abs(year - found) <= YEARS_APART for found in years)


def _words(text: str) -> str:
    return " ".join(_WORD.findall(folded(text)))
