"""Drafts: one a subset, all at once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from domain.answering import Draft, Drafter, EvidenceSubset, Question
from domain.errors import DependencyError


async def draft_all(
    question: Question, subsets: Sequence[EvidenceSubset], drafter: Drafter
) -> tuple[Draft, ...]:
    """Return one draft a subset, all at once; a slow or failed drafter fails its own draft alone.

    Raises:
        DependencyError: No draft came of any subset.
    """
    results = await asyncio.gather(
        *(drafter.draft(question, subset) for subset in subsets),
        return_exceptions=True,
    )
    drafts: list[Draft] = []
    failures: list[DependencyError] = []
    for subset, result in zip(subsets, results, strict=True):
        if isinstance(result, Draft):
            drafts.append(result)
        elif isinstance(result, DependencyError):
            failures.append(result)
            drafts.append(failed_draft(subset, result.code))
        else:
            raise result
    if failures and len(failures) == len(subsets):
        raise failures[0]  # no drafter answers at all: that is an outage, not an abstention
    return tuple(drafts)


def draft_counts(drafts: Sequence[Draft]) -> Mapping[str, int]:
    return {
        "drafts": len(drafts),
        "usable": sum(draft.usable for draft in drafts),
        "failed": sum(draft.failure is not None for draft in drafts),
    }


def failed_draft(subset: EvidenceSubset, failure: str) -> Draft:
    return Draft(
        subset=subset, answer="", rationale="", quotes=(), probability=1.0, failure=failure
    )
