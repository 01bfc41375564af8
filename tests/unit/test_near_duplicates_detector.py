from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from defences.detectors.near_duplicates import FLOOD, NearDuplicatesDetector
from defences.trust.policy import DEFAULT_POLICY, load_policy
from domain.documents import (
    Document,
    DocumentId,
    Echo,
    Neighbour,
    NeighbourRelation,
    Origin,
    OriginKind,
    Overlap,
    OverlapKind,
)
from domain.scanning import Finding, FindingLevel, ScanReport
from domain.trust import CoarseReason, Verdict
from tests.builders import EPOCH, make_document

POLICY = load_policy(DEFAULT_POLICY.read_text())

COPY, CONTRADICTION = NeighbourRelation.DUPLICATE, NeighbourRelation.CONTRADICTION


def origin(name: str, *, established: bool = False, reviewed: bool = False) -> Origin:
    return Origin(kind=OriginKind.UPLOADER, id=name, established=established, reviewed=reviewed)


POOL, OTHER_POOL = origin("pool"), origin("other-pool")
DOCS, WIKI = origin("docs", established=True), origin("wiki", established=True)
LAWYER = origin("lawyer", established=True, reviewed=True)


def near(
    whose: Origin,
    relation: NeighbourRelation = COPY,
    *,
    similarity: float = 0.9,
    admitted: bool = True,
    contained: bool = False,
) -> Neighbour:
    return Neighbour(
        document_id=DocumentId("known"),
        origin=whose,
        similarity=similarity,
        relation=relation,
        differences=2 if relation is CONTRADICTION else 0,
        admitted=admitted and not contained,
        contained=contained,
    )


def contained(whose: Origin, similarity: float = 0.9) -> Neighbour:
    return near(whose, similarity=similarity, contained=True)


def scan(uploader: Origin, neighbours: Sequence[Neighbour]) -> Sequence[Finding]:
    return NearDuplicatesDetector().scan(
        make_document("text", origin=uploader, neighbours=neighbours)
    )


def verdict(uploader: Origin, findings: Sequence[Finding]) -> tuple[Verdict, CoarseReason]:
    document = make_document("text", origin=uploader)
    report = ScanReport(
        document_id=document.id,
        findings=tuple(findings),
        completed=dict.fromkeys(POLICY.weights.expected, "1"),
        unavailable=frozenset(),
    )
    assessment = POLICY.assess(report, document.provenance, now=EPOCH)
    return assessment.verdict, assessment.reason


ADMITTED = (Verdict.ADMIT, CoarseReason.CLEAN)
HELD = (Verdict.QUARANTINE, CoarseReason.DUPLICATE)

