"""`migrate`, `backup`, `restore`: an installation copied without loss."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gateway.cli.output import Json, emit, facts, note

if TYPE_CHECKING:
    from runtime.moving import Moved, Told
    from runtime.settings import Settings

EMBEDDED = "embedded"
PRODUCTION = "production"

_PLACE = (
    "`embedded` (all in the data folder), `production` (the settings in force), or a TOML file."
)


def register(app: typer.Typer) -> None:
    app.command()(migrate)
    app.command()(backup)
    app.command()(restore)


def migrate(
    from_: Annotated[str, typer.Option("--from", help=f"Where from: {_PLACE}")] = EMBEDDED,
    to: Annotated[str, typer.Option("--to", help=f"Where to: {_PLACE}")] = PRODUCTION,
    json_: Json = False,
) -> None:
    """Copy ledger, blobs and index to other services, and compare counts and hashes.

    Stop the installation first. A copy that was broken off goes on where it was when the command is
    given again; the source is left as it is.
    """
    from runtime.moving import move, require_stopped

    source, target = _settings_of(from_), _settings_of(to)
    require_stopped(source)
    _run(lambda told: move(source, target, told=told), target=target, as_json=json_)


def backup(
    folder: Annotated[Path, typer.Argument(help="A folder that is not there yet.")],
    json_: Json = False,
) -> None:
    """Copy ledger, blobs, index and keys into a new folder, while everything runs.

    It holds the installation's secrets: keep it as you keep them.
    """
    from backends.clock import SystemClock
    from runtime.backups import back_up
    from runtime.settings import load_settings

    settings = load_settings()
    _run(lambda told: back_up(settings, folder, told=told, clock=SystemClock()), as_json=json_)


def restore(
    folder: Annotated[Path, typer.Argument(help="A backup.")],
    json_: Json = False,
) -> None:
    """Check a backup and copy it to where the settings point, which must be empty."""
    from runtime.backups import restore as restored
    from runtime.moving import require_stopped
    from runtime.settings import load_settings

    settings = load_settings()
    require_stopped(settings)
    _run(lambda told: restored(settings, folder, told=told), target=settings, as_json=json_)


def _run(
    work: Callable[[Told], Coroutine[Any, Any, Moved]],
    *,
    as_json: bool,
    target: Settings | None = None,
) -> None:
    """Copy, and tell; `target`: where an installation goes on now, which its journal is told."""
    from gateway.cli.local_ledger import actor
    from runtime.backups import summary
    from runtime.moving import record_move

    def told(part: str, count: int) -> None:
        if count and not as_json:
            note(f"{part}: {count}")

    async def whole() -> Moved:
        moved = await work(told)
        if target is not None:
            await record_move(target, moved, actor=actor())
        return moved

    copied = summary(asyncio.run(whole()))
    if as_json:
        emit(dict(copied))
    else:
        facts(copied)


def _settings_of(place: str) -> Settings:
    from runtime.moving import embedded
    from runtime.settings import load_settings, load_settings_of

    if place == PRODUCTION:
        return load_settings()
    if place == EMBEDDED:
        return embedded(load_settings())
    return load_settings_of(Path(place))
