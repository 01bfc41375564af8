# ruff: noqa: S311 - seeded on purpose
"""How many near-copies are found, by the kind of edit, on texts made up from a fixed seed."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest

from backends.memory.near_duplicates import InMemoryNearDuplicateIndex
from defences.retrieval.shingles import SCHEME, fingerprint
from domain.documents import DocumentId, TenantId

Edit = Callable[[list[str], random.Random], list[str]]

TENANT = TenantId("t")
COPIES = 60
pytestmark = pytest.mark.anyio


def vocabulary() -> list[str]:
    draw = random.Random(11)
    return [
        "".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(2, 9)))
        for _ in range(4_000)
    ]


WORDS = vocabulary()
WEIGHTS = [1 / (rank + 3) for rank in range(len(WORDS))]


def text(length: int, seed: int) -> list[str]:
    return random.Random(seed).choices(WORDS, WEIGHTS, k=length)


def substituted(share: float) -> Edit:
    def edit(words: list[str], draw: random.Random) -> list[str]:
        return [draw.choice(WORDS) if draw.random() < share else word for word in words]

    return edit


def shuffled(block: int) -> Edit:
    def edit(words: list[str], draw: random.Random) -> list[str]:
        blocks = [words[at : at + block] for at in range(0, len(words), block)]
        draw.shuffle(blocks)
        return [word for each in blocks for word in each]

    return edit


def framed(words: list[str], draw: random.Random) -> list[str]:
    return [*draw.choices(WORDS, k=60), *words, *draw.choices(WORDS, k=60)]


def truncated(words: list[str], draw: random.Random) -> list[str]:
    return words[: int(len(words) * 0.8)]


def look_alikes(words: list[str], draw: random.Random) -> list[str]:
    table = str.maketrans("aeo", "\u0430\u0435\u043e")
    return [word.translate(table) if draw.random() < 0.3 else word for word in words]


def zero_width(words: list[str], draw: random.Random) -> list[str]:
    return [re.sub(r"(?<=.)(?=.)", "\u200b", w) if draw.random() < 0.3 else w for w in words]


def inside_a_longer_one(words: list[str], draw: random.Random) -> list[str]:
    return [*draw.choices(WORDS, k=2 * len(words)), *words, *draw.choices(WORDS, k=2 * len(words))]


TABLE: list[tuple[str, int, Edit, float, float]] = [
    ("unchanged", 600, substituted(0.0), 1.0, 1.0),
    ("2 % of words", 600, substituted(0.02), 1.0, 1.0),
    ("5 % of words", 600, substituted(0.05), 0.95, 1.0),
    ("sentences shuffled", 600, shuffled(14), 0.85, 1.0),
    ("paragraphs shuffled", 600, shuffled(80), 1.0, 1.0),
    ("header and footer", 600, framed, 0.95, 1.0),
    ("last fifth cut", 600, truncated, 1.0, 1.0),
    ("look-alikes", 600, look_alikes, 1.0, 1.0),
    ("zero-width", 600, zero_width, 1.0, 1.0),
    ("short, one word in 20", 20, substituted(0.05), 0.95, 1.0),
    ("short, one word in 10", 40, substituted(0.1), 0.85, 1.0),
    # What this layer does not find, so that nobody thinks it does.
    ("20 % of words", 600, substituted(0.2), 0.0, 0.1),
    ("inside a longer one", 200, inside_a_longer_one, 0.0, 0.1),
]


@pytest.mark.parametrize(
    ("length", "edit", "least", "most"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE]
)
async def test_copies_are_found_by_kind_of_edit(
    length: int, edit: Edit, least: float, most: float
) -> None:
    index = InMemoryNearDuplicateIndex(scheme=SCHEME)
    originals = [text(length, seed) for seed in range(COPIES)]
    for number, words in enumerate(originals):
        made = fingerprint(" ".join(words))
        assert made is not None
        await index.query_and_insert(TENANT, DocumentId(str(number)), made)

    found = others = 0
    for number, words in enumerate(originals):
        made = fingerprint(" ".join(edit(words, random.Random(number))))
        assert made is not None
        near = {candidate.document_id for candidate in (await index.query(TENANT, made)).candidates}
        found += str(number) in near
        others += len(near - {DocumentId(str(number))})

    print(f"recall {found / COPIES:.2f}")  # noqa: T201 - `pytest -s` prints the table
    assert least <= found / COPIES <= most
    assert others == 0
