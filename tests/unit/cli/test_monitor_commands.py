"""`monitor replay` and `monitor export`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from pyarrow import parquet

from backends.memory.clock import SequentialIds
from domain.answering import Outcome, QuestionId
from domain.documents import DEFAULT_TENANT, DocumentId, OriginKind, OriginRef
from domain.monitoring import EvidenceNote, Observation, Topic, TopicId
from domain.retrieval import FamilyId
from evaluation.monitoring.recordings import record as recorded
from evaluation.monitoring.scenarios import Kind
from gateway.cli.local_ledger import LocalLedger, with_ledger
from monitors.records import read_lines
from monitors.stream_monitor import StreamMonitor
from runtime.settings import Settings
from tests.ledger_rows import later, observation, question
from tests.unit.cli.conftest import Run

NOTE: dict[str, object] = {
    "document": "d",
    "origin": "o",
    "family": "f",
    "age_days": 3,
    "trust": 0.5,
}
LINE: dict[str, object] = {
    "at": "2026-11-30T10:00:00Z",
    "topic": "t",
    "question_id": "q1",
    "entropy": 0.2,
    "agreement": 0.8,
    "outcome": "answer",
    "answer_group": "a",
    "evidence": [NOTE],
}


def test_a_poisoned_recording_is_told_line_by_line(run: Run, tmp_path: Path) -> None:
    recording = recorded("spike", 1)
    (tmp_path / "r.jsonl").write_text(recording.text(), encoding="utf-8")

    ran = run("monitor", "replay", "r.jsonl", "--json")

    assert ran.code == 0
    assert ran.lines
    for line in ran.lines:
        assert list(line) == ["alert", "topic", "status", "at", "severity", "reasons"]
        assert line["status"] in {"firing", "resolved"}
    assert {line["topic"] for line in ran.lines} == {"topic-0"}


def test_standard_input_is_read_and_a_table_shown(run: Run) -> None:
    text = recorded("spike", 1).text()

    ran = run("monitor", "replay", "-", stdin=text)

    assert ran.code == 0
    assert "firing" in ran.out


def test_the_order_of_the_lines_decides_nothing(run: Run) -> None:
    lines = recorded("flip", 2).text().splitlines(keepends=True)

    forward = run("monitor", "replay", "-", "--json", stdin="".join(lines))
    backward = run("monitor", "replay", "-", "--json", stdin="".join(reversed(lines)))

    assert forward.out == backward.out != ""


def test_optional_fields_may_be_absent_or_null_and_others_are_passed_over(run: Run) -> None:
    nulls = {**LINE, "question_id": "q2", "question_key": None, "m": None, "route": None}
    more = {
        **LINE,
        "question_id": "q3",
        "m": 3,
        "route": "x",
        "note": "unknown",
        "answer_group": None,
    }
    stdin = "\n".join(json.dumps(line) for line in (LINE, nulls, more)) + "\n\n"

    ran = run("monitor", "replay", "-", "--json", stdin=stdin)

    assert (ran.code, ran.out) == (0, "")


CHANGES: Sequence[Mapping[str, object]] = (
    {"at": "yesterday"},
    {"at": "2026-11-30T10:00:00"},
    {"at": 3},
    {"topic": ""},
    {"topic": None},
    {"question_id": 7},
    {"entropy": "0.2"},
    {"entropy": -0.1},
    {"entropy": float("nan")},
    {"entropy": float("inf")},
    {"entropy": True},
    {"agreement": 1.2},
    {"outcome": "shrug"},
    {"answer_group": 3},
    {"question_key": ["k"]},
    {"m": "five"},
    {"evidence": None},
    {"evidence": {}},
    {"evidence": [3]},
    {"evidence": [{"document": "d"}]},
    {"evidence": [{**NOTE, "established": "yes"}]},
    {"evidence": [{**NOTE, "trust": 2}]},
)


@pytest.mark.parametrize(
    "bad",
    [
        "not json",
        "[1]",
        "3",
        '{"at": "2026-11-30T10:00:00Z"',
        b"\xff\xfe",
        *(json.dumps({**LINE, **change}) for change in CHANGES),
        *(json.dumps({k: v for k, v in LINE.items() if k != gone}) for gone in LINE),
    ],
)  # fmt: skip
def test_a_bad_line_is_named_and_nothing_is_told(run: Run, bad: str | bytes) -> None:
    raw = bad if isinstance(bad, bytes) else bad.encode()
    stdin = json.dumps(LINE).encode() + b"\n\n" + raw + b"\n"

    ran = run("monitor", "replay", "-", "--json", stdin=stdin)

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("mithridate: line 3: ")
    assert ran.err.count("\n") == 1


def test_a_file_that_is_not_there_is_an_error_of_usage(run: Run) -> None:
    ran = run("monitor", "replay", "none.jsonl")

    assert ran.code == 2
    assert "none.jsonl" in ran.err


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    """Make a data folder with three observations."""
    folder = tmp_path / "data"

    async def write(local: LocalLedger) -> None:
        for number in range(3):
            name = f"q{number}"
            seen = replace(observation(name, observed_at=later(number)), entropy=number / 10)
            await local.ledger.questions.add(question(name), seen)

    with_ledger(Settings(data_dir=folder), write)
    return folder


def test_what_is_exported_replays(run: Run, kept: Path) -> None:
    exported = run("monitor", "export")

    assert exported.code == 0
    sightings = list(read_lines(exported.out.splitlines()))
    assert [seen.question_id for seen in sightings] == ["q0", "q1", "q2"]
    assert run("monitor", "replay", "-", stdin=exported.out).code == 0


def test_parquet_holds_the_same(run: Run, kept: Path, tmp_path: Path) -> None:
    ran = run("monitor", "export", "o.parquet", "--format", "parquet", "--json")

    table = parquet.read_table(tmp_path / "o.parquet")
    lines = [json.loads(line) for line in run("monitor", "export").out.splitlines()]
    assert ran.json == {"file": "o.parquet", "format": "parquet", "observations": 3}
    for row, line in zip(table.to_pylist(), lines, strict=True):
        assert row["at"].isoformat() == line["at"]
        assert {**row, "at": None} == {**line, "at": None}


def test_parquet_needs_a_file(run: Run) -> None:
    assert run("monitor", "export", "--format", "parquet").code == 2


def test_nothing_older_than_asked_is_exported(run: Run, kept: Path) -> None:
    since = later(1).strftime("%Y-%m-%dT%H:%M:%S")

    ran = run("monitor", "export", "--since", since)

    assert [line["question_id"] for line in ran.lines] == ["q1", "q2"]


def _observed(line: Mapping[str, object]) -> Observation:
    """Return what the gateway would have written of a recorded line."""
    seen = next(iter(read_lines([json.dumps(line)])))
    return Observation(
        question_id=QuestionId(seen.question_id),
        tenant_id=DEFAULT_TENANT,
        topic_id=TopicId(seen.topic),
        principal=f"key:{seen.question_id}",
        question_key=seen.key or seen.question_id,
        observed_at=seen.at,
        disagreement=seen.disagreement or 0.0,
        entropy=cast("float", line["entropy"]),
        agreement=cast("float", line["agreement"]),
        margin=1.0,
        confidence=0.9,
        outcome=Outcome(cast("str", line["outcome"])),
        answer_group=seen.group,
        seats=3,
        m=5,
        route="long",
        calibration_version=None,
        evidence=tuple(
            EvidenceNote(
                document_id=DocumentId(one.document),
                origin=OriginRef(kind=OriginKind.UPLOADER, id=one.origin),
                established=bool(one.established),
                family_id=FamilyId(one.family),
                age_days=one.age_days,
                trust=one.trust,
            )
            for one in seen.evidence
        ),
    )


@pytest.mark.parametrize("kind", ["spike", "flip", "concentration"])
def test_a_stream_that_is_exported_replays_to_the_alerts_that_were_raised(
    run: Run, tmp_path: Path, kind: Kind
) -> None:
    """The monitor looks in batches, and a new process takes over in the middle of an episode."""
    series = [_observed(line) for line in recorded(kind, 2).lines[:400]]
    raised: list[tuple[str, str, str, datetime]] = []

    async def live(local: LocalLedger) -> None:
        ids, ledger = SequentialIds(), local.ledger
        versions: dict[TopicId, int] = {}
        for begin in range(0, len(series), 40):
            batch = series[begin : begin + 40]
            for topic_id in {seen.topic_id for seen in batch}:
                versions[topic_id] = versions.get(topic_id, -1) + 1
                topic = Topic(
                    id=topic_id,
                    tenant_id=DEFAULT_TENANT,
                    centroid=np.array([1.0, 0.0], dtype=np.float32),
                    size=1,
                    terms=(),
                    created_at=series[0].observed_at,
                    version=versions[topic_id],
                )
                assert await ledger.observations.save_topic(topic)
            for seen in batch:
                await ledger.questions.add(question(seen.question_id), seen)
            monitor = StreamMonitor(ledger.observations, ledger.alerts, ids=ids)
            for alert in await monitor.evaluate(DEFAULT_TENANT, now=batch[-1].observed_at):
                at = alert.starts_at if alert.ends_at is None else alert.ends_at
                where = alert.labels.get("topic", alert.annotations["last_topic"])
                raised.append((alert.name, where, alert.status.value, at))

    with_ledger(Settings(data_dir=tmp_path / "data"), live)
    exported = run("monitor", "export")

    replayed = run("monitor", "replay", "-", "--json", stdin=exported.out)

    told = [
        (line["alert"], line["topic"], line["status"], datetime.fromisoformat(line["at"]))
        for line in replayed.lines
    ]
    assert len(exported.lines) == len(series)
    assert "firing" in {status for _, _, status, _ in told}
    assert sorted(told) == sorted(raised)
