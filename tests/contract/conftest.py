from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.ledgers import clock, ledger, ledger_url, migrated_sqlite, sqlite_url
from tests.redis_servers import redis_url
from tests.s3 import bucket, s3_url
from tests.services import valkey_url
from tests.statements import watched

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


@pytest.fixture(scope="package", autouse=True)
def every_statement_names_its_tenant() -> Iterator[None]:
    """Law 15, for every statement that a contract test has a ledger send."""
    yield from watched()
