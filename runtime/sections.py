"""Sections of the settings: what the audit log, alerts and their sinks can be told."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, SecretStr


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AuditSettings(Section):
    """The audit log: what seals it, and where signed checkpoints go."""

    key: SecretStr | None = Field(
        None, description="hex, 32 bytes or more; None: audit.keys of the data folder"
    )
    former_keys: tuple[SecretStr, ...] = Field((), description="those that sealed before `key`")
    signing_key_path: Path | None = Field(
        None, description="Ed25519, PEM; None: audit-signing.pem of the data folder"
    )
    checkpoint_path: Path | None = Field(
        None,
        description="a file on another disk or host; None: audit-checkpoints.jsonl of the data folder",
    )
    checkpoint_url: SecretStr | None = Field(
        None, description="checkpoints are posted there as well"
    )
    checkpoint_seconds: float = Field(300.0, gt=0, description="how often one is made")
    allow_private_networks: bool = Field(
        default=False, description="checkpoint_url may be at private addresses, and over http"
    )
