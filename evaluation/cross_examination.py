"""Measures what cross-examination tells: `python -m evaluation.cross_examination --data DIR`.

AUROC of right against wrong drafts, by the draft's raw score, in each mode of cross-examination and
under each kind of other seats. A question of a poisoning set is answered from three seats that share
its best clean passages, and from an attacker's seats that hold poison for it; a draft is right if the
correct answer stands in it and the wrong one does not. The sets are measured on, never tuned to.

Others, the seats whose evidence may lift a draft or lower it:

- `honest`: the three honest seats, the attacker in the pool (its evidence witnesses nothing);
- `irrelevant`: seats with passages of other questions, made to speak as if they answered;
- `hostile`: the attacker's seat is established, one of four;
- `hostile-majority`: two established seats of the attacker beside one honest seat.

Two figures each: over all drafts together (`pooled`), and over pairs of one question (`within`), which
is what picks an answer. Intervals are 90%, by resampling questions. JSON on standard output, what is
done so far on standard error.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
import numpy as np
from numpy.typing import NDArray

from backends.embedder_onnx import OnnxEmbedder
from defences.answering.scoring import score_drafts
from domain.answering import (
    Draft,
    Drafter,
    EvidenceSubset,
    PartitionMode,
    Question,
    QuestionId,
    Quote,
    SeatId,
    Verifier,
)
from domain.documents import DEFAULT_TENANT, Chunk, ChunkId, DocumentId, Origin, OriginKind
from domain.retrieval import FamilyId, ScoredChunk
from domain.text import Span
from domain.verification import CrossExamination
from evaluation.calibration.answer_matching import canonical_tokens, contains_phrase
from evaluation.evidence import EPOCH
from gateway.query.sentence_vectors import SentenceVectors
from gateway.query.verification import examine
from runtime.answering import build_drafter, build_verifier
from runtime.settings import Settings

HONEST_SEATS: Final = 3
PASSAGES: Final = 6
RESAMPLES: Final = 400
LIFT_BOUND: Final = 0.5

CONDITIONS: Final = ("honest", "irrelevant", "hostile", "hostile-majority")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    text: str
    correct: str
    incorrect: str
    clean: tuple[str, ...]
    poison: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The drafts of one question: whether each is right, and its score in each mode."""

    right: NDArray[np.bool_]
    scores: Mapping[CrossExamination, NDArray[np.float64]]


def read_rows(path: Path) -> list[Row]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        Row(
            text=row["question"],
            correct=row["correct"],
            incorrect=row["incorrect"],
            clean=tuple(row["clean_passages"]),
            poison=tuple(row["poisonedrag"]),
        )
        for row in rows
    ]


