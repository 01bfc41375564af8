"""Rules over everything a model could read, joined into one calibrated risk."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from defences.detectors.injected_instructions.classified import ClassifiedWindow, WindowReader
from defences.detectors.injected_instructions.context import Context, Enclosure
from defences.detectors.injected_instructions.readings import (
    HIDDEN,
    METADATA,
    VISIBLE,
    Reading,
    readings,
)
from defences.detectors.injected_instructions.rules import Rule, applicable
from defences.detectors.injected_instructions.rules_errands import ERRANDS
from defences.detectors.injected_instructions.rules_hidden import HIDDEN as CONCEALED_RULES
from defences.detectors.injected_instructions.rules_misuse import MISUSE
from defences.detectors.injected_instructions.rules_multilingual import OTHER_LANGUAGES, SQUASHED
from defences.detectors.injected_instructions.rules_takeover import TAKEOVER
from domain.documents import Document, Span
from domain.scanning import Finding, FindingLevel

MAX_FINDINGS_PER_FAMILY = 40
MAX_HITS_PER_RULE = 200

_NEIGHBOURHOOD = 500  # characters within which hits of several families corroborate each other
_WEAK = 0.3
_WEAK_TOGETHER = 0.4  # what weak hits may reach together, however many
_MENTION_RISK = 0.02
_QUOTED_FACTOR = 0.75  # quotation marks alone do not save a payload
_ENCODED_DOUBT = 0.5  # share of the doubt left where an order had to be decoded
_HIDDEN_DOUBT = 0.35  # ... where it stood in a channel that a reader does not see
_HOSTILE = 0.5
_LIKELY = 0.15  # of a window: below this the classifier says nothing

CLASSIFIED = "classifier"
"""The family of what the classifier found: its rule is `injected-instructions.classifier`."""

_RULES = (*TAKEOVER, *MISUSE, *ERRANDS, *OTHER_LANGUAGES)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hit:
    family: str
    risk: float
    channel: str
    place: int
    """Which text of the document: 0 the visible one, then hidden passages and fields in order."""
    at: Span
    """In that text."""
    encoding: str = ""
    mention: bool = False
    field: str = ""


class InjectedInstructionsDetector:
    """Finds text that addresses the model, in all that is text about a document (Law 14).

    Rules read everything; a classifier reads the windows that are likeliest to address a model. A
    hit's risk is its rule's strength, lessened by quotation, raised by a hidden channel or an
    encoding. Hits of several families near each other corroborate (noisy-or); hits far apart do
    not, so that length alone never raises a document. A passage that quotes an attack is a mention.
    """

    def __init__(self, *, reader: WindowReader | None = None) -> None:
        """Build the detector; without `reader` it goes by its rules alone."""
        self._reader = reader

    @property
    def name(self) -> str:
        return "injected-instructions"

    @property
    def version(self) -> str:
        return "5" if self._reader is None else f"5+{self._reader.version}"

    def scan(self, document: Document) -> Sequence[Finding]:
        """Return what addresses the model.

        Raises:
            DetectorUnavailableError: The classifier cannot be used.
        """
        found = list(readings(document))
        windows = [] if self._reader is None else self._reader.read(found)
        hits = list(_document_hits(found, windows))
        shown = _discounted(hits)
        counts: dict[tuple[str, bool], int] = defaultdict(int)
        for hit in hits:
            counts[hit.family, hit.mention] += 1
        findings = [
            _finding(document, hit, risk=risk, count=counts[hit.family, hit.mention])
            for hit, risk in shown
        ]
        return _bounded(findings)


def document_risk(findings: Iterable[Finding]) -> float:
    """Return the risk of all findings together: noisy-or over rules, each at its greatest."""
    greatest: dict[str, float] = defaultdict(float)
    for finding in findings:
        greatest[finding.rule] = max(greatest[finding.rule], finding.risk)
    return 1.0 - math.prod(1.0 - risk for risk in greatest.values())


def _document_hits(found: Sequence[Reading], windows: Sequence[ClassifiedWindow]) -> Iterator[_Hit]:
    visible: list[_Hit] = []
    for hit in _classified_hits(windows):
        if hit.channel == VISIBLE:
            visible.append(hit)
        else:
            yield hit
    for place, ofplace in _by_place(found).items():
        hits = _text_hits(ofplace)
        if place == 0:
            visible += hits
        else:
            yield from hits
    yield from _with_mentions(found[0], visible)


def _by_place(found: Sequence[Reading]) -> Mapping[int, Sequence[Reading]]:
    places: dict[int, list[Reading]] = defaultdict(list)
    for reading in found:
        places[reading.place].append(reading)
    return places


def _with_mentions(visible: Reading, hits: Sequence[_Hit]) -> Iterator[_Hit]:
    """Yield hits of the visible text, read as it stands; what is quoted or explained, as mentions."""
    if not hits:
        return
    context = Context(text=visible.view.text.text, folded=visible.folded)
    for hit in hits:
        around = context.around(hit.at)
        quoted = around.enclosure is Enclosure.QUOTED
        apart = around.enclosure is not Enclosure.NONE
        if (
            (context.about_attacks(around.container) and (apart or around.explained))
            or (quoted and around.exposed)
            or (quoted and context.about_models(around.container))
        ):
            yield replace(hit, risk=_MENTION_RISK, mention=True, at=around.container)
        else:
            yield replace(hit, risk=hit.risk * (_QUOTED_FACTOR if quoted else 1.0))


def _classified_hits(windows: Sequence[ClassifiedWindow]) -> Iterator[_Hit]:
    """Yield the windows worth holding; where there is none, the likeliest alone.

    Windows of one document are no independent witnesses: their doubts do not add up, or length
    alone would.
    """
    risks = [(_window_risk(window), window) for window in windows]
    telling = [pair for pair in risks if pair[0] >= _HOSTILE]
    if not telling and risks:
        likeliest = max(risks, key=lambda pair: pair[0])
        telling = [likeliest] if likeliest[0] >= _LIKELY else []
    for risk, window in telling:
        yield _at(window.reading, CLASSIFIED, risk=risk, at=window.focus())


def _window_risk(window: ClassifiedWindow) -> float:
    """Return a risk whose odds, unlike a rule's doubt, are raised by decoding and concealment.

    Most windows say nothing: halving the doubt about nothing would make it a finding.
    """
    odds = window.risk / max(1e-9, 1.0 - window.risk) / _share_of_doubt(window.reading)
    return odds / (1.0 + odds)


def _rule_hit(reading: Reading, rule: Rule, at: Span) -> _Hit:
    risk = 1.0 - (1.0 - rule.strength) * _share_of_doubt(reading)
    return _at(reading, rule.family, risk=risk, at=at)


def _share_of_doubt(reading: Reading) -> float:
    """Return the share of a doubt that decoding and concealment leave."""
    return (_ENCODED_DOUBT if reading.view.encoding else 1.0) * (
        _HIDDEN_DOUBT if reading.concealed else 1.0
    )


def _at(reading: Reading, family: str, *, risk: float, at: Span) -> _Hit:
    """Return a hit at a range of the reading's view."""
    return _Hit(
        family=family,
        risk=risk,
        channel=reading.channel,
        place=reading.place,
        at=reading.view.text.source(at.start, at.end),
        encoding=reading.view.encoding,
        field=reading.field,
    )


