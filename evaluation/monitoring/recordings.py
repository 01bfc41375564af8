# ruff: noqa: PLR2004 - the odds of a simulation stand where they are used
"""Whole recordings, seeded: lines as `mithridate monitor replay` reads them."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from evaluation.monitoring.corpora import Corpus, Document, grow
from evaluation.monitoring.scenarios import (
    Kind,
    Scenario,
    arrivals,
    days,
    draw,
    moment,
    phase,
)
from evaluation.monitoring.worlds import WORLDS, Asked, World, build


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """Questions by time.

    Attributes:
        t0: When the first affected question was asked; None where nobody attacks.
        affected: Ids of the questions whose answer the attack changed, or whose evidence where that
            is all it does, in order of time.
        struck: Ids of all questions that the attack reached, whatever came of them.
    """

    kind: Kind
    seed: int
    world: str
    lines: tuple[Mapping[str, object], ...]
    t0: datetime | None
    affected: tuple[str, ...]
    struck: tuple[str, ...]

    def text(self) -> str:
        return "".join(json.dumps(line) + "\n" for line in self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    at: float
    line: Mapping[str, object]
    struck: bool
    affected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Topic:
    name: str
    world: World
    corpus: Corpus
    popularity: tuple[float, ...]
    disputed: frozenset[int]
    updates: Mapping[int, float]
    times: tuple[float, ...]


def record(kind: Kind, seed: int) -> Recording:
    """Return the recording of a seed; a third of the seeds each for the three worlds."""
    rng = random.Random(f"{kind} {seed}")  # noqa: S311 - a simulation
    world = WORLDS[seed % len(WORLDS)]
    scenario = draw(rng, kind)
    times = list(islice(arrivals(rng, scenario, scenario.a_day), scenario.before + scenario.after))
    t0 = times[scenario.before] if scenario.after else None
    planted: Sequence[Document] | None = None
    asked: list[_Question] = []
    for number in range(scenario.topics):
        topic = _topic(rng, scenario, world, number, times, t0)
        if kind == "split" and planted is not None:
            corpus = topic.corpus
            planted_corpus = Corpus(
                honest=corpus.honest, weights=corpus.weights, planted=tuple(planted)
            )
            topic = _with(topic, planted_corpus)
        planted = topic.corpus.planted
        struck_here = kind != "clean" and (number == 0 or kind == "split")
        asked += _questions(rng, scenario, topic, t0 if struck_here else None)
    asked.sort(key=lambda one: one.at)
    named = [(f"q_{place:06}", one) for place, one in enumerate(asked)]
    first = next((one.at for one in asked if one.affected), None)
    return Recording(
        kind=kind,
        seed=seed,
        world=world,
        lines=tuple({**one.line, "question_id": name} for name, one in named),
        t0=None if first is None else moment(first),
        affected=tuple(name for name, one in named if one.affected),
        struck=tuple(name for name, one in named if one.struck),
    )


def _with(topic: _Topic, corpus: Corpus) -> _Topic:
    return _Topic(
        name=topic.name,
        world=topic.world,
        corpus=corpus,
        popularity=topic.popularity,
        disputed=topic.disputed,
        updates=topic.updates,
        times=topic.times,
    )


def _topic(
    rng: random.Random,
    scenario: Scenario,
    world: str,
    number: int,
    times: Sequence[float],
    t0: float | None,
) -> _Topic:
    mine = list(times)
    if number:
        rate = scenario.a_day * math.exp(rng.uniform(-1, 1))
        end = times[-1]
        mine = []
        for at in arrivals(rng, scenario, rate):
            if at > end or len(mine) >= 3_000:
                break
            mine.append(at)
    keys = scenario.keys or 30
    popularity = [1.0 / (rank + 2) for rank in range(keys)]
    rng.shuffle(popularity)
    contested = scenario.kind == "clean" and rng.random() < 0.12
    length = days(times[-1])
    changed = {
        rng.randrange(keys): rng.uniform(0.2, 0.9) * times[-1] for _ in range(scenario.updates)
    }
    return _Topic(
        name=f"topic-{number}",
        world=build(rng, world, scenario, contested=contested),
        corpus=grow(
            rng, str(number), scenario, length_days=length, t0=None if t0 is None else days(t0)
        ),
        popularity=tuple(popularity),
        disputed=frozenset(key for key in range(keys) if rng.random() < scenario.contested),
        updates=changed,
        times=tuple(mine),
    )


def _questions(
    rng: random.Random, scenario: Scenario, topic: _Topic, t0: float | None
) -> list[_Question]:
    asked_there: list[_Question] = []
    size = rng.randint(3, 10)
    for at in topic.times:
        (key,) = rng.choices(range(len(topic.popularity)), topic.popularity)
        struck = t0 is not None and rng.random() < _share(scenario, at, t0)
        level = 1.0 + scenario.swing * phase(at) + scenario.drift * min(days(at) / 30, 1.5)
        asked = Asked(
            key=key,
            struck=struck,
            disputed=key in topic.disputed,
            unanswerable=rng.random() < scenario.unanswerable,
            changed=at >= topic.updates.get(key, math.inf),
            level=level,
        )
        answered = topic.world.answer(rng, asked)
        held = rng.uniform(*scenario.poison.held) if struck else 0.0
        if not struck and t0 is not None and at >= t0 and rng.random() < 0.05:
            held = 0.1  # planted texts are found beside honest questions too
        evidence = topic.corpus.evidence(
            rng, size=max(3, size + rng.randint(-1, 1)), planted=held, key=key, at=days(at)
        )
        line: dict[str, object] = {
            "at": moment(at).isoformat(),
            "topic": topic.name,
            "entropy": round(answered.entropy, 4),
            "agreement": round(answered.agreement, 4),
            "outcome": answered.outcome,
            "answer_group": answered.group,
            "evidence": [
                one.note(at, tells_established=scenario.tells_established) for one in evidence
            ],
        }
        if scenario.keys:
            line["question_key"] = f"k{topic.name}{key}"
        if scenario.tells_m:
            line["m"], line["route"] = rng.choice(((5, "long"), (5, "long"), (3, "long"))), "long"
            line["m"] = rng.choice((5, 5, 5, 3))
        asked_there.append(_Question(at=at, line=line, struck=struck, affected=answered.affected))
    return asked_there


def _share(scenario: Scenario, at: float, t0: float) -> float:
    if at < t0:
        return 0.0
    if not scenario.ramp_days:
        return scenario.poison.share
    return scenario.poison.share * min(days(at - t0) / scenario.ramp_days, 1.0)
