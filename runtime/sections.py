"""Sections of the settings: what the audit log, alerts and their sinks can be told."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator


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


EventType = Literal[
    "alert.firing",
    "alert.resolved",
    "disagreement.firing",
    "disagreement.resolved",
    "calibration.drifted",
    "detector.unavailable",
    "document.quarantined",
    "document.rejected",
    "document.released",
    "webhook.disabled",
]


class InhibitionSettings(Section):
    """While an alert with `source`'s labels fires, those with `target`'s are not told of."""

    source: dict[str, str] = Field(min_length=1)
    target: dict[str, str] = Field(min_length=1)
    equal: tuple[str, ...] = Field(("topic",), description="labels that both must share")


class AlertSettings(Section):
    """When receivers are told of alerts."""

    group_seconds: float = Field(
        60.0, ge=0, description="further alerts of one name are told together after it"
    )
    repeat_hours: float = Field(4.0, gt=0, description="a reminder while one fires unacknowledged")
    inhibitions: tuple[InhibitionSettings, ...] = Field(
        (
            InhibitionSettings(
                source={"name": "disagreement-spike", "severity": "critical"},
                target={"name": "sustained-disagreement"},
            ),
        ),
        description="tables of source, target and equal",
    )
    public_url: str | None = Field(
        None, description="of this gateway, as people reach it: events then hold links"
    )
    review_sample: int = Field(5, ge=0, le=100, description="questions of an alert that are queued")
    review_quota: int = Field(20, ge=1, description="open ones of one asker")


class SinkSettings(Section):
    """A receiver of the operator's own, told of every tenant's events."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,39}$")
    kind: Literal["alertmanager", "ocsf", "cef", "jsonl", "apprise"]
    url: SecretStr | None = Field(
        None, description="https:// (alertmanager, ocsf), tls://host:port (cef), or apprise's"
    )
    path: Path | None = Field(None, description="the file of jsonl, or of ocsf without a url")
    authorization: SecretStr | None = Field(None, description="header of alertmanager and ocsf")
    ca_path: Path | None = Field(None, description="PEM of who is trusted; None: the usual ones")
    event_types: tuple[EventType, ...] | None = Field(
        None, description="None: alerts, documents and disabled webhooks"
    )
    allow_private_networks: bool = Field(
        default=False, description="it stands at a private address; http too"
    )
    timeout_seconds: float = Field(10.0, gt=0, le=60)

    @model_validator(mode="after")
    def _has_a_place(self) -> SinkSettings:
        if self.kind == "jsonl" and (self.path is None or self.url is not None):
            raise ValueError("a jsonl sink has a path and no url")
        if self.kind == "ocsf" and (self.path is None) == (self.url is None):
            raise ValueError("an ocsf sink has either a url or a path")
        if self.kind in ("alertmanager", "cef", "apprise") and (
            self.url is None or self.path is not None
        ):
            raise ValueError(f"a sink of kind {self.kind} has a url and no path")
        return self