def _text_hits(found: Sequence[Reading]) -> Iterator[_Hit]:
    seen: set[tuple[str, int, int]] = set()
    for reading in found:
        rules = (*_RULES, *CONCEALED_RULES) if reading.concealed else _RULES
        squashed = reading.view.squashed
        for rule in applicable(SQUASHED if squashed else rules, reading.folded):
            for at in _matches(rule, reading.folded):
                hit = _rule_hit(reading, rule, at)
                key = (rule.family, hit.at.start, hit.at.end)
                if key not in seen:
                    seen.add(key)
                    yield hit


def _matches(rule: Rule, folded: str) -> Iterator[Span]:
    count = 0
    for match in rule.pattern.finditer(folded):
        count += 1
        start, end = match.span()
        if "\n\n" in match[0].strip():
            continue
        if count > MAX_HITS_PER_RULE:
            # The rest of the text counts as one hit, so that no place goes unmarked.
            yield Span(start, len(folded))
            return
        if end > start:
            yield Span(start, end)


def _discounted(hits: Sequence[_Hit]) -> list[tuple[_Hit, float]]:
    """Return hits with risks whose noisy-or over families is the risk of the worst passage."""
    worst = max((_passage_risk(group) for group in _passages(hits)), default=0.0)
    greatest: dict[str, float] = defaultdict(float)
    for hit in hits:
        if not hit.mention:
            greatest[hit.family] = max(greatest[hit.family], hit.risk)
    doubt = sum(math.log1p(-risk) for risk in greatest.values())
    share = min(1.0, math.log1p(-worst) / doubt) if doubt < 0.0 else 1.0
    return [(hit, hit.risk if hit.mention else 1.0 - (1.0 - hit.risk) ** share) for hit in hits]


