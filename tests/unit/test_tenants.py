"""Law 15 by the types: whatever is asked of a store names the tenant, or says here why it need not."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import typing
from collections.abc import Iterator, Mapping
from typing import Final

import pytest

import domain
from domain.documents import TenantId

_BY_ID: Final = "by a document's id, of 80 random bits and handed out by our own queue alone"
_FOR_ALL: Final = "the worker's own, for all tenants alike; nobody asks for it over the API"
_HEALTH: Final = "reads nothing of anybody"

WITHOUT_A_TENANT: Final[Mapping[str, str]] = {
    "BlobStore.ping": _HEALTH,
    "Ledger.ping": _HEALTH,
    "Ledger.close": _HEALTH,
    "VectorStore.ping": _HEALTH,
    "Outbox.pending": _FOR_ALL,
    "Outbox.mark_published": _FOR_ALL,
    "Outbox.add": _BY_ID,
    "KeyLedger.find": "it is the key that says who the tenant is",
    "KeyLedger.used": "after the key was found and its secret compared",
    "Journal.sealed": "the chain is one over all tenants; the audit commands of the host read it",
    "Journal.head": "a hash and a count",
    "CheckpointStore.keep": "a hash and a count",
    "Retention.prune_claims": _FOR_ALL,
    "Retention.prune_outbox": _FOR_ALL,
    "Retention.prune_deliveries": _FOR_ALL,
    "Retention.prune_observations": _FOR_ALL,
    "DocumentLedger.find": _BY_ID,
    "DocumentLedger.begin_attempt": _BY_ID,
    "DocumentLedger.extend_lease": _BY_ID,
    "DocumentLedger.give_back": _BY_ID,
    "DocumentLedger.settle": _BY_ID,
    "DocumentLedger.undecided": _FOR_ALL,
    "DocumentLedger.backlog": "counts, by tenant",
    "DocumentLedger.tenants": _FOR_ALL,
    "DocumentLifecycle.held": _FOR_ALL,
    "DocumentLifecycle.rescan": _BY_ID,
    "DocumentLifecycle.forget_editions": _FOR_ALL,
    "IncidentLedger.unfinished": _FOR_ALL,
    "WebhookLedger.get": "by the id that a delivery of the worker carries",
    "WebhookLedger.disable": "by the id that a delivery of the worker carries",
    "WebhookLedger.due": _FOR_ALL,
    "WebhookLedger.save_attempt": "by the id of a delivery that the worker just took",
}

STORES: Final = (
    "Cache",
    "Index",
    "Journal",
    "Ledger",
    "Lifecycle",
    "Outbox",
    "Retention",
    "Search",
    "Stamps",
    "Store",
)
ELSEWHERE: Final = frozenset({"WebSearch"})
"""Named like a store of ours, and is none."""


def methods() -> Iterator[tuple[str, object]]:
    """Yield every method of every port that keeps something, by `Port.method`."""
    for found in pkgutil.walk_packages(domain.__path__, "domain."):
        module = importlib.import_module(found.name)
        for name, port in vars(module).items():
            ours = inspect.isclass(port) and port.__module__ == found.name
            if not ours or not getattr(port, "_is_protocol", False) or name in ELSEWHERE:
                continue
            if name.endswith(STORES):
                for attribute, method in vars(port).items():
                    if not attribute.startswith("_") and inspect.isfunction(method):
                        yield f"{name}.{attribute}", method


def names_a_tenant(method: object) -> bool:
    hints = typing.get_type_hints(method, {"TenantId": TenantId, **_globals(method)})
    hints.pop("return", None)
    return any(carries_tenant(kind) for kind in hints.values())


def _globals(method: object) -> dict[str, object]:
    return dict(vars(inspect.getmodule(method) or domain))


def carries_tenant(kind: object, seen: tuple[object, ...] = ()) -> bool:
    """Whether a value of this type is, holds or has a field that is a tenant."""
    if kind is TenantId:
        return True
    if inspect.isclass(kind) and dataclasses.is_dataclass(kind) and kind not in seen:
        fields = typing.get_type_hints(kind).values()
        return any(carries_tenant(each, (*seen, kind)) for each in fields)
    return any(carries_tenant(each, seen) for each in typing.get_args(kind))


METHODS: Final = dict(methods())


@pytest.mark.parametrize("name", sorted(METHODS))
def test_whatever_is_asked_of_a_store_names_the_tenant(name: str) -> None:
    assert names_a_tenant(METHODS[name]) != (name in WITHOUT_A_TENANT)


def test_the_exceptions_are_of_methods_that_are_there() -> None:
    assert set(WITHOUT_A_TENANT) <= set(METHODS)
    assert len(METHODS) > 3 * len(WITHOUT_A_TENANT)
