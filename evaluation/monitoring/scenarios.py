# ruff: noqa: PLR2004 - the odds of a simulation stand where they are used
"""What happens in a recording, drawn from a seed: who asks when, who poisons what, and how.

Nothing here comes from a corpus, and nothing is fitted to the detectors. Ranges are wide on
purpose: 1 to 500 questions a day, 25 to 400 before an attack, evidence of 3 to 10 documents, poison
of low trust or high, one origin or many, one family or many, each question struck or every fourth.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

Kind = Literal[
    "clean",
    "spike",
    "collapse",
    "flip",
    "concentration",
    "denial",
    "dilution",
    "split",
    "ramp",
]
POISONED: Final[tuple[Kind, ...]] = (
    "spike", "collapse", "flip", "concentration", "denial", "dilution", "split", "ramp",
)  # fmt: skip

START: Final = datetime(2026, 3, 2, tzinfo=UTC)
_DAY: Final = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Poison:
    """What an attacker plants.

    Attributes:
        share: Of the topic's questions that are struck, once the attack is full.
        documents, origins, families: How many; of families one, or one a document.
        trust: As the policy scores them.
        held: Share of a struck question's evidence that is planted.
        established: Someone vouched for the origin that plants: an account was taken over.
    """

    share: float
    documents: int
    origins: int
    families: int
    trust: tuple[float, float]
    held: tuple[float, float]
    established: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Everything but the questions themselves.

    Attributes:
        a_day: Questions a day on the first topic.
        before: Of its questions, those before the attack; all of them where it is clean.
        ramp_days: Days from the first struck question to the full share; 0 for at once.
        keys: Different questions of a topic; 0 where the recording has no `question_key`.
        tells_established, tells_m: Whether the recording has these fields.
        rhythm: How much quieter nights are, 0 to 1.
        swing: How far the level of disagreement swings over a day, and drifts over a month.
        contested: Share of keys that are disputed for good.
        updates: Settled answers that honest sources change, over the whole recording.
        unanswerable: Share of questions that are abstained from anyway.
        slips: Share of answers that differ by chance.
        turnover: Share of evidence that is young anyway, honest uploads.
    """

    kind: Kind
    topics: int
    a_day: float
    before: int
    after: int
    poison: Poison
    ramp_days: float
    keys: int
    tells_established: bool
    tells_m: bool
    rhythm: float
    swing: float
    drift: float
    contested: float
    updates: int
    unanswerable: float
    slips: float
    turnover: float


def draw(rng: random.Random, kind: Kind) -> Scenario:
    keys = rng.choice((0, 5, 12, 40)) if kind != "flip" else rng.choice((5, 12, 25))
    before = round(_log_uniform(rng, 25, 400))
    if kind == "flip":
        before = max(before, 4 * keys)
    share = rng.uniform(0.1, 0.3) if kind == "dilution" else rng.uniform(0.3, 1.0)
    if kind == "split":
        share = rng.uniform(0.1, 0.3)
    a_day = _log_uniform(rng, 4, 100) if kind == "ramp" else _log_uniform(rng, 1, 500)
    ramp_days = 30.0 if kind == "ramp" else rng.choice((0.0, 0.0, 0.0, 2.0))
    struck = 40 if kind != "dilution" else 60
    after = max(round(struck / share), 60) + round(a_day * ramp_days)
    if kind == "clean":
        before, after = round(_log_uniform(rng, 40, 3000)), 0
    return Scenario(
        kind=kind,
        topics=rng.choice((1, 1, 2, 4)) if kind != "split" else rng.choice((4, 6, 8)),
        a_day=a_day,
        before=before,
        after=after,
        poison=_poison(rng, kind, share),
        ramp_days=ramp_days,
        keys=keys,
        tells_established=rng.random() < 0.6,
        tells_m=rng.random() < 0.5,
        rhythm=rng.uniform(0.0, 0.9),
        swing=rng.uniform(0.0, 0.25),
        drift=rng.uniform(-0.3, 0.5),
        contested=rng.choice((0.0, 0.05, 0.1)),
        updates=rng.choice((0, 0, 0, 1, 2)),
        unanswerable=rng.uniform(0.0, 0.1),
        slips=rng.uniform(0.0, 0.05),
        turnover=rng.choice((0.0, 0.02, 0.1)),
    )


def _poison(rng: random.Random, kind: Kind, share: float) -> Poison:
    documents = rng.randint(1, 8)
    held = (0.2, 0.6)
    if kind in {"collapse", "concentration"}:
        documents, held = rng.randint(8, 14), (0.55, 0.95)
    return Poison(
        share=share,
        documents=documents,
        origins=1 if kind == "concentration" else rng.choice((1, 1, 2, documents)),
        families=rng.choice((1, documents)),
        trust=rng.choice(((0.1, 0.4), (0.3, 0.6), (0.6, 0.95))),
        held=held,
        established=kind in {"spike", "flip", "denial"} and rng.random() < 0.1,
    )


def arrivals(rng: random.Random, scenario: Scenario, a_day: float) -> Iterator[float]:
    """Yield times in seconds: Poisson with a daily rhythm, and now and then a burst."""
    seconds = rng.uniform(0, _DAY)
    burst = 0
    while True:
        if burst == 0 and rng.random() < 0.004:
            burst = rng.randint(10, 40)
        rate = a_day / _DAY
        rate *= 1.0 + scenario.rhythm * math.sin(2 * math.pi * seconds / _DAY)
        if burst:
            burst -= 1
            rate = max(rate * 20, 1 / 120)
        seconds += rng.expovariate(max(rate, 0.02 * a_day / _DAY))
        yield seconds


def moment(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def phase(seconds: float) -> float:
    """Return where in its daily swing a time is, -1 to 1."""
    return math.sin(2 * math.pi * seconds / _DAY + 1.0)


def days(seconds: float) -> float:
    return seconds / _DAY


def _log_uniform(rng: random.Random, low: float, high: float) -> float:
    return math.exp(rng.uniform(math.log(low), math.log(high)))