def _passages(hits: Sequence[_Hit]) -> Iterator[list[_Hit]]:
    """Yield groups of instructing hits that stand near each other, all pairs within reach."""
    ordered = sorted((hit for hit in hits if not hit.mention), key=lambda h: (h.place, h.at.start))
    first = 0
    for last, hit in enumerate(ordered):
        while (
            ordered[first].place != hit.place
            or hit.at.start - ordered[first].at.start > _NEIGHBOURHOOD
        ):
            first += 1
        yield ordered[first : last + 1]


def _passage_risk(hits: Sequence[_Hit]) -> float:
    greatest: dict[str, float] = defaultdict(float)
    for hit in hits:
        greatest[hit.family] = max(greatest[hit.family], hit.risk)
    weak = 1.0 - math.prod(1.0 - risk for risk in greatest.values() if risk <= _WEAK)
    strong = math.prod(1.0 - risk for risk in greatest.values() if risk > _WEAK)
    return 1.0 - (1.0 - min(weak, _WEAK_TOGETHER)) * strong


def _finding(document: Document, hit: _Hit, *, risk: float, count: int) -> Finding:
    span: Span | None = None
    locator: str | None = None
    if hit.channel == VISIBLE:
        span = document.text.source(hit.at.start, hit.at.end)
        locator = document.locate(span)
    elif hit.channel == HIDDEN:
        passage = document.hidden[hit.place - 1]
        span = passage.text.source(hit.at.start, hit.at.end)
        locator = passage.locator or document.locate(span)
    level = FindingLevel.HOSTILE if risk >= _HOSTILE else FindingLevel.SUSPICIOUS
    evidence: dict[str, str | int | float | bool] = {"channel": hit.channel, "count": count}
    if hit.encoding:
        evidence["encoding"] = hit.encoding
    if hit.field:
        evidence["field"] = hit.field
    return Finding(
        rule=f"injected-instructions.{hit.family}",
        risk=risk,
        level=FindingLevel.MENTION if hit.mention else level,
        message=_message(hit, count),
        span=span,
        locator=locator,
        evidence=evidence,
    )


def _message(hit: _Hit, count: int) -> str:
    what = "quoted or explained order" if hit.mention else "order to the model"
    how = f", found after decoding ({hit.encoding})" if hit.encoding else ""
    where = {
        VISIBLE: "visible text",
        HIDDEN: "hidden text",
        METADATA: f"metadata ({hit.field})",
    }[hit.channel]
    more = f"; {count} of the kind in the document" if count > 1 else ""
    return f"{what} ({hit.family}) in {where}{how}{more}"


def _bounded(findings: Sequence[Finding]) -> list[Finding]:
    """Return at most `MAX_FINDINGS_PER_FAMILY` of a rule and level, the last covering the rest."""
    groups: dict[tuple[str, FindingLevel, bool], list[Finding]] = defaultdict(list)
    for finding in findings:
        groups[finding.rule, finding.level, finding.span is None].append(finding)
    kept: list[Finding] = []
    for group in groups.values():
        group.sort(key=lambda finding: -finding.risk)
        kept += group[: MAX_FINDINGS_PER_FAMILY - 1]
        rest = group[MAX_FINDINGS_PER_FAMILY - 1 :]
        if rest:
            spans = [finding.span for finding in rest if finding.span is not None]
            hull = (
                Span(min(span.start for span in spans), max(span.end for span in spans))
                if spans
                else None
            )
            kept.append(replace(rest[0], span=hull))
    return sorted(kept, key=lambda finding: -finding.risk)
