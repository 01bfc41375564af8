"""The commands, put together."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from gateway.cli import (
    commands_alerts,
    commands_audit,
    commands_calibrate,
    commands_citations,
    commands_client,
    commands_configuration,
    commands_cost,
    commands_demo,
    commands_documents,
    commands_incidents,
    commands_keys,
    commands_models,
    commands_monitor,
    commands_moving,
    commands_origins,
    commands_policy,
    commands_processes,
    commands_publishers,
    commands_redteam,
    commands_scan,
    commands_suppressions,
    commands_topics,
    commands_trace,
    commands_tune,
    commands_verify,
    commands_webhooks,
)
from gateway.cli.failures import NO_READER, GuardedGroup, silence_output

app = typer.Typer(
    name="mithridate",
    cls=GuardedGroup,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="A secure ingestion and poisoning-defence gateway for RAG.",
    epilog=(
        "Exit codes: 0 ok, 1 findings (something is not admitted, a check failed), "
        "2 usage or configuration, 3 service not reachable, 70 a fault of ours."
    ),
)
for module in (
    commands_processes,
    commands_calibrate,
    commands_redteam,
    commands_tune,
    commands_client,
    commands_documents,
    commands_scan,
    commands_citations,
    commands_policy,
    commands_suppressions,
    commands_origins,
    commands_publishers,
    commands_keys,
    commands_models,
    commands_cost,
    commands_monitor,
    commands_alerts,
    commands_topics,
    commands_trace,
    commands_incidents,
    commands_webhooks,
    commands_audit,
    commands_configuration,
    commands_moving,
    commands_verify,
    commands_demo,
):
    module.register(app)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"mithridate {version('mithridate')}")
        raise typer.Exit


@app.callback()
def root(
    _: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """A secure ingestion and poisoning-defence gateway for RAG."""


def run() -> None:
    """Run one command and leave with its exit code."""
    try:
        app()
    except SystemExit as leaving:
        try:
            sys.stdout.flush()
        except BrokenPipeError:
            silence_output()
            sys.exit(NO_READER)
        raise leaving from None
