"""Sections of the settings: where ledger, queue, vectors and blobs are."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, model_validator

from runtime.sections import Section


class DatabaseSettings(Section):
    url: SecretStr | None = Field(None, description="None: SQLite in the data folder")
    timeout_seconds: float = Field(
        30.0, gt=0, le=600, description="for a transaction; then 503, and the job is put off"
    )


class QueueSettings(Section):
    url: SecretStr | None = Field(
        None,
        description="redis://, rediss://, unix:// or redis+sentinel:// URL; None: the embedded broker",
    )
    state_url: SecretStr | None = Field(
        None,
        description="locks, limits, kept answers, near-duplicates; redis+cluster:// too; None: url",
    )
    ca_path: Path | None = Field(
        None, description="PEM of who signed the servers' certificates; None: the usual ones"
    )
    visibility_timeout_seconds: int = Field(600, gt=0)
    sweep_seconds: float = Field(5.0, gt=0, description="how often the outbox is swept")
    requeue_after_seconds: float = Field(
        1200.0, gt=0, description="a document without a verdict for this long is queued again"
    )
    max_waiting: int = Field(
        20_000, ge=1, description="documents without a verdict; then uploads are put off, with 429"
    )
    max_waiting_of_tenant: int = Field(10_000, ge=1, description="the same, of one tenant")
    max_wait_seconds: float = Field(
        3600.0, gt=0, description="uploads are put off while a tenant's oldest waits for longer"
    )
    bulk_after: int = Field(
        60,
        ge=1,
        description="uploads of one origin in a minute; further ones take turns with all else",
    )


class VectorSettings(Section):
    backend: Literal["lancedb", "weaviate", "memory"] = "lancedb"
    weaviate_url: str | None = None
    weaviate_grpc_port: int = 50051
    weaviate_api_key: SecretStr | None = None
    collection: str = Field(
        "MithridateChunk",
        pattern=r"^[A-Z][A-Za-z0-9_]{0,99}$",
        description="name of the index; another one stands beside it",
    )


class S3Settings(Section):
    """An S3-compatible store; the extra `s3`. The bucket must be there."""

    bucket: str | None = None
    prefix: str = Field("mithridate", description="of every key")
    endpoint: str | None = Field(None, description="URL of the store; None: Amazon's of the region")
    region: str = "us-east-1"
    access_key_id: SecretStr | None = Field(
        None, description="None: as the environment or the machine's role says"
    )
    secret_access_key: SecretStr | None = None
    path_style: bool = Field(
        default=True, description="the bucket stands in the path, not in the host's name"
    )
    allow_http: bool = Field(default=False, description="the endpoint may be reached without TLS")
    ca_path: Path | None = Field(
        None, description="PEM of who signed its certificate; None: the usual ones"
    )
    timeout_seconds: float = Field(30.0, gt=0, le=600)
    connect_seconds: float = Field(5.0, gt=0, le=60)

    @model_validator(mode="after")
    def _has_both_keys(self) -> S3Settings:
        if (self.access_key_id is None) != (self.secret_access_key is None):
            raise ValueError("access_key_id and secret_access_key are given together")
        return self


class BlobSettings(Section):
    backend: Literal["files", "s3"] = Field(
        "files", description="files: in the data folder, which all hosts must then share"
    )
    s3: S3Settings = S3Settings()

    @model_validator(mode="after")
    def _has_a_bucket(self) -> BlobSettings:
        if self.backend == "s3" and not self.s3.bucket:
            raise ValueError("backend s3 needs s3.bucket")
        return self
