"""Each detector on streams that should alert, on near misses, and on what it must not see."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from monitors.detectors.charts import ChartOptions
from monitors.detectors.registry import (
    ABSTENTION,
    ARRIVALS,
    COLLAPSE,
    CONCENTRATION,
    CONTESTED,
    FLIP,
    MARGIN,
    SOURCES,
    SPIKE,
    SUSTAINED,
    TENANT_DETECTORS,
    TOPIC_DETECTORS,
)
from monitors.detectors.sustained import at_least
from monitors.detectors.tallies import Trial, Watch, take
from monitors.replay import replay
from monitors.sightings import Sighting
from tests.unit.monitors.sightings import HONEST, planted, run, sighting, source, statuses

ALL = {**TOPIC_DETECTORS, **TENANT_DETECTORS}
Make = Callable[[int], Sighting]
CLEAN = 40


def stream(before: Make, after: Make, *, clean: int = CLEAN, more: int = 30) -> list[Sighting]:
    return [*(before(n) for n in range(clean)), *(after(n) for n in range(clean, clean + more))]


def every(count: int, struck: Make, other: Make) -> Make:
    return lambda number: struck(number) if number % count == 0 else other(number)


def quiet(number: int) -> Sighting:
    return sighting(number, 0.1)


def loud(number: int) -> Sighting:
    return sighting(number, 0.65)


def disputed(number: int) -> Sighting:
    return sighting(number, 0.75, disputed=True)


def withheld(number: int) -> Sighting:
    return sighting(number, None, withheld=True, group=None)


def thin(number: int) -> Sighting:
    return sighting(number, 0.1, margin=0.05)


def wide(number: int) -> Sighting:
    return sighting(number, 0.1, margin=0.9)


def arguing(number: int) -> Sighting:
    return sighting(number, 0.3)


def flooded(number: int) -> Sighting:
    return sighting(number, 0.0, evidence=(*HONEST[:2], *planted(3)))


def flooded_aloud(number: int) -> Sighting:
    return sighting(number, 0.3, evidence=(*HONEST[:2], *planted(3)))


def agreeing(number: int) -> Sighting:
    return sighting(number, 0.0)


def captured(number: int) -> Sighting:
    return sighting(number, evidence=(*HONEST[:2], *planted(3, family="one")))


def sybils(number: int) -> Sighting:
    crowd = tuple(
        source(f"s{number}.{n}", origin=f"uploader:{number}.{n}", age=2.0, established=False)
        for n in range(3)
    )
    return sighting(number, evidence=(*HONEST[:2], *crowd))


def vouched(number: int) -> Sighting:
    fresh = tuple(source(f"n{n}", origin="publisher:new", age=1.0) for n in range(3))
    return sighting(number, evidence=(*HONEST[:2], *fresh))


def old_pool(number: int) -> Sighting:
    old = tuple(
        source(f"o{n}", origin="uploader:old", age=400.0, trust=0.6, established=False)
        for n in range(3)
    )
    return sighting(number, evidence=(*HONEST[:2], *old))


def single(number: int) -> Sighting:
    return sighting(number, evidence=(*HONEST[:3], *planted(1)))


def keyed(number: int) -> Sighting:
    return sighting(number, key=f"k{number % 5}", group=f"right {number % 5}")


def flipped(number: int) -> Sighting:
    made = sighting(number, key=f"k{number % 5}", group="wrong")
    return replace(made, evidence=(*HONEST[:3], *planted(1)))


def flipped_one(number: int) -> Sighting:
    return flipped(number) if number % 5 == 0 else keyed(number)


def renewed_one(number: int) -> Sighting:
    return replace(keyed(number), group="new") if number % 5 == 0 else keyed(number)


def reworded(number: int) -> Sighting:
    """Return one of three questions, answered in one of 41 ways that come in no order."""
    return sighting(number, key=f"k{number % 3}", group=f"g{number * number % 41}")


def reworded_beside(number: int) -> Sighting:
    return replace(reworded(number), evidence=(*HONEST[:3], *planted(1)))


def keyless(number: int) -> Sighting:
    return sighting(number, group="wrong", evidence=(*HONEST[:3], *planted(1)))


def accused(number: int) -> Sighting:
    return sighting(number, 0.6, evidence=(*HONEST[:3], *planted(1)))


def accused_elsewhere(number: int) -> Sighting:
    return replace(accused(number), topic=f"t{number % 6}")


def vouched_aloud(number: int) -> Sighting:
    return sighting(number, 0.6)


def turned(number: int, disagreement: float = 0.6) -> Sighting:
    """Return a question beside what an established origin published lately."""
    late = source("late", origin="publisher:a", age=1.0)
    return sighting(number, disagreement, evidence=(*HONEST[:3], late))


def turned_quietly(number: int) -> Sighting:
    return turned(number, 0.1)


def turned_anew(number: int) -> Sighting:
    late = source("late" if number < 100 else "later", origin="publisher:a", age=1.0)
    return sighting(number, 0.6, evidence=(*HONEST[:3], late))


def backdated(number: int) -> Sighting:
    old = source("old", origin="uploader:x", age=400.0, established=False)
    return sighting(number, 0.6, evidence=(*HONEST[:3], old))


def passing(number: int) -> Sighting:
    """Return a question beside a document that is in no other's evidence."""
    return sighting(number, 0.1, evidence=(*HONEST[:3], source(f"n{number}")))


