"""What an attack does to the corpus itself, whichever system is asked: evidence, seats, the scan."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Final

from defences.retrieval.families import collapse
from domain.documents import DEFAULT_TENANT
from domain.errors import InputError
from domain.retrieval import Embedder, ScoredChunk
from evaluation.redteam.asked import Cell, RowId
from evaluation.redteam.figures import NO_ATTACK
from evaluation.redteam.provenance import ProvenanceMode
from evaluation.redteam.rows import Row
from evaluation.redteam.world import Laboratory, Stage, World, clean_id
from gateway.query.options import QueryOptions
from gateway.query.retrieval import Retrieval

WATCHED_MODES: Final = frozenset(
    {ProvenanceMode.ONE_NEW, ProvenanceMode.SYBIL, ProvenanceMode.COMPROMISED}
)
"""Where what was retrieved before is what would be retrieved with nothing planted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """One question of one cell.

    Attributes:
        chunks: Established chunks retrieved with nothing planted, of which `chunks_kept` still are.
        unchanged: They are the same, in the same order, and no other is there.
        seats: Established seats among them, of which `seats_lost` have no chunk left.
        risks: What the scan made of each planted text, in [0, 1]; with no attack, of those clean
            passages of the question that stand in no earlier one. Empty where nothing is scanned.
    """

    cell: Cell
    row: RowId
    chunks: int = 0
    chunks_kept: int = 0
    unchanged: bool = True
    seats: int = 0
    seats_lost: int = 0
    risks: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.chunks_kept <= self.chunks or not 0 <= self.seats_lost <= self.seats:
            raise InputError(f"{self.row!r} keeps more than there was")
        if not all(math.isfinite(risk) for risk in self.risks):
            raise InputError(f"{self.row!r} has a risk that is not finite")

    @property
    def key(self) -> tuple[Cell, RowId]:
        return self.cell, self.row

    def to_json(self) -> str:
        """Return one line of ASCII, without its end."""
        flat = asdict(self)
        return json.dumps({**flat.pop("cell"), **flat}, allow_nan=False)

    @classmethod
    def from_json(cls, line: str) -> Watched:
        """Return what `to_json` wrote.

        Raises:
            InputError: It is anything else.
        """
        try:
            found = json.loads(line)
            cell = Cell(**{each.name: found.pop(each.name) for each in fields(Cell)})
            return cls(cell=cell, **{**found, "risks": tuple(found["risks"])})
        except (ValueError, KeyError, TypeError, AttributeError) as exc:
            raise InputError(f"no line of what was watched: {type(exc).__name__}") from exc


class Watcher:
    """Looks at the world that a question is asked in, beside the one with nothing planted."""

    def __init__(
        self,
        rows: Sequence[Row],
        *,
        laboratory: Laboratory,
        embedder: Embedder,
        options: QueryOptions,
    ) -> None:
        self._laboratory = laboratory
        self._embedder = embedder
        self._options = options
        self._own = _first_said(rows)

    async def look(self, cell: Cell, row: Row, world: World) -> Watched | None:
        """Return what became of the corpus; None where the mode changes it by itself."""
        mode, stage = ProvenanceMode(cell.provenance), Stage(cell.stage)
        if mode not in WATCHED_MODES:
            return None
        if stage is Stage.INGEST_QUERY:
            risks = self._clean_risks(row, world) if cell.attack == NO_ATTACK else _planted(world)
            return Watched(cell=cell, row=RowId(row.id), risks=risks)
        clean = await self._laboratory.clean(mode=mode, stage=stage, share=cell.share)
        before, after = await self._established(row, clean), await self._established(row, world)
        names = [hit.chunk.id for hit in before]
        left = [hit.chunk.id for hit in after]
        seats, seats_left = _seats(before), _seats(after)
        return Watched(
            cell=cell,
            row=RowId(row.id),
            chunks=len(names),
            chunks_kept=len(set(names) & set(left)),
            unchanged=names == left,
            seats=len(seats),
            seats_lost=len(seats - seats_left),
        )

    async def _established(self, row: Row, world: World) -> Sequence[ScoredChunk]:
        """Return the established evidence as the question path retrieves it."""
        vector = (await self._embedder.embed([row.question]))[0]
        found = await Retrieval(world.vectors).find(
            row.question,
            row.question,
            vector,
            tenant_id=DEFAULT_TENANT,
            quotas=self._options.quotas,
        )
        return [hit for hit in found if hit.origin.established]

    def _clean_risks(self, row: Row, world: World) -> tuple[float, ...]:
        names = [clean_id(text) for text in self._own[row.id]]
        return tuple(world.risks[name] for name in names if name in world.risks)


def read_watched(path: Path) -> tuple[Watched, ...]:
    """Return the whole lines of a run.

    Raises:
        InputError: A line is none of ours.
    """
    lines = path.read_text(encoding="ascii").split("\n")[:-1]
    return tuple(Watched.from_json(line) for line in lines)


def _planted(world: World) -> tuple[float, ...]:
    return tuple(world.risks[name] for name in sorted(world.planted) if name in world.risks)


def _seats(hits: Sequence[ScoredChunk]) -> frozenset[str]:
    return frozenset(str(hit.origin.ref) for hit in collapse(hits))


def _first_said(rows: Sequence[Row]) -> Mapping[str, tuple[str, ...]]:
    """Return, by row, its passages that stand in no earlier row."""
    seen: set[str] = set()
    own: dict[str, tuple[str, ...]] = {}
    for row in rows:
        fresh = tuple(dict.fromkeys(text for text in row.passages if text not in seen))
        seen.update(fresh)
        own[row.id] = fresh
    return own
