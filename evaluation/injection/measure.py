"""What the whole scan makes of documents of sources that the classifier never saw.

Flagged means that the verdict of `mithridate scan` under the shipped policy is not `admit`, for
whatever reason. A named family's rate is over its own rows; the mean over families is unweighted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from domain.trust import Verdict
from evaluation.injection.held_out import (
    Sample,
    embedded_samples,
    held_out_documents,
    held_out_samples,
)
from evaluation.injection.hidden_payloads import PAYLOADS
from runtime.scanning import Scanner, build_scanner
from runtime.settings import Settings


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
