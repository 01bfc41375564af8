from __future__ import annotations

from tests.ledgers import clock, ledger, ledger_url, migrated_sqlite, sqlite_url
from tests.services import valkey_url

__all__ = ["clock", "ledger", "ledger_url", "migrated_sqlite", "sqlite_url", "valkey_url"]
