"""A Weaviate server on loopback: the client's own protocol stubs over an in-memory store.

Speaks the calls that `WeaviateVectorStore` and its client make and refuses every other one. Refuses
also what the real server refuses: no or a wrong key, an unknown collection, tenant or property, a
filter on what is not indexed or of another type, a vector of another length, more than 10,000
results.
"""

# ruff: noqa: N802, N815 - the names are the wire's and the standard library's
from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, NoReturn
from urllib.parse import urlsplit

import grpc
import numpy as np
from weaviate.proto.v1 import (
    aggregate_pb2,
    base_pb2,
    batch_delete_pb2,
    batch_pb2,
    health_weaviate_pb2,
    properties_pb2,
    search_get_pb2,
    tenants_pb2,
    weaviate_pb2_grpc,
)

from tests.fakes.weaviate_collections import (
    Collections,
    RefusedError,
    Stored,
    Value,
    Vector,
)

DEFAULT_LIMIT: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class FakeWeaviate:
    url: str
    grpc_port: int
    collections: Collections
    requests: list[str]
    """Every REST request, as `METHOD path`, in order."""


@contextmanager
def fake_weaviate(*, api_key: str | None = None, version: str = "1.40.4") -> Iterator[FakeWeaviate]:
    """Serve on two free loopback ports until the block ends."""
    collections, requests = Collections(), list[str]()
    rest = ThreadingHTTPServer(
        ("127.0.0.1", 0), _handler(collections, requests, api_key=api_key, version=version)
    )
    thread = threading.Thread(target=rest.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    server = grpc.server(ThreadPoolExecutor(max_workers=4))
    register: Any = weaviate_pb2_grpc.add_WeaviateServicer_to_server
    register(_Servicer(collections, api_key), server)
    server.add_generic_rpc_handlers((_health(),))
    grpc_port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield FakeWeaviate(
            url=f"http://127.0.0.1:{rest.server_address[1]}",
            grpc_port=grpc_port,
            collections=collections,
            requests=requests,
        )
    finally:
        server.stop(grace=None).wait()
        rest.shutdown()
        rest.server_close()
        thread.join()


def _handler(
    collections: Collections, requests: list[str], *, api_key: str | None, version: str
) -> type[BaseHTTPRequestHandler]:
    def answer(method: str, path: str, body: Any) -> tuple[int, Any]:
        reply: tuple[int, Any] = 404, {"error": [{"message": "path was not found"}]}
        match method, path.removeprefix("/v1/").split("/"):
            case "GET", [".well-known", "ready" | "live"]:
                reply = 200, None
            case "GET", ["meta"]:
                meta = {"version": version, "grpcMaxMessageSize": "10485760", "modules": {}}
                reply = 200, meta
            case "POST", ["schema"]:
                reply = 200, collections.create(body)
            case "GET", ["schema", name]:
                reply = 200, collections.schema(name)
            case "DELETE", ["schema", name]:
                collections.drop(name)
                reply = 200, None
            case "POST", ["schema", name, "tenants"]:
                for tenant in body:
                    collections.add_tenant(name, tenant["name"])
                reply = 200, body
            case "GET" | "HEAD", ["schema", name, "tenants", tenant]:
                reply = (200 if tenant in collections.tenants(name) else 404), None
        return reply

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body in one packet: two would wait 40 ms for the client's acknowledgement.
        wbufsize = 65_536

        def _serve(self) -> None:
            path = urlsplit(self.path).path
            requests.append(f"{self.command} {path}")
            length = int(self.headers.get("content-length", 0))
            body = json.loads(self.rfile.read(length) or b"null")
            status: int = 401
            reply: Any = {"error": [{"message": "unauthorized: invalid api key"}]}
            if api_key is None or self.headers.get("authorization") == f"Bearer {api_key}":
                with collections.lock:
                    try:
                        status, reply = answer(self.command, path, body)
                    except RefusedError as exc:
                        status = 404 if self.command in {"GET", "HEAD"} else 422
                        reply = {"error": [{"message": str(exc)}]}
            content = b"" if reply is None else json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

        do_GET = do_POST = do_HEAD = do_DELETE = do_PUT = do_PATCH = _serve

        def log_message(self, *_: object) -> None:
            return

    return Handler


def _health() -> grpc.GenericRpcHandler:
    serving = health_weaviate_pb2.WeaviateHealthCheckResponse(status="SERVING")
    return grpc.method_handlers_generic_handler(
        "grpc.health.v1.Health",
        {
            "Check": grpc.unary_unary_rpc_method_handler(
                lambda _request, _context: serving,
                request_deserializer=health_weaviate_pb2.WeaviateHealthCheckRequest.FromString,
                response_serializer=health_weaviate_pb2.WeaviateHealthCheckResponse.SerializeToString,
            )
        },
    )


class _Servicer(weaviate_pb2_grpc.WeaviateServicer):
    def __init__(self, collections: Collections, api_key: str | None) -> None:
        self._collections = collections
        self._api_key = api_key

    def Search(
        self, request: search_get_pb2.SearchRequest, context: grpc.ServicerContext
    ) -> search_get_pb2.SearchReply:
        results: list[search_get_pb2.SearchResult] = []
        with self._answering(context):
            results = self._search(request)
        return search_get_pb2.SearchReply(results=results)

    def BatchObjects(
        self, request: batch_pb2.BatchObjectsRequest, context: grpc.ServicerContext
    ) -> batch_pb2.BatchObjectsReply:
        errors = []
        with self._answering(context):
            for index, sent in enumerate(request.objects):
                try:
                    self._collections.put(sent.collection, sent.tenant, _received(sent))
                except RefusedError as exc:
                    errors.append(
                        batch_pb2.BatchObjectsReply.BatchError(index=index, error=str(exc))
                    )
        return batch_pb2.BatchObjectsReply(errors=errors)

    def BatchDelete(
        self, request: batch_delete_pb2.BatchDeleteRequest, context: grpc.ServicerContext
    ) -> batch_delete_pb2.BatchDeleteReply:
        matches, doomed = 0, list[Stored]()
        with self._answering(context):
            if not request.HasField("filters"):
                raise RefusedError("a batch deletion needs a filter")
            shard = self._collections.shard(request.collection, request.tenant)
            matching = self._collections.matching(
                request.collection, request.tenant, request.filters
            )
            matches, doomed = len(matching), matching[: self._collections.maximum_results]
            for stored in doomed:
                shard.remove(stored.id)
        return batch_delete_pb2.BatchDeleteReply(matches=matches, successful=len(doomed))

    def Aggregate(
        self, request: aggregate_pb2.AggregateRequest, context: grpc.ServicerContext
    ) -> aggregate_pb2.AggregateReply:
        count = 0
        with self._answering(context):
            filters = request.filters if request.HasField("filters") else None
            count = len(self._collections.matching(request.collection, request.tenant, filters))
        single = aggregate_pb2.AggregateReply.Single(objects_count=count)
        return aggregate_pb2.AggregateReply(single_result=single)

    def TenantsGet(
        self, request: tenants_pb2.TenantsGetRequest, context: grpc.ServicerContext
    ) -> tenants_pb2.TenantsGetReply:
        found: list[tenants_pb2.Tenant] = []
        with self._answering(context):
            wanted = set(request.names.values) if request.HasField("names") else None
            found = [
                tenants_pb2.Tenant(name=name, activity_status="TENANT_ACTIVITY_STATUS_ACTIVE")
                for name in self._collections.tenants(request.collection)
                if wanted is None or name in wanted
            ]
        return tenants_pb2.TenantsGetReply(tenants=found)

    @contextmanager
    def _answering(self, context: grpc.ServicerContext) -> Iterator[None]:
        sent = dict(context.invocation_metadata()).get("authorization")
        if self._api_key is not None and sent != f"Bearer {self._api_key}":
            _abort(context, grpc.StatusCode.UNAUTHENTICATED, "unauthorized: invalid api key")
        with self._collections.lock:
            try:
                yield
            except RefusedError as exc:
                _abort(context, grpc.StatusCode.UNKNOWN, str(exc))

    def _search(self, request: search_get_pb2.SearchRequest) -> list[search_get_pb2.SearchResult]:
        limit = request.limit or DEFAULT_LIMIT
        if request.offset + limit > self._collections.maximum_results:
            raise RefusedError("query maximum results exceeded")
        filters = request.filters if request.HasField("filters") else None
        among = self._collections.matching(request.collection, request.tenant, filters)
        if request.HasField("near_vector"):
            vector = _query_vector(request.near_vector)
            distances = self._collections.distances(request.collection, among, vector)
            among.sort(key=lambda o: distances[o.id])
            extra = {i: {"distance": d, "distance_present": True} for i, d in distances.items()}
        elif request.HasField("bm25_search"):
            query = request.bm25_search
            scores = self._collections.scores(
                request.collection, request.tenant, query.query, query.properties
            )
            among = sorted((o for o in among if o.id in scores), key=lambda o: -scores[o.id])
            extra = {i: {"score": s, "score_present": True} for i, s in scores.items()}
        elif request.HasField("hybrid_search") or request.HasField("near_text"):
            raise RefusedError("the fake does not know this kind of search")
        else:
            after = uuid.UUID(request.after) if request.after else None
            among = [o for o in among if after is None or o.id > after]
            extra = {}
        chosen = among[request.offset : request.offset + limit]
        return [_result(stored, request, extra.get(stored.id, {})) for stored in chosen]


def _abort(context: grpc.ServicerContext, code: grpc.StatusCode, details: str) -> NoReturn:
    context.abort(code, details)
    raise AssertionError


def _received(sent: batch_pb2.BatchObject) -> Stored:
    vectors = {v.name: v.vector_bytes for v in sent.vectors} or {"default": sent.vector_bytes}
    return Stored(
        id=uuid.UUID(sent.uuid),
        properties=dict(sent.properties.non_ref_properties.items()),
        vector=np.frombuffer(vectors["default"], dtype="<f4"),
    )


def _query_vector(near: Any) -> Vector:
    sent = [v.vector_bytes for v in near.vectors] or [
        v.vector_bytes for v in near.vector_for_targets
    ]
    return np.frombuffer(sent[0] if sent else near.vector_bytes, dtype="<f4")


def _result(
    stored: Stored, request: search_get_pb2.SearchRequest, extra: dict[str, Any]
) -> search_get_pb2.SearchResult:
    wanted = request.properties
    fields = {
        name: _value(value)
        for name, value in stored.properties.items()
        if wanted.return_all_nonref_properties or name in wanted.non_ref_properties
    }
    vectors = []
    if request.metadata.vector or request.metadata.vectors:
        vectors = [
            base_pb2.Vectors(
                name="default",
                vector_bytes=stored.vector.astype("<f4").tobytes(),
                type="VECTOR_TYPE_SINGLE_FP32",
            )
        ]
    return search_get_pb2.SearchResult(
        properties=search_get_pb2.PropertiesResult(
            non_ref_props=properties_pb2.Properties(fields=fields),
            target_collection=request.collection,
        ),
        metadata=search_get_pb2.MetadataResult(
            id=str(stored.id), id_as_bytes=stored.id.bytes, vectors=vectors, **extra
        ),
    )


def _value(value: Value) -> properties_pb2.Value:
    if isinstance(value, bool):
        return properties_pb2.Value(bool_value=value)
    if isinstance(value, str):
        return properties_pb2.Value(text_value=value)
    return properties_pb2.Value(number_value=value)
