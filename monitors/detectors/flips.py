"""Settled answers of equal questions that change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from monitors.detectors.charts import ChartOptions
from monitors.detectors.interface import Step
from monitors.detectors.suspects import is_suspect
from monitors.detectors.tallies import Change, Trial, Watch, rate_ceiling, take, told
from monitors.sightings import Sighting, Signal

ALL: Final = "questions"
FRESH: Final = "questions with fresh evidence"
_KEYS_KEPT: Final = 500
_GROUPS_KEPT: Final = 8
_ASKED_COUNTED: Final = 12
_DOCUMENTS_KEPT: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipOptions:
    """What a settled answer is.

    Attributes:
        settled: Equal answers that settle a question.
        accepted: Equal new answers in a row that settle it anew, if nothing was told by then.
        least: Repeats of settled questions before anything is told.
        memory: Repeats that the usual rate of differing answers is made of.
        prior, weight: Believed rate, worth so many repeats.
        slack: What may be above the usual rate for good, where the evidence is fresh.
        slack_all: The same whatever the evidence: honest sources change their minds too.
    """

    settled: int = 2
    accepted: int = 10
    least: int = 4
    memory: int = 150
    prior: float = 0.05
    weight: float = 8.0
    slack: float = 0.05
    slack_all: float = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """`counts`: answers seen until one of them was most of them; then `group` is that one.

    Attributes:
        asked: How often, until then: answers that are worded anew each time settle nothing.
        beside: Suspect documents in the evidence of questions that were answered so, the latest.
        newer: The answer that differed last, and how often in a row.
    """

    counts: Mapping[str, int] = field(default_factory=dict)
    asked: int = 0
    group: str | None = None
    beside: tuple[str, ...] = ()
    newer: str | None = None
    run: int = 0

    def again(self, group: str, *, accepted: int) -> Settled:
        """Return what is settled after one more answer; so many equal ones in a row settle anew."""
        if group == self.group:
            return self if self.run == 0 else replace(self, newer=None, run=0)
        run = self.run + 1 if group == self.newer else 1
        if run >= accepted:
            return replace(self, group=group, newer=None, run=0)
        return replace(self, newer=group, run=run)


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipState:
    """`repeats`, of which `differing`, are what the usual rate is made of."""

    keys: Mapping[str, Settled] = field(default_factory=dict)
    repeats: int = 0
    differing: int = 0
    watch: Watch = field(default_factory=Watch)


def settle(
    keys: Mapping[str, Settled], key: str, group: str, *, needed: int
) -> Mapping[str, Settled]:
    """Return the keys with one more answer to one that is not settled."""
    known = keys.get(key, Settled())
    asked = min(known.asked + 1, _ASKED_COUNTED)
    counts = dict(known.counts)
    count = counts.pop(group, 0) + 1
    counts[group] = count
    while len(counts) > _GROUPS_KEPT:
        del counts[next(iter(counts))]
    settled = Settled(counts=counts, asked=asked)
    if count >= needed and 2 * count > asked:
        settled = Settled(group=group)
    found = {**keys, key: settled}
    while len(found) > _KEYS_KEPT:
        del found[next(iter(found))]
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class FlipDetector:
    name: str
    options: FlipOptions
    chart: ChartOptions

    def start(self) -> FlipState:
        return FlipState()

    def take(self, sighting: Sighting, state: FlipState) -> Step[FlipState]:
        if sighting.key is None or sighting.group is None:
            return Step(state=state)
        known = state.keys.get(sighting.key, Settled())
        if known.group is None:
            keys = settle(state.keys, sighting.key, sighting.group, needed=self.options.settled)
            return Step(state=replace(state, keys=keys))
        differs = sighting.group != known.group
        suspects = _suspects(sighting)
        fresh = bool(suspects - set(known.beside))
        change = Change(watch=state.watch)
        if state.repeats >= self.options.least:
            change = take(
                state.watch,
                self._trials(sighting, state, differs=differs, fresh=fresh),
                question_id=sighting.question_id,
                at=sighting.at,
                options=self.chart,
            )
        state = replace(state, watch=change.watch)
        doubtful = change.watch.since is not None or any(
            chart.doubtful(self.chart) for chart in change.watch.charts.values()
        )
        if not doubtful and state.repeats < self.options.memory:
            state = replace(state, repeats=state.repeats + 1, differing=state.differing + differs)
        if change.watch.since is None:
            again = known.again(sighting.group, accepted=self.options.accepted)
            if not differs and not suspects <= set(known.beside):
                beside = dict.fromkeys((*known.beside, *sorted(suspects)))
                again = replace(again, beside=tuple(beside)[-_DOCUMENTS_KEPT:])
            if again is not known:
                state = replace(state, keys={**state.keys, sighting.key: again})
        return Step(state=state, signals=self._told(sighting, change))

    def _trials(
        self, sighting: Sighting, state: FlipState, *, differs: bool, fresh: bool
    ) -> Mapping[str, Trial]:
        near, far = (
            rate_ceiling(
                state.differing,
                state.repeats,
                prior=self.options.prior,
                weight=self.options.weight,
                slack=slack,
            )
            for slack in (self.options.slack, self.options.slack_all)
        )
        return {
            ALL: Trial(hit=differs, ceiling=far),
            FRESH: Trial(hit=differs and fresh, ceiling=near),
            f"key {sighting.key}": Trial(hit=differs and fresh, ceiling=near),
        }

    def _told(self, sighting: Sighting, change: Change) -> tuple[Signal, ...]:
        return told(
            change,
            sighting,
            detector=self.name,
            severity="critical",
            begun=f"settled answers changed: {change.who}",
            ended="answers are the settled ones again",
        )


def _suspects(sighting: Sighting) -> set[str]:
    return {one.document for one in sighting.evidence if is_suspect(one)}
