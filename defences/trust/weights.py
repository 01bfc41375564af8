"""What a trust policy is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from domain.documents import Tier
from domain.trust import CoarseReason, HoldTerms, Verdict


class Mode(StrEnum):
    ENFORCE = "enforce"
    OBSERVE = "observe"
    """Recorded as a contribution of no points."""
    OFF = "off"


class Group(StrEnum):
    """Kinds of evidence, each with a cap: many rules that see one thing count once."""

    INJECTION = "injection"
    HIDDEN_TEXT = "hidden-text"
    CITATIONS = "citations"
    NEAR_DUPLICATE = "near-duplicate"
    PERSONAL_DATA = "personal-data"
    VERSIONS = "versions"
    """What a document changes in an earlier version of itself."""
    SIGNATURE = "signature"
    OTHER = "other"
    """Rules of detectors that no other group names."""


REPORTED: Final = (
    Group.INJECTION,
    Group.HIDDEN_TEXT,
    Group.CITATIONS,
    Group.NEAR_DUPLICATE,
    Group.PERSONAL_DATA,
)
"""Kinds that a scan reports a risk of; the others are about where a document comes from."""

COMPOSITE: Final = "composite"
"""What the names of composites begin with, where detectors' rules have their detector."""

UNSUPPRESSIBLE: Final = frozenset(
    {
        "hidden-text",
        "near-duplicate",
        "version-changes",
        "publisher-signature",
        "parsing",
        COMPOSITE,
    }
)
"""Detectors whose findings no reviewer suppresses. A hidden channel is wrong whatever it says; the
others judge a whole document or where it comes from, not a sentence of it."""

SEVERITY: Final = (Verdict.ADMIT, Verdict.QUARANTINE, Verdict.REJECT)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupWeights:
    """`quarantine` is compared with the group's points alone, after its cap."""

    detectors: frozenset[str]
    reason: CoarseReason
    cap: float
    quarantine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleWeight:
    weight: float = 1.0
    mode: Mode = Mode.ENFORCE


@dataclass(frozen=True, slots=True, kw_only=True)
class HardRule:
    """A verdict that holds whatever else was found, from `min_risk` on; never for a mention.

    Of several, the one of the greatest `priority` decides. A policy in which that could be the
    milder one is refused, so that no finding ever softens what another one caused.
    """

    rule: str
    verdict: Verdict
    min_risk: float
    priority: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Composite:
    """Rules that mean more, or less, together.

    Attributes:
        rule: `composite.<name>`.
        members: Patterns that must all be met, by findings that are no mentions.
        min_risk: Least risk of a member's finding.
        points: What it adds to its group.
        explains: Patterns of rules whose points it takes away.
        tiers: Of origins it applies to. One that explains never applies to the pool: whoever
            writes a document could else cancel one finding with another.
    """

    rule: str
    members: tuple[str, ...]
    min_risk: float
    points: float
    group: Group
    explains: tuple[str, ...]
    tiers: frozenset[Tier]
    mode: Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class ReputationTerms:
    """How an origin's standing is reckoned; `reputation.py` has the formula.

    Attributes:
        prior, prior_weight: Standing of one that nothing is known of, and for how many outcomes
            that counts.
        decay_days: Time constant after which an outcome weighs 1/e.
        minimum: Outcomes of different contents below which the prior stands.
        settled_after_days: Age at which what nobody objected to is final.
        spread: By which share, at most, trust in a pooled document is moved.
    """

    prior: float
    prior_weight: float
    decay_days: float
    minimum: int
    settled_after_days: float
    spread: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyWeights:
    """A whole policy.

    Attributes:
        tiers: Trust of a document in which nothing was found.
        new: Factor on trust at the moment of receipt; grows linearly to 1.
        settled_after_days: When it gets there.
        mention: Share of a mention's risk that counts.
        mention_cap: Most points that all mentions together may have.
        counted_hits: Findings of one rule that count, greatest risk first.
        unavailable: Factor on trust for each detector that could not look.
        hold: Whether a document that a detector could not look at waits.
        expected: Detectors that must have looked.
        hold_at, quarantine, reject: Compared with the sum of all groups' points, mentions left
            out. None: no sum is merely held.
        hold_terms: What is held is scanned again on these terms.
        rules: By exact name, or `detector.*`; the exact name wins.
    """

    name: str
    digest: str
    tiers: Mapping[Tier, float]
    new: float
    settled_after_days: float
    mention: float
    mention_cap: float
    counted_hits: int
    unavailable: float
    hold: bool
    expected: frozenset[str]
    hold_at: float | None
    hold_terms: HoldTerms
    reputation: ReputationTerms
    quarantine: float
    reject: float
    groups: Mapping[Group, GroupWeights]
    rules: Mapping[str, RuleWeight]
    hard: tuple[HardRule, ...]
    composites: tuple[Composite, ...]

    def rule(self, name: str) -> RuleWeight:
        found = self.rules.get(name) or self.rules.get(f"{detector_of(name)}.*")
        return found or RuleWeight()

    @property
    def serving(self) -> Mapping[str, RuleWeight]:
        """Every rule in force: those listed, and `detector.*` of each detector that is named."""
        named = self.expected.union(*(group.detectors for group in self.groups.values()))
        defaults = {f"{detector}.*": self.rule(f"{detector}.*") for detector in sorted(named)}
        return {
            rule: setting
            for rule, setting in (defaults | dict(self.rules)).items()
            if setting.mode is not Mode.OFF
        }

    def group(self, name: str) -> Group:
        detector = detector_of(name)
        for group, weights in self.groups.items():
            if detector in weights.detectors:
                return group
        return Group.OTHER


def detector_of(rule: str) -> str:
    return rule.partition(".")[0]


def matches(pattern: str, rule: str) -> bool:
    """Whether `pattern` is the rule itself or its detector with `.*`."""
    return pattern in {rule, f"{detector_of(rule)}.*"}
