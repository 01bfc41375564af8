"""Sections of the settings: who is let in, and how often."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from domain.access import Scope
from runtime.sections import Section

Algorithm = Literal[
    "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "Ed25519"
]

OUR_SCOPES = {f"mithridate:{scope.value}": scope for scope in Scope}
"""Names of their own: that an issuer calls somebody `admin` says nothing of this service."""


class OidcSettings(Section):
    """Bearer tokens of an OpenID Connect issuer, beside API keys; the extra `oidc`."""

    issuer: str | None = Field(None, description="its `iss`, https; None: API keys alone")
    audience: str | None = Field(None, description="the `aud` that is meant for this service")
    jwks_url: str | None = Field(None, description="None: as the issuer's configuration says")
    algorithms: tuple[Algorithm, ...] = Field(
        ("RS256", "ES256"), min_length=1, description="every other one is refused"
    )
    scopes_claim: str = Field("scope", description="holds names, a list or with blanks between")
    scopes: dict[str, Scope] = Field(
        OUR_SCOPES, description="what each name of the claim gives; others give nothing"
    )
    tenant: str = Field("default", pattern=r"^[A-Za-z0-9_-]{1,64}$")
    tenant_claim: str | None = Field(
        None, description="holds the tenant; None: all tokens are of `tenant`"
    )
    keys_seconds: float = Field(3600.0, ge=60, description="how long its keys are kept")
    leeway_seconds: int = Field(30, ge=0, le=300, description="between its clock and ours")
    timeout_seconds: float = Field(5.0, gt=0, le=60)
    allow_private_networks: bool = Field(
        default=False, description="an issuer at loopback and private addresses, and over http"
    )

    @model_validator(mode="after")
    def _complete(self) -> OidcSettings:
        if self.issuer is not None and self.audience is None:
            raise ValueError("an issuer needs an audience, else tokens for others would open this")
        return self


class AccessSettings(Section):
    """Limits are counted in the broker, over all gateway processes."""

    requests_per_minute: int | None = Field(
        12_000, ge=1, description="of one key that has no limit of its own; None: no limit"
    )
    failures_per_minute: int = Field(
        30, ge=1, description="wrong keys of one address, or for one key; then 429"
    )
    oidc: OidcSettings = OidcSettings()
