"""References that cannot be: how many are found by kind, and how many sound ones are suspected."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.ingest.citation_cases import AS_OF, CitationCase
from benchmarks.ingest.stages import built
from defences.detectors.citations import CitationsDetector
from defences.trust.policy import WeightedTrustPolicy
from domain.documents import Document
from domain.scanning import Finding, ScanReport
from domain.trust import Verdict
from evaluation.rates import Rate, rate
from ingest.parsers.inline import InlineParser
from runtime.scanning import build_detectors, build_policy
from runtime.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationRow:
    """One kind of fault.

    Attributes:
        found: Faulty documents with any finding of the citations detector.
        held: Faulty documents that these findings alone keep out of the index.
        suspected: Sound twins with any such finding.
        held_sound: Sound twins that are kept out.
        rules: Rules found in faulty documents, the commonest first.
    """

    kind: str
    found: Rate
    held: Rate
    suspected: Rate
    held_sound: Rate
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationTable:
    """Attributes: milliseconds: CPU time a document of five references, mean."""

    rows: tuple[CitationRow, ...]
    milliseconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Attributes: held: Whether what the citations detector found is enough to hold a document."""

    rules: tuple[str, ...]
    held: bool
    milliseconds: float


def measured(cases: Sequence[CitationCase]) -> CitationTable:
    """Check every case, and count by kind in the order in which the kinds come."""
    found = checked([case.text for case in cases])
    kinds = dict.fromkeys(case.kind for case in cases)
    pairs = list(zip(cases, found, strict=True))
    return CitationTable(
        rows=tuple(_row(kind, [pair for pair in pairs if pair[0].kind == kind]) for kind in kinds),
        milliseconds=sum(each.milliseconds for each in found) / max(1, len(found)),
    )


def checked(texts: Sequence[str]) -> list[Checked]:
    """Check texts with the shipped detector, and weigh what it finds with the shipped policy."""
    detector = CitationsDetector(as_of=AS_OF)
    policy = build_policy(Settings())
    every = {each.name: each.version for each in build_detectors(as_of=AS_OF)}
    parser = InlineParser(max_text_chars=1_000_000)
    done: list[Checked] = []
    for text in texts:
        document = built(parser, text)
        started = time.thread_time()
        found = detector.scan(document)
        spent = time.thread_time() - started
        done.append(
            Checked(
                rules=tuple(finding.rule.removeprefix("citations.") for finding in found),
                held=_held(policy, document, found, every),
                milliseconds=spent * 1_000,
            )
        )
    return done


def _held(
    policy: WeightedTrustPolicy,
    document: Document,
    findings: Sequence[Finding],
    completed: dict[str, str],
) -> bool:
    report = ScanReport(
        document_id=document.id,
        findings=tuple(findings),
        completed=completed,
        unavailable=frozenset(),
    )
    assessed = policy.assess(report, document.provenance, now=document.provenance.received_at)
    return assessed.verdict is not Verdict.ADMIT


def _row(kind: str, pairs: Sequence[tuple[CitationCase, Checked]]) -> CitationRow:
    faulty = [each for case, each in pairs if case.faulty]
    sound = [each for case, each in pairs if not case.faulty]
    rules = [rule for each in faulty for rule in dict.fromkeys(each.rules)]
    return CitationRow(
        kind=kind,
        found=rate(bool(each.rules) for each in faulty),
        held=rate(each.held for each in faulty),
        suspected=rate(bool(each.rules) for each in sound),
        held_sound=rate(each.held for each in sound),
        rules=tuple(sorted(dict.fromkeys(rules), key=lambda rule: -rules.count(rule))),
    )
