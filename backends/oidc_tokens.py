"""Tells who a bearer token of an OpenID Connect issuer is from (RFC 9068, RFC 8725).

Algorithms are pinned and asymmetric, so that a token cannot choose how it is verified. Keys come
from the configured issuer alone, never from an address that a token names.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import httpx
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet
from joserfc.jwt import JWTClaimsRegistry
from pydantic import BaseModel, ValidationError

from backends.citations.client import GuardedClient
from backends.guarded_addresses import Resolver, resolve_host
from backends.webhook_addresses import check_url, parse_url
from domain.access import KeyId, Principal, Scope
from domain.clock import Clock
from domain.documents import OriginKind, OriginRef, TenantId
from domain.errors import (
    ConfigurationError,
    DependencyError,
    InputError,
    PermanentError,
    TransientError,
    UnauthenticatedError,
)

MAX_TOKEN_CHARS: Final = 16_000
MAX_KEYS_BYTES: Final = 500_000
REFETCH_SECONDS: Final = 60.0
"""A token with an unknown key id has the keys fetched anew, but no more often than this."""

_DISCOVERY: Final = "/.well-known/openid-configuration"
_OK: Final = 200
_TENANT: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
_REFUSED: Final = "a valid API key or token is needed as a bearer token"


@dataclass(frozen=True, slots=True, kw_only=True)
class Issuer:
    """Whose tokens open what.

    Attributes:
        issuer: The `iss` of its tokens; discovery asks below it unless `jwks_url` is given.
        audience: Which `aud` is ours.
        algorithms: Asymmetric ones; every other one is refused.
        scopes_claim: Holds names, a list or one text with blanks between.
        scopes: What the names of the claim give; a name that is not here gives nothing.
        tenant_claim: Holds the tenant; None: all its tokens are of `tenant`.
        keys_seconds: How long its keys are kept.
    """

    issuer: str
    audience: str
    algorithms: Sequence[str]
    scopes_claim: str
    scopes: Mapping[str, Scope]
    tenant: TenantId
    tenant_claim: str | None = None
    jwks_url: str | None = None
    keys_seconds: float = 3600.0
    leeway_seconds: int = 30
    timeout_seconds: float = 5.0
    allow_private_networks: bool = False


class _Discovered(BaseModel):
    issuer: str
    jwks_uri: str


class _Keys(BaseModel):
    keys: list[dict[str, object]]


@dataclass(slots=True)
class _Known:
    """The issuer's keys, and when they were fetched."""

    keys: KeySet | None = None
    fetched_at: float = 0.0
    asked_at: float = field(default=float("-inf"))


