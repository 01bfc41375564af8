# ruff: noqa: PLR2004 - the odds of a simulation stand where they are used
"""Three ways in which answers come about, so that no detector is fitted to one of them.

Each turns a question into entropy (nats), agreement, outcome and answer group:

- `seats`: two to five voters answer or abstain, and entropy and agreement are counted from votes;
- `levels`: entropy and agreement are noise around a level of the topic, no votes behind them;
- `steps`: a question is quiet, split or in pieces, a few fixed values for each, and agreement is
  only loosely tied to entropy.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Protocol

from evaluation.monitoring.scenarios import Kind, Scenario

_MOST: Final = math.log(5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question as a world gets it.

    Attributes:
        struck: The attack reaches it.
        disputed: Honest sources differ on it.
        level: How much more disagreement there is than usual at this time, as a factor.
    """

    key: int
    struck: bool
    disputed: bool
    unanswerable: bool
    changed: bool
    level: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """`affected`: the attack changed what came; a struck question may come out as it would have."""

    entropy: float
    agreement: float
    outcome: str
    group: str | None
    affected: bool


class World(Protocol):
    def answer(self, rng: random.Random, asked: Asked) -> Answered: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Seats:
    kind: Kind
    seats: int
    planting: int
    together: bool
    error: float
    answering: float
    unfolded: bool

    def answer(self, rng: random.Random, asked: Asked) -> Answered:
        denied = asked.struck and self.kind == "denial" and rng.random() < 0.9
        if asked.unanswerable or denied:
            return _withheld(rng, asked, affected=denied)
        votes = [vote for seat in range(self.seats) if (vote := self._vote(rng, asked, seat))]
        counts = Counter(votes)
        if not counts:
            return _withheld(rng, asked, affected=False)
        total = len(votes)
        entropy = -sum(n / total * math.log(n / total) for n in counts.values())
        pairs = list(combinations(votes, 2))
        agreement = sum(a == b for a, b in pairs) / len(pairs) if pairs else 1.0
        (best, support), *_ = counts.most_common(1)
        sure = support * 2 > total
        outcome = "answer" if agreement > 0.6 else "answer-with-warning" if sure else "abstain"
        if not sure and rng.random() < 0.3:
            outcome = "escalated"
        group = None if outcome == "abstain" else f"{best} {asked.key}"
        affected = asked.struck and self.kind == "concentration"
        return Answered(
            entropy=max(entropy, 0.0),
            agreement=agreement,
            outcome=outcome,
            group=group,
            affected=affected or any(vote.startswith("planted") for vote in votes),
        )

    def _vote(self, rng: random.Random, asked: Asked, seat: int) -> str:
        if rng.random() >= self.answering:
            return ""
        taken = asked.struck and self.kind != "concentration"
        if taken and self.kind in {"collapse", "flip"} and rng.random() < 0.95:
            return "planted"
        if taken and self.kind != "denial" and seat < self.planting and rng.random() < 0.92:
            return "planted" if self.together else f"planted {seat}"
        if rng.random() < min(self.error * asked.level, 0.4):
            return f"slip {seat}"
        if asked.disputed and seat == self.seats - 1:
            return "other"
        return "new" if asked.changed else "true"


@dataclass(frozen=True, slots=True, kw_only=True)
class Levels:
    kind: Kind
    level: float
    noise: float
    high: float
    slips: float

    def answer(self, rng: random.Random, asked: Asked) -> Answered:
        denied = asked.struck and self.kind == "denial" and rng.random() < 0.9
        if asked.unanswerable or denied:
            return _withheld(rng, asked, affected=denied)
        mean = self.level * asked.level
        group = f"g{asked.key}{'n' if asked.changed else ''}"
        if rng.random() < self.slips:
            group = f"s{rng.randrange(9)} {asked.key}"
        if asked.disputed:
            mean = max(mean, 0.6)
        if asked.struck:
            if self.kind == "collapse":
                mean = 0.03
            elif self.kind in {"spike", "dilution", "split", "ramp"}:
                mean = self.high
            if self.kind in {"collapse", "flip"} and rng.random() < 0.95:
                group = f"p{asked.key}"
        entropy = min(max(rng.gauss(mean, self.noise * (0.5 + mean)), 0.0), _MOST)
        agreement = min(max(math.exp(-entropy) + rng.gauss(0.0, 0.06), 0.0), 1.0)
        outcome = "answer" if agreement > 0.55 else "answer-with-warning"
        if agreement < 0.3 and rng.random() < 0.5:
            outcome = rng.choice(("abstain", "escalated"))
        return Answered(
            entropy=entropy,
            agreement=agreement,
            outcome=outcome,
            group=None if outcome == "abstain" else group,
            affected=asked.struck and self.kind != "denial",
        )


