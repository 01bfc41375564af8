"""What a Weaviate server keeps and how it searches, in memory: the state behind the fake."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from weaviate.proto.v1 import base_pb2

from backends.memory.bm25 import KeywordIndex
from domain.documents import ChunkId
from tests.fakes.weaviate_words import CLASS_NAME, TENANT_NAME, asked_for, fault_of, tokens

MAXIMUM_RESULTS: Final = 10_000
"""QUERY_MAXIMUM_RESULTS: of one search, and of one batch deletion."""

DEFAULT_QUANTIZATION: Final[Mapping[str, Any]] = {"enabled": True, "bits": 8, "rescoreLimit": 20}
"""Of a server whose operator set it, as hosted ones do: of collections that do not object."""

Value: TypeAlias = str | float | bool
Vector: TypeAlias = NDArray[np.float32]

_ADDED_BY_THE_SERVER: Final[Mapping[str, Any]] = {
    "invertedIndexConfig": {
        "bm25": {"b": 0.75, "k1": 1.2},
        "cleanupIntervalSeconds": 60,
        "stopwords": {"preset": "en", "additions": None, "removals": None},
    },
    "replicationConfig": {"factor": 1, "asyncEnabled": False},
    "shardingConfig": {"virtualPerPhysical": 0},
}
_HNSW: Final[Mapping[str, Any]] = {
    "cleanupIntervalSeconds": 300,
    "distance": "cosine",
    "dynamicEfFactor": 8,
    "dynamicEfMax": 500,
    "dynamicEfMin": 100,
    "ef": -1,
    "efConstruction": 128,
    "filterStrategy": "acorn",
    "flatSearchCutoff": 40_000,
    "maxConnections": 32,
    "skip": False,
    "vectorCacheMaxObjects": 1_000_000_000_000,
}


class RefusedError(Exception):
    """The server would answer with an error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    id: uuid.UUID
    properties: Mapping[str, Value]
    vector: Vector


@dataclass(slots=True)
class Shard:
    """A tenant's objects in one collection, with keyword statistics of their own."""

    objects: dict[uuid.UUID, Stored] = field(default_factory=dict)
    keywords: dict[str, KeywordIndex] = field(default_factory=dict)

    def put(self, stored: Stored, searchable: Sequence[str]) -> None:
        self.remove(stored.id)
        self.objects[stored.id] = stored
        for name in searchable:
            index = self.keywords.setdefault(name, KeywordIndex(tokens))
            index.add(ChunkId(str(stored.id)), str(stored.properties.get(name, "")))

    def remove(self, object_id: uuid.UUID) -> None:
        if self.objects.pop(object_id, None) is not None:
            for index in self.keywords.values():
                index.remove(ChunkId(str(object_id)))


