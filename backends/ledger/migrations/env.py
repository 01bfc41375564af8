"""Run by Alembic for every command, over the connection that `migrating` hands down."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alembic import context

from backends.ledger.schema import metadata

if TYPE_CHECKING:
    from sqlalchemy import Connection

connection: Connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=metadata,
    render_as_batch=connection.dialect.name == "sqlite",
    transaction_per_migration=True,
    # Alembic thinks that SQLite cannot: it can, where the driver leaves transactions alone.
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
