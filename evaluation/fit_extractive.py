"""Fits the numbers of the extractive drafter: `python -m evaluation.fit_extractive [OUT]`.

Used are the `fit` split of the labelled set, and passages of an invented encyclopaedia with
questions as they are typed into a search box (`calibration/encyclopaedia.jsonl`). Two fits:

- the ranking, by the likelihood that a sentence with the answer is the best of its subset (softmax
  over the subset), over the evidence as it is and over the same without headings; weights are
  pulled towards `PRIOR`, set by hand before any fit, because some 260 questions on some 120
  documents do not carry two dozen weights;
- the probability, by logistic regression over the best sentences of all subsets, those without an
  answer included, so that a subset that does not answer is told from one that does: each question
  of the encyclopaedia is also put to the passages nearest to it but its own.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypedDict

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, logsumexp, softmax

from backends.embedder_onnx import OnnxEmbedder
from defences.answering.questions import read_question
from domain.retrieval import ScoredChunk
from evaluation.calibration.answer_matching import canonical_tokens, contains_phrase
from evaluation.calibration.labelled_set import LabelledQuestion, Split, is_right, load_labelled_set
from evaluation.evidence import (
    QuestionEvidence,
    gather_evidence,
    passage_hit,
    without_headings,
)
from gateway.query.extractive import Pick, choose, spoken
from gateway.query.extractive_weights import DRAFT_FEATURES, SHIPPED, ExtractiveWeights
from gateway.query.sentence_features import FEATURES, Candidate, features, find_candidates
from gateway.query.sentence_vectors import SentenceVectors
from runtime.settings import Settings

PRIOR: Final = {
    "cosine": 5.0, "overlap": 1.5, "overlap_new": 1.0, "overlap_lead": 1.0, "overlap_around": 1.0,
    "overlap_chunk": 1.0, "bigrams": 0.5, "match": 2.0, "match_overlap": 1.0, "names": 0.5,
    "chunk_similarity": 2.0, "first_chunk": 0.5, "question": -1.0, "dangling": -0.5, "short": -1.0,
    "long": -0.5, "row": 0.0, "relation": 1.0, "relation_near": 0.5, "relation_match": 1.0,
    "typed": 0.5, "topic": 1.0, "rest": 1.0, "room": 0.5,
}  # fmt: skip
VERSION: Final = "3"
"""Names the fit in everything calibrated over it: change it with every fit that is shipped."""

RANKING_PENALTY: Final = 0.5
PROBABILITY_PENALTY: Final = 1.0
TENTATIVE_BELOW: Final = 0.5
"""A draft that is more likely no answer than one counts only where no seat is surer: it could
otherwise only split its seat or cost agreement."""
ABSTAIN_BELOW: Final = 0.2
"""And one that is no answer in four cases of five is not given at all."""

_PASSAGES: Final = 5
"""Passages of the encyclopaedia that a question is put to."""

_TWICE: Final = 2
"""How often a question of the encyclopaedia counts: those of the labelled set stand twice too."""

ENCYCLOPAEDIA: Final = Path(__file__).parent / "calibration" / "encyclopaedia.jsonl"
_OUT: Final = Path(__file__).parents[1] / "gateway" / "query" / SHIPPED


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One subset read against its question; `right` says which sentences answer it."""

    text: str
    candidates: tuple[Candidate, ...]
    rows: NDArray[np.float64]
    right: NDArray[np.bool_]


def answers(text: str, question: LabelledQuestion) -> bool:
    """Whether a sentence answers the question, be it with the truth or with a known untruth.

    A drafter reads one subset and cannot know who lies: that is what seats, corroboration and
    agreement are for. Taught to tell, it would learn the labels and not the reading.
    """
    if is_right(text, question):
        return True
    tokens = canonical_tokens(text)
    return any(contains_phrase(tokens, wrong) for wrong in question.wrong_answers)


async def scenes(
    evidence: Sequence[QuestionEvidence], vectors: SentenceVectors
) -> tuple[Scene, ...]:
    """Return every subset that has a sentence, with features and labels of its sentences."""
    found = []
    for item in evidence:
        profile = read_question(item.text)
        (question_vector,) = await vectors.embed([item.text])
        for subset in item.subsets:
            candidates = find_candidates(subset.chunks)
            if not candidates:
                continue
            embedded = await vectors.embed([candidate.in_context for candidate in candidates])
            said = [spoken(profile, candidate) for candidate in candidates]
            found.append(
                Scene(
                    text=item.text,
                    candidates=candidates,
                    rows=features(profile, candidates, question_vector, embedded),
                    right=np.array([answers(text, item.labelled) for text in said]),
                )
            )
    return tuple(found)


class _Asked(TypedDict):
    question: str
    answers: list[str]


class _Entry(TypedDict):
    text: str
    questions: Sequence[_Asked]


def _entries() -> list[_Entry]:
    lines = ENCYCLOPAEDIA.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


async def encyclopaedia(
    rows: Sequence[_Entry], vectors: SentenceVectors, *, with_own: bool
) -> tuple[Scene, ...]:
    """Return a scene a question, of the passages nearest to it; its own may be left out."""
    embedded = await vectors.embed([row["text"] for row in rows])
    found = []
    for own, row in enumerate(rows):
        for asked in row["questions"]:
            (vector,) = await vectors.embed([asked["question"]])
            similarities = embedded @ vector
            order = [
                int(at)
                for at in np.argsort(-similarities, kind="stable")
                if with_own or int(at) != own
            ]
            chunks = [
                passage_hit(rows[at]["text"], at, float(similarities[at]))
                for at in order[:_PASSAGES]
            ]
            found.append(await _typed(asked["question"], asked["answers"], chunks, vectors))
    return tuple(found)


