"""Scores drafts against as much evidence as the mode of cross-examination says (Law 7)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from defences.answering.denial import without_denial
from defences.answering.evidence_check import check_evidence
from defences.answering.scoring import score_drafts
from domain.answering import Draft, PartitionMode, Question, ScoredDraft, Verifier
from domain.verification import CrossExamination

SCORING: Final = {
    CrossExamination.ALL: "2",
    CrossExamination.OWN: "2-own",
    CrossExamination.OFF: "2-off",
    CrossExamination.PUBLISHED: "2-published",
}
"""Names the scoring in a calibration's key."""


def checked(question: Question, drafts: Sequence[Draft]) -> tuple[Draft, ...]:
    """Return the drafts held against their own evidence; what only denies an answer abstains."""
    return tuple(
        check_evidence(question.text, without_denial(question.text, draft)) for draft in drafts
    )


async def examine(
    verifier: Verifier,
    question: Question,
    drafts: Sequence[Draft],
    *,
    cross_examination: CrossExamination,
    mode: PartitionMode,
    lift_bound: float,
) -> tuple[ScoredDraft, ...]:
    """Return the usable drafts with their scores, in order.

    Raises:
        TransientError: The verifier did not answer in time.
        PermanentError: Its endpoint gives nothing to score by.
    """
    usable = [draft for draft in drafts if draft.usable]
    if not usable:
        return ()
    own: NDArray[np.float64] | None = None
    unconditional: NDArray[np.float64] | None = None
    cross: NDArray[np.float64] | None = None
    if cross_examination is CrossExamination.ALL:
        subsets = [draft.subset for draft in usable]
        matrix = await verifier.score(question, usable, [*subsets, None])
        own, unconditional, cross = np.diagonal(matrix), matrix[:, -1], matrix[:, :-1]
    elif cross_examination is CrossExamination.OWN:
        # one call a draft, side by side: a verifier that batches makes one of them
        rows = await _side_by_side(verifier, question, usable)
        own, unconditional = rows[:, 0], rows[:, 1]
    elif cross_examination is CrossExamination.PUBLISHED:
        unconditional = (await verifier.score(question, usable, [None]))[:, 0]
    return score_drafts(
        usable,
        own,
        unconditional,
        mode=mode,
        lift_bound=lift_bound,
        cross=cross,
    )


async def _side_by_side(
    verifier: Verifier, question: Question, drafts: Sequence[Draft]
) -> NDArray[np.float64]:
    tasks = [
        asyncio.ensure_future(verifier.score(question, [draft], [draft.subset, None]))
        for draft in drafts
    ]
    try:
        return np.concatenate(await asyncio.gather(*tasks))
    finally:
        for task in tasks:  # those that a failed one left running
            task.cancel()
