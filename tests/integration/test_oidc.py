"""Bearer tokens of an OpenID Connect issuer, against one that stands on loopback."""

from __future__ import annotations

import base64
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from fastapi import FastAPI, Response
from joserfc import jwt
from joserfc.jwk import ECKey, OctKey, RSAKey

from backends.memory.clock import ManualClock
from backends.oidc_tokens import REFETCH_SECONDS
from domain.access import Principal, Scope, TokenVerifier
from domain.errors import ConfigurationError, TransientError, UnauthenticatedError
from runtime.access import build_token_verifier
from runtime.access_sections import OidcSettings
from tests.serving import serve

pytestmark = [pytest.mark.anyio, pytest.mark.integration]

AUDIENCE = "mithridate"
RSA = RSAKey.generate_key(2048, {"kid": "rsa-1"})
RSA_NEXT = RSAKey.generate_key(2048, {"kid": "rsa-2"})
EC = ECKey.generate_key("P-256", {"kid": "ec-1"})
FOREIGN = RSAKey.generate_key(2048, {"kid": "rsa-1"})


@dataclass(slots=True)
class LocalIssuer:
    """What its two documents say; each can be bent."""

    url: str = ""
    keys: list[Any] = field(default_factory=lambda: [RSA, EC])
    discovery: dict[str, Any] | None = None
    down: bool = False
    asked: int = 0

    def app(self) -> FastAPI:
        app = FastAPI()

        @app.get("/.well-known/openid-configuration")
        async def configuration() -> dict[str, Any]:
            return self.discovery or {"issuer": self.url, "jwks_uri": f"{self.url}/keys"}

        @app.get("/keys")
        async def keys(response: Response) -> dict[str, Any]:
            self.asked += 1
            if self.down:
                response.status_code = 503
                return {}
            return {"keys": [key.as_dict(private=False) for key in self.keys]}

        return app


@dataclass(slots=True)
class Trusted:
    issuer: LocalIssuer
    clock: ManualClock

    def verifier(self, **settings: Any) -> TokenVerifier:
        given = {
            "issuer": self.issuer.url,
            "audience": AUDIENCE,
            "allow_private_networks": True,
            **settings,
        }
        built = build_token_verifier(OidcSettings(**given), clock=self.clock)
        assert built is not None
        return built

    def claims(self, **changes: Any) -> dict[str, Any]:
        now = int(self.clock.now().timestamp())
        claims = {
            "iss": self.issuer.url,
            "aud": AUDIENCE,
            "sub": "alice",
            "exp": now + 300,
            "iat": now,
            "scope": "openid mithridate:documents:write mithridate:questions:ask",
            **changes,
        }
        return {name: value for name, value in claims.items() if value is not None}

    def token(self, *, key: Any = RSA, alg: str = "RS256", **changes: Any) -> str:
        header = {"alg": alg, "kid": key.kid}
        return jwt.encode(header, self.claims(**changes), key, algorithms=[alg])


@pytest.fixture
async def trusted() -> AsyncIterator[Trusted]:
    issuer = LocalIssuer()
    async with serve(issuer.app()) as url:
        issuer.url = url
        yield Trusted(issuer=issuer, clock=ManualClock())


async def refused(verifier: TokenVerifier, token: str) -> None:
    with pytest.raises(UnauthenticatedError) as caught:
        await verifier.verify(token)
    assert token not in str(caught.value)


async def test_claims_become_scopes_tenant_and_an_origin_of_their_own(trusted: Trusted) -> None:
    caller = await trusted.verifier().verify(trusted.token())

    assert caller.scopes == {Scope.DOCUMENTS_WRITE, Scope.QUESTIONS_ASK}
    assert caller.tenant_id == "default"
    assert caller.actor == f"oidc:{caller.key_id}"
    assert caller.origin is not None
    assert str(caller.origin) == f"uploader:oidc-{caller.key_id}"
    assert "alice" not in repr(caller)


