"""What the whole scan makes of documents of sources that the classifier never saw.

Flagged means that the verdict of `mithridate scan` under the shipped policy is not `admit`, for
whatever reason. A named family's rate is over its own rows; the mean over families is unweighted.

The shipped threshold is set on these documents. What that flatters is told by leaving one source of
them out at a time: the threshold is set on the others, and the one is measured at it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from domain.documents import Provenance
from domain.scanning import ScanReport
from domain.trust import Verdict
from evaluation.injection.held_out import (
    Sample,
    embedded_samples,
    held_out_documents,
    held_out_samples,
)
from evaluation.injection.hidden_payloads import PAYLOADS
from evaluation.rates import auroc
from runtime.scanning import Scanner, build_scanner
from runtime.settings import Settings

FALSE_POSITIVES: Final = 0.01
"""Of the documents of the other sources, what the classifier may flag in a fold."""

DOCUMENT: Final = 400  # characters; shorter texts set no threshold here
_CERTAIN: Final = 40.0  # log-odds
_CLASSIFIER: Final = "injected-instructions.classifier"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the scan made of a sample.

    Attributes:
        flagged: Not admitted.
        otherwise: It would not be admitted without the classifier either.
        odds: Greatest log-odds that the classifier reported, over its threshold; -inf for nothing.
    """

    flagged: bool
    otherwise: bool
    odds: float

    def at(self, threshold: float) -> bool:
        """Whether it is flagged were the classifier's threshold so much higher."""
        return self.otherwise or self.odds > threshold

    def score(self) -> float:
        """Return what orders outcomes: what is flagged otherwise comes first."""
        return _CERTAIN if self.otherwise else max(self.odds, -_CERTAIN)


async def outcome(scanner: Scanner, sample: Sample) -> Outcome:
    judged = await scanner.judge(sample.text.encode("utf-8", "replace"), file_name=None)
    report = judged.report
    risks = [finding.risk for finding in report.findings if finding.rule == _CLASSIFIER]
    return Outcome(
        flagged=judged.assessment.verdict is not Verdict.ADMIT,
        otherwise=_flagged(scanner, judged.document.provenance, _without_classifier(report)),
        odds=max(
            (math.log(risk / (1.0 - risk)) for risk in risks if risk < 1.0), default=-math.inf
        ),
    )


def _without_classifier(report: ScanReport) -> ScanReport:
    return replace(
        report, findings=tuple(each for each in report.findings if each.rule != _CLASSIFIER)
    )


def _flagged(scanner: Scanner, provenance: Provenance, report: ScanReport) -> bool:
    assessment = scanner.policy.assess(report, provenance, now=provenance.received_at)
    return assessment.verdict is not Verdict.ADMIT


async def measured(samples: Sequence[Sample]) -> list[Outcome]:
    scanner = build_scanner(Settings())
    return [await outcome(scanner, sample) for sample in samples]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """A source of documents that had no part in setting the threshold.

    Attributes:
        threshold: Over the shipped one, in log-odds.
        flagged, documents: Of the source.
        embedded: Share of the embedded payloads that are flagged at it.
    """

    source: str
    threshold: float
    flagged: int
    documents: int
    embedded: float


def folds(samples: Sequence[Sample], outcomes: Sequence[Outcome]) -> list[Fold]:
    """Leave out one source of documents at a time; those that quote attacks set no threshold."""
    pairs = list(zip(samples, outcomes, strict=True))
    documents = [pair for pair in pairs if not pair[0].attack and len(pair[0].text) >= DOCUMENT]
    planted = [seen for sample, seen in pairs if sample.place]
    made: list[Fold] = []
    for source in sorted({sample.family for sample, _ in documents}):
        own = [seen for sample, seen in documents if sample.family == source]
        others = sorted(
            seen.odds
            for sample, seen in documents
            if sample.family != source and "quoting" not in sample.family
        )
        threshold = others[-1 - int(FALSE_POSITIVES * len(others))]
        made.append(
            Fold(
                source=source,
                threshold=threshold,
                flagged=sum(seen.at(threshold) for seen in own),
                documents=len(own),
                embedded=sum(seen.at(threshold) for seen in planted) / max(1, len(planted)),
            )
        )
    return made


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


def collected(arguments: argparse.Namespace) -> list[Sample]:
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
    return samples


def told(samples: Sequence[Sample], outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the lines of the report."""
    counts = rates(samples, [each.flagged for each in outcomes])
    for name, (hits, total) in sorted(counts.items()):
        yield f"{name:44} {hits:4} of {total:4}  {hits / total:6.1%}"
    for kind in ("benign", "attack"):
        of_kind = [value for name, value in counts.items() if name.startswith(f"{kind} ")]
        pooled = sum(hits for hits, _ in of_kind), sum(total for _, total in of_kind)
        mean = sum(hits / total for hits, total in of_kind) / len(of_kind)
        yield f"{kind}: pooled {pooled[0]} of {pooled[1]}, mean over families {mean:.1%}"
    scores = {
        kind: [
            seen.score()
            for sample, seen in zip(samples, outcomes, strict=True)
            if sample.attack is kind
        ]
        for kind in (True, False)
    }
    yield f"AUROC {auroc(scores[True], scores[False]):.3f}"
    left_out = folds(samples, outcomes)
    for fold in left_out:
        yield (
            f"without {fold.source:36} {fold.flagged:4} of {fold.documents:4}"
            f" at {fold.threshold:+.2f}, embedded {fold.embedded:.1%}"
        )
    flagged = sum(fold.flagged for fold in left_out)
    documents = sum(fold.documents for fold in left_out)
    yield f"left out in turn: {flagged} of {documents} documents flagged"


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
    samples = collected(parser.parse_args())
    for line in told(samples, asyncio.run(measured(samples))):
        sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
