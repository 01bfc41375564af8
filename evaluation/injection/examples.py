"""Windows to train on: what addresses a model, and what only sounds like it."""

from __future__ import annotations

import json
import random
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from defences.detectors.injected_instructions.ranker import BUCKETS, WindowRanker, features
from defences.detectors.injected_instructions.views import fold
from defences.detectors.injected_instructions.windows import pieces
from evaluation.injection.benign_documents import HELD_OUT, BenignDocument
from evaluation.injection.ordinary import ordinary
from evaluation.injection.ordinary_passages import passage
from evaluation.injection.payloads import ALONE, drawn_kind, payload

HELD_OUT_ROWS: Final = ("deepset", "bastion", "giskard", "OWASP", "tldr", "garak", "vigil")
"""Sources of `train.jsonl`, by a part of their name, that are only measured on."""

_QUOTING: Final = "benign_security_quoting"
_LONG: Final = 400  # characters; longer attack texts are cut, and their likeliest windows taken
_LIKELIEST: Final = 2
_FIRST: Final = 8  # windows of a benign document
_LINE_END: Final = re.compile(r"\n+|(?<=[.!?\u3002])\s*(?=\S)")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|\n+")
_REQUEST: Final = re.compile(
    r"(?:please |kindly |can you |could you |would you |i need you to |i want you to |help me )"
    r"|(?:write|create|generate|give|tell|explain|describe|list|provide|summari[sz]e|translate"
    r"|compare|draft|compose|suggest|recommend|convert|calculate|solve|show|make|plan|name)\b",
    re.IGNORECASE,
)
_ALONE: Final = 0.5  # share of collected attacks that stand alone, not in ordinary text
_WRITTEN_ALONE: Final = 0.25  # of written ones of a kind that is an attack alone
_AROUND: Final = (0, 80, 160, 240, 320)  # characters of the carrier before and after
_GLUES: Final = (" ", "\n", "\n\n", " ", "\n", " - ", "\n* ", "\n> ")
_LEAST: Final = 8  # characters of a sentence


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
    """How many examples of each kind the encoder sees, of each later pass, and of the ranker's own.

    Attributes:
        streamed: Of the first pass's examples, how many the streamed pass looks at; the closing one
            draws on the others.
    """

    written: int = 7_500
    requests: int = 900
    prompts: int = 2_400
    collected: int = 1_600
    embedded: int = 600
    long: int = 400
    hard: int = 4_400
    random: int = 1_800
    spliced: int = 2_400
    passages: int = 2_600
    short: int = 1_300
    ordinary: int = 900
    lines: int = 1_000
    fragments: int = 300
    mined: int = 8_000
    again_hard: int = 2_400
    again_written: int = 2_600
    again: int = 4_500
    again_benign: int = 1_200
    ranked_first: int = 9_000
    ranked: int = 9_000
    streamed: int = 20_000
    closing_passages: int = 1_100
    closing_attacks: int = 1_300
    closing_benign: int = 900

    def scaled(self, share: float) -> Sizes:
        """Return so much of everything."""
        return Sizes(**{name: max(1, int(count * share)) for name, count in asdict(self).items()})


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
    """Return the windows of a text, one around each of its sentences, as the detector cuts them."""
    found = pieces(text)
    windows = dict.fromkeys(found.window(row) for row in range(len(found.weights)))
    return [text[start:end] for start, end in windows]


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, as the detector ranks them."""
    return [text[start:end] for start, end in pieces(text).bounds.tolist() if end - start >= _LEAST]


def attack_windows(
    rows: Sequence[Row],
    prompts: Sequence[str],
    carriers: Sequence[str],
    rng: random.Random,
    sizes: Sizes,
) -> list[Example]:
    """Return the positive examples, but for those of long texts, which a ranker has to choose.

    A request to a chatbot is an attack inside a document and ordinary by itself: the same
    collected requests, and of `prompts` some, stand among `short_benign`.
    """
    short = [row.text for row in rows if row.attack and len(row.text) <= _LONG]
    payloads = [row.text for row in rows if row.family == "train_payload"]
    texts = rng.sample(short, min(sizes.collected, len(short)))
    texts = [text if rng.random() < _ALONE else embed(text, carriers, rng) for text in texts]
    texts += [written(carriers, rng) for _ in range(sizes.written)]
    asked = [
        row.text
        for row in rows
        if not row.attack and len(row.text) <= _LONG and _REQUEST.match(row.text)
    ]
    texts += [
        embed(text, carriers, rng) for text in rng.sample(asked, min(sizes.requests, len(asked)))
    ]
    texts += [embed(rng.choice(prompts), carriers, rng) for _ in range(sizes.prompts)]
    inside = [row.text for row in rows if row.family == "train_embed"]
    for text in rng.sample(inside, min(sizes.embedded, len(inside))):
        place = next((text.find(known) for known in payloads if known in text), -1)
        if place >= 0:
            texts.append(_around(text, place, rng))
    return [Example(text=text, attack=True) for text in texts]


def written(carriers: Sequence[str], rng: random.Random) -> str:
    """Return a window with a payload of our grammar in it, or, where it may be, the payload."""
    kind = drawn_kind(rng)
    text = payload(rng, kind)
    alone = kind in ALONE and rng.random() < _WRITTEN_ALONE
    return text if alone else embed(text, carriers, rng)


def embed(text: str, carriers: Sequence[str], rng: random.Random) -> str:
    """Return a window of ordinary text with `text` somewhere in it, cut as documents are."""
    carrier = rng.choice(carriers)
    breaks = [0, *(found.end() for found in _SENTENCE_END.finditer(carrier)), len(carrier)]
    at = rng.choice(breaks)
    before = carrier[:at][-rng.choice(_AROUND) or len(carrier) :].strip()
    after = rng.choice(carriers) if at == len(carrier) else carrier[at:]
    after = after[: rng.choice(_AROUND if before else _AROUND[1:])].strip()
    head = f"{before}{rng.choice(_GLUES)}" if before else ""
    whole = f"{head}{text}{rng.choice(_GLUES)}{after}" if after else f"{head}{text}"
    start = max(whole.find(text), 0)
    found = pieces(whole)
    inside = [
        row
        for row, (first, end) in enumerate(found.bounds.tolist())
        if first < start + len(text) and end > start
    ]
    first, end = found.window(rng.choice(inside))
    return whole[first:end]


def spliced(
    by_source: dict[str, list[str]], carriers: Sequence[str], rng: random.Random, sizes: Sizes
) -> list[Example]:
    """Return ordinary sentences in ordinary text of another kind: a seam is no sign by itself."""
    sources = [windows for windows in by_source.values() if windows]
    texts = []
    for _ in range(sizes.spliced):
        if rng.random() < 0.4:  # noqa: PLR2004 - of sentences that sound like orders
            guest = ordinary(rng, sentences=rng.randint(1, 2))
        else:
            window = rng.choice(rng.choice(sources))
            guest = rng.choice(sentences(window) or [window])
        texts.append(embed(guest, carriers, rng))
    return [Example(text=text, attack=False) for text in texts]


def passages(rng: random.Random, count: int) -> list[str]:
    """Return windows of written passages, of every kind."""
    return [rng.choice(cut(passage(rng))) for _ in range(count)]


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
    """Return the ranker's score of the sentence of a text that it likes best."""
    found = ranker.scores(fold(text), pieces(text).bounds)
    return float(found.max(initial=-100.0))


