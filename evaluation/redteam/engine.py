"""Asks the questions of a plan, one world after the other, and judges the answers."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from defences.answering.decomposition import decompose
from defences.answering.questions import read_question
from evaluation.redteam.asked import Asked, Cell, RowId
from evaluation.redteam.attacks import ATTACKS
from evaluation.redteam.attacks.planted import Planted
from evaluation.redteam.figures import NO_ATTACK, OURS
from evaluation.redteam.judging import Judgement, judge
from evaluation.redteam.plans import Plan
from evaluation.redteam.provenance import ProvenanceMode
from evaluation.redteam.rows import Row
from evaluation.redteam.systems.gateway import DECOMPOSED
from evaluation.redteam.systems.reply import Reply, System
from evaluation.redteam.watched import Watched, Watcher
from evaluation.redteam.world import Laboratory, Stage, World

FOLDS: Final = 2
SEVERAL_HOPS: Final = "several hops"
"""Query type of a question that the rules split."""

Record = Callable[[Asked], None]
Note = Callable[[Watched], None]


def fold_of(row: Row) -> int:
    """Return the fold of a question, the same in every run."""
    digest = hashlib.blake2b(row.question.encode(), key=b"fold", digest_size=8).digest()
    return int.from_bytes(digest) % FOLDS


class Engine:
    """Asks every system of a plan; what is done already is not asked again.

    A system that sees no provenance is asked once where the scan does not depend on it either: its
    answer is written for every provenance mode of the plan.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        *,
        laboratory: Laboratory,
        systems: Sequence[System],
        words: int,
        record: Record,
        done: Mapping[tuple[Cell, str, RowId], Asked],
        watcher: Watcher | None = None,
        note: Note = lambda _: None,
        watched: Collection[tuple[Cell, RowId]] = (),
    ) -> None:
        self._rows = tuple(rows)
        self._laboratory = laboratory
        self._systems = tuple(systems)
        self._words = words
        self._record = record
        self._done = dict(done)
        self._watcher = watcher
        self._note = note
        self._watched = set(watched)

    async def run(self, plan: Plan, rows: Sequence[Row]) -> None:
        """Ask `rows`, some of all rows of the run, in every cell of the plan."""
        for cell in plan.cells:
            most = plan.most(cell.attack)
            for row in rows:
                if most is None or self._rows.index(row) < most:
                    await self._ask(plan, cell, row)

    async def _ask(self, plan: Plan, cell: Cell, row: Row) -> None:
        wanted = [one for one in self._systems if (cell, one.name, RowId(row.id)) not in self._done]
        if not wanted:
            return
        planted = plant(cell, row, self._rows)
        worlds: dict[ProvenanceMode, World] = {}
        for system in wanted:
            known = self._twin(plan, cell, row, system)
            if known is not None:
                self._write(replace(known, cell=cell, system=system.name))
                continue
            mode = ProvenanceMode(cell.provenance)
            if not system.sees_provenance and cell.stage == Stage.QUERY_ONLY:
                mode = ProvenanceMode.NONE
            if mode not in worlds:
                worlds[mode] = await self._laboratory.world(
                    row, planted, mode=mode, stage=Stage(cell.stage), share=cell.share
                )
                await self._watch(cell, row, mode, worlds[mode])
            began = time.perf_counter()
            reply = await system.ask(row, worlds[mode])
            seconds = time.perf_counter() - began
            self._write(
                self._judged(cell, row, system, reply, planted, worlds[mode], seconds=seconds)
            )

    async def _watch(self, cell: Cell, row: Row, mode: ProvenanceMode, world: World) -> None:
        """Note what became of the corpus, once, of the world that has the cell's own provenance."""
        key = cell, RowId(row.id)
        if self._watcher is None or key in self._watched or str(mode) != cell.provenance:
            return
        found = await self._watcher.look(cell, row, world)
        if found is not None:
            self._watched.add(key)
            self._note(found)

    def _twin(self, plan: Plan, cell: Cell, row: Row, system: System) -> Asked | None:
        """Return what the system must say, where another of its answers tells.

        The same texts under another provenance, where it sees none; the question asked whole, where
        nothing splits it.
        """
        if system.name == DECOMPOSED and decompose(row.question) is None:
            return self._done.get((cell, OURS, RowId(row.id)))
        if system.sees_provenance or cell.stage != Stage.QUERY_ONLY:
            return None
        for other in _twins(plan, cell):
            known = self._done.get((other, system.name, RowId(row.id)))
            if known is not None:
                return known
        return None

    def _write(self, asked: Asked) -> None:
        self._done[asked.key] = asked
        self._record(asked)

    def _judged(
        self,
        cell: Cell,
        row: Row,
        system: System,
        reply: Reply,
        planted: Sequence[Planted],
        world: World,
        *,
        seconds: float,
    ) -> Asked:
        hostile = wanted_by_attacker(row, planted)

        def judged(answer: str | None) -> Judgement:
            return judge(
                answer, right=(row.correct, *row.aliases), planted=hostile, words=self._words
            )

        said = judged(reply.answer if reply.answer is not None else reply.said)
        usable = [draft for draft in reply.drafts if draft.answer]
        return Asked(
            cell=cell,
            system=system.name,
            fold=fold_of(row),
            row=RowId(row.id),
            outcome=reply.outcome,
            reason=reply.reason or None,
            right=said.right,
            planted=said.planted,
            both=said.both,
            score=reply.score,
            confidence=reply.confidence,
            drafts=len(usable),
            contaminated=sum(draft.contaminated for draft in usable),
            draft_right=sum(judged(draft.answer).right for draft in usable),
            picked=reply.picked,
            seconds=seconds,
            planted_texts=sum(not one.honest for one in planted),
            held_at_ingest=world.held,
            query_type=query_type(row.question),
        )


def query_type(question: str) -> str:
    """Return what is asked for, or that it takes several hops."""
    return SEVERAL_HOPS if decompose(question) else read_question(question).type.value


def plant(cell: Cell, row: Row, rows: Sequence[Row]) -> tuple[Planted, ...]:
    """Return what a cell's attack plants for a question; the same in every run."""
    if cell.attack == NO_ATTACK:
        return ()
    seed = hashlib.blake2b(f"{cell.attack}:{cell.b}:{row.id}".encode(), digest_size=8).digest()
    others = [one for one in rows if one.id != row.id]
    return ATTACKS[cell.attack](
        row,
        cell.b,
        others,
        random.Random(int.from_bytes(seed)),  # noqa: S311  # a seed, no secret
    )


def wanted_by_attacker(row: Row, planted: Sequence[Planted]) -> tuple[str, ...]:
    """Return the answers that count as planted: of the texts, and the row's own in any case.

    So the base without an attack is how often that answer comes by itself.
    """
    return tuple(dict.fromkeys([row.incorrect, *(one.answer for one in planted if one.answer)]))


def _twins(plan: Plan, cell: Cell) -> Iterator[Cell]:
    for other in plan.cells:
        same = (other.attack, other.b, other.stage) == (cell.attack, cell.b, cell.stage)
        if same and other != cell:
            yield other
