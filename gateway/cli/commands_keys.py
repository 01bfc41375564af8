"""`keys`: API keys, written straight into the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from gateway.cli.output import Json, emit, facts, note, table

if TYPE_CHECKING:
    from domain.access import ApiKey, Scope

Tenant = Annotated[str, typer.Option(help="Tenant of the key.")]


def register(app: typer.Typer) -> None:
    keys = typer.Typer(no_args_is_help=True, help="API keys. Needs no running gateway.")
    keys.command("create")(create)
    keys.command("list")(list_keys)
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
    tenant: Tenant = "default",
    json_: Json = False,
) -> None:
    """Make a key. Its token is shown this once and kept nowhere."""
    from domain.documents import TenantId
    from gateway.cli.local_ledger import LocalLedger, parse_origin, with_ledger
    from runtime.credentials import IssuedKey, issue_key
    from runtime.settings import load_settings

    scopes = _scopes(scope)
    ref = parse_origin(origin) if origin is not None else None

    async def work(local: LocalLedger) -> IssuedKey:
        issued = issue_key(
            ids=local.ids,
            tenant_id=TenantId(_tenant(tenant)),
            name=name,
            scopes=scopes,
            origin=ref,
            now=local.clock.now(),
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
        ("id", "name", "scopes", "origin", "created", "revoked"),
        (tuple(_told(key).values()) for key in found),
    )


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
        "created_at": key.created_at.isoformat(),
        "revoked_at": key.revoked_at and key.revoked_at.isoformat(),
    }


def _told(key: ApiKey) -> dict[str, object]:
    return {
        "id": key.id,
        "name": key.name,
        "scopes": ", ".join(sorted(key.scopes)),
        "origin": key.origin,
        "created": f"{key.created_at:%Y-%m-%d %H:%M:%S}",
        "revoked": key.revoked_at and f"{key.revoked_at:%Y-%m-%d %H:%M:%S}",
    }