async def test_a_subject_is_the_same_at_every_token_and_at_no_other_issuer(
    trusted: Trusted,
) -> None:
    verifier = trusted.verifier()

    async def who(**changes: Any) -> Principal:
        return await verifier.verify(trusted.token(**changes))

    assert (await who()).key_id == (await who(jti="another")).key_id
    assert (await who()).key_id != (await who(sub="bob")).key_id


@pytest.mark.parametrize(("key", "alg"), [(RSA, "RS256"), (EC, "ES256")], ids=["rsa", "ec"])
async def test_each_pinned_algorithm_is_verified(trusted: Trusted, key: Any, alg: str) -> None:
    await trusted.verifier().verify(trusted.token(key=key, alg=alg))


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://elsewhere.example"},
        {"iss": None},
        {"aud": "another-service"},
        {"aud": ["another-service"]},
        {"aud": None},
        {"exp": None},
        {"exp": 1},
        {"exp": "never"},
        {"nbf": 99_999_999_999},
        {"iat": 99_999_999_999},
        {"sub": None},
        {"sub": 7},
        {"sub": ["alice"]},
    ],
    ids=str,
)
async def test_claims_that_are_not_for_us_open_nothing(
    trusted: Trusted, changes: dict[str, Any]
) -> None:
    await refused(trusted.verifier(), trusted.token(**changes))


async def test_a_token_opens_until_it_lapses_with_some_leeway(trusted: Trusted) -> None:
    verifier, token = trusted.verifier(leeway_seconds=30), trusted.token()

    trusted.clock.advance(329)
    await verifier.verify(token)
    trusted.clock.advance(2)

    await refused(verifier, token)


async def test_an_audience_among_several_is_ours(trusted: Trusted) -> None:
    await trusted.verifier().verify(trusted.token(aud=["other", AUDIENCE]))


def unsigned(trusted: Trusted) -> str:
    return f"{part({'alg': 'none', 'kid': 'rsa-1'})}.{part(trusted.claims())}."


