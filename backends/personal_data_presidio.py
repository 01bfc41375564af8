"""Personal data by presidio-analyzer's pattern recognisers, without a language model or a network.

Only the recognisers are used: `AnalyzerEngine` would ask for a model and adds nothing to patterns.
Each is shown short windows around what a cheap linear pattern picked out, because its own patterns
are quadratic on hostile text. What cannot be looked at becomes a finding, never a skip.
"""

from __future__ import annotations

import logging
import re
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from typing import Protocol

from backends.personal_data_risks import (
    PERSONAL,
    RESERVED_ADDRESS,
    compact,
    personal_data_risk,
)
from domain.documents import Document, Span
from domain.errors import DetectorUnavailableError
from domain.scanning import Finding, FindingLevel
from domain.text import MappedText

MAX_FINDINGS_PER_RULE = 20
MAX_CANDIDATES = 10_000  # a kind and text; the rest is reported as not looked at
REGEX_TIMEOUT_SECONDS = 2  # presidio's own default of 60 lets one pattern hold a worker

_MAX_WINDOW = 1_000
_WINDOW_OVERLAP = 120
_MANY = 10
_PRESIDIO_LOGGER = "presidio-analyzer"
_SERIOUS = 0.6


class PatternResult(Protocol):
    start: int
    end: int
    score: float


class PatternRecogniser(Protocol):
    def analyze(self, text: str, entities: list[str], /) -> Sequence[PatternResult]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """One kind of personal data.

    Attributes:
        rule: Behind `personal-data.`.
        candidate: Linear pattern for places worth a look.
        before: Characters shown to the recogniser before a candidate; `after` those behind it.
        recogniser: Key into the loaded recognisers.
    """

    rule: str
    candidate: re.Pattern[str]
    before: int
    after: int
    recogniser: str
    entity: str


