"""Alembic's scripts; `backends.ledger.migrating` runs them."""
