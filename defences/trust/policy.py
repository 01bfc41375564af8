"""From findings to risk, trust and a verdict: points by rule, caps by group, thresholds.

risk  = min(1, sum over groups of min(cap, sum over the group's rules of weight x p))
        p = 1 - product of (1 - risk) over the rule's findings, the greatest few of them
trust = tier x standing x age x unavailable ^ (detectors that could not look) x (1 - risk)

Nothing is ever subtracted: an origin's standing sets where trust begins and cancels no finding.
A mention adds a little risk and never moves the verdict. Composites add points where rules meet;
for established origins alone they may take points of other rules away. Hard rules look at the
findings themselves: no cap, mode, composite, suppression or standing reaches them. The sum, its
caps, composites and the actions by threshold are rspamd's (facts/ingestion.md, section 4).
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
from defences.trust.reputation import pool_factor, standing
from defences.trust.verdicts import HardVerdict, hard_verdicts, judge, reaches
from defences.trust.weights import (
    REPORTED,
    UNSUPPRESSIBLE,
    Composite,
    Group,
    Mode,
    PolicyWeights,
    detector_of,
    matches,
)
from domain.documents import Provenance, Tier
from domain.scanning import Finding, FindingLevel, ScanReport
from domain.trust import (
    Contribution,
    FinalOutcome,
    HoldTerms,
    TrustAssessment,
)

DEFAULT_POLICY: Final = Path(__file__).with_name("default_policy.toml")

_SECONDS_A_DAY: Final = 86_400.0


def load_policy(text: str) -> WeightedTrustPolicy:
    """Return the policy that a TOML text describes.

    Raises:
        ConfigurationError: Names the key that is wrong.
    """
    return WeightedTrustPolicy(parse_policy(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPoints:
    """What one group's rules came to, mentions included; on the scale of the document's risk."""

    group: Group
    points: float
    cap: float
    quarantine: float


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
    explained_by: str | None = None
    suppressed: int = 0


class WeightedTrustPolicy:
    """Sums weighted, capped points; see the module for the formula."""

    def __init__(self, weights: PolicyWeights) -> None:
        self._weights = weights

    @property
    def version(self) -> str:
        return f"{self._weights.name}-{self._weights.digest}"

    @property
    def weights(self) -> PolicyWeights:
        return self._weights

    @property
    def hold_terms(self) -> HoldTerms:
        return self._weights.hold_terms

    def groups(self, assessment: TrustAssessment) -> Sequence[GroupPoints]:
        """Return what each group that was met came to, greatest first, by this policy's groups."""
        points: defaultdict[Group, float] = defaultdict(float)
        composites = {one.rule: one.group for one in self._weights.composites}
        for each in assessment.contributions:
            points[composites.get(each.rule, self._weights.group(each.rule))] += each.points
        found = [
            GroupPoints(
                group=group,
                points=total,
                cap=self._weights.groups[group].cap,
                quarantine=self._weights.groups[group].quarantine,
            )
            for group, total in points.items()
        ]
        return sorted(found, key=lambda one: (-one.points, one.group))

    def suppressible(self, rule: str) -> bool:
        return detector_of(rule) not in UNSUPPRESSIBLE and not any(
            matches(hard.rule, rule) for hard in self._weights.hard
        )

    def reputation(self, outcomes: Sequence[FinalOutcome], *, now: datetime) -> float:
        return standing(outcomes, self._weights.reputation, now=now)

    def assess(
        self, report: ScanReport, provenance: Provenance, *, now: datetime
    ) -> TrustAssessment:
        scored = self._scored(report.findings, provenance.origin.tier)
        hard = hard_verdicts(self._weights, report.findings)
        missing = report.unavailable | (self._weights.expected - report.completed.keys())
        judged = judge(self._weights, hard, _by_group(scored), missing)
        contributions = _to_scale(scored, hard=hard, versions=report.completed)
        risk = min(1.0, sum(each.points for each in contributions))
        return TrustAssessment(
            document_id=report.document_id,
            score=self._base(provenance, now, missing=len(missing)) * (1.0 - risk),
            risk=risk,
            verdict=judged.verdict,
            reason=judged.reason,
            contributions=contributions,
            policy_version=self.version,
            decisive=judged.decisive,
        )

    def group_risks(self, report: ScanReport) -> Mapping[str, float]:
        """Return the risk of each reported kind, in [0, 1], as if it were all that was found.

        The probability that at least one finding is right: mentions count by their share only,
        rules that are off not at all, and repeats of a rule no more than in an assessment.
        """
        spared = dict.fromkeys(REPORTED, 1.0)
        for rule, found in _by_rule(report.findings).items():
            findings = [finding for finding in found if finding.suppressed_by is None]
            group = self._weights.group(rule)
            if group in spared and self._weights.rule(rule).mode is not Mode.OFF:
                hits, mentions = self._risks(findings)
                spared[group] *= (1.0 - hits) * (1.0 - self._weights.mention * mentions)
        return {group.value: 1.0 - clean for group, clean in spared.items()}

    def _scored(self, findings: Sequence[Finding], tier: Tier) -> tuple[_Scored, ...]:
        """Return rules and composites that are not off, points capped by group and for mentions."""
        weights = self._weights
        composites = self._composites(findings, tier)
        scored = self._explained([*self._single(findings), *composites])
        shares = {
            group: _share(total, weights.groups[group].cap)
            for group, total in _by_group(scored).items()
        }
        aside = _share(sum(each.aside for each in scored), weights.mention_cap)
        return tuple(
            replace(each, points=each.points * shares[each.group], aside=each.aside * aside)
            for each in scored
        )

    def _single(self, findings: Iterable[Finding]) -> Sequence[_Scored]:
        """Return the rules that are not off, uncapped."""
        weights = self._weights
        scored: list[_Scored] = []
        for rule, found in _by_rule(findings).items():
            setting = weights.rule(rule)
            if setting.mode is Mode.OFF:
                continue
            counted = [finding for finding in found if finding.suppressed_by is None]
            hits, mentions = self._risks(counted)
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
                    suppressed=len(found) - len(counted),
                )
            )
        return scored

    def _composites(self, findings: Iterable[Finding], tier: Tier) -> Sequence[_Scored]:
        """Return the composites that are met; by a rule that is only observed, they are too."""
        met = [
            finding
            for finding in findings
            if finding.level is not FindingLevel.MENTION and finding.suppressed_by is None
        ]
        scored: list[_Scored] = []
        for composite in self._weights.composites:
            if composite.mode is Mode.OFF or tier not in composite.tiers:
                continue
            for mode in dict.fromkeys((composite.mode, Mode.OBSERVE)):
                risk = self._met(composite, met, mode)
                if risk is not None:
                    counts = composite.points if mode is Mode.ENFORCE else 0.0
                    scored.append(
                        _Scored(
                            rule=composite.rule,
                            group=composite.group,
                            risk=risk,
                            weight=composite.points,
                            mode=mode,
                            points=counts,
                            aside=0.0,
                        )
                    )
                    break
        return scored

    def _met(self, composite: Composite, findings: Sequence[Finding], mode: Mode) -> float | None:
        """Return the least of the members' risks; None where one of them is not met."""
        least = 1.0
        modes = (Mode.ENFORCE,) if mode is Mode.ENFORCE else (Mode.ENFORCE, Mode.OBSERVE)
        for member in composite.members:
            risks = [
                finding.risk
                for finding in findings
                if matches(member, finding.rule)
                and reaches(finding.risk, composite.min_risk)
                and self._weights.rule(finding.rule).mode in modes
            ]
            if not risks:
                return None
            least = min(least, max(risks))
        return least

    def _explained(self, scored: Sequence[_Scored]) -> Sequence[_Scored]:
        """Take the points of rules that an enforced composite explains."""
        enforced = {each.rule for each in scored if each.mode is Mode.ENFORCE}
        explaining = [one for one in self._weights.composites if one.rule in enforced]
        left: list[_Scored] = []
        for each in scored:
            by = next(
                (
                    one.rule
                    for one in explaining
                    if any(matches(pattern, each.rule) for pattern in one.explains)
                ),
                None,
            )
            left.append(each if by is None else replace(each, points=0.0, explained_by=by))
        return left

    def _risks(self, findings: Sequence[Finding]) -> tuple[float, float]:
        """Return the risk of one rule's hits and that of its mentions."""
        mentions = [f.risk for f in findings if f.level is FindingLevel.MENTION]
        hits = [f.risk for f in findings if f.level is not FindingLevel.MENTION]
        return self._at_least_one(hits), self._at_least_one(mentions)

    def _at_least_one(self, risks: Sequence[float]) -> float:
        counted = sorted(risks, reverse=True)[: self._weights.counted_hits]
        return 1.0 - prod(1.0 - risk for risk in counted)

    def _base(self, provenance: Provenance, now: datetime, *, missing: int) -> float:
        weights = self._weights
        days = max(0.0, (now - provenance.received_at).total_seconds() / _SECONDS_A_DAY)
        age = min(1.0, weights.new + (1.0 - weights.new) * days / weights.settled_after_days)
        tier = provenance.origin.tier
        known = pool_factor(provenance.reputation, weights.reputation) if tier is Tier.POOL else 1.0
        return weights.tiers[tier] * known * age * weights.unavailable**missing


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


def _to_scale(
    scored: Sequence[_Scored], *, hard: Mapping[str, HardVerdict], versions: Mapping[str, str]
) -> tuple[Contribution, ...]:
    """Return contributions, largest first, whose points add up to the document's risk."""
    share = _share(sum(each.points + each.aside for each in scored), 1.0)
    contributions = [
        Contribution(
            rule=each.rule,
            risk=each.risk,
            weight=each.weight,
            points=min(1.0, (each.points + each.aside) * share),
            mode=each.mode.value,
            version=versions.get(detector_of(each.rule), ""),
            hard=hard[each.rule].verdict if each.rule in hard else None,
            explained_by=each.explained_by,
            suppressed=each.suppressed,
        )
        for each in scored
    ]
    return tuple(sorted(contributions, key=lambda each: (-each.points, each.rule)))


def _share(total: float, cap: float) -> float:
    return cap / total if total > cap else 1.0
