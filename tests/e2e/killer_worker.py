"""`mithridate`, with one more detector: one that kills its process at a marked document.

Stands for every file that brings down what reads it, in a way that no limit catches.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from datetime import date

from domain.documents import Document
from domain.scanning import Detector, Finding
from runtime import ingestion, scanning
from runtime.ingest_sections import IngestSettings

MARKER = "this document kills its worker"


class KillingDetector:
    name = "killing"
    version = "1"

    def scan(self, document: Document) -> Sequence[Finding]:
        if MARKER in document.text.text:
            os.kill(os.getpid(), signal.SIGKILL)
        return ()


def build_detectors(
    *, as_of: date | Callable[[], date], ingest: IngestSettings | None = None
) -> tuple[Detector, ...]:
    return (
        KillingDetector(),
        *scanning.build_detectors(as_of=as_of, ingest=ingest),
    )


if __name__ == "__main__":
    from gateway.cli.processes import run_worker
    from runtime.settings import load_settings

    setattr(ingestion, "build_detectors", build_detectors)  # noqa: B010 - not exported, on purpose
    raise SystemExit(run_worker(load_settings(), supervised=False))