async def _typed(
    text: str, accepted: Sequence[str], chunks: Sequence[ScoredChunk], vectors: SentenceVectors
) -> Scene:
    profile = read_question(text)
    candidates = find_candidates(chunks)
    vector, *embedded = await vectors.embed([text, *(one.in_context for one in candidates)])
    said = [canonical_tokens(candidate.sentence.text) for candidate in candidates]
    return Scene(
        text=text,
        candidates=candidates,
        rows=features(profile, candidates, vector, np.stack(embedded)),
        right=np.array([any(contains_phrase(one, each) for each in accepted) for one in said]),
    )


def fit_ranking(found: Sequence[Scene]) -> NDArray[np.float64]:
    """Return the weights under which a right sentence is most likely the best of its subset."""
    prior = np.array([PRIOR[name] for name in FEATURES])
    useful = [scene for scene in found if scene.right.any() and not scene.right.all()]

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        total = RANKING_PENALTY * float(np.sum((weights - prior) ** 2))
        slope = 2.0 * RANKING_PENALTY * (weights - prior)
        for scene in useful:
            scores = scene.rows @ weights
            rights = scores[scene.right]
            total += float(logsumexp(scores) - logsumexp(rights))
            slope += softmax(scores) @ scene.rows - softmax(rights) @ scene.rows[scene.right]
        return total, slope

    return np.asarray(minimize(loss, prior, jac=True, method="L-BFGS-B").x, dtype=np.float64)


def fit_probability(found: Sequence[Scene], ranking: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights of the log-odds that the best sentence of a subset is right."""
    unfitted = weights_of(ranking, np.zeros(len(DRAFT_FEATURES)))
    picks = [pick_of(scene, unfitted) for scene in found]
    inputs = np.array([[1.0, pick.score, pick.margin, *pick.features] for pick in picks])
    right = np.array(
        [_is_right(scene, pick) for scene, pick in zip(found, picks, strict=True)], dtype=np.float64
    )
    penalty = np.full(inputs.shape[1], PROBABILITY_PENALTY)
    penalty[0] = 0.0

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        logits = inputs @ weights
        fit = float(np.sum(np.logaddexp(0.0, logits) - right * logits))
        slope = (expit(logits) - right) @ inputs + 2.0 * penalty * weights
        return fit + float(np.sum(penalty * weights**2)), slope

    start = np.zeros(inputs.shape[1])
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B").x, dtype=np.float64)


def weights_of(ranking: NDArray[np.float64], probability: NDArray[np.float64]) -> ExtractiveWeights:
    return ExtractiveWeights(
        ranking=ranking,
        probability=probability,
        abstain_below=ABSTAIN_BELOW,
        tentative_below=TENTATIVE_BELOW,
        version=VERSION,
    )


def pick_of(scene: Scene, weights: ExtractiveWeights) -> Pick:
    return choose(read_question(scene.text), scene.candidates, scene.rows, weights)


def _is_right(scene: Scene, pick: Pick) -> bool:
    at = next(at for at, one in enumerate(scene.candidates) if one is pick.candidate)
    return bool(scene.right[at])


async def run(out: Path) -> None:
    """Fit on the `fit` split, write the weights and say how they do on all splits."""
    labelled = load_labelled_set()
    vectors = SentenceVectors(OnnxEmbedder(threads=2))
    settings = Settings()
    by_split = {
        split: await gather_evidence(
            labelled, labelled.in_split(split), embedder=vectors, settings=settings
        )
        for split in (Split.FIT, Split.TEST)
    }
    plain = await scenes(by_split[Split.FIT], vectors)
    bare = await scenes([without_headings(item) for item in by_split[Split.FIT]], vectors)
    entries = await asyncio.to_thread(_entries)
    typed = await encyclopaedia(entries, vectors, with_own=True)
    strange = await encyclopaedia(entries, vectors, with_own=False)
    ranking = fit_ranking([*plain, *bare, *_TWICE * typed])
    probability = fit_probability([*plain, *bare, *_TWICE * (*typed, *strange)], ranking)
    weights = weights_of(ranking, probability)
    await asyncio.to_thread(out.write_text, weights.to_json(), encoding="utf-8")
    unseen = await scenes(by_split[Split.TEST], vectors)
    for name, found in (
        ("fit", plain),
        ("fit without headings", bare),
        ("encyclopaedia", typed),
        ("encyclopaedia without the passage", strange),
        ("test", unseen),
    ):
        sys.stdout.write(f"{name}: {summary(found, weights)}\n")


def summary(found: Sequence[Scene], weights: ExtractiveWeights) -> str:
    """Return how often the best sentence is right where one is, and how abstaining does."""
    picks = [(scene, pick_of(scene, weights)) for scene in found]
    answerable = [(scene, pick) for scene, pick in picks if scene.right.any()]
    hits = sum(_is_right(scene, pick) for scene, pick in answerable)
    given = [(scene, pick) for scene, pick in picks if pick.probability >= weights.tentative_below]
    right = sum(_is_right(scene, pick) for scene, pick in given)
    return (
        f"{hits} of {len(answerable)} subsets that hold the answer; {len(given)} of {len(picks)} "
        f"subsets answered firmly, {right} of them rightly"
    )


def main() -> None:
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else _OUT
    asyncio.run(run(out))


if __name__ == "__main__":
    main()
