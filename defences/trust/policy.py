"""From findings to risk, trust and a verdict: points by rule, caps by group, thresholds.

risk  = min(1, sum over groups of min(cap, sum over the group's rules of weight x p))
        p = 1 - product of (1 - risk) over the rule's findings, the greatest few of them
trust = tier x age x unavailable ^ (detectors that could not look) x (1 - risk)

Nothing is ever subtracted: an origin's standing sets where trust begins and cancels no finding.
A mention adds a little risk and never moves the verdict. The sum, its caps and the actions by
threshold are rspamd's (facts/ingestion.md, section 4).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from math import prod
from pathlib import Path
from typing import Final

from defences.trust.policy_file import parse_policy
from defences.trust.weights import REPORTED, Group, Mode, PolicyWeights, matches
from domain.documents import Provenance
from domain.scanning import Finding, FindingLevel, ScanReport
from domain.trust import CoarseReason, Contribution, TrustAssessment, Verdict

DEFAULT_POLICY: Final = Path(__file__).with_name("default_policy.toml")

_ROUNDING: Final = 1e-9
_SECONDS_A_DAY: Final = 86_400.0


def load_policy(text: str) -> WeightedTrustPolicy:
    """Return the policy that a TOML text describes.

    Raises:
        ConfigurationError: Names the key that is wrong.
    """
    return WeightedTrustPolicy(parse_policy(text))


@dataclass(frozen=True, slots=True)
class _Scored:
    """One rule's findings, weighed: `points` move the verdict, `aside` are those of mentions."""

    rule: str
    group: Group
    risk: float
    weight: float
    mode: Mode
    points: float
    aside: float