def part(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


async def test_forged_signatures_open_nothing(trusted: Trusted) -> None:
    verifier, good = trusted.verifier(), trusted.token()
    head, claims, signature = good.split(".")
    pem = RSA.as_pem(private=False)
    confused = jwt.encode(
        {"alg": "HS256", "kid": "rsa-1"},
        trusted.claims(),
        OctKey.import_key(base64.urlsafe_b64encode(pem).decode()),
        algorithms=["HS256"],
    )

    for token in (
        trusted.token(key=FOREIGN),
        unsigned(trusted),
        confused,
        f"{head}.{part(trusted.claims(sub='mallory'))}.{signature}",
        f"{head}.{claims}.{signature[:-4]}AAAA",
        f"{head}.{claims}.",
        "a.b.c",
        "..",
        "é.é.é",
        good + "x" * 20_000,
    ):
        await refused(verifier, token)
    await verifier.verify(good)


async def test_an_algorithm_that_is_not_pinned_is_refused_though_the_key_is_known(
    trusted: Trusted,
) -> None:
    verifier = trusted.verifier(algorithms=("RS256",))

    await refused(verifier, trusted.token(key=EC, alg="ES256"))
    await refused(verifier, trusted.token(alg="PS256"))


async def test_keys_that_a_token_brings_along_are_not_looked_at(trusted: Trusted) -> None:
    header = {
        "alg": "RS256",
        "kid": "mine",
        "jwk": FOREIGN.as_dict(private=False),
        "jku": f"{trusted.issuer.url}/keys",
    }
    token = jwt.encode(header, trusted.claims(), FOREIGN, algorithms=["RS256"])

    await refused(trusted.verifier(), token)


async def test_scopes_are_what_the_mapping_gives_and_nothing_else(trusted: Trusted) -> None:
    verifier = trusted.verifier(scopes_claim="roles", scopes={"librarian": "quarantine:review"})

    mapped = await verifier.verify(trusted.token(roles=["librarian", "admin", 7]))
    unmapped = await verifier.verify(trusted.token(roles="admin mithridate:admin"))
    without = await verifier.verify(trusted.token(roles={"admin": True}))

    assert mapped.scopes == {Scope.QUARANTINE_REVIEW}
    assert (unmapped.scopes, without.scopes) == (frozenset(), frozenset())


async def test_by_default_an_issuers_admin_is_nobody_here(trusted: Trusted) -> None:
    caller = await trusted.verifier().verify(trusted.token(scope="admin documents:write"))

    assert caller.scopes == frozenset()


@pytest.mark.parametrize("tenant", [None, "", "a/b", "x" * 65, ["a"], 7], ids=str)
async def test_a_token_without_a_tenant_where_one_is_asked_for_opens_nothing(
    trusted: Trusted, tenant: Any
) -> None:
    verifier = trusted.verifier(tenant_claim="org")

    named = await verifier.verify(trusted.token(org="acme"))

    assert named.tenant_id == "acme"
    await refused(verifier, trusted.token(org=tenant))


async def test_keys_are_fetched_once_and_again_when_the_issuer_has_rotated_them(
    trusted: Trusted,
) -> None:
    verifier = trusted.verifier()
    for _ in range(5):
        await verifier.verify(trusted.token())
    once = trusted.issuer.asked
    trusted.issuer.keys = [RSA_NEXT]
    trusted.clock.advance(REFETCH_SECONDS)

    await verifier.verify(trusted.token(key=RSA_NEXT))

    assert (once, trusted.issuer.asked) == (1, 2)
    await refused(verifier, trusted.token(key=RSA))


async def test_unknown_key_ids_make_no_flood_of_questions(trusted: Trusted) -> None:
    verifier = trusted.verifier()
    await verifier.verify(trusted.token())

    for number in range(20):
        stranger = RSAKey.import_key({**FOREIGN.as_dict(private=True), "kid": f"k{number}"})
        await refused(verifier, trusted.token(key=stranger))

    assert trusted.issuer.asked == 1


async def test_an_issuer_that_is_down_locks_out_nobody_whose_keys_are_known(
    trusted: Trusted,
) -> None:
    verifier = trusted.verifier(keys_seconds=60)
    await verifier.verify(trusted.token())
    trusted.issuer.down = True
    trusted.clock.advance(120)

    await verifier.verify(trusted.token())


async def test_without_keys_a_token_is_neither_taken_nor_refused_but_put_off(
    trusted: Trusted,
) -> None:
    trusted.issuer.down = True
    verifier = trusted.verifier()

    for _ in range(3):
        with pytest.raises(TransientError):
            await verifier.verify(trusted.token())
    asked = trusted.issuer.asked
    trusted.issuer.down = False
    trusted.clock.advance(REFETCH_SECONDS)

    assert asked == 1
    await verifier.verify(trusted.token())


@pytest.mark.parametrize(
    "discovery",
    [
        {"issuer": "https://elsewhere.example", "jwks_uri": "https://elsewhere.example/keys"},
        {"jwks_uri": "nowhere"},
        {"issuer": 1},
    ],
    ids=["another issuer", "no issuer", "no text"],
)
async def test_a_configuration_that_names_somebody_else_gives_no_keys(
    trusted: Trusted, discovery: dict[str, Any]
) -> None:
    trusted.issuer.discovery = discovery

    with pytest.raises(TransientError):
        await trusted.verifier().verify(trusted.token())


async def test_private_addresses_and_http_are_asked_only_where_allowed(trusted: Trusted) -> None:
    with pytest.raises(ConfigurationError):
        trusted.verifier(allow_private_networks=False)


def test_an_issuer_without_an_audience_is_a_wrong_setting() -> None:
    with pytest.raises(ValueError, match="audience"):
        OidcSettings(issuer="https://issuer.example")
