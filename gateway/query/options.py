"""What a question is answered by: settings, narrowed by the request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from domain.answering import PartitionMode
from domain.retrieval import ANYTHING, NOTHING_WITHHELD, EvidenceFilter, Withheld
from domain.verification import CrossExamination, LatencyClass
from gateway.query.guarded_topics import GuardedTopic
from gateway.query.retrieval import Quotas


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """What one question is asked with; None for what is configured.

    It can ask for more safety, never for less: of `min_tolerance` and `min_trust` the greater counts,
    this one or the setting. A comparison `partition` carries no tolerance. `min_trust`, `only` and
    `without` narrow what may be evidence.
    """

    m: int | None = None
    k: int | None = None
    partition: PartitionMode | None = None
    min_tolerance: int = 0
    min_trust: float = 0.0
    only: EvidenceFilter = ANYTHING
    without: Withheld = NOTHING_WITHHELD
    latency_class: LatencyClass | None = None


AS_CONFIGURED: Final = Wishes()


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryOptions:
    """`m` drafts of at most `k` chunks; `lift_bound` in nats (Law 7); `tau` None: as fitted.

    `cross_examinations` and `deadlines` (seconds) by latency class; one that is not named takes
    `cross_examination` and `timeout_seconds`.
    """

    m: int = 5
    k: int = 5
    established_limit: int = 30
    pool_limit: int = 10
    per_origin: int = 6
    min_trust: float = 0.2
    only: EvidenceFilter = ANYTHING
    without: Withheld = NOTHING_WITHHELD
    lift_bound: float = 0.5
    cross_examination: CrossExamination = CrossExamination.ALL
    cross_examinations: Mapping[LatencyClass, CrossExamination] = field(default_factory=dict)
    partition: PartitionMode = PartitionMode.ISOLATED
    plain_seat: bool = False
    min_tolerance: int = 0
    topics: tuple[GuardedTopic, ...] = ()
    tau: float | None = None
    agreement_floor: float = 0.3
    pool_alone: bool = False
    timeout_seconds: float = 60.0
    latency_class: LatencyClass = LatencyClass.INTERACTIVE
    deadlines: Mapping[LatencyClass, float] = field(default_factory=dict)

    def asked(self, question: str, wishes: Wishes) -> QueryOptions:
        """Return what one question is answered by."""
        chosen = wishes.latency_class or self.latency_class
        examined = self.cross_examination
        if wishes.latency_class is not None:
            examined = self.cross_examinations.get(chosen, examined)
        return replace(
            self,
            m=wishes.m or self.m,
            k=wishes.k or self.k,
            partition=wishes.partition or self.partition,
            min_tolerance=max(wishes.min_tolerance, self.required(question)),
            min_trust=max(wishes.min_trust, self.min_trust),
            only=wishes.only,
            without=wishes.without,
            cross_examination=examined,
            latency_class=chosen,
            timeout_seconds=self.deadlines.get(chosen, self.timeout_seconds),
        )

    def required(self, question: str) -> int:
        """Return the tolerance that any answer to this question must have."""
        topics = (topic.min_tolerance for topic in self.topics if topic.covers(question))
        return max((self.min_tolerance, *topics))

    @property
    def quotas(self) -> Quotas:
        """What retrieval may return."""
        return Quotas(
            established_limit=self.established_limit,
            pool_limit=self.pool_limit,
            per_origin=self.per_origin,
            min_trust=self.min_trust,
            only=self.only,
            without=self.without,
        )
