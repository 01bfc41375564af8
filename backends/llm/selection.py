"""Verification without log-probabilities: the model says which answers the evidence states.

Weaker by nature: the judgement is generated text, so what evidence says can talk the model into it.
It is the fallback, and says so in the verifier's version.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backends.llm.endpoint import Endpoint
from backends.llm.prompts import Fences, selection_messages
from backends.llm.replies import read_selection
from domain.answering import Draft, EvidenceSubset, Question

ROUNDS: Final = 2
"""Orders in which the candidates of a question are shown: a shuffled one and its reverse."""

NEUTRAL: Final = math.log(0.5)
"""No evidence, no opinion, a reply that is not as asked for: no lift either way."""

_MAX_TOKENS: Final = 64


async def select_matrix(
    endpoint: Endpoint,
    question: Question,
    drafts: Sequence[Draft],
    evidence: Sequence[EvidenceSubset | None],
    *,
    fences: Fences,
    shuffler: random.Random,
) -> NDArray[np.float64]:
    """Return pseudo log-probabilities, shape `(len(drafts), len(evidence))`: no likelihoods.

    log of (votes + 1/2) / (ROUNDS + 1), so between log 1/6 and log 5/6. A draft gets a vote in
    a round that names its answer, none in one that names only others, half a vote in one that names
    nothing. Drafts with the same answer, letter case and blanks aside, are one candidate.
    """
    matrix = np.full((len(drafts), len(evidence)), NEUTRAL, dtype=np.float64)
    rows = [at for at, draft in enumerate(drafts) if draft.usable]
    answers = tuple(dict.fromkeys(_flat(drafts[row].answer) for row in rows))
    columns = [(at, subset) for at, subset in enumerate(evidence) if subset is not None]
    if not answers or not columns:
        return matrix
    first = shuffler.sample(range(len(answers)), len(answers))
    orders = [first, first[::-1]]
    asked = [(at, subset, order) for at, subset in columns for order in orders]
    votes = await asyncio.gather(
        *(_vote(endpoint, question, answers, order, subset, fences) for _, subset, order in asked)
    )
    sums = np.zeros((len(answers), len(evidence)), dtype=np.float64)
    for (column, _, _), vote in zip(asked, votes, strict=True):
        sums[:, column] += vote
    for row in rows:
        candidate = answers.index(_flat(drafts[row].answer))
        for column, _ in columns:
            matrix[row, column] = math.log((sums[candidate, column] + 0.5) / (ROUNDS + 1))
    return matrix


async def _vote(
    endpoint: Endpoint,
    question: Question,
    answers: Sequence[str],
    order: Sequence[int],
    subset: EvidenceSubset,
    fences: Fences,
) -> NDArray[np.float64]:
    shown = tuple(answers[at] for at in order)
    messages = selection_messages(question, shown, subset, fences)
    reply = await endpoint.chat(messages, max_tokens=_MAX_TOKENS, log_probabilities=False)
    chosen = read_selection(reply.text, len(shown))
    if not chosen:
        return np.full(len(answers), 0.5)
    votes = np.zeros(len(answers))
    for at in chosen:
        votes[order[at]] = 1.0
    return votes


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())
