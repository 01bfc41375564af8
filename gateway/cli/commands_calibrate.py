"""`calibrate`: fit confidence on the labelled set, and show how good it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gateway.cli.output import Json, emit, facts, progress, table

if TYPE_CHECKING:
    from defences.answering.calibration_artefact import CalibrationArtefact
    from evaluation.calibrate import CalibrationReport

OutOption = Annotated[Path, typer.Option(help="Folder for the artefacts; made if it is not there.")]
SetOption = Annotated[
    Path | None, typer.Option("--labels", help="Folder of a labelled set; default: the shipped.")
]


def register(app: typer.Typer) -> None:
    calibrate = typer.Typer(no_args_is_help=True, help="What makes confidence a probability.")
    calibrate.command("fit")(fit)
    calibrate.command("report")(report)
    app.add_typer(calibrate, name="calibrate")


def fit(
    out: OutOption,
    labels: SetOption = None,
    reviewed: Annotated[
        bool, typer.Option("--reviewed", help="By reviewers' labels of answers given here.")
    ] = False,
    json_: Json = False,
) -> None:
    """Fit artefacts for the configuration in force and write them. Takes minutes.

    They serve once `answering.calibration_path` names the folder. With too few labels nothing is
    written, and it is said how many are missing.
    """
    from domain.errors import InputError

    if reviewed and labels is not None:
        raise InputError("one of --labels FOLDER and --reviewed says whose labels are taken")
    out.mkdir(parents=True, exist_ok=True)
    fitted = _by_reviewers(out) if reviewed else _by_set(out, labels)
    rows = [
        {
            "path": str(path),
            "configuration": artefact.configuration,
            "version": artefact.version,
            "tau": artefact.tau,
            "tau_reached": artefact.tau_reached,
            "bound": artefact.bound,
            "labels": list(artefact.labels),
            "kind": artefact.kind,
            "held_out": {
                each.kind: {"brier": each.brier, "ece": each.ece} for each in artefact.candidates
            },
        }
        for path, artefact in fitted
    ]
    if json_:
        emit({"artefacts": rows})
        return
    for path, artefact in fitted:
        told = f"{artefact.tau:.3f}" + ("" if artefact.tau_reached else " (not reached)")
        facts(
            {
                "file": path,
                "configuration": artefact.configuration,
                "version": artefact.version,
                "serves": artefact.kind,
                "tau": told,
                "right from tau on, at least": f"{artefact.bound:.3f}",
                "labels: fit, held out, tau": ", ".join(map(str, artefact.labels)),
            }
        )
        table(
            ("held out", "Brier", "ECE"),
            ((each.kind, f"{each.brier:.4f}", f"{each.ece:.4f}") for each in artefact.candidates),
        )


def _by_set(out: Path, labels: Path | None) -> Sequence[tuple[Path, CalibrationArtefact]]:
    from evaluation import calibrate
    from runtime.settings import load_settings

    with progress() as bar:
        task = bar.add_task("asking", total=None)
        return calibrate.fit(
            load_settings(),
            out=out,
            directory=labels,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )


def _by_reviewers(out: Path) -> Sequence[tuple[Path, CalibrationArtefact]]:
    from domain.documents import DEFAULT_TENANT
    from evaluation.calibrate import PRECISION
    from evaluation.reviewed_labels import ReviewedScore, fit_reviewed, reviewed_scores, write
    from gateway.cli.local_ledger import LocalLedger, with_ledger
    from runtime.settings import load_settings

    async def work(local: LocalLedger) -> Sequence[ReviewedScore]:
        return await reviewed_scores(local.ledger, DEFAULT_TENANT)

    artefacts = fit_reviewed(with_ledger(load_settings(), work), precision=PRECISION)
    return tuple(zip(write(artefacts, out), artefacts, strict=True))


def report(
    labels: SetOption = None,
    html: Annotated[
        Path | None, typer.Option(help="File for a page with the reliability diagram.")
    ] = None,
    json_: Json = False,
) -> None:
    """Ask the test questions and compare confidence with being right, before and after."""
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
        "brier_before": found.brier_before,
        "ece_before": found.ece_before,
    }
    if html is not None:
        html.write_text(reliability_page(found, numbers), encoding="utf-8")
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


def reliability_page(found: CalibrationReport, numbers: Mapping[str, object]) -> str:
    """Return a page with the reliability diagram, before and after; all text is escaped."""
    from html import escape

    from evaluation.charts import unit_lines

    chart = unit_lines(
        "Reliability on questions that the curve was not fitted to",
        {
            name: [(each.confidence, each.right) for each in bins if each.count]
            for name, bins in (("group score", found.bins_before), ("confidence", found.bins))
        },
        across="confidence",
        up="right",
        diagonal=True,
    )
    told = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>" for name, value in numbers.items()
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Calibration</title>'
        f"</head>\n<body><h1>Calibration</h1><dl>{told}</dl>\n{chart}</body></html>\n"
    )
