"""What must hold of the shipped trust policy, and of any policy made from the same parts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from defences.trust.policy import DEFAULT_POLICY, WeightedTrustPolicy, load_policy
from defences.trust.weights import REPORTED, Mode
from domain.documents import DocumentId, Origin, OriginKind, Provenance, Tier
from domain.scanning import Finding, FindingLevel, ScanReport
from domain.trust import TrustAssessment, TrustPolicy, Verdict
from tests.builders import EPOCH

SHIPPED = load_policy(DEFAULT_POLICY.read_text())
STRANGE = load_policy(
    DEFAULT_POLICY.read_text()
    .replace("cap = 0.9", "cap = 0.3")
    .replace("[[hard]]", '[[rules]]\nrule = "citations.*"\nmode = "observe"\n\n[[hard]]', 1)
    .replace("[[hard]]", '[[rules]]\nrule = "hidden-text.a"\nweight = 1.7\n\n[[hard]]', 1)
)
DETECTORS = tuple(sorted(SHIPPED.weights.expected))
SEVERITY = [Verdict.ADMIT, Verdict.QUARANTINE, Verdict.REJECT]
CLOSE = 1e-9

policies = st.sampled_from([SHIPPED, STRANGE])
findings = st.builds(
    Finding,
    rule=st.builds(
        "{}.{}".format, st.sampled_from([*DETECTORS, "parsing"]), st.sampled_from("abc")
    ),
    risk=st.floats(0, 1),
    level=st.sampled_from(FindingLevel),
    message=st.just("found"),
)
reports = st.builds(
    lambda found, missing: report(found, missing=missing),
    st.lists(findings, max_size=8),
    st.sets(st.sampled_from(DETECTORS), max_size=2),
)
tiers = st.sampled_from(list(Tier))


def report(found: Iterable[Finding] = (), *, missing: Iterable[str] = ()) -> ScanReport:
    return ScanReport(
        document_id=DocumentId("d"),
        findings=tuple(found),
        completed={name: "1" for name in DETECTORS if name not in set(missing)},
        unavailable=frozenset(missing),
    )


def provenance(tier: Tier = Tier.POOL) -> Provenance:
    origin = Origin(
        kind=OriginKind.UPLOADER,
        id="o",
        established=tier is not Tier.POOL,
        reviewed=tier is Tier.REVIEWED,
    )
    return Provenance(origin=origin, claimed_uri=None, received_at=EPOCH)


def assess(
    policy: TrustPolicy, seen: ScanReport, tier: Tier = Tier.POOL, *, days: float = 0
) -> TrustAssessment:
    return policy.assess(seen, provenance(tier), now=EPOCH + timedelta(days=days))


def severity(assessment: TrustAssessment) -> int:
    return SEVERITY.index(assessment.verdict)


@given(policy=policies, seen=reports, more=findings, tier=tiers)
def test_another_finding_never_raises_trust_nor_softens_the_verdict(
    policy: WeightedTrustPolicy, seen: ScanReport, more: Finding, tier: Tier
) -> None:
    before = assess(policy, seen, tier)

    after = assess(policy, replace(seen, findings=(*seen.findings, more)), tier)

    assert after.score <= before.score + CLOSE
    assert after.risk >= before.risk - CLOSE
    assert severity(after) >= severity(before)


@given(policy=policies, seen=reports, at=st.integers(0, 7), extra=st.floats(0, 1))
def test_a_riskier_finding_never_raises_trust_nor_softens_the_verdict(
    policy: WeightedTrustPolicy, seen: ScanReport, at: int, extra: float
) -> None:
    found = list(seen.findings)
    if not found:
        return
    at %= len(found)
    found[at] = replace(found[at], risk=min(1.0, found[at].risk + extra))

    after = assess(policy, replace(seen, findings=tuple(found)))

    assert after.score <= assess(policy, seen).score + CLOSE
    assert severity(after) >= severity(assess(policy, seen))


@given(policy=policies, seen=reports, name=st.sampled_from(DETECTORS), recorded=st.booleans())
def test_a_detector_that_could_not_look_never_raises_trust_nor_softens_the_verdict(
    policy: WeightedTrustPolicy, seen: ScanReport, name: str, recorded: bool
) -> None:
    blind = replace(
        seen,
        completed={n: v for n, v in seen.completed.items() if n != name},
        unavailable=seen.unavailable | ({name} if recorded else set()),
    )

    after = assess(policy, blind)

    assert after.score <= assess(policy, seen).score + CLOSE
    assert severity(after) >= severity(assess(policy, seen))
    assert after.verdict is not Verdict.ADMIT


@given(policy=policies, seen=reports)
def test_a_better_origin_changes_trust_and_never_the_verdict(
    policy: WeightedTrustPolicy, seen: ScanReport
) -> None:
    pool, established, reviewed = (
        assess(policy, seen, tier) for tier in (Tier.POOL, Tier.ESTABLISHED, Tier.REVIEWED)
    )

    assert pool.score <= established.score <= reviewed.score
    assert pool.verdict is established.verdict is reviewed.verdict


@given(policy=policies, seen=reports, tier=tiers, days=st.floats(-5, 5000))
def test_every_number_is_a_share(
    policy: WeightedTrustPolicy, seen: ScanReport, tier: Tier, days: float
) -> None:
    assessment = assess(policy, seen, tier, days=days)

    assert 0.0 <= assessment.score <= 1.0
    assert 0.0 <= assessment.risk <= 1.0
    assert all(0.0 <= each.points <= 1.0 for each in assessment.contributions)
    assert all(0.0 <= risk <= 1.0 for risk in policy.group_risks(seen).values())


@given(policy=policies, seen=reports)
def test_contributions_add_up_to_the_risk_largest_first(
    policy: WeightedTrustPolicy, seen: ScanReport
) -> None:
    assessment = assess(policy, seen)
    points = [each.points for each in assessment.contributions]

    assert sum(points) == pytest.approx(assessment.risk)
    assert points == sorted(points, reverse=True)


@given(policy=policies, found=st.lists(findings, max_size=12))
def test_no_group_adds_more_than_its_cap(policy: WeightedTrustPolicy, found: list[Finding]) -> None:
    hits = [replace(f, level=FindingLevel.HOSTILE) for f in found]
    cited = [f for f in hits if f.rule.startswith("near-duplicate.")]

    cap = 0.9 if policy is SHIPPED else 0.3
    assert assess(policy, report(cited)).risk <= cap + CLOSE


@given(policy=policies, found=st.lists(findings, max_size=20))
def test_mentions_never_move_the_verdict_and_cost_a_tenth_at_most(
    policy: WeightedTrustPolicy, found: list[Finding]
) -> None:
    quoted = [replace(f, level=FindingLevel.MENTION) for f in found]

    assessment = assess(policy, report(quoted))

    assert assessment.verdict is Verdict.ADMIT
    assert assessment.risk <= 0.1 + CLOSE


@given(seen=reports, more=findings)
def test_group_risks_never_fall_by_another_finding(seen: ScanReport, more: Finding) -> None:
    before = SHIPPED.group_risks(seen)

    after = SHIPPED.group_risks(replace(seen, findings=(*seen.findings, more)))

    assert before.keys() == after.keys() == {group.value for group in REPORTED}
    assert all(after[group] >= before[group] - CLOSE for group in before)


@given(policy=policies, seen=reports, order=st.randoms(use_true_random=False))
def test_the_order_of_findings_means_nothing(
    policy: WeightedTrustPolicy, seen: ScanReport, order: object
) -> None:
    shuffled = list(seen.findings)
    order.shuffle(shuffled)  # type: ignore[attr-defined]

    one, other = assess(policy, seen), assess(policy, replace(seen, findings=tuple(shuffled)))

    assert one.verdict is other.verdict
    assert one.score == pytest.approx(other.score)


@given(seen=reports, rule=st.sampled_from("abc"))
def test_an_observed_rule_is_recorded_and_counts_nothing(seen: ScanReport, rule: str) -> None:
    more = Finding(rule=f"citations.{rule}", risk=1.0, level=FindingLevel.HOSTILE, message="found")

    after = assess(STRANGE, replace(seen, findings=(*seen.findings, more)))

    assert after.score == assess(STRANGE, seen).score
    assert Mode.OBSERVE in {each.mode for each in after.contributions if each.points == 0.0}
