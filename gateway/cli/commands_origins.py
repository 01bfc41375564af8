"""`origins`: who is vouched for (Laws 1 and 2), written straight into ledger and index."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from gateway.cli.output import Json, emit, facts, table

if TYPE_CHECKING:
    from domain.documents import Origin
    from gateway.cli.local_ledger import LocalLedger
    from ingest.origins import OriginDesk

_T = TypeVar("_T")

OriginArgument = Annotated[str, typer.Argument(metavar="KIND:ID", help="E.g. publisher:docs.")]
ReasonOption = Annotated[str, typer.Option("--reason", help="Why; it is journalled.")]


def register(app: typer.Typer) -> None:
    origins = typer.Typer(
        no_args_is_help=True, help="Whom documents come from. Needs no running gateway."
    )
    origins.command("list")(list_origins)
    origins.command("add")(add)
    origins.command("establish")(establish)
    origins.command("revoke")(revoke)
    origins.command("declare")(declare)
    app.add_typer(origins, name="origins")


def list_origins(json_: Json = False) -> None:
    """List origins."""
    from domain.documents import DEFAULT_TENANT
    from gateway.cli.local_ledger import with_ledger
    from runtime.settings import load_settings

    found = with_ledger(load_settings(), lambda local: local.ledger.origins.list(DEFAULT_TENANT))
    if json_:
        emit({"items": [_shown(origin) for origin in found]})
    else:
        table(("origin", "tier"), ((origin.ref, origin.tier) for origin in found))


def add(origin: OriginArgument, json_: Json = False) -> None:
    """Add an origin, unestablished."""
    from domain.documents import DEFAULT_TENANT
    from gateway.cli.local_ledger import parse_origin, with_ledger
    from runtime.settings import load_settings

    ref = parse_origin(origin)

    async def work(local: LocalLedger) -> Origin:
        return await local.ledger.origins.add(
            DEFAULT_TENANT, ref.kind, ref.id, actor=local.actor, at=local.clock.now()
        )

    _print(with_ledger(load_settings(), work), as_json=json_)


def establish(
    origin: OriginArgument,
    reason: ReasonOption,
    reviewed: Annotated[
        bool, typer.Option("--reviewed", help="A person reviews all it publishes.")
    ] = False,
    json_: Json = False,
) -> None:
    """Vouch for an origin: from now on it has a seat of its own."""
    from domain.documents import DEFAULT_TENANT
    from gateway.cli.local_ledger import parse_origin

    ref = parse_origin(origin)
    changed = _at_desk(
        lambda desk, actor: desk.establish(
            DEFAULT_TENANT, ref, reviewed=reviewed, reason=reason, actor=actor
        )
    )
    _print(changed, as_json=json_)


def revoke(origin: OriginArgument, reason: ReasonOption, json_: Json = False) -> None:
    """Take the vouching back: its documents are the pool's again."""
    from domain.documents import DEFAULT_TENANT
    from gateway.cli.local_ledger import parse_origin

    ref = parse_origin(origin)
    changed = _at_desk(
        lambda desk, actor: desk.revoke(DEFAULT_TENANT, ref, reason=reason, actor=actor)
    )
    _print(changed, as_json=json_)


def declare(
    origin: OriginArgument,
    open_write: Annotated[
        bool,
        typer.Option("--open-write/--closed", help="Whether anybody may write to its source."),
    ],
    json_: Json = False,
) -> None:
    """Say who may write to a connector's source: what anybody may write to is the pool's."""
    from domain.documents import DEFAULT_TENANT
    from gateway.cli.local_ledger import parse_origin

    ref = parse_origin(origin)
    changed = _at_desk(
        lambda desk, actor: desk.declare(DEFAULT_TENANT, ref, open_write=open_write, actor=actor)
    )
    _print(changed, as_json=json_)


def _at_desk(act: Callable[[OriginDesk, str], Awaitable[Origin]]) -> Origin:
    return at_desk(lambda desk, local: act(desk, local.actor))


def at_desk(act: Callable[[OriginDesk, LocalLedger], Awaitable[_T]]) -> _T:
    """Run `act` on ledger and index together."""
    import httpx

    from domain.errors import ConfigurationError
    from gateway.cli.local_ledger import with_ledger
    from runtime.ingestion import build_origin_desk
    from runtime.scanning import build_policy
    from runtime.settings import load_settings
    from runtime.storage import build_blobs, build_embedder, build_vectors, telling

    settings = load_settings()
    if settings.vectors.backend == "memory":
        raise ConfigurationError(
            "the index is in the gateway's memory; use its API, POST /v1/origins/..."
        )

    async def work(local: LocalLedger) -> _T:
        async with httpx.AsyncClient() as http:
            embedder = build_embedder(settings.embedder, http)
            stored = build_vectors(settings, dimensions=embedder.dimensions)
            async with telling(settings, stored) as vectors:
                desk = build_origin_desk(
                    ledger=local.ledger,
                    blobs=build_blobs(settings),
                    vectors=vectors,
                    policy=build_policy(settings),
                    clock=local.clock,
                )
                return await act(desk, local)

    return with_ledger(settings, work)


def _print(origin: Origin, *, as_json: bool) -> None:
    if as_json:
        emit(_shown(origin))
    else:
        facts({"origin": origin.ref, "tier": origin.tier})


def _shown(origin: Origin) -> dict[str, object]:
    return {
        "kind": origin.kind,
        "id": origin.id,
        "established": origin.established,
        "reviewed": origin.reviewed,
    }
