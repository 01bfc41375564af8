"""Measures what the extractive drafter and the grouping reach: `python -m evaluation.answering_quality`.

Prints one JSON object:

- `nq`, `hotpotqa`: clean passages of the poisoning sets (read where they lie, skipped where they do
  not; measured on, never tuned to). All passages of a set are one pool, searched exactly; the best
  sentence of the top 5 counts if the gold answer stands in it, word for word with numbers folded.
  `naive` is the sentence nearest to the question among the top 3 passages, in the same run.
- `labelled`: our own set, by split. `best_draft` is the share of answerable questions whose most
  probable draft is right, `drafts` how many drafts were given and how many of them answer.
- `grouping`: of pairs of drafts of one question that give known values, how many that give the same
  share a group, and how many that give different ones are kept apart.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from backends.embedder_onnx import OnnxEmbedder
from defences.answering.agreement import same_answer
from defences.answering.questions import read_question
from defences.answering.sentences import split_sentences
from domain.answering import Draft, EvidenceSubset, Question, QuestionId, SeatId
from domain.documents import DEFAULT_TENANT
from evaluation.calibration.answer_matching import canonical_tokens, contains_phrase
from evaluation.calibration.labelled_set import LabelledQuestion, Split, is_right, load_labelled_set
from evaluation.evidence import PUBLIC, QuestionEvidence, gather_evidence, passage_hit
from evaluation.fit_extractive import answers
from gateway.query.extractive import ExtractiveDrafter
from gateway.query.sentence_vectors import SentenceVectors
from runtime.settings import Settings

PASSAGES: Final = 5
NAIVE_PASSAGES: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenQuestion:
    text: str
    answer: str


async def measure_passages(
    questions: Sequence[OpenQuestion], passages: Sequence[str], vectors: SentenceVectors
) -> Mapping[str, float]:
    """Return the shares of questions whose chosen sentence holds the answer."""
    drafter = ExtractiveDrafter(vectors)
    embedded = await vectors.embed(list(passages))
    asked = await vectors.embed([question.text for question in questions])
    held = naive = possible = given = 0
    for question, vector in zip(questions, asked, strict=True):
        similarities = embedded @ vector
        order = np.argsort(-similarities, kind="stable")
        chunks = tuple(
            passage_hit(passages[at], int(at), float(similarities[at])) for at in order[:PASSAGES]
        )
        subset = EvidenceSubset(
            index=0, seats=(SeatId(str(PUBLIC.ref)),), tier=PUBLIC.tier, chunks=chunks
        )
        pick = await drafter.pick(read_question(question.text), subset)
        held += pick is not None and _holds(pick.candidate.sentence.text, question.answer)
        draft = await drafter.draft(_question(question.text), subset)
        given += draft.usable and _holds(draft.answer, question.answer)
        possible += any(_holds(chunk.chunk.text, question.answer) for chunk in chunks)
        naive += await _naive(
            question, vector, [passages[at] for at in order[:NAIVE_PASSAGES]], vectors
        )
    count = len(questions)
    return {
        "questions": count,
        "sentence": round(held / count, 3),
        "given": round(given / count, 3),
        "naive": round(naive / count, 3),
        "possible": round(possible / count, 3),
    }


async def _naive(
    question: OpenQuestion, vector: np.ndarray, passages: Sequence[str], vectors: SentenceVectors
) -> bool:
    sentences = [sentence.text for text in passages for sentence in split_sentences(text)]
    embedded = await vectors.embed(sentences)
    return _holds(sentences[int(np.argmax(embedded @ vector))], question.answer)


def _holds(text: str, answer: str) -> bool:
    return contains_phrase(canonical_tokens(text), answer)


def _question(text: str) -> Question:
    return Question(id=QuestionId("measured"), tenant_id=DEFAULT_TENANT, text=text)


async def measure_labelled(
    evidence: Sequence[QuestionEvidence], vectors: SentenceVectors
) -> Mapping[str, float]:
    """Return how often the most probable draft is right, and what the drafts are worth."""
    drafter = ExtractiveDrafter(vectors)
    right = answerable = given = answering = 0
    pairs = _Pairs()
    for item in evidence:
        question = _question(item.text)
        drafts = await asyncio.gather(*(drafter.draft(question, part) for part in item.subsets))
        usable = [draft for draft in drafts if draft.usable]
        given += len(usable)
        answering += sum(answers(draft.answer, item.labelled) for draft in usable)
        pairs.add(item, usable)
        if item.labelled.answers:
            answerable += 1
            best = max(usable, key=_precedence, default=None)
            right += best is not None and is_right(best.answer, item.labelled)
    return {
        "answerable": answerable,
        "best_draft": round(right / max(1, answerable), 3),
        "drafts": given,
        "drafts_that_answer": round(answering / max(1, given), 3),
        **pairs.shares(),
    }


def _precedence(draft: Draft) -> tuple[bool, float]:
    return (draft.subset.chunks[0].origin.established, draft.probability)


class _Pairs:
    """Counts pairs of drafts with known values by whether they are taken to mean the same."""

    def __init__(self) -> None:
        self._joined = self._same = self._parted = self._different = 0

    def add(self, item: QuestionEvidence, drafts: Sequence[Draft]) -> None:
        profile = read_question(item.text)
        known = [
            (draft.answer, value) for draft in drafts if (value := _value(draft, item.labelled))
        ]
        for (first, one), (second, other) in itertools.combinations(known, 2):
            together = same_answer(profile, first, second, 0.7)
            if one == other:
                self._same += 1
                self._joined += together
            else:
                self._different += 1
                self._parted += not together

    def shares(self) -> Mapping[str, float]:
        return {
            "pairs_alike": self._same,
            "alike_joined": round(self._joined / max(1, self._same), 3),
            "pairs_unlike": self._different,
            "unlike_parted": round(self._parted / max(1, self._different), 3),
        }


def _value(draft: Draft, question: LabelledQuestion) -> str | None:
    if is_right(draft.answer, question):
        return question.answers[0]
    tokens = canonical_tokens(draft.answer)
    said = [wrong for wrong in question.wrong_answers if contains_phrase(tokens, wrong)]
    return said[0] if len(said) == 1 else None


def read_passages(path: Path) -> tuple[list[OpenQuestion], list[str]]:
    """Return the questions of a poisoning set and all its clean passages, each once."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    questions = [OpenQuestion(text=row["question"], answer=row["correct"]) for row in rows]
    passages = dict.fromkeys(passage for row in rows for passage in row["clean_passages"])
    return questions, list(passages)


async def run(data: Path, sets: Sequence[str], splits: Sequence[Split]) -> Mapping[str, object]:
    vectors = SentenceVectors(OnnxEmbedder(threads=2))
    found: dict[str, object] = {}
    for name in sets:
        path = data / f"{name}.jsonl"
        if not path.is_file():
            found[name] = "skipped: no such file"
            continue
        questions, passages = read_passages(path)
        found[name] = await measure_passages(questions, passages, vectors)
    labelled = load_labelled_set()
    for split in splits:
        evidence = await gather_evidence(
            labelled, labelled.in_split(split), embedder=vectors, settings=Settings()
        )
        found[f"labelled-{split.value}"] = await measure_labelled(evidence, vectors)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of nq.jsonl and the like")
    parser.add_argument("--sets", nargs="*", default=["nq", "hotpotqa"])
    parser.add_argument("--splits", nargs="*", default=["fit", "test"])
    chosen = parser.parse_args()
    found = asyncio.run(run(chosen.data, chosen.sets, [Split(name) for name in chosen.splits]))
    sys.stdout.write(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
