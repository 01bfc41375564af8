"""Offline checks of citations: impossible identifiers, impossible references, dangling numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from defences.detectors.citations.identifiers import KINDS
from defences.detectors.citations.references import (
    Entry,
    ReferenceList,
    numbered_citations,
    reference_list,
)
from domain.documents import Document, Span
from domain.scanning import Finding, FindingLevel

MAX_FINDINGS_PER_RULE = 20

_FABRICATED = 0.6
_REPEATED = 0.45  # from this risk on, a second fault of the kind confirms the first
_REPEATED_DOUBT = 0.5  # ... and leaves this share of the doubt
_PROSE_FACTOR = 0.6  # placeholder DOIs serve as examples in prose
_MANY_SOUND = 8  # so many sound identifiers make a single faulty one a slip of the pen
_SLIP_FACTOR = 0.6
_PAST_YEAR = re.compile(r"\b(?:1[6-9]\d\d|20[012]\d)\b")
_YEAR = re.compile(
    r"(?:(?<!\d)\((?P<bracketed>\d{4})[a-z]?\)|(?:[,.] |\b(?:in|vol\.? \d{1,4},?) )(?P<plain>\d{4})[a-z]?(?=[.,;)]|\s*$))",
    re.IGNORECASE,
)
_PAGES = re.compile(
    r"(?:\bpp?\.?~?|\bpages? |\bseiten? |\bs\. |\b\d{1,4}(?:\(\d{1,3}\))?[:,] ?)"
    r"(?P<first>\d{1,5}) ?(?:-{1,2}|\u2013|\u2014) ?(?P<last>\d{1,5})\b(?![.\-/]?\d)".replace(
        "~", " "
    ),
    re.IGNORECASE,
)
_RESERVED_DOMAIN = re.compile(
    r"(?:https?://|www\.)(?:[\w-]{1,63}\.){0,4}(?:example\.(?:com|org|net|edu)|[\w-]{1,63}\."
    r"(?:example|test|invalid|localhost))(?=[/\s.,;)\]\"'>]|$)",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"\[(?:citation needed|citation|source needed|reference needed|insert (?:citation|reference|source)(?: here)?"
    r"|add (?:citation|reference|source)|citation here|ref(?:erence)? here|author,? year|\?{1,3}|XX+|TODO:? cite)\]"
    r"|\((?:citation needed|insert citation(?: here)?|Author,? Year|add citation)\)",
    re.IGNORECASE,
)
_MIN_CITED = 2
_MAX_DANGLING_SHARE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fault:
    rule: str
    risk: float
    reason: str
    at: Span


class CitationsDetector:
    """Finds citations that cannot be right, offline.

    What is well formed and invented passes: only a resolver can tell. A fault outside a reference
    list counts as much as one inside for identifiers, which carry their own form; years, pages and
    domains are looked at inside a list only.

    Args:
        as_of: The day against which "in the future" is meant.
    """

    def __init__(self, *, as_of: date) -> None:
        self._as_of = as_of

    @property
    def name(self) -> str:
        return "citations"

    @property
    def version(self) -> str:
        return "1"

    def scan(self, document: Document) -> Sequence[Finding]:
        text = document.text.text
        listed = reference_list(text)
        faults = [*_identifier_faults(text, listed, self._as_of), *_placeholders(text, listed)]
        if listed is not None:
            faults += _list_faults(text, listed, self._as_of)
        return [_finding(document, fault, count) for fault, count in _together(faults)]


def _identifier_faults(text: str, listed: ReferenceList | None, today: date) -> list[_Fault]:
    lowered = text.lower()
    faults: list[_Fault] = []
    seen: set[str] = set()
    for kind in KINDS:
        if not any(needle in lowered for needle in kind.needles):
            continue
        for match in kind.pattern.finditer(text):
            if match[0] in seen:
                continue
            seen.add(match[0])
            fault = kind.check(match, today)
            if fault is not None:
                at = Span(match.start(), match.end())
                prose = listed is None or at.start < listed.span.start
                example = fault.rule == "reserved-doi" and prose
                faults.append(
                    _Fault(
                        rule=fault.rule,
                        risk=fault.risk * (_PROSE_FACTOR if example else 1.0),
                        reason=f"{kind.name}: {fault.reason}",
                        at=at,
                    )
                )
    sound = len(seen) - len(faults)
    if len(faults) == 1 and sound >= _MANY_SOUND:
        return [replace(faults[0], risk=faults[0].risk * _SLIP_FACTOR)]
    return faults


def _placeholders(text: str, listed: ReferenceList | None) -> Iterator[_Fault]:
    risk = 0.35 if listed is not None else 0.25
    for match in _PLACEHOLDER.finditer(text):
        yield _Fault(
            rule="placeholder",
            risk=risk,
            reason="a citation that was never filled in",
            at=Span(match.start(), match.end()),
        )


def _list_faults(text: str, listed: ReferenceList, today: date) -> Iterator[_Fault]:
    for entry in listed.entries:
        yield from _entry_faults(text, entry, today)
    yield from _dangling(text, listed)


def _entry_faults(text: str, entry: Entry, today: date) -> Iterator[_Fault]:
    dated = _PAST_YEAR.search(text, entry.span.start, entry.span.end) is not None
    for match in _YEAR.finditer(text, entry.span.start, entry.span.end):
        year = int(match["bracketed"] or match["plain"])
        # Next year's volumes are printed early; beside a year of the past it is a page number.
        if today.year + 1 < year < today.year + 80 and (match["bracketed"] or not dated):
            yield _Fault(
                rule="future-year",
                risk=0.5,
                reason="a reference from the future",
                at=Span(match.start(), match.end()),
            )
    for match in _PAGES.finditer(text, entry.span.start, entry.span.end):
        if _reversed(match["first"], match["last"]):
            yield _Fault(
                rule="reversed-pages",
                risk=0.4,
                reason="the last page comes before the first",
                at=Span(match.start(), match.end()),
            )
    if not dated:
        return  # a bare link may be an example; what carries a year means to be a source
    for match in _RESERVED_DOMAIN.finditer(text, entry.span.start, entry.span.end):
        yield _Fault(
            rule="reserved-domain",
            risk=0.45,
            reason="the address belongs to nobody (RFC 2606)",
            at=Span(match.start(), match.end()),
        )


def _reversed(first: str, last: str) -> bool:
    # `1123-35` is short for 1123-1135.
    return len(last) >= len(first) and int(last) < int(first)


def _dangling(text: str, listed: ReferenceList) -> Iterator[_Fault]:
    known = listed.numbers
    if not known:
        return
    cited: set[int] = set()
    missing: list[Span] = []
    total = 0
    for citation in numbered_citations(text, listed.span.start):
        total += 1
        cited |= citation.numbers
        if not citation.numbers <= known:
            missing.append(citation.span)
    if total < _MIN_CITED or not cited & known:
        return  # brackets in this text are no citations: indices, versions, footnotes
    for span in missing:
        yield _Fault(
            rule="missing-entry", risk=0.4, reason="a citation without a reference", at=span
        )
    unused = [entry for entry in listed.entries if entry.number not in cited]
    if 0 < len(unused) <= _MAX_DANGLING_SHARE * len(listed.entries):
        for entry in unused:
            yield _Fault(
                rule="uncited-entry",
                risk=0.1,
                reason="a reference that the text never cites",
                at=entry.span,
            )


def _together(faults: Iterable[_Fault]) -> Iterator[tuple[_Fault, int]]:
    """Yield faults with their count of a rule, repeated ones at a raised risk.

    A second fault of a kind halves what doubt is left, once: two bad checksums are no slip.
    """
    by_rule: dict[str, list[_Fault]] = {}
    for fault in faults:
        by_rule.setdefault(fault.rule, []).append(fault)
    for group in by_rule.values():
        certain = group[0].risk >= _REPEATED and len(group) > 1
        for fault in group[:MAX_FINDINGS_PER_RULE]:
            risk = 1.0 - (1.0 - fault.risk) * _REPEATED_DOUBT if certain else fault.risk
            yield replace(fault, risk=risk), len(group)


def _finding(document: Document, fault: _Fault, count: int) -> Finding:
    span = document.text.source(fault.at.start, fault.at.end)
    return Finding(
        rule=f"citations.{fault.rule}",
        risk=fault.risk,
        level=FindingLevel.HOSTILE if fault.risk >= _FABRICATED else FindingLevel.SUSPICIOUS,
        message=f"{fault.rule}: {count} in the document; {fault.reason}",
        span=span,
        locator=document.locate(span),
        evidence={"count": count},
    )
