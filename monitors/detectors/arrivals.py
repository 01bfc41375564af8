"""Documents that a topic did not know, and with whose coming its questions go wrong."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from monitors.detectors.charts import ChartOptions
from monitors.detectors.interface import Step
from monitors.detectors.references import ReferenceOptions
from monitors.detectors.tallies import Change, Watch, take, told
from monitors.detectors.troubles import TopicView, unseen
from monitors.sightings import Sighting, Signal, Source

_KNOWN: Final = 1_000
"""Documents of a topic that are remembered, the latest seen."""
_NAMED: Final = 8
_WHO: Final = "new documents"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivalsState:
    """What is remembered of a topic.

    Attributes:
        questions: How many there were.
        first: By digest of a document, how many there were before it was seen; the latest seen last.
        beside: New documents beside which questions went wrong, the latest last.
    """

    view: TopicView
    questions: int = 0
    first: Mapping[str, int] = field(default_factory=dict)
    beside: tuple[str, ...] = ()
    watch: Watch = field(default_factory=Watch)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivalsDetector:
    """Alerts where questions go wrong that have documents in their evidence which are new there.

    Whoever vouches for a document and whatever its age: an established origin that was taken over
    is nobody's newcomer, but what it plants was not there before. Only questions with such a
    document are looked at, against the topic's own share of questions that go wrong, so that a
    strike which seldom shows is told as soon as one that always does.

    Attributes:
        familiar: Questions that a topic's first documents are learned from.
        new_for: Questions for which another document is new.
    """

    name: str
    references: ReferenceOptions
    chart: ChartOptions
    familiar: int = 30
    new_for: int = 120

    def start(self) -> ArrivalsState:
        return ArrivalsState(view=unseen(self.references))

    def take(self, sighting: Sighting, state: ArrivalsState) -> Step[ArrivalsState]:
        view = state.view
        wrong = view.goes_wrong(sighting, self.references)
        new = self._new(sighting.evidence, state)
        change = Change(watch=state.watch)
        if view.wrong.ready(self.references):
            trial = (wrong, view.wrong.ceiling(self.references))
            change = take(
                state.watch,
                {_WHO: trial} if new else {},
                question_id=sighting.question_id,
                at=sighting.at,
                options=self.chart,
            )
        chart = change.watch.charts.get(_WHO)
        doubtful = bool(new) and chart is not None and chart.doubtful(self.chart)
        view = view.settled(sighting, doubtful=doubtful)
        beside = tuple(dict.fromkeys((*state.beside, *new)))[-_NAMED:] if wrong else state.beside
        state = ArrivalsState(
            view=view.learned(sighting, self.references, wrong=wrong, doubtful=doubtful),
            questions=state.questions + 1,
            first=_seen(sighting.evidence, state),
            beside=beside if change.watch.charts else (),
            watch=change.watch,
        )
        return Step(state=state, signals=self._told(sighting, change, beside))

    def _new(self, evidence: Sequence[Source], state: ArrivalsState) -> tuple[str, ...]:
        """Return the documents that are new to the topic, and those that the alert named."""
        stands = state.watch.since is not None
        new: list[str] = []
        for source in evidence:
            name = f"document {source.document}"
            first = state.first.get(_digest(source), state.questions)
            late = first >= self.familiar and state.questions - first < self.new_for
            if late or (stands and name in state.beside):
                new.append(name)
        return tuple(new)

    def _told(
        self, sighting: Sighting, change: Change, beside: tuple[str, ...]
    ) -> tuple[Signal, ...]:
        return told(
            change,
            sighting,
            detector=self.name,
            severity="warning",
            begun="questions go wrong that have documents new to the topic in their evidence",
            ended="questions with new documents no longer go wrong",
            sources=beside,
        )


def _seen(evidence: Sequence[Source], state: ArrivalsState) -> Mapping[str, int]:
    first = dict(state.first)
    for name in map(_digest, evidence):
        first[name] = first.pop(name, state.questions)
    while len(first) > _KNOWN:
        del first[next(iter(first))]
    return first


def _digest(source: Source) -> str:
    return hashlib.blake2s(source.document.encode(), digest_size=6).hexdigest()
