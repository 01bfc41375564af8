"""`up`, `serve`, `worker`: the processes of an installation."""

from __future__ import annotations

from typing import Annotated

import typer

from gateway.cli.output import Json

Supervised = Annotated[bool, typer.Option("--supervised", hidden=True)]
"""Given by our own parent process: it looks after the broker, and we end when it does."""

Parent = Annotated[int | None, typer.Option("--parent", hidden=True)]
"""The parent's process id, so that one that ended before we began is not waited for."""


def register(app: typer.Typer) -> None:
    app.command()(up)
    app.command()(serve)
    app.command()(worker)


def up(
    reload: Annotated[bool, typer.Option("--reload", help="Restart when code changes.")] = False,
    workers: Annotated[int, typer.Option(min=0, max=64, help="Worker processes.")] = 1,
    json_: Json = False,
    supervised: Supervised = False,
    parent: Parent = None,
) -> None:
    """Run broker, gateway and workers together; restart what dies.

    Prints where the gateway is once it is ready. With --json that is one JSON line.
    """
    _follow(parent, supervised=supervised)
    from gateway.cli.processes import run_up
    from runtime.settings import load_settings

    raise typer.Exit(run_up(load_settings(), workers=workers, reload=reload, as_json=json_))


def serve(
    reload: Annotated[bool, typer.Option("--reload", help="Restart when code changes.")] = False,
    json_: Json = False,
    supervised: Supervised = False,
    parent: Parent = None,
) -> None:
    """Run the gateway alone. Where no broker is configured it keeps the embedded one running."""
    del json_  # the log on standard error is JSON as it is
    _follow(parent, supervised=supervised)
    from gateway.cli.processes import run_serve
    from runtime.settings import load_settings

    run_serve(load_settings(), supervised=supervised, reload=reload)


def worker(json_: Json = False, supervised: Supervised = False, parent: Parent = None) -> None:
    """Run one Celery worker alone, its scheduler included."""
    del json_  # the log on standard error is JSON as it is
    _follow(parent, supervised=supervised)
    from gateway.cli.processes import run_worker
    from runtime.settings import load_settings

    raise typer.Exit(run_worker(load_settings(), supervised=supervised))


def _follow(parent: int | None, *, supervised: bool) -> None:
    # Before anything that takes long to import: until then nobody would end us.
    if supervised:
        from gateway.cli.orphans import die_with_parent

        die_with_parent(parent)
