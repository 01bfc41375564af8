"""Seeded streams of observations of one topic, clean and poisoned, made seat by seat.

A topic has 2 to 5 established seats and 6 to 20 facts. A question asks for one fact, in one of five
wordings, by one of twenty principals; a seat answers it or abstains. Legitimate disagreement comes
two ways: a seat now and then drafts something else (1 to 5 questions in 100, fixed by topic), and
one fact in twenty is stated differently by one seat for good, as an outdated page does. From `t0`
on one seat or two publish planted values on most facts, alike or each its own, and their drafts
carry it in 85 to 100 of 100 questions. A question is affected if a planted value was voted for
while an honest seat answered too.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import combinations

from domain.answering import Outcome, QuestionId
from domain.documents import DEFAULT_TENANT
from domain.monitoring import Observation, TopicId
from tests.builders import EPOCH

TOPIC = TopicId("top_stream")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    observation: Observation
    affected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """`compromised`: seats that plant; `together`: whether they plant the same value."""

    compromised: int
    together: bool
    success: float
    facts: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicModel:
    seats: int
    facts: int
    error: float
    answering: float
    outdated: frozenset[int]


def clean_stream(seed: int, length: int) -> Iterator[Asked]:
    """Yield `length` questions of a topic that nobody attacks."""
    rng = random.Random(seed)  # noqa: S311 - a simulation
    return _ask(rng, _topic(rng), range(length), None, t0=length)


def poisoned_stream(seed: int, *, after: int = 60) -> Iterator[Asked]:
    """Yield questions of a topic that is attacked after 35 to 100, and `after` more."""
    rng = random.Random(seed)  # noqa: S311 - a simulation
    topic = _topic(rng)
    attack = Attack(
        compromised=1 if topic.seats == 2 else rng.choice((1, 2)),
        together=rng.random() < 0.5,
        success=rng.uniform(0.85, 1.0),
        facts=rng.uniform(0.7, 1.0),
    )
    t0 = rng.randint(35, 100)
    return _ask(rng, topic, range(t0 + after), attack, t0=t0)


def observe(
    number: int,
    disagreement: float,
    *,
    seats: int = 4,
    principal: str = "key:a",
    key: str | None = None,
    m: int = 5,
    seconds: float | None = None,
) -> Observation:
    """Return the observation of question `number`, a minute after that of the one before."""
    at = EPOCH + timedelta(seconds=60 * number if seconds is None else seconds)
    return make_observation(
        number, disagreement, at=at, seats=seats, principal=principal, key=key, m=m
    )


def make_observation(
    number: int,
    disagreement: float,
    *,
    at: datetime,
    seats: int,
    principal: str,
    key: str | None,
    m: int = 5,
) -> Observation:
    return Observation(
        question_id=QuestionId(f"q_{number:06}"),
        tenant_id=DEFAULT_TENANT,
        topic_id=TOPIC,
        principal=principal,
        question_key=f"question {number}" if key is None else key,
        observed_at=at,
        disagreement=disagreement,
        entropy=disagreement,
        agreement=1.0 - disagreement,
        margin=1.0 - disagreement,
        confidence=0.9,
        outcome=Outcome.ANSWER,
        answer_group="group",
        seats=seats,
        m=m,
        route="long",
        calibration_version=None,
        evidence=(),
    )


def _topic(rng: random.Random) -> TopicModel:
    facts = rng.randint(6, 20)
    return TopicModel(
        seats=rng.randint(2, 5),
        facts=facts,
        error=rng.uniform(0.01, 0.05),
        answering=rng.uniform(0.75, 1.0),
        outdated=frozenset(fact for fact in range(facts) if rng.random() < 0.05),
    )


def _ask(
    rng: random.Random, topic: TopicModel, numbers: range, attack: Attack | None, *, t0: int
) -> Iterator[Asked]:
    popularity = [1.0 / (rank + 2) for rank in range(topic.facts)]
    rng.shuffle(popularity)
    seconds = 0.0
    attacked = frozenset(
        fact for fact in range(topic.facts) if attack is not None and rng.random() < attack.facts
    )
    for number in numbers:
        seconds += rng.expovariate(1 / 300)
        (fact,) = rng.choices(range(topic.facts), popularity)
        struck = attack if number >= t0 and fact in attacked else None
        votes = _votes(rng, topic, fact, struck)
        pairs = list(combinations(votes, 2))
        disagreement = sum(a != b for a, b in pairs) / len(pairs) if pairs else 0.0
        planted = sum(vote.startswith("planted") for vote in votes)
        yield Asked(
            observation=make_observation(
                number,
                disagreement,
                at=EPOCH + timedelta(seconds=seconds),
                seats=len(votes),
                principal=f"key:{rng.randrange(20)}",
                key=f"{fact}/{rng.randrange(5)}",
            ),
            affected=0 < planted < len(votes),
        )


def _votes(rng: random.Random, topic: TopicModel, fact: int, attack: Attack | None) -> list[str]:
    votes = []
    for seat in range(topic.seats):
        if rng.random() >= topic.answering:
            continue
        if attack is not None and seat < attack.compromised and rng.random() < attack.success:
            votes.append("planted" if attack.together else f"planted {seat}")
        elif rng.random() < topic.error:
            votes.append(f"slip {seat}")
        elif fact in topic.outdated and seat == topic.seats - 1:
            votes.append("outdated")
        else:
            votes.append("true")
    return votes