def ranking_examples(
    by_source: dict[str, list[str]], examples: Sequence[Example], rng: random.Random, count: int
) -> list[Example]:
    """Return what the linear tier learns from besides: it ranks sentences, and not windows."""
    sources = [windows for windows in by_source.values() if windows]
    drawn = [rng.choice(rng.choice(sources)) for _ in range(3 * count)]
    benign = sorted({sentence for window in drawn for sentence in sentences(window)})
    benign = rng.sample(benign, min(4 * count, len(benign)))
    attacks = [Example(text=payload(rng), attack=True) for _ in range(count)]
    some = [Example(text=text, attack=False) for text in benign[:count]]
    first = fit_ranker([*examples, *attacks, *some])
    hard = sorted(benign[count:], key=lambda text: (-score(first, text), text))[: count // 2]
    return [*attacks, *some, *(Example(text=text, attack=False) for text in hard)]


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


def short_benign(
    rows: Sequence[Row], prompts: Sequence[str], rng: random.Random, sizes: Sizes
) -> list[Example]:
    short = [row.text for row in rows if not row.attack and len(row.text) <= _LONG]
    texts = rng.sample(short, min(sizes.short, len(short)))
    texts += rng.sample(prompts, min(sizes.prompts // 6, len(prompts)))
    texts += [ordinary(rng, sentences=rng.randint(1, 4)) for _ in range(sizes.ordinary)]
    return [Example(text=text, attack=False) for text in texts]


def first_windows(
    documents: Iterable[BenignDocument], ranker: WindowRanker, rng: random.Random, sizes: Sizes
) -> list[Example]:
    """Return windows of whole documents as the product reads them: those that the ranker chooses."""
    found: list[str] = []
    for document in documents:
        if document.source not in HELD_OUT:
            text, cuts = document.text, pieces(document.text)
            scores = ranker.scores(fold(text), cuts.bounds)
            likeliest = np.argsort(-scores, kind="stable")[:_FIRST].tolist()
            windows = dict.fromkeys(cuts.window(row) for row in likeliest)
            found += [text[start:end] for start, end in windows]
    drawn = rng.sample(found, min(sizes.ranked_first, len(found)))
    return [Example(text=text, attack=False) for text in drawn]


def lines_and_fragments(
    by_source: dict[str, list[str]], rng: random.Random, sizes: Sizes
) -> list[Example]:
    """Return single lines and fragments of ordinary documents, in every language of `by_source`.

    Without them, whatever is short and not English looks like an attack.
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
    return [Example(text=text, attack=False) for text in texts]


def _drawn(
    lines: dict[str, list[str]], rng: random.Random, count: int, *, at_least: int = 3
) -> list[str]:
    """Return `count` lines of at least so many characters, evenly over sources."""
    long_enough = [
        [line for line in of_source if len(line) >= at_least] for of_source in lines.values()
    ]
    sources = [of_source for of_source in long_enough if of_source]
    return [rng.choice(rng.choice(sources)) for _ in range(count)]