_QUIET: Final = (0.0, 0.0, 0.0, 0.05, 0.1, 0.2)
_MILD: Final = (0.0, 0.2, 0.33, 0.45, 0.5)
_SPLIT: Final = (0.69, 0.64, 0.87, 0.95, 1.05)
_PIECES: Final = (1.04, 1.1, 1.33, 1.39, 1.6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps:
    kind: Kind
    mild: float
    wild: bool
    slips: float

    def answer(self, rng: random.Random, asked: Asked) -> Answered:
        denied = asked.struck and self.kind == "denial" and rng.random() < 0.85
        if asked.unanswerable or denied:
            return _withheld(rng, asked, affected=denied)
        mild = min(self.mild * asked.level, 0.9)
        values: Sequence[float] = _MILD if rng.random() < mild else _QUIET
        group = f"a{asked.key}{'.2' if asked.changed else ''}"
        if rng.random() < self.slips:
            group = f"slip{rng.randrange(99)}"
        if asked.disputed and rng.random() < 0.8:
            values = _SPLIT
        affected = asked.struck and self.kind != "denial"
        if asked.struck:
            if self.kind == "collapse":
                values = (0.0, 0.0, 0.02)
            elif self.kind in {"spike", "dilution", "split", "ramp"}:
                affected = rng.random() < 0.9
                if affected:
                    values = _PIECES if self.wild else _SPLIT
            if self.kind in {"collapse", "flip"}:
                group = f"planted{asked.key}"
        entropy = rng.choice(values)
        agreement = min(max(1.0 - entropy / _MOST + rng.uniform(-0.15, 0.05), 0.0), 1.0)
        if entropy == 0.0:
            agreement = 1.0
        outcome = "answer" if entropy < 0.6 else rng.choice(("answer-with-warning", "escalated"))
        return Answered(
            entropy=entropy,
            agreement=agreement,
            outcome=outcome,
            group=group,
            affected=affected,
        )


def build(rng: random.Random, name: str, scenario: Scenario, *, contested: bool) -> World:
    """Return a topic's world. `contested`: its sources differ from the first question on."""
    if name == "seats":
        seats = rng.randint(2, 5)
        return Seats(
            kind=scenario.kind,
            seats=seats,
            planting=1 if seats == 2 else rng.choice((1, 2)),
            together=rng.random() < 0.5,
            error=(
                rng.uniform(0.15, 0.3)
                if contested
                else rng.uniform(0.05, 0.15)
                if scenario.kind == "collapse"
                else rng.uniform(0.01, 0.06)
            ),
            answering=rng.uniform(0.75, 1.0),
            unfolded=rng.random() < 0.5,
        )
    if name == "levels":
        level = rng.uniform(0.05, 0.35)
        if scenario.kind == "collapse":
            level = rng.uniform(0.2, 0.5)
        if contested:
            level = rng.uniform(0.6, 0.9)
        return Levels(
            kind=scenario.kind,
            level=level,
            noise=rng.uniform(0.1, 0.4),
            high=max(rng.uniform(0.7, 1.3), level + 0.4),
            slips=scenario.slips,
        )
    mild = rng.uniform(0.3, 0.8) if scenario.kind == "collapse" else rng.uniform(0.0, 0.5)
    return Steps(
        kind=scenario.kind,
        mild=0.9 if contested else mild,
        wild=rng.random() < 0.5,
        slips=scenario.slips,
    )


WORLDS: Final[tuple[str, ...]] = ("seats", "levels", "steps")


def _withheld(rng: random.Random, asked: Asked, *, affected: bool) -> Answered:
    """Return an abstention: drafts that found nothing, and do not disagree, or that differ."""
    quiet: Mapping[bool, float] = {True: 0.0, False: rng.uniform(0.2, 0.7)}
    entropy = quiet[rng.random() < (0.7 if not asked.struck else 0.4)]
    return Answered(
        entropy=entropy,
        agreement=math.exp(-entropy),
        outcome="abstain",
        group=None,
        affected=affected,
    )
