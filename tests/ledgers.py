"""The ledgers that contract tests run over. Add one by adding a parameter."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest

from backends.ledger.migrating import migrate
from backends.ledger.sql import SqlLedger
from backends.memory.clock import ManualClock, SequentialIds
from backends.memory.ledger import InMemoryLedger
from domain.audit import AuditKey
from domain.ledger import Ledger

SQL_LEDGERS = ["sqlite", "postgresql"]
LEDGERS = ["memory", *SQL_LEDGERS]
AUDIT_KEY = AuditKey(b"0123456789abcdef0123456789abcdef")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture(scope="session")
def migrated_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the newest schema and no rows, to be copied."""
    path = tmp_path_factory.mktemp("ledger") / "empty.db"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def sqlite_url(tmp_path: Path, migrated_sqlite: Path) -> str:
    path = tmp_path / "ledger.db"
    shutil.copyfile(migrated_sqlite, path)
    return f"sqlite:///{path}"


@pytest.fixture(params=SQL_LEDGERS)
def ledger_url(request: pytest.FixtureRequest) -> str:
    """URL of an empty ledger that several processes can open."""
    return _url_of(request, {"sqlite": "sqlite_url", "postgresql": "postgres_url"})


@pytest.fixture(params=LEDGERS)
async def ledger(request: pytest.FixtureRequest, clock: ManualClock) -> AsyncIterator[Ledger]:
    if request.param == "memory":
        yield InMemoryLedger(clock=clock, ids=SequentialIds(), audit_key=AUDIT_KEY)
        return
    url = _url_of(request, {"sqlite": "sqlite_url", "postgresql": "shared_postgres_url"})
    ledger = SqlLedger(url, clock=clock, ids=SequentialIds(), audit_key=AUDIT_KEY)
    yield ledger
    await ledger.close()


def _url_of(request: pytest.FixtureRequest, fixtures: Mapping[str, str]) -> str:
    url: str = request.getfixturevalue(fixtures[request.param])
    return url
