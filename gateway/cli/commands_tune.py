"""`tune`: which settings are worth their cost for a corpus, and whether speculation is."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.commands_redteam import Corpus, Data, corpus_rows, split_names, with_models
from gateway.cli.output import Json, emit, note, progress, say, table

QUESTIONS = 30


def register(app: typer.Typer) -> None:
    app.command()(tune)


def tune(
    data: Data = None,
    corpus: Corpus = False,
    limit: Annotated[int, typer.Option(min=4, help="The first so many questions.")] = QUESTIONS,
    attack: Annotated[
        str,
        typer.Option(help="Attack whose planted answers are counted; none: nothing is planted."),
    ] = "poisonedrag",
    drafter: Annotated[
        str, typer.Option(help="Comma-separated backends; default: as configured.")
    ] = "",
    verifier: Annotated[
        str, typer.Option(help="Comma-separated backends; default: as configured.")
    ] = "",
    html: Annotated[Path | None, typer.Option(help="File for a page with plots.")] = None,
    json_: Json = False,
) -> None:
    """Measure settings against each other on the same questions, in a scratch index.

    Quality, latency and cost of m, subset size, passages retrieved, partition, cross-examination,
    drafter and verifier; which of them nothing beats; and whether speculation pays for this corpus.
    """
    import asyncio
    from importlib.metadata import version

    from domain.errors import InputError
    from evaluation.redteam.attacks import ATTACKS
    from evaluation.redteam.rows import read_rows
    from evaluation.tuning import grid, verdict
    from evaluation.tuning import tune as measure
    from evaluation.tuning_report import lines, page, tables, to_json
    from runtime.settings import load_settings

    if attack not in ATTACKS:
        raise InputError(f"attack {attack!r} is unknown: {', '.join(ATTACKS)}")
    if (data is None) is not corpus:
        raise InputError("one of --data FILE and --corpus says what is asked")
    settings = load_settings()
    if data is None:
        data, _ = corpus_rows(settings, limit=limit)
    chosen = grid(
        settings,
        drafters=split_names(drafter) or (settings.drafter.backend,),
        verifiers=split_names(verifier) or (settings.verifier.backend,),
    )
    with progress() as bar:
        task = bar.add_task("settings", total=None)
        found = asyncio.run(
            measure(
                read_rows(data, limit=limit),
                settings,
                chosen,
                attack=attack,
                with_models=lambda s, d, v: with_models(s, drafter=d, verifier=v),
                progress=lambda done, of: bar.update(task, completed=done, total=of),
            )
        )
    told = verdict(found)
    facts = {
        "command": shlex.join(["mithridate", *sys.argv[1:]]),
        "data": data.name,
        "version": version("mithridate"),
    }
    if html is not None:
        html.write_text(page(found, told, facts), encoding="utf-8")
        note(f"plots in {html}")
    if json_:
        emit(to_json(found, told, facts))
        return
    for each in tables(found):
        table(each.head, each.rows, title=each.title)
    for line in lines(told):
        say(line)
