"""What an attack does to the corpus, in figures: evidence that stays, seats lost, texts detected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from evaluation.rates import Rate, rate
from evaluation.redteam.asked import Cell
from evaluation.redteam.figures import NO_ATTACK, Detection, clean_cell, detection
from evaluation.redteam.watched import Watched
from evaluation.redteam.world import Stage

FALSE_POSITIVES: Final = (0.01, 0.05)
"""Shares of the clean passages that a scan may flag."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorpusRow:
    """One cell.

    Attributes:
        unchanged: Questions whose established chunks are the same in the same order; None where
            texts pass the scan, and what is retrieved depends on what it holds.
        chunks: Of the established chunks retrieved with nothing planted, those still retrieved.
        seats: Of the established seats among them, those that still have a chunk.
        detections: By the share of false positives that is allowed; empty where nothing is scanned
            or nothing was planted.
    """

    cell: Cell
    unchanged: Rate | None
    chunks: Rate | None
    seats: Rate | None
    detections: Mapping[float, Detection]


def corpus_rows(watched: Sequence[Watched]) -> tuple[CorpusRow, ...]:
    """Return a row for each cell with something planted, by cell."""
    by_cell: dict[Cell, list[Watched]] = {}
    for one in watched:
        by_cell.setdefault(one.cell, []).append(one)
    return tuple(
        _row(cell, by_cell[cell], by_cell) for cell in sorted(by_cell) if cell.attack != NO_ATTACK
    )


def _row(
    cell: Cell, held: Sequence[Watched], by_cell: Mapping[Cell, Sequence[Watched]]
) -> CorpusRow:
    if cell.stage == Stage.INGEST_QUERY:
        return CorpusRow(
            cell=cell,
            unchanged=None,
            chunks=None,
            seats=None,
            detections=_detections(held, _benign(cell, by_cell)),
        )
    return CorpusRow(
        cell=cell,
        unchanged=rate(one.unchanged for one in held),
        chunks=_parts((one.chunks_kept, one.chunks) for one in held),
        seats=_parts((one.seats - one.seats_lost, one.seats) for one in held),
        detections={},
    )


def _benign(cell: Cell, by_cell: Mapping[Cell, Sequence[Watched]]) -> Sequence[float]:
    scanned = [one for one in by_cell if one.stage == cell.stage]
    twin = clean_cell(cell, scanned)
    return [risk for one in by_cell[twin] for risk in one.risks] if twin else []


def _detections(held: Sequence[Watched], benign: Sequence[float]) -> Mapping[float, Detection]:
    planted = [risk for one in held for risk in one.risks]
    if not planted or not benign:
        return {}
    return {share: detection(planted, benign, false_positives=share) for share in FALSE_POSITIVES}


def _parts(counted: Iterable[tuple[int, int]]) -> Rate:
    pairs = list(counted)
    return Rate(hits=sum(part for part, _ in pairs), total=sum(whole for _, whole in pairs))


def to_json(row: CorpusRow) -> dict[str, object]:
    """Return a cell's figures for the JSON output: counts, and shares in [0, 1]."""
    found: dict[str, object] = {}
    for name, counted in (
        ("questions_unchanged", row.unchanged),
        ("established_chunks_kept", row.chunks),
        ("established_seats_kept", row.seats),
    ):
        found[name] = counted.hits if counted else None
        found[f"{name}_of"] = counted.total if counted else None
    for share in FALSE_POSITIVES:
        made = row.detections.get(share)
        name = f"detected_at_{share:.0%}".replace("%", "_percent")
        found[name] = made.found.share if made else None
        found[f"{name}_interval"] = [made.found.low, made.found.high] if made else None
        found[f"{name}_false"] = made.false.share if made else None
    found["detection_area"] = next((each.area for each in row.detections.values()), None)
    return found