def varied(number: int) -> Sighting:
    """Return a question of a topic where disagreement has ten values, 0.1 to 0.64."""
    return sighting(number, 0.1 + 0.06 * (number * 7 % 10))


def turned_in_turn(number: int) -> Sighting:
    late = source("late", origin="publisher:a", age=1.0)
    return replace(varied(number), evidence=(*HONEST[:3], late))


HITS: Sequence[tuple[str, str, Make, Make]] = [
    (SPIKE, "every question", quiet, loud),
    (SPIKE, "every second question", quiet, every(2, loud, quiet)),
    (SPIKE, "on an argued topic", arguing, lambda n: sighting(n, 0.85)),
    (SPIKE, "another m than was ever asked", quiet, lambda n: replace(loud(n), stratum="3:x")),
    (SUSTAINED, "every question", quiet, disputed),
    (SUSTAINED, "every second question", quiet, every(2, disputed, quiet)),
    (ABSTENTION, "every question", quiet, withheld),
    (ABSTENTION, "every second question", quiet, every(2, withheld, quiet)),
    (MARGIN, "every question", wide, thin),
    (COLLAPSE, "a flood that agrees", arguing, flooded),
    (COLLAPSE, "a flood on every second question", arguing, every(2, flooded, arguing)),
    (CONCENTRATION, "one fresh family", quiet, captured),
    (CONCENTRATION, "one fresh family, each third question", quiet, every(3, captured, quiet)),
    (CONCENTRATION, "many accounts of one document", quiet, sybils),
    (CONCENTRATION, "whatever the trust", quiet, lambda n: sighting(n, evidence=planted(4, trust=0.95))),
    (FLIP, "every question's answer", keyed, flipped),
    (FLIP, "one question's answer", keyed, flipped_one),
    (SOURCES, "each question beside it goes wrong", quiet, accused),
    (SOURCES, "a tenth of the questions", quiet, every(10, accused, quiet)),
    (SOURCES, "six topics", quiet, accused_elsewhere),
    (SOURCES, "abstentions", quiet, lambda n: replace(withheld(n), evidence=planted(2))),
    (SOURCES, "flips", keyed, flipped),
    (ARRIVALS, "an established origin turns", quiet, turned),
    (ARRIVALS, "a sixth of the questions", quiet, every(6, turned, quiet)),
    (ARRIVALS, "an old text that was not there before", quiet, backdated),
    (ARRIVALS, "among new ones that do no harm", every(4, passing, quiet), every(3, turned, quiet)),
    (ARRIVALS, "as the loudest of a loud topic", varied, lambda n: turned(n, 0.6)),
    (ARRIVALS, "a third as the loudest", varied, every(3, lambda n: turned(n, 0.6), varied)),
    (ARRIVALS, "abstentions", quiet, lambda n: replace(withheld(n), evidence=planted(2))),
    (ARRIVALS, "flips", keyed, flipped),
]  # fmt: skip

