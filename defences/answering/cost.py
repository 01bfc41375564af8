"""What Speculative RAG costs beside standard RAG, and from how much to read on it pays.

Speculative RAG reads less with the large model where

    C_big x T_ctx > m x C_small x (T_subset + T_draft) + C_big x T_verify

with C the price of a token, T_ctx the tokens of all passages, T_subset those of one draft's, and
T_verify what the verifier reads: m x T_draft as published (Wang et al. 2025, arXiv:2407.08223, whose
verifier never sees the documents), and more in the modes of cross-examination that do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from domain.verification import CrossExamination

PROMPT_TOKENS = 200
"""Question and instructions, of any call: with k=10, m=5 the large model reads 800 against 3,200."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deployment:
    """Sizes in tokens, prices by token of the large model's, speeds in tokens a second."""

    passages: int = 10
    passage_tokens: int = 300
    m: int = 5
    subset_passages: int = 2
    draft_tokens: int = 120
    mode: CrossExamination = CrossExamination.PUBLISHED
    price_ratio: float = 0.15
    drafters: int = 5
    small_prefill: float = 8000.0
    small_decode: float = 80.0
    large_prefill: float = 3000.0
    large_decode: float = 30.0

    def __post_init__(self) -> None:
        sizes = (self.passages, self.passage_tokens, self.m, self.subset_passages, self.drafters)
        speeds = (self.small_prefill, self.small_decode, self.large_prefill, self.large_decode)
        if min(*sizes, self.draft_tokens) < 1 or min(speeds) <= 0 or self.price_ratio < 0:
            raise ValueError("sizes must be >= 1, speeds > 0 and the price ratio >= 0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Of one question.

    Attributes:
        large_tokens: Read and written by the large model.
        cost: In tokens of the large model.
        seconds: With prefill and decode one after the other, and nobody else asking.
        per_second: Questions that one large model keeps up with.
    """

    large_tokens: int
    cost: float
    seconds: float
    per_second: float


def verify_tokens(deployment: Deployment) -> int:
    """Return what the verifier reads beside its prompt, evidence being a shared, cached prefix.

    `published`: each draft once. `own`: each with its own evidence and without. `all`: each subset
    once, every draft behind each of them, and every draft without. `off`: nothing.
    """
    drafts = deployment.m * deployment.draft_tokens
    evidence = deployment.m * deployment.subset_passages * deployment.passage_tokens
    return {
        CrossExamination.OFF: 0,
        CrossExamination.PUBLISHED: drafts,
        CrossExamination.OWN: evidence + 2 * drafts,
        CrossExamination.ALL: evidence + (deployment.m + 1) * drafts,
    }[deployment.mode]


def standard(deployment: Deployment) -> Estimate:
    """Return standard RAG: one prompt of all passages, one answer as long as a draft."""
    read = PROMPT_TOKENS + deployment.passages * deployment.passage_tokens
    seconds = read / deployment.large_prefill + deployment.draft_tokens / deployment.large_decode
    tokens = read + deployment.draft_tokens
    return Estimate(large_tokens=tokens, cost=tokens, seconds=seconds, per_second=1 / seconds)


def speculative(deployment: Deployment) -> Estimate:
    """Return Speculative RAG: latency is the slowest drafter and the verification, never the sum.

    With fewer drafters at once than drafts they work in waves.
    """
    subset = PROMPT_TOKENS + deployment.subset_passages * deployment.passage_tokens
    waves = math.ceil(deployment.m / deployment.drafters)
    drafting = waves * (
        subset / deployment.small_prefill + deployment.draft_tokens / deployment.small_decode
    )
    checked = verify_tokens(deployment)
    large = checked + PROMPT_TOKENS if checked else 0
    verifying = large / deployment.large_prefill
    small = deployment.m * (subset + deployment.draft_tokens)
    # what bounds it: the large model, or the drafters, each of which has m / drafters drafts to make
    busiest = max(verifying, drafting)
    return Estimate(
        large_tokens=large,
        cost=large + deployment.price_ratio * small,
        seconds=drafting + verifying,
        per_second=1 / busiest,
    )


def crossover_passages(deployment: Deployment) -> float:
    """Return from how many passages on speculative RAG is the cheaper: the published inequality."""
    drafting = (
        deployment.m
        * deployment.price_ratio
        * (deployment.subset_passages * deployment.passage_tokens + deployment.draft_tokens)
    )
    return (drafting + verify_tokens(deployment)) / deployment.passage_tokens
