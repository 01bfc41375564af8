"""`audit`: the journal as an audit log, read straight from the ledger."""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, TextIO

import typer

from domain.escaping import csv_cell
from gateway.cli.failures import FINDINGS
from gateway.cli.output import Json, emit, facts, note

if TYPE_CHECKING:
    from datetime import datetime

    from domain.audit import Checkpoint, SealedEntry
    from domain.ledger import Journal
    from runtime.audit import AuditReport
    from runtime.settings import Settings

_BATCH: Final = 1_000
_COLUMNS: Final = (
    "seq",
    "at",
    "tenant",
    "actor",
    "action",
    "object_kind",
    "object_id",
    "reason",
    "facts",
    "hash",
    "key_id",
    "mac",
)


def register(app: typer.Typer) -> None:
    audit = typer.Typer(
        no_args_is_help=True, help="Who did what, and proof of it. Needs no running gateway."
    )
    audit.command("verify")(verify)
    audit.command("export")(export)
    audit.command("checkpoint")(checkpoint)
    audit.command("rotate-key")(rotate_key)
    app.add_typer(audit, name="audit")


def verify(
    checkpoints: Annotated[
        Path | None,
        typer.Option(help="File of signed checkpoints. Default: the one that is configured."),
    ] = None,
    public_key: Annotated[
        list[Path] | None,
        typer.Option(help="PEM of a key that signs checkpoints; may be repeated. Default: ours."),
    ] = None,
    json_: Json = False,
) -> None:
    """Check every entry's hash and seal, and that nothing is missing. Exit code 1 if it is not whole."""
    from backends.audit_checkpoints import Ed25519Verifier, read_public_key
    from gateway.cli.local_ledger import LocalLedger, with_ledger
    from runtime import audit
    from runtime.settings import load_settings

    settings = load_settings()
    trusted = [read_public_key(path) for path in public_key or ()]
    verifier = Ed25519Verifier(trusted or [audit.checkpoint_signer(settings).public_key])
    seen = _checkpoints(settings, checkpoints)

    async def work(local: LocalLedger) -> AuditReport:
        keys = audit.audit_keys(settings)
        return await audit.verify(local.ledger.journal, keys, seen, verifier)

    report = with_ledger(settings, work)
    fault = report.fault
    shown: Mapping[str, object] = {
        "whole": fault is None,
        "entries": report.head.count,
        "last": report.head.seq,
        "hash": report.head.hash,
        "unsealed": report.unsealed,
        "checkpoints": report.checkpoints,
        "bad": None if fault is None else fault.seq,
        "reason": None if fault is None else fault.reason,
    }
    if json_:
        emit(shown)
    else:
        facts({**shown, "whole": "yes" if fault is None else "NO"})
        if not seen:
            note("No checkpoint was at hand: a tail that was cut off would not show.")
    if fault is not None:
        raise typer.Exit(FINDINGS)


def export(
    format: Annotated[Literal["jsonl", "csv"], typer.Option(help="What is written.")] = "jsonl",
    out: Annotated[Path | None, typer.Option(help="A new file. Default: standard output.")] = None,
    since: Annotated[str | None, typer.Option(help="RFC 3339; the first moment.")] = None,
    until: Annotated[str | None, typer.Option(help="RFC 3339; before that moment.")] = None,
    tenant: Annotated[str | None, typer.Option(help="One tenant's. Default: all.")] = None,
    object: Annotated[str | None, typer.Option(help="Id of what was acted on.")] = None,
    actor: Annotated[str | None, typer.Option(help="Who acted.")] = None,
    json_: Json = False,
) -> None:
    """Write the entries, oldest first, with their hashes and seals. JSON is lines of it."""
    from gateway.cli.local_ledger import LocalLedger, with_ledger
    from runtime.settings import load_settings

    first, end = _moment(since), _moment(until)

    def wanted(one: SealedEntry) -> bool:
        entry = one.entry
        return (
            (first is None or entry.at >= first)
            and (end is None or entry.at < end)
            and tenant in (None, entry.tenant_id)
            and object in (None, entry.object_id)
            and actor in (None, entry.actor)
        )

    async def work(local: LocalLedger) -> int:
        count = 0
        with _opened(out) as file:
            table = csv.writer(file) if format == "csv" and not json_ else None
            if table is not None:
                table.writerow(_COLUMNS)
            async for one in _all(local.ledger.journal):
                if not wanted(one):
                    continue
                count += 1
                row = _row(one)
                if table is not None:
                    table.writerow([_cell(row[name]) for name in _COLUMNS])
                else:
                    file.write(json.dumps(row) + "\n")
        return count

    count = with_ledger(load_settings(), work)
    if out is not None:
        note(f"{count} entries written to {out}")


