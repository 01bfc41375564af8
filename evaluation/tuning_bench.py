"""Asks the questions of a tuning run under one setting, and counts what came of it."""

from __future__ import annotations

import itertools
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from domain.answering import AnswerResult, Outcome, PartitionMode
from domain.verification import CrossExamination
from evaluation.rates import Rate, rate
from evaluation.redteam.asked import Asked, Cell, RowId
from evaluation.redteam.confidences import OperatingPoint, coverage_point, precision_point
from evaluation.redteam.engine import fold_of, plant, query_type, wanted_by_attacker
from evaluation.redteam.figures import NO_ATTACK
from evaluation.redteam.judging import Judgement, judge
from evaluation.redteam.models import words_of
from evaluation.redteam.provenance import ProvenanceMode
from evaluation.redteam.rows import Row
from evaluation.redteam.systems.gateway import Mithridate, Models, group_score
from evaluation.redteam.systems.peers import StandardRag
from evaluation.redteam.systems.views import TOP
from evaluation.redteam.world import Laboratory, Stage, World
from runtime.settings import Settings

STANDARD: Final = "standard-rag"
_B: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Setting:
    """What is varied. `k`: chunks of a subset; `limit`: established chunks retrieved."""

    m: int
    k: int
    limit: int
    partition: str
    cross_examination: str
    drafter: str
    verifier: str

    @property
    def name(self) -> str:
        return (
            f"m={self.m} k={self.k} retrieved={self.limit} {self.partition} "
            f"{self.cross_examination} {self.drafter}+{self.verifier}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one setting did; `setting` None: standard RAG, all passages before one draft.

    Attributes:
        right: Of all clean questions, with every score let pass.
        strict: Planted answers given, of all questions under the attack; None without one.
        wide, sure: tau where one in ten clean questions abstains, and where nine in ten answers are
            right, with what they do on these questions.
        seconds: Median of an answer.
        words: Mean words that the drafts of a question read.
        draft_right: Of the drafts, those that are right: quality apart from selection.
        possible: Of the questions, those with a right draft.
        selected: Of those, the questions answered rightly.
        alike: Mean cosine of two drafts' answers of one question; None with fewer than two.
        picks: How often each draft was the answer, by number.
    """

    setting: Setting | None
    asked: tuple[Asked, ...]
    right: Rate
    strict: Rate | None
    wide: OperatingPoint | None
    sure: OperatingPoint | None
    seconds: float
    words: float
    draft_right: Rate
    possible: Rate
    selected: Rate
    alike: float | None
    picks: Mapping[int, int]

    @property
    def name(self) -> str:
        return self.setting.name if self.setting else STANDARD


class Bench:
    """The scratch index of one pair of models, and everything that is asked of it."""

    def __init__(
        self, rows: Sequence[Row], settings: Settings, models: Models, *, attack: str
    ) -> None:
        self._rows = tuple(rows)
        self._models = models
        self._words = words_of(settings)
        self._attack = attack
        self._laboratory = Laboratory(
            rows, settings=settings, embedder=models.embedder, detectors=()
        )

    async def measure(self, setting: Setting) -> Measured:
        options = replace(
            self._models.options,
            m=setting.m,
            k=setting.k,
            established_limit=setting.limit,
            partition=PartitionMode(setting.partition),
            cross_examination=CrossExamination(setting.cross_examination),
        )
        system = Mithridate(replace(self._models, options=options), threshold=lambda *_: 0.0)
        clean: list[Asked] = []
        stolen: list[bool] = []
        read: list[int] = []
        cosines: list[float] = []
        for row in self._rows:
            began = time.perf_counter()
            result = await system.result(row, await self._clean())
            asked = self._asked(row, result, time.perf_counter() - began, name=setting.name)
            clean.append(asked)
            read.append(_words(result))
            cosines += await self._cosines(result)
            if self._attack != NO_ATTACK:
                stolen.append(await self._stolen(row, system))
        return _measured(setting, clean, stolen, read, cosines)

    async def standard(self) -> Measured:
        """Measure all passages before one draft."""
        system = StandardRag(self._models)
        clean: list[Asked] = []
        stolen: list[bool] = []
        read: list[int] = []
        for row in self._rows:
            world = await self._clean()
            began = time.perf_counter()
            reply = await system.ask(row, world)
            seconds = time.perf_counter() - began
            said = self._judged(row, reply.answer)
            clean.append(
                _line(row, STANDARD, reply.outcome, said, seconds, drafts=1, right=int(said.right))
            )
            hits = await system.retrieve(row, world)
            read.append(sum(len(hit.chunk.text.split()) for hit in hits[:TOP]))
            if self._attack != NO_ATTACK:
                poisoned, wanted = await self._poisoned(row)
                answer = (await system.ask(row, poisoned)).answer
                stolen.append(self._judged(row, answer, wanted).planted)
        return _measured(None, clean, stolen, read, [])

    async def _clean(self) -> World:
        return await self._laboratory.clean(mode=ProvenanceMode.ONE_NEW, stage=Stage.QUERY_ONLY)

    async def _poisoned(self, row: Row) -> tuple[World, Sequence[str]]:
        mode, stage = ProvenanceMode.ONE_NEW, Stage.QUERY_ONLY
        cell = Cell(attack=self._attack, b=_B, provenance=str(mode), stage=str(stage))
        planted = plant(cell, row, self._rows)
        world = await self._laboratory.world(row, planted, mode=mode, stage=stage)
        return world, wanted_by_attacker(row, planted)

    async def _stolen(self, row: Row, system: Mithridate) -> bool:
        world, wanted = await self._poisoned(row)
        result = await system.result(row, world)
        return self._judged(row, result.answer, wanted).planted

    def _judged(self, row: Row, answer: str | None, planted: Sequence[str] = ()) -> Judgement:
        return judge(
            answer,
            right=(row.correct, *row.aliases),
            planted=planted or (row.incorrect,),
            words=self._words,
        )

    def _asked(self, row: Row, result: AnswerResult, seconds: float, *, name: str) -> Asked:
        said = result.answer or (result.best.answer if result.best else None)
        usable = [draft for draft in result.drafts if draft.usable]
        line = _line(
            row,
            name,
            result.outcome,
            self._judged(row, said),
            seconds,
            drafts=len(usable),
            right=sum(self._judged(row, draft.answer).right for draft in usable),
        )
        picked = result.best.drafts[0].draft.subset.index if result.best else None
        return replace(line, score=group_score(result), picked=picked)

    async def _cosines(self, result: AnswerResult) -> list[float]:
        answers = [draft.answer for draft in result.drafts if draft.usable]
        if len(answers) < 2:  # noqa: PLR2004  # a pair
            return []
        vectors = await self._models.embedder.embed(answers)
        return [float(one @ other) for one, other in itertools.combinations(vectors, 2)]


def _measured(
    setting: Setting | None,
    clean: Sequence[Asked],
    stolen: Sequence[bool],
    read: Sequence[int],
    cosines: Sequence[float],
) -> Measured:
    scored = setting is not None
    picks = Counter(one.picked for one in clean if one.answered and one.picked is not None)
    return Measured(
        setting=setting,
        asked=tuple(clean),
        right=rate(one.correct for one in clean),
        strict=rate(stolen) if stolen else None,
        wide=coverage_point(clean) if scored else None,
        sure=precision_point(clean) if scored else None,
        seconds=float(np.median([one.seconds for one in clean])),
        words=float(np.mean(read)),
        draft_right=Rate(
            hits=sum(one.draft_right for one in clean), total=sum(one.drafts for one in clean)
        ),
        possible=rate(one.draft_right > 0 for one in clean),
        selected=rate(one.correct for one in clean if one.draft_right),
        alike=float(np.mean(cosines)) if cosines else None,
        picks=dict(sorted(picks.items())),
    )


def _line(
    row: Row,
    name: str,
    outcome: Outcome,
    said: Judgement,
    seconds: float,
    *,
    drafts: int,
    right: int,
) -> Asked:
    return Asked(
        cell=Cell(attack=NO_ATTACK, b=0, provenance="one-new", stage="query-only"),
        system=name,
        fold=fold_of(row),
        row=RowId(row.id),
        outcome=outcome,
        reason=None,
        right=said.right,
        planted=said.planted,
        both=said.both,
        score=None,
        confidence=None,
        drafts=drafts,
        contaminated=0,
        draft_right=right,
        picked=None,
        seconds=seconds,
        planted_texts=0,
        held_at_ingest=0,
        query_type=query_type(row.question),
    )


def _words(result: AnswerResult) -> int:
    return sum(
        len(hit.chunk.text.split()) for draft in result.drafts for hit in draft.subset.chunks
    )
