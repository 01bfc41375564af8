"""Every statement of the ledger on what tenants own names the tenant, but for those named.

`tests.statements` watches all contract tests; these are about what it lets pass.
"""

from __future__ import annotations

import importlib
from functools import reduce
from pathlib import Path
from typing import Final

import pytest
import sqlalchemy
from sqlalchemy import select, update

from backends.ledger.migrating import migrate
from backends.ledger.records import find_record
from backends.ledger.schema import documents, findings, metadata
from domain.documents import DocumentId
from domain.errors import NotFoundError
from tests.statements import OWNED, UNSCOPED, UnscopedStatementError, refuse_unscoped

BY_PARENT: Final = {
    "assessments": "of a document, which is found first",
    "findings": "of a document, which is found first",
    "claims": "of an API key, whose id is in every statement",
    "outbox": "jobs of workers, which name a document alone",
}
"""Tables without a tenant of their own."""


def test_every_table_is_a_tenants_or_says_why_not() -> None:
    assert set(metadata.tables) == OWNED | set(BY_PARENT)


def test_no_row_of_a_tenants_table_can_lack_its_tenant() -> None:
    assert {name for name in OWNED if metadata.tables[name].c["tenant_id"].nullable} == set()


@pytest.mark.parametrize("name", sorted(UNSCOPED))
def test_each_exception_is_a_function_that_is_there(name: str) -> None:
    module, *path = name.split(".")

    found = reduce(getattr, path, importlib.import_module(f"backends.ledger.{module}"))

    assert callable(found)


def _engine(folder: Path) -> sqlalchemy.Engine:
    url = f"sqlite:///{folder / 'ledger.db'}"
    migrate(url)
    return sqlalchemy.create_engine(url, poolclass=sqlalchemy.NullPool)


def _as_the_ledger(engine: sqlalchemy.Engine, statement: str) -> None:
    """Run code as if it stood in a module of the ledger."""
    scope = {
        "__name__": "backends.ledger.newcomer",
        "engine": engine,
        "select": select,
        "update": update,
        "documents": documents,
        "findings": findings,
    }
    source = f"def look():\n with engine.connect() as c:\n  c.execute({statement})\nlook()"
    exec(source, scope)  # noqa: S102 - a caller of our own making


@pytest.mark.parametrize(
    "statement",
    [
        "select(documents)",
        "select(documents.c.id).where(documents.c.id == 'one')",
        "select(findings).join(documents, documents.c.id == findings.c.document_id)",
        "select(findings).where(findings.c.document_id.in_(select(documents.c.id)))",
        "update(documents).where(documents.c.id == 'one').values(tenant_id='other')",
        "documents.delete()",
        "select(documents.c.tenant_id)",
    ],
)
def test_a_newcomer_that_names_no_tenant_is_refused(tmp_path: Path, statement: str) -> None:
    engine = _engine(tmp_path)

    with pytest.raises(UnscopedStatementError, match="newcomer"):
        _as_the_ledger(engine, statement)


@pytest.mark.parametrize(
    "statement",
    [
        "select(documents).where(documents.c.tenant_id == 'a')",
        "select(findings).where(findings.c.document_id == 'one')",
        "update(documents).where(documents.c.tenant_id == 'a').values(title='x')",
        "documents.delete().where(documents.c.id == '1', documents.c.tenant_id == 'a')",
    ],
)
def test_one_that_names_its_tenant_passes(tmp_path: Path, statement: str) -> None:
    _as_the_ledger(_engine(tmp_path), statement)


def test_a_named_exception_passes(tmp_path: Path) -> None:
    with _engine(tmp_path).connect() as connection, pytest.raises(NotFoundError):
        find_record(connection, DocumentId("one"))


def test_the_watch_is_on() -> None:
    assert sqlalchemy.event.contains(sqlalchemy.Engine, "before_execute", refuse_unscoped)
