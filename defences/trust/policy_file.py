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
    COMPOSITE,
    SEVERITY,
    Composite,
    Group,
    GroupWeights,
    HardRule,
    Mode,
    PolicyWeights,
    ReputationTerms,
    RuleWeight,
    detector_of,
)
from domain.documents import Tier
from domain.errors import ConfigurationError
from domain.trust import CoarseReason, HoldTerms, Verdict

_Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
_Share = Annotated[_Number, Field(ge=0, le=1)]
_Name = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
_Pattern = Annotated[str, Field(pattern=r"^[a-z0-9-]+(\.[a-z0-9-]+)*\.(\*|[a-z0-9-]+)$")]
MAX_CHARACTERS: Final = 200_000
MAX_DOTS: Final = 64
"""In a line: the parser takes quadratic time over a dotted key."""
MAX_RULES: Final = 200
MAX_COMPOSITES: Final = 50
"""Each is looked for in every report; a replay goes over many."""

_SECONDS_A_MINUTE: Final = 60.0
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


class _Hold(_Table):
    rescan_after_minutes: Annotated[_Number, Field(gt=0, le=43_200)]
    times: Annotated[int, Field(strict=True, ge=0, le=20)]


class _Reputation(_Table):
    prior: Annotated[_Number, Field(gt=0, lt=1)]
    prior_weight: Annotated[_Number, Field(gt=0, le=1000)]
    decay_days: Annotated[_Number, Field(gt=0, le=3650)]
    minimum: Annotated[int, Field(strict=True, ge=1, le=1000)]
    settled_after_days: Annotated[_Number, Field(gt=0, le=3650)]
    spread: Annotated[_Number, Field(ge=0, le=0.1)]


class _Thresholds(_Table):
    hold: Annotated[_Number, Field(gt=0, le=_MOST_GROUPS)] | None = None
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
    priority: Annotated[int, Field(strict=True, ge=0, le=1000)] = 0


class _Composite(_Table):
    name: _Name
    all: Annotated[tuple[_Pattern, ...], Field(min_length=2, max_length=8)]
    min_risk: _Share
    points: Annotated[_Number, Field(ge=0, le=1)]
    group: Group
    explains: tuple[_Pattern, ...] = ()
    tiers: Annotated[tuple[Tier, ...], Field(min_length=1)] = tuple(Tier)
    mode: Mode = Mode.ENFORCE


class _Policy(_Table):
    name: _Name
    tiers: _Tiers
    age: _Age
    mentions: _Mentions
    repeats: _Repeats
    unavailable: _Unavailable
    hold: _Hold
    reputation: _Reputation
    thresholds: _Thresholds
    groups: dict[Group, _GroupTable]
    rules: Annotated[tuple[_Rule, ...], Field(max_length=MAX_RULES)] = ()
    hard: Annotated[tuple[_Hard, ...], Field(max_length=MAX_RULES)] = ()
    composites: Annotated[tuple[_Composite, ...], Field(max_length=MAX_COMPOSITES)] = ()


def parse_policy(text: str) -> PolicyWeights:
    """Return the policy that a TOML text describes.

    Raises:
        ConfigurationError: It is not TOML, is too long, has an unknown key, lacks one, has a value
            out of range or the wrong type, names a rule or detector twice, or contradicts itself.
    """
    try:
        policy = _Policy.model_validate(_table(text))
    except ValidationError as exc:
        faults = "; ".join(
            f"{'.'.join(map(str, error['loc']))}: {error['msg']}" for error in exc.errors()
        )
        raise ConfigurationError(f"trust policy: {faults}") from exc
    _check(policy)
    return _weights(policy)


def _table(text: str) -> dict[str, object]:
    if len(text) > MAX_CHARACTERS:
        raise ConfigurationError(
            f"trust policy has {len(text)} characters, limit is {MAX_CHARACTERS}"
        )
    for number, line in enumerate(text.splitlines(), start=1):
        if line.count(".") > MAX_DOTS:
            raise ConfigurationError(f"trust policy: line {number} has more than {MAX_DOTS} dots")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        raise ConfigurationError(f"trust policy is not TOML: {exc}") from exc
    except (ValueError, RecursionError) as exc:  # a number of thousands of digits; deep nesting
        raise ConfigurationError(f"trust policy is not read: {type(exc).__name__}") from exc


