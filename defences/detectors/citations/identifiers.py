"""Identifiers of publications: what a well-formed one looks like, and what none can be.

Offline, an identifier is at best unverified: these checks only tell what is impossible.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from defences.detectors.citations.tables import ReferenceTables
from domain.citations import RESOLVABLE, CitationKind, Identifier
from domain.text import Span

FIRST_CVE_YEAR = 1999
MAX_IDENTIFIERS: Final = 20_000  # of a kind in a document
_ARXIV_FIRST = (7, 4)  # 0704: the first month of the present form
_ARXIV_FIVE_DIGITS = (15, 1)  # 1501: five digits from here on
_ARXIV_OLD_FIRST = (91, 8)
_MONTHS = 12
_MAX_DOI_SUFFIX = 200
_OLD_ARCHIVE = re.compile(
    r"(?:acc|chem|nlin|math|plasm|astro|ao|atom|quant|comp|mtrl|patt|solv|bayes|chao|dg|gr|hep|nucl|cmp|cond"
    r"|funct|adap|alg|supr|q)-(?:phys|ph|org|geom|sci|an|dyn|lg|gas|mat|ga|qc|ex|lat|th|sol|int|con|alg|bio)"
    r"|cs|math|nlin|physics"
)
_TRAILING = ".,;:'\u2019\u201d!?*_"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundIdentifier:
    """An identifier in a text.

    Attributes:
        at: Where, in the text searched.
        written: As it stands there.
        identifier: In canonical form; None where it has none, being faulty or too odd to send.
    """

    kind: CitationKind
    at: Span
    written: str
    fault: IdentifierFault | None
    identifier: Identifier | None


Check = Callable[[re.Match[str], date, ReferenceTables], IdentifierFault | None]
Canonical = Callable[[re.Match[str]], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentifierKind:
    """A kind of identifier: where it stands in a text, and whether it can exist."""

    kind: CitationKind
    label: str
    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    check: Check
    canonical: Canonical


def find_identifiers(
    text: str, *, list_start: int | None, today: date, tables: ReferenceTables
) -> Iterator[FoundIdentifier]:
    """Yield each identifier where it first stands, kind by kind; in prose and in the list apart."""
    lowered = text.lower()
    for kind in KINDS:
        if not any(needle in lowered for needle in kind.needles):
            continue
        seen: set[tuple[str, bool]] = set()
        for match in kind.pattern.finditer(text):
            place = (match[0], list_start is not None and match.start() >= list_start)
            if place in seen:
                continue
            seen.add(place)
            if len(seen) > MAX_IDENTIFIERS:
                break
            fault = kind.check(match, today, tables)
            yield FoundIdentifier(
                kind=kind.kind,
                at=Span(match.start(), match.end()),
                written=match[0],
                fault=fault,
                identifier=None if fault else _identifier(kind, match),
            )


def _identifier(kind: IdentifierKind, match: re.Match[str]) -> Identifier | None:
    value = kind.canonical(match)
    if not RESOLVABLE[kind.kind].fullmatch(value):
        return None
    return Identifier(kind=kind.kind, value=value)


def _arxiv(match: re.Match[str], today: date, tables: ReferenceTables) -> IdentifierFault | None:
    if match["archive"]:
        return _old_arxiv(match)
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
    elif not 0 < int(number) <= tables.arxiv_largest_month:
        reason = "no month has had that many papers"
    return _fault("invalid-arxiv", 0.75, reason)


def _old_arxiv(match: re.Match[str]) -> IdentifierFault | None:
    year, month = int(match["old"][:2]), int(match["old"][2:4])
    moment = (year + 100 if year < _ARXIV_OLD_FIRST[0] else year, month)
    first, last = _ARXIV_OLD_FIRST, (_ARXIV_FIRST[0] + 100, _ARXIV_FIRST[1])
    reason = None
    if not _OLD_ARCHIVE.fullmatch(match["archive"].lower()):
        reason = "there is no such archive"
    elif not 1 <= month <= _MONTHS:
        reason = "there is no such month"
    elif not first <= moment < last:
        reason = "the form was not in use at the date in it"
    return _fault("invalid-arxiv", 0.6, reason)


def _arxiv_value(match: re.Match[str]) -> str:
    if match["archive"]:
        return f"{match['archive'].lower()}/{match['old']}"
    return f"{match['yy']}{match['mm']}.{match['number']}"


def _doi(match: re.Match[str], _: date, __: ReferenceTables) -> IdentifierFault | None:
    if match["no_prefix"]:
        return _fault("invalid-doi", 0.65, "no registrant number is that short or that long")
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


def _doi_value(match: re.Match[str]) -> str:
    """Return the DOI without the punctuation and markup of the sentence it stands in."""
    value = match[0].rstrip(_TRAILING)
    for opening, closing in ("()", "[]", "{}", "<>"):
        while value.endswith(closing) and value.count(closing) > value.count(opening):
            value = value[:-1].rstrip(_TRAILING)
        if closing != ")" and opening not in value:
            value = value.partition(closing)[0]
    # Behind a Markdown link's address comes the rest of the sentence.
    return value.partition(")[")[0].partition("](")[0].rstrip(_TRAILING).lower()


def _isbn(match: re.Match[str], _: date, __: ReferenceTables) -> IdentifierFault | None:
    digits = _bare_isbn(match)
    if len(digits) not in {10, 13}:
        return None
    # A page or year behind an ISBN-10 may read like three more digits.
    sound = _sound_isbn13(digits) or _sound_isbn10(digits[:10])
    return None if sound else _fault("invalid-isbn", 0.7, "the check digit is wrong")


def _bare_isbn(match: re.Match[str]) -> str:
    return re.sub(r"[ \-\u2010-\u2013]", "", match["digits"]).upper()


def _isbn_value(match: re.Match[str]) -> str:
    digits = _bare_isbn(match)
    if _sound_isbn13(digits):
        return digits
    body = f"978{digits[:9]}"
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(body))
    return f"{body}{-total % 10}"


def _sound_isbn13(digits: str) -> bool:
    if not digits.isdecimal() or digits[:3] not in {"978", "979"}:
        return False
    total = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits))
    return len(digits) == 13 and total % 10 == 0  # noqa: PLR2004


def _sound_isbn10(digits: str) -> bool:
    values = [10 if digit == "X" else int(digit) for digit in digits]
    weighted = (value * weight for value, weight in zip(values, range(10, 0, -1), strict=True))
    return sum(weighted) % 11 == 0


def _issn(match: re.Match[str], _: date, __: ReferenceTables) -> IdentifierFault | None:
    digits = match["digits"].replace("-", "").upper()
    total = sum(
        int(digit) * weight for digit, weight in zip(digits[:7], range(8, 1, -1), strict=True)
    )
    last = 10 if digits[7] == "X" else int(digits[7])
    sound = (total + last) % 11 == 0
    return None if sound else _fault("invalid-issn", 0.7, "the check digit is wrong")


def _issn_value(match: re.Match[str]) -> str:
    digits = match["digits"].replace("-", "").upper()
    return f"{digits[:4]}-{digits[4:]}"


def _orcid(match: re.Match[str], _: date, __: ReferenceTables) -> IdentifierFault | None:
    digits = match["digits"].replace("-", "").upper()
    total = 0
    for digit in digits[:15]:
        total = (total + int(digit)) * 2
    expected = (12 - total % 11) % 11
    last = 10 if digits[15] == "X" else int(digits[15])
    return None if last == expected else _fault("invalid-orcid", 0.7, "the check digit is wrong")


def _pmid(match: re.Match[str], today: date, tables: ReferenceTables) -> IdentifierFault | None:
    given_out = 0 < int(match["number"]) <= tables.pmid.limit(today)
    return _fault("invalid-pmid", 0.7, None if given_out else "no such number has been given out")


def _rfc(match: re.Match[str], today: date, tables: ReferenceTables) -> IdentifierFault | None:
    given_out = 0 < int(match["number"]) <= tables.rfc.limit(today)
    return _fault("invalid-rfc", 0.6, None if given_out else "no such number has been given out")


def _number_value(match: re.Match[str]) -> str:
    return match["number"].lstrip("0")


def _cve(match: re.Match[str], today: date, _: ReferenceTables) -> IdentifierFault | None:
    year, number = int(match["year"]), match["number"]
    reason = None
    if year < FIRST_CVE_YEAR:
        reason = "the scheme is younger than the year"
    elif year > today.year:
        reason = "the year lies in the future"
    elif len(number) < 4:  # noqa: PLR2004 - the scheme's own least width
        # Changelogs cut them off: a slip of the pen more often than not.
        return _fault("invalid-cve", 0.4, "the number is too short")
    elif len(number) > 4 and number.startswith("0"):  # noqa: PLR2004
        reason = "the number is padded beyond its width"
    return _fault("invalid-cve", 0.7, reason)


def _fault(rule: str, risk: float, reason: str | None) -> IdentifierFault | None:
    return None if reason is None else IdentifierFault(rule=rule, risk=risk, reason=reason)


def _kind(
    kind: CitationKind, label: str, needles: str, pattern: str, check: Check, canonical: Canonical
) -> IdentifierKind:
    return IdentifierKind(
        kind=kind,
        label=label,
        needles=tuple(needles.split()),
        pattern=re.compile(pattern, re.IGNORECASE),
        check=check,
        canonical=canonical,
    )


KINDS: Final[tuple[IdentifierKind, ...]] = (
    _kind(
        CitationKind.ARXIV,
        "arXiv",
        "arxiv",
        r"\barxiv(?:\.org/(?:abs|pdf)/|[ :]{1,3}(?:preprint[ :]{1,3}|e-?prints?[ :]{1,3}|abs/)?"
        r"(?:arxiv:)?)(?:(?P<yy>\d{2})(?P<mm>\d{2})\.(?P<number>\d{3,7})(?![\d.]\d)"
        r"|(?P<archive>[a-z]{2,9}(?:-[a-z]{2,6})?)(?:\.[a-z]{2})?/(?P<old>\d{7})(?!\d))",
        _arxiv,
        _arxiv_value,
    ),
    _kind(
        CitationKind.DOI,
        "DOI",
        "10.",
        # Registrants have four to nine digits; others are seen where the text calls them a DOI.
        r"(?:(?<![\d.\w])10\.(?P<prefix>\d{4,9})"
        r"|(?:(?<=doi:)|(?<=doi: )|(?<=doi )|(?<=doi\.org/))10\.(?P<no_prefix>\d{1,3}|\d{10,20}))"
        r"(?:\.\d{1,5}){0,3}/(?P<suffix>[^\s\"<>]{1,300})",
        _doi,
        _doi_value,
    ),
    _kind(
        CitationKind.ISBN,
        "ISBN",
        "isbn",
        r"\bisbn(?:-?1[03])?[:\s]{0,3}(?P<digits>\d(?:[ \-\u2010-\u2013]?\d){8,11}"
        r"(?:[ \-\u2010-\u2013]?[\dx]))(?!\d)",
        _isbn,
        _isbn_value,
    ),
    _kind(
        CitationKind.ISSN,
        "ISSN",
        "issn",
        r"\b[ep]?-?issn[:\s]{0,3}(?P<digits>\d{4}-?\d{3}[\dx])\b",
        _issn,
        _issn_value,
    ),
    _kind(
        CitationKind.ORCID,
        "ORCID",
        "orcid",
        r"\borcid(?:\.org/|(?: id)?[:\s]{1,3}(?:https?://orcid\.org/)?)"
        r"(?P<digits>\d{4}-\d{4}-\d{4}-\d{3}[\dx])\b",
        _orcid,
        lambda match: match["digits"].upper(),
    ),
    _kind(
        CitationKind.PMID,
        "PMID",
        "pmid pubmed",
        r"(?:\bpmid[:\s]{1,3}|\bpubmed\.ncbi\.nlm\.nih\.gov/)(?P<number>\d{1,12})\b",
        _pmid,
        _number_value,
    ),
    _kind(
        CitationKind.RFC,
        "RFC",
        "rfc",
        r"\brfc[ \-]?(?P<number>\d{1,7})\b(?![.\-]\d)",
        _rfc,
        _number_value,
    ),
    _kind(
        CitationKind.CVE,
        "CVE",
        "cve-",
        r"\bcve-(?P<year>\d{4})-(?P<number>\d{1,10})\b",
        _cve,
        lambda match: match[0].upper(),
    ),
)
