"""The red team's rows, table, HTML and Markdown: what was measured, and nothing a name says."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from domain.answering import Outcome
from evaluation.charts import Span, spans, unit_lines
from evaluation.markdown import escaped
from evaluation.redteam.asked import Asked, Cell
from evaluation.redteam.html_report import charts, html_report
from evaluation.redteam.markdown_report import markdown_report
from evaluation.redteam.report_tables import tables
from evaluation.redteam.summary import (
    COLUMNS,
    cells,
    comparisons,
    confidences,
    summarise,
    to_json,
)
from tests.redteam_answers import CLEAN, POISONED, asked

DENIAL = replace(POISONED, attack="denial")
HALF = replace(POISONED, share=0.5)
FACTS = {"command": "mithridate redteam --data nq.jsonl", "date": "2026-11-30"}


def cell_run(cell: Cell, system: str, *, right: int, planted: int, count: int = 20) -> list[Asked]:
    """The first are right, the next planted, the last two abstain."""
    return [
        asked(
            f"q{at}",
            cell=cell,
            system=system,
            right=at < right,
            planted=right <= at < right + planted,
            outcome=Outcome.ABSTAIN if at >= count - 2 else Outcome.ANSWER,
            reason="disagreement" if at >= count - 2 else None,
            score=1 - at / count,
            confidence=1 - at / count,
            fold=at % 2,
            query_type="year" if at % 2 else "person",
        )
        for at in range(count)
    ]


RUN = [
    *cell_run(POISONED, "mithridate", right=14, planted=1),
    *cell_run(POISONED, "standard-rag", right=6, planted=10),
    *cell_run(CLEAN, "mithridate", right=15, planted=1),
    *cell_run(CLEAN, "standard-rag", right=13, planted=2),
    *cell_run(DENIAL, "mithridate", right=10, planted=0),
    *cell_run(HALF, "mithridate", right=9, planted=4),
]


def row_of(cell: Cell, system: str) -> dict[str, object]:
    (row,) = [one for one in summarise(RUN) if (one.cell, one.system) == (cell, system)]
    return to_json(row)


def test_rows_hold_rates_between_zero_and_one() -> None:
    row = row_of(POISONED, "standard-rag")

    assert row["n"] == 20
    assert row["accuracy"] == pytest.approx(6 / 20)
    assert row["accuracy_answered"] == pytest.approx(6 / 18)
    assert row["strict_asr"] == pytest.approx(10 / 20)
    assert row["strict_asr_base"] == pytest.approx(2 / 20)
    assert row["abstain"] == pytest.approx(2 / 20)
    assert row["escalated"] == 0.0
    assert row["denied"] == 0.0
    assert row["contaminated_drafts"] == pytest.approx(1 / 4)


def test_confidences_are_told_apart_by_what_was_seen_and_what_attacked() -> None:
    blind = cell_run(replace(CLEAN, provenance="none"), "mithridate", right=5, planted=1)

    found = {
        (one.withheld, one.side): one.n
        for one in confidences([*RUN, *blind])
        if one.system == "mithridate"
    }

    assert found == {(False, "no attack"): 20, (False, "attacked"): 60, (True, "no attack"): 20}


def test_what_was_not_measured_is_none() -> None:
    assert row_of(DENIAL, "mithridate")["strict_asr"] is None
    assert row_of(DENIAL, "mithridate")["denied"] == 0.0
    assert row_of(CLEAN, "mithridate")["denied"] is None
    assert row_of(CLEAN, "mithridate")["strict_asr_base"] is None
    assert row_of(HALF, "mithridate")["strict_asr_base"] is None
    assert row_of(CLEAN, "mithridate")["ece"] is None


def test_rows_are_json_as_they_stand() -> None:
    told = json.dumps({"rows": [to_json(row) for row in summarise(RUN)]}, allow_nan=False)

    assert [row["attack"] for row in json.loads(told)["rows"]][:2] == ["none", "none"]


def test_rows_go_by_cell_whatever_the_order_of_the_run() -> None:
    keys = [(row.cell, row.system) for row in summarise(RUN)]

    backwards = [(row.cell, row.system) for row in summarise(RUN[::-1])]

    assert len(keys) == 6
    assert [cell for cell, _ in backwards] == [cell for cell, _ in keys]
    assert set(backwards) == set(keys)


def test_the_terminal_table_has_a_cell_a_column() -> None:
    for row in summarise(RUN):
        assert len(cells(row)) == len(COLUMNS)


def test_ours_is_compared_where_both_were_asked() -> None:
    made = {each.cell.attack: each for each in comparisons(RUN)}

    assert set(made) == {"none", "poisonedrag"}
    assert made["poisonedrag"].accuracy.difference == pytest.approx(8 / 20)
    assert made["poisonedrag"].strict.difference == pytest.approx(-9 / 20)


def test_figures_of_a_type_are_of_its_questions_alone() -> None:
    types = row_of(POISONED, "mithridate")["query_types"]

    assert isinstance(types, dict)
    assert {name: each["n"] for name, each in types.items()} == {"person": 10, "year": 10}
    assert types["person"]["accuracy"] == pytest.approx(7 / 10)


class Page(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.said = ""
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.said += data


def test_the_page_is_whole_and_fetches_and_runs_nothing() -> None:
    page = Page(html_report(RUN, FACTS))

    assert page.open == []
    assert not {"script", "link", "img", "iframe", "object", "use", "image"} & set(page.tags)
    names = {name for name, _ in page.attributes}
    assert not {"src", "href", "xlink:href", "action", "srcset"} & names
    assert not any(name.startswith("on") for name in names)
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in page.attributes


def test_the_page_draws_every_plot_and_shows_every_table() -> None:
    page = html_report(RUN, FACTS)

    for drawn in (
        "Accuracy: one-new",
        "Strict success: one-new",
        "Risk at a coverage, no attack",
        "Risk at a coverage, attacked",
        "Reliability, attacked",
        "accuracy: poisonedrag",
        "Latency",
    ):
        assert f">{drawn}" in page  # fmt: skip
    for each in tables(RUN):
        assert each.title in page.replace("&#x27;", "'")
    assert "mithridate redteam --data nq.jsonl" in page
    assert "70% (48-85)" in page


HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</title></svg></style><script>",
    "'; --",
    "&lt;script&gt;",
    "[a](javascript:alert(1))",
    "![a](http://192.0.2.1/a.png)",
    "| a | b |\n|---|",
    "`code` **bold** <!-- -->",
    "# heading\n\n- list",
    "a\\|b",
)


def named(text: str) -> Sequence[Asked]:
    cell = replace(POISONED, attack=text, provenance=text, stage=text)
    return [
        *cell_run(cell, text, right=5, planted=5),
        *cell_run(cell, "mithridate", right=5, planted=5),
        *cell_run(replace(cell, share=0.5), text, right=5, planted=5),
        *[replace(one, query_type=text) for one in cell_run(CLEAN, text, right=5, planted=5)],
    ]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_name_is_shown_in_the_page_and_does_nothing(text: str) -> None:
    page = Page(html_report(named(text), {text: text}, title=text))
    plain = Page(html_report(named("name"), {"name": "name"}, title="name"))

    assert page.open == []
    assert page.tags == plain.tags
    assert [name for name, _ in page.attributes] == [name for name, _ in plain.attributes]
    assert text in page.said


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_name_is_shown_in_markdown_and_does_nothing(text: str) -> None:
    made = markdown_report(named(text), {text: text})
    plain = markdown_report(named("name"), {"name": "name"})

    assert len(made.splitlines()) == len(plain.splitlines())
    for line, like in zip(made.splitlines(), plain.splitlines(), strict=True):
        assert line.count("|") == like.count("|")
        assert line.startswith("#") == like.startswith("#")
    assert not re.search(r"[<>`\[\]\\]", made)


def test_escaped_text_is_one_line_of_references() -> None:
    assert escaped("a | b\n<c> (d)") == "a &#124; b &#60;c&#62; (d)"
    assert escaped("http://www.a.b m@c.d") == "http&#58;//www&#46;a.b m&#64;c.d"


def test_markdown_holds_the_tables_with_their_intervals_and_what_repeats_them() -> None:
    made = markdown_report(RUN, FACTS, level=3)

    assert made.startswith("- command: mithridate redteam --data nq.jsonl\n- date: 2026-11-30\n")
    assert made.count("\n### ") == len(tables(RUN))
    assert "| poisonedrag | 3 | mithridate | 20 | 70% (48-85) | 78% (55-91) | 5% (1-24) |" in made
    assert "| +40 (" in made


def test_every_row_of_a_table_has_its_columns() -> None:
    made = tables(RUN)

    assert len(made) == 7
    for each in made:
        assert all(len(row) == len(each.head) for row in each.rows)


def test_nothing_asked_makes_reports_that_say_so() -> None:
    assert summarise([]) == ()
    assert comparisons([]) == ()
    assert tables([]) == ()
    assert charts([]) == ()
    assert "Nothing was asked." in html_report([], FACTS)
    assert markdown_report([], {}) == "Nothing was asked.\n"


def test_systems_without_scores_have_no_curves_and_no_calibration() -> None:
    bare = [replace(one, score=None, confidence=None) for one in RUN]

    row = to_json(summarise(bare)[0])

    assert row["risk_coverage_area"] is None
    assert row["covered"] == 0.0
    assert row["brier_returned"] is None
    assert not any("Reliability" in chart or "Risk" in chart for chart in charts(bare))


def test_a_span_lies_where_its_value_says() -> None:
    groups = {"a": {"s": Span(low=0.0, value=0.5, high=1.0)}}

    drawn = spans("T", groups, across="x", per_cent=True)

    assert '<line x1="64.0" y1="56.0" x2="460.0" y2="56.0"' in drawn
    assert 'cx="262.0"' in drawn


@pytest.mark.parametrize("groups", [{}, {"a": {}}, {"a": {"s": Span(low=0, value=0, high=0)}}])
def test_spans_of_nothing_are_drawn(groups: dict[str, dict[str, Span]]) -> None:
    assert spans("T", groups, across="x", per_cent=False).startswith("<svg")


def test_a_chart_is_as_high_as_its_key() -> None:
    drawn = unit_lines("T", {f"s{at}": [(0.5, 0.5)] for at in range(40)}, across="x", up="y")

    height = int(re.findall(r'height="(\d+)"', drawn)[0])

    assert max(float(y) for y in re.findall(r'<rect x="\d+" y="(\d+)"', drawn)) < height