class Bench:
    """Deals the evidence of one set and scores its drafts."""

    def __init__(
        self, rows: Sequence[Row], *, vectors: SentenceVectors, drafter: Drafter, verifier: Verifier
    ) -> None:
        self._rows = rows
        self._vectors = vectors
        self._drafter = drafter
        self._verifier = verifier
        self._passages = list(dict.fromkeys(text for row in rows for text in row.clean))

    async def judge(self, condition: str) -> list[Judged]:
        embedded = await self._vectors.embed(self._passages)
        asked = await self._vectors.embed([row.text for row in self._rows])
        found = []
        for row, vector in zip(self._rows, asked, strict=True):
            order = [int(at) for at in np.argsort(-(embedded @ vector), kind="stable")]
            subsets = self._subsets(row, order, condition)
            judged = await self._judge(row, subsets, order, irrelevant=condition == "irrelevant")
            if judged is not None:
                found.append(judged)
        return found

    def _subsets(
        self, row: Row, order: Sequence[int], condition: str
    ) -> tuple[EvidenceSubset, ...]:
        best = [self._passages[at] for at in order[:PASSAGES]]
        honest = [best[at::HONEST_SEATS] for at in range(HONEST_SEATS)]
        parts: list[tuple[str, Sequence[str], bool]] = [
            (f"honest-{at}", texts, True) for at, texts in enumerate(honest)
        ]
        if condition == "hostile-majority":
            parts = [parts[0], ("hostile-0", row.poison[0:2], True)]
            parts.append(("hostile-1", row.poison[2:4], True))
        else:
            parts.append(("hostile-0", row.poison[0:2], condition == "hostile"))
        return tuple(
            subset_of(name, texts, index=at, established=established)
            for at, (name, texts, established) in enumerate(parts)
        )

    async def _judge(
        self, row: Row, subsets: Sequence[EvidenceSubset], order: Sequence[int], *, irrelevant: bool
    ) -> Judged | None:
        question = Question(
            id=QuestionId(hashlib.sha256(row.text.encode()).hexdigest()[:12]),
            tenant_id=DEFAULT_TENANT,
            text=row.text,
        )
        drafts = await asyncio.gather(*(self._drafter.draft(question, part) for part in subsets))
        usable = [draft for draft in drafts if draft.usable]
        if not usable:
            return None
        scores: dict[CrossExamination, NDArray[np.float64]] = {}
        for mode in CrossExamination:
            if mode is CrossExamination.ALL and irrelevant:
                scores[mode] = await self._against_strangers(question, usable, order)
                continue
            scored = await examine(
                self._verifier,
                question,
                usable,
                cross_examination=mode,
                mode=PartitionMode.ISOLATED,
                lift_bound=LIFT_BOUND,
            )
            scores[mode] = np.array([one.raw for one in scored])
        right = np.array([is_right(draft.answer, row) for draft in usable], dtype=np.bool_)
        return Judged(right=right, scores=scores)

    async def _against_strangers(
        self, question: Question, drafts: Sequence[Draft], order: Sequence[int]
    ) -> NDArray[np.float64]:
        """Score drafts against two seats that speak of something else, whether they draft or not."""
        far = [self._passages[at] for at in order[len(order) // 2 :][:4]]
        strangers = [
            speaking(subset_of(f"stranger-{at}", far[at::2], index=90 + at, established=True))
            for at in range(2)
        ]
        everybody = [*drafts, *strangers]
        matrix = await self._verifier.score(
            question, everybody, [*(draft.subset for draft in everybody), None]
        )
        cross = matrix[:, :-1]
        count = len(drafts)
        cross[:count, :count] = matrix[:count, -1:]  # only the strangers witness
        scored = score_drafts(
            everybody,
            own=np.diagonal(matrix),
            unconditional=matrix[:, -1],
            mode=PartitionMode.ISOLATED,
            lift_bound=LIFT_BOUND,
            cross=cross,
        )
        return np.array([one.raw for one in scored[:count]])


def subset_of(name: str, texts: Sequence[str], *, index: int, established: bool) -> EvidenceSubset:
    kind = OriginKind.PUBLISHER if established else OriginKind.UPLOADER
    origin = Origin(kind=kind, id=name, established=established)
    chunks = tuple(
        ScoredChunk(
            chunk=Chunk(
                id=ChunkId(f"{name}-{at}:0"),
                document_id=DocumentId(f"{name}-{at}"),
                ordinal=0,
                span=Span(0, len(text)),
                text=text,
            ),
            origin=origin,
            family_id=FamilyId(f"{name}-{at}"),
            vector=np.zeros(1, dtype=np.float32),
            similarity=0.5,
            trust=1.0,
            admitted_at=EPOCH,
        )
        for at, text in enumerate(texts)
    )
    return EvidenceSubset(
        index=index, seats=(SeatId(str(origin.ref)),), tier=origin.tier, chunks=chunks
    )


def speaking(subset: EvidenceSubset) -> Draft:
    """Return a draft that quotes the whole first passage."""
    hit = subset.chunks[0]
    quote = Quote(
        document_id=hit.chunk.document_id,
        origin=hit.origin.ref,
        text=hit.chunk.text,
        span=hit.chunk.span,
        trust=hit.trust,
    )
    return Draft(
        subset=subset, answer=hit.chunk.text, rationale="", quotes=(quote,), probability=0.5
    )


def is_right(answer: str, row: Row) -> bool:
    tokens = canonical_tokens(answer)
    return contains_phrase(tokens, row.correct) and not contains_phrase(tokens, row.incorrect)


def auroc(right: NDArray[np.float64], wrong: NDArray[np.float64]) -> float:
    """Return P(a right one scores above a wrong one), ties for one half; NaN without both."""
    if not len(right) or not len(wrong):
        return float("nan")
    above = (right[:, None] > wrong[None, :]).mean()
    tied = (right[:, None] == wrong[None, :]).mean()
    return float(above + 0.5 * tied)


def pooled(judged: Sequence[Judged], mode: CrossExamination) -> float:
    scores = np.concatenate([one.scores[mode] for one in judged])
    right = np.concatenate([one.right for one in judged])
    return auroc(scores[right], scores[~right])


def within(judged: Sequence[Judged], mode: CrossExamination) -> float:
    """Return the mean over questions that have a right and a wrong draft."""
    values = [
        auroc(one.scores[mode][one.right], one.scores[mode][~one.right])
        for one in judged
        if one.right.any() and not one.right.all()
    ]
    return float(np.mean(values)) if values else float("nan")


def summary(judged: Sequence[Judged]) -> Mapping[str, object]:
    random = np.random.default_rng(7)
    draws = [random.integers(0, len(judged), len(judged)) for _ in range(RESAMPLES)]
    modes: dict[str, object] = {}
    for mode in CrossExamination:
        found: dict[str, object] = {}
        for name, measure in (("pooled", pooled), ("within", within)):
            spread = [measure([judged[at] for at in draw], mode) for draw in draws]
            low, high = np.nanpercentile(spread, [5, 95])
            found[name] = round(measure(judged, mode), 3)
            found[f"{name}_90"] = [round(float(low), 3), round(float(high), 3)]
        modes[mode.value] = found
    return {
        "drafts": sum(len(one.right) for one in judged),
        "right": int(sum(one.right.sum() for one in judged)),
        "questions_with_both": sum(bool(one.right.any() and not one.right.all()) for one in judged),
        "auroc": modes,
    }


async def run(data: Path, sets: Sequence[str], limit: int | None) -> Mapping[str, object]:
    settings = Settings()
    vectors = SentenceVectors(OnnxEmbedder(threads=1))
    found: dict[str, object] = {}
    async with httpx.AsyncClient() as http:
        drafter = build_drafter(settings, embedder=vectors, http=http)
        verifier = await build_verifier(settings, embedder=vectors, http=http)
        found["drafter"], found["verifier"] = drafter.version, verifier.version
        for name in sets:
            path = data / f"{name}.jsonl"
            if not path.is_file():
                found[name] = "skipped: no such file"
                continue
            bench = Bench(
                read_rows(path)[:limit], vectors=vectors, drafter=drafter, verifier=verifier
            )
            measured: dict[str, object] = {}
            for condition in CONDITIONS:
                measured[condition] = summary(await bench.judge(condition))
                progress = {name: {condition: measured[condition]}}
                sys.stderr.write(json.dumps(progress) + "\n")
            found[name] = measured
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of nq.jsonl and the like")
    parser.add_argument("--sets", nargs="*", default=["nq", "hotpotqa"])
    parser.add_argument("--limit", type=int, default=None, help="questions of each set")
    chosen = parser.parse_args()
    found = asyncio.run(run(chosen.data, chosen.sets, chosen.limit))
    sys.stdout.write(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
