"""Near-copies of known documents: mirrors, contradictions, floods, texts that were turned away.

Works on `Document.neighbours`, which the pipeline looked up. A copy is honest more often than
not; what matters is whose text it copies and what it changes. A document of an established origin
is never held for what others uploaded: nobody can block a page by uploading a copy of it first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from domain.documents import Document, Neighbour, NeighbourRelation, Origin, Tier
from domain.scanning import Finding, FindingLevel

FLOOD: Final = 4
"""Near-copies from unestablished origins, besides the document, that make a flood."""

_COPY_RISK: Final = 0.02
_PEER_RISK: Final = 0.3
_OWN_RISK: Final = 0.25
_POOL_RISK: Final = 0.2
_CONTAINED_PEER_RISK: Final = 0.4
_DENIED_PEER_RISK: Final = 0.2


class NearDuplicatesDetector:
    """Judges a document by its near-copies: what they are and who vouches for them."""

    name = "near-duplicate"
    version = "1"

    def scan(self, document: Document) -> Sequence[Finding]:
        origin = document.provenance.origin
        pooled = origin.tier is Tier.POOL
        copies = [n for n in document.neighbours if n.relation is NeighbourRelation.DUPLICATE]
        findings: list[Finding] = []
        if copies:
            findings.append(_copy(copies))
        findings.extend(_contradictions(origin, document.neighbours))
        if pooled:
            findings.extend(_flood(document.neighbours))
        findings.extend(_denied(copies, pooled=pooled))
        return findings


def _copy(copies: Sequence[Neighbour]) -> Finding:
    return _finding(
        "copy",
        _COPY_RISK,
        FindingLevel.MENTION,
        f"near-copy of {_count(copies, 'known document')}",
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
        message = f"says otherwise than {_count(vouched, 'document')} of other established origins"
        yield _finding("contradiction", _PEER_RISK, mention, message, vouched)
    elif vouched:
        message = f"changed copy of {_count(vouched, 'document')} of established origins"
        yield _finding("contradiction", _closeness(vouched), FindingLevel.HOSTILE, message, vouched)
    if contained and not origin.established:
        message = (
            f"changed copy of {_count(contained, 'contained document')} of established origins"
        )
        yield _finding("contradiction", _CONTAINED_PEER_RISK, suspicious, message, contained)
    if own:
        message = f"changes what {_count(own, 'document')} of the same origin said"
        yield _finding("contradiction", _OWN_RISK, suspicious, message, own)
    if pool and not origin.established:
        message = f"changed copy of {_count(pool, 'document')} of unestablished origins"
        yield _finding("contradiction", _POOL_RISK, suspicious, message, pool)


def _flood(neighbours: Sequence[Neighbour]) -> Iterator[Finding]:
    """Yield a finding where many unestablished documents say the same.

    Copies of a page that an established origin vouches for are mirrors, not a flood: they join
    its family without a vote, whatever they add.
    """
    pooled = [n for n in neighbours if not n.origin.established]
    if len(pooled) < FLOOD:
        return
    message = f"one of {len(pooled) + 1} near-copies from unestablished origins"
    if _mirrors(neighbours, than=0.0):
        yield _finding("flood", _COPY_RISK, FindingLevel.MENTION, message, pooled)
        return
    risk = min(0.9, 0.5 + 0.05 * len(pooled))
    yield _finding("flood", risk, FindingLevel.HOSTILE, message, pooled)


def _denied(copies: Sequence[Neighbour], *, pooled: bool) -> Iterator[Finding]:
    """Yield a finding for a near-copy of a text that was quarantined or rejected."""
    contained = [n for n in copies if n.contained]
    if not contained or _mirrors(copies, than=_closest(contained)):
        return
    message = f"near-copy of {_count(contained, 'contained document')}"
    if pooled:
        yield _finding("denied", _closeness(contained), FindingLevel.SUSPICIOUS, message, contained)
    else:
        yield _finding("denied", _DENIED_PEER_RISK, FindingLevel.MENTION, message, contained)


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
    rule: str, risk: float, level: FindingLevel, message: str, neighbours: Sequence[Neighbour]
) -> Finding:
    return Finding(
        rule=f"near-duplicate.{rule}",
        risk=risk,
        level=level,
        message=message,
        evidence={
            "documents": len(neighbours),
            "closest": max(neighbours, key=lambda n: n.similarity).document_id,
            "similarity": round(_closest(neighbours), 3),
            "differences": max(n.differences for n in neighbours),
        },
    )


def _count(neighbours: Sequence[Neighbour], noun: str) -> str:
    return f"{len(neighbours)} {noun}{'' if len(neighbours) == 1 else 's'}"
