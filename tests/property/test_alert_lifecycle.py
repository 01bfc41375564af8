"""Whatever happens to alerts, and whenever the dispatcher dies: told once, never lost."""

from __future__ import annotations

from collections import Counter, UserDict
from collections.abc import ItemsView
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from domain.alerting import Event, Silence, Standing
from domain.documents import DEFAULT_TENANT
from domain.monitoring import Alert, AlertId, AlertStatus, Severity
from monitors.lifecycle import (
    MOST_TOGETHER,
    Inhibition,
    LifecycleOptions,
    NoticeKind,
    plan,
)

START = datetime(2026, 11, 1, tzinfo=UTC)
NAMES, TOPICS = ("spike", "flip", "flood"), ("t1", "t2")
OPTIONS = LifecycleOptions(
    group_interval=timedelta(minutes=1),
    repeat_interval=timedelta(hours=4),
    inhibitions=(
        Inhibition(
            source={"name": "spike", "severity": "critical"},
            target={"name": "flip"},
            equal=("topic",),
        ),
    ),
)
causes = st.tuples(st.sampled_from(NAMES), st.sampled_from(TOPICS))


def alert(name: str, topic: str, *, id: str, at: datetime, severity: Severity) -> Alert:
    labels = {"monitor": name, "topic": topic}
    return Alert(
        id=AlertId(id),
        tenant_id=DEFAULT_TENANT,
        name=name,
        fingerprint=f"{name}/{topic}",
        severity=severity,
        status=AlertStatus.FIRING,
        labels=labels,
        annotations={},
        starts_at=at,
    )


def standing(alert: Alert, *, notices: int = 0, at: datetime | None = None) -> Standing:
    event = Event(type="alert.firing", payload="{}")
    return Standing(alert=alert, began=event, ended=None, notices=notices, notified_at=at)


