"""Documents and origins whose questions go wrong, on whatever topic (independent of topics)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from monitors.detectors.charts import ChartOptions
from monitors.detectors.flips import Settled, settle
from monitors.detectors.interface import Step
from monitors.detectors.references import Reference, ReferenceOptions, begun, learn
from monitors.detectors.suspects import sources_of, suspects
from monitors.detectors.tallies import Change, Watch, take, told
from monitors.sightings import Sighting, Signal

_SETTLED: Final = 2
_ACCEPTED: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicView:
    """What is usual on one topic, as far as this detector needs it.

    Attributes:
        disagreement: Mean disagreement.
        wrong: Share of questions that went wrong.
        keys: Settled answers.
    """

    disagreement: Reference
    wrong: Reference
    keys: Mapping[str, Settled] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesState:
    """`all`: every topic as one, for topics too new to have a view of their own."""

    everywhere: TopicView
    topics: Mapping[str, TopicView] = field(default_factory=dict)
    watch: Watch = field(default_factory=Watch)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesDetector:
    """Alerts on suspect documents, their origins, or newcomers together, beside which it goes wrong.

    A question goes wrong where its disagreement is clearly above the topic's mean, where its settled
    answer changed, or where it was abstained from. It is held against the topic's own share of
    such questions, so a topic that is contested anyway accuses nobody.

    Attributes:
        spreads, least, most: By how many spreads of the topic's disagreement a question's must lie
            above the mean to be clearly above it, and the least and the most that may be.
    """

    name: str
    references: ReferenceOptions
    chart: ChartOptions
    spreads: float = 1.5
    least: float = 0.15
    most: float = 0.35

    def start(self) -> SourcesState:
        return SourcesState(everywhere=self._view())

    def take(self, sighting: Sighting, state: SourcesState) -> Step[SourcesState]:
        own = state.topics.get(sighting.topic) or self._view()
        ready = own.wrong.ready(self.references)
        held = own if ready else state.everywhere
        wrong = self._wrong(sighting, own, held)
        change = Change(watch=state.watch)
        accused = self._accused(sighting, state)
        if held.wrong.ready(self.references):
            ceiling = held.wrong.ceiling(self.references)
            change = take(
                state.watch,
                dict.fromkeys(accused, (wrong, ceiling)),
                question_id=sighting.question_id,
                at=sighting.at,
                options=self.chart,
            )
        state = replace(state, watch=change.watch)
        charts = state.watch.charts
        doubtful = any(who in charts and charts[who].doubtful(self.chart) for who in accused)
        own = replace(own, keys=self._settled(sighting, own.keys, accused=doubtful))
        own = self._learned(sighting, own, wrong=wrong, doubtful=doubtful)
        state = replace(
            state,
            everywhere=self._learned(sighting, state.everywhere, wrong=wrong, doubtful=doubtful),
        )
        state = replace(state, topics={**state.topics, sighting.topic: own})
        return Step(state=state, signals=self._told(sighting, change))

    def _view(self) -> TopicView:
        return TopicView(disagreement=begun(self.references), wrong=begun(self.references))

    def _wrong(self, sighting: Sighting, own: TopicView, held: TopicView) -> bool:
        settled = own.keys.get(sighting.key or "", Settled()).group
        flipped = settled is not None and sighting.group not in {None, settled}
        usual = held.disagreement
        rise = min(max(self.spreads * usual.spread(self.references), self.least), self.most)
        loud = sighting.disagreement is not None and sighting.disagreement >= usual.mean + rise
        return flipped or loud or sighting.withheld

    def _accused(self, sighting: Sighting, state: SourcesState) -> tuple[str, ...]:
        """Return the suspects, and who became one when he was younger."""
        found = suspects(sighting.evidence)
        known = (who for who in sources_of(sighting.evidence) if who in state.watch.charts)
        return tuple(dict.fromkeys((*found, *known)))

    def _learned(
        self, sighting: Sighting, view: TopicView, *, wrong: bool, doubtful: bool
    ) -> TopicView:
        disagreement = view.disagreement
        if sighting.disagreement is not None:
            disagreement = learn(
                disagreement,
                sighting.disagreement,
                sighting.at,
                self.references,
                doubtful=doubtful,
            )
        learned = learn(view.wrong, float(wrong), sighting.at, self.references, doubtful=doubtful)
        return TopicView(
            disagreement=disagreement,
            wrong=learned,
            keys=view.keys,
        )

    def _settled(
        self, sighting: Sighting, keys: Mapping[str, Settled], *, accused: bool
    ) -> Mapping[str, Settled]:
        if sighting.key is None or sighting.group is None:
            return keys
        known = keys.get(sighting.key, Settled())
        if known.group is None:
            return settle(keys, sighting.key, sighting.group, needed=_SETTLED)
        if accused:
            return keys
        again = known.again(sighting.group, accepted=_ACCEPTED)
        return keys if again is known else {**keys, sighting.key: again}

    def _told(self, sighting: Sighting, change: Change) -> tuple[Signal, ...]:
        return told(
            change,
            sighting,
            detector=self.name,
            severity="critical",
            begun=f"questions with {change.who} in their evidence go wrong",
            ended=f"questions with {change.who} no longer go wrong",
            sources=change.watch.firing or (change.who,),
        )
