"""The report: each part of docs/benchmarks/ingest.md stands between two marks and is replaced alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from benchmarks.ingest.asking import Absent
from benchmarks.ingest.citations import CitationTable
from benchmarks.ingest.injection import NOT_INJECT_LIKE, Group, Row
from benchmarks.ingest.parsing import HiddenRow, ParsedRow
from benchmarks.ingest.stages import EMBEDDING, TOTAL
from benchmarks.ingest.stages import Row as StageRow
from evaluation.markdown import table
from evaluation.rates import Rate, percent

PARTS: Final = ("stages", "near-duplicates", "injection", "citations", "parsing")

LICENCES: Final[Mapping[str, str]] = {
    "stackone-defender": "Apache-2.0; patterns and its MiniLM, `block_high_risk`",
    "llm-sanitizer": "AGPL-3.0-or-later; `scan_text`, findings above `info`",
    "aicordon (picket)": "Apache-2.0; the local rules, not the paid service",
    "securevector (rules)": "Apache-2.0; the SDK's local mode",
    "securevector (guardian)": "Apache-2.0; the linear model that its application adds",
    "markitdown": "MIT; `convert_stream`",
}


def placed(document: str, part: str, text: str) -> str:
    """Return the document with this part's text between its marks; what else it says stays.

    Raises:
        ValueError: The marks are not there, once and in order.
    """
    begin, end = f"<!-- {part}: written by the command -->", f"<!-- {part}: end -->"
    if document.count(begin) != 1 or document.count(end) != 1:
        raise ValueError(f"the report has no place for {part!r}")
    head, _, rest = document.partition(begin)
    if end not in rest:
        raise ValueError(f"the report's place for {part!r} ends before it begins")
    return f"{head}{begin}\n{text.strip()}\n{end}{rest.partition(end)[2]}"


def stages_part(rows: Sequence[StageRow], *, count: int) -> str:
    """Return CPU-ms by stage and length, and documents a second of one core."""
    lengths = list(dict.fromkeys(row.length for row in rows))
    cells = {(row.stage, row.length): row for row in rows}
    stages = list(dict.fromkeys(row.stage for row in rows))
    shown = [
        [
            f"**{stage}**" if stage == TOTAL else stage,
            *(
                f"{(c := cells[stage, at]).milliseconds:.1f} ({c.to_embedding:.2f})"
                for at in lengths
            ),
        ]
        for stage in stages
    ]
    speeds = [f"{1_000 / cells[TOTAL, at].milliseconds:.1f}" for at in lengths]
    both = [cells[TOTAL, at].milliseconds + cells[EMBEDDING, at].milliseconds for at in lengths]
    shown.append(["documents/s of one core, without embedding", *speeds])
    shown.append(["documents/s of one core, embedded too", *(f"{1_000 / ms:.1f}" for ms in both)])
    head = ["CPU-ms a document (over embedding it)", *(f"{at:,} characters" for at in lengths)]
    return f"{count} documents of each length.\n\n{table(head, shown)}"


def injection_part(
    rows: Sequence[Row], absent: Sequence[Absent], *, texts: int, timed: int, offline: bool
) -> str:
    """Return the table of the field's columns, then families, lengths, and who was asked."""
    head = (
        "detector", "named attacks (mean of families)", "embedded", "hidden", "documents flagged",
        "quoting articles flagged", "short texts with attackers' words left alone", "AUROC",
        "CPU-ms a text", "times ours", "CPU-ms a document",
    )  # fmt: skip
    main = [
        [
            row.name,
            f"{row.named:.0%}",
            *(percent(row.groups[group]) for group in (Group.EMBEDDED, Group.HIDDEN)),
            *(percent(row.groups[group]) for group in (Group.DOCUMENTS, Group.QUOTING)),
            percent(row.short_right),
            f"{row.auroc:.2f}",
            f"{row.milliseconds:.0f}",
            f"{row.to_ours:.2f}",
            f"{row.document_milliseconds:.0f}",
        ]
        for row in rows
    ]
    network = "had no network" if offline else "could have used the network"
    asked = [
        [row.name, row.version, LICENCES.get(row.name, "ours"), str(row.errors)] for row in rows
    ]
    asked += [[each.name, "-", f"not measured: {each.error}", "-"] for each in absent]
    return "\n\n".join(
        (
            f"{texts} texts, of which {timed}, every detector's the same, give the times. n: {_sizes(rows)}. "
            f"Peers {network}.",
            table(head, main),
            "Share flagged by family (benign families of fewer than 5 texts are left out):",
            table(["family", "n", *(row.name for row in rows)], _families(rows)),
            "Embedded payloads and BIPIA by length of the document, in characters:",
            table(["length", "n", *(row.name for row in rows)], _lengths(rows)),
            table(("asked", "version", "licence and what was run", "failed on"), asked),
        )
    )