ROWS: list[tuple[str, Origin, list[Neighbour], set[str], tuple[Verdict, CoarseReason]]] = [
    ("nothing near", POOL, [], set(), ADMITTED),
    ("a mirror of an established page", POOL, [near(DOCS)], {"copy"}, ADMITTED),
    ("a copy of a pooled page", POOL, [near(OTHER_POOL)], {"copy"}, ADMITTED),
    ("its own copy", POOL, [near(POOL)], {"copy"}, ADMITTED),
    ("an established mirror", WIKI, [near(DOCS)], {"copy"}, ADMITTED),
    ("a changed copy", POOL, [near(DOCS, CONTRADICTION)], {"contradiction"}, HELD),
    ("a changed copy of a reviewed page", POOL, [near(LAWYER, CONTRADICTION)], {"contradiction"}, HELD),
    ("a changed copy, barely near", POOL, [near(DOCS, CONTRADICTION, similarity=0.5)], {"contradiction"}, HELD),
    ("a changed copy of a page still scanned", POOL, [near(DOCS, CONTRADICTION, admitted=False)], {"contradiction"}, HELD),
    ("a changed copy of a contained page", POOL, [near(DOCS, CONTRADICTION, contained=True)], {"contradiction"}, ADMITTED),
    ("both a mirror and a changed copy", POOL, [near(DOCS), near(WIKI, CONTRADICTION)], {"copy", "contradiction"}, HELD),
    ("established against established", WIKI, [near(DOCS, CONTRADICTION)], {"contradiction"}, ADMITTED),
    ("established against reviewed", WIKI, [near(LAWYER, CONTRADICTION)], {"contradiction"}, ADMITTED),
    ("its own newer version", DOCS, [near(DOCS, CONTRADICTION)], {"contradiction"}, ADMITTED),
    ("a pooled newer version", POOL, [near(POOL, CONTRADICTION)], {"contradiction"}, ADMITTED),
    ("pool against pool", POOL, [near(OTHER_POOL, CONTRADICTION)], {"contradiction"}, ADMITTED),
    ("established against the pool", DOCS, [near(POOL, CONTRADICTION)], set(), ADMITTED),
    ("one copy short of a flood", POOL, [near(OTHER_POOL)] * (FLOOD - 1), {"copy"}, ADMITTED),
    ("a flood", POOL, [near(OTHER_POOL)] * FLOOD, {"copy", "flood"}, HELD),
    ("a flood of its own", POOL, [near(POOL)] * FLOOD, {"copy", "flood"}, HELD),
    ("a flood still scanned", POOL, [near(OTHER_POOL, admitted=False)] * FLOOD, {"copy", "flood"}, HELD),
    ("a flood of variants", POOL, [near(OTHER_POOL, CONTRADICTION)] * FLOOD, {"contradiction", "flood"}, HELD),
    ("a flood against a page", POOL, [near(DOCS, CONTRADICTION), *[near(OTHER_POOL)] * FLOOD], {"copy", "contradiction", "flood"}, HELD),
    ("many mirrors of a page", POOL, [near(DOCS, similarity=0.8), *[near(OTHER_POOL, similarity=1.0)] * 9], {"copy", "flood"}, ADMITTED),
    ("a page that was flooded first", DOCS, [near(POOL)] * 9, {"copy"}, ADMITTED),
    ("established mirrors are no flood", POOL, [near(DOCS)] * 9, {"copy"}, ADMITTED),
    ("a copy of a contained text", POOL, [contained(OTHER_POOL)], {"copy", "denied"}, HELD),
    ("a loose copy of a contained text", POOL, [contained(OTHER_POOL, 0.5)], {"copy", "denied"}, HELD),
    ("its own contained text again", POOL, [contained(POOL)], {"copy", "denied"}, HELD),
    ("a contained text with another figure", POOL, [near(OTHER_POOL, CONTRADICTION, contained=True)], {"contradiction", "denied"}, HELD),
    ("a page of which a poisoned copy was contained", POOL, [near(DOCS, similarity=0.97), near(OTHER_POOL, CONTRADICTION, similarity=0.9, contained=True)], {"copy", "contradiction"}, ADMITTED),
    ("a copy of one still scanned", POOL, [near(OTHER_POOL, admitted=False)], {"copy"}, ADMITTED),
    ("a mirror closer to the page than to its poisoned copy", POOL, [near(DOCS, similarity=0.95), contained(OTHER_POOL, 0.9)], {"copy"}, ADMITTED),
    ("a mirror closer to the poisoned copy", POOL, [near(DOCS, similarity=0.8), contained(OTHER_POOL, 0.95)], {"copy", "denied"}, HELD),
    ("a page whose poisoned copy was contained first", DOCS, [contained(POOL)], {"copy", "denied"}, ADMITTED),
]  # fmt: skip


@pytest.mark.parametrize(
    ("uploader", "neighbours", "rules", "expected"),
    [row[1:] for row in ROWS],
    ids=[row[0] for row in ROWS],
)
def test_near_copies_are_judged_by_whose_they_are(
    uploader: Origin,
    neighbours: list[Neighbour],
    rules: set[str],
    expected: tuple[Verdict, CoarseReason],
) -> None:
    findings = scan(uploader, neighbours)

    assert {finding.rule.removeprefix("near-duplicate.") for finding in findings} == rules
    assert verdict(uploader, findings) == expected


def shares(
    whose: Origin,
    kind: OverlapKind = OverlapKind.PASSAGE,
    *,
    share: float = 0.3,
    words: int = 120,
    differences: int = 0,
    status: str = "admitted",
) -> Overlap:
    return Overlap(
        document_id=DocumentId("known"),
        origin=whose,
        kind=kind,
        share=share,
        words=words,
        differences=differences,
        admitted=status == "admitted",
        contained=status in {"quarantined", "rejected"},
        rejected=status == "rejected",
    )


def sounds(whose: Origin, *, differences: int = 0) -> Echo:
    return Echo(
        document_id=DocumentId("known"), origin=whose, similarity=0.86, differences=differences
    )


