"""A verdict on every identifier that a document cites."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from defences.detectors.citations.identifiers import (
    KINDS,
    FoundIdentifier,
    IdentifierFault,
    find_identifiers,
)
from defences.detectors.citations.records import Comparison, compare, names_retraction
from defences.detectors.citations.references import ReferenceList, reference_list
from defences.detectors.citations.tables import ReferenceTables, shipped_tables
from domain.citations import CitationVerdict, Identifier, LookupStatus
from domain.documents import Document
from domain.text import Span

_LABELS: Final = {kind.kind: kind.label for kind in KINDS}
_CONTEXT: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedCitation:
    """An identifier and what is known of it.

    Attributes:
        label: Its kind as people write it, e.g. `arXiv`.
        at: Where it stands in the hardened visible text.
        written: As it stands there.
        listed: Whether it stands in the reference list.
        fault: What makes it invalid.
        comparison: With the record found; None where none was.
        status: What asking gave; `not-asked` without resolvers.
        source: The catalogue that knows it, else empty.
        says_retracted: The text around it speaks of a retraction.
    """

    identifier: Identifier | None
    label: str
    at: Span
    written: str
    listed: bool
    verdict: CitationVerdict
    status: LookupStatus
    fault: IdentifierFault | None = None
    comparison: Comparison | None = None
    source: str = ""
    says_retracted: bool = False


def check_citations(
    document: Document, *, today: date, tables: ReferenceTables | None = None
) -> tuple[CheckedCitation, ...]:
    """Return a verdict on each identifier, in the order of kinds and of the text."""
    text = document.text.text
    return tuple(checked(document, reference_list(text), today, tables or shipped_tables()))


def cited_identifiers(text: str, *, today: date) -> tuple[Identifier, ...]:
    """Return what a resolver may be asked for: valid, each once, those of the list first."""
    listed = reference_list(text)
    start = listed.span.start if listed else None
    found = find_identifiers(text, list_start=start, today=today, tables=shipped_tables())
    asked = [one for one in found if one.identifier is not None]
    asked.sort(key=lambda one: (start is None or one.at.start < start, one.at.start))
    return tuple(dict.fromkeys(one.identifier for one in asked if one.identifier is not None))


def checked(
    document: Document, listed: ReferenceList | None, today: date, tables: ReferenceTables
) -> Iterator[CheckedCitation]:
    """Yield the verdicts, given the document's reference list."""
    text = document.text.text
    start = listed.span.start if listed else None
    known = {one.identifier: one for one in document.citations}
    for found in find_identifiers(text, list_start=start, today=today, tables=tables):
        entry = listed.entry_at(found.at.start) if listed else None
        written = None if entry is None else text[entry.span.start : entry.span.end]
        resolved = known.get(found.identifier) if found.identifier else None
        work = resolved.work if resolved else None
        comparison = compare(work, written) if work else None
        yield CheckedCitation(
            identifier=found.identifier,
            label=_LABELS[found.kind],
            at=found.at,
            written=found.written,
            listed=start is not None and found.at.start >= start,
            verdict=_verdict(found, comparison),
            status=resolved.status if resolved else LookupStatus.NOT_ASKED,
            fault=found.fault,
            comparison=comparison,
            source=work.source if work else "",
            says_retracted=names_retraction(
                text[max(0, found.at.start - _CONTEXT) : found.at.end + _CONTEXT]
            )
            if comparison
            else False,
        )


def _verdict(found: FoundIdentifier, comparison: Comparison | None) -> CitationVerdict:
    if found.fault is not None and found.fault.rule != "reserved-doi":
        return CitationVerdict.INVALID
    return comparison.verdict if comparison else CitationVerdict.UNVERIFIED
