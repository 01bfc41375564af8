"""What every detector is: pure, one sighting after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from monitors.sightings import Sighting, Signal

State = TypeVar("State")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Generic[State]):
    state: State
    signals: tuple[Signal, ...] = ()


class Detector(Protocol[State]):
    """Looks at one topic's sightings, or at a whole tenant's, in order of time, each once."""

    @property
    def name(self) -> str: ...

    def start(self) -> State:
        """Return the state before the first sighting. A frozen dataclass."""
        ...

    def take(self, sighting: Sighting, state: State) -> Step[State]:
        """Return what to remember and what changed. Nothing but the arguments decides."""
        ...
