"""The schema as migrated, and as the tables in `schema` say it is."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from backends.clock import SystemClock
from backends.ids import RandomIds
from backends.ledger.engine import create_engine, parse_url
from backends.ledger.migrating import current_revision, go_back, head_revision, migrate, move
from backends.ledger.schema import metadata
from backends.ledger.sql import SqlLedger
from domain.audit import AuditKey, AuditKeys, ChainCheck
from domain.documents import DEFAULT_TENANT
from domain.errors import ConfigurationError, TransientError


def url_of(path: Path) -> str:
    return f"sqlite:///{path}"


def tables(path: Path) -> set[str]:
    with sqlite3.connect(path) as connection:
        found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    connection.close()
    return {name for (name,) in found if not name.startswith("sqlite_")}


def indexes(path: Path) -> dict[str, str | None]:
    with sqlite3.connect(path) as connection:
        found = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index'"
        ).fetchall()
    connection.close()
    return {name: sql and " ".join(sql.split()).replace('"', "") for name, sql in found}


def ledger_at(path: Path) -> SqlLedger:
    clock = SystemClock()
    return SqlLedger(url_of(path), clock=clock, ids=RandomIds(clock))


def test_migrations_and_tables_agree(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    migrate(url_of(path))
    engine = create_engine(parse_url(url_of(path)), pooled=False)

    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        differences = compare_metadata(context, metadata)

    assert differences == []
    assert tables(path) == {*metadata.tables, "alembic_version"}


def test_migrated_indexes_are_those_of_the_tables_conditions_included(tmp_path: Path) -> None:
    migrated, created = tmp_path / "migrated.db", tmp_path / "created.db"
    migrate(url_of(migrated))

    metadata.create_all(create_engine(parse_url(url_of(created)), pooled=False))

    expected = indexes(created)
    found = {name: sql for name, sql in indexes(migrated).items() if "alembic" not in name}
    assert found == expected
    assert "WHERE status NOT IN ('deleted', 'superseded')" in (
        expected["uq_documents_live_bytes"] or ""
    )
    assert "WHERE status = 'firing'" in (expected["uq_alerts_firing"] or "")


def test_migrating_makes_folder_and_file_for_their_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "home" / "ledger.db"

    migrate(url_of(path))

    assert current_revision(url_of(path)) == head_revision()
    assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


def test_a_migrated_file_keeps_a_write_ahead_log(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"

    migrate(url_of(path))

    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA journal_mode").fetchall() == [("wal",)]
    connection.close()


def test_migrating_again_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    migrate(url_of(path))
    before = indexes(path), tables(path)

    migrate(url_of(path))

    assert (indexes(path), tables(path)) == before


def test_down_leaves_nothing_and_up_brings_all_back(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    migrate(url_of(path))
    before = indexes(path), tables(path)

    move(url_of(path), "base")
    bare = tables(path), current_revision(url_of(path))
    migrate(url_of(path))

    assert bare == ({"alembic_version"}, None)
    assert (indexes(path), tables(path)) == before


def test_a_migration_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE webhooks (in_the_way TEXT)")
    connection.close()

    with pytest.raises(TransientError):
        migrate(url_of(path))

    assert tables(path) <= {"webhooks", "alembic_version"}
    assert current_revision(url_of(path)) is None


def test_a_database_that_is_not_there_has_no_revision_and_is_not_made(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"

    assert current_revision(url_of(path)) is None
    assert not path.exists()


def test_a_folder_that_cannot_be_made_is_a_failed_dependency(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(TransientError):
        migrate(url_of(tmp_path / "file" / "ledger.db"))


@pytest.mark.anyio
async def test_a_current_schema_answers_the_ping(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    migrate(url_of(path))
    ledger = ledger_at(path)

    await ledger.ping()
    await ledger.close()


@pytest.mark.anyio
@pytest.mark.parametrize("state", ["absent", "empty", "older", "newer", "no-database"])
async def test_any_other_schema_refuses_the_ping(tmp_path: Path, state: str) -> None:
    path = tmp_path / "ledger.db"
    if state == "absent":
        path = tmp_path / "nowhere" / "ledger.db"
    if state in ("older", "newer"):
        migrate(url_of(path))
    if state == "older":
        move(url_of(path), "base")
    if state == "newer":
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.close()
    if state == "no-database":
        path.write_bytes(b"not a database" * 99)
    ledger = ledger_at(path)

    with pytest.raises(TransientError):
        await ledger.ping()
    await ledger.close()


_ENTRY = (
    "INTO journal (seq, at, tenant_id, actor, action, object_kind, object_id, facts, hash) "
    "VALUES (1, 1, 't', '{}', 'x', 'k', 'o', '{{}}', 'h')"
)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE journal SET actor = 'nobody'",
        "DELETE FROM journal",
        "INSERT OR REPLACE " + _ENTRY.format("nobody"),
        "REPLACE " + _ENTRY.format("nobody"),
        "INSERT " + _ENTRY.format("nobody") + " ON CONFLICT (seq) DO UPDATE SET actor = 'nobody'",
    ],
)
def test_the_journal_can_only_be_added_to(tmp_path: Path, change: str) -> None:
    path = tmp_path / "ledger.db"
    migrate(url_of(path))
    connection = sqlite3.connect(path)
    connection.execute("INSERT " + _ENTRY.format("a"))
    connection.commit()

    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(change)

    assert connection.execute("SELECT actor FROM journal").fetchall() == [("a",)]
    connection.close()


def test_entries_of_before_the_chain_are_chained_as_they_stand_and_can_go_back(
    tmp_path: Path,
) -> None:
    path = tmp_path / "ledger.db"
    move(url_of(path), "0005")
    connection = sqlite3.connect(path)
    connection.executemany(
        "INSERT INTO journal (at, tenant_id, actor, action, object_kind, object_id, facts) "
        "VALUES (?, 't', 'a', 'x', 'k', 'o', '{\"n\":\"1\"}')",
        [(number,) for number in range(1, 1_203)],
    )
    connection.commit()

    migrate(url_of(path))

    check = ChainCheck(AuditKeys(current=AuditKey(b"k" * 32)))
    entries = asyncio.run(ledger_at(path).journal.sealed(after=0, limit=9_999))
    assert check.take(entries)
    assert (check.count, check.unsealed) == (1_202, 1_202)
    go_back(url_of(path), "0005")
    columns = {row[1] for row in connection.execute("PRAGMA table_info(journal)")}
    assert "hash" not in columns
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute("DELETE FROM journal")
    assert connection.execute("SELECT count(*) FROM journal").fetchall() == [(1_202,)]
    connection.close()


def test_of_alerts_that_fired_before_the_lifecycle_the_end_is_left_to_tell(
    tmp_path: Path,
) -> None:
    path = tmp_path / "ledger.db"
    move(url_of(path), "0006")
    connection = sqlite3.connect(path)
    connection.executemany(
        "INSERT INTO alerts (id, tenant_id, name, fingerprint, severity, status, labels, "
        "annotations, starts_at) VALUES (?, 'default', 'n', ?, 'warning', ?, '{}', '{}', 5)",
        [("a1", "f1", "firing"), ("a2", "f2", "resolved")],
    )
    connection.commit()
    connection.close()

    migrate(url_of(path))

    (standing,) = asyncio.run(ledger_at(path).alerts.standing(DEFAULT_TENANT))
    assert (standing.alert.id, standing.notices) == ("a1", 1)
    go_back(url_of(path), "0006")
    migrate(url_of(path))


@pytest.mark.parametrize(
    "url",
    [
        "sqlite://",
        "sqlite:///:memory:",
        "mysql://root:hush@localhost/x",
        "nonsense",
        "://",
        "postgresql://user:hush@host:port/x",
    ],
)
def test_a_url_that_cannot_be_used_is_a_wrong_setting_and_never_shown(url: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_url(url)

    assert "hush" not in str(caught.value)
