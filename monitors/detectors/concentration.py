"""One origin, one fresh family or newcomers together come to hold most of a topic's evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from monitors.detectors.charts import ChartOptions
from monitors.detectors.interface import Step
from monitors.detectors.references import Reference, ReferenceOptions, begun, learn
from monitors.detectors.suspects import holders
from monitors.detectors.tallies import Change, Trial, Watch, rate_ceiling, take, told
from monitors.sightings import Sighting, Signal


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcentrationOptions:
    """Rates are shares of questions whose evidence somebody holds.

    Attributes:
        least: Questions before anything is told.
        baseline: Questions that are learned from at once.
        delay: Questions that a new one waits for before it is learned from.
        memory: Questions that the usual rates are made of.
        prior, weight: Believed rate of everybody, worth so many questions.
        slack: What may be above the usual rate for good.
        fall: Share of the usual disagreement that must be lost for a collapse.
        some: Least usual disagreement that can collapse.
    """

    least: int = 12
    baseline: int = 30
    delay: int = 15
    memory: int = 150
    prior: float = 0.03
    weight: float = 4.0
    slack: float = 0.06
    fall: float = 0.4
    some: float = 0.06


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcentrationState:
    """What is remembered of a topic.

    Attributes:
        questions: Those that were learned from.
        held: By who, how many of them he held.
        waiting: Who held those that are not learned from yet, oldest first.
        usual: Disagreement; None where collapses are not looked for.
    """

    questions: int = 0
    held: Mapping[str, int] = field(default_factory=dict)
    waiting: tuple[tuple[str, ...], ...] = ()
    usual: Reference | None = None
    watch: Watch = field(default_factory=Watch)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConcentrationDetector:
    """Alerts on who holds evidence much more often than at first.

    With `collapsing` only questions count on which the seats agree clearly more than is usual on
    the topic: agreement is no sign of health where those who agree are all new.
    """

    name: str
    options: ConcentrationOptions
    references: ReferenceOptions
    chart: ChartOptions
    collapsing: bool = False

    def start(self) -> ConcentrationState:
        return ConcentrationState()

    def take(self, sighting: Sighting, state: ConcentrationState) -> Step[ConcentrationState]:
        if not sighting.evidence:
            return Step(state=state)
        holding = holders(sighting.evidence, state.watch.charts.keys())
        if self.collapsing and not self._collapsed(sighting, state):
            holding = ()
        change = Change(watch=state.watch)
        if state.questions >= self.options.least:
            change = take(
                state.watch,
                self._trials(holding, state),
                question_id=sighting.question_id,
                at=sighting.at,
                options=self.chart,
            )
        state = replace(state, watch=change.watch)
        state = self._learned(sighting, holding, state, doubtful=self._doubtful(state))
        return Step(state=state, signals=self._told(sighting, change))

    def _collapsed(self, sighting: Sighting, state: ConcentrationState) -> bool:
        usual = state.usual
        if usual is None or sighting.disagreement is None or usual.mean < self.options.some:
            return False
        return sighting.disagreement <= usual.mean * (1 - self.options.fall)

    def _trials(self, holding: tuple[str, ...], state: ConcentrationState) -> Mapping[str, Trial]:
        return {
            who: Trial(
                hit=who in holding,
                ceiling=rate_ceiling(
                    state.held.get(who, 0),
                    state.questions,
                    prior=self.options.prior,
                    weight=self.options.weight,
                    slack=self.options.slack,
                ),
            )
            for who in dict.fromkeys((*state.watch.charts, *holding))
        }

    def _doubtful(self, state: ConcentrationState) -> bool:
        return state.watch.since is not None or any(
            chart.doubtful(self.chart) for chart in state.watch.charts.values()
        )

    def _learned(
        self,
        sighting: Sighting,
        holding: tuple[str, ...],
        state: ConcentrationState,
        *,
        doubtful: bool,
    ) -> ConcentrationState:
        if self.collapsing and sighting.disagreement is not None:
            usual = state.usual or begun(self.references)
            learned = learn(
                usual, sighting.disagreement, sighting.at, self.references, doubtful=doubtful
            )
            state = replace(state, usual=learned)
        if state.questions >= self.options.memory:
            return state
        waiting: tuple[tuple[str, ...], ...] = (holding,)
        if state.questions >= self.options.baseline:
            waiting = (*state.waiting, holding)
            if len(waiting) <= self.options.delay or doubtful:
                return replace(state, waiting=waiting[-self.options.delay :])
        elif doubtful:
            return state
        held = dict(state.held)
        for who in waiting[0]:
            held[who] = held.get(who, 0) + 1
        questions = state.questions + 1
        return replace(state, questions=questions, held=held, waiting=waiting[1:])

    def _told(self, sighting: Sighting, change: Change) -> tuple[Signal, ...]:
        what = "and the seats agree more than is usual" if self.collapsing else "of the evidence"
        return told(
            change,
            sighting,
            detector=self.name,
            severity="critical" if self.collapsing else "warning",
            begun=f"{change.who} came to hold half or more {what}",
            ended=f"{change.who} holds the evidence no more",
            sources=(change.who,),
        )
