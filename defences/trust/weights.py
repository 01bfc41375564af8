"""What a trust policy is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from domain.documents import Tier
from domain.trust import CoarseReason, Verdict


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
    OTHER = "other"
    """Rules of detectors that no other group names."""


REPORTED: Final = tuple(group for group in Group if group is not Group.OTHER)


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
    """A verdict that holds whatever else was found, from `min_risk` on; never for a mention."""

    rule: str
    verdict: Verdict
    min_risk: float


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
        quarantine, reject: Compared with the sum of all groups' points, mentions left out.
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
    quarantine: float
    reject: float
    groups: Mapping[Group, GroupWeights]
    rules: Mapping[str, RuleWeight]
    hard: tuple[HardRule, ...]

    def rule(self, name: str) -> RuleWeight:
        found = self.rules.get(name) or self.rules.get(f"{detector_of(name)}.*")
        return found or RuleWeight()

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
