"""Who is told what of alerts, and when: a pure function, after Prometheus' Alertmanager.

    fires -> (silenced | inhibited)* -> told -> reminded* -> ends -> told

- An episode is told of once. What was never told, because it was suppressed all the time, is not
  told to have ended; what was told is always told to have ended, even if it is silenced by then.
- Alerts of one name are a group, however many topics they are on: the first is told at once, those
  that follow within `group_interval` together at its end. Alerts of other names are never held back
  for it, and one that is suppressed is in no group: it is told on its own when it no longer is.
- An alert that is silenced inhibits nothing: to silence a noisy one must not mute another.
- Who acknowledges an alert stops reminders of it, not its end.
- What was told by a clock that ran ahead holds nothing back.
- A notice holds `MOST_TOGETHER` alerts at most, so that each is named in one, however many a flood has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from domain.alerting import SEVERITY_WEIGHTS, Silence, Standing, Step, matches
from domain.monitoring import AlertId

MOST_TOGETHER: Final = 50
"""Alerts that one notice names."""


class NoticeKind(StrEnum):
    FIRING = "firing"
    REMINDER = "reminder"
    RESOLVED = "resolved"
    UNSAID = "unsaid"
    """It ended while it was suppressed, and nobody had been told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inhibition:
    """While a source fires, targets with the same value of each of `equal` are not told of.

    `severity` and `name` count as labels. An alert does not inhibit itself.
    """

    source: Mapping[str, str]
    target: Mapping[str, str]
    equal: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LifecycleOptions:
    """Times as Alertmanager's, but for the shorter group: `group_interval` 5 m, `repeat` 4 h."""

    group_interval: timedelta = timedelta(minutes=1)
    repeat_interval: timedelta = timedelta(hours=4)
    inhibitions: tuple[Inhibition, ...] = ()

    def __post_init__(self) -> None:
        if self.group_interval < timedelta(0) or self.repeat_interval <= timedelta(0):
            raise ValueError("intervals of the lifecycle must not be negative, repeats above zero")


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Alerts of one name that are told of together, most severe first, then oldest."""

    kind: NoticeKind
    told: tuple[Standing, ...]

    @property
    def steps(self) -> tuple[Step, ...]:
        """What is written down with it."""
        more = self.kind in (NoticeKind.FIRING, NoticeKind.REMINDER)
        return tuple(
            Step(
                alert_id=one.alert.id,
                notices_before=one.notices,
                notices=one.notices + more,
                settled=not more,
            )
            for one in self.told
        )


@dataclass(slots=True, kw_only=True)
class _Group:
    fresh: list[Standing] = field(default_factory=list)
    reminded: list[Standing] = field(default_factory=list)
    ended: list[Standing] = field(default_factory=list)
    unsaid: list[Standing] = field(default_factory=list)
    last: datetime | None = None


def plan(
    standings: Sequence[Standing],
    silences: Sequence[Silence],
    *,
    now: datetime,
    options: LifecycleOptions,
) -> Sequence[Notice]:
    """Return what is to be said now; said and written down, the same call returns nothing more.

    Args:
        standings: All of one tenant's, of which something may still have to be said.
        silences: Those of the tenant; ended ones count for nothing.
        now: The moment.
        options: Intervals and inhibitions.
    """
    silenced = {
        one.alert.id for one in standings if any(s.covers(one.alert, now=now) for s in silences)
    }
    muted = _muted(
        [one for one in standings if one.firing and one.alert.id not in silenced], options
    )
    groups: dict[str, _Group] = {}
    for one in standings:
        group = groups.setdefault(one.alert.name, _Group())
        if one.notified_at is not None and one.notified_at <= now:
            group.last = max(one.notified_at, group.last or one.notified_at)
        suppressed = one.alert.id in silenced or _inhibited(one, muted)
        _sort_in(group, one, suppressed=suppressed, now=now, options=options)
    return [notice for group in groups.values() for notice in _notices(group, now, options)]


def _sort_in(
    group: _Group, one: Standing, *, suppressed: bool, now: datetime, options: LifecycleOptions
) -> None:
    if not one.firing:
        if one.notices == 0 and suppressed:
            group.unsaid.append(one)
        elif one.notices == 0:
            group.fresh.append(one)  # too short an episode to have been told yet: first its start
        else:
            group.ended.append(one)
    elif suppressed:
        return
    elif one.notices == 0:
        group.fresh.append(one)
    elif one.alert.acknowledged_at is None and _is_due(one, now, options):
        group.reminded.append(one)


def _is_due(one: Standing, now: datetime, options: LifecycleOptions) -> bool:
    return one.notified_at is None or abs(now - one.notified_at) >= options.repeat_interval


@dataclass(frozen=True, slots=True, kw_only=True)
class _Muted:
    """`by`: alerts that are sources of a rule, by the values that its targets have to equal."""

    rule: Inhibition
    by: Mapping[tuple[str | None, ...], frozenset[AlertId]]


def _muted(sources: Sequence[Standing], options: LifecycleOptions) -> Sequence[_Muted]:
    """Return what each rule mutes, so that each alert is looked at once a rule, however many stand."""
    found: list[_Muted] = []
    for rule in options.inhibitions:
        by: dict[tuple[str | None, ...], set[AlertId]] = {}
        for one in sources:
            if matches(one.alert, rule.source):
                by.setdefault(_values(one, rule), set()).add(one.alert.id)
        found.append(_Muted(rule=rule, by={key: frozenset(ids) for key, ids in by.items()}))
    return found


def _inhibited(one: Standing, muted: Sequence[_Muted]) -> bool:
    return any(
        matches(one.alert, each.rule.target)
        and not each.by.get(_values(one, each.rule), frozenset()) <= {one.alert.id}
        for each in muted
    )


def _values(one: Standing, rule: Inhibition) -> tuple[str | None, ...]:
    return tuple(one.alert.labels.get(name) for name in rule.equal)


def _notices(group: _Group, now: datetime, options: LifecycleOptions) -> Sequence[Notice]:
    held = group.last is not None and now - group.last < options.group_interval
    found = (
        (NoticeKind.FIRING, [] if held else group.fresh),
        (NoticeKind.REMINDER, group.reminded),
        (NoticeKind.RESOLVED, group.ended),
        (NoticeKind.UNSAID, group.unsaid),
    )
    return [
        Notice(kind=kind, told=ordered[start : start + MOST_TOGETHER])
        for kind, told in found
        for ordered in [_ordered(told)]
        for start in range(0, len(ordered), MOST_TOGETHER)
    ]


def _ordered(told: Sequence[Standing]) -> tuple[Standing, ...]:
    def rank(one: Standing) -> tuple[int, datetime, str]:
        return (-SEVERITY_WEIGHTS[one.alert.severity], one.alert.starts_at, one.alert.id)

    return tuple(sorted(told, key=rank))
