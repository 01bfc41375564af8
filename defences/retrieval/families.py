"""Families of near-duplicates: stars, one vote each (Law 3).

A family is a star around its centre, the most established and then earliest admitted member, and
bears the centre's id. Being near a member that is not the centre joins nothing, so a chain of
small edits never carries a vote away, and no document ever joins two families into one.

Who joins as what:

- Pool, near-copy of any centre, copy or contradiction: joins, voteless.
- Established, near-copy of a centre of at least its own tier: joins, voteless; one text, one vote,
  whoever publishes it. Only from `ESTABLISHED_JOIN` on: two manuals of one house that share half
  their wording are two sources, and a voteless established document is knowledge lost.
- Established, contradicts a centre: a family of its own, with the label. It has no seat of its
  own either way (the origin has one, whatever it publishes), but voteless it would hide the
  dissent, and whoever published first, perhaps with stolen credentials, would silence the other.
- Established, near-copies in lower tiers only: a centre itself. It takes over those that voted
  (`absorbs`), so that a copy uploaded before the original holds nothing.

What families there are depends on the documents, their tiers and their moments of admission, and
on nothing else (`deal`): not on the order in which workers finish, nor on what was there and went.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from domain.documents import DocumentId, OriginRef, Tier
from domain.retrieval import FamilyId, ScoredChunk

JOIN: Final = 0.5
"""Least similarity at which a pooled document joins a family."""
ESTABLISHED_JOIN: Final = 0.8
"""Least similarity at which an established document gives up its vote to an older one."""

_RANK: Final[Mapping[Tier, int]] = {Tier.REVIEWED: 0, Tier.ESTABLISHED: 1, Tier.POOL: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """An admitted document, or one about to be.

    Attributes:
        family_id: Its family; None for a candidate.
        similarity: To the candidate, in [0, 1].
        contradicts: It and the candidate contradict each other.
    """

    document_id: DocumentId
    tier: Tier
    origin: OriginRef
    admitted_at: datetime
    family_id: FamilyId | None
    similarity: float = 1.0
    contradicts: bool = False

    @property
    def is_centre(self) -> bool:
        return self.family_id == FamilyId(self.document_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyDecision:
    """Where a document belongs.

    Attributes:
        voting: Whether it is ever retrieved as evidence.
        contradicts: Centre that it contradicts; a label for the reviewer.
        absorbs: Centres of lower tiers that become voteless members of this family. Deal their
            own members anew.
    """

    family_id: FamilyId
    voting: bool
    contradicts: DocumentId | None = None
    absorbs: tuple[DocumentId, ...] = ()


def assign_family(candidate: Member, neighbours: Sequence[Member]) -> FamilyDecision:
    """Return the candidate's family, given its admitted near-copies in any order.

    No decision about a pooled candidate changes the vote of an established document.
    """
    centres = sorted(
        (
            near
            for near in neighbours
            if near.is_centre and near.document_id != candidate.document_id
        ),
        key=seniority,
    )
    above = [centre for centre in centres if _RANK[centre.tier] <= _RANK[candidate.tier]]
    disputed = next((centre.document_id for centre in above if centre.contradicts), None)
    joined = next((centre for centre in above if joins(candidate, centre)), None)
    if joined is not None:
        return FamilyDecision(
            family_id=FamilyId(joined.document_id), voting=False, contradicts=disputed
        )
    return FamilyDecision(
        family_id=FamilyId(candidate.document_id),
        voting=True,
        contradicts=disputed,
        absorbs=tuple(
            centre.document_id
            for centre in centres
            if _RANK[centre.tier] > _RANK[candidate.tier] and joins(centre, centre)
        ),
    )


def deal(
    members: Sequence[Member], seen: Callable[[Member, Member], Member]
) -> Mapping[DocumentId, FamilyDecision]:
    """Return the stars that documents form, whatever order they are given in or came in.

    Taken by seniority, each joins the most senior centre that it joins at all, or is a centre. The
    result depends on the documents, their tiers and their moments of admission alone.

    Args:
        members: Every document that is to be placed; what family they are in means nothing.
        seen: Of a centre and a member, the centre with its similarity to that member.
    """
    decisions: dict[DocumentId, FamilyDecision] = {}
    centres: list[Member] = []
    for member in sorted(members, key=seniority):
        decision = assign_family(member, [seen(centre, member) for centre in centres])
        decisions[member.document_id] = decision
        if decision.voting:
            centres.append(replace(member, family_id=FamilyId(member.document_id)))
    return decisions


def collapse(chunks: Sequence[ScoredChunk]) -> tuple[ScoredChunk, ...]:
    """Keep, of each family, the chunks of one document: one vote a family.

    The most established, then earliest admitted of those retrieved, then by id. Order is kept.
    """
    voice: dict[FamilyId, tuple[int, datetime, DocumentId]] = {}
    for hit in chunks:
        best = voice.get(hit.family_id)
        voice[hit.family_id] = min(_standing(hit), best) if best else _standing(hit)
    return tuple(hit for hit in chunks if voice[hit.family_id][2] == hit.chunk.document_id)


def joins(candidate: Member, centre: Member) -> bool:
    """Return whether the candidate is so near the centre that it has no vote beside it."""
    if candidate.tier is Tier.POOL:
        return centre.similarity >= JOIN
    return centre.similarity >= ESTABLISHED_JOIN and not centre.contradicts


def seniority(member: Member) -> tuple[int, datetime, DocumentId]:
    """Return the order in which members speak for a family: the least first."""
    return _RANK[member.tier], member.admitted_at, member.document_id


def _standing(hit: ScoredChunk) -> tuple[int, datetime, DocumentId]:
    return _RANK[hit.origin.tier], hit.admitted_at, hit.chunk.document_id
