"""Detectors in processes of their own: JSON lines in and out, and failures told as such."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Mapping

import pytest

from benchmarks.ingest.asking import AskedProcess
from benchmarks.ingest.peers import PEERS, serve
from benchmarks.ingest.report import LICENCES

ECHO = (
    "import sys\n"
    'print(\'{"ready": true, "version": "3"}\', flush=True)\n'
    "for line in sys.stdin:\n"
    '    print(\'{"flagged": true, "score": 1.5, "cpu_ms": 2}\', flush=True)\n'
)


def test_what_a_detector_says_comes_back_line_by_line() -> None:
    with AskedProcess("echo", [sys.executable, "-c", ECHO]) as asked:
        answers = [asked.ask({"text": "one\ntwo"}), asked.ask({"text": "\u2028"})]

    assert asked.version == "3"
    assert [(answer.flagged, answer.score, answer.error) for answer in answers] == [
        (True, 1.5, "")
    ] * 2


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ('print(\'{"error": "no model"}\')', "no model"),
        ("print('hello')", "nothing that can be read"),
        ("", "nothing that can be read"),
    ],
)
def test_a_detector_that_cannot_start_says_why(script: str, said: str) -> None:
    with pytest.raises(RuntimeError, match=said):
        AskedProcess("broken", [sys.executable, "-c", script])


def test_a_detector_that_dies_or_stalls_gives_an_error_and_no_verdict() -> None:
    dies = ECHO.replace("    print(", "    sys.exit(); print(")
    stalls = ECHO.replace("    print(", "    __import__('threading').Event().wait(); print(")

    with AskedProcess("dies", [sys.executable, "-c", dies]) as asked:
        first, second = asked.ask({"text": "a"}), asked.ask({"text": "b"})
    with AskedProcess("stalls", [sys.executable, "-c", stalls], timeout_seconds=20) as asked:
        asked._timeout = 0.2
        third = asked.ask({"text": "a"})

    assert all(answer.error and not answer.flagged for answer in (first, second, third))


def test_an_answer_has_its_cost_and_what_a_peer_raises_is_an_answer() -> None:
    def ask(line: Mapping[str, str]) -> Mapping[str, object]:
        if line["text"] == "bad":
            raise ValueError("cannot")
        return {"flagged": False, "score": 0.25}

    out = io.StringIO()

    serve(ask, io.StringIO('{"text": "good"}\n{"text": "bad"}\n'), out)

    good, bad = (json.loads(line) for line in out.getvalue().splitlines())
    assert (good["flagged"], good["score"]) == (False, 0.25)
    assert bad["error"] == "ValueError: cannot"
    assert good["cpu_ms"] >= 0
    assert bad["cpu_ms"] >= 0


def test_every_peer_s_licence_is_told() -> None:
    assert set(PEERS) == set(LICENCES)