MISSES: Sequence[tuple[str, str, Make, Make]] = [
    (SPIKE, "nothing happens", quiet, quiet),
    (SPIKE, "a rise within the usual", quiet, lambda n: sighting(n, 0.15)),
    (SPIKE, "one question in ten", quiet, every(10, loud, quiet)),
    (SPIKE, "loud from the first", loud, loud),
    (SPIKE, "fewer than two voters", quiet, lambda n: sighting(n, None)),
    (SUSTAINED, "a quarter of the questions", quiet, every(4, disputed, quiet)),
    (SUSTAINED, "disputed from the first", disputed, disputed),
    (ABSTENTION, "as many as ever", every(4, withheld, quiet), every(4, withheld, quiet)),
    (MARGIN, "not recorded", quiet, quiet),
    (MARGIN, "thin from the first", thin, thin),
    (COLLAPSE, "agreement without newcomers", arguing, agreeing),
    (COLLAPSE, "newcomers without agreement", arguing, flooded_aloud),
    (COLLAPSE, "nothing that could collapse", agreeing, flooded),
    (CONCENTRATION, "established and fresh", quiet, vouched),
    (CONCENTRATION, "pooled, but old", quiet, old_pool),
    (CONCENTRATION, "a single newcomer in four", quiet, single),
    (CONCENTRATION, "held so from the first", captured, captured),
    (CONCENTRATION, "no evidence at all", quiet, lambda n: sighting(n, evidence=())),
    (FLIP, "no change", keyed, keyed),
    (FLIP, "one answer renewed, nothing fresh beside it", keyed, renewed_one),
    (FLIP, "no key recorded", quiet, keyless),
    (FLIP, "worded anew each time", reworded, reworded),
    (FLIP, "worded anew each time, fresh beside it", reworded, reworded_beside),
    (FLIP, "nothing settled", lambda n: sighting(n, key="k", group=f"{n}"), flipped_one),
    (SOURCES, "wrong beside established evidence alone", quiet, vouched_aloud),
    (SOURCES, "newcomers where nothing goes wrong", quiet, single),
    (SOURCES, "worded anew each time", reworded, reworded_beside),
    (ARRIVALS, "worded anew each time", reworded, reworded_beside),
    (SOURCES, "contested anyway", every(2, accused, quiet), every(2, accused, quiet)),
    (ARRIVALS, "new where nothing goes wrong", quiet, turned_quietly),
    (ARRIVALS, "each question beside another new one", quiet, passing),
    (ARRIVALS, "wrong beside what was always there", quiet, vouched_aloud),
    (ARRIVALS, "new, but not where it goes wrong", quiet, every(3, vouched_aloud, turned_quietly)),
    (ARRIVALS, "as loud as others of a loud topic", varied, turned_in_turn),
    (ARRIVALS, "contested anyway", every(2, turned, quiet), every(2, backdated, quiet)),
    (ARRIVALS, "wrong three times", quiet, every(40, turned, quiet)),
    (ARRIVALS, "no evidence recorded", quiet, lambda n: sighting(n, 0.6, evidence=())),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "what", "before", "after"), HITS, ids=[f"{row[0]}-{row[1]}" for row in HITS]
)
def test_it_alerts_once(name: str, what: str, before: Make, after: Make) -> None:
    series = stream(before, after, more=90)

    signals = run(ALL[name], series)

    assert statuses(signals) == ["firing"], what
    assert signals[0].at >= series[CLEAN].at
    assert signals[0].reasons


