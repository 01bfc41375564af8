"""Coherent ordinary passages of every kind that is not a technical manual.

Texts between people, about models and for models, that order nothing of whoever reads them on
someone's behalf. Grammars of our own (`passage_pools`), with no sentence of any data set.

A grammar is a text of sections. `# 2-3 p` opens one: two or three of its lines, in their order,
glued as the letter says (`_GLUE`). `⏎` is a line break inside a line, `{slot}` a word of `SLOTS`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evaluation.injection.passage_pools import (
    languages,
    leisure,
    models,
    office,
    public,
    tasks,
    technical,
    unseen,
)
from evaluation.injection.passage_pools.slots import SLOTS

__all__ = [
    "MOST_WORDS",
    "PASSAGES",
    "SHORTEST_WORDS",
    "UNSEEN",
    "passage",
    "unseen_passages",
    "words",
]

SHORTEST_WORDS: Final = 40
MOST_WORDS: Final = 220

_GLUE: Final[Mapping[str, tuple[str, str]]] = {
    "s": (" ", " "),  # before the section, between its lines
    "b": ("\n", " "),
    "l": ("\n", "\n"),
    "p": ("\n\n", " "),
    "q": ("\n\n", "\n"),
}
_HEAD: Final = re.compile(r"# (\d+)(?:-(\d+))? ([sblpq])")
_SLOT: Final = re.compile(r"\{([a-z]+)\}")
_WORD: Final = re.compile(r"[^\W\u3040-\u30ff\u4e00-\u9fff]+|[\u3040-\u30ff\u4e00-\u9fff]{1,2}")
_AFTER_BREAK: Final = re.compile(r"\n +")
_BREAKS: Final = re.compile(r"\n{3,}")
_TRIES: Final = 60
_OFTEN: Final = 3
"""How often texts about models, or that set people tasks, are drawn for each other kind's once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Section:
    least: int
    most: int
    glue: tuple[str, str]
    lines: tuple[str, ...]


def _parsed(grammar: str) -> tuple[_Section, ...]:
    found: list[tuple[re.Match[str], list[str]]] = []
    for line in filter(None, map(str.strip, grammar.splitlines())):
        if head := _HEAD.fullmatch(line):
            found.append((head, []))
        else:
            found[-1][1].append(line)
    return tuple(
        _Section(
            least=int(head[1]),
            most=min(int(head[2] or head[1]), len(lines)),
            glue=_GLUE[head[3]],
            lines=tuple(lines),
        )
        for head, lines in found
    )


_GRAMMARS: Final[Mapping[str, tuple[_Section, ...]]] = {
    kind: _parsed(grammar)
    for pool in (models, office, public, technical, leisure, languages, tasks)
    for kind, grammar in pool.POOLS.items()
}
_UNSEEN: Final = {kind: _parsed(grammar) for kind, grammar in unseen.POOLS.items()}
UNSEEN: Final[tuple[str, ...]] = tuple(_UNSEEN)
PASSAGES: Final[tuple[str, ...]] = tuple(_GRAMMARS)
_WEIGHTS: Final = [
    _OFTEN if kind in models.POOLS or kind in tasks.POOLS else 1 for kind in PASSAGES
]


def passage(rng: random.Random, kind: str | None = None) -> str:
    """Return one passage of `kind`, or of a kind drawn at random, those about models more often.

    Raises:
        KeyError: No such kind.
        ValueError: The grammar of the kind hardly ever gives a passage of the right length.
    """
    if kind is None:
        kind = rng.choices(PASSAGES, weights=_WEIGHTS)[0]
    sections = _GRAMMARS[kind]
    for _ in range(_TRIES):
        text = _assembled(sections, rng, SLOTS)
        if SHORTEST_WORDS <= words(text) <= MOST_WORDS:
            return text
    raise ValueError(f"The grammar of {kind!r} gives no passage of the right length.")


def words(text: str) -> int:
    """Return the number of words, two characters being one where words are not parted."""
    return len(_WORD.findall(text))


def unseen_passages(rng: random.Random, kind: str, *, count: int) -> list[str]:
    """Return passages of a kind of `UNSEEN`, whose grammars give nothing to train on."""
    return [_assembled(_UNSEEN[kind], rng, unseen.SLOTS) for _ in range(count)]


def _assembled(
    sections: tuple[_Section, ...], rng: random.Random, slots: Mapping[str, Sequence[str]]
) -> str:
    # A name stands for the same person all over a passage; other slots are drawn each time.
    name = rng.choice(slots["name"])
    text = ""
    for section in sections:
        before, between = section.glue
        count = rng.randint(section.least, section.most)
        chosen = sorted(rng.sample(range(len(section.lines)), count))
        if chosen:
            text += before + between.join(section.lines[at] for at in chosen)
    text = _AFTER_BREAK.sub("\n", text.strip().replace("⏎", "\n").replace("{name}", name))
    text = _BREAKS.sub("\n\n", text)
    return _SLOT.sub(lambda match: _word(match, rng, slots), text)


def _word(slot: re.Match[str], rng: random.Random, slots: Mapping[str, Sequence[str]]) -> str:
    word = rng.choice(slots[slot[1]])
    starts = slot.start() == 0 or slot.string[: slot.start()].endswith(("\n", ". ", "? ", "! "))
    return word[0].upper() + word[1:] if starts else word
