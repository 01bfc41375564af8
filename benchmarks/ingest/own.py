"""Answers for our own scan, by the protocol of `benchmarks.ingest.peers`.

.venv/bin/python -m benchmarks.ingest.own NAME
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from backends.instruction_classifier_onnx import OnnxInstructionClassifier
from benchmarks.ingest.peers import Ask, serve
from defences.detectors.injected_instructions import InjectedInstructionsDetector
from defences.detectors.injected_instructions.classified import WindowReader
from defences.detectors.injected_instructions.ranker import WindowRanker
from defences.detectors.injected_instructions.views import fold
from defences.detectors.injected_instructions.windows import pieces
from domain.scanning import Detector
from domain.trust import Verdict
from runtime.scanning import Scanner, build_scanner
from runtime.settings import Settings

WHOLE: Final = "Mithridate, whole scan"
FAST: Final = "Mithridate without the encoder"


class _Remembering:
    """An `InstructionClassifier` that keeps the greatest risk it gave since last asked."""

    def __init__(self, classifier: OnnxInstructionClassifier) -> None:
        self._classifier = classifier
        self._greatest = 0.0

    @property
    def version(self) -> str:
        return self._classifier.version

    def risks(self, windows: Sequence[str]) -> Sequence[float]:
        found = self._classifier.risks(windows)
        self._greatest = max(self._greatest, *found, 0.0)
        return found

    def greatest(self) -> float:
        found, self._greatest = self._greatest, 0.0
        return found


def whole() -> Ask:
    """Everything that `mithridate scan` does with a text; scored by the encoder's greatest risk."""
    classifier = OnnxInstructionClassifier()
    remembering = _Remembering(classifier)
    reader = WindowReader(ranker=_ranker(classifier), classifier=remembering)
    scanner = _scanner(InjectedInstructionsDetector(reader=reader))

    def ask(line: Mapping[str, str]) -> Mapping[str, object]:
        return _judged(scanner, line["text"], lambda _: remembering.greatest())

    ask({"text": "Loads the model; its self-test reads attacks, which the score is not to show."})
    return ask


def fast() -> Ask:
    """Rules, channels and the linear tier, which orders what the rules admit."""
    ranker = _ranker(OnnxInstructionClassifier())
    scanner = _scanner(InjectedInstructionsDetector())

    def ranked(text: str) -> float:
        bounds = pieces(text).bounds
        if not len(bounds):
            return 0.0
        best = float(ranker.scores(fold(text), bounds).max())
        return float(1 / (1 + np.exp(-best)))

    return lambda line: _judged(scanner, line["text"], ranked)


OWN: Final[Mapping[str, Callable[[], Ask]]] = {WHOLE: whole, FAST: fast}


def _ranker(classifier: OnnxInstructionClassifier) -> WindowRanker:
    linear = classifier.linear_weights()
    return WindowRanker(weights=linear.weights, bias=linear.bias)


def _scanner(injected: InjectedInstructionsDetector) -> Scanner:
    scanner = build_scanner(Settings())
    others: list[Detector] = [each for each in scanner.detectors if each.name != injected.name]
    return replace(scanner, detectors=(injected, *others))


def _judged(scanner: Scanner, text: str, ranked: Callable[[str], float]) -> Mapping[str, object]:
    judged = asyncio.run(scanner.judge(text.encode("utf-8", "replace"), file_name=None))
    flagged = judged.assessment.verdict is not Verdict.ADMIT
    return {"flagged": flagged, "score": ranked(judged.text) + flagged}


def main() -> None:
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    ask = OWN[sys.argv[1]]()
    out.write(json.dumps({"ready": True, "version": OnnxInstructionClassifier().version}) + "\n")
    out.flush()
    serve(ask, sys.stdin, out)


if __name__ == "__main__":
    main()
