"""Reads a trust policy from TOML, strictly: what is not understood is an error."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from defences.trust.weights import (
    Group,
    GroupWeights,
    HardRule,
    Mode,
    PolicyWeights,
    RuleWeight,
    detector_of,
)
from domain.documents import Tier
from domain.errors import ConfigurationError
from domain.trust import CoarseReason, Verdict

_Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
_Share = Annotated[_Number, Field(ge=0, le=1)]
_Name = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
_Pattern = Annotated[str, Field(pattern=r"^[a-z0-9-]+(\.[a-z0-9-]+)*\.(\*|[a-z0-9-]+)$")]
_MOST_GROUPS: Final = float(len(Group))


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Tiers(_Table):
    reviewed: _Share
    established: _Share
    pool: _Share


class _Age(_Table):
    new: _Share
    settled_after_days: Annotated[_Number, Field(gt=0, le=3650)]


class _Mentions(_Table):
    share: _Share
    cap: Annotated[_Number, Field(ge=0, le=0.25)]


class _Repeats(_Table):
    counted: Annotated[int, Field(strict=True, ge=1, le=100)]


class _Unavailable(_Table):
    factor: _Share
    hold: Annotated[bool, Field(strict=True)]
    expected: tuple[_Name, ...]


class _Thresholds(_Table):
    quarantine: Annotated[_Number, Field(gt=0, le=_MOST_GROUPS)]
    reject: Annotated[_Number, Field(gt=0, le=_MOST_GROUPS)]


class _GroupTable(_Table):
    detectors: tuple[_Name, ...]
    reason: CoarseReason
    cap: Annotated[_Number, Field(gt=0, le=1)]
    quarantine: Annotated[_Number, Field(gt=0, le=1)]


class _Rule(_Table):
    rule: _Pattern
    weight: Annotated[_Number, Field(ge=0, le=2)] = 1.0
    mode: Mode = Mode.ENFORCE


class _Hard(_Table):
    rule: _Pattern
    verdict: Verdict
    min_risk: _Share


class _Policy(_Table):
    name: _Name
    tiers: _Tiers
    age: _Age
    mentions: _Mentions
    repeats: _Repeats
    unavailable: _Unavailable
    thresholds: _Thresholds
    groups: dict[Group, _GroupTable]
    rules: tuple[_Rule, ...] = ()
    hard: tuple[_Hard, ...] = ()


def parse_policy(text: str) -> PolicyWeights:
    """Return the policy that a TOML text describes.

    Raises:
        ConfigurationError: It is not TOML, has an unknown key, lacks one, has a value out of range
            or the wrong type, names a rule or detector twice, or contradicts itself.
    """
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise ConfigurationError(f"trust policy is not TOML: {exc}") from exc
    try:
        policy = _Policy.model_validate(table)
    except ValidationError as exc:
        faults = "; ".join(
            f"{'.'.join(map(str, error['loc']))}: {error['msg']}" for error in exc.errors()
        )
        raise ConfigurationError(f"trust policy: {faults}") from exc
    _check(policy)
    return _weights(policy)


def _check(policy: _Policy) -> None:
    missing = [group.value for group in Group if group not in policy.groups]
    if missing:
        raise ConfigurationError(f"trust policy: groups.{missing[0]}: is missing")
    _once("rules", [rule.rule for rule in policy.rules])
    _once("hard", [rule.rule for rule in policy.hard])
    _once("groups.*.detectors", [d for group in policy.groups.values() for d in group.detectors])
    if policy.thresholds.reject < policy.thresholds.quarantine:
        raise ConfigurationError("trust policy: thresholds.reject: is below thresholds.quarantine")
    tiers = policy.tiers
    if not tiers.reviewed >= tiers.established >= tiers.pool:
        raise ConfigurationError("trust policy: tiers: must be reviewed >= established >= pool")
    for hard in policy.hard:
        _check_hard(hard, policy.rules)


def _check_hard(hard: _Hard, rules: Iterable[_Rule]) -> None:
    if hard.verdict is Verdict.ADMIT:
        raise ConfigurationError(f"trust policy: hard: {hard.rule!r} cannot admit")
    covered = {hard.rule, f"{detector_of(hard.rule)}.*"}
    for rule in rules:
        whole = hard.rule.endswith(".*") and detector_of(rule.rule) == detector_of(hard.rule)
        if rule.mode is not Mode.ENFORCE and (rule.rule in covered or whole):
            raise ConfigurationError(
                f"trust policy: rules: {rule.rule!r} is {rule.mode.value}, "
                f"but hard: {hard.rule!r} cannot be cancelled"
            )


def _once(key: str, names: Sequence[str]) -> None:
    for name, times in Counter(names).items():
        if times > 1:
            raise ConfigurationError(f"trust policy: {key}: {name!r} is given {times} times")


def _weights(policy: _Policy) -> PolicyWeights:
    return PolicyWeights(
        name=policy.name,
        digest=_digest(policy),
        tiers={
            Tier.REVIEWED: policy.tiers.reviewed,
            Tier.ESTABLISHED: policy.tiers.established,
            Tier.POOL: policy.tiers.pool,
        },
        new=policy.age.new,
        settled_after_days=policy.age.settled_after_days,
        mention=policy.mentions.share,
        mention_cap=policy.mentions.cap,
        counted_hits=policy.repeats.counted,
        unavailable=policy.unavailable.factor,
        hold=policy.unavailable.hold,
        expected=frozenset(policy.unavailable.expected),
        quarantine=policy.thresholds.quarantine,
        reject=policy.thresholds.reject,
        groups={
            group: GroupWeights(
                detectors=frozenset(table.detectors),
                reason=table.reason,
                cap=table.cap,
                quarantine=table.quarantine,
            )
            for group, table in policy.groups.items()
        },
        rules={rule.rule: RuleWeight(weight=rule.weight, mode=rule.mode) for rule in policy.rules},
        hard=tuple(
            HardRule(rule=rule.rule, verdict=rule.verdict, min_risk=rule.min_risk)
            for rule in policy.hard
        ),
    )


def _digest(policy: _Policy) -> str:
    """Return 12 hexadecimal digits that change if and only if what the policy says changes."""
    said = policy.model_dump(mode="json")
    for listed in ("rules", "hard"):
        said[listed] = sorted(said[listed], key=lambda rule: str(rule["rule"]))
    for group in said["groups"].values():
        group["detectors"] = sorted(group["detectors"])
    said["unavailable"]["expected"] = sorted(said["unavailable"]["expected"])
    canonical = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:12]
