"""The citations detector, told each time which day it is: a worker lives for weeks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

from defences.detectors.citations import CitationsDetector
from domain.citations import CaseFinder
from domain.documents import Document
from domain.scanning import Finding


class DatedCitationsDetector:
    """Judges each document by the day of its scan. `today` is asked once a scan."""

    def __init__(self, *, today: Callable[[], date], cases: CaseFinder | None = None) -> None:
        self._today = today
        self._cases = cases
        self._made = CitationsDetector(as_of=today())

    @property
    def name(self) -> str:
        return self._made.name

    @property
    def version(self) -> str:
        return self._made.version

    def scan(self, document: Document) -> Sequence[Finding]:
        return CitationsDetector(as_of=self._today(), cases=self._cases).scan(document)
