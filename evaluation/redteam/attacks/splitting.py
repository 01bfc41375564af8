"""Finds where the parts of a question stand: its verb, and where its subject ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evaluation.redteam.attacks.verbs import (
    AUXILIARIES,
    BASES,
    BE,
    DETERMINERS,
    DO,
    FINITE,
    HAVE,
    NOUNS_TOO,
    PREPOSITIONS,
    RELATIVES,
    agreed,
    is_participle,
    word_set,
)

_NOT_BEFORE_A_VERB: Final = DETERMINERS | PREPOSITIONS | {"and", "or", "no", "not"}
_ADVERBS: Final = word_set(
    "primarily originally mainly currently usually mostly officially best also still ever "
    "actually really commonly often"
)
_PREDICATES: Final = word_set(
    "a an the from in on at part both same considered older younger longer larger bigger taller "
    "able more available active famous responsible similar native dead alive capable popular"
)


def bare(word: str) -> str:
    return word.strip(".,:;!?\"'()[]“”").lower()


def joined(words: Sequence[str]) -> str:
    return " ".join(word for word in words if word)


def verb_at(rest: Sequence[str]) -> int | None:
    """Return where the main verb stands after do, does or did: a plain form after the subject.

    A word that is nothing but a verb wins, the first of them. Of words that are nouns too, the one
    the question ends on, else the first that something follows as it follows a verb.
    """
    found = [
        at
        for at in range(1, len(rest))
        if bare(rest[at]) in BASES
        and rest[at].islower()
        and bare(rest[at - 1]) not in _NOT_BEFORE_A_VERB
        and not bare(rest[at - 1]).endswith("'s")
    ]
    sure = [at for at in found if bare(rest[at]) not in NOUNS_TOO]
    if sure or not found:
        return sure[0] if sure else None
    if found[-1] == len(rest) - 1:
        return found[-1]
    after = (PREPOSITIONS - {"of"}) | DETERMINERS
    return next((at for at in found if bare(rest[at + 1]) in after), found[-1])


def statement(auxiliary: str, rest: Sequence[str]) -> str:
    """Return "the crown came from" for "did", "the crown come from"; unchanged without a verb."""
    at = verb_at(rest)
    if at is None:
        return joined(rest)
    several = auxiliary == "does" and "and" in rest[:at]
    verb = agreed(bare(rest[at]), "do" if several else auxiliary)
    return joined([*rest[:at], verb + _marks(rest[at]), *rest[at + 1 :]])


def _marks(word: str) -> str:
    return "".join(char for char in word[-1:] if char in ",;:")


def first_auxiliary(rest: Sequence[str]) -> int | None:
    """Return where the verb of "which N ..." stands, past the verb of a relative clause."""
    skip = False
    for at, word in enumerate(rest):
        low = bare(word)
        if at and low in RELATIVES:
            skip = True
            continue
        ends = low in AUXILIARIES or (
            at > 0 and low in FINITE and word.islower() and not _reduced(rest, at)
        )
        if not ends:
            continue
        if not skip:
            return at
        skip = False
    return None


def _reduced(rest: Sequence[str], at: int) -> bool:
    """Whether a participle with its "by" only describes the noun: "airport serviced by X, is"."""
    after = [bare(word) for word in rest[at + 1 :]]
    return after[:1] == ["by"] and any(word in BE for word in after)


def subject_end(auxiliary: str, rest: Sequence[str], *, whole: bool = False) -> int | None:
    """Return how many words of `rest` are the subject of a question that its auxiliary opens.

    Args:
        whole: Without a sign of a predicate the subject takes all words, not all but the last.
    """
    low = [bare(word) for word in rest]
    if not low:
        return None
    if low[0] == "there":
        return 1
    if "time" in low[2:4]:  # "the last time ..."
        return len(low)
    at = _predicate(low, whole=whole) if auxiliary in BE | HAVE else verb_at(rest)
    if at is None and auxiliary not in BE | HAVE:
        return len(low) if whole and auxiliary not in DO else None
    while at is not None and at > 1 and low[at - 1] in _ADVERBS:
        at -= 1
    if at is not None:
        return at
    return len(low) if whole else max(1, len(low) - 1)


def _predicate(low: Sequence[str], *, whole: bool) -> int | None:
    start = low.index("and") + 2 if "and" in low[:-2] else 1
    if "both" in low[1:]:
        return low.index("both", 1)
    if is_participle(low[-1]) and len(low) > 1:
        return len(low) - 1
    clause = next((at for at in range(1, len(low)) if low[at] in RELATIVES), None)
    if clause is not None:
        late = [at for at in range(clause + 2, len(low)) if low[at] in {"a", "an"}]
        late += [at for at in range(clause + 2, len(low)) if is_participle(low[at])]
        return max(late) if late and not whole else min(late, default=None)
    for at in range(start, len(low)):
        if low[at] in _ADVERBS and at + 1 < len(low):
            return at
        if low[at : at + 3] == ["of", "the", "same"]:
            return at
        if is_participle(low[at]) and low[at - 1] not in _NOT_BEFORE_A_VERB:
            return at
        if not whole and low[at] in _PREDICATES and low[at - 1] not in _NOT_BEFORE_A_VERB:
            return at
    return None


def placed(auxiliary: str, rest: Sequence[str], *, whole: bool = True) -> str | None:
    """Return the words after an auxiliary in a statement's order; None: no verb was found."""
    if auxiliary in DO:
        return statement(auxiliary, rest) if verb_at(rest) is not None else None
    at = subject_end(auxiliary, rest, whole=whole)
    return joined([*rest[:at], auxiliary, *rest[at:]]) if at is not None else None


def stranded(auxiliary: str, rest: Sequence[str], answer: str = "") -> str | None:
    at = subject_end(auxiliary, rest)
    return joined([*rest[:at], auxiliary, *rest[at:], answer]) if at is not None else None