@pytest.mark.parametrize(
    ("name", "what", "before", "after"), MISSES, ids=[f"{row[0]}-{row[1]}" for row in MISSES]
)
def test_it_stays_quiet(name: str, what: str, before: Make, after: Make) -> None:
    assert run(ALL[name], stream(before, after, more=120)) == (), what


@pytest.mark.parametrize("name", [SPIKE, ABSTENTION, CONCENTRATION, SOURCES, ARRIVALS])
def test_a_cold_start_is_quiet(name: str) -> None:
    struck = {
        SPIKE: loud,
        ABSTENTION: withheld,
        CONCENTRATION: captured,
        SOURCES: accused,
        ARRIVALS: turned,
    }[name]

    assert run(ALL[name], [struck(n) for n in range(60)]) == ()


@pytest.mark.parametrize(
    ("name", "before", "struck"),
    [
        (SPIKE, quiet, loud),
        (SUSTAINED, quiet, disputed),
        (ABSTENTION, quiet, withheld),
        (MARGIN, wide, thin),
        (COLLAPSE, arguing, flooded),
        (CONCENTRATION, quiet, captured),
        (FLIP, keyed, flipped),
        (SOURCES, quiet, accused),
        (ARRIVALS, quiet, turned_anew),
    ],
)
def test_it_resolves_after_the_calm_and_fires_again(name: str, before: Make, struck: Make) -> None:
    attacks = (range(40, 65), range(165, 190))
    series = [
        struck(n) if any(n in attack for attack in attacks) else before(n) for n in range(290)
    ]

    assert statuses(run(ALL[name], series)) == ["firing", "resolved", "firing", "resolved"]


@pytest.mark.parametrize("name", [SPIKE, COLLAPSE, CONCENTRATION, SOURCES, ARRIVALS])
def test_an_alert_comes_within_ten_struck_questions(name: str) -> None:
    before, struck = {
        SPIKE: (quiet, loud),
        COLLAPSE: (arguing, flooded),
        CONCENTRATION: (quiet, captured),
        SOURCES: (quiet, accused),
        ARRIVALS: (quiet, turned),
    }[name]
    series = stream(before, struck)

    (signal,) = run(ALL[name], series)

    assert signal.at <= series[CLEAN + 9].at


def test_who_is_suspected_is_named() -> None:
    (signal,) = run(ALL[SOURCES], stream(quiet, accused))

    assert "document p0" in signal.sources or "origin uploader:x" in signal.sources
    assert set(signal.questions) <= {f"q_{n:05}" for n in range(CLEAN, CLEAN + 10)}


def test_the_new_documents_beside_which_it_went_wrong_are_named() -> None:
    (signal,) = run(ALL[ARRIVALS], stream(quiet, turned))

    assert signal.sources == ("document late",)
    assert signal.questions == tuple(f"q_{n:05}" for n in range(CLEAN, CLEAN + 4))


def test_a_document_is_new_to_a_topic_for_120_questions() -> None:
    known = [(turned_quietly if n == CLEAN else quiet)(n) for n in range(CLEAN + 120)]
    struck = [turned(n) for n in range(CLEAN + 120, CLEAN + 160)]

    assert run(ALL[ARRIVALS], [*known, *struck]) == ()
    assert statuses(run(ALL[ARRIVALS], [*known[: CLEAN + 90], *struck])) == ["firing"]


def test_the_alert_stands_while_what_it_named_does_harm() -> None:
    struck = stream(quiet, turned, more=200)
    over = [quiet(n) for n in range(len(struck), len(struck) + 40)]

    assert statuses(run(ALL[ARRIVALS], struck)) == ["firing"]
    assert statuses(run(ALL[ARRIVALS], [*struck, *over])) == ["firing", "resolved"]


