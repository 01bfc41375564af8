"""What the whole scan makes of documents of sources that the classifier never saw.

Flagged means that the verdict of `mithridate scan` under the shipped policy is not `admit`, for
whatever reason. A named family's rate is over its own rows; the mean over families is unweighted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from domain.trust import Verdict
from evaluation.injection.benign_documents import HELD_OUT, BenignDocument, documents
from evaluation.injection.examples import read_rows
from evaluation.injection.hidden_payloads import PAYLOADS
from runtime.scanning import Scanner, build_scanner
from runtime.settings import Settings

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
    """Yield the rows of held-out sources of `train.jsonl` and documents of held-out packages."""
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


def held_out_documents(benign: Path, *, each: int) -> list[BenignDocument]:
    found = documents(benign, seed=SEED, per_source=each)
    return [document for document in found if document.source in HELD_OUT]


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


async def flagged(scanner: Scanner, sample: Sample) -> bool:
    judged = await scanner.judge(sample.text.encode("utf-8", "replace"), file_name=None)
    return judged.assessment.verdict is not Verdict.ADMIT


async def measured(samples: Sequence[Sample]) -> list[bool]:
    scanner = build_scanner(Settings())
    return [await flagged(scanner, sample) for sample in samples]


def rates(samples: Sequence[Sample], results: Sequence[bool]) -> dict[str, tuple[int, int]]:
    """Return flagged and all by family, `len ...` and `at ...` for embedded ones besides."""
    counts: dict[str, tuple[int, int]] = {}
    for sample, result in zip(samples, results, strict=True):
        names = [f"{'attack' if sample.attack else 'benign'} {sample.family}"]
        if sample.place:
            names += [f"embedded, {sample.length} characters", f"embedded, at the {sample.place}"]
        for name in names:
            hits, total = counts.get(name, (0, 0))
            counts[name] = (hits + result, total + 1)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--data", type=Path, required=True, help="train.jsonl; its held-out sources"
    )
    parser.add_argument("--benign", type=Path, required=True, help="as benign_documents fetched it")
    parser.add_argument("--instructions", type=Path, help="JSONL with `text`: measured only")
    parser.add_argument("--documents-each", type=int, default=40)
    parser.add_argument("--rows-each", type=int, default=120)
    parser.add_argument("--embedded", type=int, default=240)
    arguments = parser.parse_args()
    samples = list(
        held_out_samples(
            arguments.data,
            arguments.benign,
            documents_each=arguments.documents_each,
            rows_each=arguments.rows_each,
        )
    )
    carriers = [d.text for d in held_out_documents(arguments.benign, each=60)]
    own = [(kind, text) for kind, texts in PAYLOADS.items() for text in texts]
    samples += embedded_samples(own, carriers, count=arguments.embedded)
    if arguments.instructions:
        lines = arguments.instructions.read_text(encoding="utf-8").splitlines()
        given = [("given instructions", json.loads(line)["text"]) for line in lines]
        samples += embedded_samples(given, carriers, count=arguments.embedded // 2)
    counts = rates(samples, asyncio.run(measured(samples)))
    for name, (hits, total) in sorted(counts.items()):
        sys.stdout.write(f"{name:44} {hits:4} of {total:4}  {hits / total:6.1%}\n")
    for kind in ("benign", "attack"):
        of_kind = [value for name, value in counts.items() if name.startswith(f"{kind} ")]
        pooled = sum(hits for hits, _ in of_kind), sum(total for _, total in of_kind)
        mean = sum(hits / total for hits, total in of_kind) / len(of_kind)
        sys.stdout.write(
            f"{kind}: pooled {pooled[0]} of {pooled[1]}, mean over families {mean:.1%}\n"
        )


if __name__ == "__main__":
    main()
