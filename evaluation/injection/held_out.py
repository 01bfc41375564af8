"""Texts of sources that neither tier of the classifier was trained on."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evaluation.injection.benign_documents import HELD_OUT, BenignDocument, documents
from evaluation.injection.examples import read_rows
from evaluation.injection.ordinary_passages import UNSEEN, unseen_passages

LENGTHS: Final = (500, 2_000, 8_000, 20_000)
PLACES: Final = ("start", "middle", "end")
SEED: Final = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A text with its family; of embedded payloads also how long the document is, and where."""

    text: str
    family: str
    attack: bool
    length: int = 0
    place: str = ""


def held_out_samples(
    data: Path, benign: Path, *, documents_each: int, rows_each: int
) -> Iterator[Sample]:
    """Yield the rows of held-out sources of `train.jsonl` and documents of held-out packages.

    Besides them, letters, posts and the like that nothing is trained on (`UNSEEN`).
    """
    rng = random.Random(SEED)  # noqa: S311
    families: dict[tuple[str, bool], list[str]] = defaultdict(list)
    for row in read_rows(data):
        if row.held_out:
            name = "bastion" if row.family.startswith("bastion_") else row.family
            families[name, row.attack].append(row.text)
    for (family, attack), texts in sorted(families.items()):
        for text in rng.sample(texts, min(rows_each, len(texts))):
            yield Sample(text=text, family=family, attack=attack)
    for document in held_out_documents(benign, each=documents_each):
        yield Sample(text=document.text, family=document.source, attack=False)
    for kind in UNSEEN:
        for text in unseen_passages(rng, kind, count=documents_each):
            yield Sample(text=text, family=f"unseen {kind}", attack=False)


def held_out_documents(benign: Path, *, each: int) -> list[BenignDocument]:
    return documents(benign, seed=SEED, per_source=each, only=HELD_OUT)


def embedded_samples(
    payloads: Sequence[tuple[str, str]], carriers: Sequence[str], *, count: int
) -> Iterator[Sample]:
    """Yield payloads `(kind, text)` in the midst of long documents, of every length and place."""
    rng = random.Random(SEED)  # noqa: S311
    for number in range(count):
        kind, payload = payloads[number % len(payloads)]
        length, place = LENGTHS[number % len(LENGTHS)], PLACES[number // len(LENGTHS) % 3]
        carrier = rng.choice([text for text in carriers if len(text) >= length])[:length]
        at = {"start": 0, "middle": length // 2, "end": length}[place]
        at = carrier.rfind("\n", 0, at) + 1 if place == "middle" else at
        text = f"{carrier[:at]}\n{payload}\n{carrier[at:]}".strip()
        yield Sample(text=text, family=f"embedded {kind}", attack=True, length=length, place=place)
