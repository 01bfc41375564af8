"""`keys`: API keys, written straight into the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gateway.cli.output import Json, emit, facts, note, table

if TYPE_CHECKING:
    from datetime import datetime

    from domain.access import ApiKey, Scope

Tenant = Annotated[str, typer.Option(help="Tenant of the key.")]


def register(app: typer.Typer) -> None:
    keys = typer.Typer(no_args_is_help=True, help="API keys. Needs no running gateway.")
    keys.command("create")(create)
    keys.command("list")(list_keys)
    keys.command("rotate")(rotate)
    keys.command("revoke")(revoke)
    app.add_typer(keys, name="keys")


def create(
    name: Annotated[str, typer.Option(help="What the key is for.")],
    scope: Annotated[
        list[str],
        typer.Option(
            help="documents:write, questions:ask, quarantine:review or admin; may be repeated."
        ),
    ],
    origin: Annotated[
        str | None, typer.Option(help="kind:id; whom its uploads come from. None: no uploads.")
    ] = None,
    expires_days: Annotated[
        float | None, typer.Option(min=0.0, help="Days until it lapses. None: never.")
    ] = None,
    requests_per_minute: Annotated[
        int | None, typer.Option(min=1, help="Limit of its own. None: as the settings say.")
    ] = None,
    tenant: Tenant = "default",
    json_: Json = False,
) -> None:
    """Make a key. Its token is shown this once and kept nowhere."""
    from datetime import timedelta

    from domain.documents import TenantId
    from gateway.cli.local_ledger import LocalLedger, parse_origin, with_ledger
    from runtime.credentials import IssuedKey, issue_key
    from runtime.settings import load_settings

    scopes = _scopes(scope)
    ref = parse_origin(origin) if origin is not None else None

    async def work(local: LocalLedger) -> IssuedKey:
        now = local.clock.now()
        issued = issue_key(
            ids=local.ids,
            tenant_id=TenantId(_tenant(tenant)),
            name=name,
            scopes=scopes,
            origin=ref,
            now=now,
            expires_at=None if expires_days is None else now + timedelta(days=expires_days),
            requests_per_minute=requests_per_minute,
        )
        await local.ledger.keys.add(issued.key, actor=local.actor)
        return issued

    issued = with_ledger(load_settings(), work)
    if json_:
        emit({**_shown(issued.key), "token": issued.token})
    else:
        facts({**_told(issued.key), "token": issued.token})
        note("The token is not shown again.")


def list_keys(tenant: Tenant = "default", json_: Json = False) -> None:
    """List keys, the revoked ones too. Never their tokens."""
    from domain.documents import TenantId
    from gateway.cli.local_ledger import with_ledger
    from runtime.settings import load_settings

    found = with_ledger(
        load_settings(), lambda local: local.ledger.keys.list(TenantId(_tenant(tenant)))
    )
    if json_:
        emit({"items": [_shown(key) for key in found]})
        return
    table(
        ("id", "name", "scopes", "origin", "created", "expires", "last used", "revoked"),
        (tuple(_told(key).values()) for key in found),
    )


def rotate(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="The key's id.")],
    grace_hours: Annotated[
        float, typer.Option(min=0.0, help="The secret before opens for so long as well.")
    ] = 24.0,
    tenant: Tenant = "default",
    json_: Json = False,
) -> None:
    """Give a key another secret. Its new token is shown this once; id, scopes and origin stay."""
    from datetime import timedelta

    from domain.access import KeyId
    from domain.documents import TenantId
    from gateway.cli.local_ledger import LocalLedger, with_ledger
    from runtime.credentials import new_secret
    from runtime.settings import load_settings

    fresh = new_secret(KeyId(key_id))

    async def work(local: LocalLedger) -> ApiKey:
        now = local.clock.now()
        return await local.ledger.keys.rotate(
            TenantId(_tenant(tenant)),
            KeyId(key_id),
            secret_sha256=fresh.sha256,
            former_until=now + timedelta(hours=grace_hours),
            actor=local.actor,
            at=now,
        )

    key = with_ledger(load_settings(), work)
    if json_:
        emit({**_shown(key), "token": fresh.token})
    else:
        facts({**_told(key), "token": fresh.token})
        note("The token is not shown again.")


def revoke(
    key_id: Annotated[str, typer.Argument(metavar="ID", help="The key's id.")],
    tenant: Tenant = "default",
    json_: Json = False,
) -> None:
    """Revoke a key, at once and for good."""
    from domain.access import KeyId
    from domain.documents import TenantId
    from gateway.cli.local_ledger import with_ledger
    from runtime.settings import load_settings

    key = with_ledger(
        load_settings(),
        lambda local: local.ledger.keys.revoke(
            TenantId(_tenant(tenant)), KeyId(key_id), actor=local.actor, at=local.clock.now()
        ),
    )
    if json_:
        emit(_shown(key))
    else:
        facts(_told(key))


def _scopes(names: list[str]) -> frozenset[Scope]:
    from domain.access import Scope
    from domain.errors import InputError

    try:
        return frozenset(Scope(name) for name in names)
    except ValueError as exc:
        raise InputError(f"scopes are {', '.join(Scope)}, not {', '.join(names)!r}") from exc


def _tenant(name: str) -> str:
    import re

    from domain.errors import InputError

    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
        raise InputError(f"a tenant is 1 to 64 letters, digits, _ and -, not {name!r}")
    return name


def _shown(key: ApiKey) -> dict[str, object]:
    return {
        "id": key.id,
        "name": key.name,
        "tenant": key.tenant_id,
        "scopes": sorted(key.scopes),
        "origin": None if key.origin is None else {"kind": key.origin.kind, "id": key.origin.id},
        "requests_per_minute": key.requests_per_minute,
        "created_at": key.created_at.isoformat(),
        "expires_at": key.expires_at and key.expires_at.isoformat(),
        "last_used_at": key.last_used_at and key.last_used_at.isoformat(),
        "former_until": key.former_until and key.former_until.isoformat(),
        "revoked_at": key.revoked_at and key.revoked_at.isoformat(),
    }


def _told(key: ApiKey) -> dict[str, object]:
    return {
        "id": key.id,
        "name": key.name,
        "scopes": ", ".join(sorted(key.scopes)),
        "origin": key.origin,
        "created": _moment(key.created_at),
        "expires": _moment(key.expires_at),
        "last used": _moment(key.last_used_at),
        "revoked": _moment(key.revoked_at),
    }


def _moment(at: datetime | None) -> str | None:
    return None if at is None else f"{at:%Y-%m-%d %H:%M:%S}"
