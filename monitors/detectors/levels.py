"""A level that rises above what a topic is used to: disagreement, abstentions, thin margins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from monitors.detectors.charts import Chart, ChartOptions, Turn, turn
from monitors.detectors.interface import Step
from monitors.detectors.references import Reference, ReferenceOptions, begun, learn
from monitors.sightings import Sighting, Signal


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelState:
    """References by stratum, in order of first appearance."""

    references: Mapping[str, Reference] = field(default_factory=dict)
    chart: Chart = field(default_factory=Chart)


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelDetector:
    """Alerts when a quantity in [0, 1] rises above its reference for good.

    Attributes:
        name: As the alert is called.
        quantity: What it is called in reasons.
        read: The quantity of a sighting; None where it has none.
        critical: Mean of the affected values from which the alert is critical.
    """

    name: str
    quantity: str
    read: Callable[[Sighting], float | None]
    references: ReferenceOptions
    chart: ChartOptions
    critical: float = 2.0

    def start(self) -> LevelState:
        return LevelState()

    def take(self, sighting: Sighting, state: LevelState) -> Step[LevelState]:
        value = self.read(sighting)
        if value is None:
            return Step(state=state)
        own = state.references.get(sighting.stratum, begun(self.references))
        held = self._held(own, state)
        step = Turn(chart=state.chart)
        if held is not None:
            step = turn(
                state.chart,
                value,
                held.ceiling(self.references),
                question_id=sighting.question_id,
                at=sighting.at,
                options=self.chart,
            )
        doubtful = step.change is not None or step.chart.doubtful(self.chart)
        learned = learn(own, value, sighting.at, self.references, doubtful=doubtful)
        references = {**state.references, sighting.stratum: learned}
        signals = self._told(sighting, state, step, held)
        return Step(state=LevelState(references=references, chart=step.chart), signals=signals)

    def _held(self, own: Reference, state: LevelState) -> Reference | None:
        """Return what to hold a value against; None in a cold start.

        A stratum that appears once the topic has a reference is held against that one until it has
        its own: asking with another m must not be a way to stay unseen.
        """
        if own.ready(self.references):
            return own
        return next(
            (known for known in state.references.values() if known.frozen is not None), None
        )

    def _told(
        self, sighting: Sighting, state: LevelState, step: Turn, held: Reference | None
    ) -> tuple[Signal, ...]:
        if step.change is None or held is None:
            return ()
        affected = step.chart.affected or state.chart.affected
        usual, ceiling = held.mean, held.ceiling(self.references)
        return (
            Signal(
                detector=self.name,
                topic=sighting.topic,
                at=sighting.at,
                question_id=sighting.question_id,
                status=step.change,
                severity="warning",
                reasons=(
                    f"{self.quantity} rose above {ceiling:.2f} (usual {usual:.2f})"
                    if step.change == "firing"
                    else f"{self.quantity} is back under {ceiling:.2f}",
                    f"{len(affected)} questions affected",
                ),
                numbers={"usual": usual, "ceiling": ceiling, "affected": len(affected)},
                questions=affected,
            ),
        )
