"""Checks of citations: impossible ones, dangling ones, and those whose record says otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from defences.detectors.citations.author_year import dangling
from defences.detectors.citations.cases import find_cases
from defences.detectors.citations.entries import entry_faults
from defences.detectors.citations.faults import Fault
from defences.detectors.citations.references import (
    ReferenceList,
    numbered_citations,
    reference_list,
)
from defences.detectors.citations.tables import ReferenceTables, shipped_tables
from defences.detectors.citations.verdicts import CheckedCitation, checked
from domain.citations import CaseFinder, CitationVerdict
from domain.documents import Document
from domain.scanning import Finding, FindingLevel
from domain.text import Span

MAX_FINDINGS_PER_RULE = 20

_FABRICATED: Final = 0.6
_REPEATED: Final = 0.45  # from this risk on, a second fault of the kind confirms the first
_REPEATED_DOUBT: Final = 0.5  # ... and leaves this share of the doubt
_PROSE_FACTOR: Final = 0.6  # made-up DOIs serve as examples in prose
_EXAMPLES: Final = frozenset({"reserved-doi", "invalid-doi"})
_MANY_SOUND: Final = 8  # so many sound identifiers make a single faulty one a slip of the pen
_SLIP_FACTOR: Final = 0.6
_PLACEHOLDER: Final = re.compile(
    r"\[(?:citation needed|citation|source needed|reference needed|insert (?:citation|reference|source)(?: here)?"
    r"|add (?:citation|reference|source)|citation here|ref(?:erence)? here|author,? year|TODO:? cite)\]"
    r"|(?<=\w )\[(?:\?{1,3}|XX+)\](?=[\s.,;)]|$)"
    r"|(?<=[a-z] )\[(?-i:REFS?|CITE|CITATION)\](?=[.,;)])"
    r"|\((?:citation needed|insert citation(?: here)?|Author,? Year|add citation)\)",
    re.IGNORECASE,
)
_MIN_CITED: Final = 2
_MAX_DANGLING_SHARE: Final = 0.5


class CitationsDetector:
    """Finds citations that cannot be right.

    Without `Document.citations` it looks offline only, and what is well formed and invented passes.
    What a resolver did not find is no finding, and what it confirmed takes nothing off another's
    risk. A fault outside a reference list counts as much as one inside for identifiers, which carry
    their own form; years, pages, volumes and domains are looked at inside a list only.

    Args:
        as_of: The day against which "in the future" is meant.
        tables: What numbers have been given out; None for those that came with the product.
        cases: Finds case law beyond the reporters of the tables.
    """

    def __init__(
        self,
        *,
        as_of: date,
        tables: ReferenceTables | None = None,
        cases: CaseFinder | None = None,
    ) -> None:
        self._as_of = as_of
        self._tables = tables or shipped_tables()
        self._cases = cases

    @property
    def name(self) -> str:
        return "citations"

    @property
    def version(self) -> str:
        return "2"

    def scan(self, document: Document) -> Sequence[Finding]:
        text = document.text.text
        listed = reference_list(text)
        checks = list(checked(document, listed, self._as_of, self._tables))
        faults = [
            *_identifier_faults(checks),
            *_record_faults(checks),
            *self._case_faults(text),
            *_placeholders(text, listed),
        ]
        if listed is not None:
            faults += self._list_faults(text, listed)
        return [_finding(document, fault, count) for fault, count in _together(faults)]

    def _case_faults(self, text: str) -> Iterator[Fault]:
        seen: set[str] = set()
        found = list(find_cases(text, today=self._as_of, tables=self._tables))
        if self._cases is not None:
            known = {place for case in found for place in range(case.at.start, case.at.end)}
            more = self._cases.find(text, today=self._as_of)
            found += [case for case in more if case.at.start not in known]
        for case in found:
            written = text[case.at.start : case.at.end]
            if case.fault is not None and written not in seen:
                seen.add(written)
                yield Fault(rule="invalid-case", risk=0.5, reason=case.fault, at=case.at)

    def _list_faults(self, text: str, listed: ReferenceList) -> Iterator[Fault]:
        for entry in listed.entries:
            yield from entry_faults(text, entry, self._as_of, self._tables)
        if not listed.only:
            return
        if listed.numbers:
            yield from _dangling_numbers(text, listed)
        else:
            yield from _dangling_names(text, listed)


def _identifier_faults(checks: Sequence[CheckedCitation]) -> list[Fault]:
    faults: dict[str, Fault] = {}
    for check in checks:
        if check.fault is None or (check.written in faults and not check.listed):
            continue
        # Made-up DOIs serve as examples in prose; in a list the later one counts.
        example = check.fault.rule in _EXAMPLES and not check.listed
        faults[check.written] = Fault(
            rule=check.fault.rule,
            risk=check.fault.risk * (_PROSE_FACTOR if example else 1.0),
            reason=f"{check.label}: {check.fault.reason}",
            at=check.at,
        )
    found = list(faults.values())
    sound = len({check.written for check in checks}) - len(found)
    if len(found) == 1 and sound >= _MANY_SOUND:
        return [replace(found[0], risk=found[0].risk * _SLIP_FACTOR)]
    return found


def _record_faults(checks: Sequence[CheckedCitation]) -> Iterator[Fault]:
    for check in checks:
        compared = check.comparison
        if compared is None or check.fault is not None:
            continue
        evidence = {"kind": check.label, "source": check.source}
        if compared.verdict is CitationVerdict.MISMATCH:
            wrong = ", ".join(compared.disagrees)
            yield Fault(
                rule="mismatch",
                risk=compared.risk,
                reason=f"{check.label}: {wrong} of what it resolves to are others",
                at=check.at,
                evidence=evidence | {"disagrees": wrong},
            )
        elif compared.verdict is CitationVerdict.RETRACTED:
            yield Fault(
                rule="retracted",
                risk=compared.risk,
                reason=f"{check.label}: what it resolves to was retracted",
                at=check.at,
                mention=check.says_retracted,
                evidence=evidence,
            )


def _placeholders(text: str, listed: ReferenceList | None) -> Iterator[Fault]:
    risk = 0.35 if listed is not None else 0.25
    for match in _PLACEHOLDER.finditer(text):
        yield Fault(
            rule="placeholder",
            risk=risk,
            reason="a citation that was never filled in",
            at=Span(match.start(), match.end()),
        )


def _dangling_numbers(text: str, listed: ReferenceList) -> Iterator[Fault]:
    known = listed.numbers
    cited: set[int] = set()
    missing: list[Span] = []
    total = 0
    for citation in numbered_citations(text, listed.span.start):
        total += 1
        cited |= citation.numbers
        if not citation.numbers <= known:
            missing.append(citation.span)
    if total < _MIN_CITED or not cited & known or len(missing) > _MAX_DANGLING_SHARE * total:
        return  # brackets in this text are no citations: indices, versions, footnotes
    yield from _without_entry(missing, risk=0.4)
    unused = [entry.span for entry in listed.entries if entry.number not in cited]
    yield from _uncited(unused, len(listed.entries))


def _dangling_names(text: str, listed: ReferenceList) -> Iterator[Fault]:
    found = dangling(text, listed)
    yield from _without_entry(found.citations, risk=0.3)
    yield from _uncited([entry.span for entry in found.entries], len(listed.entries))


def _without_entry(citations: Iterable[Span], *, risk: float) -> Iterator[Fault]:
    for at in citations:
        yield Fault(rule="missing-entry", risk=risk, reason="a citation without a reference", at=at)


def _uncited(entries: Sequence[Span], total: int) -> Iterator[Fault]:
    if 0 < len(entries) <= _MAX_DANGLING_SHARE * total:
        for at in entries:
            yield Fault(
                rule="uncited-entry",
                risk=0.1,
                reason="a reference that the text never cites",
                at=at,
            )


def _together(faults: Iterable[Fault]) -> Iterator[tuple[Fault, int]]:
    """Yield faults with their count of a rule, repeated ones at a raised risk.

    A second fault of a kind halves what doubt is left, once: two bad checksums are no slip.
    """
    by_rule: dict[str, list[Fault]] = {}
    for fault in faults:
        by_rule.setdefault(fault.rule, []).append(fault)
    for group in by_rule.values():
        ranked = sorted(group, key=lambda fault: -fault.risk)  # stable: else in order of the text
        certain = len([fault for fault in group if fault.risk >= _REPEATED]) > 1
        for fault in ranked[:MAX_FINDINGS_PER_RULE]:
            raised = 1.0 - (1.0 - fault.risk) * _REPEATED_DOUBT
            yield replace(fault, risk=raised if certain else fault.risk), len(group)


def _finding(document: Document, fault: Fault, count: int) -> Finding:
    span = document.text.source(fault.at.start, fault.at.end)
    level = FindingLevel.HOSTILE if fault.risk >= _FABRICATED else FindingLevel.SUSPICIOUS
    return Finding(
        rule=f"citations.{fault.rule}",
        risk=fault.risk,
        level=FindingLevel.MENTION if fault.mention else level,
        message=f"{fault.rule}: {count} in the document; {fault.reason}",
        span=span,
        locator=document.locate(span),
        evidence={"count": count, **fault.evidence},
    )
