"""Documents that a topic did not know, and with whose coming its questions go wrong."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from monitors.detectors.charts import Aside, ChartOptions
from monitors.detectors.interface import Step
from monitors.detectors.ranks import RankOptions, Usual, is_ready
from monitors.detectors.references import ReferenceOptions
from monitors.detectors.suspects import YOUNG_DAYS, sources_of
from monitors.detectors.tallies import Change, Trial, Watch, take, told
from monitors.detectors.troubles import TopicView, unseen
from monitors.sightings import Sighting, Signal, Source

_KNOWN: Final = 1_000
"""Documents of a topic that are remembered, the latest seen."""
_NAMED: Final = 8
_WHO: Final = "new documents"
_LATE: Final = "late documents"
_YOUNG: Final = "young late documents"
_CLEARLY: Final = 0.1
_RANKS: Final = RankOptions()


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivalsState:
    """What is remembered of a topic.

    Attributes:
        questions: How many there were.
        first: By digest of a document, how many there were before it was seen; the latest seen last.
        beside: New documents beside which questions went wrong, the latest last.
        usual: How troubled questions are.
    """

    view: TopicView
    questions: int = 0
    first: Mapping[str, int] = field(default_factory=dict)
    beside: tuple[str, ...] = ()
    usual: Usual = field(default_factory=Usual)
    watch: Watch = field(default_factory=Watch)


@dataclass(frozen=True, slots=True, kw_only=True)
class _New:
    """`new`: those of a question that are new; `late`: those of them that are so for short."""

    new: tuple[Source, ...]
    late: tuple[Source, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivalsDetector:
    """Alerts where questions go wrong that have documents in their evidence which are new there.

    Whoever vouches for a document and whatever its age: an established origin that was taken over
    is nobody's newcomer, but what it plants was not there before. Only questions with such a
    document are looked at, in two ways. How often they go wrong is held against the topic's own
    share of such questions. And how troubled they are is ranked among the topic's questions: where a
    topic is loud anyway, only that tells. Of late documents all are watched together, the young ones,
    and each one and its origin.

    Attributes:
        familiar: Questions that a topic's first documents are learned from.
        familiar_young: The same of documents of at most `YOUNG_DAYS`.
        new_for: Questions for which another document is new.
        late_for: Questions for which it is late.
        levels: Shares of the highest ranks that are bet on, the widest first.
        young, single: In place of `chart`, for the young ones together, and for each one alone.
    """

    name: str
    references: ReferenceOptions
    chart: ChartOptions
    young: ChartOptions
    single: ChartOptions
    familiar: int = 30
    familiar_young: int = 20
    new_for: int = 120
    late_for: int = 60
    levels: tuple[float, ...] = (0.3, 0.15)
    ranks: RankOptions = _RANKS

    def start(self) -> ArrivalsState:
        return ArrivalsState(view=unseen(self.references))

    def take(self, sighting: Sighting, state: ArrivalsState) -> Step[ArrivalsState]:
        view = state.view
        wrong = view.goes_wrong(sighting, self.references)
        found = self._found(sighting.evidence, state)
        trials = self._trials(sighting, state, found, wrong=wrong)
        change = take(
            state.watch,
            trials,
            question_id=sighting.question_id,
            at=sighting.at,
            options=self.chart,
        )
        chart = change.watch.charts.get(_WHO)
        doubtful = bool(found.new) and chart is not None and chart.doubtful(self.chart)
        troubled = wrong or any(
            one.sign.value >= one.sign.ceiling + _CLEARLY for one in trials.values()
        )
        names = map(_document, (*found.new, *found.late))
        beside = tuple(dict.fromkeys((*state.beside, *names)))[-_NAMED:]
        beside = beside if troubled else state.beside
        usual = state.usual.learned(
            view.trouble(sighting),
            sighting.at,
            self.ranks,
            doubtful=self._doubtful(change.watch, trials),
        )
        view = view.settled(sighting, doubtful=doubtful)
        state = ArrivalsState(
            view=view.learned(sighting, self.references, wrong=wrong, doubtful=doubtful),
            questions=state.questions + 1,
            first=_seen(sighting.evidence, state),
            beside=beside if change.watch.charts else (),
            usual=usual,
            watch=change.watch,
        )
        return Step(state=state, signals=self._told(sighting, change, beside))

    def _found(self, evidence: Sequence[Source], state: ArrivalsState) -> _New:
        """Return what is new to the topic; what the alert named stays so while it stands."""
        stands = state.watch.since is not None
        new: list[Source] = []
        late: list[Source] = []
        for source in evidence:
            first = state.first.get(_digest(source), state.questions)
            since = state.questions - first
            named = stands and _document(source) in state.beside
            young = source.age_days <= YOUNG_DAYS
            if named or (first >= self.familiar and since < self.new_for):
                new.append(source)
            familiar = self.familiar_young if young else self.familiar
            if named or (first >= familiar and since < self.late_for):
                late.append(source)
        return _New(new=tuple(new), late=tuple(late))

    def _trials(
        self, sighting: Sighting, state: ArrivalsState, found: _New, *, wrong: bool
    ) -> Mapping[str, Trial]:
        trials: dict[str, Trial] = {}
        if found.new and state.view.wrong.ready(self.references):
            ceiling = state.view.wrong.ceiling(self.references)
            trials[_WHO] = Trial(hit=wrong, ceiling=ceiling)
        if not found.late or not is_ready(state.usual, self.ranks):
            return trials
        trouble = state.view.trouble(sighting)
        wide, *others = (
            Aside(value=state.usual.among_highest(trouble, level), ceiling=level)
            for level in self.levels
        )
        ranked = Trial(hit=wrong, ceiling=wide.ceiling, value=wide.value, asides=tuple(others))
        trials[_LATE] = ranked
        if any(source.age_days <= YOUNG_DAYS for source in found.late):
            trials[_YOUNG] = replace(ranked, options=self.young)
        return trials | dict.fromkeys(sources_of(found.late), replace(ranked, options=self.single))

    def _doubtful(self, watch: Watch, trials: Mapping[str, Trial]) -> bool:
        return any(
            who in watch.charts and watch.charts[who].doubtful(trial.options or self.chart)
            for who, trial in trials.items()
        )

    def _told(
        self, sighting: Sighting, change: Change, beside: tuple[str, ...]
    ) -> tuple[Signal, ...]:
        alone = () if change.who in {_WHO, _LATE, _YOUNG} else (change.who,)
        return told(
            change,
            sighting,
            detector=self.name,
            severity="warning",
            begun="questions go wrong that have documents new to the topic in their evidence",
            ended="questions with new documents no longer go wrong",
            sources=tuple(dict.fromkeys((*alone, *beside))),
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


def _document(source: Source) -> str:
    return f"document {source.document}"
