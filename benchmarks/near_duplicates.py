# ruff: noqa: S311, SLF001 - seeded on purpose; what is timed is no public function
"""Near-duplicates: cost of a signature, and what is found by kind of edit, in one run.

    uv run --group bench python -m benchmarks.near_duplicates [--json] [--documents 60]

Peers: datasketch as its README uses it (sha1, `update` for each shingle, `MinHashLSH(threshold=.8)`
with its defaults) and, where it is installed (group `bench`), rensa. Texts are docstrings of the
standard library, so every machine with this Python measures the same. Times are CPU of this
process on one core; ratios hold on a busy machine, times do not.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import importlib
import json
import random
import sys
import sysconfig
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from datasketch import MinHash, MinHashLSH

from backends.memory.near_duplicates import InMemoryNearDuplicateIndex
from defences.retrieval import shingles
from defences.retrieval.passages import PASSAGE_WORDS, Known, Standing, overlaps
from defences.retrieval.shingles import NUM_PERM, SCHEME, fingerprint, signature
from domain.documents import DEFAULT_TENANT, DocumentId, Origin, OriginKind
from domain.retrieval import Fingerprint

SEED: Final = 1
WINDOW: Final = 5
WORDS: Final = 600
TRUE_OVERLAP: Final = 0.4
"""Share of the shorter text's word windows, from which on two texts are truly alike ..."""
TRUE_PASSAGE: Final = PASSAGE_WORDS - WINDOW + 1
"""... or so many windows that they share a passage."""
DISGUISES: Final = frozenset({"look-alikes in 30%", "zero-width in 30%", "capitals"})
"""Edits that change no word: whom the text is truly like is seen on the text before."""

Edit = Callable[[list[str], random.Random], list[str]]
Find = Callable[[str], set[int]]

_LOOK_ALIKES: Final = str.maketrans("aeopcx", "\u0430\u0435\u043e\u0440\u0441\u0445")
_WHO: Final = Standing(
    origin=Origin(kind=OriginKind.UPLOADER, id="benchmark", established=False),
    admitted=True,
    contained=False,
    rejected=False,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Microseconds of CPU a shingle, and how many times the first row's that is."""

    name: str
    microseconds: float
    faster: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Of one edit: mean exact similarity, and of each method recall and precision."""

    edit: str
    similarity: float
    recall: Mapping[str, float]
    precision: Mapping[str, float]


def documents(count: int) -> list[list[str]]:
    """Return texts of `WORDS` words each, in a fixed order: docstrings of modules end to end."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    texts: list[list[str]] = []
    words: list[str] = []
    for path in sorted(folder.glob("**/*.py")):
        if "test" in str(path.relative_to(folder)) or "site-packages" in path.parts:
            continue
        words += _docstrings(path)
        while len(words) >= WORDS:
            texts.append(words[:WORDS])
            words = words[WORDS:]
        if len(texts) >= count:
            break
    return texts[:count]


def _docstrings(path: Path) -> list[str]:
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError, ValueError):
        return []
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    found = [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, kinds)]
    return " ".join(found).split()


@cache
def _vocabulary() -> list[str]:
    draw = random.Random(SEED + 1)
    return [
        "".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(2, 9)))
        for _ in range(4_000)
    ]


def substituted(share: float) -> Edit:
    def edit(words: list[str], draw: random.Random) -> list[str]:
        return [draw.choice(_vocabulary()) if draw.random() < share else word for word in words]

    return edit


def shuffled(block: int) -> Edit:
    def edit(words: list[str], draw: random.Random) -> list[str]:
        blocks = [words[at : at + block] for at in range(0, len(words), block)]
        draw.shuffle(blocks)
        return [word for each in blocks for word in each]

    return edit


def disguised(share: float, change: Callable[[str], str]) -> Edit:
    def edit(words: list[str], draw: random.Random) -> list[str]:
        return [change(word) if draw.random() < share else word for word in words]

    return edit


def framed(words: list[str], draw: random.Random) -> list[str]:
    del draw
    frame = _vocabulary()
    return [*frame[:90], *words, *frame[90:180]]


def inside(words: list[str], draw: random.Random) -> list[str]:
    return [*draw.choices(_vocabulary(), k=1_200), *words, *draw.choices(_vocabulary(), k=1_200)]


def planted(words: list[str], draw: random.Random) -> list[str]:
    start = draw.randrange(len(words) - 120)
    return [
        *draw.choices(_vocabulary(), k=500),
        *words[start : start + 120],
        *draw.choices(_vocabulary(), k=500),
    ]


