"""What a tuning run concludes from what it measured."""

from __future__ import annotations

import json
from dataclasses import replace

from evaluation.rates import Rate
from evaluation.tuning import by_m, frontier, grid, verdict
from evaluation.tuning_bench import Measured, Setting
from evaluation.tuning_report import lines, page, tables, to_json
from runtime.settings import Settings
from tests.redteam_answers import CLEAN, asked

BASE = Setting(
    m=5,
    k=3,
    limit=30,
    partition="isolated",
    cross_examination="all",
    drafter="<b>extractive",
    verifier="evidence",
)


def measured(
    setting: Setting | None,
    *,
    right: int = 8,
    stolen: int = 0,
    seconds: float = 1.0,
    words: float = 100.0,
    alike: float | None = 0.5,
    picks: dict[int, int] | None = None,
) -> Measured:
    answers = [asked(f"q{at}", cell=CLEAN, right=at < right, planted=False) for at in range(10)]
    return Measured(
        setting=setting,
        asked=tuple(answers),
        right=Rate(hits=right, total=10),
        strict=Rate(hits=stolen, total=10),
        wide=None,
        sure=None,
        seconds=seconds,
        words=words,
        draft_right=Rate(hits=20, total=40),
        possible=Rate(hits=9, total=10),
        selected=Rate(hits=8, total=9),
        alike=alike,
        picks=picks or {0: 4, 1: 4},
    )


def test_the_settings_in_force_come_first_and_none_twice() -> None:
    found = grid(Settings(), drafters=("extractive",), verifiers=("evidence",))

    settings = Settings()
    assert (found[0].m, found[0].k) == (settings.answering.m, settings.answering.k)
    assert len(found) == len(set(found))
    assert {one.partition for one in found} == {"isolated", "multi-perspective", "random"}
    assert {one.cross_examination for one in found} == {"all", "own", "off", "published"}


def test_nothing_on_the_frontier_is_beaten_in_everything() -> None:
    best = measured(BASE, right=9, words=200.0)
    cheap = measured(replace(BASE, k=1), right=7, words=50.0)
    beaten = measured(replace(BASE, k=5), right=7, words=60.0)

    assert frontier([best, cheap, beaten]) == (cheap, best)


def test_sensitivity_to_m_holds_everything_else() -> None:
    wide = measured(replace(BASE, m=8))
    other = measured(replace(BASE, m=8, k=1))

    assert by_m([measured(None), measured(BASE), wide, other]) == (measured(BASE), wide)


def test_standard_rag_that_is_as_good_speaks_against_speculation() -> None:
    found = verdict([measured(None, words=40.0), measured(BASE)])

    assert not found.pays
    assert "standard RAG is right as often" in found.against[0]
    assert lines(found)[-1] == "speculation does not pay here"


def test_fewer_planted_answers_speak_for_it_all_the_same() -> None:
    found = verdict([measured(None, stolen=5), measured(BASE)])

    assert found.against
    assert found.pays
    assert "0 times of 10, standard RAG 5 times" in found.favour[0]


def test_one_pick_and_like_drafts_speak_against_it() -> None:
    found = verdict([measured(BASE, alike=0.95, picks={0: 10})])

    assert ["are alike" in found.against[0], "always picked" in found.against[1]] == [True, True]


def test_reports_hold_every_setting_and_escape_names() -> None:
    run = [measured(None), measured(BASE), measured(replace(BASE, m=8))]
    told = verdict(run)

    shown = page(run, told, {"command": "mithridate tune --data <x>"})
    made = json.loads(json.dumps(to_json(run, told, {}), allow_nan=False))

    assert tables(run)[0].title == "Settings"
    assert "<b>extractive" not in shown
    assert shown.count("<svg") == 2
    assert [one["m"] for one in made["settings"]] == [None, 5, 8]
    assert made["sensitivity_to_m"] == [{"m": 5, "right": 0.8}, {"m": 8, "right": 0.8}]
