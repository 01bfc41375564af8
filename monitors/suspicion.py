"""What the clues against a document come to. Pure; weights are by kind of clue, never by attack.

What an attacker cannot help weighs most: to work, a planted text must say what it is planted for
(`quoted`, `states`), it must make a difference (the effects), and it must have come at some time
(`age_days`). That nobody vouches for its origin weighs little: most honest documents are like that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from domain.documents import DocumentId
from domain.traceback import Clues, Suspect

THRESHOLD: Final = 0.4
"""docs/benchmarks/traceback.md says what it finds and whom it wrongs."""

YOUNG_DAYS: Final = 30.0
"""As the monitors': poison is planted shortly before it works."""
OLD_DAYS: Final = 120.0

_YOUTH: Final = 0.3
_UNVOUCHED: Final = 0.1
_QUOTED: Final = 0.25
_STATES: Final = 0.2
_EFFECT: Final = 0.25
_NAMED: Final = 0.1
_BESIDE: Final = 0.1
_TOLD_EFFECT: Final = 0.1
"""An effect below that is told to nobody: drafts differ by so much for no reason."""


def youth(age_days: float) -> float:
    """Return 1 up to `YOUNG_DAYS`, 0 from `OLD_DAYS` on, and what lies between in between."""
    return min(1.0, max(0.0, (OLD_DAYS - age_days) / (OLD_DAYS - YOUNG_DAYS)))


def is_newcomer(*, established: bool, age_days: float) -> bool:
    return not established and age_days <= YOUNG_DAYS


def effect(clues: Clues) -> float:
    """Return the greatest effect that was measured.

    That of all newcomers speaks against those alone that say something: the others came by chance.
    """
    speaks = clues.quoted or clues.states
    together = clues.newcomers_effect if speaks else None
    measured = (clues.family_effect, clues.origin_effect, together)
    return max((one for one in measured if one is not None), default=0.0)


def suspicion(clues: Clues) -> float:
    """Return how much speaks against a document, in [0, 1]; never less for one more clue."""
    voice = _QUOTED * clues.quoted + _STATES * (clues.states or clues.quoted)
    total = (
        voice
        + _YOUTH * youth(clues.age_days)
        + _UNVOUCHED * (clues.strangers_tell and not clues.established)
        + _BESIDE * clues.beside
        + _EFFECT * effect(clues)
        + _NAMED * clues.named
    )
    return min(1.0, round(total, 6))


def suspect(clues: Clues) -> Suspect:
    return Suspect(clues=clues, score=suspicion(clues), reasons=reasons(clues))


def ranked(found: Iterable[Clues]) -> tuple[Suspect, ...]:
    """Return the most suspect first; of equals the younger, then by id."""
    return tuple(
        sorted(
            map(suspect, found),
            key=lambda one: (-one.score, one.clues.age_days, one.document_id),
        )
    )


def worst(found: Iterable[Sequence[Suspect]]) -> tuple[Suspect, ...]:
    """Return each document once, as where most speaks against it, the most suspect first."""
    kept: dict[DocumentId, Suspect] = {}
    for one in (one for some in found for one in some):
        known = kept.get(one.document_id)
        if known is None or one.score > known.score:
            kept[one.document_id] = one
    return tuple(sorted(kept.values(), key=lambda one: (-one.score, one.document_id)))


def reasons(clues: Clues) -> tuple[str, ...]:
    """Return what speaks against it, a short sentence each."""
    told: list[str] = []
    if clues.quoted:
        told.append("quoted in a draft on the accused side")
    elif clues.states:
        told.append("says what the accused side says")
    if youth(clues.age_days) > 0:
        told.append(f"admitted {clues.age_days:.1f} days before")
    if clues.strangers_tell and not clues.established:
        told.append(f"nobody vouches for its origin {clues.origin}")
    for named, measured in (
        (f"its family {clues.family_id}", clues.family_effect),
        (f"its origin {clues.origin}", clues.origin_effect),
        ("all newcomers", clues.newcomers_effect),
    ):
        if measured is not None and measured >= _TOLD_EFFECT:
            told.append(f"without {named} {measured:.0%} of the trouble goes")
    if clues.beside:
        told.append("the trouble goes without another late document of its origin")
    if clues.named:
        told.append("named by the alert")
    return tuple(told)
