"""Who stands behind a clean passage, and behind what is planted."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from domain.documents import OriginKind, OriginRef
from evaluation.redteam.attacks.planted import Hand, Planted
from evaluation.redteam.rows import Row


class ProvenanceMode(StrEnum):
    """Whose the planted texts are, and what systems see of it."""

    ONE_NEW = "one-new"
    """All from one origin that nobody vouches for."""
    SYBIL = "sybil"
    """From B origins that nobody vouches for."""
    COMPROMISED = "compromised"
    """All from the established origin that owns the last clean passage of the question: where there
    is only one, the attacker holds the seat of the truth."""
    NONE = "none"
    """Origins, age and trust are withheld from every system."""
    HONEST_NEW = "honest-new"
    """The clean passages of the question are in the pool too; what is planted is from one origin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A clean passage of the run: each text once, whichever rows have it."""

    text: str
    origin: OriginRef
    established: bool


ATTACKER = OriginRef(kind=OriginKind.UPLOADER, id="new-account")
ESTABLISHED_ATTACKER = OriginRef(kind=OriginKind.PUBLISHER, id="old-hand")


def passages_of(rows: Sequence[Row], mode: ProvenanceMode, *, share: float) -> tuple[Passage, ...]:
    """Return every clean passage with its origin, in order of first appearance.

    Without origins in the rows each passage has one of its own. `share` of the origins are
    established, chosen by a hash of their names; in mode `none` each passage is an anonymous upload.
    """
    found: dict[str, Passage] = {}
    for row in rows:
        named = _named(row.passages, row.origins) + _named(row.others, row.other_origins)
        for text, name in named:
            if text in found:
                continue
            known = mode is not ProvenanceMode.NONE
            origin = OriginRef(kind=OriginKind.PUBLISHER, id=name) if known else _anonymous(text)
            found[text] = Passage(
                text=text,
                origin=origin,
                established=known
                and _fraction(name) < share
                and (row.established is None or name in row.established),
            )
    return tuple(found.values())


def _named(texts: Sequence[str], origins: Sequence[str] | None) -> tuple[tuple[str, str], ...]:
    names = origins if origins is not None else [f"source-{_digest(text)}" for text in texts]
    return tuple(zip(texts, names, strict=True))


def hands(
    row: Row, planted: Sequence[Planted], mode: ProvenanceMode, passages: Mapping[str, Passage]
) -> tuple[OriginRef, ...]:
    """Return the origin of each planted text; `passages` by text."""

    def owner(at: int) -> OriginRef:
        return passages[row.passages[at]].origin

    def hand(number: int, text: Planted) -> OriginRef:
        if mode is ProvenanceMode.NONE:
            return _anonymous(f"{number}:{text.text}")
        if text.hand is Hand.OWNER:
            return owner(text.replaces or 0)
        if text.hand is Hand.ESTABLISHED:
            return ESTABLISHED_ATTACKER
        if mode is ProvenanceMode.COMPROMISED:
            return owner(-1)
        if mode is ProvenanceMode.SYBIL:
            return OriginRef(kind=OriginKind.UPLOADER, id=f"new-account-{text.slot}")
        return ATTACKER

    return tuple(hand(number, text) for number, text in enumerate(planted))


def _anonymous(text: str) -> OriginRef:
    return OriginRef(kind=OriginKind.UPLOADER, id=f"anonymous-{_digest(text)}")


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


def _fraction(name: str) -> float:
    digest = hashlib.blake2b(name.encode(), key=b"established share", digest_size=8).digest()
    return int.from_bytes(digest) / 2**64
