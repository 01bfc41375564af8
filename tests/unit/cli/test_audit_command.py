"""`mithridate audit`: the log is proved whole, or said not to be, and where."""

from __future__ import annotations

import csv
import io
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run


@pytest.fixture
def database(run: Run, tmp_path: Path) -> Path:
    """The ledger of a data folder in which four things were done."""
    run("keys", "create", "--name", "@one", "--scope", "admin", "--tenant", "other")
    run("origins", "add", "connector:wiki")
    return tmp_path / "data" / "ledger.db"


def meddle(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def unguarded(path: Path, statement: str) -> None:
    drops = [f"DROP TRIGGER journal_no_{change}" for change in ("update", "delete", "replace")]
    meddle(path, *drops, statement)


def test_a_log_that_nobody_touched_is_whole(run: Run, database: Path) -> None:
    run("audit", "checkpoint")

    verified = run("audit", "verify", "--json")

    assert verified.code == 0, verified.err
    assert verified.json["whole"] is True
    assert (verified.json["entries"], verified.json["last"]) == (4, 4)
    assert (verified.json["unsealed"], verified.json["checkpoints"]) == (0, 1)


@pytest.mark.parametrize(
    ("statement", "bad"),
    [
        ("UPDATE journal SET actor = 'nobody' WHERE seq = 2", 2),
        ("UPDATE journal SET reason = 'x' WHERE seq = 3", 3),
        ("UPDATE journal SET mac = NULL, key_id = NULL WHERE seq = 3", 3),
        ("DELETE FROM journal WHERE seq = 2", 3),
        ("DELETE FROM journal WHERE seq >= 3", 3),
        ("DELETE FROM journal", 1),
    ],
)
def test_meddling_is_found_and_the_first_bad_entry_named(
    run: Run, database: Path, statement: str, bad: int
) -> None:
    run("audit", "checkpoint")

    unguarded(database, statement)

    verified = run("audit", "verify", "--json")
    assert verified.code == 1
    assert verified.json["whole"] is False
    assert verified.json["bad"] == bad


def test_a_checkpoint_that_was_changed_is_found(run: Run, database: Path, tmp_path: Path) -> None:
    run("audit", "checkpoint")
    kept = tmp_path / "data" / "audit-checkpoints.jsonl"
    kept.write_text(kept.read_text().replace('"count":4', '"count":3'))

    verified = run("audit", "verify", "--json")

    assert verified.code == 1
    assert "trusted key" in verified.json["reason"]


def test_the_log_stays_whole_when_the_key_is_changed(run: Run, database: Path) -> None:
    rotated = run("audit", "rotate-key", "--json")
    run("origins", "add", "connector:blog")

    verified = run("audit", "verify", "--json")
    seals = {line["seq"]: line["key_id"] for line in run("audit", "export").lines}
    assert verified.code == 0
    assert seals[4] == rotated.json["former"]
    assert seals[5] == seals[6] == rotated.json["id"]


def test_without_the_former_key_nothing_is_taken_on_trust(run: Run, database: Path) -> None:
    key = {"MITHRIDATE_AUDIT__KEY": "ab" * 32}

    verified = run("audit", "verify", "--json", environment=key)

    assert verified.code == 1
    assert "not at hand" in verified.json["reason"]


def test_a_key_that_is_none_is_a_wrong_setting_and_never_shown(run: Run) -> None:
    verified = run("audit", "verify", environment={"MITHRIDATE_AUDIT__KEY": "hush" * 20})

    assert verified.code == 2
    assert "hush" not in verified.err


def test_an_export_can_be_narrowed_and_opened_in_a_spreadsheet(run: Run, database: Path) -> None:
    unguarded(database, "UPDATE journal SET reason = '=cmd|calc', object_id = '@SUM(A1)'")

    rows = list(csv.DictReader(io.StringIO(run("audit", "export", "--format", "csv").out)))
    others = run("audit", "export", "--tenant", "other").lines

    assert {row["reason"] for row in rows} == {"'=cmd|calc"}
    assert {row["object_id"] for row in rows} == {"'@SUM(A1)"}
    assert [line["action"] for line in others] == ["key.created"]


def test_an_export_goes_to_a_new_file_only(run: Run, database: Path, tmp_path: Path) -> None:
    first = run("audit", "export", "--out", "log.jsonl")
    again = run("audit", "export", "--out", "log.jsonl")

    assert (first.code, again.code) == (0, 2)
    assert len((tmp_path / "log.jsonl").read_text().splitlines()) == 4
