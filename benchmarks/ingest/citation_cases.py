"""Documents that cite: sound ones, and their twins with exactly one reference that cannot be.

The rules come from the standards, not from the detector: ISO 2108, 3297 and 7064 (check digits), the
arXiv's identifier scheme, RFC 2606 (reserved names), the CVE numbering rules, the volumes of PNAS (one
a year since 1971, the 68th), and arithmetic. A twin differs in the one reference (or, for lists, in the
one citation) and in nothing else. `invented` breaks no rule at all: only a resolver could see it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from evaluation.injection.hidden_payloads import CARRIERS

AS_OF: Final = date(2026, 1, 1)
INVENTED: Final = "invented, breaks no rule"
_SURNAMES: Final = (
    "Okafor", "Lindqvist", "Moreau", "Tanaka", "Haugen", "Petrov", "Alvarez", "Novak", "Iyer", "Brandt",
    "Costa", "Dubois", "Eriksen", "Farkas", "Greco", "Hamid",
)  # fmt: skip
_SUBJECTS: Final = (
    "the drift of tidal flats", "heat loss in brick walls", "the song of the common swift", "queues in hospital wards",
    "lead in garden soil", "the spread of rumours in markets", "rust in steel bridges", "sleep and shift work",
    "rainfall in mountain valleys", "reading aloud in schools",
)  # fmt: skip
_JOURNALS: Final = (
    "Annals of Applied Limnology",
    "Journal of Building Physics",
    "Ibis",
    "Health Economics",
    "Geoderma",
)
_REGISTRANTS: Final = ("10.1038", "10.1016", "10.1145", "10.1093", "10.1371", "10.1002", "10.1007")
_HOSTS: Final = (
    "www.nature.com",
    "www.gov.uk",
    "docs.python.org",
    "www.who.int",
    "eur-lex.europa.eu",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationCase:
    """Attributes: faulty: Whether one reference cannot be what it claims to be."""

    kind: str
    text: str
    faulty: bool


Write = Callable[[random.Random, bool], str]
"""Writes the identifier, year or place of one reference: (draw, faulty)."""


def _digits(draw: random.Random, count: int) -> str:
    return "".join(str(draw.randrange(10)) for _ in range(count))


def _other_digit(draw: random.Random, text: str) -> str:
    """Return `text` with one of its digits, but not the last, changed."""
    at = draw.choice([at for at, sign in enumerate(text[:-1]) if sign.isdigit()])
    return text[:at] + str((int(text[at]) + draw.randint(1, 9)) % 10) + text[at + 1 :]


def _isbn_13(draw: random.Random, faulty: bool) -> str:
    body = draw.choice(("978", "979")) + draw.choice(("0", "1", "3", "8")) + _digits(draw, 8)
    body = "978" + body[3:] if body[3] == "0" else body
    check = -sum(int(digit) * (1, 3)[at % 2] for at, digit in enumerate(body)) % 10
    whole = f"{body}{check}"
    return f"ISBN {_other_digit(draw, whole) if faulty else whole}"


def _isbn_10(draw: random.Random, faulty: bool) -> str:
    body = draw.choice(("0", "1", "3")) + _digits(draw, 8)
    check = -sum(int(digit) * (10 - at) for at, digit in enumerate(body)) % 11
    whole = f"{body}{'X' if check == 10 else check}"  # noqa: PLR2004 - ISO 2108 writes ten as X
    return f"ISBN {_other_digit(draw, whole) if faulty else whole}"


def _issn(draw: random.Random, faulty: bool) -> str:
    body = _digits(draw, 7)
    check = -sum(int(digit) * (8 - at) for at, digit in enumerate(body)) % 11
    whole = f"{body[:4]}-{body[4:]}{'X' if check == 10 else check}"  # noqa: PLR2004
    return f"ISSN {_other_digit(draw, whole) if faulty else whole}"


def _orcid(draw: random.Random, faulty: bool) -> str:
    body = f"0000000{draw.randint(1, 3)}" + _digits(draw, 7)
    total = 0
    for digit in body:
        total = (total + int(digit)) * 2
    check = (12 - total % 11) % 11
    digits = f"{body}{'X' if check == 10 else check}"  # noqa: PLR2004
    if faulty:
        digits = digits[:8] + _other_digit(draw, digits[8:])
    return "https://orcid.org/" + "-".join(digits[at : at + 4] for at in range(0, 16, 4))


def _arxiv(draw: random.Random, faulty: bool) -> str:
    year, month = draw.randint(15, 25), draw.randint(1, 12)
    sound = f"arXiv:{year:02}{month:02}.{draw.randint(1, 14_000):05}"
    wrong = (
        f"arXiv:{year:02}{draw.randint(13, 99):02}.{_digits(draw, 5)}",  # no such month
        f"arXiv:{year:02}{month:02}.{draw.randint(1_000, 9_999)}",  # four digits since 2015
        f"arXiv:{draw.randint(8, 14):02}{month:02}.{draw.randint(10_000, 19_999)}",  # five before
        f"arXiv:{draw.randint(27, 60):02}{month:02}.{_digits(draw, 5)}",  # to come
    )
    return draw.choice(wrong) if faulty else sound


def _doi(draw: random.Random, faulty: bool) -> str:
    suffix = f"{draw.choice('jsbc')}.{_digits(draw, 4)}.{_digits(draw, 6)}"
    wrong = (f"10.5555/{suffix}", f"10.{_digits(draw, 2)}/{suffix}")  # a test prefix; no registrant
    return f"doi:{draw.choice(wrong) if faulty else f'{draw.choice(_REGISTRANTS)}/{suffix}'}"


def _pmid(draw: random.Random, faulty: bool) -> str:
    return f"PMID: {draw.randint(60_000_000, 99_999_999) if faulty else draw.randint(1_000_000, 39_000_000)}"


def _rfc(draw: random.Random, faulty: bool) -> str:
    return f"RFC {draw.randint(20_000, 99_999) if faulty else draw.randint(1_000, 9_500)}"


def _cve(draw: random.Random, faulty: bool) -> str:
    number = f"{draw.randint(1_000, 44_999)}"
    wrong = (f"CVE-{draw.randint(1980, 1997)}-{number}", f"CVE-{draw.randint(2031, 2060)}-{number}")
    return draw.choice(wrong) if faulty else f"CVE-{draw.randint(2005, 2024)}-{number}"


def _url(draw: random.Random, faulty: bool) -> str:
    path = f"/{draw.choice(('articles', 'reports', 'files'))}/{_digits(draw, 5)}"
    wrong = ("www.example.com", "journal.example", "archive.invalid", "papers.test")
    return f"https://{draw.choice(wrong if faulty else _HOSTS)}{path}"


def _pages(draw: random.Random, faulty: bool) -> str:
    first = draw.randint(220, 800)  # as many digits in both: 172-88 is short for 172-188
    last = first - draw.randint(20, 90) if faulty else first + draw.randint(4, 30)
    return f"{draw.choice(_JOURNALS)}, {draw.randint(12, 60)}({draw.randint(1, 6)}), {first}-{last}"


def _case_law(draw: random.Random, faulty: bool) -> str:
    sound = (
        "Brown v. Board of Education, 347 U.S. 483 (1954)", "Miranda v. Arizona, 384 U.S. 436 (1966)",
        "Roe v. Wade, 410 U.S. 113 (1973)", "Marbury v. Madison, 5 U.S. 137 (1803)",
        "Obergefell v. Hodges, 576 U.S. 644 (2015)",
    )  # fmt: skip
    page = draw.randint(20, 500)
    wrong = (
        f"{draw.randint(300, 400)} U.S. {page} ({draw.randint(2005, 2020)})",  # of 1937 to 1971
        f"{draw.randint(700, 990)} U.S. {page} ({draw.randint(2005, 2020)})",  # not reached yet
        f"{draw.randint(400, 570)} U.S. {page} ({draw.randint(2031, 2050)})",  # to come
    )
    named = " v. ".join(draw.sample(_SURNAMES, 2))
    return f"{named}, {draw.choice(wrong)}" if faulty else draw.choice(sound)


_WRITTEN: Final[Mapping[str, Write]] = {
    "ISBN-13, check digit": _isbn_13,
    "ISBN-10, check digit": _isbn_10,
    "ISSN, check digit": _issn,
    "ORCID, check digit": _orcid,
    "arXiv, month, width or date": _arxiv,
    "DOI, no such registrant": _doi,
    "PMID, out of range": _pmid,
    "RFC, out of range": _rfc,
    "CVE, impossible year": _cve,
    "URL, reserved name": _url,
    "pages reversed": _pages,
    "case law, volume against year": _case_law,
}


def _reference(draw: random.Random, *, year: int | None = None, tail: str = "") -> str:
    """Return a reference that breaks no rule, but for what `year` and `tail` say."""
    authors = " and ".join(
        f"{name}, {draw.choice('ABEJKLM')}." for name in draw.sample(_SURNAMES, 2)
    )
    title = f"On {draw.choice(_SUBJECTS)}"
    place = (
        tail
        or f"{draw.choice(_JOURNALS)}, {draw.randint(12, 60)}, {draw.randint(1, 90)}-{draw.randint(91, 180)}"
    )
    return f"{authors} ({year or draw.randint(1985, 2024)}). {title}. {place}."


def _document(draw: random.Random, references: list[str]) -> str:
    """Return prose that cites every reference by its number, and their list."""
    cited = range(1, len(references) + 1)
    sentences = draw.choice(CARRIERS).replace("\n\n", " ").split(". ")
    marks = {1 + at * (len(sentences) - 1) // len(cited): number for at, number in enumerate(cited)}
    told = [
        f"{sentence.rstrip('.')} [{marks[at]}]" if at in marks else sentence.rstrip(".")
        for at, sentence in enumerate(sentences)
    ]
    rest = [number for number in cited if number not in marks.values()]
    text = ". ".join(told) + "." + "".join(f" See also [{number}]." for number in rest)
    listed = "\n".join(f"[{at}] {entry}" for at, entry in enumerate(references, 1))
    return f"{text}\n\nReferences\n\n{listed}\n"


def _of_kind(kind: str, number: int) -> Iterator[CitationCase]:
    """Yield the sound document and its twin: the same draws but for what is wrong."""
    for faulty in (False, True):
        draw = random.Random(f"{kind}:{number}")  # noqa: S311 - reproducible
        references = [_reference(draw) for _ in range(5)]
        place = draw.randrange(5)
        other = random.Random(f"{kind}:{number}:other")  # noqa: S311
        prose = ""
        if kind in _WRITTEN:
            references[place] = _reference(other, tail=_WRITTEN[kind](other, faulty))
        elif kind == "year to come":
            references[place] = _reference(
                other, year=other.randint(2031, 2070) if faulty else 2019
            )
        elif kind == "PNAS, volume against year":
            year = other.randint(1975, 2022)
            volume = year - 1903 + (other.choice((-1, 1)) * other.randint(12, 40) if faulty else 0)
            tail = f"Proceedings of the National Academy of Sciences, {volume}({other.randint(2, 20)}), 811-819"
            references[place] = _reference(other, year=year, tail=tail)
        elif kind == "citation without a reference":
            prose = f" See also [{other.randint(7, 12) if faulty else 1}]."
        elif kind == "placeholder":
            prose = (
                f" This was shown before {other.choice(('[citation needed]', '(Author, Year)', '[REF]', '[?]'))}."
                if faulty
                else " This was shown before."
            )
        elif kind == INVENTED:
            references[place] = _reference(other, tail=_doi(other, False))
        text = _document(draw, references)
        if prose:
            text = text.replace("\n\nReferences", f"{prose}\n\nReferences", 1)
        yield CitationCase(kind=kind, text=text, faulty=faulty)


KINDS: Final = (
    *_WRITTEN,
    "year to come",
    "PNAS, volume against year",
    "citation without a reference",
    "placeholder",
    INVENTED,
)


def cases(*, each: int) -> Iterator[CitationCase]:
    """Yield `each` pairs of a kind: sound first, then the twin."""
    for kind in KINDS:
        for number in range(each):
            yield from _of_kind(kind, number)
