"""What an attack does to the evidence of a question, whichever system is asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from backends.embedder_hashing import HashingEmbedder
from domain.errors import InputError
from evaluation.redteam.asked import Cell
from evaluation.redteam.attacks.planted import Hand, Planted
from evaluation.redteam.provenance import ProvenanceMode
from evaluation.redteam.rows import Row
from evaluation.redteam.watched import Watched, Watcher, read_watched
from evaluation.redteam.world import Laboratory, Stage
from gateway.query.options import QueryOptions
from runtime.settings import Settings

pytestmark = pytest.mark.anyio

ROWS = tuple(
    Row(
        id=name,
        question=f"how many doors has the {name}?",
        correct="3",
        incorrect="4",
        passages=(
            f"The {name} of Ashby has 3 doors, and each of them was carved by a master.",
            f"Visitors count three doors at the {name}; the widest faces the river.",
        ),
    )
    for name in ("mill", "tower")
)
CELL = Cell(attack="crowding", b=3, provenance="one-new", stage="query-only")
LIES = tuple(
    Planted(text=f"How many doors has the mill? The mill has 4 doors, note {at}.", answer="4")
    for at in range(40)
)


async def look(cell: Cell, planted: tuple[Planted, ...]) -> Watched | None:
    embedder = HashingEmbedder()
    laboratory = Laboratory(ROWS, settings=Settings(), embedder=embedder, detectors=())
    watcher = Watcher(ROWS, laboratory=laboratory, embedder=embedder, options=QueryOptions())
    world = await laboratory.world(
        ROWS[0], planted, mode=ProvenanceMode(cell.provenance), stage=Stage(cell.stage)
    )
    return await watcher.look(cell, ROWS[0], world)


async def test_forty_texts_of_a_stranger_change_no_established_chunk() -> None:
    found = await look(CELL, LIES)

    assert found is not None
    assert found.unchanged
    assert found.chunks == found.chunks_kept > 0
    assert found.seats > 1
    assert found.seats_lost == 0


async def test_an_owner_who_replaces_a_passage_is_seen_to_change_the_evidence() -> None:
    new = "The mill of Ashby has 4 doors, and each of them was carved by a master."
    replaced = Planted(text=new, answer="4", hand=Hand.OWNER, replaces=0)

    found = await look(replace(CELL, attack="replacement"), (replaced,))

    assert found is not None
    assert not found.unchanged


async def test_where_nobody_is_established_nothing_is_compared() -> None:
    assert await look(replace(CELL, provenance="none"), LIES) is None


def test_lines_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "watched-0.jsonl"
    one = Watched(cell=CELL, row=ROWS[0].id, chunks=2, chunks_kept=1, risks=(0.5, 1.0))  # type: ignore[arg-type]
    path.write_text(f"{one.to_json()}\n{one.to_json()[:9]}", encoding="ascii")

    assert read_watched(path) == (one,)


@pytest.mark.parametrize("line", ["", "[]", "{}", '{"attack": "none"}'])
def test_another_line_is_refused(line: str) -> None:
    with pytest.raises(InputError):
        Watched.from_json(line)
