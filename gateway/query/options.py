"""What a question is answered by: settings, narrowed by the request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from domain.answering import PartitionMode
from domain.retrieval import ANYTHING, EvidenceFilter
from domain.verification import CrossExamination, LatencyClass
from gateway.query.retrieval import Quotas


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
    lift_bound: float = 0.5
    cross_examination: CrossExamination = CrossExamination.ALL
    cross_examinations: Mapping[LatencyClass, CrossExamination] = field(default_factory=dict)
    partition: PartitionMode = PartitionMode.ISOLATED
    plain_seat: bool = False
    min_tolerance: int = 0
    tau: float | None = None
    agreement_floor: float = 0.3
    timeout_seconds: float = 60.0
    latency_class: LatencyClass = LatencyClass.INTERACTIVE
    deadlines: Mapping[LatencyClass, float] = field(default_factory=dict)

    def asked(
        self,
        *,
        m: int | None,
        k: int | None,
        partition: PartitionMode | None,
        min_tolerance: int,
        min_trust: float,
        only: EvidenceFilter,
        latency_class: LatencyClass | None,
    ) -> QueryOptions:
        """Return what one question is answered by. It can ask for more safety, never for less."""
        examined = self.cross_examination
        if latency_class is not None:
            examined = self.cross_examinations.get(latency_class, examined)
        chosen = latency_class or self.latency_class
        return replace(
            self,
            m=m or self.m,
            k=k or self.k,
            partition=partition or self.partition,
            min_tolerance=max(min_tolerance, self.min_tolerance),
            min_trust=max(min_trust, self.min_trust),
            only=only,
            cross_examination=examined,
            latency_class=chosen,
            timeout_seconds=self.deadlines.get(chosen, self.timeout_seconds),
        )

    @property
    def quotas(self) -> Quotas:
        """What retrieval may return."""
        return Quotas(
            established_limit=self.established_limit,
            pool_limit=self.pool_limit,
            per_origin=self.per_origin,
            min_trust=self.min_trust,
            only=self.only,
        )
