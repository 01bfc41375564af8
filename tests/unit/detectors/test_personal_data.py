"""What only a person has is found; what a company prints on its pages is admitted."""

from __future__ import annotations

import logging
import math
import socket
import subprocess
import sys
import threading
from collections import defaultdict
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.personal_data_presidio import (
    MAX_CANDIDATES,
    MAX_FINDINGS_PER_RULE,
    PatternResult,
    PresidioPersonalDataDetector,
)
from defences.trust.policy import DEFAULT_POLICY, load_policy
from domain.scanning import Finding, FindingLevel, ScanReport
from domain.trust import Verdict
from tests.builders import EPOCH, make_document
from tests.growth import cpu_seconds

pytestmark = pytest.mark.slow
QUARANTINE = 0.6
POLICY = load_policy(DEFAULT_POLICY.read_text())


@pytest.fixture(scope="module")
def detector() -> PresidioPersonalDataDetector:
    return PresidioPersonalDataDetector()


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a detector must not use the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)


def together(findings: Iterable[Finding]) -> float:
    greatest: dict[str, float] = defaultdict(float)
    for finding in findings:
        greatest[finding.rule] = max(greatest[finding.rule], finding.risk)
    return 1.0 - math.prod(1.0 - risk for risk in greatest.values())


HITS = [
    ("email-address", "Write to anna.kovacs@gmail.com today.", "anna.kovacs@gmail.com"),
    ("email-address", "<anna+news@posteo.de>", "anna+news@posteo.de"),
    ("email-address", "ANNA.KOVACS@GMAIL.COM", "ANNA.KOVACS@GMAIL.COM"),
    ("email-address", "mailto:anna@firma.co.uk?subject=x", "anna@firma.co.uk"),
    ("email-address", "https://x.example/u/anna@firma.de", "anna@firma.de"),
    ("email-address", "https://firma.de/anna.kovacs@gmail.com?x=1", "anna.kovacs@gmail.com"),
    ("credit-card", "My card: 4539 1488 0343 6467.", "4539 1488 0343 6467"),
    ("credit-card", "card 4539-1488-0343-6467", "4539-1488-0343-6467"),
    ("credit-card", "Karte 4539148803436467", "4539148803436467"),
    ("credit-card", "amex 371449635398456 ".replace("456", "431"), "371449635398431"),
    ("iban", "IBAN DE75512108001245126199", "DE75512108001245126199"),
    ("iban", "IBAN: DE75 5121 0800 1245 1261 99.", "DE75 5121 0800 1245 1261 99"),
    ("iban", "compte FR7630006000011234567890189", "FR7630006000011234567890189"),
    ("us-ssn", "SSN: 536-90-4399", "536-90-4399"),
    ("us-ssn", "social security number 536 90 4399", "536 90 4399"),
    ("phone-number", "My mobile is +44 7911 123456.", "+44 7911 123456"),
    ("phone-number", "Tel. 030 901820", "030 901820"),
    ("phone-number", "Téléphone : 01 42 68 53 00", "01 42 68 53 00"),
    ("ip-address", "from 8.8.8.8", "8.8.8.8"),
    ("ip-address", "from 2001:4860:4860::8888", "2001:4860:4860::8888"),
    (
        "crypto-wallet",
        "pay 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
        "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    ),
    ("italian-fiscal-code", "CF RSSMRA85T10A562S", "RSSMRA85T10A562S"),
    ("medical-licence", "DEA number AB1234563", "AB1234563"),
]


@pytest.mark.parametrize(("rule", "text", "value"), HITS)
def test_personal_data_is_found_where_it_stands(
    detector: PresidioPersonalDataDetector, rule: str, text: str, value: str
) -> None:
    findings = detector.scan(make_document(text))

    places = [
        text[finding.span.start : finding.span.end]
        for finding in findings
        if finding.rule == f"personal-data.{rule}" and finding.span is not None
    ]
    assert places == [value]


NOTHING = [
    "Order 4539 1488 0343 6468 has shipped.",
    "Tracking number 1234567890123456",
    "IBAN DE75512108001245126198",
    "DE75 bolts, 5121 nuts",
    "Part 123-45-67890",
    "On 2024-05-17 at 10:30",
    "Version 1.2.3 of the tool",
    "Part AB1234563 in the list of licences".replace(" of licences", ""),
    "@decorator\ndef call(self): ...",
    "user@host$ ls",
    "The ratio is 1:2:3",
    "Call the function 12 times",
    "phone the office",
    "sha 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "3FZbgi29cpjq2GjdwV8eyHuJJnkLtktZc6",
    "",
]


@pytest.mark.parametrize("text", NOTHING)
def test_numbers_that_are_nobodys_are_no_finding(
    detector: PresidioPersonalDataDetector, text: str
) -> None:
    findings = detector.scan(make_document(text))

    assert together(findings) <= 0.2


HARMLESS = [
    "Write to support@acme.com or call +49 30 901820, Mon-Fri.",
    "Contact: info@acme.com, sales@acme.com, noreply@acme.com. Phone: (202) 456-1111.",
    "Kontakt: datenschutz@acme.de, Telefon 030 901820, Fax 030 901821",
    "Test with 4111 1111 1111 1111 or 4242424242424242 (card).",
    "Example: DE89 3704 0044 0532 0130 00 is an IBAN.",
    "Ask jane.doe@example.com or joe@mail.acme.test; call 202-555-0123.",
    "Hosts 192.0.2.4, 10.0.0.1, 127.0.0.1 and 2001:db8::1; release 1.2.3.4",
    "The SSN 078-05-1120 was printed on wallets; SSN 123-45-6789 is a dummy.",
    "Donate: 1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    "Author: Anna Kovacs <anna.kovacs@gmail.com>",
    "Please transfer to our account, IBAN DE75 5121 0800 1245 1261 99. support@acme.com",
]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_a_company_publishes_is_admitted(
    detector: PresidioPersonalDataDetector, text: str
) -> None:
    assert together(detector.scan(make_document(text))) < QUARANTINE


PRIVATE = [
    "Hi, my card is 4539 1488 0343 6467, IBAN DE75 5121 0800 1245 1261 99, call +44 7911 123456. Anna",
    "SSN 536-90-4399, born in Ohio",
    "Please charge my Visa 4539148803436467, valid thru 04/28, CVV 123",
    "Codice fiscale RSSMRA85T10A562S",
]


@pytest.mark.parametrize("text", PRIVATE)
def test_what_only_a_person_has_is_quarantined(
    detector: PresidioPersonalDataDetector, text: str
) -> None:
    findings = detector.scan(make_document("Dear team,\n\n" + text))

    assert together(findings) >= QUARANTINE


def test_many_different_addresses_weigh_more_than_one_many_times(
    detector: PresidioPersonalDataDetector,
) -> None:
    one = make_document(" ".join(["anna@gmail.com"] * 30))
    many = make_document(" ".join(f"person{number}@gmail.com" for number in range(30)))

    assert together(detector.scan(one)) < together(detector.scan(many)) < QUARANTINE


DIRECTORIES = {
    "contributors": "\n".join(f"* Person {n} <person{n}@gmail.com>" for n in range(200)),
    "staff": "\n".join(
        f"| Anna {n} | anna{n}@firma.de | +49 30 9018{n} |" for n in range(2000, 2060)
    ),
    "network": "\n".join(
        f"call +44 7911 1234{n}, mail ops{n}@firma.de, host 8.8.{n}.4" for n in range(10, 40)
    ),
    "invoice": "IBAN DE75 5121 0800 1245 1261 99, IBAN FR7630006000011234567890189. "
    "anna.kovacs@gmail.com, +49 30 901820",
}


@pytest.mark.parametrize("text", DIRECTORIES.values(), ids=DIRECTORIES.keys())
def test_the_shipped_policy_admits_what_tells_how_people_are_reached(
    detector: PresidioPersonalDataDetector, text: str
) -> None:
    assert judged(detector.scan(make_document(text))) is Verdict.ADMIT


@pytest.mark.parametrize("text", PRIVATE)
def test_the_shipped_policy_holds_what_only_a_person_has(
    detector: PresidioPersonalDataDetector, text: str
) -> None:
    assert judged(detector.scan(make_document(text))) is Verdict.QUARANTINE


def judged(findings: Sequence[Finding]) -> Verdict:
    document = make_document("text")
    report = ScanReport(
        document_id=document.id,
        findings=tuple(findings),
        completed=dict.fromkeys(POLICY.weights.expected, "1"),
        unavailable=frozenset(),
    )
    return POLICY.assess(report, document.provenance, now=EPOCH).verdict


def test_hidden_text_and_metadata_are_looked_at(detector: PresidioPersonalDataDetector) -> None:
    document = make_document(
        "Nothing to see.",
        hidden=[("html-comment", " SSN: 536-90-4399")],
        metadata=[("author", "anna.kovacs@gmail.com")],
    )

    by_rule = {finding.rule: finding for finding in detector.scan(document)}

    hidden = by_rule["personal-data.us-ssn"].span
    assert hidden is not None
    assert document.raw_text[hidden.start : hidden.end] == "536-90-4399"
    assert by_rule["personal-data.email-address"].span is None


def test_long_documents_are_searched_to_the_end(detector: PresidioPersonalDataDetector) -> None:
    text = "All is well. " * 40_000 + "SSN: 536-90-4399"

    (finding,) = detector.scan(make_document(text))

    assert finding.span is not None
    assert finding.span.end == len(text)


@pytest.mark.parametrize("shift", range(0, 1_100, 100))
def test_an_address_is_found_wherever_windows_are_cut(
    detector: PresidioPersonalDataDetector, shift: int
) -> None:
    text = "@x " * (300 + shift) + "anna.kovacs@gmail.com" + " @x" * 300

    findings = detector.scan(make_document(text))

    assert any(
        finding.span and text[finding.span.start : finding.span.end] == "anna.kovacs@gmail.com"
        for finding in findings
    )


def test_findings_are_bounded_and_hold_no_document_text(
    detector: PresidioPersonalDataDetector,
) -> None:
    text = " ".join(f"zebra{number}@gmail.com" for number in range(60))

    findings = detector.scan(make_document(text))

    assert len(findings) == MAX_FINDINGS_PER_RULE
    assert all(finding.evidence["count"] == 60 for finding in findings)
    assert all("zebra" not in str((f.message, dict(f.evidence))) for f in findings)


def test_more_candidates_than_are_looked_at_is_a_finding_and_no_pass(
    detector: PresidioPersonalDataDetector,
) -> None:
    findings = detector.scan(make_document("a@b " * (MAX_CANDIDATES + 1)))

    timeout = [f for f in findings if f.rule == "personal-data.timeout"]
    assert timeout
    assert timeout[0].risk >= QUARANTINE
    assert timeout[0].level is not FindingLevel.MENTION


def test_a_pattern_that_times_out_is_a_finding(detector: PresidioPersonalDataDetector) -> None:
    class Stalled:
        """Does what presidio does on a time-out: logs it and returns nothing."""

        def analyze(self, _text: str, _entities: list[str], /) -> Sequence[PatternResult]:
            logging.getLogger("presidio-analyzer").warning(
                "Regex pattern '%s' timed out after %s seconds, skipping.", "p", 2
            )
            return []

    detector.scan(make_document(""))
    stalled = PresidioPersonalDataDetector(replaced={"EmailRecognizer": Stalled()})

    findings = stalled.scan(make_document("anna@gmail.com"))

    assert [finding.rule for finding in findings] == ["personal-data.timeout"]


def test_presidios_records_of_document_text_reach_no_log(
    detector: PresidioPersonalDataDetector, caplog: pytest.LogCaptureFixture
) -> None:
    detector.scan(make_document(""))

    logging.getLogger("presidio-analyzer").error("Failed to validate text %s", "secret")

    assert not caplog.records


def test_threads_share_a_detector_and_agree(detector: PresidioPersonalDataDetector) -> None:
    document = make_document(" ".join(text for _, text, _ in HITS))
    expected = detector.scan(document)
    results: list[object] = []

    threads = [
        threading.Thread(target=lambda: results.append(detector.scan(document))) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert results == [expected] * 6


@pytest.mark.parametrize("unit", ["a.", "a.a@", "1", "1 ", "+1 (", "DE75 ", "1.1.", "f:", "tel 1-"])
def test_work_grows_no_faster_than_the_text(
    detector: PresidioPersonalDataDetector, unit: str
) -> None:
    def seconds(size: int) -> float:
        document = make_document(unit * (size // len(unit)))
        return cpu_seconds(lambda: detector.scan(document))

    small, large = seconds(10_000), seconds(80_000)

    # 8 times the text: linear is 8, quadratic 64.
    assert large < 24 * small + 0.3


@given(st.lists(st.sampled_from([*(t for _, t, _ in HITS), *HARMLESS, "\n", "@", "+"]), max_size=6))
@settings(max_examples=60, deadline=None)
def test_any_text_gives_well_formed_findings_twice_the_same(pieces: list[str]) -> None:
    document = make_document(" ".join(pieces))

    findings = _SHARED.scan(document)

    assert findings == _SHARED.scan(document)
    for finding in findings:
        assert finding.rule.startswith("personal-data.")
        assert finding.span is not None
        assert finding.span.end <= len(document.raw_text)


_SHARED = PresidioPersonalDataDetector()


def test_the_version_says_which_presidio_looked() -> None:
    assert PresidioPersonalDataDetector().version.startswith("2+presidio-2")


def test_importing_the_detector_does_not_import_spacy() -> None:
    code = "import sys, backends.personal_data_presidio; sys.exit('spacy' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
