"""Windows to train on: what addresses a model, and what only sounds like it."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from defences.detectors.injected_instructions.ranker import BUCKETS, WindowRanker, features
from defences.detectors.injected_instructions.views import fold
from defences.detectors.injected_instructions.windows import pieces, windows_of
from evaluation.injection.benign_documents import HELD_OUT, BenignDocument
from evaluation.injection.ordinary import ordinary
from evaluation.injection.payloads import payload

HELD_OUT_ROWS: Final = ("deepset", "bastion", "giskard", "OWASP", "tldr", "garak", "vigil")
"""Sources of `train.jsonl`, by a part of their name, that are only measured on."""

_QUOTING: Final = "benign_security_quoting"
_LONG: Final = 400  # characters; longer attack texts are cut, and their likeliest windows taken
_LIKELIEST: Final = 2
_LINE_END: Final = re.compile(r"\n+|(?<=[.!?\u3002])\s*(?=\S)")
_ALONE: Final = 0.6  # share of collected attacks that stand alone, not in ordinary text
_WRITTEN_ALONE: Final = 0.3
_AMONG_REQUESTS: Final = 0.25  # share of carriers that are ordinary requests


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line of `train.jsonl`."""

    text: str
    attack: bool
    family: str
    source: str

    @property
    def held_out(self) -> bool:
        return any(part in f"{self.source} {self.family}" for part in HELD_OUT_ROWS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    text: str
    attack: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How many examples of each kind the encoder sees; those of the second pass last."""

    written: int = 5_200
    collected: int = 3_600
    embedded: int = 1_500
    long: int = 700
    hard: int = 9_000
    random: int = 4_000
    short: int = 3_600
    ordinary: int = 1_800
    lines: int = 2_600
    fragments: int = 500
    requests: int = 700
    again_attacks: int = 3_500
    again_benign: int = 2_200


def read_rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8") as lines:
        return [
            Row(
                text=row["text"],
                attack=row["label"] == 1,
                family=row["family"],
                source=row["source"],
            )
            for row in map(json.loads, lines)
        ]


def cut(text: str) -> list[str]:
    """Return the windows of a text, as the detector cuts them."""
    return [text[start:end] for start, end in windows_of(pieces(text)).tolist()]


def attack_windows(
    rows: Sequence[Row], carriers: Sequence[str], rng: random.Random, sizes: Sizes
) -> list[Example]:
    """Return the positive examples, but for those of long texts, which a ranker has to choose."""
    short = [row.text for row in rows if row.attack and len(row.text) <= _LONG]
    payloads = [row.text for row in rows if row.family == "train_payload"]
    texts = rng.sample(short, min(sizes.collected, len(short)))
    texts = [text if rng.random() < _ALONE else embed(text, carriers, rng) for text in texts]
    for _ in range(sizes.written):
        text = payload(rng)
        texts.append(text if rng.random() < _WRITTEN_ALONE else embed(text, carriers, rng))
    inside = [row.text for row in rows if row.family == "train_embed"]
    for text in rng.sample(inside, min(sizes.embedded, len(inside))):
        place = next((text.find(known) for known in payloads if known in text), -1)
        if place >= 0:
            texts.append(_around(text, place, rng))
    return [Example(text=text, attack=True) for text in texts]


def embed(text: str, carriers: Sequence[str], rng: random.Random) -> str:
    """Return a window of ordinary text with `text` somewhere in it."""
    carrier = ordinary(rng, sentences=4) if rng.random() < _AMONG_REQUESTS else rng.choice(carriers)
    breaks = [0, *(at + 1 for at, sign in enumerate(carrier) if sign in ".\n"), len(carrier)]
    at = rng.choice(breaks)
    glue = rng.choice((" ", "\n", "\n\n", " ", " - "))
    before = carrier[:at][-rng.choice((0, 60, 120, 200)) :] if at else ""
    after = carrier[at : at + rng.choice((0, 60, 120, 200))]
    return f"{before}{glue}{text}{glue}{after}".strip()


def _around(text: str, place: int, rng: random.Random) -> str:
    start = max(0, place - rng.randrange(200))
    return text[start : start + 400]


def fit_ranker(examples: Sequence[Example]) -> WindowRanker:
    """Fit the linear tier: L2-regularised logistic regression over hashed n-grams."""
    indptr = [0]
    columns: list[NDArray[np.int64]] = []
    values: list[NDArray[np.float32]] = []
    for example in examples:
        found = features(fold(example.text)).buckets
        columns.append(found)
        values.append(np.full(len(found), 1 / np.sqrt(max(len(found), 1)), np.float32))
        indptr.append(indptr[-1] + len(found))
    matrix = csr_matrix(
        (np.concatenate(values), np.concatenate(columns), indptr),
        shape=(len(examples), BUCKETS),
    )
    matrix.sum_duplicates()
    fitted = LogisticRegression(C=3.0, solver="liblinear", class_weight="balanced", max_iter=200)
    fitted.fit(matrix, [example.attack for example in examples])
    return WindowRanker(
        weights=fitted.coef_[0].astype(np.float32), bias=float(fitted.intercept_[0])
    )


def score(ranker: WindowRanker, text: str) -> float:
    """Return the ranker's score of a text taken as one window."""
    bounds = np.array([[0, len(text)]], np.int64)
    return float(ranker.scores(fold(text), bounds, bounds)[0])


def benign_windows(
    documents: Iterable[BenignDocument], rows: Sequence[Row], rng: random.Random, *, each: int
) -> dict[str, list[str]]:
    """Return windows by source: at most `each` of one document, drawn evenly over it."""
    found: dict[str, list[str]] = defaultdict(list)
    for document in documents:
        if document.source not in HELD_OUT:
            cuts = cut(document.text)
            found[document.source] += rng.sample(cuts, min(each, len(cuts)))
    for row in rows:
        # What quotes an attack looks like one; that it is quoted is not for this model to see.
        if not row.attack and row.family != _QUOTING and len(row.text) > _LONG:
            cuts = cut(row.text)
            found[row.source] += rng.sample(cuts, min(each, len(cuts)))
    return dict(found)


def mined(
    by_source: dict[str, list[str]], ranker: WindowRanker, rng: random.Random, sizes: Sizes
) -> list[Example]:
    """Return the benign windows that the ranker likes best, evenly over sources, and some others."""
    share = max(1, sizes.hard // len(by_source))
    other = max(1, sizes.random // len(by_source))
    texts: list[str] = []
    for windows in by_source.values():
        ordered = sorted(set(windows), key=lambda text: (-score(ranker, text), text))
        # The very first may be attacks that were quoted, so they are not all there is.
        texts += ordered[: 2 * share : 2] + ordered[1 : share // 2 : 2]
        texts += rng.sample(ordered, min(other, len(ordered)))
    return [Example(text=text, attack=False) for text in texts]


def likeliest_windows(
    rows: Sequence[Row], ranker: WindowRanker, rng: random.Random, sizes: Sizes
) -> list[Example]:
    """Return the windows of long attacks that the ranker likes best."""
    found: list[str] = []
    for row in rows:
        if row.attack and len(row.text) > _LONG and row.family != "train_embed":
            ordered = sorted(cut(row.text), key=lambda text: -score(ranker, text))
            found += ordered[:_LIKELIEST]
    return [
        Example(text=text, attack=True) for text in rng.sample(found, min(sizes.long, len(found)))
    ]


def short_benign(rows: Sequence[Row], rng: random.Random, sizes: Sizes) -> list[Example]:
    short = [row.text for row in rows if not row.attack and len(row.text) <= _LONG]
    texts = rng.sample(short, min(sizes.short, len(short)))
    texts += [ordinary(rng, sentences=rng.randint(1, 5)) for _ in range(sizes.ordinary)]
    return [Example(text=text, attack=False) for text in texts]


def second_pass(
    first: Sequence[Example],
    by_source: dict[str, list[str]],
    rng: random.Random,
    sizes: Sizes,
) -> list[Example]:
    """Return what the first pass leaves unlearnt, among some of what it taught.

    Single lines and fragments of ordinary documents in every language of `by_source`: without
    them, whatever is short and not English looks like an attack.
    """
    lines = {
        source: sorted(
            {line.strip() for window in windows for line in _LINE_END.split(window)} - {""}
        )
        for source, windows in by_source.items()
    }
    texts = _drawn(lines, rng, sizes.lines, at_least=12)
    texts += [
        " ".join(line.split()[: rng.randint(1, 3)]) for line in _drawn(lines, rng, sizes.fragments)
    ]
    texts += [ordinary(rng, sentences=1) for _ in range(sizes.requests)]
    attacks = [example for example in first if example.attack]
    benign = [example for example in first if not example.attack]
    every = [Example(text=text, attack=False) for text in texts]
    every += rng.sample(attacks, min(sizes.again_attacks, len(attacks)))
    every += rng.sample(benign, min(sizes.again_benign, len(benign)))
    rng.shuffle(every)
    return every


def _drawn(
    lines: dict[str, list[str]], rng: random.Random, count: int, *, at_least: int = 3
) -> list[str]:
    """Return `count` lines of at least so many characters, evenly over sources."""
    long_enough = [
        [line for line in of_source if len(line) >= at_least] for of_source in lines.values()
    ]
    sources = [of_source for of_source in long_enough if of_source]
    return [rng.choice(rng.choice(sources)) for _ in range(count)]