class Collections:
    """Schema, tenants and objects. `lock` is held by whoever reads or writes."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.maximum_results = MAXIMUM_RESULTS
        self.capacity: int | None = None
        """Objects over all shards before the disk is full."""
        self._schemas: dict[str, dict[str, Any]] = {}
        self._shards: dict[str, dict[str, Shard]] = {}

    def create(self, schema: dict[str, Any]) -> dict[str, Any]:
        name = schema["class"]
        if name in self._schemas:
            raise RefusedError(f"class name {name} already exists")
        if not CLASS_NAME.fullmatch(name):
            raise RefusedError(f"{name!r} is not a valid class name")
        names = [prop["name"].lower() for prop in schema.get("properties", [])]
        if len(set(names)) < len(names):
            raise RefusedError(f"class {name!r}: conflict for property: provided more than once")
        for fault in filter(None, map(fault_of, schema.get("properties", []))):
            raise RefusedError(fault)
        for vector in schema.get("vectorConfig", {}).values():
            vector.setdefault("vectorIndexType", "hnsw")
            given = vector.get("vectorIndexConfig", {})
            vector["vectorIndexConfig"] = {**_HNSW, **given}
            if not given.get("skipDefaultQuantization"):
                vector["vectorIndexConfig"]["rq"] = dict(DEFAULT_QUANTIZATION)
        for prop in schema.get("properties", []):
            text = prop["dataType"] == ["text"]
            added = {"indexFilterable": True, "indexSearchable": text, "indexRangeFilters": False}
            prop |= {**added, "moduleConfig": {"none": {}}, **prop}
        self._schemas[name] = {**_ADDED_BY_THE_SERVER, **schema}
        self._shards[name] = {}
        return self._schemas[name]

    def schema(self, collection: str) -> dict[str, Any]:
        if collection not in self._schemas:
            raise RefusedError(f"could not find class {collection} in schema")
        return self._schemas[collection]

    def drop(self, collection: str) -> None:
        self._schemas.pop(collection, None)
        self._shards.pop(collection, None)

    def tenants(self, collection: str) -> tuple[str, ...]:
        self.schema(collection)
        return tuple(self._shards[collection])

    def add_tenant(self, collection: str, tenant: str) -> None:
        self.schema(collection)
        if not TENANT_NAME.fullmatch(tenant):
            raise RefusedError(f"{tenant!r} is not a valid tenant name")
        self._shards[collection].setdefault(tenant, Shard())

    def shard(self, collection: str, tenant: str) -> Shard:
        self.schema(collection)
        if not tenant:
            raise RefusedError(f"class {collection} has multi-tenancy enabled, but no tenant given")
        if tenant not in self._shards[collection]:
            raise RefusedError(f'tenant not found: "{tenant}"')
        return self._shards[collection][tenant]

    def put(self, collection: str, tenant: str, stored: Stored) -> None:
        schema = self.schema(collection)
        if unknown := stored.properties.keys() - self._properties(collection).keys():
            raise RefusedError(f"no such prop with name {sorted(unknown)} found")
        for name, value in stored.properties.items():
            self._check_type(collection, name, value)
        if schema.get("multiTenancyConfig", {}).get("autoTenantCreation"):
            self.add_tenant(collection, tenant)
        shard = self.shard(collection, tenant)
        known = next(iter(shard.objects.values()), None)
        if known is not None and len(known.vector) != len(stored.vector):
            raise RefusedError(
                f"new node has a vector with length {len(stored.vector)}. "
                f"Existing nodes have vectors with length {len(known.vector)}"
            )
        held = sum(len(s.objects) for shards in self._shards.values() for s in shards.values())
        if self.capacity is not None and held >= self.capacity and stored.id not in shard.objects:
            raise RefusedError("disk usage too high, store is read-only")
        searchable = [p["name"] for p in schema["properties"] if p.get("indexSearchable")]
        shard.put(stored, searchable)

    def matching(
        self, collection: str, tenant: str, filters: base_pb2.Filters | None
    ) -> list[Stored]:
        """Return the objects that fit, by id."""
        shard = self.shard(collection, tenant)
        fits = self._predicate(collection, filters) if filters is not None else lambda _: True
        return sorted((o for o in shard.objects.values() if fits(o)), key=lambda o: o.id)

    def distances(
        self, collection: str, among: Sequence[Stored], vector: Vector
    ) -> dict[uuid.UUID, float]:
        """Return the distance of each object, coarse where the collection is quantised."""
        for stored in among[:1]:
            if len(stored.vector) != len(vector):
                raise RefusedError(
                    f"vector lengths don't match: {len(stored.vector)} vs {len(vector)}"
                )
        wanted = vector.astype(np.float64) / (float(np.linalg.norm(vector)) or 1.0)
        exact = {o.id: 1 - float(np.einsum("i,i", o.vector, wanted)) for o in among}
        if "rq" in self.schema(collection)["vectorConfig"]["default"]["vectorIndexConfig"]:
            return {o: round(distance * 64) / 64 for o, distance in exact.items()}
        return exact

    def scores(
        self, collection: str, tenant: str, query: str, properties: Sequence[str]
    ) -> dict[uuid.UUID, float]:
        shard = self.shard(collection, tenant)
        total: dict[uuid.UUID, float] = {}
        for name in properties:
            prop = self._properties(collection).get(name)
            if prop is None or not prop.get("indexSearchable"):
                raise RefusedError(f"property {name} is not searchable by keyword")
            index = shard.keywords.get(name, KeywordIndex(tokens))
            for object_id, score in index.scores(asked_for(query)).items():
                total[uuid.UUID(object_id)] = total.get(uuid.UUID(object_id), 0.0) + score
        return total

    def _properties(self, collection: str) -> dict[str, dict[str, Any]]:
        return {p["name"]: p for p in self.schema(collection).get("properties", [])}

    def _check_type(self, collection: str, name: str, value: Value) -> None:
        kind = self._properties(collection)[name]["dataType"][0]
        wanted = {"text": str, "boolean": bool, "number": float}[kind]
        if type(value) is not wanted:
            raise RefusedError(f"invalid {kind} property {name!r} on class {collection!r}")

    def _predicate(self, collection: str, filters: base_pb2.Filters) -> Callable[[Stored], bool]:
        operator = base_pb2.Filters.Operator.Name(filters.operator).removeprefix("OPERATOR_")
        if operator in {"AND", "OR", "NOT"}:
            parts = [self._predicate(collection, part) for part in filters.filters]
            if operator == "NOT":
                return lambda stored: not parts[0](stored)
            combine = all if operator == "AND" else any
            return lambda stored: combine(part(stored) for part in parts)
        name = filters.target.property
        wanted = _wanted(filters)
        if name != "_id":
            prop = self._properties(collection).get(name)
            if prop is None:
                raise RefusedError(f"no such prop with name {name!r} found in class {collection!r}")
            if not (prop.get("indexFilterable") or prop.get("indexRangeFilters")):
                raise RefusedError(f"Filtering by property {name!r} requires inverted index")
            for value in wanted if isinstance(wanted, list) else [wanted]:
                self._check_type(collection, name, value)
        compare = _COMPARISONS.get(operator)
        if compare is None:
            raise RefusedError(f"operator {operator} is not understood")

        def fits(stored: Stored) -> bool:
            has = str(stored.id) if name == "_id" else stored.properties.get(name)
            return compare(_folded(has), _folded(wanted))

        return fits


_COMPARISONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "EQUAL": lambda has, wanted: bool(has == wanted),
    "NOT_EQUAL": lambda has, wanted: bool(has != wanted),
    "GREATER_THAN_EQUAL": lambda has, wanted: has is not None and bool(has >= wanted),
    "CONTAINS_ANY": lambda has, wanted: has in wanted,
    "CONTAINS_NONE": lambda has, wanted: has not in wanted,
}


def _folded(value: Any) -> Any:
    # Tokenisation `field` trims, in the index and in filters.
    if isinstance(value, list):
        return [_folded(one) for one in value]
    return value.strip() if isinstance(value, str) else value


def _wanted(filters: base_pb2.Filters) -> Any:
    kind = filters.WhichOneof("test_value")
    if kind is None:
        raise RefusedError("a filter without a value")
    value = getattr(filters, kind)
    return list(value.values) if kind.endswith("_array") else value
