"""`citations`: a verdict on everything that a document cites."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gateway.cli.output import Json, emit, table

if TYPE_CHECKING:
    from defences.detectors.citations import CheckedCitation


def register(app: typer.Typer) -> None:
    app.command()(citations)


def citations(
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A document of any type we parse.")],
    json_: Json = False,
) -> None:
    """Give a verdict on each identifier that a document cites.

    One of invalid, mismatch, retracted, unverified and verified. Offline unless resolvers are configured. Not found is unverified, never fake. Exit code 1 if one
    is invalid, a mismatch or retracted, or a resolver could not be asked.
    """
    from domain.citations import CitationVerdict, LookupStatus
    from domain.errors import InputError
    from runtime.scanning import build_scanner
    from runtime.settings import load_settings

    settings = load_settings()
    try:
        content = path.read_bytes()
    except OSError as exc:
        raise InputError(f"{str(path)!r} cannot be read: {type(exc).__name__}") from exc
    checks = asyncio.run(build_scanner(settings).cited(content, file_name=path.name))
    shown = [_shown(check) for check in checks]
    if json_:
        for line in shown:
            emit(line)
    else:
        table(
            ("verdict", "kind", "citation", "looked up", "reason"),
            (tuple(line.values()) for line in shown),
        )
    settled = {CitationVerdict.VERIFIED, CitationVerdict.UNVERIFIED}
    if any(
        check.verdict not in settled or check.status is LookupStatus.UNAVAILABLE for check in checks
    ):
        raise typer.Exit(1)


def _shown(check: CheckedCitation) -> dict[str, str]:
    reason = check.fault.reason if check.fault else ""
    if not reason and check.comparison and check.comparison.disagrees:
        reason = f"others in {check.source}: {', '.join(check.comparison.disagrees)}"
    return {
        "verdict": check.verdict.value,
        "kind": check.label,
        "citation": check.identifier.value if check.identifier else check.written,
        "status": check.status.value,
        "reason": reason,
    }
