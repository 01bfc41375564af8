"""Near-copies of known documents: mirrors, contradictions, floods, texts that were turned away.

Works on what the pipeline looked up: near-copies, shared passages, passages of the same meaning.
A copy is honest more often than not; what matters is whose text it copies and what it changes. A
document of an established origin is never held for what others uploaded: nobody can block a page
by uploading a copy of it first. It is held for what was rejected of its own: one changed letter
makes another document, and who has the origin's credentials would else undo the rejection by it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from domain.documents import (
    Document,
    Echo,
    Neighbour,
    NeighbourRelation,
    Origin,
    Overlap,
    OverlapKind,
)
from domain.scanning import Finding, FindingLevel

FLOOD: Final = 4
"""Near-copies from unestablished origins, besides the document, that make a flood."""
DENIED_WORDS: Final = 40
"""So many words of a rejected text, that no established one has, hold a document."""
MOSTLY: Final = 0.8
"""Share of an excerpt that stands in an established text, from which on changed facts hold it."""

_COPY_RISK: Final = 0.02
_PEER_RISK: Final = 0.3
_OWN_RISK: Final = 0.25
_POOL_RISK: Final = 0.2
_CONTAINED_PEER_RISK: Final = 0.4
_DENIED_PEER_RISK: Final = 0.2
_CROWD_RISK: Final = 0.6
_PASSAGE_RISK: Final = 0.3
_EXCERPT_RISK: Final = 0.55
_ECHO_RISK: Final = 0.3


class NearDuplicatesDetector:
    """Judges a document by its near-copies: what they are and who vouches for them."""

    name = "near-duplicate"
    version = "2"

    def scan(self, document: Document) -> Sequence[Finding]:
        origin = document.provenance.origin
        copies = [n for n in document.neighbours if n.relation is NeighbourRelation.DUPLICATE]
        findings: list[Finding] = []
        if copies:
            findings.append(_copy(copies))
        findings.extend(_contradictions(origin, document.neighbours))
        if not origin.established:
            findings.extend(_flood(document.neighbours))
        findings.extend(_denied(origin, document.neighbours))
        findings.extend(_passages(origin, document.overlaps))
        findings.extend(_echoes(origin, document.echoes))
        if document.crowd:
            findings.append(_crowded(origin, document.crowd))
        return findings


def _copy(copies: Sequence[Neighbour]) -> Finding:
    return _of_alike(
        "copy",
        _COPY_RISK,
        FindingLevel.MENTION,
        f"near-copy of {_number(copies, 'known document')}",
        copies,
    )


def _contradictions(origin: Origin, neighbours: Sequence[Neighbour]) -> Iterator[Finding]:
    """Yield one finding for each kind of origin that is contradicted."""
    contrary = [n for n in neighbours if n.relation is NeighbourRelation.CONTRADICTION]
    own = [n for n in contrary if n.origin.ref == origin.ref]
    others = [n for n in contrary if n.origin.ref != origin.ref]
    vouched = [n for n in others if n.origin.established and not n.contained]
    contained = [n for n in others if n.origin.established and n.contained]
    pool = [n for n in others if not n.origin.established]
    suspicious, mention = FindingLevel.SUSPICIOUS, FindingLevel.MENTION
    if vouched and origin.established:
        message = f"says otherwise than {_number(vouched, 'document')} of other established origins"
        yield _of_alike("contradiction", _PEER_RISK, mention, message, vouched)
    elif vouched:
        message = f"changed copy of {_number(vouched, 'document')} of established origins"
        yield _of_alike(
            "contradiction", _closeness(vouched), FindingLevel.HOSTILE, message, vouched
        )
    if contained and not origin.established:
        message = (
            f"changed copy of {_number(contained, 'contained document')} of established origins"
        )
        yield _of_alike("contradiction", _CONTAINED_PEER_RISK, suspicious, message, contained)
    if own:
        message = f"changes what {_number(own, 'document')} of the same origin said"
        yield _of_alike("contradiction", _OWN_RISK, suspicious, message, own)
    if pool and not origin.established:
        message = f"changed copy of {_number(pool, 'document')} of unestablished origins"
        yield _of_alike("contradiction", _POOL_RISK, suspicious, message, pool)


def _flood(neighbours: Sequence[Neighbour]) -> Iterator[Finding]:
    """Yield a finding where many unestablished documents say the same.

    Copies of a page that an established origin vouches for are mirrors, not a flood: they join
    its family without a vote, whatever they add.
    """
    pooled = [n for n in neighbours if not n.origin.established and not n.cleared]
    if len(pooled) < FLOOD:
        return
    message = f"one of {len(pooled) + 1} near-copies from unestablished origins"
    if _mirrors(neighbours, than=0.0):
        yield _of_alike("flood", _COPY_RISK, FindingLevel.MENTION, message, pooled)
        return
    risk = min(0.9, 0.5 + 0.05 * len(pooled))
    yield _of_alike("flood", risk, FindingLevel.HOSTILE, message, pooled)


def _denied(origin: Origin, neighbours: Sequence[Neighbour]) -> Iterator[Finding]:
    """Yield a finding for a near-copy of a text that was quarantined or rejected.

    Also for one with other figures than an unestablished text that was turned away: a poison with
    another number is that poison. Not for one without the sentences that it was turned away for.
    """
    contained = [
        n
        for n in neighbours
        if n.contained
        and not n.cleared
        and (n.relation is NeighbourRelation.DUPLICATE or not n.origin.established)
    ]
    if not contained or _mirrors(neighbours, than=_closest(contained)):
        return
    held = [n for n in contained if _binds(origin, n) and n.similarity >= MOSTLY]
    if not origin.established:
        held = contained
    told = held or contained
    message = f"near-copy of {_number(told, 'contained document')}"
    if held:
        yield _of_alike("denied", _closeness(held), FindingLevel.SUSPICIOUS, message, held)
    else:
        yield _of_alike("denied", _DENIED_PEER_RISK, FindingLevel.MENTION, message, contained)


def _passages(origin: Origin, overlaps: Sequence[Overlap]) -> Iterator[Finding]:
    """Yield what shared passages say: of texts turned away, of changed excerpts, of the rest."""
    denied = [each for each in overlaps if each.contained and not each.cleared]
    changed = [
        each
        for each in overlaps
        if each.differences
        and each.admitted
        and each.origin.established
        and each.kind is not OverlapKind.PASSAGE
    ]
    rest = [each for each in overlaps if each not in denied and each not in changed]
    if denied:
        yield _denied_passages(origin, denied)
    if changed and not origin.established:
        message = f"changed excerpt of {_number(changed, 'document')} of established origins"
        mostly = max(each.share for each in changed) >= MOSTLY
        risk = _EXCERPT_RISK if mostly else _PASSAGE_RISK
        level = FindingLevel.HOSTILE if mostly else FindingLevel.SUSPICIOUS
        yield _of_passages("contradiction", risk, level, message, changed)
    if rest:
        message = f"shares passages with {_number(rest, 'known document')}"
        yield _of_passages("passage", _COPY_RISK, FindingLevel.MENTION, message, rest)


def _denied_passages(origin: Origin, denied: Sequence[Overlap]) -> Finding:
    if origin.established:
        held = [each for each in denied if _binds(origin, each) and each.share >= MOSTLY]
        risk, level = _DENIED_PEER_RISK, FindingLevel.MENTION
    else:
        held = [each for each in denied if _decisive(each)]
        risk, level = _PASSAGE_RISK, FindingLevel.SUSPICIOUS
    told = held or denied
    message = f"holds passages of {_number(told, 'contained document')}"
    if held:
        risk, level = _share_risk(held), FindingLevel.SUSPICIOUS
    return _of_passages("denied", risk, level, message, told)


def _binds(origin: Origin, turned_away: Neighbour | Overlap) -> bool:
    """Whether it is a rejected text of this very origin."""
    return turned_away.rejected and turned_away.origin.ref == origin.ref


def _decisive(overlap: Overlap) -> bool:
    """Whether it is the text that was turned away, rather than one with a passage like it."""
    if overlap.kind is not OverlapKind.PASSAGE or overlap.reworded:
        return True
    return overlap.rejected and overlap.words >= DENIED_WORDS


def _share_risk(overlaps: Sequence[Overlap]) -> float:
    """Return a risk from .55 for a passage to .75 for a whole text."""
    return round(0.55 + 0.2 * max(each.share for each in overlaps), 4)


def _echoes(origin: Origin, echoes: Sequence[Echo]) -> Iterator[Finding]:
    """Yield what paraphrases say: signs for a reviewer, which hold nothing by themselves."""
    contrary = [each for each in echoes if each.differences and each.origin.established]
    if contrary and not origin.established:
        yield _of_alike(
            "paraphrase-contradiction",
            _ECHO_RISK,
            FindingLevel.SUSPICIOUS,
            f"says in other words something else than {_number(contrary, 'document')}"
            " of established origins",
            contrary,
        )
    alike = [each for each in echoes if each not in contrary]
    if alike:
        yield _of_alike(
            "paraphrase",
            _COPY_RISK,
            FindingLevel.MENTION,
            f"means nearly the same as {_number(alike, 'known document')}",
            alike,
        )


def _crowded(origin: Origin, crowd: int) -> Finding:
    """Return the finding of a bucket with more documents than can be looked at."""
    return _finding(
        "crowded",
        _COPY_RISK if origin.established else _CROWD_RISK,
        FindingLevel.MENTION if origin.established else FindingLevel.HOSTILE,
        f"one of {crowd} documents alike, more than can be compared",
        documents=crowd,
    )


def _mirrors(neighbours: Sequence[Neighbour], *, than: float) -> bool:
    """Whether it repeats an admitted established document at least as closely as `than`."""
    return any(
        n.admitted
        and n.origin.established
        and n.relation is NeighbourRelation.DUPLICATE
        and n.similarity >= than
        for n in neighbours
    )


def _closest(neighbours: Sequence[Neighbour]) -> float:
    return max(n.similarity for n in neighbours)


def _closeness(neighbours: Sequence[Neighbour]) -> float:
    """Return a risk from .55 for a text that is half the same to .85 for one that is all the same.

    Half the same may be two forms of one house; nine tenths the same is an edit.
    """
    return round(0.55 + 0.6 * min(0.5, max(0.0, _closest(neighbours) - 0.5)), 4)


def _finding(
    rule: str, risk: float, level: FindingLevel, message: str, **evidence: str | int | float
) -> Finding:
    return Finding(
        rule=f"near-duplicate.{rule}", risk=risk, level=level, message=message, evidence=evidence
    )


def _of_alike(
    rule: str,
    risk: float,
    level: FindingLevel,
    message: str,
    alike: Sequence[Neighbour | Echo],
) -> Finding:
    nearest = max(alike, key=lambda each: each.similarity)
    return _finding(
        rule,
        risk,
        level,
        message,
        documents=len(alike),
        closest=nearest.document_id,
        similarity=round(nearest.similarity, 3),
        differences=max(each.differences for each in alike),
    )


def _of_passages(
    rule: str, risk: float, level: FindingLevel, message: str, overlaps: Sequence[Overlap]
) -> Finding:
    most = max(overlaps, key=lambda each: (each.share, each.words))
    return _finding(
        rule,
        risk,
        level,
        message,
        documents=len(overlaps),
        closest=most.document_id,
        kind=most.kind.value,
        share=round(most.share, 3),
        words=most.words,
        differences=max(each.differences for each in overlaps),
    )


def _number(things: Sequence[object], noun: str) -> str:
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"
