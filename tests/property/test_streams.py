"""Laws of the detectors over a stream, whatever is observed, in whatever batches, over any restart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitors.detectors.interface import Detector
from monitors.detectors.ranks import RankOptions, Usual
from monitors.detectors.references import ReferenceOptions, begun, learn
from monitors.detectors.registry import TENANT_DETECTORS, TOPIC_DETECTORS
from monitors.detectors.wagers import BROKE, evidence, wager
from monitors.sightings import Sighting, Signal
from monitors.stream import Advance, StreamOptions, StreamState, advance
from monitors.stream_states import dump_state, load_state
from tests.builders import EPOCH
from tests.unit.monitors.sightings import HONEST, planted, sighting

NOW = EPOCH + timedelta(days=1000)
SETS = [TOPIC_DETECTORS, TENANT_DETECTORS]
Detectors = Mapping[str, Detector[Any]]


def run(series: Sequence[Sighting], state: StreamState, detectors: Detectors) -> Advance:
    return advance(series, state, now=NOW, detectors=detectors, options=StreamOptions())


@st.composite
def streams(draw: st.DrawFn) -> list[Sighting]:
    """Return stretches of health and of attack, with repeats, other strata and lone voters."""
    random = Random(draw(st.integers(0, 1 << 32)))  # noqa: S311 - an example, no secret
    made: list[Sighting] = []
    seconds = 0.0
    for stretch, length in enumerate([35, *draw(st.lists(st.integers(0, 35), max_size=3))]):
        for _ in range(length):
            seconds += random.choice((0.0, 1.0, 60.0, 86_400.0))
            struck = stretch % 2 == 1
            number = len(made)
            made.append(
                sighting(
                    number,
                    random.choice((0.6, 0.9)) if struck else random.choice((0.0, 0.1, 0.3, None)),
                    at=EPOCH + timedelta(seconds=seconds),
                    asker=f"a{random.randrange(40)}",
                    key=f"k{number % 4}",
                    group="wrong" if struck else f"right {number % 4}",
                    withheld=random.random() < (0.5 if struck else 0.05),
                    disputed=struck,
                    margin=random.choice((None, 0.1 if struck else 0.9)),
                    stratum=random.choice(("5:long", "5:long", "3:short")),
                    evidence=(*HONEST[:2], *planted(3)) if struck else HONEST,
                )
            )
    return made


def alternates(signals: Sequence[Signal]) -> bool:
    by_detector: dict[str, list[str]] = {}
    for signal in signals:
        by_detector.setdefault(signal.detector, []).append(signal.status)
    return all(
        told[0] == "firing" and all(first != second for first, second in pairwise(told))
        for told in by_detector.values()
    )


@pytest.mark.parametrize("detectors", SETS)
@given(series=streams())
@settings(max_examples=25, deadline=None)
def test_firing_and_resolved_alternate_and_times_do_not_go_back(
    detectors: Detectors, series: list[Sighting]
) -> None:
    step = run(series, StreamState(), detectors)

    assert alternates(step.signals)
    assert [signal.at for signal in step.signals] == sorted(signal.at for signal in step.signals)
    last = {signal.detector: signal for signal in step.signals}
    assert dict(step.state.standing) == {
        name: signal for name, signal in last.items() if signal.status == "firing"
    }


@pytest.mark.parametrize("detectors", SETS)
@given(series=streams(), seed=st.integers(0, 1 << 32))
@settings(max_examples=15, deadline=None)
def test_the_order_of_a_batch_decides_nothing(
    detectors: Detectors, series: list[Sighting], seed: int
) -> None:
    shuffled = list(series)
    Random(seed).shuffle(shuffled)  # noqa: S311 - an order, no secret

    assert run(shuffled, StreamState(), detectors) == run(series, StreamState(), detectors)


@pytest.mark.parametrize("detectors", SETS)
@given(series=streams(), data=st.data())
@settings(max_examples=25, deadline=None)
def test_cutting_a_stream_into_batches_with_restarts_between_changes_nothing(
    detectors: Detectors, series: list[Sighting], data: st.DataObject
) -> None:
    ordered = sorted(series, key=lambda seen: seen.order)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(ordered)), max_size=4)))
    state, signals = StreamState(), list[Signal]()

    for start, end in pairwise([0, *cuts, len(ordered)]):
        # A ledger hands in what was taken before as well.
        batch = ordered[max(start - 10, 0) : end]
        step = run(batch, load_state(dump_state(state), detectors), detectors)
        state = step.state
        signals.extend(step.signals)

    whole = run(ordered, StreamState(), detectors)
    assert state == whole.state
    assert tuple(signals) == whole.signals


@pytest.mark.parametrize("detectors", SETS)
@given(series=streams())
@settings(max_examples=15, deadline=None)
def test_nothing_later_decides_what_was_told_before(
    detectors: Detectors, series: list[Sighting]
) -> None:
    ordered = sorted(series, key=lambda seen: seen.order)
    half = ordered[: len(ordered) // 2]

    whole = run(ordered, StreamState(), detectors).signals

    told = run(half, StreamState(), detectors).signals
    assert whole[: len(told)] == told


@pytest.mark.parametrize("detectors", SETS)
@given(series=streams())
@settings(max_examples=15, deadline=None)
def test_taking_the_same_observations_again_changes_nothing(
    detectors: Detectors, series: list[Sighting]
) -> None:
    once = run(series, StreamState(), detectors)

    twice = run(series, once.state, detectors)

    assert twice.signals == ()
    assert twice.state == once.state


@given(st.lists(st.floats(0, 1), min_size=1, max_size=200))
def test_a_reference_stays_within_its_limits(values: list[float]) -> None:
    options = ReferenceOptions(memory=60)
    reference = begun(options)

    for number, value in enumerate(values):
        reference = learn(reference, value, EPOCH + timedelta(hours=number), options)

        assert 0.0 <= reference.mean <= 1.0
        assert 0.0 < reference.ceiling(options) < 1.0
        assert reference.count <= options.memory
        if reference.frozen is not None:
            assert abs(reference.mean - reference.frozen) <= options.drift_total + 1e-9


@given(st.lists(st.floats(0, 1), max_size=60), st.floats(0.01, 0.95))
def test_a_gambler_never_owes(values: list[float], ceiling: float) -> None:
    wealth = BROKE

    for value in values:
        wealth = wager(wealth, value, ceiling)

        assert min(wealth) >= 0.0
        assert math.isfinite(evidence(wealth))


@given(st.floats(0.05, 0.9))
def test_no_bet_can_be_expected_to_win_at_the_ceiling(ceiling: float) -> None:
    won, lost = wager(BROKE, 1.0, ceiling), wager((9.0,) * len(BROKE), 0.0, ceiling)

    for gain, left in zip(won, lost, strict=True):
        fair = ceiling * math.exp(gain) + (1 - ceiling) * math.exp(left - 9.0)
        assert fair == pytest.approx(1.0)


@pytest.mark.parametrize("repeats", [30, 200])
def test_one_principal_who_repeats_a_question_alarms_nobody(repeats: int) -> None:
    calm = [sighting(n, 0.05) for n in range(40)]
    asked = [
        sighting(40 + n, 0.9, at=EPOCH + timedelta(hours=40, seconds=n), asker="one", disputed=True)
        for n in range(repeats)
    ]

    assert run([*calm, *asked], StreamState(), TOPIC_DETECTORS).signals == ()


def test_what_comes_too_late_or_from_the_future_is_passed_over() -> None:
    state = run([sighting(n) for n in range(5)], StreamState(), TOPIC_DETECTORS).state
    late = sighting(100, at=EPOCH)
    ahead = sighting(101, at=NOW + timedelta(seconds=1))

    assert run([late, ahead], state, TOPIC_DETECTORS).state == state


def test_an_observation_of_a_clock_that_ran_ahead_blinds_nobody_and_nothing_counts_twice() -> None:
    calm = [sighting(n, 0.05) for n in range(40)]
    ahead = sighting(40, 0.05, at=calm[-1].at + timedelta(days=300))
    state = run([*calm, ahead], StreamState(), TOPIC_DETECTORS).state
    right = calm[-1].at + timedelta(minutes=1)
    options = StreamOptions()

    back = advance([*calm, ahead], state, now=right, detectors=TOPIC_DETECTORS, options=options)
    loud = [sighting(n, 0.9, at=right + timedelta(hours=n)) for n in range(41, 55)]
    told = advance(
        [*calm, *loud, ahead],
        back.state,
        now=loud[-1].at,
        detectors=TOPIC_DETECTORS,
        options=options,
    )

    assert back.state.detectors == state.detectors
    assert "firing" in {signal.status for signal in told.signals}


def test_clocks_that_differ_by_seconds_change_nothing() -> None:
    state = run([sighting(n) for n in range(5)], StreamState(), TOPIC_DETECTORS).state
    assert state.latest is not None

    assert state.as_of(state.latest - timedelta(minutes=5), StreamOptions()) is state


@given(values=st.lists(st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9, 1.4]), min_size=2, max_size=60))
def test_no_rank_among_the_usual_can_be_expected_to_win(values: list[float]) -> None:
    for level in (0.3, 0.15):
        shares = [
            Usual(values=(*values[:n], *values[n + 1 :])).among_highest(value, level)
            for n, value in enumerate(values)
        ]

        assert math.fsum(shares) / len(values) <= level + 1e-9


@given(
    values=st.lists(st.floats(0, 2), max_size=400),
    loud=st.integers(0, 300),
)
def test_nobody_teaches_what_is_usual_in_a_day(values: list[float], loud: int) -> None:
    options = RankOptions()
    usual = Usual()
    for n in range(options.memory + options.delay):
        usual = usual.learned(0.0, EPOCH + timedelta(hours=n), options)
    begin = usual.moved_at
    assert begin is not None
    for n, value in enumerate([*values, *[2.0] * loud], 1):
        usual = usual.learned(value, begin + timedelta(seconds=n), options)

    assert len(usual.values) == options.memory
    assert sum(one > 0 for one in usual.values) <= 1