_KINDS: tuple[_Kind, ...] = (  # in order of precedence where hits overlap
    _Kind(
        rule="iban",
        candidate=re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}[ -]?[A-Z0-9]{4}"),
        before=0,
        after=44,
        recogniser="IbanRecognizer",
        entity="IBAN_CODE",
    ),
    _Kind(
        rule="credit-card",
        candidate=re.compile(r"(?<!\d)(?<!\d\.)\d(?:[ -]?\d){12,18}(?!\.?\d)"),
        before=0,
        after=0,
        recogniser="CreditCardRecognizer",
        entity="CREDIT_CARD",
    ),
    _Kind(
        rule="us-ssn",
        candidate=re.compile(r"(?<![\d.-])\d{3}[- .]\d{2}[- .]\d{4}(?![\d-])"),
        before=0,
        after=0,
        recogniser="UsSsnRecognizer",
        entity="US_SSN",
    ),
    _Kind(
        rule="italian-fiscal-code",
        candidate=re.compile(r"\b[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]\b"),
        before=0,
        after=0,
        recogniser="ItFiscalCodeRecognizer",
        entity="IT_FISCAL_CODE",
    ),
    _Kind(
        rule="medical-licence",
        candidate=re.compile(r"(?<!\w)[A-HJ-NP-UX][A-Z9]\d{7}(?!\w)"),
        before=0,
        after=0,
        recogniser="MedicalLicenseRecognizer",
        entity="MEDICAL_LICENSE",
    ),
    _Kind(
        rule="crypto-wallet",
        candidate=re.compile(r"(?<![A-Za-z0-9])(?:bc1|[13])[a-zA-Z0-9]{25,61}(?![A-Za-z0-9])"),
        before=0,
        after=0,
        recogniser="CryptoRecognizer",
        entity="CRYPTO",
    ),
    _Kind(
        rule="ip-address",
        candidate=re.compile(
            r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])|(?<![\w:])[0-9A-Fa-f]{1,4}:(?:[0-9A-Fa-f]{0,4}:){1,6}"
            r"[0-9A-Fa-f]{1,4}(?![\w:])"
        ),
        before=0,
        after=0,
        recogniser="IpRecognizer",
        entity="IP_ADDRESS",
    ),
    _Kind(
        rule="email-address",
        candidate=re.compile(r"@(?=\w)"),
        before=70,
        after=130,
        recogniser="EmailRecognizer",
        entity="EMAIL_ADDRESS",
    ),
    _Kind(
        rule="phone-number",
        candidate=re.compile(r"(?<![\w.+])\+[1-9][\d ().\-/]{6,20}\d(?![\w])"),
        before=0,
        after=0,
        recogniser="InternationalPhoneRecognizer",
        entity="PHONE_NUMBER",
    ),
    _Kind(
        rule="phone-number",
        candidate=re.compile(
            r"\b(?:tel|tele(?:phone|fon)|t[ée]l[ée]phone|tel[ée]fono|phone|fon|mobile?|mobil|cell|call|fax|handy|hotline)"
            r"\b[^\d\n]{0,24}[(0-9][\d ().\-/]{5,18}\d(?!\w)",
            re.IGNORECASE,
        ),
        before=0,
        after=0,
        recogniser="NationalPhoneRecognizer",
        entity="PHONE_NUMBER",
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hit:
    rule: str
    at: Span
    risk: float
    value: str


class _TimeoutWatch(logging.Filter):
    """Counts pattern time-outs by thread: presidio logs them and goes on.

    It lets no record through: some of presidio's carry the text under analysis.
    """

    def __init__(self) -> None:
        super().__init__()
        self._seen = threading.local()

    def filter(self, record: logging.LogRecord) -> bool:
        if "timed out" in str(record.msg):
            self._seen.count = self.count + 1
        return False

    @property
    def count(self) -> int:
        count: int = getattr(self._seen, "count", 0)
        return count


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loaded:
    recognisers: dict[str, PatternRecogniser]
    watch: _TimeoutWatch


class PresidioPersonalDataDetector:
    """Finds personal data by form and check digit. Loads presidio at the first scan.

    Companies' own addresses, documentation numbers and test cards are low risk; what only a
    person has (a card number, an identity number) is high.
    """

    def __init__(self, *, replaced: Mapping[str, PatternRecogniser] | None = None) -> None:
        """Hold back loading until it is needed.

        Args:
            replaced: Recognisers to use in place of presidio's, by class name.
        """
        self._replaced = dict(replaced or {})
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None

    @property
    def name(self) -> str:
        return "personal-data"

    @property
    def version(self) -> str:
        try:
            return f"1+presidio-{version('presidio-analyzer')}"
        except PackageNotFoundError:
            return "1+presidio-absent"

    def scan(self, document: Document) -> Sequence[Finding]:
        """Return findings in visible text, hidden passages and metadata.

        Raises:
            DetectorUnavailableError: presidio-analyzer cannot be imported or built.
        """
        loaded = self._load()
        findings = list(_findings(loaded, document, document.text, None))
        for passage in document.hidden:
            findings += _findings(loaded, document, passage.text, passage.locator)
        for entry in document.metadata:
            findings += _findings(loaded, document, entry.value, None)
        return findings

    def _load(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                self._loaded = _loaded(self._replaced)
            return self._loaded


def _loaded(replaced: Mapping[str, PatternRecogniser]) -> _Loaded:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # spaCy's import, not ours to mend
            recognisers = _recognisers() | dict(replaced)
    except (ImportError, OSError, ValueError, AttributeError) as error:
        raise DetectorUnavailableError(
            f"presidio-analyzer cannot be loaded: {type(error).__name__}"
        ) from error
    logger = logging.getLogger(_PRESIDIO_LOGGER)
    watches = [watch for watch in logger.filters if isinstance(watch, _TimeoutWatch)]
    watch = watches[0] if watches else _TimeoutWatch()
    logger.addFilter(watch)
    logger.setLevel(logging.WARNING)  # or a quieter root logger would hide the time-outs
    return _Loaded(recognisers=recognisers, watch=watch)


def _recognisers() -> dict[str, PatternRecogniser]:
    import tldextract  # seconds of import, and spaCy behind it: only when scanning
    from presidio_analyzer import pattern_recognizer, predefined_recognizers
    from presidio_analyzer.predefined_recognizers.generic import iban_recognizer

    # Read from the environment at import: set here, whoever imported it first.
    pattern_recognizer.REGEX_TIMEOUT_SECONDS = REGEX_TIMEOUT_SECONDS
    iban_recognizer.REGEX_TIMEOUT_SECONDS = REGEX_TIMEOUT_SECONDS
    # Without addresses it never fetches the suffix list and uses the one in the package.
    suffixes = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)

    class OfflineEmailRecognizer(predefined_recognizers.EmailRecognizer):
        def validate_result(self, pattern_text: str) -> bool:
            return bool(suffixes(pattern_text).fqdn) or bool(RESERVED_ADDRESS.search(pattern_text))

    plain = (
        "CreditCardRecognizer",
        "IbanRecognizer",
        "UsSsnRecognizer",
        "ItFiscalCodeRecognizer",
        "MedicalLicenseRecognizer",
        "CryptoRecognizer",
        "IpRecognizer",
    )
    phone = predefined_recognizers.PhoneRecognizer
    return {name: getattr(predefined_recognizers, name)() for name in plain} | {
        "EmailRecognizer": OfflineEmailRecognizer(),
        "InternationalPhoneRecognizer": phone(supported_regions=("US",)),
        "NationalPhoneRecognizer": phone(supported_regions=("US", "GB", "DE", "FR")),
    }


def _findings(
    loaded: _Loaded, document: Document, source: MappedText | str, locator: str | None
) -> Iterator[Finding]:
    text = source if isinstance(source, str) else source.text
    before = loaded.watch.count
    hits, complete = _hits(loaded, text)
    if loaded.watch.count > before:
        yield _incomplete("a pattern ran out of time", cause="pattern")
    if not complete:
        yield _incomplete("more candidates than are looked at", cause="budget")
    by_rule: dict[str, list[_Hit]] = {}
    for hit in hits:
        by_rule.setdefault(hit.rule, []).append(hit)
    for rule, group in by_rule.items():
        distinct = len({hit.value for hit in group})
        for hit in sorted(group, key=lambda hit: -hit.risk)[:MAX_FINDINGS_PER_RULE]:
            span = None if isinstance(source, str) else source.source(hit.at.start, hit.at.end)
            risk = max(hit.risk, _crowd_risk(rule, group))
            yield Finding(
                rule=f"personal-data.{rule}",
                risk=risk,
                level=FindingLevel.HOSTILE if risk >= _SERIOUS else FindingLevel.SUSPICIOUS,
                message=f"{rule}: {len(group)} in this text, {distinct} of them different",
                span=span,
                locator=locator or (document.locate(span) if span is not None else None),
                evidence={"count": len(group), "distinct": distinct},
            )


def _incomplete(reason: str, *, cause: str) -> Finding:
    # Somebody wrote a text that cannot be looked through: hold it rather than pass it.
    return Finding(
        rule="personal-data.timeout",
        risk=_SERIOUS,
        level=FindingLevel.SUSPICIOUS,
        message=f"not all of a text was looked at: {reason}",
        evidence={"cause": cause},
    )


def _crowd_risk(rule: str, group: Sequence[_Hit]) -> float:
    """Return the risk of many different people's addresses or numbers together."""
    if rule not in {"email-address", "phone-number"}:
        return 0.0
    people = len({hit.value for hit in group if hit.risk >= PERSONAL})
    return 0.4 if people >= _MANY else 0.0


def _hits(loaded: _Loaded, text: str) -> tuple[list[_Hit], bool]:
    """Return hits that do not overlap, and whether every candidate was looked at."""
    taken: list[_Hit] = []
    covered: set[int] = set()
    complete = True
    for kind in _KINDS:
        recogniser = loaded.recognisers[kind.recogniser]
        candidates = list(islice(kind.candidate.finditer(text), MAX_CANDIDATES + 1))
        complete = complete and len(candidates) <= MAX_CANDIDATES
        for window in _windows(kind, candidates[:MAX_CANDIDATES], len(text)):
            shown = text[window.start : window.end]
            for result in recogniser.analyze(shown, [kind.entity]):
                at = Span(window.start + result.start, window.start + result.end)
                places = range(at.start, at.end)
                risk = personal_data_risk(kind.rule, text, at)
                if risk is None or not covered.isdisjoint(places):
                    continue
                covered.update(places)
                value = compact(text[at.start : at.end]).lower()
                taken.append(_Hit(rule=kind.rule, at=at, risk=risk, value=value))
    return taken, complete


def _windows(kind: _Kind, candidates: Sequence[re.Match[str]], length: int) -> Iterator[Span]:
    """Yield what to show the recogniser, joined where candidates crowd, in bounded pieces."""
    merged: list[Span] = []
    for match in candidates:
        window = Span(max(0, match.start() - kind.before), min(length, match.end() + kind.after))
        if merged and (kind.before or kind.after) and window.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, window.end))
        else:
            merged.append(window)
    for window in merged:
        for start in range(window.start, window.end, _MAX_WINDOW - _WINDOW_OVERLAP):
            yield Span(start, min(window.end, start + _MAX_WINDOW))
            if start + _MAX_WINDOW >= window.end:
                break
