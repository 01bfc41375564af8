"""The doorkeeper from `Settings`."""

from __future__ import annotations

from domain.access import TokenVerifier
from domain.clock import Clock
from domain.documents import TenantId
from domain.errors import ConfigurationError
from domain.ledger import KeyLedger
from domain.limits import RateLimiter
from runtime.access_sections import AccessSettings, OidcSettings
from runtime.doorkeeping import Doorkeeper


def build_doorkeeper(
    settings: AccessSettings, *, keys: KeyLedger, limiter: RateLimiter, clock: Clock
) -> Doorkeeper:
    """Build it; the issuer is asked for its keys when the first token comes.

    Raises:
        ConfigurationError: The issuer's address is not usable, or the extra `oidc` is missing.
    """
    return Doorkeeper(
        keys=keys,
        limiter=limiter,
        tokens=build_token_verifier(settings.oidc, clock=clock),
        clock=clock,
        settings=settings,
    )


def build_token_verifier(settings: OidcSettings, *, clock: Clock) -> TokenVerifier | None:
    """Build what verifies tokens; None where no issuer is set.

    Raises:
        ConfigurationError: The issuer's address is not usable, or the extra `oidc` is missing.
    """
    if settings.issuer is None or settings.audience is None:
        return None
    try:
        from backends.oidc_tokens import Issuer, OidcTokenVerifier
    except ImportError as exc:
        raise ConfigurationError("access.oidc needs the extra: mithridate[oidc]") from exc
    return OidcTokenVerifier(
        Issuer(
            issuer=settings.issuer,
            audience=settings.audience,
            algorithms=settings.algorithms,
            scopes_claim=settings.scopes_claim,
            scopes=settings.scopes,
            tenant=TenantId(settings.tenant),
            tenant_claim=settings.tenant_claim,
            jwks_url=settings.jwks_url,
            keys_seconds=settings.keys_seconds,
            leeway_seconds=settings.leeway_seconds,
            timeout_seconds=settings.timeout_seconds,
            allow_private_networks=settings.allow_private_networks,
        ),
        clock=clock,
    )
