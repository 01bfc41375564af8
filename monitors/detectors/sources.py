"""Documents and origins whose questions go wrong, on whatever topic (independent of topics)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from monitors.detectors.charts import ChartOptions
from monitors.detectors.interface import Step
from monitors.detectors.references import ReferenceOptions
from monitors.detectors.suspects import sources_of, suspects
from monitors.detectors.tallies import Change, Trial, Watch, take, told
from monitors.detectors.troubles import TopicView, unseen
from monitors.sightings import Sighting, Signal

_TOPICS_KEPT: Final = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesState:
    """`everywhere`: every topic as one, for topics too new to have a view of their own.

    `topics` are those that were asked about last, the latest last; another begins anew.
    """

    everywhere: TopicView
    topics: Mapping[str, TopicView] = field(default_factory=dict)
    watch: Watch = field(default_factory=Watch)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesDetector:
    """Alerts on suspect documents, their origins, or newcomers together, beside which it goes wrong.

    A question goes wrong where its disagreement is clearly above the topic's mean, where its settled
    answer changed, or where it was abstained from. It is held against the topic's own share of
    such questions, so a topic that is contested anyway accuses nobody.
    """

    name: str
    references: ReferenceOptions
    chart: ChartOptions

    def start(self) -> SourcesState:
        return SourcesState(everywhere=unseen(self.references))

    def take(self, sighting: Sighting, state: SourcesState) -> Step[SourcesState]:
        own = state.topics.get(sighting.topic) or unseen(self.references)
        ready = own.wrong.ready(self.references)
        held = own if ready else state.everywhere
        wrong = own.goes_wrong(sighting, self.references, usual=held.disagreement)
        change = Change(watch=state.watch)
        accused = self._accused(sighting, state)
        if held.wrong.ready(self.references):
            ceiling = held.wrong.ceiling(self.references)
            change = take(
                state.watch,
                dict.fromkeys(accused, Trial(hit=wrong, ceiling=ceiling)),
                question_id=sighting.question_id,
                at=sighting.at,
                options=self.chart,
            )
        state = replace(state, watch=change.watch)
        charts = state.watch.charts
        doubtful = any(who in charts and charts[who].doubtful(self.chart) for who in accused)
        own = own.settled(sighting, doubtful=doubtful)
        own, everywhere = (
            view.learned(sighting, self.references, wrong=wrong, doubtful=doubtful)
            for view in (own, state.everywhere)
        )
        state = replace(state, everywhere=everywhere)
        state = replace(state, topics=_latest(state.topics, sighting.topic, own))
        return Step(state=state, signals=self._told(sighting, change))

    def _accused(self, sighting: Sighting, state: SourcesState) -> tuple[str, ...]:
        """Return the suspects, and who became one when he was younger."""
        found = suspects(sighting.evidence)
        known = (who for who in sources_of(sighting.evidence) if who in state.watch.charts)
        return tuple(dict.fromkeys((*found, *known)))

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


def _latest(
    topics: Mapping[str, TopicView], topic: str, view: TopicView
) -> Mapping[str, TopicView]:
    kept = {name: known for name, known in topics.items() if name != topic}
    while len(kept) >= _TOPICS_KEPT:
        del kept[next(iter(kept))]
    return {**kept, topic: view}
