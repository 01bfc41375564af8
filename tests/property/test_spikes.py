"""Laws of the spike detector, whatever is observed, in whatever batches, over any restart."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from domain.monitoring import AlertStatus, Observation
from monitors.spike_states import dump_state, load_state
from monitors.spikes import Advance, Signal, SpikeOptions, SpikeState, advance
from monitors.windows import window_of
from tests.builders import EPOCH
from tests.unit.monitors.streams import observe

NOW = EPOCH + timedelta(days=1000)
# Small, so that short examples reach every state.
OPTIONS = SpikeOptions(window=4, baseline=6, least_affected=2, prior_weight=1.0)

PAIRWISE = (0.0, 0.4, 0.5, 2 / 3, 5 / 6, 1.0)


def run(series: Sequence[Observation], state: SpikeState, *, now: datetime = NOW) -> Advance:
    return advance(series, state, now=now, options=OPTIONS)


@st.composite
def streams(draw: st.DrawFn) -> list[Observation]:
    """Return stretches of agreement and of disagreement, with repeats and lone voters."""
    lengths = draw(st.lists(st.integers(0, 14), min_size=1, max_size=6))
    odd = draw(st.sampled_from([0.0, 0.1, 0.3]))
    random = Random(draw(st.integers(0, 1 << 32)))  # noqa: S311 - an example, no secret
    observations: list[Observation] = []
    seconds = 0.0
    for stretch, length in enumerate([8, *lengths]):
        for _ in range(length):
            seconds += random.choice((0.0, 1.0, 60.0, 86_400.0))
            loud = (stretch % 2 == 1) is not (random.random() < odd)
            observations.append(
                observe(
                    len(observations),
                    random.choice(PAIRWISE[1:]) if loud else 0.0,
                    seats=random.choice((0, 1, 2, 3)) if random.random() < odd else 4,
                    principal=random.choice(("key:a", "key:b")),
                    key="same" if random.random() < odd else None,
                    m=3 if random.random() < odd else 5,
                    seconds=seconds,
                )
            )
    return observations


def alternates(signals: Sequence[Signal]) -> bool:
    statuses = [signal.status for signal in signals]
    return all(first is not second for first, second in pairwise(statuses)) and (
        not statuses or statuses[0] is AlertStatus.FIRING
    )


@given(streams())
def test_firing_and_resolved_alternate_and_times_do_not_go_back(
    series: list[Observation],
) -> None:
    step = run(series, SpikeState())

    assert alternates(step.signals)
    assert [signal.at for signal in step.signals] == sorted(signal.at for signal in step.signals)
    open_episode = bool(step.signals) and step.signals[-1].status is AlertStatus.FIRING
    assert (step.state.episode is not None) is open_episode


@given(streams(), st.integers(0, 1 << 32))
def test_the_order_of_a_batch_decides_nothing(series: list[Observation], seed: int) -> None:
    shuffled = list(series)
    Random(seed).shuffle(shuffled)  # noqa: S311 - an order, no secret

    assert run(shuffled, SpikeState()) == run(series, SpikeState())


@given(streams(), st.data())
def test_cutting_a_stream_into_batches_with_restarts_between_changes_nothing(
    series: list[Observation], data: st.DataObject
) -> None:
    ordered = sorted(series, key=lambda seen: (seen.observed_at, seen.question_id))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(ordered)), max_size=5)))
    state, signals = SpikeState(), list[Signal]()

    for start, end in pairwise([0, *cuts, len(ordered)]):
        # A ledger hands in what was taken before as well.
        step = run(ordered[max(start - 10, 0) : end], load_state(dump_state(state)))
        state = step.state
        signals.extend(step.signals)

    whole = run(ordered, SpikeState())
    assert state == whole.state
    assert tuple(signals) == whole.signals


@given(streams())
def test_taking_the_same_observations_again_changes_nothing(series: list[Observation]) -> None:
    once = run(series, SpikeState())

    twice = run(series, once.state)

    assert twice.signals == ()
    assert twice.state == once.state


@given(streams())
def test_every_alert_has_enough_affected_questions_and_a_mean_above_the_floor(
    series: list[Observation],
) -> None:
    fired = [
        signal
        for signal in run(series, SpikeState()).signals
        if signal.status is AlertStatus.FIRING
    ]

    for signal in fired:
        assert len(set(signal.affected)) >= OPTIONS.least_affected
        assert signal.mean >= max(OPTIONS.floor, signal.reference + OPTIONS.margin)


@given(streams())
def test_the_reference_never_leaves_its_absolute_limits(series: list[Observation]) -> None:
    references = run(series, SpikeState()).state.references.values()

    for reference in references:
        assert abs(reference.mean - reference.frozen_mean) <= OPTIONS.drift_total + 1e-9
        assert 0.0 <= reference.mean <= 1.0
        assert len(reference.sample) < OPTIONS.baseline


@given(streams(), st.integers(1, 6))
def test_a_window_holds_each_asker_once_in_order_and_never_too_many(
    series: list[Observation], size: int
) -> None:
    window = window_of(series, size=size)

    askers = [reading.asker for reading in window.readings]
    assert len(set(askers)) == len(askers) <= size
    assert list(window.readings) == sorted(window.readings, key=lambda reading: reading.order)


class Watch(RuleBasedStateMachine):
    """One topic as it is watched: questions come, late ones too, evaluations and restarts."""

    @initialize(baseline=st.sampled_from([0, 6, 6, 8]))
    def begin(self, baseline: int) -> None:
        self.state = SpikeState()
        self.now = EPOCH
        self.ledger: list[Observation] = []
        self.signals: list[Signal] = []
        self.ask(0.0, count=baseline)

    def ask(self, disagreement: float, *, count: int = 1, late: float = 0.0) -> None:
        for _ in range(count):
            self.now += timedelta(seconds=1)
            seconds = (self.now - EPOCH).total_seconds() - late
            self.ledger.append(observe(len(self.ledger), disagreement, seconds=max(seconds, 0.0)))

    @rule(count=st.integers(1, 8))
    def agree(self, count: int) -> None:
        self.ask(0.0, count=count)

    @rule(count=st.integers(1, 8), disagreement=st.sampled_from(PAIRWISE))
    def disagree(self, count: int, disagreement: float) -> None:
        self.ask(disagreement, count=count)

    @rule(late=st.floats(0, 600), disagreement=st.sampled_from(PAIRWISE))
    def commit_late(self, late: float, disagreement: float) -> None:
        self.ask(disagreement, late=late)

    @rule()
    def evaluate(self) -> None:
        step = run(self.ledger, self.state, now=self.now)
        self.state = step.state
        self.signals.extend(step.signals)

    @rule()
    def restart(self) -> None:
        self.state = load_state(dump_state(self.state))

    @rule()
    def lose_the_race(self) -> None:
        """Evaluate for nothing: another evaluator's state was saved."""
        run(self.ledger, self.state, now=self.now)

    @invariant()
    def never_two_firings_without_a_resolve(self) -> None:
        assert alternates(self.signals)

    @invariant()
    def the_state_knows_whether_an_alert_stands(self) -> None:
        stands = bool(self.signals) and self.signals[-1].status is AlertStatus.FIRING
        assert (self.state.episode is not None) is stands


TestWatch = Watch.TestCase
TestWatch.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)
