"""Answers for our own scan, by the protocol of `benchmarks.ingest.peers`.

.venv/bin/python -m benchmarks.ingest.own NAME
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from backends.instruction_classifier_onnx import OnnxInstructionClassifier
from benchmarks.ingest.peers import Ask, serve
from defences.detectors.injected_instructions import InjectedInstructionsDetector
from defences.detectors.injected_instructions.classified import ClassifiedWindow, WindowReader
from defences.detectors.injected_instructions.readings import Reading
from defences.detectors.injected_instructions.views import fold
from defences.detectors.injected_instructions.windows import pieces
from domain.scanning import Detector
from domain.trust import Verdict
from runtime.scanning import Scanner, build_scanner, build_window_ranker
from runtime.settings import Settings

WHOLE: Final = "Mithridate, whole scan"
FAST: Final = "Mithridate without the encoder"


class _Remembering(WindowReader):
    """Keeps the greatest risk of a window since last asked."""

    _greatest = 0.0

    def read(self, readings: Iterable[Reading]) -> list[ClassifiedWindow]:
        found = super().read(readings)
        self._greatest = max((self._greatest, *(window.risk for window in found)))
        return found

    def greatest(self) -> float:
        found, self._greatest = self._greatest, 0.0
        return found


def whole() -> Ask:
    """Everything that `mithridate scan` does with a text; scored by both tiers' greatest risk."""
    classifier = OnnxInstructionClassifier()
    reader = _Remembering(ranker=build_window_ranker(classifier), classifier=classifier)
    scanner = _scanner(InjectedInstructionsDetector(reader=reader))

    def ask(line: Mapping[str, str]) -> Mapping[str, object]:
        return _judged(scanner, line["text"], lambda _: reader.greatest())

    ask({"text": "Loads the model, which no text is to pay for."})
    return ask


def fast() -> Ask:
    """Rules, channels and the linear tier, which orders what the rules admit."""
    ranker = build_window_ranker(OnnxInstructionClassifier())
    scanner = _scanner(InjectedInstructionsDetector())

    def ranked(text: str) -> float:
        bounds = pieces(text).bounds
        if not len(bounds):
            return 0.0
        best = float(ranker.scores(fold(text), bounds).max())
        return float(1 / (1 + np.exp(-best)))

    return lambda line: _judged(scanner, line["text"], ranked)


OWN: Final[Mapping[str, Callable[[], Ask]]] = {WHOLE: whole, FAST: fast}


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
