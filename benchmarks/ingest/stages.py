"""What a document costs, by stage and by length: CPU-milliseconds on one thread, in one run.

    .venv/bin/python -m benchmarks.ingest.stages [--json] [--documents 40]

Documents are what packages installed beside us say of themselves, joined to the wanted length; so
every machine with our lock file measures the same texts. The peer of each stage is the embedding of
the same document with the shipped embedder, which no gateway can do without: a ratio below 1 is
cheaper than that. Times are of this thread, yet a busy machine makes them longer; ratios hold.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import random
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from functools import partial
from importlib.metadata import distributions
from typing import Final, TypeVar

from backends.embedder_onnx import SHIPPED_MANIFEST_SHA256, OnnxEmbedder
from defences.retrieval.shingles import fingerprint
from domain.documents import Chunk, Document
from domain.errors import DetectorUnavailableError
from domain.scanning import Detector
from evaluation.sample_document import sample_document
from ingest.chunking import chunk
from ingest.parsers.inline import InlineParser
from runtime.scanning import build_detectors

LENGTHS: Final = (500, 2_000, 4_000, 8_000, 20_000)
SEED: Final = 1
EMBEDDING: Final = "embedding"
TOTAL: Final = "all but embedding"

T = TypeVar("T")

_FOREIGN: Final = "A caf\u00e9 by the river opens at nine and closes at half past six."
"""The first text of other letters makes the table of letters, once in a process."""

_WORDS: Final = 120
_OVERLAP_WORDS: Final = 20
_PARAGRAPH: Final = re.compile(r"\n\s*\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One stage at one length.

    Attributes:
        milliseconds: CPU time a document, mean.
        to_embedding: The same over that of embedding the document.
    """

    length: int
    stage: str
    milliseconds: float
    to_embedding: float


def texts(length: int, *, count: int) -> list[str]:
    """Return `count` texts of `length` characters, of whole paragraphs but for the last."""
    paragraphs = sorted(set(_paragraphs()))
    found: list[str] = []
    for number in range(count):
        rng = random.Random(SEED * 1_000 + number)  # noqa: S311
        joined = ""
        while len(joined) < length:
            joined += rng.choice(paragraphs) + "\n\n"
        found.append(joined[:length])
    return found


def _paragraphs() -> Iterator[str]:
    for distribution in distributions():
        described = distribution.metadata.get_payload()  # type: ignore[attr-defined]
        if isinstance(described, str):
            yield from (p.strip() for p in _PARAGRAPH.split(described) if len(p.strip()) > 80)  # noqa: PLR2004


def measured(lengths: Sequence[int], *, count: int) -> list[Row]:
    """Measure every stage at every length."""
    detectors = build_detectors(as_of=date(2026, 1, 1))
    embedder = OnnxEmbedder(manifest_sha256=SHIPPED_MANIFEST_SHA256)
    parser = InlineParser(max_text_chars=1_000_000)
    rows: list[Row] = []
    fingerprint(_FOREIGN)
    for length in lengths:
        sources = texts(length, count=count)
        documents = [built(parser, source) for source in sources]
        chunked = [[piece.text for piece in _chunked(document)] for document in documents]
        stages: dict[str, Callable[[int], object]] = {
            "parse and normalise": partial(_nth, partial(built, parser), sources),
            **{
                f"detector {detector.name}": partial(_nth, partial(_scanned, detector), documents)
                for detector in detectors
            },
            "near-duplicate fingerprint": partial(_nth, _fingerprint, documents),
            "chunking": partial(_nth, _chunked, documents),
            EMBEDDING: partial(_nth, embedder.embed_sync, chunked),
        }
        spent = {stage: _milliseconds(work, count) for stage, work in stages.items()}
        spent[TOTAL] = sum(spent.values()) - spent[EMBEDDING]
        rows += [
            Row(
                length=length,
                stage=stage,
                milliseconds=round(value, 2),
                to_embedding=round(value / spent[EMBEDDING], 3),
            )
            for stage, value in spent.items()
        ]
    return rows


def _nth(work: Callable[[T], object], inputs: Sequence[T], at: int) -> object:
    return work(inputs[at])


def _chunked(document: Document) -> Sequence[Chunk]:
    return chunk(document, words=_WORDS, overlap_words=_OVERLAP_WORDS, mentions=())


def _fingerprint(document: Document) -> object:
    return fingerprint(document.text.text)


def built(parser: InlineParser, source: str) -> Document:
    """Parse and normalise a plain text that an unestablished origin sent."""
    parsed = asyncio.run(
        parser.parse(source.encode(), claimed_media_type="text/plain", file_name=None)
    )
    return sample_document(parsed)


def _scanned(detector: Detector, document: Document) -> None:
    try:
        detector.scan(document)
    except DetectorUnavailableError as exc:
        raise SystemExit(f"{detector.name} cannot look: {exc}") from exc


def _milliseconds(work: Callable[[int], object], count: int) -> float:
    for at in range(min(count, 3)):  # what is loaded at first use, and not by every text
        work(at)
    gc.collect()
    started = time.thread_time()
    for at in range(count):
        work(at)
    return (time.thread_time() - started) / count * 1_000


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--documents", type=int, default=40, help="of each length")
    parser.add_argument("--json", action="store_true", help="one JSON object on the last line")
    arguments = parser.parse_args()
    rows = measured(LENGTHS, count=arguments.documents)
    width = max(len(row.stage) for row in rows)
    head = "".join(f"{length:>11,}" for length in LENGTHS)
    sys.stdout.write(f"{'CPU-ms a document (over embedding)':{width + 4}}{head}\n")
    for stage in dict.fromkeys(row.stage for row in rows):
        cells = "".join(
            f"{row.milliseconds:>6.1f}{f'({row.to_embedding:.2f})':>7}"[-13:].rjust(13)
            for row in rows
            if row.stage == stage
        )
        sys.stdout.write(f"{stage:{width}}{cells}\n")
    if arguments.json:
        sys.stdout.write(json.dumps({"rows": [asdict(row) for row in rows]}) + "\n")


if __name__ == "__main__":
    main()
