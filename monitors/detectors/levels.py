"""A level that rises above what a topic is used to: disagreement, abstentions, thin margins."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from monitors.detectors.charts import Aside, Chart, ChartOptions, Turn, turn
from monitors.detectors.interface import Step
from monitors.detectors.references import (
    Reference,
    ReferenceOptions,
    begun,
    is_clearly_above,
    learn,
)
from monitors.sightings import Sighting, Signal


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelState:
    """References by stratum, in order of first appearance; `shares` of loud values."""

    references: Mapping[str, Reference] = field(default_factory=dict)
    shares: Mapping[str, Reference] = field(default_factory=dict)
    chart: Chart = field(default_factory=Chart)


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelDetector:
    """Alerts when a quantity in [0, 1] rises above its reference for good.

    Attributes:
        name: As the alert is called.
        quantity: What it is called in reasons.
        read: The quantity of a sighting; None where it has none.
        shares: What share of values that are clearly above the mean is usual; None where the level
            alone is watched. A few loud questions among many quiet ones move the mean little, and
            their share much.
    """

    name: str
    quantity: str
    read: Callable[[Sighting], float | None]
    references: ReferenceOptions
    chart: ChartOptions
    shares: ReferenceOptions | None = None

    def start(self) -> LevelState:
        return LevelState()

    def take(self, sighting: Sighting, state: LevelState) -> Step[LevelState]:
        value = self.read(sighting)
        if value is None:
            return Step(state=state)
        stratum = sighting.stratum
        own = state.references.get(stratum, begun(self.references))
        held = _held(own, state.references, self.references)
        loud = self._loud(value, held or own)
        step = Turn(chart=state.chart)
        if held is not None:
            step = turn(
                state.chart,
                value,
                held.ceiling(self.references),
                question_id=sighting.question_id,
                at=sighting.at,
                options=self.chart,
                asides=self._asides(stratum, state, loud=loud),
            )
        doubtful = step.change is not None or step.chart.doubtful(self.chart)
        learned = learn(own, value, sighting.at, self.references, doubtful=doubtful)
        after = LevelState(
            references={**state.references, stratum: learned},
            shares=self._after(sighting, state, loud=loud, doubtful=doubtful),
            chart=step.chart,
        )
        return Step(state=after, signals=self._told(sighting, state, step, held))

    def _loud(self, value: float, usual: Reference) -> float:
        if self.shares is None:
            return 0.0
        return float(is_clearly_above(value, usual, self.references))

    def _asides(self, stratum: str, state: LevelState, *, loud: float) -> tuple[Aside, ...]:
        if self.shares is None:
            return ()
        options = self.shares
        held = _held(state.shares.get(stratum, begun(options)), state.shares, options)
        return () if held is None else (Aside(value=loud, ceiling=held.ceiling(options)),)

    def _after(
        self, sighting: Sighting, state: LevelState, *, loud: float, doubtful: bool
    ) -> Mapping[str, Reference]:
        if self.shares is None:
            return state.shares
        options = self.shares
        own = state.shares.get(sighting.stratum, begun(options))
        learned = learn(own, loud, sighting.at, options, doubtful=doubtful)
        return {**state.shares, sighting.stratum: learned}

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


def _held(
    own: Reference, known: Mapping[str, Reference], options: ReferenceOptions
) -> Reference | None:
    """Return what to hold a value against; None in a cold start.

    A stratum that appears once the topic has a reference is held against that one until it has
    its own: asking with another m must not be a way to stay unseen.
    """
    if own.ready(options):
        return own
    return next((one for one in known.values() if one.frozen is not None), None)