def checkpoint(json_: Json = False) -> None:
    """Sign how far the log goes, and keep that in the second place, now."""
    from backends.audit_checkpoints import to_json
    from gateway.cli.local_ledger import LocalLedger, with_ledger
    from runtime.audit import build_checkpointer
    from runtime.settings import load_settings

    settings = load_settings()

    async def work(local: LocalLedger) -> Checkpoint | None:
        made = build_checkpointer(settings, journal=local.ledger.journal, clock=local.clock)
        return await made.checkpoint()

    made = with_ledger(settings, work)
    shown = None if made is None else json.loads(to_json(made))
    if json_:
        emit(shown)
    elif shown is not None:
        facts(shown)


def rotate_key(json_: Json = False) -> None:
    """Make a new key that seals entries from now on; the former ones go on being verified.

    Processes that run seal by the former key until they are started again.
    """
    from domain.documents import DEFAULT_TENANT
    from gateway.cli.local_ledger import LocalLedger, with_ledger
    from runtime import audit
    from runtime.settings import load_settings

    settings = load_settings()
    former = audit.audit_keys(settings).current
    key = audit.rotate_key(settings)

    async def work(local: LocalLedger) -> None:
        await local.ledger.journal.append(
            tenant_id=DEFAULT_TENANT,
            at=local.clock.now(),
            actor=local.actor,
            action="audit.key-rotated",
            object_kind="audit-key",
            object_id=key.id,
            facts={"former": former.id},
        )

    with_ledger(settings, work)
    shown = {"id": key.id, "former": former.id}
    if json_:
        emit(shown)
    else:
        facts(shown)


def _checkpoints(settings: Settings, given: Path | None) -> list[Checkpoint]:
    from backends.audit_checkpoints import read_checkpoints
    from runtime.audit import checkpoints_path

    path = given or checkpoints_path(settings)
    if given is None and not path.exists():
        return []
    return list(read_checkpoints(path))


async def _all(journal: Journal) -> AsyncIterator[SealedEntry]:
    after = 0
    while entries := await journal.sealed(after=after, limit=_BATCH):
        for one in entries:
            yield one
        after = entries[-1].entry.seq


def _row(one: SealedEntry) -> dict[str, object]:
    entry = one.entry
    return {
        "seq": entry.seq,
        "at": entry.at.isoformat(),
        "tenant": entry.tenant_id,
        "actor": entry.actor,
        "action": entry.action,
        "object_kind": entry.object_kind,
        "object_id": entry.object_id,
        "reason": entry.reason,
        "facts": dict(entry.facts),
        "hash": one.hash,
        "key_id": one.key_id,
        "mac": one.mac,
    }


def _cell(value: object) -> str:
    text = json.dumps(value) if isinstance(value, dict) else "" if value is None else str(value)
    return csv_cell(text)


def _moment(text: str | None) -> datetime | None:
    from datetime import datetime

    from domain.errors import InputError

    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError as exc:
        raise InputError(f"{text!r} is no RFC 3339 moment") from exc
    if at.tzinfo is None:
        raise InputError(f"{text!r} has no time zone")
    return at


@contextmanager
def _opened(out: Path | None) -> Iterator[TextIO]:
    from domain.errors import InputError

    if out is None:
        yield sys.stdout
        sys.stdout.flush()
        return
    try:
        descriptor = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as exc:
        raise InputError(f"{str(out)!r}: {exc.strerror}") from exc
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
        yield file
