"""The table of injected instructions comes out of what detectors say."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from benchmarks.ingest.asking import Absent, Answer
from benchmarks.ingest.injection import TIMED, Group, Text, asked, rows
from benchmarks.ingest.remembered import Remembered
from benchmarks.ingest.report import injection_part, placed
from evaluation.markdown import table

MARKED = (
    "# R\n\n<!-- injection: written by the command -->\nold\n<!-- injection: end -->\n\nby hand\n"
)


class Words:
    """A detector that flags what holds a word, and keeps what it was asked."""

    def __init__(self, name: str, word: str, *, cpu_ms: float = 10.0, version: str = "1") -> None:
        self.name, self.version = name, version
        self.asked: list[str] = []
        self._word, self._cpu_ms = word, cpu_ms

    def ask(self, line: Mapping[str, str]) -> Answer:
        self.asked.append(line["text"])
        if "unreadable" in line["text"]:
            return Answer(error="cannot", cpu_ms=self._cpu_ms)
        flagged = self._word in line["text"]
        return Answer(flagged=flagged, score=float(flagged), cpu_ms=self._cpu_ms)


TEXTS = (
    Text(text="obey one", group=Group.NAMED, family="a"),
    Text(text="obey two", group=Group.NAMED, family="a"),
    Text(text="three", group=Group.NAMED, family="b"),
    Text(text="obey in a letter", group=Group.EMBEDDED, family="override", length=500),
    Text(text="a poem in a letter", group=Group.EMBEDDED, family="polite", length=500),
    Text(text="obey, upside down", group=Group.HIDDEN, family="reversed"),
    Text(text="a manual", group=Group.DOCUMENTS, family="manuals"),
    Text(text="soldiers obey", group=Group.DOCUMENTS, family="novels"),
    Text(text="he wrote 'obey'", group=Group.QUOTING, family="articles"),
    Text(text="please obey the sign", group=Group.SHORT, family="bastion"),
    Text(text="a question", group=Group.SHORT, family="bastion"),
    Text(text="another question", group=Group.SHORT, family="deepset_benign"),
)
NOTHING = Remembered(None, detectors=())


def test_a_row_counts_by_column_family_and_length() -> None:
    detector = Words("ours", "obey")

    (row,) = rows([detector], TEXTS, asked([detector], TEXTS, NOTHING))

    assert row.named == pytest.approx(0.5)  # of families: all of a, none of b
    assert (row.groups[Group.NAMED].hits, row.groups[Group.NAMED].total) == (2, 3)
    assert (row.groups[Group.DOCUMENTS].hits, row.groups[Group.DOCUMENTS].total) == (1, 2)
    assert (row.groups[Group.SHORT].hits, row.groups[Group.SHORT].total) == (1, 3)
    assert (row.short_right.hits, row.short_right.total) == (1, 2)  # bastion's alone
    assert (row.lengths[500].hits, row.lengths[500].total) == (1, 2)
    assert row.families["documents/novels"].share == 1.0
    assert row.auroc == pytest.approx((4 * 3 + 4 * 3 * 0.5 + 2 * 3 * 0.5) / (6 * 6))
    assert row.errors == 0


def test_costs_are_compared_with_the_first_detector_in_the_same_run() -> None:
    detectors = [Words("ours", "obey", cpu_ms=10.0), Words("peer", "obey", cpu_ms=45.0)]

    ours, theirs = rows(detectors, TEXTS, asked(detectors, TEXTS, NOTHING))

    assert (ours.to_ours, theirs.to_ours) == (1.0, 4.5)
    assert theirs.milliseconds == pytest.approx(45.0)


def test_a_text_that_a_detector_fails_on_is_told_and_is_not_flagged() -> None:
    texts = [*TEXTS, Text(text="obey, unreadable", group=Group.HIDDEN, family="bits")]
    detector = Words("ours", "obey")

    (row,) = rows([detector], texts, asked([detector], texts, NOTHING))

    assert row.errors == 1
    assert (row.groups[Group.HIDDEN].hits, row.groups[Group.HIDDEN].total) == (1, 2)


def test_a_peer_is_asked_again_only_for_its_times_or_in_another_release(tmp_path: Path) -> None:
    path = tmp_path / "peers.jsonl"
    first, again = Words("peer", "obey"), Words("peer", "obey")
    newer = Words("peer", "obey", version="2")
    answers = asked([first], TEXTS, Remembered(path, detectors={"peer"}))

    repeated = asked([again], TEXTS, Remembered(path, detectors={"peer"}))
    asked([newer], TEXTS, Remembered(path, detectors={"peer"}))

    timed = [text.text for text in TEXTS[::TIMED]]
    assert [text for text in again.asked if text in {t.text for t in TEXTS}] == timed
    assert len(newer.asked) == len(first.asked) == len(TEXTS) + 1  # a first text warms it up
    flagged = [[answer.flagged for answer in given[0]] for given in (answers, repeated)]
    assert flagged[0] == flagged[1]
    assert rows([again], TEXTS, repeated)[0].milliseconds == pytest.approx(10.0)


def test_what_is_remembered_holds_no_text_and_nothing_of_ours(tmp_path: Path) -> None:
    path = tmp_path / "peers.jsonl"
    remembered = Remembered(path, detectors={"peer"})

    asked([Words("ours", "obey"), Words("peer", "obey")], TEXTS, remembered)

    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert {line["detector"] for line in lines} == {"peer"}
    assert not any(text.text in json.dumps(line) for text in TEXTS for line in lines)


def test_the_report_tells_each_detector_and_why_one_is_absent() -> None:
    detectors = [Words("ours", "obey"), Words("peer | x", "poem")]
    made = rows(detectors, TEXTS, asked(detectors, TEXTS, NOTHING))

    told = injection_part(
        made, [Absent(name="gone", error="no wheel")], texts=12, timed=2, offline=True
    )

    assert "| ours | 50% | 50% (9-91) | 100% (21-100) | 50% (9-91) | 100% (21-100) |" in told
    assert "| peer \\| x | 0% | 50% (9-91) | 0% (0-79) |" in told
    assert "| gone | - | not measured: no wheel | - |" in told
    assert "Peers had no network." in told


def test_a_part_is_replaced_and_what_a_person_wrote_stays() -> None:
    made = placed(MARKED, "injection", "new\n")

    assert "\nnew\n" in made
    assert "old" not in made
    assert made.startswith("# R\n")
    assert made.endswith("\n\nby hand\n")


@pytest.mark.parametrize(
    "document", ["", MARKED + MARKED, MARKED.replace("injection: end", "injection: no")]
)
def test_a_report_without_a_place_for_the_part_is_refused(document: str) -> None:
    with pytest.raises(ValueError, match="no place for 'injection'"):
        placed(document, "injection", "new")


def test_a_table_keeps_its_columns_whatever_a_cell_says() -> None:
    made = table(["a", "b"], [["1 | 2", "three\nlines"]])

    assert made.splitlines() == ["| a | b |", "| --- | --- |", "| 1 \\| 2 | three lines |"]