class OidcTokenVerifier:
    """Verifies on keys that it keeps; asks the issuer for them, and for those it does not know."""

    def __init__(
        self,
        issuer: Issuer,
        *,
        clock: Clock,
        resolve: Resolver = resolve_host,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Check the addresses; nothing is sent yet.

        Raises:
            ConfigurationError: An address is not usable.
        """
        self._issuer = issuer
        self._clock = clock
        self._resolve = resolve
        self._tls = tls
        for url in (issuer.issuer, issuer.jwks_url):
            if url is not None:
                _checked(url, allow_private_networks=issuer.allow_private_networks)
        self._known = _Known()
        self._fetching = asyncio.Lock()

    async def verify(self, token: str) -> Principal:
        """Return the caller; see the Protocol."""
        if len(token) > MAX_TOKEN_CHARS:
            raise UnauthenticatedError(_REFUSED)
        keys = await self._keys()
        try:
            try:
                claims = self._claims(token, keys)
            except InvalidKeyIdError:
                # The issuer may have rotated its keys since.
                claims = self._claims(token, await self._keys(anew=True))
        except (JoseError, ValueError, TypeError) as exc:
            raise UnauthenticatedError(_REFUSED) from exc
        return self._principal(claims)

    def _claims(self, token: str, keys: KeySet) -> Mapping[str, object]:
        read = jwt.decode(token, keys, algorithms=list(self._issuer.algorithms))
        registry = JWTClaimsRegistry(
            now=int(self._clock.now().timestamp()),
            leeway=self._issuer.leeway_seconds,
            iss={"essential": True, "value": self._issuer.issuer},
            aud={"essential": True, "value": self._issuer.audience},
            sub={"essential": True},
            exp={"essential": True},
        )
        registry.validate(read.claims)
        return read.claims

    def _principal(self, claims: Mapping[str, object]) -> Principal:
        # Of issuer and subject together: another issuer's subject of that name is somebody else.
        matter = f"{self._issuer.issuer}\0{claims['sub']}"
        subject = hashlib.sha256(matter.encode()).hexdigest()[:32]
        return Principal(
            key_id=KeyId(subject),
            tenant_id=self._tenant(claims),
            scopes=frozenset(
                self._issuer.scopes[name]
                for name in _names(claims.get(self._issuer.scopes_claim))
                if name in self._issuer.scopes
            ),
            origin=OriginRef(kind=OriginKind.UPLOADER, id=f"oidc-{subject}"),
            via="oidc",
        )

    def _tenant(self, claims: Mapping[str, object]) -> TenantId:
        if self._issuer.tenant_claim is None:
            return self._issuer.tenant
        named = claims.get(self._issuer.tenant_claim)
        if not isinstance(named, str) or not _TENANT.fullmatch(named):
            raise UnauthenticatedError(_REFUSED)
        return TenantId(named)

    async def _keys(self, *, anew: bool = False) -> KeySet:
        async with self._fetching:
            known, now = self._known, self._clock.monotonic()
            may_ask = now - known.asked_at >= REFETCH_SECONDS
            stale = now - known.fetched_at >= self._issuer.keys_seconds
            if known.keys is not None and not (may_ask and (stale or anew)):
                return known.keys
            if known.keys is None and not may_ask:
                raise TransientError("the issuer's keys could not be had a moment ago")
            known.asked_at = now
            try:
                known.keys, known.fetched_at = await self._fetch(), now
            except DependencyError as exc:
                if known.keys is None:
                    raise TransientError("the issuer's keys cannot be had") from exc
                # Those that we have verify on: an issuer that is down locks nobody out.
            return known.keys

    async def _fetch(self) -> KeySet:
        url = self._issuer.jwks_url or await self._discover()
        try:
            found = _Keys.model_validate_json(await self._get(url)).keys
            return KeySet.import_key_set({"keys": found})  # type: ignore[typeddict-item]
        except (ValidationError, JoseError, ValueError, TypeError) as exc:
            raise PermanentError("the issuer answered something else than keys") from exc

    async def _discover(self) -> str:
        body = await self._get(self._issuer.issuer.rstrip("/") + _DISCOVERY)
        try:
            found = _Discovered.model_validate_json(body)
        except ValidationError as exc:
            raise PermanentError("the issuer's configuration cannot be read") from exc
        if found.issuer != self._issuer.issuer:
            raise PermanentError("the issuer's configuration names another issuer")
        return found.jwks_uri

    async def _get(self, url: str) -> bytes:
        allowed = self._issuer.allow_private_networks
        try:
            parsed = _checked(url, allow_private_networks=allowed)
        except ConfigurationError as exc:
            raise PermanentError("the issuer names an address that is refused") from exc
        client = GuardedClient(
            parsed,
            who="token issuer",
            allow_private_networks=allowed,
            timeout_seconds=self._issuer.timeout_seconds,
            max_bytes=MAX_KEYS_BYTES,
            resolve=self._resolve,
            tls=self._tls,
        )
        answer = await client.get("", {"accept": "application/json"})
        if answer.status != _OK:
            raise TransientError(f"the issuer answered {answer.status}")
        return answer.body


def _checked(url: str, *, allow_private_networks: bool) -> httpx.URL:
    try:
        check_url(url, allow_private_networks=allow_private_networks)
    except InputError as exc:
        raise ConfigurationError(f"access.oidc: {exc}") from exc
    parsed = parse_url(url)
    if parsed is None or parsed.fragment:
        raise ConfigurationError("access.oidc: an address is no URL")
    return parsed


def _names(claim: object) -> Sequence[str]:
    if isinstance(claim, str):
        return claim.split()
    if isinstance(claim, list):
        return [name for name in claim if isinstance(name, str)]
    return ()
