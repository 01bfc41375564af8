"""What a draft's likelihood says, by whichever model computes it, and whether to believe it.

SC is log P(answer, explanation | question, evidence), the mean over their tokens. With evidence it
measures faithfulness to that evidence (AUROC .81-1.0 for models of 0.1 to 1.5 billion parameters,
measured); without any it is the score as published, which cannot tell a coherent lie from the truth
(.48-.57) and serves as the reference of lifts.

SR is the log-odds of "Yes" to "does the explanation support the answer", as published without
evidence (.50-.66). It is the same for all evidence of a draft, so it is added to the draft's whole
row as log P(Yes), as in the published product SC x SR, and cancels in every lift. Small models
say Yes, or No, to everything: it is cut at `REFLECTION_BOUND`, so that it orders drafts of like
faithfulness and never outweighs evidence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from backends.llm.prompts import REFLECTION, Fences, scored_text, scoring_prefix
from domain.answering import Draft, EvidenceSubset, Question
from domain.errors import PermanentError

LEAST_TOKEN: Final = -20.0
"""Nats; a token's floor, so that one odd name does not decide the mean of forty tokens."""

REFLECTION_BOUND: Final = 1.0
"""Nats."""

UNUSABLE: Final = -5.0
"""Nats per token, of a draft that abstained or failed: the same for all evidence, no lift."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringJob:
    """A text to be scored, behind `prefix`.

    Attributes:
        prefix: Ends without a blank; `scored` begins with one, so that no token spans both.
        scored: What the log-probabilities are of.
        tail: A question asked behind it; its answer's log-odds of Yes are wanted. Empty for none.
    """

    prefix: str
    scored: str
    tail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredText:
    """Log-probability of each token of the scored text, the tokens, and the odds.

    `yes_odds` is log P(Yes) - log P(No), finite, 0 where neither is likely; None if not asked.
    """

    log_probabilities: tuple[float, ...]
    tokens: tuple[str, ...]
    yes_odds: float | None = None


class TextScorer(Protocol):
    """A model that tells the log-probabilities of a given text: prefill only, nothing generated."""

    async def score(self, jobs: Sequence[ScoringJob]) -> Sequence[ScoredText]:
        """Score each job, in order.

        Raises:
            TransientError: The model did not answer in time.
            PermanentError: It gives no log-probabilities, or they are of other tokens.
        """
        ...


async def score_matrix(
    scorer: TextScorer,
    question: Question,
    drafts: Sequence[Draft],
    evidence: Sequence[EvidenceSubset | None],
    fences: Fences,
) -> NDArray[np.float64]:
    """Return SC + cut log P(Yes), shape `(len(drafts), len(evidence))`, finite and <= 0."""
    matrix = np.full((len(drafts), len(evidence)), UNUSABLE, dtype=np.float64)
    rows = [at for at, draft in enumerate(drafts) if draft.usable]
    columns = [at for at, subset in enumerate(evidence) if subset is not None]
    texts = {row: scored_text(drafts[row]) for row in rows}
    alone = scoring_prefix(question, None, fences)
    prefixes = {at: scoring_prefix(question, evidence[at], fences) for at in columns}
    # one column after the other: neighbouring prompts share their beginning
    jobs = [ScoringJob(prefix=alone, scored=texts[row], tail=REFLECTION) for row in rows]
    jobs += [
        ScoringJob(prefix=prefixes[column], scored=texts[row]) for column in columns for row in rows
    ]
    if not jobs:
        return matrix
    scored = list(await scorer.score(jobs))
    unconditional = {row: mean_log(scored[at]) for at, row in enumerate(rows)}
    reflected = {row: reflection(scored[at].yes_odds) for at, row in enumerate(rows)}
    for at, subset in enumerate(evidence):
        for row in rows:
            if subset is None:
                matrix[row, at] = unconditional[row] + reflected[row]
    cells = [(row, column) for column in columns for row in rows]
    for (row, column), one in zip(cells, scored[len(rows) :], strict=True):
        matrix[row, column] = mean_log(one) + reflected[row]
    return matrix


def mean_log(scored: ScoredText) -> float:
    """Return the mean log-probability a token, in [LEAST_TOKEN, 0]."""
    kept = [min(0.0, max(LEAST_TOKEN, one)) for one in scored.log_probabilities]
    if not kept:
        raise PermanentError("the model gave no log-probability of the text")
    return math.fsum(kept) / len(kept)


def reflection(yes_odds: float | None) -> float:
    """Return log P(Yes), cut to [-REFLECTION_BOUND, 0]; 0 where it is not known."""
    if yes_odds is None:
        return 0.0
    log_yes = -float(np.logaddexp(0.0, -yes_odds))
    return max(-REFLECTION_BOUND, log_yes)


def yes_odds(top: Mapping[str, float]) -> float:
    """Return log P(Yes) - log P(No) from the likeliest tokens of one place.

    A word that is not among them is given the least of them: it is no likelier than that.
    """
    sides = {"yes": -math.inf, "no": -math.inf}
    for token, log_probability in top.items():
        word = token.replace("\u2581", " ").replace("\u0120", " ").strip().casefold()
        if word in sides:
            sides[word] = float(np.logaddexp(sides[word], log_probability))
    if all(math.isinf(side) for side in sides.values()):
        return 0.0
    least = min(top.values())
    yes, no = (least if math.isinf(side) else side for side in sides.values())
    return yes - no


_REPEATED: Final = "red"
_ODD: Final = "zebra"
_BEFORE: Final = 5
_STREET: Final = "Question: What colour is the gate of pier seven?\nAnswer:"
_EVIDENCE: Final = "The gate of pier seven is painted {}. The gate of pier two is painted white."
_COLOURS: Final = ("green", "brown")


async def find_fault(scorer: TextScorer) -> str | None:
    """Score what is known, and say what is wrong; None if the numbers can be believed.

    Positions: in a row of one word the odd word is the least likely token, and it must be at its
    place. Ranking: of two answers each must win by the evidence that states it.

    Raises:
        TransientError: The model did not answer in time.
    """
    row = [_REPEATED] * 12
    odd_row = "".join(f" {word}" for word in [*row[:_BEFORE], _ODD, *row[:3]])
    position = ScoringJob(prefix=f"Words: {' '.join(row)}", scored=odd_row)
    ranking = [
        ScoringJob(
            prefix=f"{_EVIDENCE.format(stated)}\n{_STREET}",
            scored=f" {said}\nExplanation: The gate of pier seven is {said}.",
            tail=REFLECTION,
        )
        for stated in _COLOURS
        for said in _COLOURS
    ]
    try:
        scored = await scorer.score([position, *ranking])
    except PermanentError as exc:
        return str(exc)
    if not _in_place(scored[0]):
        return "log-probabilities are not at the places of their tokens"
    own_a, other_a, other_b, own_b = (mean_log(one) for one in scored[1:])
    if own_a <= other_a or own_b <= other_b:
        return "what the evidence states is not likelier than what it does not"
    return None


def _in_place(scored: ScoredText) -> bool:
    if not scored.tokens or len(scored.tokens) != len(scored.log_probabilities):
        return False
    starts: list[int] = []
    length = 0
    for token in scored.tokens:
        starts.append(length)
        length += len("".join(token.split()))
    least = min(range(len(starts)), key=lambda at: scored.log_probabilities[at])
    return starts[least] == _BEFORE * len(_REPEATED)