EDITS: Final[Mapping[str, Edit]] = {
    "2% of words": substituted(0.02),
    "5% of words": substituted(0.05),
    "10% of words": substituted(0.10),
    "20% of words": substituted(0.20),
    "sentences shuffled": shuffled(14),
    "80-word blocks shuffled": shuffled(80),
    "180 words of header, footer": framed,
    "last fifth cut": lambda words, _: words[: int(0.8 * len(words))],
    "second half cut": lambda words, _: words[: len(words) // 2],
    "whole inside 5x longer": inside,
    "120-word paragraph planted": planted,
    "look-alikes in 30%": disguised(0.3, lambda word: word.translate(_LOOK_ALIKES)),
    "zero-width in 30%": disguised(0.3, "\u200b".join),
    "capitals": disguised(1.0, str.upper),
    "50 words, 1 in 20": lambda words, draw: substituted(0.05)(words[:50], draw),
    "another text, same notice": lambda words, draw: [
        *draw.choices(_vocabulary(), k=WORDS),
        *words[:30],
    ],
}


def costs(texts: Sequence[Sequence[str]]) -> list[Cost]:
    """Time every way from a text's windows to a signature, on the same windows."""
    windows = [[" ".join(text[at : at + WINDOW]) for at in range(len(text) - 4)] for text in texts]
    total = sum(map(len, windows))
    hashes = [
        np.random.default_rng(n).integers(0, 2**32, len(each), dtype=np.uint32)
        for n, each in enumerate(windows)
    ]
    for each in hashes:
        reference = MinHash(num_perm=NUM_PERM, seed=1, scheme="affine32", hashfunc=int)
        reference.update_batch(each)
        if not np.array_equal(shingles._permute(each), reference.hashvalues):
            raise AssertionError("the hasher is not datasketch's bit for bit")
    timed = {
        "datasketch update, hashes given": _timed(lambda: [_updated(each) for each in hashes]),
        "datasketch update_batch, hashes given": _timed(
            lambda: [_batched(each) for each in hashes]
        ),
        "ours, hashes given": _timed(lambda: [shingles._permute(each) for each in hashes]),
        "datasketch update, sha1 of windows": _timed(lambda: [_read_me(each) for each in windows]),
        "ours, whole text": _timed(lambda: [signature(" ".join(text)) for text in texts]),
        "ours, whole fingerprint": _timed(lambda: [fingerprint(" ".join(text)) for text in texts]),
    }
    rensa = _rensa()
    if rensa is not None:
        timed["rensa, windows given"] = _timed(lambda: [_of_rensa(rensa, each) for each in windows])
    first = timed["datasketch update, hashes given"]
    whole = timed["datasketch update, sha1 of windows"]
    return [
        Cost(
            name=name,
            microseconds=seconds / total * 1e6,
            faster=(first if "hashes given" in name else whole) / seconds,
        )
        for name, seconds in timed.items()
    ]


def _timed(run: Callable[[], object]) -> float:
    run()
    best = float("inf")
    for _ in range(3):
        started = time.process_time()
        run()
        best = min(best, time.process_time() - started)
    return best


def _updated(hashes: Iterable[int]) -> MinHash:
    made = MinHash(num_perm=NUM_PERM, seed=1, scheme="affine32", hashfunc=int)
    for each in hashes:
        made.update(each)
    return made


def _batched(hashes: Iterable[int]) -> MinHash:
    made = MinHash(num_perm=NUM_PERM, seed=1, scheme="affine32", hashfunc=int)
    made.update_batch(hashes)
    return made


def _read_me(windows: Iterable[str]) -> MinHash:
    made = MinHash(num_perm=NUM_PERM)
    for each in windows:
        made.update(each.encode())
    return made


def _rensa() -> Any | None:  # noqa: ANN401 - has no types
    try:
        return importlib.import_module("rensa")
    except ImportError:
        return None


def _of_rensa(rensa: Any, windows: Sequence[str]) -> Any:  # noqa: ANN401
    made = rensa.RMinHash(num_perm=NUM_PERM, seed=42)
    made.update(list(windows))
    return made


def _windows(text: str) -> set[str]:
    words = text.split()
    return {" ".join(words[at : at + WINDOW]) for at in range(max(1, len(words) - WINDOW + 1))}


def finders(texts: Sequence[str]) -> Mapping[str, Find]:
    """Index the texts in every way; each returned function finds those that a text is like."""
    methods = {"ours": _ours(texts, passages=True), "ours, signature": _ours(texts, passages=False)}
    methods["datasketch .8"] = _datasketch(texts)
    rensa = _rensa()
    if rensa is not None:
        methods["rensa 32 bands"] = _rensa_finder(rensa, texts)
    return methods


def _ours(texts: Sequence[str], *, passages: bool) -> Find:
    index = InMemoryNearDuplicateIndex(scheme=SCHEME)

    async def insert() -> None:
        for number, text in enumerate(texts):
            made = _known(fingerprint(text))
            await index.query_and_insert(DEFAULT_TENANT, DocumentId(str(number)), made)

    asyncio.run(insert())

    def find(text: str) -> set[int]:
        made = _known(fingerprint(text))
        found = asyncio.run(index.query(DEFAULT_TENANT, made))
        near = {int(each.document_id) for each in found.candidates}
        if passages:
            shared = [Known(shared=each, standing=_WHO) for each in found.shared]
            near |= {int(each.document_id) for each in overlaps(made.passages, shared)}
        return near

    return find


def _known(made: Fingerprint | None) -> Fingerprint:
    if made is None:
        raise ValueError("the text is too short")
    return made


def _datasketch(texts: Sequence[str]) -> Find:
    index = MinHashLSH(threshold=0.8, num_perm=NUM_PERM)
    for number, text in enumerate(texts):
        index.insert(number, _read_me(_windows(text)))
    return lambda text: set(index.query(_read_me(_windows(text))))


def _rensa_finder(rensa: Any, texts: Sequence[str]) -> Find:  # noqa: ANN401
    index = rensa.RMinHashLSH(threshold=0.5, num_perm=NUM_PERM, num_bands=32)
    for number, text in enumerate(texts):
        index.insert(number, _of_rensa(rensa, sorted(_windows(text))))
    return lambda text: set(index.query(_of_rensa(rensa, sorted(_windows(text)))))


def recalls(texts: Sequence[Sequence[str]]) -> list[Found]:
    """Edit every text in every way, and see which method finds what it was made from."""
    plain = [" ".join(text) for text in texts]
    known = [_windows(text) for text in plain]
    methods = finders(plain)
    rows: list[Found] = []
    for name, edit in EDITS.items():
        hits = dict.fromkeys(methods, 0)
        told, right = dict.fromkeys(methods, 0), dict.fromkeys(methods, 0)
        similar = 0.0
        for number, words in enumerate(texts):
            edited = " ".join(edit(list(words), random.Random(number)))
            own = _windows(edited)
            truth = known[number] if name in DISGUISES else own
            similar += len(own & known[number]) / len(own | known[number])
            for method, find in methods.items():
                found = find(edited)
                hits[method] += number in found
                told[method] += len(found)
                right[method] += sum(each == number or _alike(truth, known[each]) for each in found)
        rows.append(
            Found(
                edit=name,
                similarity=similar / len(texts),
                recall={method: hits[method] / len(texts) for method in methods},
                precision={
                    method: right[method] / told[method] if told[method] else 1.0
                    for method in methods
                },
            )
        )
    return rows


def _alike(one: set[str], other: set[str]) -> bool:
    common = len(one & other)
    return common >= TRUE_PASSAGE or common >= TRUE_OVERLAP * min(len(one), len(other))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=200)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args()
    texts = documents(options.documents)
    spent, found = costs(texts[:60]), recalls(texts)
    if options.json:
        told = {"costs": [asdict(row) for row in spent], "found": [asdict(row) for row in found]}
        print(json.dumps(told))  # noqa: T201
        return
    print(report(spent, found, documents=len(texts)))  # noqa: T201


def report(spent: Sequence[Cost], found: Sequence[Found], *, documents: int) -> str:
    """Return both tables as Markdown."""
    methods = list(found[0].recall)
    lines = [
        f"{documents} texts of {WORDS} words; Python {sys.version.split()[0]}, numpy {np.__version__}.",
        "",
        "| from windows to signature | CPU a window, us | times `MinHash.update` |",
        "|---|---|---|",
        *(f"| {row.name} | {row.microseconds:.3f} | {row.faster:.1f} |" for row in spent),
        "",
        f"| edit | exact J | {' | '.join(f'{method}: recall / precision' for method in methods)} |",
        f"|---|---|{'---|' * len(methods)}",
        *(
            f"| {row.edit} | {row.similarity:.2f} | "
            + " | ".join(f"{row.recall[m]:.2f} / {row.precision[m]:.2f}" for m in methods)
            + " |"
            for row in found
        ),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
