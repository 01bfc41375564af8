"""`calibrate`: fit confidence on the labelled set, and show how good it is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.output import Json, emit, facts, progress, table

OutOption = Annotated[Path, typer.Option(help="Folder for the artefacts; made if it is not there.")]
SetOption = Annotated[
    Path | None, typer.Option("--labels", help="Folder of a labelled set; default: the shipped.")
]


def register(app: typer.Typer) -> None:
    calibrate = typer.Typer(no_args_is_help=True, help="What makes confidence a probability.")
    calibrate.command("fit")(fit)
    calibrate.command("report")(report)
    app.add_typer(calibrate, name="calibrate")


def fit(out: OutOption, labels: SetOption = None, json_: Json = False) -> None:
    """Fit artefacts for the configuration in force and write them. Takes minutes.

    They serve once `answering.calibration_path` names the folder.
    """
    from evaluation import calibrate
    from runtime.settings import load_settings

    out.mkdir(parents=True, exist_ok=True)
    with progress() as bar:
        task = bar.add_task("asking", total=None)
        fitted = calibrate.fit(
            load_settings(),
            out=out,
            directory=labels,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    rows = [
        {
            "path": str(path),
            "configuration": artefact.configuration,
            "version": artefact.version,
            "tau": artefact.tau,
        }
        for path, artefact in fitted
    ]
    if json_:
        emit({"artefacts": rows})
    else:
        table(("file", "configuration", "version", "tau"), (tuple(row.values()) for row in rows))


def report(labels: SetOption = None, json_: Json = False) -> None:
    """Ask the test questions and compare confidence with being right."""
    from evaluation import calibrate
    from runtime.settings import load_settings

    with progress() as bar:
        task = bar.add_task("asking", total=None)
        found = calibrate.report(
            load_settings(),
            directory=labels,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    bins: list[dict[str, object]] = [
        {
            "low": each.lower,
            "high": each.upper,
            "count": each.count,
            "confidence": each.confidence,
            "right": each.right,
        }
        for each in found.bins
    ]
    numbers = {
        "configuration": found.configuration,
        "version": found.version,
        "tau": found.tau,
        "questions": found.questions,
        "labels": found.labels,
        "answered": found.answered,
        "right": found.right,
        "brier": found.brier,
        "ece": found.ece,
    }
    if json_:
        emit({**numbers, "bins": bins})
        return
    facts(numbers)
    table(
        ("confidence from", "to", "questions", "mean confidence", "share right"),
        (
            tuple(
                f"{number:.2f}" if isinstance(number, float) else number for number in row.values()
            )
            for row in bins
        ),
    )
