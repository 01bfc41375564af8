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

from backends.personal_data_kinds import KINDS, Kind
from backends.personal_data_risks import (
    CROWD,
    PERSONAL,
    RESERVED_ADDRESS,
    compact,
    personal_data_risk,
)
from domain.documents import Document, Span
from domain.errors import DetectorUnavailableError
from domain.masking import SensitiveValue, ValueFinder
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
_NAME_RISK = 0.03  # a name alone harms nobody; it is here to be masked
NAME_RULE = "person-name"
RULES = frozenset({*(kind.rule for kind in KINDS), NAME_RULE, "timeout"})


class PatternResult(Protocol):
    start: int
    end: int
    score: float


class PatternRecogniser(Protocol):
    def analyze(self, text: str, entities: list[str], /) -> Sequence[PatternResult]: ...


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

    def __init__(
        self,
        *,
        names: ValueFinder | None = None,
        replaced: Mapping[str, PatternRecogniser] | None = None,
    ) -> None:
        """Hold back loading until it is needed.

        Args:
            names: Finds people's names, by a language model; None for patterns only.
            replaced: Recognisers to use in place of presidio's, by class name.
        """
        self._names = names
        self._replaced = dict(replaced or {})
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None

    @property
    def name(self) -> str:
        return "personal-data"

    @property
    def version(self) -> str:
        try:
            return f"2+presidio-{version('presidio-analyzer')}"
        except PackageNotFoundError:
            return "2+presidio-absent"

    def scan(self, document: Document) -> Sequence[Finding]:
        """Return findings in visible text, hidden passages and metadata.

        Raises:
            DetectorUnavailableError: presidio-analyzer cannot be imported or built.
        """
        loaded = self._load()
        findings = list(self._findings(loaded, document, document.text, None))
        for passage in document.hidden:
            findings += self._findings(loaded, document, passage.text, passage.locator)
        for entry in document.metadata:
            findings += self._findings(loaded, document, entry.value, None)
        return findings

    def find(self, text: str) -> Sequence[SensitiveValue]:
        """Return every value in order, however many there are.

        Raises:
            DetectorUnavailableError: presidio-analyzer cannot be loaded, or a pattern ran out of
                time: what it would have found is not known.
        """
        loaded = self._load()
        before = loaded.watch.count
        hits, _ = self._hits(loaded, text, most=len(text))
        if loaded.watch.count > before:
            raise DetectorUnavailableError("a pattern ran out of time: not all was looked at")
        values = [
            SensitiveValue(rule=f"{self.name}.{hit.rule}", start=hit.at.start, end=hit.at.end)
            for hit in hits
        ]
        return sorted(values, key=lambda value: value.start)

    def _findings(
        self, loaded: _Loaded, document: Document, source: MappedText | str, locator: str | None
    ) -> Iterator[Finding]:
        text = source if isinstance(source, str) else source.text
        before = loaded.watch.count
        hits, complete = self._hits(loaded, text, most=MAX_CANDIDATES)
        if loaded.watch.count > before:
            yield _incomplete("a pattern ran out of time", cause="pattern")
        if not complete:
            yield _incomplete("more candidates than are looked at", cause="budget")
        yield from _grouped(document, source, locator, hits)

    def _hits(self, loaded: _Loaded, text: str, *, most: int) -> tuple[list[_Hit], bool]:
        hits, complete = _hits(loaded, text, most)
        if self._names is not None:
            taken = {place for hit in hits for place in range(hit.at.start, hit.at.end)}
            for value in self._names.find(text):
                if taken.isdisjoint(range(value.start, value.end)):
                    at = Span(value.start, value.end)
                    written = text[value.start : value.end].lower()
                    hits.append(_Hit(rule=NAME_RULE, at=at, risk=_NAME_RISK, value=written))
        return hits, complete

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
            # Of the host alone: a link with an address in its path would be read as a link.
            host = pattern_text.rpartition("@")[2]
            return bool(suffixes(host).fqdn) or bool(RESERVED_ADDRESS.search(pattern_text))

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


def _grouped(
    document: Document, source: MappedText | str, locator: str | None, hits: Sequence[_Hit]
) -> Iterator[Finding]:
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
    return CROWD if people >= _MANY else 0.0


def _hits(loaded: _Loaded, text: str, most: int) -> tuple[list[_Hit], bool]:
    """Return hits that do not overlap, and whether every candidate was looked at.

    At most `most` candidates of a kind are.
    """
    taken: list[_Hit] = []
    covered: set[int] = set()
    complete = True
    for kind in KINDS:
        recogniser = loaded.recognisers[kind.recogniser]
        candidates = list(islice(kind.candidate.finditer(text), most + 1))
        complete = complete and len(candidates) <= most
        for window in _windows(kind, candidates[:most], len(text)):
            shown = text[window.start : window.end]
            for result in recogniser.analyze(shown, [kind.entity]):
                # A slash may stand in an address by the letter of the law, and means a link.
                path = shown[result.start : result.end].rfind("/") + 1
                begun = result.start + (path if kind.rule == "email-address" else 0)
                at = Span(window.start + begun, window.start + result.end)
                places = range(at.start, at.end)
                risk = personal_data_risk(kind.rule, text, at)
                if risk is None or not covered.isdisjoint(places):
                    continue
                covered.update(places)
                value = compact(text[at.start : at.end]).lower()
                taken.append(_Hit(rule=kind.rule, at=at, risk=risk, value=value))
    return taken, complete


def _windows(kind: Kind, candidates: Sequence[re.Match[str]], length: int) -> Iterator[Span]:
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
