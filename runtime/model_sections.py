"""Sections of the settings: models, in this process or behind an address."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

from runtime.sections import Section


class EndpointSettings(Section):
    """An OpenAI-compatible endpoint (vLLM, llama.cpp server, hosted)."""

    url: str | None = Field(None, description="with /v1, e.g. http://localhost:8000/v1")
    more_urls: tuple[str, ...] = Field(
        (), description="further servers of the same model; the least loaded is asked"
    )
    api_key: SecretStr | None = None
    model: str | None = None
    timeout_seconds: float = Field(30.0, gt=0)
    connect_seconds: float = Field(5.0, gt=0, description="of it, for the connection")


class LocalModelSettings(Section):
    """A GGUF on this machine; refused unless its sha256 is as pinned here."""

    path: Path | None = None
    sha256: str | None = Field(None, pattern=r"^[0-9a-f]{64}$")
    context_tokens: int = Field(4096, ge=512)


class EmbedderSettings(Section):
    backend: Literal["onnx", "openai"] = "onnx"
    threads: int = Field(1, ge=1)
    dimensions: int = Field(384, ge=1, description="of the endpoint's vectors")
    endpoint: EndpointSettings = EndpointSettings()


class DrafterSettings(Section):
    backend: Literal["extractive", "openai", "local"] = "extractive"
    endpoint: EndpointSettings = EndpointSettings()
    local: LocalModelSettings = LocalModelSettings()
    concurrency: int = Field(8, ge=1)


class VerifierSettings(Section):
    backend: Literal["evidence", "openai", "local"] = "evidence"
    endpoint: EndpointSettings = EndpointSettings()
    local: LocalModelSettings = LocalModelSettings()
    batch_milliseconds: float = Field(
        10.0, ge=0, le=1000, description="scoring jobs wait so long for those of other questions"
    )
    batch_jobs: int = Field(16, ge=1, le=256, description="with so many they go at once")


class RerankerSettings(Section):
    """A cross-encoder that orders what was retrieved: `POST /rerank` of vLLM, Cohere and others."""

    backend: Literal["none", "http"] = Field(
        "none", description="http: documents are sent to the endpoint"
    )
    endpoint: EndpointSettings = EndpointSettings()
