"""The journal becomes a chain: each entry's hash covers the one before it.

Entries that are there are chained as they stand, without a seal: the first sealed one covers them.
SQLite gets a third trigger: `INSERT OR REPLACE` deletes a row without asking those of deletion.

Revision ID: 0006
"""

from __future__ import annotations

import json
from typing import Final

import sqlalchemy as sa
from alembic import op

from backends.ledger.cursors import from_microseconds
from domain.audit import GENESIS, JournalEntry, chain
from domain.documents import TenantId

revision: Final = "0006"
down_revision: Final = "0005"

_COLUMNS: Final = ("hash", "key_id", "mac")
_BATCH: Final = 1_000
_REFUSED: Final = "BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END"


def upgrade() -> None:
    _let_go()
    for column in _COLUMNS:
        op.add_column("journal", sa.Column(column, sa.Text()))
    _chain()
    with op.batch_alter_table("journal", table_kwargs={"sqlite_autoincrement": True}) as table:
        table.alter_column("hash", existing_type=sa.Text(), nullable=False)
    _protect(replaced=True)


def downgrade() -> None:
    _let_go()
    with op.batch_alter_table("journal", table_kwargs={"sqlite_autoincrement": True}) as table:
        for column in _COLUMNS:
            table.drop_column(column)
    if op.get_bind().dialect.name == "postgresql":
        # Numbers were given by the chain; from now on the sequence gives them again.
        op.execute(
            "SELECT setval(pg_get_serial_sequence('journal', 'seq'), "
            "(SELECT coalesce(max(seq), 0) + 1 FROM journal), false)"
        )
    _protect(replaced=False)


def _chain() -> None:
    connection = op.get_bind()
    previous, last = GENESIS, 0
    batch = sa.text("SELECT * FROM journal WHERE seq > :last ORDER BY seq LIMIT :limit")
    while rows := connection.execute(batch, {"last": last, "limit": _BATCH}).all():
        hashes = []
        for row in rows:
            previous, last = chain(previous, _entry(row)), row.seq
            hashes.append({"seq": row.seq, "hash": previous})
        connection.execute(sa.text("UPDATE journal SET hash = :hash WHERE seq = :seq"), hashes)


def _entry(row: sa.Row[tuple[object, ...]]) -> JournalEntry:
    return JournalEntry(
        seq=row.seq,
        at=from_microseconds(row.at),
        tenant_id=TenantId(row.tenant_id),
        actor=row.actor,
        action=row.action,
        object_kind=row.object_kind,
        object_id=row.object_id,
        reason=row.reason,
        facts=json.loads(row.facts),
    )


def _let_go() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP TRIGGER journal_append_only ON journal")
        return
    for change in ("update", "delete", "replace"):
        op.execute(f"DROP TRIGGER IF EXISTS journal_no_{change}")


def _protect(*, replaced: bool) -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE TRIGGER journal_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON journal "
            "FOR EACH STATEMENT EXECUTE FUNCTION refuse_journal_change()"
        )
        return
    for change in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER journal_no_{change.lower()} BEFORE {change} ON journal {_REFUSED}"
        )
    if replaced:
        op.execute(
            "CREATE TRIGGER journal_no_replace BEFORE INSERT ON journal "
            "WHEN NEW.seq <= (SELECT max(seq) FROM journal) "
            "BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END"
        )
