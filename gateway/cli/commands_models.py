"""`models`: files of language models on this machine, each pinned by its sha256."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gateway.cli.output import Json, emit, facts, table

if TYPE_CHECKING:
    from backends.llm.models import ModelFile, ModelRegistry


def register(app: typer.Typer) -> None:
    models = typer.Typer(
        no_args_is_help=True,
        help="Language models for the backend `local`. A file is used only if its sha256 is right.",
    )
    models.command("list")(list_models)
    models.command("add")(add)
    models.command("pull")(pull)
    app.add_typer(models, name="models")


def list_models(json_: Json = False) -> None:
    """List registered models."""
    found = _registry().models()
    if json_:
        emit({"items": [_shown(model) for model in found]})
    else:
        table(
            ("name", "sha256", "path"), ((model.name, model.sha256, model.path) for model in found)
        )


def add(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="A GGUF; it stays where it is.")],
    sha256: Annotated[str, typer.Option("--sha256", metavar="HEX", help="As its publisher says.")],
    name: Annotated[str | None, typer.Option("--name", help="Else the file's name.")] = None,
    json_: Json = False,
) -> None:
    """Verify a file and register it."""
    _print(_registry().add(path, sha256=sha256, name=name), as_json=json_)


def pull(
    name: Annotated[str, typer.Argument(metavar="NAME", help="One of those that are pinned.")],
    json_: Json = False,
) -> None:
    """Download a pinned file from the model hub, verify it, and register it."""
    _print(asyncio.run(_pull(name)), as_json=json_)


async def _pull(name: str) -> ModelFile:
    import httpx

    async with httpx.AsyncClient() as client:
        return await _registry().pull(name, client=client)


def _registry() -> ModelRegistry:
    from backends.clock import SystemClock
    from backends.llm.models import ModelRegistry
    from runtime.settings import load_settings

    return ModelRegistry(load_settings().home, clock=SystemClock())


def _print(model: ModelFile, *, as_json: bool) -> None:
    if as_json:
        emit(_shown(model))
    else:
        facts(_shown(model))


def _shown(model: ModelFile) -> dict[str, object]:
    return dict(model.model_dump(mode="json"))
