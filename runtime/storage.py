"""Which embedder, vector store and blob store, by one setting each."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol, runtime_checkable

import httpx

from backends.answer_cache_redis import RedisEvidenceStamps
from backends.blobs_files import FileBlobStore
from backends.embedder_onnx import SHIPPED_MANIFEST_SHA256, OnnxEmbedder
from backends.embedder_openai import OpenAIEmbedder
from backends.memory.vectors import InMemoryVectorStore
from backends.redis_clients import opened_redis
from backends.stamped_vectors import StampedVectorStore
from backends.vectors_lancedb import LanceDBVectorStore
from domain.documents import BlobStore
from domain.errors import ConfigurationError
from domain.retrieval import Embedder, VectorStore
from runtime.home import embedded_broker, state_url
from runtime.model_sections import EmbedderSettings, EndpointSettings
from runtime.settings import Settings
from runtime.storage_sections import VectorSettings


@runtime_checkable
class Closing(Protocol):
    """A store that holds connections."""

    async def close(self) -> None: ...


def build_embedder(settings: EmbedderSettings, http: httpx.AsyncClient) -> Embedder:
    """Build the embedder of the setting `embedder.backend`.

    Raises:
        ConfigurationError: The endpoint has no URL or model.
    """
    if settings.backend == "onnx":
        return OnnxEmbedder(manifest_sha256=SHIPPED_MANIFEST_SHA256, threads=settings.threads)
    url, model = endpoint_of(settings.endpoint, "embedder")
    return OpenAIEmbedder(
        client=http,
        base_url=url,
        model=model,
        dimensions=settings.dimensions,
        more_urls=settings.endpoint.more_urls,
        api_key=settings.endpoint.api_key,
        timeout_seconds=settings.endpoint.timeout_seconds,
        connect_seconds=settings.endpoint.connect_seconds,
    )


def endpoint_of(settings: EndpointSettings, section: str) -> tuple[str, str]:
    """Return URL and model of an endpoint.

    Raises:
        ConfigurationError: One of them is not set.
    """
    if settings.url is None or settings.model is None:
        raise ConfigurationError(f"{section}.endpoint needs url and model")
    return settings.url, settings.model


def build_blobs(settings: Settings) -> BlobStore:
    """Build the store of the setting `blobs.backend`; nothing is sent.

    Raises:
        ConfigurationError: The S3 client is not installed, or does not take the settings.
    """
    if settings.blobs.backend == "files":
        return FileBlobStore(settings.home / "blobs")
    s3 = settings.blobs.s3
    if s3.bucket is None:
        raise AssertionError("the settings were checked: s3 has a bucket")
    from backends.blobs_s3 import S3BlobStore

    return S3BlobStore(
        s3.bucket,
        prefix=s3.prefix,
        endpoint=s3.endpoint,
        region=s3.region,
        access_key_id=s3.access_key_id.get_secret_value() if s3.access_key_id else None,
        secret_access_key=s3.secret_access_key.get_secret_value() if s3.secret_access_key else None,
        path_style=s3.path_style,
        allow_http=s3.allow_http,
        ca_path=s3.ca_path,
        timeout_seconds=s3.timeout_seconds,
        connect_seconds=s3.connect_seconds,
    )


def build_vectors(settings: Settings, *, dimensions: int) -> VectorStore:
    """Build the store of the setting `vectors.backend`.

    Raises:
        ConfigurationError: Weaviate has no URL, or its client is not installed.
    """
    vectors = settings.vectors
    if vectors.backend == "lancedb":
        return LanceDBVectorStore(index_folder(settings), dimensions=dimensions)
    if vectors.backend == "memory":
        return InMemoryVectorStore()
    if vectors.weaviate_url is None:
        raise ConfigurationError("vectors.backend is weaviate, and vectors.weaviate_url is not set")
    from backends.vectors_weaviate import WeaviateVectorStore

    return WeaviateVectorStore(
        vectors.weaviate_url,
        grpc_port=vectors.weaviate_grpc_port,
        api_key=vectors.weaviate_api_key.get_secret_value() if vectors.weaviate_api_key else None,
        collection=vectors.collection,
        dimensions=dimensions,
    )


def index_folder(settings: Settings) -> Path:
    """Return where LanceDB's tables are: each collection but the default one by its name."""
    default = VectorSettings().collection
    name = settings.vectors.collection
    return settings.home / ("index" if name == default else f"index-{name}")


@asynccontextmanager
async def telling(settings: Settings, vectors: VectorStore) -> AsyncIterator[VectorStore]:
    """Give a store whose changes the gateways hear of, for a process beside them.

    Where the embedded broker does not run there is nobody to tell: kept answers do not outlive it.
    """
    broker = embedded_broker(settings)
    if broker is not None and not broker.answers():
        yield vectors
        return
    async with opened_redis(state_url(settings), ca_path=settings.queue.ca_path) as redis:
        yield StampedVectorStore(vectors, RedisEvidenceStamps(redis))


async def close_vectors(vectors: VectorStore) -> None:
    """Let go of the store's connections, if it holds any."""
    if isinstance(vectors, Closing):
        await vectors.close()
