"""Identifiers of publications: what a well-formed one looks like, and what none can be.

Offline, an identifier is at best unverified: these checks only tell what is impossible.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

AS_OF = date(2026, 11, 1)
"""When the upper limits below were right; later dates widen them."""
LAST_RFC = 10_100  # about 250 a year; RFC 9700 appeared in January 2025
RFCS_A_YEAR = 400
LAST_PMID = 43_500_000  # about 1.8 million a year
PMIDS_A_YEAR = 2_200_000
FIRST_CVE_YEAR = 1999
_ARXIV_FIRST = (7, 4)  # 0704: the first month of the present form
_ARXIV_FIVE_DIGITS = (15, 1)  # 1501: five digits from here on
_ARXIV_LARGEST = 40_000  # papers in a month: 28 thousand in October 2025
_MONTHS = 12
_MAX_DOI_SUFFIX = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifierFault:
    """Why an identifier cannot be right.

    Attributes:
        rule: Kebab-case, behind `citations.`.
        risk: How likely the citation is fabricated, a slip of the pen being the other reading.
        reason: For a person, without the identifier.
    """

    rule: str
    risk: float
    reason: str


Check = Callable[[re.Match[str], date], IdentifierFault | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifierKind:
    """A kind of identifier: where it stands in a text, and whether it can exist."""

    name: str
    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    check: Check


def _arxiv(match: re.Match[str], today: date) -> IdentifierFault | None:
    year, month = int(match["yy"]), int(match["mm"])
    number = match["number"]
    moment = (year, month)
    reason = None
    if not 1 <= month <= _MONTHS:
        reason = "there is no such month"
    elif moment < _ARXIV_FIRST:
        reason = "the form is younger than the date in it"
    elif moment > (today.year % 100, today.month):
        reason = "the date in it lies in the future"
    elif len(number) != (5 if moment >= _ARXIV_FIVE_DIGITS else 4):
        reason = "the number has the wrong width for its date"
    elif not 0 < int(number) <= _ARXIV_LARGEST:
        reason = "no month has had that many papers"
    return _fault("invalid-arxiv", 0.75, reason)


def _doi(match: re.Match[str], _: date) -> IdentifierFault | None:
    prefix = match["prefix"]
    if prefix == "5555":
        # ACM's library shows this test prefix on real papers, so it is no proof.
        return _fault("reserved-doi", 0.35, "the prefix is kept for tests and does not resolve")
    if prefix in {"1234", "12345", "0000", "9999", "99999", "123456"}:
        return _fault("reserved-doi", 0.6, "the prefix is a placeholder")
    if prefix.startswith("0"):
        return _fault("invalid-doi", 0.7, "no registrant number begins so")
    if len(match["suffix"]) > _MAX_DOI_SUFFIX:
        return _fault("invalid-doi", 0.5, "the suffix is longer than any")
    return None


def _isbn(match: re.Match[str], _: date) -> IdentifierFault | None:
    digits = re.sub(r"[ \-\u2010-\u2013]", "", match["digits"]).upper()
    if len(digits) not in {10, 13}:
        return None
    # A page or year behind an ISBN-10 may read like three more digits.
    sound = _sound_isbn13(digits) or _sound_isbn10(digits[:10])
    return None if sound else _fault("invalid-isbn", 0.7, "the check digit is wrong")


def _sound_isbn13(digits: str) -> bool:
    if not digits.isdigit() or digits[:3] not in {"978", "979"}:
        return False
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return len(digits) == 13 and total % 10 == 0  # noqa: PLR2004


def _sound_isbn10(digits: str) -> bool:
    values = [10 if digit == "X" else int(digit) for digit in digits]
    weighted = (value * weight for value, weight in zip(values, range(10, 0, -1), strict=True))
    return sum(weighted) % 11 == 0


def _issn(match: re.Match[str], _: date) -> IdentifierFault | None:
    digits = match["digits"].replace("-", "").upper()
    total = sum(
        int(digit) * weight for digit, weight in zip(digits[:7], range(8, 1, -1), strict=True)
    )
    last = 10 if digits[7] == "X" else int(digits[7])
    sound = (total + last) % 11 == 0
    return None if sound else _fault("invalid-issn", 0.7, "the check digit is wrong")


def _orcid(match: re.Match[str], _: date) -> IdentifierFault | None:
    digits = match["digits"].replace("-", "").upper()
    total = 0
    for digit in digits[:15]:
        total = (total + int(digit)) * 2
    expected = (12 - total % 11) % 11
    last = 10 if digits[15] == "X" else int(digits[15])
    return None if last == expected else _fault("invalid-orcid", 0.7, "the check digit is wrong")


def _pmid(match: re.Match[str], today: date) -> IdentifierFault | None:
    number = int(match["number"])
    limit = LAST_PMID + PMIDS_A_YEAR * max(0, today.year - AS_OF.year)
    reason = None if 0 < number <= limit else "no such number has been given out"
    return _fault("invalid-pmid", 0.7, reason)


def _rfc(match: re.Match[str], today: date) -> IdentifierFault | None:
    number = int(match["number"])
    limit = LAST_RFC + RFCS_A_YEAR * max(0, today.year - AS_OF.year)
    reason = None if 0 < number <= limit else "no such number has been given out"
    return _fault("invalid-rfc", 0.6, reason)


def _cve(match: re.Match[str], today: date) -> IdentifierFault | None:
    year, number = int(match["year"]), match["number"]
    reason = None
    if year < FIRST_CVE_YEAR:
        reason = "the scheme is younger than the year"
    elif year > today.year:
        reason = "the year lies in the future"
    elif len(number) < 4:  # noqa: PLR2004 - the scheme's own least width
        reason = "the number is too short"
    elif len(number) > 4 and number.startswith("0"):  # noqa: PLR2004
        reason = "the number is padded beyond its width"
    return _fault("invalid-cve", 0.7, reason)


def _fault(rule: str, risk: float, reason: str | None) -> IdentifierFault | None:
    return None if reason is None else IdentifierFault(rule=rule, risk=risk, reason=reason)


def _kind(name: str, needles: str, pattern: str, check: Check) -> IdentifierKind:
    return IdentifierKind(
        name=name,
        needles=tuple(needles.split()),
        pattern=re.compile(pattern, re.IGNORECASE),
        check=check,
    )


KINDS: tuple[IdentifierKind, ...] = (
    _kind(
        "arXiv",
        "arxiv",
        r"\barxiv(?:\.org/(?:abs|pdf)/|[ :]{1,3}(?:preprint[ :]{1,3}|e-?prints?[ :]{1,3}|abs/)?"
        r"(?:arxiv:)?)(?P<yy>\d{2})(?P<mm>\d{2})\.(?P<number>\d{3,7})(?![\d.]\d)",
        _arxiv,
    ),
    _kind(
        "DOI",
        "10.",
        r"(?<![\d.\w])10\.(?P<prefix>\d{4,9})(?:\.\d{1,5}){0,3}/(?P<suffix>[^\s\"<>]{1,300})",
        _doi,
    ),
    _kind(
        "ISBN",
        "isbn",
        r"\bisbn(?:-?1[03])?[:\s]{0,3}(?P<digits>\d(?:[ \-\u2010-\u2013]?\d){8,11}"
        r"(?:[ \-\u2010-\u2013]?[\dx]))(?!\d)",
        _isbn,
    ),
    _kind("ISSN", "issn", r"\b[ep]?-?issn[:\s]{0,3}(?P<digits>\d{4}-?\d{3}[\dx])\b", _issn),
    _kind(
        "ORCID",
        "orcid",
        r"\borcid(?:\.org/|(?: id)?[:\s]{1,3}(?:https?://orcid\.org/)?)"
        r"(?P<digits>\d{4}-\d{4}-\d{4}-\d{3}[\dx])\b",
        _orcid,
    ),
    _kind(
        "PMID",
        "pmid pubmed",
        r"(?:\bpmid[:\s]{1,3}|\bpubmed\.ncbi\.nlm\.nih\.gov/)(?P<number>\d{1,12})\b",
        _pmid,
    ),
    _kind("RFC", "rfc", r"\brfc[ \-]?(?P<number>\d{1,7})\b(?![.\-]\d)", _rfc),
    _kind("CVE", "cve-", r"\bcve-(?P<year>\d{4})-(?P<number>\d{1,10})\b", _cve),
)
