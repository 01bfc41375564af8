"""Topics that go on disagreeing, and those that established origins contest from the first."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import datetime

from monitors.detectors.interface import Step
from monitors.sightings import Sighting, Signal


@dataclass(frozen=True, slots=True, kw_only=True)
class SustainedOptions:
    """When disagreement lasts.

    Attributes:
        window: Questions looked at, the latest.
        least: Of them, at least.
        share: Disputed share above which it lasts.
        first: Questions that the settled share is made of.
        prior, weight: Believed settled share, worth so many questions.
        margin: Least rise of that share over the settled one.
        chance: Highest probability of so many disputed questions at the settled share.
        calm: Disputed share of a whole window, over the settled one, at which it ends.
    """

    window: int = 50
    least: int = 20
    share: float = 0.3
    first: int = 30
    prior: float = 0.1
    weight: float = 10.0
    margin: float = 0.35
    chance: float = 1e-5
    calm: float = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class SustainedState:
    """`recent`: disputed or not, of the latest questions after the first ones, which `first` counts."""

    first: int = 0
    disputed: int = 0
    recent: tuple[bool, ...] = ()
    affected: tuple[str, ...] = ()
    since: datetime | None = None

    def settled(self, options: SustainedOptions) -> float:
        return (self.disputed + options.prior * options.weight) / (self.first + options.weight)


@dataclass(frozen=True, slots=True, kw_only=True)
class SustainedDetector:
    """Alerts where over `share` of the last questions are disputed, and clearly more than at first."""

    name: str
    options: SustainedOptions

    def start(self) -> SustainedState:
        return SustainedState()

    def take(self, sighting: Sighting, state: SustainedState) -> Step[SustainedState]:
        if sighting.disagreement is None:
            return Step(state=state)
        options = self.options
        if state.first < options.first:
            counted = replace(
                state, first=state.first + 1, disputed=state.disputed + sighting.disputed
            )
            return Step(state=counted)
        state = replace(state, recent=(*state.recent, sighting.disputed)[-options.window :])
        if sighting.disputed:
            affected = (*state.affected, sighting.question_id)[-options.window :]
            state = replace(state, affected=affected)
        count, hits, settled = len(state.recent), sum(state.recent), state.settled(options)
        if state.since is not None:
            if count < options.window or hits > count * (settled + options.calm):
                return Step(state=state)
            over = replace(state, since=None, affected=())
            return Step(state=over, signals=(self._told(sighting, state, firing=False),))
        if (
            count < options.least
            or hits <= max(options.share, settled + options.margin) * count
            or at_least(hits, count, _upper(settled, state.first + options.weight)) > options.chance
        ):
            return Step(state=state)
        fired = replace(state, since=sighting.at)
        return Step(state=fired, signals=(self._told(sighting, fired, firing=True),))

    def _told(self, sighting: Sighting, state: SustainedState, *, firing: bool) -> Signal:
        count, hits, settled = len(state.recent), sum(state.recent), state.settled(self.options)
        affected = state.affected[-hits:] if hits else ()
        return Signal(
            detector=self.name,
            topic=sighting.topic,
            at=sighting.at,
            question_id=sighting.question_id,
            status="firing" if firing else "resolved",
            severity="warning",
            reasons=(f"{hits} of the last {count} questions disputed (usual {settled:.0%})",),
            numbers={"disputed": hits, "of": count, "usual": settled},
            questions=affected,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestedOptions:
    """A topic is contested where over `share` of its first `questions` are disputed."""

    questions: int = 30
    share: float = 0.3
    origins: int = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestedState:
    """`origins`: established ones in the evidence of disputed questions, `origins` at most."""

    questions: int = 0
    disputed: int = 0
    origins: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestedDetector:
    """Gives one notice of a topic that established origins contest from its first questions on."""

    name: str
    options: ContestedOptions

    def start(self) -> ContestedState:
        return ContestedState()

    def take(self, sighting: Sighting, state: ContestedState) -> Step[ContestedState]:
        options = self.options
        if state.questions >= options.questions or sighting.disagreement is None:
            return Step(state=state)
        origins = set(state.origins)
        if sighting.disputed:
            origins.update(one.origin for one in sighting.evidence if one.established)
        state = ContestedState(
            questions=state.questions + 1,
            disputed=state.disputed + sighting.disputed,
            origins=tuple(sorted(origins)[: options.origins]),
        )
        if (
            state.questions < options.questions
            or state.disputed <= options.share * state.questions
            or len(state.origins) < options.origins
        ):
            return Step(state=state)
        notice = Signal(
            detector=self.name,
            topic=sighting.topic,
            at=sighting.at,
            question_id=sighting.question_id,
            status="firing",
            severity="notice",
            reasons=(
                f"{state.disputed} of the first {state.questions} questions disputed, "
                "with established origins in their evidence",
            ),
            numbers={"disputed": state.disputed, "of": state.questions},
        )
        return Step(state=state, signals=(notice,))


def _upper(share: float, worth: float) -> float:
    return min(share + math.sqrt(share * (1 - share) / worth), 0.95)


def at_least(hits: int, count: int, share: float) -> float:
    """Return the probability of `hits` or more of `count` at a rate of `share`."""
    return math.fsum(
        math.comb(count, k) * share**k * (1 - share) ** (count - k) for k in range(hits, count + 1)
    )
