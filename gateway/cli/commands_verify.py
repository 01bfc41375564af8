"""`verify`, `reindex`: ledger, index and blobs held against each other, and brought together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from gateway.cli.failures import FINDINGS
from gateway.cli.output import Json, emit, facts, table

if TYPE_CHECKING:
    from runtime.verifying import Defect
    from runtime.wiring import Services

T = TypeVar("T")


def register(app: typer.Typer) -> None:
    app.command()(verify)
    app.command()(reindex)


def verify(
    mend: Annotated[
        bool, typer.Option("--mend", help="Bring index and blobs to what the ledger says.")
    ] = False,
    json_: Json = False,
) -> None:
    """Hold the ledger against index and blobs. Exit code 1 if something is left to mend.

    `mithridate audit verify` checks the audit log.
    """
    from runtime.verifying import verify as verified

    found = _with_services(lambda services: verified(services, mend=mend))
    left = sum(not each.mended for each in found)
    if json_:
        emit({"ok": left == 0, "mended": len(found) - left, "defects": _rows(found)})
    else:
        _show(found)
        facts({"defects": len(found), "mended": len(found) - left})
    if left:
        raise typer.Exit(FINDINGS)


def reindex(json_: Json = False) -> None:
    """Index every admitted document that the index of the settings in force does not have.

    After a change of the embedder name another `vectors.collection` in the new settings and give
    this command under them: the old index serves until the gateway is started anew with them.
    """
    from runtime.verifying import index_anew

    done, failed = _with_services(index_anew)
    if json_:
        emit({"ok": not failed, "indexed": done, "defects": _rows(failed)})
    else:
        _show(failed)
        facts({"indexed": done, "failed": len(failed)})
    if failed:
        raise typer.Exit(FINDINGS)


def _with_services(work: Callable[[Services], Awaitable[T]]) -> T:
    """Build what a worker has, the embedded broker included, and run `work` with it."""
    from domain.errors import ConfigurationError
    from gateway.cli.processes import broker_kept
    from runtime.home import broker_url, prepare_home
    from runtime.settings import load_settings
    from runtime.wiring import build_services

    settings = load_settings()
    if settings.vectors.backend == "memory":
        raise ConfigurationError("the index is in the gateway's memory: nothing else can see it")
    prepare_home(settings)

    async def run() -> T:
        services = await build_services(settings, broker_url=broker_url(settings))
        try:
            return await work(services)
        finally:
            await services.close()

    with broker_kept(settings):
        return asyncio.run(run())


def _rows(defects: Sequence[Defect]) -> list[dict[str, object]]:
    return [
        {
            "kind": each.kind,
            "tenant": each.tenant_id,
            "subject": each.subject,
            "mended": each.mended,
        }
        for each in defects
    ]


def _show(defects: Sequence[Defect]) -> None:
    if defects:
        table(
            ("defect", "tenant", "subject", "mended"),
            ((each.kind, each.tenant_id, each.subject, each.mended) for each in defects),
        )
