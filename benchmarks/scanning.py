"""What `mithridate scan` costs: memory over many documents, processes, the fast tier, hardening.

    .venv/bin/python -m benchmarks.scanning [memory | jobs | fast | hardening] [--documents 1000]

Ratios are of one run: more processes against one, a hostile text against an ordinary one of the
same length. Times are CPU time of this thread, but for `jobs`, which takes the clock on the wall.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from backends.instruction_classifier_onnx import OnnxInstructionClassifier
from benchmarks.ingest.stages import texts
from defences.detectors.hidden_text import HiddenTextDetector
from defences.detectors.injected_instructions import InjectedInstructionsDetector
from defences.detectors.injected_instructions.classified import WindowReader
from defences.detectors.injected_instructions.readings import readings
from domain.documents import ParsedDocument
from domain.text import MappedText
from evaluation.sample_document import sample_document
from gateway.cli.scan_pool import scan_all
from gateway.cli.scan_sources import Source
from ingest.normalise import normalise
from ingest.scan import scan
from runtime.scanning import build_window_ranker
from runtime.settings import Settings

_SHORT: Final = 500
_MEAN: Final = 4_000
_LONG: Final = 200_000
_STEP: Final = 100
_ROUNDS: Final = 5
HARDENED: Final = {
    "ordinary English": "An ordinary sentence of a few words. ",
    "German": "Gr\u00f6\u00dfe und Ma\u00df der Br\u00fccke \u2026 ",
    "Hindi": "\u0928\u092e\u0938\u094d\u0924\u0947 \u0926\u0941\u0928\u093f\u092f\u093e ",
    "newlines": "\n",
    "Windows line ends": "A line of text.\r\n",
    "fullwidth": "\uff41\uff42",
    "ligatures of 18 letters": "\ufdfa",
    "zero width": "a\u200b",
    "stacked marks": "a\u0301\u0302\u0303",
    "overrides": "\u202eabc\u202c ",
    "homoglyphs": "p\u0430ssw\u043erd ",
}


def _sources(count: int, length: int) -> Iterator[Source]:
    for number, text in enumerate(texts(length, count=count)):
        yield Source(id=number, content=text.encode())


def memory(documents: int) -> None:
    """Print resident memory of one process over so many documents."""
    page = resource.getpagesize()
    for number, _ in enumerate(scan_all(_sources(documents, _SHORT), Settings(), jobs=1), 1):
        if number in (1, 20) or number % _STEP == 0:
            resident = int(Path("/proc/self/statm").read_text().split()[1]) * page
            _say(f"{number:>6} documents {resident / 1e6:8.1f} MB resident")


def jobs(documents: int) -> None:
    """Print how much sooner a batch is done by as many processes as there are cores.

    The CPU time beside it is all that was spent, starting the processes included; it tells what
    more processes cost where others use the cores too.
    """
    spent = {}
    cores = len(os.sched_getaffinity(0))
    for count in (1, cores):
        before = _processor_seconds()
        results = scan_all(_sources(documents, _MEAN), Settings(), jobs=count)
        next(results)  # processes have started, models are loaded
        started = time.perf_counter()
        rest = sum(1 for _ in results)
        spent[count] = time.perf_counter() - started
        used = _processor_seconds() - before
        _say(f"--jobs {count}: {rest / spent[count]:6.2f} documents/s, {used:6.1f} s CPU")
    _say(f"ratio {spent[1] / spent[cores]:.2f} on {cores} cores")


def _processor_seconds() -> float:
    """Return the CPU time of this process and of those it has waited for."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    usages = [resource.getrusage(one) for one in whose]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


class _Unread:
    """In the encoder's place, so that the tier before it is timed alone; passes the self-test."""

    version = "none"

    def risks(self, windows: Sequence[str]) -> Sequence[float]:
        return [0.9 if "instructions" in text or "passwords" in text else 0.0 for text in windows]


def fast(documents: int) -> None:
    """Print what the tier costs that reads everything: hardening, decoding, rules, ranking.

    Of each document the least of some rounds counts: what else runs here slows the others.
    """
    ranker = build_window_ranker(OnnxInstructionClassifier())
    detector = InjectedInstructionsDetector(
        reader=WindowReader(ranker=ranker, classifier=_Unread())
    )
    parsed = [_parsed(text) for text in texts(_MEAN, count=documents)]
    stages: dict[str, Callable[[ParsedDocument], object]] = {
        "hardening": sample_document,
        "and decoding": lambda each: list(readings(sample_document(each))),
        "and rules and ranking": lambda each: scan(sample_document(each), [detector]),
        "and hidden text": lambda each: scan(
            sample_document(each), [detector, HiddenTextDetector()]
        ),
    }
    for name, work in stages.items():
        spent = sum(min(_timed(work, each) for _ in range(_ROUNDS)) for each in parsed)
        _say(f"{name:24} {spent / documents * 1e3:7.2f} ms a document")


def _timed(work: Callable[[ParsedDocument], object], document: ParsedDocument) -> float:
    started = time.thread_time()
    work(document)
    return time.thread_time() - started


def hardening(_: int) -> None:
    """Print what hardening costs a code point, by kind of text."""
    ordinary = 0.0
    for name, unit in HARDENED.items():
        text = MappedText.identity((unit * (_LONG // len(unit) + 1))[:_LONG])
        normalise(text.slice(0, 1_000))
        started = time.thread_time()
        normalise(text)
        each = (time.thread_time() - started) / _LONG * 1e6
        ordinary = ordinary or each
        _say(
            f"{name:26} {each:7.3f} us a code point, {each / ordinary:6.1f} times ordinary English"
        )


def _parsed(text: str) -> ParsedDocument:
    return ParsedDocument(media_type="text/plain", raw_text=text, visible=MappedText.identity(text))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    measures: dict[str, Callable[[int], None]] = {
        "memory": memory,
        "jobs": jobs,
        "fast": fast,
        "hardening": hardening,
    }
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("measure", nargs="*", help=f"{', '.join(measures)}; all of them if none")
    parser.add_argument("--documents", type=int, default=1_000)
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.measure) - measures.keys())
    if unknown:
        parser.error(f"no such measure: {', '.join(unknown)}")
    for name in arguments.measure or measures:
        measures[name](arguments.documents)


if __name__ == "__main__":
    main()
