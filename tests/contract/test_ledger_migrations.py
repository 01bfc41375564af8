"""Migrations with rows in the tables, up and down, on every SQL database."""

from __future__ import annotations

import asyncio

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, inspect, text
from sqlalchemy.exc import DBAPIError

from backends.clock import SystemClock
from backends.ids import RandomIds
from backends.ledger.engine import create_engine, parse_url
from backends.ledger.migrating import current_revision, go_back, head_revision, migrate, move
from backends.ledger.schema import metadata
from backends.ledger.sql import SqlLedger
from domain.audit import AuditKeys, ChainCheck
from domain.documents import DEFAULT_TENANT
from tests.ledger_rows import NOW
from tests.ledgers import AUDIT_KEY

OLD = 30


def fill(engine: Engine, round: int) -> None:
    """Write what the code of before the chain wrote: entries without hashes, a firing alert."""
    with engine.begin() as connection:
        for number in range(OLD):
            connection.execute(
                text(
                    "INSERT INTO journal (at, tenant_id, actor, action, object_kind, object_id, "
                    "facts) VALUES (:at, 't', 'é', 'x', 'k', 'o', '{\"n\": \"1\"}')"
                ),
                {"at": number},
            )
        connection.execute(
            text(
                "INSERT INTO alerts (id, tenant_id, name, fingerprint, severity, status, labels, "
                "annotations, starts_at) VALUES (:id, 'default', 'n', :id, 'warning', 'firing', "
                "'{}', '{}', 5)"
            ),
            {"id": f"a{round}"},
        )


async def followed(url: str) -> tuple[int, int]:
    """Write one more entry; return how many are in a whole chain, and how many alerts stand."""
    clock = SystemClock()
    ledger = SqlLedger(url, clock=clock, ids=RandomIds(clock), audit_key=AUDIT_KEY)
    await ledger.journal.append(
        tenant_id=DEFAULT_TENANT, at=NOW, actor="a", action="x", object_kind="k", object_id="o"
    )
    check = ChainCheck(AuditKeys(current=AUDIT_KEY))
    whole = check.take(await ledger.journal.sealed(after=0, limit=999))
    standing = await ledger.alerts.standing(DEFAULT_TENANT)
    await ledger.close()
    assert whole, check.fault
    return check.count, len(standing)


def test_old_entries_are_chained_as_they_stand_and_can_go_back_and_forth(ledger_url: str) -> None:
    go_back(ledger_url, "base")
    move(ledger_url, "0005")
    engine = create_engine(parse_url(ledger_url), pooled=False)

    for round in (1, 2):
        fill(engine, round)
        migrate(ledger_url)
        found = asyncio.run(followed(ledger_url))
        assert found == (round * (OLD + 1), round)
        go_back(ledger_url, "0005")
    migrate(ledger_url)
    engine.dispose()


def test_every_migration_goes_down_and_up_again_to_what_the_tables_say(ledger_url: str) -> None:
    go_back(ledger_url, "base")
    engine = create_engine(parse_url(ledger_url), pooled=False)
    with engine.connect() as connection:
        left = inspect(connection).get_table_names()

    migrate(ledger_url)

    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        differences = compare_metadata(context, metadata)
    engine.dispose()
    assert left == ["alembic_version"]
    assert differences == []
    assert current_revision(ledger_url) == head_revision()


def test_postgresql_refuses_to_empty_the_journal(postgres_url: str) -> None:
    asyncio.run(followed(postgres_url))
    engine = create_engine(parse_url(postgres_url), pooled=False)

    with pytest.raises(DBAPIError, match="append-only"), engine.begin() as connection:
        connection.execute(text("TRUNCATE journal"))

    engine.dispose()
    assert asyncio.run(followed(postgres_url))[0] == 2


def test_conditional_indexes_are_conditional_in_postgresql_too(postgres_url: str) -> None:
    engine = create_engine(parse_url(postgres_url), pooled=False)

    with engine.connect() as connection:
        rows = connection.execute(
            text("SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'")
        )
        found = {row.indexname: row.indexdef for row in rows}

    engine.dispose()
    expected = {
        str(index.name): index
        for table in metadata.tables.values()
        for index in table.indexes
        if index.dialect_kwargs.get("postgresql_where") is not None
    }
    assert expected
    for name, index in expected.items():
        assert " WHERE " in found[name]
        assert found[name].startswith("CREATE UNIQUE") == index.unique


@pytest.mark.parametrize("change", ["UPDATE journal SET actor = 'x'", "DELETE FROM journal"])
def test_the_database_itself_refuses_to_change_the_journal(ledger_url: str, change: str) -> None:
    asyncio.run(followed(ledger_url))
    engine = create_engine(parse_url(ledger_url), pooled=False)

    with pytest.raises(DBAPIError, match="append-only"), engine.begin() as connection:
        connection.execute(text(change))

    engine.dispose()
    assert asyncio.run(followed(ledger_url))[0] == 2
