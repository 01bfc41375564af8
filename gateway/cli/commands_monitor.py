"""`monitor`: the detectors over a recorded stream, and the records of this installation."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from gateway.cli.output import Json, emit, table

if TYPE_CHECKING:
    from monitors.sightings import Signal


def register(app: typer.Typer) -> None:
    monitor = typer.Typer(no_args_is_help=True, help="What the detectors see, and saw.")
    monitor.command("replay")(replay)
    app.add_typer(monitor, name="monitor")


def replay(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="Observations, a JSON object a line; - reads stdin."),
    ],
    json_: Json = False,
) -> None:
    """Run the detectors over recorded observations and print each change of an alert."""
    from monitors import replay as recording
    from monitors.records import read_lines

    with _opened(file) as lines:
        signals = recording.replay(read_lines(lines))
    if json_:
        for signal in signals:
            emit(_told(signal))
        return
    table(
        ("at", "alert", "topic", "status", "severity", "reasons"),
        (
            (
                f"{signal.at:%Y-%m-%d %H:%M:%S}",
                signal.detector,
                signal.topic,
                signal.status,
                signal.severity,
                "; ".join(signal.reasons),
            )
            for signal in signals
        ),
    )


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    from domain.errors import InputError

    if file == "-":
        yield sys.stdin.buffer
        return
    try:
        opened = Path(file).open("rb")  # noqa: SIM115 - closed below, after what may fail here
    except OSError as exc:
        raise InputError(f"{file!r} cannot be read: {exc.strerror}") from exc
    with opened:
        yield opened


def _told(signal: Signal) -> dict[str, object]:
    return {
        "alert": signal.detector,
        "topic": signal.topic,
        "status": signal.status,
        "at": signal.at.isoformat(),
        "severity": signal.severity,
        "reasons": list(signal.reasons),
    }