def test_of_many_documents_those_seen_lately_stay_known() -> None:
    crowd = [
        sighting(n, evidence=(HONEST[0], *(source(f"c{n}.{k}") for k in range(30))))
        for n in range(CLEAN + 120)
    ]
    struck = [replace(loud(n), evidence=HONEST[:1]) for n in range(CLEAN + 120, CLEAN + 160)]

    assert run(ALL[ARRIVALS], [*crowd, *struck]) == ()


def test_of_many_who_are_watched_neither_the_most_suspect_nor_the_latest_is_pushed_out() -> None:
    options = ChartOptions(threshold=50.0)
    hit = Trial(hit=True, ceiling=0.1)
    watch = Watch()
    for n in range(3):
        watch = _tried(watch, {"worst": hit}, n, options)
    for n in range(3, 203):
        watch = _tried(watch, {f"other {n}.{k}": hit for k in range(10)}, n, options)
    watch = _tried(watch, {"last": hit}, 203, options)

    assert len(watch.charts) == 1_000
    assert {"worst", "last", "other 202.9"} <= watch.charts.keys()


def _tried(watch: Watch, trials: Mapping[str, Trial], n: int, options: ChartOptions) -> Watch:
    return take(watch, trials, question_id=f"q{n}", at=sighting(n).at, options=options).watch


def test_ten_thousand_topics_leave_a_thousand_views() -> None:
    detector = ALL[SOURCES]
    state = detector.start()
    for n in range(10_000):
        state = detector.take(replace(quiet(n), topic=f"t{n}"), state).state

    assert list(state.topics) == [f"t{n}" for n in range(9_000, 10_000)]


def test_an_alert_of_a_decoy_buries_no_attack_on_another_topic() -> None:
    """`suspect-sources` stands for one decoy; what another plants elsewhere is told all the same."""
    decoy = [replace(accused(n), topic="decoy", question_id=f"d{n}") for n in range(40, 200)]
    quietly = [replace(quiet(n), topic="decoy", question_id=f"d{n}") for n in range(40)]
    other = source("real", origin="uploader:real", age=1.0, established=False)
    struck = [replace(loud(n), evidence=(*HONEST[:3], other)) for n in range(100, 140)]

    signals = replay([*quietly, *decoy, *(quiet(n) for n in range(100)), *struck])

    told = [(one.detector, one.topic) for one in signals if one.at >= struck[0].at]
    assert (SOURCES, "decoy") in [(one.detector, one.topic) for one in signals]
    assert {(SPIKE, "t"), (ARRIVALS, "t")} <= set(told)


def test_a_contested_topic_gives_one_notice_and_no_alarm() -> None:
    series = [(disputed if n % 2 else quiet)(n) for n in range(200)]

    (notice,) = run(ALL[CONTESTED], series)

    assert notice.severity == "notice"
    assert run(ALL[SUSTAINED], series) == ()
    assert run(ALL[SPIKE], series) == ()


@pytest.mark.parametrize("established", [False, None])
def test_only_established_origins_contest(established: bool | None) -> None:
    pool = tuple(source(name, established=established) for name in "abcd")
    series = [replace(disputed(n), evidence=pool) for n in range(60)]

    assert run(ALL[CONTESTED], series) == ()


def test_a_new_answer_that_lasts_is_settled_in_its_turn() -> None:
    renewed = stream(keyed, renewed_one, more=80)
    back = [replace(seen, question_id=f"b{n}") for n, seen in enumerate(renewed)]

    assert run(ALL[FLIP], [*renewed, *back]) == ()


def test_the_tail_of_the_binomial_is_exact() -> None:
    assert at_least(0, 5, 0.3) == pytest.approx(1.0)
    assert at_least(5, 5, 0.5) == pytest.approx(1 / 32)
    assert at_least(2, 3, 0.5) == pytest.approx(0.5)
