"""`demo`: the main job on the sample corpus, every expectation checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.output import Json


def register(app: typer.Typer) -> None:
    app.command()(demo)


def demo(
    json_: Json = False,
    keep: Annotated[
        Path | None, typer.Option(help="Keep data and logs in this new or empty folder.")
    ] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Show the log of the processes.")
    ] = False,
) -> None:
    """Run the whole product on the sample corpus, and check what it does with each attack.

    Exit code 1, and a list on standard error, if one expectation is not met. With --json the last
    line is one JSON object.
    """
    from evaluation.demo.runner import run

    raise typer.Exit(run(as_json=json_, keep=keep, verbose=verbose))