class Episodes(RuleBasedStateMachine):
    """A ledger of alerts, meddled with at random, and what was said of each episode."""

    @initialize()
    def begin(self) -> None:
        self.now = START
        self.kept: dict[str, Standing] = {}
        self.silences: list[Silence] = []
        self.said: Counter[tuple[str, NoticeKind]] = Counter()
        self.reminded_at: dict[str, datetime] = {}
        self.episodes = 0

    @rule(cause=causes, severity=st.sampled_from(list(Severity)))
    def fire(self, cause: tuple[str, str], severity: Severity) -> None:
        name, topic = cause
        if not any(
            one.firing and one.alert.fingerprint == f"{name}/{topic}" for one in self.kept.values()
        ):
            self.episodes += 1
            id = f"alr_{self.episodes}"
            self.kept[id] = standing(alert(name, topic, id=id, at=self.now, severity=severity))

    @rule(cause=causes)
    def resolve(self, cause: tuple[str, str]) -> None:
        for id, one in self.kept.items():
            if one.firing and one.alert.fingerprint == "/".join(cause):
                ended = replace(one.alert, status=AlertStatus.RESOLVED, ends_at=self.now)
                event = Event(type="alert.resolved", payload="{}")
                self.kept[id] = replace(one, alert=ended, ended=event)

    @rule(cause=causes)
    def acknowledge(self, cause: tuple[str, str]) -> None:
        for id, one in self.kept.items():
            if one.firing and one.alert.fingerprint == "/".join(cause):
                seen = replace(one.alert, acknowledged_at=self.now, acknowledged_by="ann")
                self.kept[id] = replace(one, alert=seen)

    @rule(name=st.sampled_from(NAMES), hours=st.integers(1, 9))
    def silence(self, name: str, hours: int) -> None:
        self.silences.append(
            Silence(
                id=f"sil_{len(self.silences)}",
                tenant_id=DEFAULT_TENANT,
                matchers={"name": name},
                author="ann",
                reason="known",
                created_at=self.now,
                expires_at=self.now + timedelta(hours=hours),
            )
        )

    @rule(seconds=st.sampled_from([1, 30, 61, 3_600, 5 * 3_600]))
    def wait(self, seconds: int) -> None:
        self.now += timedelta(seconds=seconds)

    @rule(crash_after=st.integers(0, 4))
    def dispatch(self, crash_after: int) -> None:
        """Say and write down the first notices; then the dispatcher dies."""
        notices = plan(list(self.kept.values()), self.silences, now=self.now, options=OPTIONS)
        for notice in notices[:crash_after]:
            self.say(notice.kind, notice.told)
            for step in notice.steps:
                one = self.kept[step.alert_id]
                assert one.notices == step.notices_before
                if step.settled:
                    del self.kept[step.alert_id]
                else:
                    self.kept[step.alert_id] = replace(
                        one, notices=step.notices, notified_at=self.now
                    )

    def say(self, kind: NoticeKind, told: tuple[Standing, ...]) -> None:
        assert len({one.alert.name for one in told}) == 1
        for one in told:
            id = one.alert.id
            self.said[id, kind] += 1
            assert self.said[id, NoticeKind.FIRING] <= 1
            assert self.said[id, NoticeKind.RESOLVED] <= self.said[id, NoticeKind.FIRING]
            assert self.said[id, NoticeKind.RESOLVED] <= 1
            if kind is NoticeKind.UNSAID:
                assert not self.said[id, NoticeKind.FIRING]
            if kind is NoticeKind.REMINDER:
                assert one.alert.acknowledged_at is None
                assert self.now - self.reminded_at[id] >= OPTIONS.repeat_interval
            if kind in (NoticeKind.FIRING, NoticeKind.REMINDER):
                self.reminded_at[id] = self.now
            if kind is NoticeKind.FIRING or kind is NoticeKind.REMINDER:
                assert not any(s.covers(one.alert, now=self.now) for s in self.silences)

    def teardown(self) -> None:
        """Once nothing is silenced any more, everything is said."""
        if not hasattr(self, "kept"):
            return
        self.now += timedelta(days=2)
        for _ in range(4):
            self.now += timedelta(minutes=2)
            self.dispatch(crash_after=99)
        for one in self.kept.values():
            inhibited = one.alert.name == "flip" and any(
                other.alert.name == "spike"
                and other.alert.severity is Severity.CRITICAL
                and other.alert.labels["topic"] == one.alert.labels["topic"]
                for other in self.kept.values()
            )
            assert one.firing
            assert one.notices > 0 or inhibited


Episodes.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
test_episodes = Episodes.TestCase


@given(flood=st.integers(1, 40), severity=st.sampled_from(list(Severity)))
def test_a_flood_of_one_cause_holds_back_no_alert_of_another(
    flood: int, severity: Severity
) -> None:
    told = [
        standing(
            alert("flood", f"t{n}", id=f"f{n}", at=START, severity=Severity.CRITICAL),
            notices=1,
            at=START,
        )
        for n in range(flood)
    ]
    other = standing(alert("flip", "t1", id="a", at=START, severity=severity))

    notices = plan([*told, other], [], now=START, options=OPTIONS)

    assert [(one.kind, [s.alert.id for s in one.told]) for one in notices] == [
        (NoticeKind.FIRING, ["a"])
    ]


def test_alerts_of_one_cause_that_follow_closely_are_told_together() -> None:
    first = standing(
        alert("flood", "t0", id="f0", at=START, severity=Severity.WARNING), notices=1, at=START
    )
    later = [
        standing(alert("flood", f"t{n}", id=f"f{n}", at=START, severity=Severity.WARNING))
        for n in (1, 2)
    ]
    worst = standing(alert("flood", "t9", id="f9", at=START, severity=Severity.CRITICAL))
    everything = [first, *later, worst]

    early = plan(everything, [], now=START + timedelta(seconds=59), options=OPTIONS)
    (together,) = plan(everything, [], now=START + timedelta(seconds=60), options=OPTIONS)

    assert not early
    assert [one.alert.id for one in together.told] == ["f9", "f1", "f2"]


