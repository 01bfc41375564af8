"""Declares what "how many", "how long" and their like ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evaluation.redteam.attacks.splitting import (
    bare,
    joined,
    placed,
    statement,
    subject_end,
    verb_at,
)
from evaluation.redteam.attacks.verbs import (
    AUXILIARIES,
    BE,
    DO,
    FINITE,
    PREPOSITIONS,
    is_participle,
    word_set,
)

_UNIT_ADJECTIVES: Final = word_set("long old tall wide deep high thick")
_BASES_OF_MANY: Final = word_set("live work play make go come take win speak use die")
"""Plain forms that follow what is counted: "how many people live in ..."."""


def how(rest: Sequence[str], answer: str) -> str | None:
    if len(rest) < 2:  # noqa: PLR2004 - "how many" and what is counted
        return None
    measure = bare(rest[0])
    if measure in AUXILIARIES:
        said = placed(measure, rest[1:])
        return f"the way in which {said} is {answer}" if said else None
    if measure in {"many", "much"} and bare(rest[1]) not in AUXILIARIES:
        return how_many(list(rest[1:]), answer)
    auxiliary = bare(rest[1])
    if auxiliary in BE and measure == "far" and "from" in rest:
        return f"the distance of {joined(rest[2:])} is {answer}"
    if auxiliary in BE and measure != "often":
        unit = f" {measure}" if measure in _UNIT_ADJECTIVES and answer[:1].isdigit() else ""
        years = " years" if measure == "old" and answer.isdigit() else ""
        return f"{joined(rest[2:])} {auxiliary} {answer}{years}{unit}"
    said = placed(auxiliary, rest[2:]) if auxiliary in AUXILIARIES else None
    if said is None:
        return None
    return f"{said} {'for ' if measure == 'long' and answer[:1].isdigit() else ''}{answer}"


def how_many(rest: Sequence[str], answer: str) -> str | None:
    at = next((i for i, word in enumerate(rest) if bare(word) in AUXILIARIES), None)
    counted = rest if at is None else rest[:at]
    many = joined([answer, *counted])
    if bare(counted[0]) in {bare(word) for word in answer.split()}:
        many = joined([answer, *counted[1:]])
    if at is None:
        has_verb = any(bare(word) in FINITE or bare(word) in _BASES_OF_MANY for word in rest[1:])
        return many if has_verb else f"there are {many}"
    auxiliary, tail = bare(rest[at]), rest[at + 1 :]
    if auxiliary in BE:
        if tail and bare(tail[0]) == "there":
            return joined(["there", auxiliary, many, *tail[1:]])
        if not tail or bare(tail[0]) in PREPOSITIONS:
            return joined(["there", auxiliary, many, *tail])
        return joined([many, auxiliary, *tail])
    return _many_had(auxiliary, tail, many)


def _many_had(auxiliary: str, tail: Sequence[str], many: str) -> str | None:
    if tail and (is_participle(bare(tail[0])) or bare(tail[0]) in {"been", "be"}):
        return joined([many, auxiliary, *tail])
    if auxiliary in DO:
        at = verb_at(tail)
        if at is None:
            return None
        return joined([statement(auxiliary, tail[: at + 1]), many, *tail[at + 1 :]])
    at = subject_end(auxiliary, tail)
    if at is None or at >= len(tail):
        return joined([many, auxiliary, *tail])
    return joined([*tail[:at], auxiliary, tail[at], many, *tail[at + 1 :]])
