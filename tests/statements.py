"""Refuses, while tests run, an SQL statement on what tenants own that names no tenant."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final

from sqlalchemy import Connection, Engine, Insert, Table, event
from sqlalchemy.sql import visitors
from sqlalchemy.sql.elements import BinaryExpression, ClauseElement

from backends.ledger.schema import metadata

OWNED: Final = frozenset(name for name, table in metadata.tables.items() if "tenant_id" in table.c)
"""Tables whose rows are a tenant's."""

UNSCOPED: Final = {
    # What is done for all tenants, by workers, and returns nothing to a caller of one.
    "documents.SqlDocumentLedger.tenants": "lists the tenants",
    "documents.SqlDocumentLedger.backlog": "counts, by tenant",
    "documents.SqlDocumentLedger.undecided": "ids that the sweeper queues again",
    "lifecycle.SqlDocumentLifecycle.held": "ids that are scanned again",
    "lifecycle.SqlDocumentLifecycle.forget_editions": "deletes what is old",
    "incidents.SqlIncidentLedger.unfinished": "incidents that a worker resumes",
    "webhooks.SqlWebhookLedger.due": "deliveries that a worker makes",
    "retention.SqlRetention.prune_deliveries": "deletes what is old",
    "retention.SqlRetention.prune_observations": "deletes what is old",
    "journal.append_entry": "one chain for all",
    "journal.SqlJournal.head": "one chain for all",
    "journal.SqlJournal.sealed": "one chain for all: for checks, not for callers",
    # Who asks is not known yet: the row says it.
    "keys._find": "the key says whose it is",
    "keys.SqlKeyLedger.used": "of a key that was found so",
    "records.find_record": "jobs name a document alone; callers' requests name their tenant too",
    # Of a row whose tenant was checked in the same transaction, or that is no tenant's.
    "leases.begin": "of the document that was read before",
    "outbox.SqlOutbox.add": "of a document that the sweeper found",
    "lifecycle.save_mark": "of the document that is settled",
    "lifecycle.mark_gone": "of the document that was read before",
    "lifecycle.mark_reviewed": "of the document that is decided",
    "scans.forget_scan": "of the document that was read before",
    "webhooks._change": "of the webhook that was read before",
    "webhooks._give_up": "of the webhook that was read before",
    "webhooks.SqlWebhookLedger.get": "the receiver of a delivery that is due",
    "webhooks.SqlWebhookLedger.disable": "the receiver of a delivery that is due",
    "webhooks.SqlWebhookLedger.save_attempt": "a delivery that is due",
    "webhooks.SqlWebhookLedger.synchronise": "the operator's sinks, which are no tenant's",
}
"""Functions whose statements name no tenant, and why they may."""


class UnscopedStatementError(AssertionError):
    """A statement reads or changes rows of every tenant."""


def refuse_unscoped(connection: Connection, statement: object, *_: object) -> None:
    """Look at one statement before it is sent; `before_execute` of an engine."""
    del connection
    if not isinstance(statement, ClauseElement) or isinstance(statement, Insert):
        return  # a row without a tenant is refused by the column itself
    owned = sorted(OWNED & set(_tables(statement)))
    if not owned or _names_tenant(statement):
        return
    caller = _caller()
    if caller is not None and caller not in UNSCOPED:
        raise UnscopedStatementError(f"{caller} names no tenant of {', '.join(owned)}")


def watched() -> Iterator[None]:
    """Refuse such statements of every engine for as long as the fixture lives."""
    event.listen(Engine, "before_execute", refuse_unscoped)
    yield
    event.remove(Engine, "before_execute", refuse_unscoped)


def _tables(statement: ClauseElement) -> Iterator[str]:
    for element in visitors.iterate(statement):
        for table in (element, getattr(element, "table", None)):
            if isinstance(table, Table):
                yield str(table.name)


def _names_tenant(statement: ClauseElement) -> bool:
    return any(
        getattr(part, "name", None) == "tenant_id"
        for element in visitors.iterate(statement)
        if isinstance(element, BinaryExpression)
        for side in (element.left, element.right)
        for part in visitors.iterate(side)
    )


def _caller() -> str | None:
    """Return the function of the ledger that sends the statement; None for anybody else."""
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        module = frame.f_globals.get("__name__", "")
        if module.startswith("backends.ledger.") and not module.endswith(
            (".engine", ".statements", ".copying", ".migrating")
        ):
            name = frame.f_code.co_qualname.partition(".<locals>")[0]
            return f"{module.removeprefix('backends.ledger.')}.{name}"
    return None