def test_what_is_suppressed_is_in_no_group_and_is_told_when_it_no_longer_is() -> None:
    spike = standing(
        alert("spike", "t1", id="s", at=START, severity=Severity.CRITICAL), notices=1, at=START
    )
    flips = [
        standing(alert("flip", topic, id=topic, at=START, severity=Severity.WARNING))
        for topic in TOPICS
    ]

    during = plan([spike, *flips], [], now=START, options=OPTIONS)
    after = plan(flips, [], now=START, options=OPTIONS)

    assert [[one.alert.id for one in notice.told] for notice in during] == [["t2"]]
    assert [[one.alert.id for one in notice.told] for notice in after] == [["t1", "t2"]]


def test_a_silenced_alert_inhibits_nothing() -> None:
    spike = standing(
        alert("spike", "t1", id="s", at=START, severity=Severity.CRITICAL), notices=1, at=START
    )
    flip = standing(alert("flip", "t1", id="f", at=START, severity=Severity.WARNING))
    silence = Silence(
        id="sil",
        tenant_id=DEFAULT_TENANT,
        matchers={"name": "spike"},
        author="ann",
        reason="noisy",
        created_at=START,
        expires_at=START + timedelta(hours=1),
    )

    notices = plan([spike, flip], [silence], now=START, options=OPTIONS)

    assert [[one.alert.id for one in notice.told] for notice in notices] == [["f"]]


def test_each_alert_of_a_flood_is_named_once_the_worst_first() -> None:
    flood = [
        standing(alert("flood", f"t{n}", id=f"f{n}", at=START, severity=Severity.WARNING))
        for n in range(3 * MOST_TOGETHER)
    ]
    buried = standing(alert("flood", "t_", id="b", at=START, severity=Severity.CRITICAL))

    notices = plan([*flood, buried], [], now=START, options=OPTIONS)

    named = [one.alert.id for notice in notices for one in notice.told]
    assert [len(notice.told) for notice in notices] == [*[MOST_TOGETHER] * 3, 1]
    assert named[0] == "b"
    assert sorted(named) == sorted(one.alert.id for one in [*flood, buried])


def test_a_clock_that_ran_ahead_holds_back_neither_news_nor_reminders() -> None:
    day = timedelta(days=1)
    told = standing(
        alert("flood", "t0", id="f0", at=START, severity=Severity.WARNING),
        notices=1,
        at=START + day,
    )
    news = standing(alert("flood", "t1", id="f1", at=START, severity=Severity.WARNING))

    notices = plan([told, news], [], now=START, options=OPTIONS)

    assert [(one.kind, [s.alert.id for s in one.told]) for one in notices] == [
        (NoticeKind.FIRING, ["f1"]),
        (NoticeKind.REMINDER, ["f0"]),
    ]


def test_ten_thousand_alerts_are_planned_in_the_time_of_so_many_looks() -> None:
    flood = [
        standing(alert(name, f"t{n}", id=f"{name}{n}", at=START, severity=Severity.CRITICAL))
        for n in range(5_000)
        for name in ("spike", "flip")
    ]
    looks: Counter[str] = Counter()

    class Counted(UserDict[str, str]):
        """Labels of a rule that count how often alerts are held against them."""

        def items(self) -> ItemsView[str, str]:
            looks["all"] += 1
            return super().items()

    rule = OPTIONS.inhibitions[0]
    counted = replace(rule, source=Counted(rule.source), target=Counted(rule.target))

    notices = plan(flood, [], now=START, options=replace(OPTIONS, inhibitions=(counted,)))

    assert {one.alert.name for notice in notices for one in notice.told} == {"spike"}
    assert sum(len(notice.told) for notice in notices) == 5_000
    assert looks["all"] <= 2 * len(flood)