class WeightedTrustPolicy:
    """Sums weighted, capped points; see the module for the formula."""

    def __init__(self, weights: PolicyWeights) -> None:
        self._weights = weights

    @property
    def version(self) -> str:
        return f"{self._weights.name}-{self._weights.digest}"

    def assess(
        self, report: ScanReport, provenance: Provenance, *, now: datetime
    ) -> TrustAssessment:
        scored = self._scored(report.findings)
        groups = _by_group(scored)
        missing = report.unavailable | (self._weights.expected - report.completed.keys())
        verdict, reason = self._verdict(report.findings, groups, held=bool(missing))
        contributions = _to_scale(scored)
        risk = min(1.0, sum(each.points for each in contributions))
        return TrustAssessment(
            document_id=report.document_id,
            score=self._base(provenance, now, missing=len(missing)) * (1.0 - risk),
            risk=risk,
            verdict=verdict,
            reason=reason,
            contributions=contributions,
            policy_version=self.version,
        )

    def group_risks(self, report: ScanReport) -> Mapping[str, float]:
        """Return the risk of each reported kind, in [0, 1], as if it were all that was found.

        The probability that at least one finding is right: mentions count by their share only,
        rules that are off not at all, and repeats of a rule no more than in an assessment.
        """
        spared = dict.fromkeys(REPORTED, 1.0)
        for rule, findings in _by_rule(report.findings).items():
            group = self._weights.group(rule)
            if group in spared and self._weights.rule(rule).mode is not Mode.OFF:
                hits, mentions = self._risks(findings)
                spared[group] *= (1.0 - hits) * (1.0 - self._weights.mention * mentions)
        return {group.value: 1.0 - clean for group, clean in spared.items()}

    def _scored(self, findings: Iterable[Finding]) -> tuple[_Scored, ...]:
        """Return the rules that are not off, their points capped by group and for mentions."""
        weights = self._weights
        scored: list[_Scored] = []
        for rule, found in _by_rule(findings).items():
            setting = weights.rule(rule)
            if setting.mode is Mode.OFF:
                continue
            hits, mentions = self._risks(found)
            counts = setting.weight if setting.mode is Mode.ENFORCE else 0.0
            scored.append(
                _Scored(
                    rule=rule,
                    group=weights.group(rule),
                    risk=max(finding.risk for finding in found),
                    weight=setting.weight,
                    mode=setting.mode,
                    points=counts * hits,
                    aside=counts * weights.mention * mentions,
                )
            )
        shares = {
            group: _share(total, weights.groups[group].cap)
            for group, total in _by_group(scored).items()
        }
        aside = _share(sum(each.aside for each in scored), weights.mention_cap)
        return tuple(
            replace(each, points=each.points * shares[each.group], aside=each.aside * aside)
            for each in scored
        )

    def _risks(self, findings: Sequence[Finding]) -> tuple[float, float]:
        """Return the risk of one rule's hits and that of its mentions."""
        mentions = [f.risk for f in findings if f.level is FindingLevel.MENTION]
        hits = [f.risk for f in findings if f.level is not FindingLevel.MENTION]
        return self._at_least_one(hits), self._at_least_one(mentions)

    def _at_least_one(self, risks: Sequence[float]) -> float:
        counted = sorted(risks, reverse=True)[: self._weights.counted_hits]
        return 1.0 - prod(1.0 - risk for risk in counted)

    def _verdict(
        self, findings: Sequence[Finding], groups: Mapping[Group, float], *, held: bool
    ) -> tuple[Verdict, CoarseReason]:
        weights = self._weights
        hard = self._hard(findings)
        total = sum(groups.values())
        over = any(
            _reaches(points, weights.groups[group].quarantine) for group, points in groups.items()
        )
        if Verdict.REJECT in hard.values() or _reaches(total, weights.reject):
            return Verdict.REJECT, self._reason(groups, hard, Verdict.REJECT)
        if hard or over or _reaches(total, weights.quarantine):
            return Verdict.QUARANTINE, self._reason(groups, hard, Verdict.QUARANTINE)
        if held and weights.hold:
            return Verdict.QUARANTINE, CoarseReason.HOLD
        return Verdict.ADMIT, CoarseReason.CLEAN

    def _hard(self, findings: Iterable[Finding]) -> Mapping[str, Verdict]:
        """Return the hard verdicts by the rule that caused them."""
        caused: dict[str, Verdict] = {}
        for finding in findings:
            for hard in self._weights.hard:
                if (
                    matches(hard.rule, finding.rule)
                    and finding.level is not FindingLevel.MENTION
                    and _reaches(finding.risk, hard.min_risk)
                    and caused.get(finding.rule) is not Verdict.REJECT
                ):
                    caused[finding.rule] = hard.verdict
        return caused

    def _reason(
        self, groups: Mapping[Group, float], hard: Mapping[str, Verdict], verdict: Verdict
    ) -> CoarseReason:
        """Return that of the hard rule that decided, else of the group with most points."""
        decided = [self._weights.group(rule) for rule, said in hard.items() if said is verdict]
        leading = max(decided or groups, key=lambda group: groups.get(group, 0.0))
        return self._weights.groups[leading].reason

    def _base(self, provenance: Provenance, now: datetime, *, missing: int) -> float:
        weights = self._weights
        days = max(0.0, (now - provenance.received_at).total_seconds() / _SECONDS_A_DAY)
        age = min(1.0, weights.new + (1.0 - weights.new) * days / weights.settled_after_days)
        return weights.tiers[provenance.origin.tier] * age * weights.unavailable**missing


def _by_rule(findings: Iterable[Finding]) -> Mapping[str, Sequence[Finding]]:
    rules: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        rules[finding.rule].append(finding)
    return rules


def _by_group(scored: Iterable[_Scored]) -> Mapping[Group, float]:
    groups: defaultdict[Group, float] = defaultdict(float)
    for each in scored:
        groups[each.group] += each.points
    return groups


def _to_scale(scored: Sequence[_Scored]) -> tuple[Contribution, ...]:
    """Return contributions, largest first, whose points add up to the document's risk."""
    share = _share(sum(each.points + each.aside for each in scored), 1.0)
    contributions = [
        Contribution(
            rule=each.rule,
            risk=each.risk,
            weight=each.weight,
            points=min(1.0, (each.points + each.aside) * share),
            mode=each.mode.value,
        )
        for each in scored
    ]
    return tuple(sorted(contributions, key=lambda each: (-each.points, each.rule)))


def _share(total: float, cap: float) -> float:
    return cap / total if total > cap else 1.0


def _reaches(value: float, threshold: float) -> bool:
    return value >= threshold - _ROUNDING
