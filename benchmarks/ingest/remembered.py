"""Answers of peers that an earlier run got: a release of theirs says the same of the same text."""

from __future__ import annotations

import hashlib
from collections.abc import Container
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from benchmarks.ingest.asking import Answer, Asked


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    detector: str
    version: str
    sha256: str
    flagged: bool
    score: float


class Remembered:
    """A file of JSON lines. It holds digests of texts and no text; failures are not kept."""

    def __init__(self, path: Path | None, *, detectors: Container[str]) -> None:
        """Read what is there.

        Args:
            path: None to remember nothing.
            detectors: Names of those to remember; ours change with every commit.
        """
        self._path = path
        self._detectors = detectors
        self._known: dict[tuple[str, str, str], Answer] = {}
        if path is not None and path.exists():
            for text in path.read_text(encoding="utf-8").splitlines():
                line = _Line.model_validate_json(text)
                answer = Answer(flagged=line.flagged, score=line.score)
                self._known[line.detector, line.version, line.sha256] = answer

    def get(self, detector: Asked, text: str) -> Answer | None:
        return self._known.get((detector.name, detector.version, _digest(text)))

    def keep(self, detector: Asked, text: str, answer: Answer) -> None:
        if self._path is None or detector.name not in self._detectors or answer.error:
            return
        line = _Line(
            detector=detector.name,
            version=detector.version,
            sha256=_digest(text),
            flagged=answer.flagged,
            score=answer.score,
        )
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(line.model_dump_json() + "\n")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