WITHIN, HOLDS, PASSAGE = OverlapKind.WITHIN, OverlapKind.HOLDS, OverlapKind.PASSAGE
AROUND: list[tuple[str, Origin, dict[str, object], set[str], tuple[Verdict, CoarseReason]]] = [
    ("a passage of a page", POOL, {"overlaps": (shares(DOCS),)}, {"passage"}, ADMITTED),
    ("an excerpt of a page", POOL, {"overlaps": (shares(DOCS, WITHIN, share=1.0),)}, {"passage"}, ADMITTED),
    ("a page and more", POOL, {"overlaps": (shares(DOCS, HOLDS, share=1.0),)}, {"passage"}, ADMITTED),
    ("a changed excerpt", POOL, {"overlaps": (shares(DOCS, WITHIN, share=0.9, differences=1),)}, {"contradiction"}, HELD),
    ("a text of which half is a changed excerpt", POOL, {"overlaps": (shares(DOCS, WITHIN, share=0.6, differences=1),)}, {"contradiction"}, ADMITTED),
    ("a changed excerpt of a pooled text", POOL, {"overlaps": (shares(OTHER_POOL, WITHIN, share=0.9, differences=1),)}, {"passage"}, ADMITTED),
    ("a changed excerpt of one's own", WIKI, {"overlaps": (shares(DOCS, WITHIN, share=0.9, differences=1),)}, set(), ADMITTED),
    ("a rejected text inside another", POOL, {"overlaps": (shares(OTHER_POOL, HOLDS, share=1.0, status="rejected"),)}, {"denied"}, HELD),
    ("an excerpt of a rejected text", POOL, {"overlaps": (shares(OTHER_POOL, WITHIN, share=1.0, status="rejected"),)}, {"denied"}, HELD),
    ("a passage of a rejected text", POOL, {"overlaps": (shares(OTHER_POOL, status="rejected"),)}, {"denied"}, HELD),
    ("a phrase of a rejected text", POOL, {"overlaps": (shares(OTHER_POOL, words=30, status="rejected"),)}, {"denied"}, ADMITTED),
    ("a held text inside another", POOL, {"overlaps": (shares(OTHER_POOL, HOLDS, share=0.9, status="quarantined"),)}, {"denied"}, HELD),
    ("a passage of a held text", POOL, {"overlaps": (shares(OTHER_POOL, status="quarantined"),)}, {"denied"}, ADMITTED),
    ("a page that a rejected text copied from", DOCS, {"overlaps": (shares(POOL, HOLDS, share=1.0, status="rejected"),)}, {"denied"}, ADMITTED),
    ("a paraphrase", POOL, {"echoes": (sounds(DOCS),)}, {"paraphrase"}, ADMITTED),
    ("a paraphrase with another figure", POOL, {"echoes": (sounds(DOCS, differences=1),)}, {"paraphrase-contradiction"}, ADMITTED),
    ("a paraphrase of a pooled text", POOL, {"echoes": (sounds(OTHER_POOL, differences=1),)}, {"paraphrase"}, ADMITTED),
    ("an over-full bucket", POOL, {"crowd": 51}, {"crowded"}, HELD),
    ("an over-full bucket, established", DOCS, {"crowd": 51}, {"crowded"}, ADMITTED),
]  # fmt: skip


def scan_around(uploader: Origin, around: dict[str, object]) -> Sequence[Finding]:
    document: Document = replace(make_document("text", origin=uploader), **around)  # type: ignore[arg-type]
    return NearDuplicatesDetector().scan(document)


@pytest.mark.parametrize(
    ("uploader", "around", "rules", "expected"),
    [row[1:] for row in AROUND],
    ids=[row[0] for row in AROUND],
)
def test_what_shares_passages_or_meaning_is_judged_by_whose_it_is(
    uploader: Origin,
    around: dict[str, object],
    rules: set[str],
    expected: tuple[Verdict, CoarseReason],
) -> None:
    findings = scan_around(uploader, around)

    assert {finding.rule.removeprefix("near-duplicate.") for finding in findings} == rules
    assert verdict(uploader, findings) == expected


def test_a_document_of_an_established_origin_is_held_by_no_upload_of_others() -> None:
    uploads = [
        *[near(POOL)] * 9,
        *[near(POOL, CONTRADICTION)] * 9,
        *[contained(OTHER_POOL)] * 9,
    ]

    assert verdict(DOCS, scan(DOCS, uploads)) == ADMITTED


def test_a_closer_copy_that_changes_facts_is_riskier() -> None:
    loose, close = (
        scan(POOL, [near(DOCS, CONTRADICTION, similarity=similarity)])[0]
        for similarity in (0.5, 0.95)
    )

    assert 0.5 < loose.risk < close.risk < 1.0
    assert close.level is FindingLevel.HOSTILE


def test_evidence_names_documents_and_counts_and_no_text() -> None:
    finding = scan(POOL, [near(DOCS, CONTRADICTION)])[0]

    assert finding.evidence == {
        "documents": 1,
        "closest": "known",
        "similarity": 0.9,
        "differences": 2,
    }
