"""A whole run: thresholds first, then every cell, over several processes, to be gone on with."""

from __future__ import annotations

import asyncio
import hashlib
import json
import multiprocessing
import platform
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Final, TextIO

import httpx

from evaluation.redteam.asked import Asked, Cell, RowId, read_asked, resume, take_off_cut_line
from evaluation.redteam.engine import Engine
from evaluation.redteam.kept import code_digest
from evaluation.redteam.models import (
    Thresholds,
    build_models,
    build_systems,
    scanning_detectors,
    with_thresholds,
    words_of,
)
from evaluation.redteam.plans import Plan
from evaluation.redteam.rows import Row, read_rows
from evaluation.redteam.thresholds import (
    PointName,
    Threshold,
    by_key,
    clean_cells,
    fit_thresholds,
    write_thresholds,
)
from evaluation.redteam.watched import Watched, Watcher, read_watched
from evaluation.redteam.world import Laboratory, Stage
from runtime.settings import Settings

CODE: Final = ("defences", "ingest", "gateway/query", "backends", "evaluation/redteam")
"""What an answer comes from, beside the models; a digest of it tells answers of two versions apart."""

_LIBRARIES: Final = ("numpy", "onnxruntime", "scikit-learn")
_LOOK_SECONDS: Final = 0.5

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and of how much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What is run, and where its answers are kept.

    Attributes:
        folder: Holds the answers, a line each; a run over the same folder goes on.
        jobs: Processes; each asks its share of the questions.
        keep: File of drafts and vectors that other runs may have made; None: they are made anew.
    """

    data: Path
    limit: int | None
    plan: Plan
    point: PointName
    settings: Settings
    folder: Path
    jobs: int = 1
    keep: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """Everything that was asked, and the thresholds under which."""

    rows: tuple[Row, ...]
    asked: tuple[Asked, ...]
    opened: tuple[Asked, ...]
    thresholds: tuple[Threshold, ...]
    watched: tuple[Watched, ...] = ()


def key_of(run: Run, rows: Sequence[Row]) -> str:
    """Name what answers of two runs must have in common to stand in one folder."""
    facts = {
        "rows": [[row.id, row.question, row.correct, row.incorrect] for row in rows],
        "texts": [hashlib.sha256(repr(row).encode()).hexdigest() for row in rows],
        "point": run.point.value,
        "code": code_digest(CODE),
        "settings": run.settings.model_dump(
            mode="json",
            include={"answering", "retrieval", "guard", "drafter", "verifier", "embedder"},
        ),
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()[:16]


def carry_out(run: Run, progress: Progress) -> Ran:
    """Ask everything that the folder does not have yet.

    Raises:
        InputError: The rows or the folder's answers cannot be read.
        ConfigurationError: The models are not usable.
    """
    rows = read_rows(run.data, limit=run.limit)
    run.folder.mkdir(parents=True, exist_ok=True)
    opening = Plan(
        cells=clean_cells(),
        systems=with_thresholds(run.plan.systems),
        questions=None,
        heavy=True,
    )
    opened = _all(run, rows, "open", opening, {}, lambda done, of: progress("thresholds", done, of))
    thresholds = fit_thresholds(opened, run.point)
    write_thresholds(run.folder / "thresholds.json", thresholds)
    asked = _all(
        run,
        rows,
        "asked",
        run.plan,
        by_key(thresholds),
        lambda done, of: progress("attacks", done, of),
    )
    cells = set(run.plan.cells)
    watched = tuple(one for one in _watched(run.folder).values() if one.cell in cells)
    return Ran(rows=rows, asked=asked, opened=opened, thresholds=thresholds, watched=watched)


def _all(
    run: Run,
    rows: Sequence[Row],
    name: str,
    plan: Plan,
    thresholds: Thresholds,
    progress: Callable[[int, int], None],
) -> tuple[Asked, ...]:
    """Ask a plan in as many processes as the run has; return what the folder then has of it."""
    total = sum(min(len(rows), plan.most(cell.attack) or len(rows)) for cell in plan.cells)
    total *= len(plan.systems)
    shares = [
        _Share(run=run, name=name, plan=plan, thresholds=thresholds, number=number)
        for number in range(run.jobs)
    ]
    for share in shares:
        resume(share.file)
        take_off_cut_line(share.watched_file)
    if len(_wanted(plan, _read(run.folder, name))) < total:
        _spread(shares, lambda: progress(_lines(run.folder, name), total))
    progress(total, total)
    return _wanted(plan, _read(run.folder, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Share:
    """The questions of one process: every `run.jobs`-th of them."""

    run: Run
    name: str
    plan: Plan
    thresholds: Thresholds
    number: int

    @property
    def file(self) -> Path:
        return self.run.folder / f"{self.name}-{self.number}.jsonl"

    @property
    def watched_file(self) -> Path:
        return self.run.folder / f"watched-{self.number}.jsonl"


def _spread(shares: Sequence[_Share], look: Callable[[], None]) -> None:
    if len(shares) == 1:
        _work(shares[0], look)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(len(shares), mp_context=context) as pool:
        pending: set[Future[None]] = {pool.submit(_work, share) for share in shares}
        while pending:
            done, pending = wait(pending, timeout=_LOOK_SECONDS, return_when=FIRST_COMPLETED)
            for one in done:
                one.result()
            look()


def _work(share: _Share, look: Callable[[], None] | None = None) -> None:
    asyncio.run(_ask(share, look))


async def _ask(share: _Share, look: Callable[[], None] | None) -> None:
    run = share.run
    rows = read_rows(run.data, limit=run.limit)
    scanned = any(cell.stage == Stage.INGEST_QUERY for cell in share.plan.cells)
    async with httpx.AsyncClient() as http:
        models = await build_models(run.settings, http, keep=run.keep)
        laboratory = Laboratory(
            rows,
            settings=run.settings,
            embedder=models.embedder,
            detectors=scanning_detectors(run.settings) if scanned else (),
        )
        with (
            share.file.open("a", encoding="ascii") as answers,
            share.watched_file.open("a", encoding="ascii") as notes,
        ):

            def record(asked: Asked) -> None:
                _end_with_parent()
                _append(answers, asked.to_json())
                if look is not None:
                    look()

            engine = Engine(
                rows,
                laboratory=laboratory,
                systems=build_systems(share.plan.systems, models, share.thresholds),
                words=words_of(run.settings),
                record=record,
                done=_read(run.folder, share.name),
                watcher=Watcher(
                    rows, laboratory=laboratory, embedder=models.embedder, options=models.options
                ),
                note=lambda watched: _append(notes, watched.to_json()),
                watched=_watched(run.folder),
            )
            await engine.run(share.plan, rows[share.number :: run.jobs])


def _end_with_parent() -> None:
    """End this process if the one that started it is gone: nobody waits for its answers."""
    parent = multiprocessing.parent_process()
    if parent is not None and not parent.is_alive():
        raise SystemExit(1)


def _append(file: TextIO, line: str) -> None:
    file.write(line + "\n")
    file.flush()


def _read(folder: Path, name: str) -> Mapping[tuple[Cell, str, RowId], Asked]:
    """Return what all processes of this and of earlier runs over the folder wrote."""
    return {
        one.key: one for path in sorted(folder.glob(f"{name}-*.jsonl")) for one in read_asked(path)
    }


def _watched(folder: Path) -> Mapping[tuple[Cell, RowId], Watched]:
    return {
        one.key: one
        for path in sorted(folder.glob("watched-*.jsonl"))
        for one in read_watched(path)
    }


def _wanted(plan: Plan, known: Mapping[tuple[Cell, str, RowId], Asked]) -> tuple[Asked, ...]:
    cells, systems = set(plan.cells), set(plan.systems)
    return tuple(one for one in known.values() if one.cell in cells and one.system in systems)


def _lines(folder: Path, name: str) -> int:
    return sum(path.read_bytes().count(b"\n") for path in sorted(folder.glob(f"{name}-*.jsonl")))


def facts_of(run: Run, ran: Ran, *, profile: str, command: str) -> Mapping[str, str]:
    """Return what a report says of how it was made; no question stands in it."""
    settings = run.settings
    return {
        "command": command,
        "data": run.data.name,
        "questions": str(len(ran.rows)),
        "profile": profile,
        "operating point": run.point.value,
        "drafter": settings.drafter.backend,
        "verifier": settings.verifier.backend,
        "m, k": f"{settings.answering.m}, {settings.answering.k}",
        "version": version("mithridate"),
        "code": code_digest(CODE),
        "libraries": ", ".join(f"{name} {version(name)}" for name in _LIBRARIES),
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
    }
