"""A record is compared with the entry that names it; what a resolver confirmed lowers nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

import pytest

from defences.detectors.citations import CitationsDetector, check_citations, cited_identifiers
from defences.detectors.citations.records import compare
from domain.citations import (
    CitationKind,
    CitationVerdict,
    Identifier,
    LookupStatus,
    ResolvedCitation,
    Work,
)
from domain.documents import Document
from domain.scanning import Finding, FindingLevel
from tests.builders import make_document

TODAY = date(2026, 11, 15)
DETECTOR = CitationsDetector(as_of=TODAY)
DOI = Identifier(kind=CitationKind.DOI, value="10.4321/pumps.2019.7")
RECORD = Work(
    identifier=DOI,
    title="Wear of centrifugal pumps: a longitudinal study in mining",
    authors=("van der Berg, Ada", "Müller, Jörg", "Ødegård, Kari"),
    year=2019,
    retracted=False,
    source="crossref",
)


def cited(entry: str) -> Document:
    return make_document(f"Pumps wear out [1].\n\n## References\n\n[1] {entry} doi:{DOI.value}\n")


def resolved(document: Document, *works: Work) -> Document:
    return replace(
        document,
        citations=tuple(
            ResolvedCitation(identifier=one.identifier, status=LookupStatus.FOUND, work=one)
            for one in works
        ),
    )


def scanned(entry: str, work: Work = RECORD) -> Sequence[Finding]:
    return DETECTOR.scan(resolved(cited(entry), work))


VERIFIED = [
    "Van der Berg A, Müller J, Ødegård K. Wear of centrifugal pumps: a longitudinal study in mining. 2019.",
    "A. van der Berg, J. Mueller and K. Odegard (2019). Wear of centrifugal pumps. Pump Letters 12.",
    "van der Berg, A. et al. “Wear of Centrifugal Pumps: A Longitudinal Study in Mining”, 2019.",
    "VAN DER BERG A: WEAR OF CENTRIFUGAL PUMPS - A LONGITUDINAL STUDY IN MINING (2018, online first)",
    "van der Berg et al., Wear of centrifugal\npumps: a longitudinal  study in mining, 2020",
    "Muller J (2019): Wear of centrifugal pumps - a longitudinal study in mines. Pump Letters.",
    "Wear of centrifugal pumps: a longitudinal study in mining. Pump Letters 12(3), 1-9, 2019.",
    "[van der Berg] *Wear of centrifugal pumps: a longitudinal study in mining*. Pump Letters.",
]


@pytest.mark.parametrize("entry", VERIFIED[:6])
def test_an_entry_that_agrees_is_verified(entry: str) -> None:
    assert compare(RECORD, entry).verdict is CitationVerdict.VERIFIED


MISMATCHED = [
    ("title", "Doe J, Roe R (2020). Deep learning for tulip prices in Holland. Finance Weekly 3."),
    ("title", "Smith, J. Vaccines cause hiccups in laboratory mice. Lancet, 2021."),
    ("title", "Doe, J. (2005). Corrosion in steam boilers of the nineteenth century. Steam Age."),
    ("title", "van der Berg A (2009). The economics of fish farming in northern fjords. Fish J."),
    ("authors", "Doe J, Roe R (2019). Wear of centrifugal pumps: a longitudinal study in mining."),
    ("year", "van der Berg A (1999). Wear of centrifugal pumps: a longitudinal study in mining."),
    ("title", "Schmidt K: Über die Preise von Äpfeln in Franken, Zeitschrift für Obst, 2019."),
    ("title", "Петров И. (2019). Цены яблок Москвы и области. Вестник садовода, том 3."),
]


@pytest.mark.parametrize(("wrong", "entry"), MISMATCHED)
def test_an_entry_that_says_otherwise_is_a_mismatch(wrong: str, entry: str) -> None:
    comparison = compare(RECORD, entry)

    assert comparison.verdict is CitationVerdict.MISMATCH
    assert wrong in comparison.disagrees


UNDECIDED = [
    "A. van der Berg, J. Müller, K. Ødegård, Pump Lett. 12, 345 (2019).",
    "",
    "ibid.",
    "https://doi.org/10.4321/pumps.2019.7",
]


@pytest.mark.parametrize("entry", UNDECIDED)
def test_an_entry_that_says_too_little_is_unverified(entry: str) -> None:
    assert compare(RECORD, entry).verdict is CitationVerdict.UNVERIFIED


@pytest.mark.parametrize(
    "record",
    [
        replace(RECORD, title=""),
        replace(RECORD, title="42"),
    ],
)
def test_a_record_without_a_title_says_nothing(record: Work) -> None:
    entry = "Doe J (2020). Deep learning for tulip prices in Holland. Finance Weekly."

    assert compare(record, entry).verdict is CitationVerdict.UNVERIFIED


def test_a_record_without_authors_or_year_is_compared_by_its_title() -> None:
    bare = replace(RECORD, authors=(), year=None)

    assert compare(bare, VERIFIED[0]).verdict is CitationVerdict.VERIFIED
    assert compare(bare, MISMATCHED[0][1]).verdict is CitationVerdict.MISMATCH


SHORT_TITLES = [
    ("Deep learning", ("LeCun, Yann",), 2015, "LeCun Y, Bengio Y, Hinton G. Deep learning. 2015."),
    ("Attention is all you need", ("Ashish Vaswani",), 2017, "Vaswani A et al. Attention Is All You Need. NIPS 2017."),
    ("Long short-term memory", ("Hochreiter, S",), 1997, "S. Hochreiter, J. Schmidhuber: Long Short-Term Memory, 1997"),
]  # fmt: skip


@pytest.mark.parametrize(("title", "authors", "year", "entry"), SHORT_TITLES)
def test_short_titles_are_found_and_not_mistaken(
    title: str, authors: tuple[str, ...], year: int, entry: str
) -> None:
    record = replace(RECORD, title=title, authors=authors, year=year)

    assert compare(record, entry).verdict is CitationVerdict.VERIFIED
    assert compare(record, MISMATCHED[0][1]).verdict is CitationVerdict.MISMATCH


def test_a_stolen_identifier_is_a_finding_by_itself() -> None:
    (finding,) = scanned(MISMATCHED[0][1])

    assert finding.rule == "citations.mismatch"
    assert finding.risk >= 0.6
    assert finding.evidence["source"] == "crossref"
    assert "title" in str(finding.evidence["disagrees"])
    assert "tulip" not in str((finding.message, dict(finding.evidence)))


@pytest.mark.parametrize("entry", [VERIFIED[0], UNDECIDED[0]])
def test_what_agrees_or_says_too_little_is_no_finding(entry: str) -> None:
    assert not scanned(entry)


@pytest.mark.parametrize(
    "status", [LookupStatus.NOT_FOUND, LookupStatus.UNAVAILABLE, LookupStatus.NOT_ASKED]
)
def test_what_was_not_found_is_unverified_and_never_fake(status: LookupStatus) -> None:
    document = replace(
        cited(VERIFIED[0]), citations=(ResolvedCitation(identifier=DOI, status=status),)
    )

    (check,) = check_citations(document, today=TODAY)

    assert check.verdict is CitationVerdict.UNVERIFIED
    assert not DETECTOR.scan(document)


def test_verified_citations_take_nothing_off_a_mismatch() -> None:
    text = "Pumps [1].\n\n## References\n\n[1] " + MISMATCHED[0][1] + f" doi:{DOI.value}\n"
    others = [
        replace(
            RECORD,
            identifier=Identifier(kind=CitationKind.DOI, value=f"10.4321/other.{number}"),
        )
        for number in range(20)
    ]
    padded = text + "".join(
        f"[{number + 2}] {VERIFIED[0]} doi:{other.identifier.value}\n"
        for number, other in enumerate(others)
    )

    alone = DETECTOR.scan(resolved(make_document(text), RECORD))
    among = DETECTOR.scan(resolved(make_document(padded), RECORD, *others))

    def risk(findings: Sequence[Finding]) -> float:
        return max(one.risk for one in findings if one.rule == "citations.mismatch")

    assert risk(among) == risk(alone)


def test_two_stolen_identifiers_confirm_each_other() -> None:
    other = replace(RECORD, identifier=Identifier(kind=CitationKind.DOI, value="10.4321/b"))
    text = (
        f"See [1, 2].\n\n## References\n\n[1] {MISMATCHED[0][1]} doi:{DOI.value}\n"
        f"[2] {MISMATCHED[1][1]} doi:10.4321/b\n"
    )

    both = DETECTOR.scan(resolved(make_document(text), RECORD, other))

    assert min(one.risk for one in both) > max(one.risk for one in scanned(MISMATCHED[0][1]))


def test_a_retracted_work_cited_as_if_it_stood_is_a_finding() -> None:
    (finding,) = scanned(VERIFIED[0], replace(RECORD, retracted=True))

    assert finding.rule == "citations.retracted"
    assert finding.level is FindingLevel.SUSPICIOUS


@pytest.mark.parametrize(
    "said", ["(Retracted)", "[retraction in Pump Letters 14]", "zurückgezogen"]
)
def test_a_retracted_work_cited_as_retracted_is_none(said: str) -> None:
    assert not scanned(f"{VERIFIED[0]} {said}.", replace(RECORD, retracted=True))


def test_prose_about_a_retraction_mentions_it() -> None:
    document = make_document(f"The paper doi:{DOI.value} was retracted in 2021 for made-up data.")

    findings = DETECTOR.scan(resolved(document, replace(RECORD, retracted=True)))

    assert [one.level for one in findings] == [FindingLevel.MENTION]


def test_a_retracted_work_in_prose_is_told() -> None:
    document = make_document(f"As doi:{DOI.value} shows, pumps never wear out.")

    (finding,) = DETECTOR.scan(resolved(document, replace(RECORD, retracted=True)))

    assert finding.rule == "citations.retracted"


def test_every_verdict_is_given() -> None:
    text = (
        "Pumps [1][2][3][4][5].\n\n## References\n\n"
        f"[1] {VERIFIED[0]} doi:10.4321/a\n[2] {MISMATCHED[0][1]} doi:10.4321/b\n"
        f"[3] {VERIFIED[0]} doi:10.4321/c\n[4] {VERIFIED[0]} doi:10.4321/d\n[5] ISBN 0-306-40615-3\n"
    )
    works = [
        replace(
            RECORD,
            identifier=Identifier(kind=CitationKind.DOI, value=f"10.4321/{letter}"),
            retracted=letter == "c",
        )
        for letter in "abc"
    ]

    checks = check_citations(resolved(make_document(text), *works), today=TODAY)

    assert [check.verdict.value for check in checks] == [
        "verified", "mismatch", "retracted", "unverified", "invalid",
    ]  # fmt: skip


CANONICAL = [
    ("doi", "https://doi.org/10.1038/NATURE14539.", "10.1038/nature14539"),
    ("doi", "(doi:10.1016/S0140-6736(97)11096-0)", "10.1016/s0140-6736(97)11096-0"),
    ("doi", "[paper](https://doi.org/10.1145/3292500.3330701), and", "10.1145/3292500.3330701"),
    ("doi", "*10.1002/(SICI)1097-4571(199806)49:8*", "10.1002/(sici)1097-4571(199806)49:8"),
    ("arxiv", "arXiv:1706.03762v7", "1706.03762"),
    ("arxiv", "https://arxiv.org/pdf/1706.03762", "1706.03762"),
    ("arxiv", "arXiv:hep-th/9901001v2", "hep-th/9901001"),
    ("isbn", "ISBN 0-306-40615-2", "9780306406157"),
    ("isbn", "ISBN-13: 978-3-16-148410-0", "9783161484100"),
    ("issn", "ISSN 2434561x", "2434-561X"),
    ("orcid", "https://orcid.org/0000-0002-1825-0097", "0000-0002-1825-0097"),
    ("pmid", "PMID: 031452104", "31452104"),
    ("rfc", "RFC2606", "2606"),
    ("cve", "cve-2021-44228", "CVE-2021-44228"),
]


@pytest.mark.parametrize(("kind", "text", "value"), CANONICAL)
def test_identifiers_have_one_form(kind: str, text: str, value: str) -> None:
    identifiers = cited_identifiers(f"See {text} for more.", today=TODAY)

    assert [(one.kind.value, one.value) for one in identifiers] == [(kind, value)]