def _sizes(rows: Sequence[Row]) -> str:
    counted = [f"{rows[0].groups[group].total} {group}" for group in Group]
    return ", ".join([*counted, f"{rows[0].short_right.total} of them {NOT_INJECT_LIKE}'s"])


def _families(rows: Sequence[Row]) -> list[list[str]]:
    names = [
        name
        for name, each in rows[0].families.items()
        if not name.startswith(f"{Group.HIDDEN}/")
        and (each.total >= 5 or name.startswith((f"{Group.NAMED}/", f"{Group.EMBEDDED}/")))  # noqa: PLR2004
    ]
    return [
        [
            name,
            str(rows[0].families[name].total),
            *(f"{row.families[name].share:.0%}" for row in rows),
        ]
        for name in names
    ]


def _lengths(rows: Sequence[Row]) -> list[list[str]]:
    return [
        [f"{length:,}", str(each.total), *(percent(row.lengths[length]) for row in rows)]
        for length, each in rows[0].lengths.items()
    ]


def citations_part(made: CitationTable, *, ordinary: Mapping[str, Rate]) -> str:
    """Return the table by kind, and what ordinary documents are suspected of."""
    head = (
        "what is wrong",
        "found",
        "held by it alone",
        "sound twins suspected",
        "sound twins held",
        "rules",
    )
    rows = [
        [
            row.kind,
            *(f"{each.hits} of {each.total}, {percent(each)}" for each in (row.found, row.held)),
            *(f"{each.hits} of {each.total}" for each in (row.suspected, row.held_sound)),
            ", ".join(row.rules) or "-",
        ]
        for row in made.rows
    ]
    sound = _pooled([row.suspected for row in made.rows])
    said = (
        "; ".join(
            f"{name} {each.hits} of {each.total}, {percent(each)}"
            for name, each in ordinary.items()
        )
        or "none were there"
    )
    return (
        f"{table(head, rows)}\n\nSound twins suspected, all kinds: {sound.hits} of {sound.total}, {percent(sound)}. "
        f"Ordinary documents of held-out packages: {said}. "
        f"{made.milliseconds:.2f} CPU-ms a document of five references."
    )


def _pooled(rates: Sequence[Rate]) -> Rate:
    return Rate(hits=sum(each.hits for each in rates), total=sum(each.total for each in rates))


def parsing_part(parsed: Sequence[ParsedRow], hidden: Sequence[HiddenRow], *, peer: str) -> str:
    """Return both tables; `peer` says who the peer is, or why there is none."""
    head = (
        "type",
        "n",
        "KB",
        "CPU-ms",
        "documents/s of one core",
        "in the child process",
        "words read",
        "peer's CPU-ms",
        "times ours",
        "peer's words read",
    )
    files = [
        [
            row.media,
            str(row.files),
            f"{row.kilobytes:.1f}",
            f"{row.milliseconds:.1f}",
            f"{1_000 / row.milliseconds:.0f}",
            "-" if row.child_milliseconds is None else f"{row.child_milliseconds:.0f}",
            f"{row.recovered:.1%}",
            *_peer_cells(row),
        ]
        for row in parsed
    ]
    hides = (
        "type",
        "channels",
        "files",
        "held by the scan",
        "payload in what we index",
        "payload in the peer's text",
    )
    found = [
        [
            row.media,
            str(row.channels),
            str(row.flagged.total),
            percent(row.flagged),
            percent(row.shown),
            "-" if row.peer_shown is None else percent(row.peer_shown),
        ]
        for row in hidden
    ]
    every = _pooled([row.flagged for row in hidden])
    return "\n\n".join(
        (
            f"Peer: {peer}.",
            table(head, files),
            table(hides, found),
            f"Held, all types: {every.hits} of {every.total}, {percent(every)}.",
        )
    )


def _peer_cells(row: ParsedRow) -> list[str]:
    if row.peer_milliseconds is None or row.peer_recovered is None:
        return ["-", "-", f"failed on {row.peer_failed}" if row.peer_failed else "-"]
    return [
        f"{row.peer_milliseconds:.1f}",
        f"{row.peer_milliseconds / row.milliseconds:.1f}",
        f"{row.peer_recovered:.1%}",
    ]
