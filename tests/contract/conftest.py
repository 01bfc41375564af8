from __future__ import annotations

from tests.ledgers import clock, ledger, ledger_url, migrated_sqlite, sqlite_url
from tests.redis_servers import redis_url
from tests.s3 import bucket, s3_url
from tests.services import valkey_url

__all__ = [
    "bucket",
    "clock",
    "ledger",
    "ledger_url",
    "migrated_sqlite",
    "redis_url",
    "s3_url",
    "sqlite_url",
    "valkey_url",
]