def _check(policy: _Policy) -> None:
    missing = [group.value for group in Group if group not in policy.groups]
    if missing:
        raise ConfigurationError(f"trust policy: groups.{missing[0]}: is missing")
    _once("rules", [rule.rule for rule in policy.rules])
    _once("hard", [rule.rule for rule in policy.hard])
    _once("groups.*.detectors", [d for group in policy.groups.values() for d in group.detectors])
    thresholds = policy.thresholds
    if thresholds.reject < thresholds.quarantine:
        raise ConfigurationError("trust policy: thresholds.reject: is below thresholds.quarantine")
    if thresholds.hold is not None and thresholds.quarantine < thresholds.hold:
        raise ConfigurationError("trust policy: thresholds.quarantine: is below thresholds.hold")
    tiers = policy.tiers
    if not tiers.reviewed >= tiers.established >= tiers.pool:
        raise ConfigurationError("trust policy: tiers: must be reviewed >= established >= pool")
    if tiers.pool * (1.0 + policy.reputation.spread) > tiers.established:
        raise ConfigurationError(
            "trust policy: reputation.spread: would lift the pool above established origins"
        )
    for hard in policy.hard:
        _check_hard(hard, policy.rules)
    _check_priorities(policy.hard)
    _once("composites", [composite.name for composite in policy.composites])
    for composite in policy.composites:
        _check_composite(composite)


def _check_priorities(rules: Sequence[_Hard]) -> None:
    """Refuse a priority by which a milder verdict would win over a stricter one."""
    for one in rules:
        for other in rules:
            milder = SEVERITY.index(one.verdict) < SEVERITY.index(other.verdict)
            if milder and one.priority > other.priority:
                raise ConfigurationError(
                    f"trust policy: hard: {one.rule!r} goes before {other.rule!r} and is milder, "
                    "so finding both would be better than finding one"
                )


def _check_composite(composite: _Composite) -> None:
    if composite.explains and Tier.POOL in composite.tiers:
        raise ConfigurationError(
            f"trust policy: composites: {composite.name!r} explains findings away and applies to "
            "the pool, where whoever writes a document chooses what is found in it"
        )
    for pattern in (*composite.all, *composite.explains):
        if detector_of(pattern) == COMPOSITE:
            raise ConfigurationError(
                f"trust policy: composites: {composite.name!r} is made of a composite"
            )


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
        hold_at=policy.thresholds.hold,
        hold_terms=HoldTerms(
            rescan_after_seconds=policy.hold.rescan_after_minutes * _SECONDS_A_MINUTE,
            times=policy.hold.times,
        ),
        reputation=ReputationTerms(**policy.reputation.model_dump()),
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
            HardRule(
                rule=rule.rule,
                verdict=rule.verdict,
                min_risk=rule.min_risk,
                priority=rule.priority,
            )
            for rule in policy.hard
        ),
        composites=tuple(
            Composite(
                rule=f"{COMPOSITE}.{composite.name}",
                members=composite.all,
                min_risk=composite.min_risk,
                points=composite.points,
                group=composite.group,
                explains=composite.explains,
                tiers=frozenset(composite.tiers),
                mode=composite.mode,
            )
            for composite in policy.composites
        ),
    )


def _digest(policy: _Policy) -> str:
    """Return 12 hexadecimal digits that change if and only if what the policy says changes."""
    said = policy.model_dump(mode="json")
    for listed in ("rules", "hard"):
        said[listed] = sorted(said[listed], key=lambda rule: str(rule["rule"]))
    said["composites"] = sorted(said["composites"], key=lambda one: str(one["name"]))
    for composite in said["composites"]:
        for listed in ("all", "explains", "tiers"):
            composite[listed] = sorted(composite[listed])
    for group in said["groups"].values():
        group["detectors"] = sorted(group["detectors"])
    said["unavailable"]["expected"] = sorted(said["unavailable"]["expected"])
    canonical = json.dumps(said, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()[:12]
