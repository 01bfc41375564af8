"""From a model's reply to a draft: the same for every language model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from backends.llm.quotes import is_quoted, locate_quotes
from backends.llm.replies import MalformedReplyError, read_draft
from domain.answering import Draft, EvidenceSubset

NEUTRAL_PROBABILITY: Final = 0.5
"""rho_draft of a model that gives no log-probabilities: the same for every draft, so that it orders
none before another. The drafter's version says so, as the scores are others than with them."""

LEAST_PROBABILITY: Final = 1e-6


def to_draft(subset: EvidenceSubset, reply: str, probability: float) -> Draft:
    """Read a reply; one that is not as asked for, or quotes nothing of the subset, is a failure.

    A quote that is not there is struck and weighs against the draft.
    """
    try:
        said = read_draft(reply)
    except MalformedReplyError:
        return _unusable(subset, probability, failure="malformed")
    if said.answer is None:
        return _unusable(subset, probability, failure=None)
    quotes = locate_quotes(said.quotes, subset.chunks)
    if not quotes:
        return _unusable(subset, probability, failure="unfaithful")
    struck = sum(not is_quoted(claim, subset.chunks) for claim in said.quotes)
    return Draft(
        subset=subset,
        answer=said.answer,
        rationale=said.rationale,
        quotes=quotes,
        probability=probability,
        struck=struck,
    )


def per_token(log_probabilities: Sequence[float]) -> float:
    """Return exp of the mean of at least one, in [LEAST_PROBABILITY, 1]: length-normalised."""
    mean = math.fsum(log_probabilities) / len(log_probabilities)
    return min(1.0, max(LEAST_PROBABILITY, math.exp(min(0.0, mean))))


def _unusable(subset: EvidenceSubset, probability: float, *, failure: str | None) -> Draft:
    return Draft(
        subset=subset,
        answer="",
        rationale="",
        quotes=(),
        probability=probability,
        abstained=failure is None,
        failure=failure,
    )
