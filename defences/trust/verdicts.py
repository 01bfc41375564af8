"""From points and hard rules to a verdict: the strictest that anything asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from defences.trust.weights import SEVERITY, Group, PolicyWeights, matches
from domain.scanning import Finding, FindingLevel
from domain.trust import CoarseReason, Verdict

_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True)
class HardVerdict:
    """A rule that was found and the hard verdict it causes."""

    rule: str
    verdict: Verdict
    priority: int

    def order(self) -> tuple[int, int, str]:
        return (self.priority, SEVERITY.index(self.verdict), self.rule)


@dataclass(frozen=True, slots=True)
class Judgement:
    """`decisive` says what decided, as in `TrustAssessment`."""

    verdict: Verdict
    reason: CoarseReason
    decisive: str


def hard_verdicts(weights: PolicyWeights, findings: Iterable[Finding]) -> Mapping[str, HardVerdict]:
    """Return the first of the hard rules that each rule of the findings meets."""
    caused: dict[str, HardVerdict] = {}
    for finding in findings:
        for hard in weights.hard:
            if (
                matches(hard.rule, finding.rule)
                and finding.level is not FindingLevel.MENTION
                and reaches(finding.risk, hard.min_risk)
            ):
                met = HardVerdict(finding.rule, hard.verdict, hard.priority)
                known = caused.get(finding.rule, met)
                caused[finding.rule] = max(met, known, key=HardVerdict.order)
    return caused


def judge(
    weights: PolicyWeights,
    hard: Mapping[str, HardVerdict],
    groups: Mapping[Group, float],
    missing: Iterable[str],
) -> Judgement:
    """Return the verdict of a document.

    Args:
        weights: The policy.
        hard: As `hard_verdicts` returned it.
        groups: Points of each group, capped, mentions left out.
        missing: Detectors that did not look.
    """
    total = sum(groups.values())
    first = max(hard.values(), key=HardVerdict.order, default=None)
    over = [
        group
        for group, points in groups.items()
        if reaches(points, weights.groups[group].quarantine)
    ]
    if first is not None and first.verdict is Verdict.REJECT:
        return _by_hard(weights, first)
    if reaches(total, weights.reject):
        return Judgement(Verdict.REJECT, _leading(weights, groups), "sum")
    if first is not None:
        return _by_hard(weights, first)
    if reaches(total, weights.quarantine):
        return Judgement(Verdict.QUARANTINE, _leading(weights, groups), "sum")
    if over:
        leading = max(over, key=lambda group: groups[group])
        reason = weights.groups[leading].reason
        return Judgement(Verdict.QUARANTINE, reason, f"group:{leading.value}")
    absent = ",".join(sorted(missing))
    if absent and weights.hold:
        return Judgement(Verdict.QUARANTINE, CoarseReason.HOLD, f"unavailable:{absent}")
    if weights.hold_at is not None and reaches(total, weights.hold_at):
        return Judgement(Verdict.QUARANTINE, CoarseReason.HOLD, "hold")
    return Judgement(Verdict.ADMIT, CoarseReason.CLEAN, "")


def reaches(value: float, threshold: float) -> bool:
    return value >= threshold - _ROUNDING


def _by_hard(weights: PolicyWeights, hard: HardVerdict) -> Judgement:
    reason = weights.groups[weights.group(hard.rule)].reason
    return Judgement(hard.verdict, reason, f"hard:{hard.rule}")


def _leading(weights: PolicyWeights, groups: Mapping[Group, float]) -> CoarseReason:
    return weights.groups[max(groups, key=lambda group: groups[group])].reason
