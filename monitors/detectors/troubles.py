"""What is usual on a topic, and whether a question goes wrong there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from monitors.detectors.flips import Settled, settle
from monitors.detectors.references import (
    Reference,
    ReferenceOptions,
    begun,
    is_clearly_above,
    learn,
)
from monitors.sightings import Sighting

_SETTLED: Final = 2
_ACCEPTED: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicView:
    """What is usual on one topic.

    Attributes:
        disagreement: Mean disagreement.
        wrong: Share of questions that went wrong.
        keys: Settled answers.
    """

    disagreement: Reference
    wrong: Reference
    keys: Mapping[str, Settled] = field(default_factory=dict)

    def goes_wrong(
        self, sighting: Sighting, options: ReferenceOptions, *, usual: Reference | None = None
    ) -> bool:
        """Say whether a question is loud for its topic, abstained from, or answered otherwise.

        `usual` is what loudness is held against in place of the topic's own disagreement.
        """
        loud = sighting.disagreement is not None and is_clearly_above(
            sighting.disagreement, usual or self.disagreement, options
        )
        return loud or self._turned(sighting)

    def trouble(self, sighting: Sighting) -> float:
        """Return its disagreement, and 1 more where it was abstained from or answered otherwise.

        In [0, 2]: for ranks alone, so that nothing is lost of what lies under a bound.
        """
        return (sighting.disagreement or 0.0) + self._turned(sighting)

    def _turned(self, sighting: Sighting) -> bool:
        settled = self.keys.get(sighting.key or "", Settled()).group
        return sighting.withheld or (settled is not None and sighting.group not in {None, settled})

    def learned(
        self, sighting: Sighting, options: ReferenceOptions, *, wrong: bool, doubtful: bool
    ) -> TopicView:
        """Return the view after a question; of settled answers nothing is learned here."""
        disagreement = self.disagreement
        if sighting.disagreement is not None:
            disagreement = learn(
                disagreement, sighting.disagreement, sighting.at, options, doubtful=doubtful
            )
        share = learn(self.wrong, float(wrong), sighting.at, options, doubtful=doubtful)
        return replace(self, disagreement=disagreement, wrong=share)

    def settled(self, sighting: Sighting, *, doubtful: bool) -> TopicView:
        """Return the view after an answer; in doubt none is settled anew."""
        if sighting.key is None or sighting.group is None:
            return self
        known = self.keys.get(sighting.key, Settled())
        if known.group is None:
            keys = settle(self.keys, sighting.key, sighting.group, needed=_SETTLED)
            return replace(self, keys=keys)
        if doubtful:
            return self
        again = known.again(sighting.group, accepted=_ACCEPTED)
        return self if again is known else replace(self, keys={**self.keys, sighting.key: again})


def unseen(options: ReferenceOptions) -> TopicView:
    """Return the view before the first question."""
    return TopicView(disagreement=begun(options), wrong=begun(options))
