"""`scan`: judge documents without a server, and store nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from domain.errors import InputError
from gateway.cli.failures import FINDINGS
from gateway.cli.output import Json, emit, note, plain, say

if TYPE_CHECKING:
    from domain.scanning import Finding
    from gateway.cli.scan_pool import Scanned
    from gateway.cli.scan_sources import Source
    from runtime.scanning import Scanner
    from runtime.settings import Settings

RISKS: Final = ("injection", "hidden-text", "citations", "near-duplicate", "personal-data")
_DIGITS: Final = 6  # of a risk or trust score in the JSON
_SHOWN_FINDINGS: Final = 5


def register(app: typer.Typer) -> None:
    app.command()(scan)


def scan(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Files, folders to walk, - for standard input.")
    ] = None,
    jsonl: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help='Lines {"id", "text"} or {"id", "path"}; - for standard input.'
        ),
    ] = None,
    against_index: Annotated[
        bool, typer.Option("--against-index", help="Look for near-copies in the live index.")
    ] = False,
    within: Annotated[
        bool,
        typer.Option(
            "--within",
            help="Look for near-copies within the batch, too; no verdict changes. Prints at the end.",
        ),
    ] = False,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Processes that scan.")] = 1,
    json_: Json = False,
) -> None:
    """Judge documents as those of a new origin that nobody vouches for. Stores nothing.

    Exit code 1 if one is not admitted. With --json a line a document, in the order of the input.
    """
    from gateway.cli.scan_pool import scan_all
    from runtime.scanning import build_scanner
    from runtime.settings import load_settings

    settings = load_settings()
    sources = _sources(paths or [], jsonl, max_bytes=settings.server.max_body_bytes)
    scanner = build_scanner(settings)
    verdicts: Counter[str] = Counter()
    for line in _lines(
        scan_all(sources, settings, jobs=jobs),
        settings,
        scanner,
        against_index=against_index,
        within=within,
    ):
        verdicts[str(line["verdict"])] += 1
        if json_:
            emit(line)
        else:
            _show(line)
    if not json_:
        told = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
        note(told or "no documents were found")
    if verdicts.total() > verdicts["admit"]:
        raise typer.Exit(FINDINGS)


def _sources(paths: Sequence[Path], jsonl: str | None, *, max_bytes: int) -> Iterator[Source]:
    from gateway.cli.scan_sources import STDIN, from_json_lines, from_paths

    if (jsonl is None) == (not paths):
        raise InputError("give either paths (- for standard input) or --jsonl FILE")
    if jsonl is not None:
        return from_json_lines(jsonl, max_bytes=max_bytes)
    missing = [path for path in paths if str(path) != STDIN and not path.exists()]
    if missing:
        raise InputError(f"no file or folder {str(missing[0])!r}")
    return from_paths(paths, max_bytes=max_bytes)


def _lines(
    scanned: Iterable[Scanned],
    settings: Settings,
    scanner: Scanner,
    *,
    against_index: bool,
    within: bool,
) -> Iterator[Mapping[str, object]]:
    from gateway.cli.scan_neighbours import near_duplicates_within, open_live_index

    with open_live_index(settings, scanner) if against_index else nullcontext() as live:
        looked = (live.against(each) for each in scanned) if live is not None else scanned
        if not within:
            for each in looked:
                yield line_of(each, scanner)
            return
        batch = list(looked)
    for each, findings in zip(batch, near_duplicates_within(batch), strict=True):
        yield line_of(each, scanner, beside=findings)


def line_of(
    scanned: Scanned, scanner: Scanner, *, beside: Sequence[Finding] = ()
) -> Mapping[str, object]:
    """Return the public line of a document.

    Args:
        scanned: As judged.
        scanner: What judged it.
        beside: Findings that are told and change neither verdict nor trust.
    """
    judged = scanned.judged
    if judged is None:
        return _unread(scanned, scanner)
    from dataclasses import replace

    findings = (*judged.report.findings, *beside)
    risks = judged.risks
    if beside:
        risks = scanner.policy.group_risks(replace(judged.report, findings=findings))
    shift = scanned.source.dropped if judged.in_input_text else 0
    return {
        "id": scanned.source.id,
        "verdict": judged.assessment.verdict.value,
        "trust": round(judged.assessment.score, _DIGITS),
        "risk": {kind: round(min(1.0, max(0.0, risks.get(kind, 0.0))), _DIGITS) for kind in RISKS},
        "findings": [
            {
                "rule": finding.rule,
                "risk": round(finding.risk, _DIGITS),
                "level": finding.level.value,
                "start": None if finding.span is None else finding.span.start + shift,
                "end": None if finding.span is None else finding.span.end + shift,
                "locator": finding.locator,
                "message": finding.message,
            }
            for finding in findings
        ],
        "unavailable": sorted(judged.report.unavailable),
    }


def _unread(scanned: Scanned, scanner: Scanner) -> Mapping[str, object]:
    rule, message = scanned.problem or ("parsing.failed", "it was not read")
    return {
        "id": scanned.source.id,
        "verdict": "quarantine",
        "trust": 0.0,
        "risk": dict.fromkeys(RISKS, 0.0),
        "findings": [
            {
                "rule": rule,
                "risk": 1.0,
                "level": "suspicious",
                "start": None,
                "end": None,
                "locator": None,
                "message": message,
            }
        ],
        "unavailable": sorted(detector.name for detector in scanner.detectors),
    }


def _show(line: Mapping[str, object]) -> None:
    say(f"{line['verdict']!s:<10} {line['trust']:.2f}  {plain(line['id'])}")
    findings = line["findings"]
    if not isinstance(findings, list):
        return
    for finding in sorted(findings, key=lambda each: -each["risk"])[:_SHOWN_FINDINGS]:
        places = [
            finding["locator"],
            finding["start"] is not None and "{start}-{end}".format(**finding),
        ]
        where = ", ".join(str(place) for place in places if place)
        say(
            f"           {finding['risk']:.2f}  {finding['rule']} ({finding['level']})"
            f"{f' at {plain(where)}' if where else ''}: {plain(finding['message'])}"
        )
    if len(findings) > _SHOWN_FINDINGS:
        say(f"           and {len(findings) - _SHOWN_FINDINGS} more")
