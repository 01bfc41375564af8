"""Citations that cannot exist are found; references, numbers and prices that can are not."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from defences.detectors.citations import CitationsDetector
from defences.detectors.citations.detector import MAX_FINDINGS_PER_RULE
from domain.documents import DEFAULT_TENANT, Document, DocumentId, Part, Provenance
from domain.scanning import Finding
from domain.text import MappedText, Span
from tests.builders import EPOCH, NEW_ORIGIN, make_document
from tests.growth import cpu_seconds

DETECTOR = CitationsDetector(as_of=date(2026, 11, 15))
QUARANTINE = 0.6


def together(findings: Iterable[Finding]) -> float:
    greatest: dict[str, float] = defaultdict(float)
    for finding in findings:
        greatest[finding.rule] = max(greatest[finding.rule], finding.risk)
    return 1.0 - math.prod(1.0 - risk for risk in greatest.values())


def rules(text: str) -> set[str]:
    findings = DETECTOR.scan(make_document(text))
    return {finding.rule.removeprefix("citations.") for finding in findings}


def listed(entry: str) -> str:
    return f"Pumps wear out [1].\n\n## References\n\n[1] {entry}\n"


HITS = [
    ("invalid-arxiv", "See arXiv:2413.01234."),
    ("invalid-arxiv", "See arXiv:2400.01234."),
    ("invalid-arxiv", "See arXiv:0612.1234."),
    ("invalid-arxiv", "See arXiv:1302.12345."),
    ("invalid-arxiv", "See arXiv:1502.1234."),
    ("invalid-arxiv", "See arXiv:2612.00001."),
    ("invalid-arxiv", "See https://arxiv.org/abs/3101.00001 for more."),
    ("invalid-arxiv", "arXiv preprint arXiv:2301.99999"),
    ("invalid-isbn", "ISBN 978-3-16-148410-1"),
    ("invalid-isbn", "ISBN-10: 0-306-40615-3"),
    ("invalid-isbn", "isbn 9783161484101"),
    ("invalid-isbn", "ISBN 080442957Y".replace("Y", "1")),
    ("invalid-issn", "ISSN 0378-5954"),
    ("invalid-issn", "eISSN: 2434-561Y".replace("Y", "0")),
    ("invalid-orcid", "https://orcid.org/0000-0002-1825-0098"),
    ("invalid-orcid", "ORCID: 0000-0001-5109-3701"),
    ("invalid-pmid", "PMID: 99999999"),
    ("invalid-pmid", "https://pubmed.ncbi.nlm.nih.gov/987654321/"),
    ("invalid-rfc", "as RFC 48291 demands"),
    ("invalid-rfc", "see RFC-99999"),
    ("invalid-cve", "CVE-2031-0001"),
    ("invalid-cve", "CVE-1985-1234"),
    ("invalid-cve", "CVE-2024-123"),
    ("invalid-cve", "cve-2024-001234"),
    ("invalid-doi", "https://doi.org/10.0123/abc"),
    ("reserved-doi", listed("Doe J. Wear. 2020. doi:10.5555/12345678")),
    ("reserved-doi", listed("Doe J. Wear. 2020. doi:10.1234/fake.1")),
    ("future-year", listed("Doe, J. (2031). Wear of pumps. Pump Letters.")),
    ("future-year", listed("Doe J, Wear of pumps, Pump Letters, 2045.")),
    ("reversed-pages", listed("Doe J (2019). Wear. Pump Letters 12, pp. 340-312.")),
    ("reversed-pages", listed("Doe J (2019). Wear. Pump Letters 12(3):340-312.")),
    ("reserved-domain", listed("Doe J (2019). Wear. https://journal.example.org/wear")),
    ("placeholder", "Pumps wear out [citation needed]."),
    ("placeholder", "Pumps wear out (Author, Year)."),
    ("placeholder", "Pumps wear out [insert citation here]."),
    ("missing-entry", "As shown [1], and again [4].\n\nReferences\n\n[1] Doe J (2019). Wear.\n"),
    (
        "uncited-entry",
        "As shown [1, 2].\n\n[2] says so too [2].\n\n# References\n\n"
        "1. Doe J (2019). Wear.\n2. Roe R (2018). Tear.\n3. Poe P (2017). Care.\n",
    ),
    ("invalid-arxiv", "**arXiv: 2413.01234**"),
    ("invalid-arxiv", "ARXIV:2413.01234v2"),
]


@pytest.mark.parametrize(("rule", "text"), HITS)
def test_a_citation_that_cannot_be_is_found(rule: str, text: str) -> None:
    assert rule in rules(text)


NAMED = (
    "Pumps wear out (Doe & Roe, 2019; Poe, 2017). Müller et al. (2018) agree{more}.\n\n"
    "## References\n\nDoe, J. and Roe, R. (2019). Wear of pumps. Pump Letters 12, 1-9.\n"
    "Poe, P. (2017). Care of pumps. Pump Letters 10, 3-8.\n"
    "Müller, H. et al. (2018). Pumpen und ihre Pflege. Verlag der Pumpe.\n"
    "{entry}"
)

HITS += [
    ("invalid-arxiv", "See arXiv:hep-th/9913001."),
    ("invalid-arxiv", "See arXiv:hep-th/0905001."),
    ("invalid-arxiv", "See arXiv:pumps/9901001."),
    ("volume-year", listed("Doe J. Wear of pumps. Nature Communications 24, 1-9 (2012).")),
    ("volume-year", listed("Doe J (2019). Wear. *PLoS ONE*, 31(2): 1-9.")),
    ("volume-year", listed("Doe J. Wear of pumps. N. Engl. J. Med. 512, 1-9 (2015).")),
    ("volume-year", listed("Doe J, Roe R, Wear, Phys. Rev. Lett. 45, 1234 (2016).")),
    ("volume-year", listed("Doe J. Wear. Commun. ACM, vol. 12, pp. 1-9, 2020.")),
    ("invalid-case", "Doe v. Roe, 1045 F.3d 12 (9th Cir. 2004)"),
    ("invalid-case", "Doe v. Roe, 12 F.4th 345 (2d Cir. 1998)"),
    ("invalid-case", "Doe v. Roe, 512 F.2d 99 (5th Cir. 2015)"),
    ("invalid-case", "612 U.S. 9021"),
    ("invalid-case", "Roe v. Doe, 347 U.S. 12 (2011)"),
    ("invalid-case", "Roe v. Doe, 610 U.S. 12 (1999)"),
    ("invalid-case", "Roe v. Doe, 741 U.S. 12"),
    ("invalid-case", "Roe v. Doe, 100 F.3d 12 (2d Cir. 2014)"),
    ("invalid-case", "Roe v. Doe, 900 F. Supp. 2d 12 (D. Mass. 2001)"),
    ("invalid-case", "Roe v. Doe, 812 F.4th 12 (9th Cir. 2024)"),
    ("invalid-doi", listed("Doe J. Wear. 2020. doi:10.14/j.2001.4")),
    ("invalid-doi", listed("Doe J. Wear. 2020. https://doi.org/10.9/wear")),
    ("invalid-doi", listed("Doe J. Wear. 2020. DOI 10.123.4/wear")),
    ("invalid-doi", listed("Doe J. Wear. 2020. doi: 10.1234567890/wear")),
    ("volume-year", listed("Doe J (1978). Wear. PNAS, 41(2), 811-819.")),
    (
        "volume-year",
        listed("Doe J (1988). Wear. Proceedings of the National Academy of Sciences 60(2), 1-9."),
    ),
    ("placeholder", "Pumps wear out [REF]."),
    ("placeholder", "As shown before [CITE], pumps wear out."),
    ("invalid-case", "Roe v. Doe, 455 F. Supp. 3d 12 (S.D.N.Y. 1987)"),
    ("invalid-case", "Roe v. Doe, 601 U.S. 12 (2049)"),
    ("missing-entry", NAMED.format(more=", and so does Smith (2021)", entry="")),
    ("missing-entry", NAMED.format(more=" (Ødegård et al., 2020)", entry="")),
    (
        "uncited-entry",
        NAMED.format(more="", entry="Nobody, N. (2001). Never cited at all. Verlag.\n"),
    ),
]

NEAR_MISSES = [
    NAMED.format(more="", entry=""),
    NAMED.format(more=" (in June 2020, May 2021; Version 2019)", entry=""),
    listed("Doe J. Wear of pumps. Nature Communications 3, 1-9 (2012)."),
    listed("Doe J (2019). Wear. *PLoS ONE*, 14(2): 1-9."),
    listed("Doe J. Wear. Proc. Natl. Acad. Sci. USA 116, 1-9 (2019)."),
    listed("Doe J. Wear. Phys. Rev. Lett. 122, 1234 (2019)."),
    listed("Doe J. Wear. Computer Science 12, 1-9 (2019)."),
    listed("Doe J. Wear. Science 12, 1-9 (1889)."),
    listed("Doe J. Wear. PLoS ONE 31 (reprinted 2012, first 2009)."),
    listed(
        "Doe J. IEEE Transactions on Pattern Analysis and Machine Intelligence. 2002. pp. 603-619"
    ),
    listed("Doe J (2019). The table has p2 - 1 rows and p9 - 3 columns, 2048."),
    "Varghese v. China Southern, 925 F.3d 1339 (11th Cir. 2019)",
    "Brown v. Board of Education, 347 U.S. 483 (1954); 5 U.S. 137 (1803)",
    "Erie, 304 U.S. 64, 78 (1938). See 28 F. Supp. 3d 12 (D. Mass. 2014), 12 F.4th 345 (2d Cir. 2021)",
    "We shipped 12 U.S. 345 units and 1045 F.3dprinters.",
    "Respublica v. Doe, 1 U.S. 1 (1764); Chisholm v. Georgia, 2 U.S. 419 (1793).",
    "Munn v. Illinois, 94 U.S. 113 (1876); Lochner, 198 U.S. 45 (1905); Carpenter, 585 U.S. 296 (2018)",
    "Trump v. CASA, 606 U.S. 831 (2025); Roe v. Doe, 609 U.S. 12 (2026).",
    "The T.J. Hooper, 60 F.2d 737 (2d Cir. 1932); Carroll Towing, 159 F.2d 169 (2d Cir. 1947)",
    "A decision about the shop, 700 F. Supp. 3d 12 (D. Mass. 2023); 150 F.4th 12 (2d Cir. 2025)",
    listed("Doe J (1975). Wear. Proc. Natl. Acad. Sci. USA 72(5), 1845-1847."),
    listed("Doe J (1968). Wear. Proc. Natl. Acad. Sci. USA 60(2), 1-9."),
    "The network 10.0.0.0/8, doi:10.1000.10/123 and doi:10/fsv6.",
    "git show [REF] and [REF](reference.md); fetch [REF]: see above. A [ref]. [REF].",
    "See arXiv:cond-mat/0703470 and arXiv:math.GT/0309136.",
    "values = [[1, 2], [3, 4]] and t[0], t[9]; quad(f, [1, 7])\n\n## References\n\n1. The manual (2020).\n2. The guide (2021).\n",
    "See [1] and [7].\n\nReferences\n\n[1] A (2020).\n\n# Part two\n\nSee [1].\n\nReferences\n\n[1] B (2021).\n",
    "re.compile('[?]') and [ XX] and ([^?]+)[?](.+)",
    "See arXiv:1706.03762v7 and arXiv:0704.0001.",
    "See arXiv:1412.9999 and arXiv:1501.00001.",
    "See arXiv:hep-th/9901001.",
    "See arXiv:2611.00001, of this month.",
    "ISBN 978-3-16-148410-0 and ISBN 0-306-40615-2, and ISBN 0-8044-2957-X.",
    "ISBN 0306406152 123 pages",
    "ISSN 0378-5955, ISSN 2434-561X",
    "https://orcid.org/0000-0002-1825-0097 and ORCID 0000-0001-5109-3700",
    "PMID: 31452104",
    "RFC 2606, RFC 9110 and RFC822; rfc3339nano",
    "RFC 20240115-3 is an internal change request.",
    "CVE-2021-44228 and CVE-2024-3094 and CVE-2014-0160 are patched.",
    "CVE-YYYY-NNNN is the form.",
    "The DOI Handbook is doi:10.1000/182.",
    "doi:10.1038/nature14539 and 10.1145/3292500.3330701",
    "Nature 521(7553), 436-444 (2015).",
    listed("LeCun Y (2015). Deep learning. Nature 521(7553), 436-444."),
    listed("Doe J (2019). Wear. Pump Letters 12, pp. 1123-35."),
    listed("Doe J. Wear. Pump Letters 98, 2045 (1993)."),
    listed("Doe J. Wear, Pump Letters 98, 2045, 1993."),
    listed("Doe J (2027). Wear, in press."),
    listed("The public suffix list. https://publicsuffix.org, accessed 2024."),
    "## Sources\n\n- https://docs.acme.example/pumps\n- https://acme.example/valves\n",
    "Call 10.1234 units or +1 202-555-0123; ticket 2413.01234.",
    "Version 10.5555 costs 23.99-19.99 EUR, order 9783161484101.",
    "Prices: [1] 10 EUR, [2] 20 EUR, [7] 30 EUR.",
    "values[3] = values[4] + values[9]\n\n## References\n\n1. The manual (2020).\n2. The guide (2021).\n",
    "The network 10.0.0.0/8 and the host 10.12.34.56/32.",
    "Section 9 was revised in 2031 BC.",
    "We plan to finish by 2035.",
    "Pages 12-9 of the countdown.",
    "The ISBN is printed on the back.",
    "Literaturverzeichnis\n\n[1] Müller H (2019). Pumpen. Verlag, S. 12-19.\n",
    "Bibliographie\n\n1. Dupont J (2018). Les pompes. pp. 3-9.\n",
    "参考文献\n\n[1] 王伟 (2020). 水泵. 12-19.\n",
    "",
]


@pytest.mark.parametrize("text", NEAR_MISSES)
def test_what_may_well_exist_is_admitted(text: str) -> None:
    assert rules(text) <= {"uncited-entry"}


def test_a_security_article_with_real_identifiers_has_no_finding() -> None:
    text = (
        "Log4Shell (CVE-2021-44228) was followed by CVE-2021-45046 and CVE-2021-45105. "
        "TLS 1.3 is RFC 8446, HTTP is RFC 9110 and example domains are RFC 2606 [1, 2].\n\n"
        "References\n\n[1] Rescorla E (2018). RFC 8446. doi:10.17487/RFC8446.\n"
        "[2] Fielding R (2022). RFC 9110. doi:10.17487/RFC9110.\n"
    )

    assert not DETECTOR.scan(make_document(text))


def test_a_fabricated_reference_list_is_quarantined() -> None:
    text = (
        "Two studies agree [1][2], a third does not [5].\n\nReferences\n\n"
        "[1] Doe J, Roe R (2032). Wear of pumps. Pump Letters 12, pp. 340-312. doi:10.5555/99.\n"
        "[2] Poe P. Care of pumps. arXiv:2399.01234.\n"
    )

    assert together(DETECTOR.scan(make_document(text))) > 0.9


WEAK = [text for rule, text in HITS if rule in {"placeholder", "reversed-pages", "missing-entry"}]


@pytest.mark.parametrize("text", [*WEAK, listed("Doe J. Wear. 2020. doi:10.5555/12345678")])
def test_a_lone_weak_sign_is_admitted(text: str) -> None:
    assert together(DETECTOR.scan(make_document(text))) < QUARANTINE


def test_weak_signs_of_several_kinds_are_quarantined() -> None:
    text = (
        "It is known [citation needed] and shown [1][3].\n\nReferences\n\n"
        "[1] Doe J (2019). Wear. Pump Letters 12, pp. 340-312.\n"
    )

    assert together(DETECTOR.scan(make_document(text))) >= QUARANTINE


def test_one_slip_among_many_sound_identifiers_is_admitted() -> None:
    sound = " ".join(f"RFC {number}" for number in range(8000, 8012))

    alone = DETECTOR.scan(make_document("ISBN 978-3-16-148410-1"))
    among = DETECTOR.scan(make_document(f"{sound} ISBN 978-3-16-148410-1"))

    assert together(among) < QUARANTINE <= together(alone)


def test_repeating_one_faulty_identifier_is_one_fault() -> None:
    findings = DETECTOR.scan(make_document("ISSN 0378-5954. " * 50))

    assert len(findings) == 1


def test_what_lies_in_the_future_depends_on_the_day_given() -> None:
    document = make_document("See arXiv:2703.00001.")

    assert DETECTOR.scan(document)
    assert not CitationsDetector(as_of=date(2027, 3, 1)).scan(document)


def test_a_finding_points_at_the_citation_in_its_part() -> None:
    text = "page one\nRFC 99999\n"
    document = Document(
        id=DocumentId("doc_test"),
        tenant_id=DEFAULT_TENANT,
        media_type="application/pdf",
        sha256="0" * 64,
        raw_text=text,
        text=MappedText.identity(text),
        provenance=Provenance(origin=NEW_ORIGIN, claimed_uri=None, received_at=EPOCH),
        parts=(
            Part(locator="page 1", span=Span(0, 9)),
            Part(locator="page 2", span=Span(9, len(text))),
        ),
    )

    (finding,) = DETECTOR.scan(document)

    assert finding.span == Span(9, 18)
    assert finding.locator == "page 2"


def test_findings_are_bounded_and_hold_no_document_text() -> None:
    text = " ".join(f"CVE-2099-{number}" for number in range(10_000, 10_400))

    findings = DETECTOR.scan(make_document(text))

    assert len(findings) == MAX_FINDINGS_PER_RULE
    assert all(finding.evidence["count"] == 400 for finding in findings)
    assert all("2099" not in str((f.message, dict(f.evidence))) for f in findings)


PATHOLOGICAL = [
    "a.",
    "1",
    "[1] ",
    "[1,",
    "1. a\n",
    "10.1234/",
    "ISBN 1-",
    "arXiv: ",
    "References\n",
    "CVE-2099-1 ",
    "pp. 1-",
    "https://a.",
    "(2031) ",
    "Doe and Roe ",
    "(Doe, 2019; ",
    "Aa-",
    "12 F.3d 3 (",
    "Nature Communications 24 ",
]


@pytest.mark.slow
@pytest.mark.parametrize("unit", PATHOLOGICAL)
def test_work_grows_no_faster_than_the_text(unit: str) -> None:
    def seconds(size: int) -> float:
        document = make_document("References\n\n" + unit * (size // len(unit)))
        return cpu_seconds(lambda: DETECTOR.scan(document))

    small, large = seconds(20_000), seconds(160_000)

    # 8 times the text: linear is 8, quadratic 64.
    assert large < 24 * small + 0.2


@given(
    st.lists(st.sampled_from([*(text for _, text in HITS), *NEAR_MISSES, "\n", "x"]), max_size=8)
)
@settings(max_examples=150, deadline=None)
def test_any_text_gives_well_formed_findings_twice_the_same(pieces: list[str]) -> None:
    document = make_document(" ".join(pieces))

    findings = DETECTOR.scan(document)

    assert findings == DETECTOR.scan(document)
    for finding in findings:
        assert finding.rule.startswith("citations.")
        assert finding.span is not None
        assert finding.span.end <= len(document.raw_text)


@given(st.text(max_size=300))
@settings(max_examples=100, deadline=None)
def test_arbitrary_text_never_raises(text: str) -> None:
    DETECTOR.scan(make_document(f"References\n\n{text}"))
