"""Answers for one peer, in the peers' own environment: JSON lines in, JSON lines out.

    .venv-peers/bin/python benchmarks/ingest/peers.py NAME

Imports nothing of ours, since it runs where none of it is installed. The first line out says
`{"ready": true, "version": ...}` or `{"error": ...}`. A line in is `{"text": ...}` for a detector and
`{"file": base64, "name": ...}` for a converter; a line out has `cpu_ms` of this whole process and
either `flagged` and `score`, or `text`, or `error`. A score orders texts within one detector only.
"""

from __future__ import annotations

import base64
import importlib
import io
import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from importlib.metadata import version
from typing import Any, Final, TextIO

Ask = Callable[[Mapping[str, str]], Mapping[str, object]]
"""Answers a line in; without `cpu_ms`, which is added."""

_RISKS: Final = ("info", "low", "medium", "high", "critical")


def stackone() -> Ask:
    made = importlib.import_module("stackone_defender").create_prompt_defense(
        block_high_risk=True, require_tier2=True
    )
    made.warmup_tier2()

    def ask(line: Mapping[str, str]) -> Mapping[str, object]:
        said = made.defend_tool_result(line["text"], "read_document")
        # Its patterns block without the model; what is blocked comes before what is not.
        return _scored(flagged=not said.allowed, score=said.tier2_score or 0.0)

    return ask


def llm_sanitizer() -> Ask:
    scan: Any = importlib.import_module("llm_sanitizer.scanner").scan_text

    def ask(line: Mapping[str, str]) -> Mapping[str, object]:
        found = [_RISKS.index(str(finding.risk)) for finding in scan(line["text"]).findings]
        # Its `info` is a legitimate setting of an assistant, in its own words.
        return _scored(flagged=max(found, default=0) > 0, score=max(found, default=0) / 4)

    return ask


def picket() -> Ask:
    made = importlib.import_module("aicordon.picket").load()

    def ask(line: Mapping[str, str]) -> Mapping[str, object]:
        said = made.check(line["text"])
        severity = _RISKS.index(said.severity) / 4 if said.severity in _RISKS else 0.0
        return _scored(flagged=said.flagged, score=severity)

    return ask


def securevector() -> Ask:
    library = importlib.import_module("securevector")
    threat: Any = importlib.import_module("securevector.utils.exceptions").SecurityException
    client = library.SecureVectorClient(mode="local", enable_caching=False)

    def ask(line: Mapping[str, str]) -> Mapping[str, object]:
        try:
            said = client.analyze(line["text"])
        except threat as exc:  # its way of saying so, by default
            said = exc.result
        return _scored(flagged=said.is_threat, score=said.risk_score / 100)

    return ask


def guardian() -> Ask:
    infer = importlib.import_module("svguardian.model.pure_infer")
    analyze: Any = importlib.import_module("svguardian.serve").analyze
    made = infer.PureGuardian.load(importlib.import_module("svguardian").resolve_runtime())

    def ask(line: Mapping[str, str]) -> Mapping[str, object]:
        said = analyze(line["text"], made)
        return _scored(flagged=said["is_threat"], score=said["risk_score"] / 100)

    return ask


def markitdown() -> Ask:
    made = importlib.import_module("markitdown").MarkItDown()

    def ask(line: Mapping[str, str]) -> Mapping[str, object]:
        extension = "." + line["name"].rpartition(".")[2]
        said = made.convert_stream(
            io.BytesIO(base64.b64decode(line["file"])), file_extension=extension
        )
        return {"text": said.text_content}

    return ask


def _scored(*, flagged: bool, score: float) -> Mapping[str, object]:
    return {"flagged": flagged, "score": float(score) + flagged}


PEERS: Final[Mapping[str, tuple[str, Callable[[], Ask]]]] = {
    "stackone-defender": ("stackone-defender", stackone),
    "llm-sanitizer": ("llm-sanitizer", llm_sanitizer),
    "aicordon (picket)": ("aicordon", picket),
    "securevector (rules)": ("securevector-ai-monitor", securevector),
    "securevector (guardian)": ("securevector-guardian-model", guardian),
    "markitdown": ("markitdown", markitdown),
}
"""The package whose version is told, and what makes the peer."""


def serve(ask: Ask, lines: TextIO, out: TextIO) -> None:
    """Answer every line; what a peer raises is an answer too."""
    for line in lines:
        started = time.process_time()
        answer: Mapping[str, object]
        try:
            answer = ask(json.loads(line))
        except Exception as exc:
            answer = {"error": f"{type(exc).__name__}: {exc}"[:300]}
        spent = (time.process_time() - started) * 1_000
        out.write(json.dumps({**answer, "cpu_ms": spent}) + "\n")
        out.flush()


def main() -> None:
    # What a peer prints goes to standard error: the lines are ours alone.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    package, make = PEERS[sys.argv[1]]
    try:
        ready: Mapping[str, object] = {"ready": True, "version": version(package)}
        ask = make()
    except Exception as exc:
        out.write(json.dumps({"error": f"{type(exc).__name__}: {exc}"[:300]}) + "\n")
        return
    out.write(json.dumps(ready) + "\n")
    out.flush()
    serve(ask, sys.stdin, out)


if __name__ == "__main__":
    main()
