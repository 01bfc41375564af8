# ruff: noqa: PLR2004 - the odds of a simulation stand where they are used
"""Documents that evidence is drawn from: honest ones of a topic, and planted ones."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.monitoring.scenarios import Poison, Scenario, days

_LONGEST_DAYS = 900.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """`born`: when it was admitted, in days from the start of the recording."""

    id: str
    origin: str
    family: str
    born: float
    trust: float
    established: bool

    def note(self, seconds: float, *, tells_established: bool) -> dict[str, object]:
        told: dict[str, object] = {
            "document": self.id,
            "origin": self.origin,
            "family": self.family,
            "age_days": round(max(days(seconds) - self.born, 0.0), 3),
            "trust": round(self.trust, 3),
        }
        return {**told, "established": self.established} if tells_established else told


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """`weights`: how often each honest document is found; `affinity`: by key, its own few."""

    honest: tuple[Document, ...]
    weights: tuple[float, ...]
    planted: tuple[Document, ...]

    def evidence(
        self, rng: random.Random, *, size: int, planted: float, key: int, at: float
    ) -> list[Document]:
        """Return `size` documents, a share of them planted; those not born yet are not found."""
        count = min(round(size * planted) or (planted > 0), len(self.planted))
        chosen = rng.sample(self.planted, count)
        weights = [
            (weight * (6.0 if (place + key) % 7 == 0 else 1.0) if one.born <= at else 0.0)
            for place, (one, weight) in enumerate(zip(self.honest, self.weights, strict=True))
        ]
        while len(chosen) < size and any(weights):
            (place,) = rng.choices(range(len(weights)), weights)
            chosen.append(self.honest[place])
            weights[place] = 0.0
        rng.shuffle(chosen)
        return chosen


def grow(
    rng: random.Random, topic: str, scenario: Scenario, *, length_days: float, t0: float | None
) -> Corpus:
    """Return a topic's corpus over the recording; planted documents are born about `t0` (days)."""
    origins = [f"publisher:{topic}-{number}" for number in range(rng.randint(2, 6))]
    standing = {origin: rng.random() < 0.7 for origin in origins}
    honest = []
    for number in range(rng.randint(12, 60)):
        late = rng.random() < scenario.turnover
        born = rng.uniform(-5, length_days) if late else -rng.uniform(15, _LONGEST_DAYS)
        origin = rng.choice(origins)
        pooled = not standing[origin]
        if late and rng.random() < 0.5:
            origin, pooled = f"uploader:{topic}-u{number}", True
        honest.append(
            Document(
                id=f"doc_{topic}_{number}",
                origin=origin,
                family=f"fam_{topic}_{number if rng.random() < 0.8 else number // 2}",
                born=born,
                trust=rng.uniform(0.3, 0.7) if pooled else rng.uniform(0.6, 0.95),
                established=not pooled,
            )
        )
    weights = [1.0 / (rank + 3) for rank in range(len(honest))]
    rng.shuffle(weights)
    planted = () if t0 is None else plant(rng, topic, scenario.poison, t0)
    return Corpus(honest=tuple(honest), weights=tuple(weights), planted=tuple(planted))


def plant(rng: random.Random, topic: str, poison: Poison, t0: float) -> Sequence[Document]:
    names = [f"uploader:x{rng.randrange(1 << 30):x}" for _ in range(poison.origins)]
    return [
        Document(
            id=f"doc_{topic}_p{number}",
            origin=names[number % len(names)],
            family=f"fam_{topic}_p{number % poison.families}",
            born=t0 - rng.uniform(0.0, 2.0),
            trust=rng.uniform(*poison.trust),
            established=poison.established,
        )
        for number in range(poison.documents)
    ]
