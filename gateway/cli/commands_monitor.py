"""`monitor`: the detectors over a recorded stream, and the records of this installation."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, Final, Literal

import typer

from gateway.cli.output import Json, emit, facts, table

if TYPE_CHECKING:
    from domain.documents import TenantId
    from domain.monitoring import Observation
    from gateway.cli.local_ledger import LocalLedger
    from monitors.sightings import Signal

_PAGE: Final = 1_000


def register(app: typer.Typer) -> None:
    monitor = typer.Typer(no_args_is_help=True, help="What the detectors see, and saw.")
    monitor.command("replay")(replay)
    monitor.command("export")(export)
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

    with _opened(file, "rb") as lines:
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


def export(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Where to write; - is stdout, for jsonl alone.")
    ] = "-",
    format_: Annotated[
        Literal["jsonl", "parquet"], typer.Option("--format", help="What to write.")
    ] = "jsonl",
    since: Annotated[
        datetime | None, typer.Option(help="None observed before, in UTC. Default: all kept.")
    ] = None,
    tenant: Annotated[
        str | None, typer.Option(help="Default: the one of this installation.")
    ] = None,
    json_: Json = False,
) -> None:
    """Write the observations that the ledger keeps, oldest first; `replay` reads the JSON lines."""
    from domain.documents import DEFAULT_TENANT, TenantId
    from domain.errors import InputError
    from gateway.cli.local_ledger import with_ledger
    from runtime.settings import load_settings

    if format_ == "parquet" and file == "-":
        raise InputError("parquet needs a FILE to be written to")

    async def write(local: LocalLedger) -> int:
        pages = _pages(
            local, TenantId(tenant or DEFAULT_TENANT), since and since.replace(tzinfo=UTC)
        )
        with _opened(file, "wb") as out:
            return await (_parquet if format_ == "parquet" else _jsonl)(pages, out)

    count = with_ledger(load_settings(), write)
    if file != "-" and json_:
        emit({"file": file, "format": format_, "observations": count})
    elif file != "-":
        facts({"file": file, "observations": count})


async def _pages(
    local: LocalLedger, tenant_id: TenantId, since: datetime | None
) -> AsyncIterator[Sequence[Observation]]:
    after = None
    while True:
        page = await local.ledger.observations.recorded(
            tenant_id, since=since, after=after, limit=_PAGE
        )
        if page:
            yield page
        if len(page) < _PAGE:
            return
        since, after = page[-1].observed_at, page[-1].question_id


async def _jsonl(pages: AsyncIterator[Sequence[Observation]], out: BinaryIO) -> int:
    from monitors.records import record

    count = 0
    async for page in pages:
        out.writelines(json.dumps(record(one)).encode() + b"\n" for one in page)
        count += len(page)
    return count


async def _parquet(pages: AsyncIterator[Sequence[Observation]], out: BinaryIO) -> int:
    import pyarrow
    from pyarrow import parquet

    from monitors.records import record

    note = pyarrow.struct(
        [(name, pyarrow.string()) for name in ("document", "origin", "family")]
        + [(name, pyarrow.float64()) for name in ("age_days", "trust")]
        + [("established", pyarrow.bool_())]
    )
    texts = (
        "topic", "question_id", "question_key", "principal", "outcome", "answer_group", "route",
        "calibration_version", "latency_class",
    )  # fmt: skip
    numbers = ("entropy", "agreement", "disagreement", "margin", "confidence", "seconds")
    schema = pyarrow.schema(
        [("at", pyarrow.timestamp("us", tz="UTC"))]
        + [(name, pyarrow.string()) for name in texts]
        + [(name, pyarrow.float64()) for name in numbers]
        + [(name, pyarrow.int32()) for name in ("seats", "m")]
        + [("evidence", pyarrow.list_(note))]
    )
    count = 0
    with parquet.ParquetWriter(out, schema) as writer:
        async for page in pages:
            rows = [{**record(one), "at": one.observed_at} for one in page]
            writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema))
            count += len(page)
    return count


@contextmanager
def _opened(file: str, mode: Literal["rb", "wb"]) -> Iterator[BinaryIO]:
    """Open a file, or take standard input or output for `-`."""
    from domain.errors import InputError

    reads = mode == "rb"
    if file == "-":
        yield sys.stdin.buffer if reads else sys.stdout.buffer
        return
    try:
        opened = Path(file).open(mode)  # noqa: SIM115 - closed below, after what may fail here
    except OSError as exc:
        verb = "read" if reads else "written"
        raise InputError(f"{file!r} cannot be {verb}: {exc.strerror}") from exc
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
