"""A second look at what drafters were unsure of, where nobody was sure.

A seat that is more likely to have no answer than one should abstain: its guess would cost the others
agreement. Yet where every seat is unsure, the better of two guesses is often right, and abstaining
from all of them silences most questions that are asked in other words than the documents use. So
such drafts are tentative: they are heard where no established seat has a firm one.

**Who may silence them** is what an attacker would want to be. A firm draft of the pool silences no
established seat, tentative or not (Law 2). An established origin's does, so an answer that stands on
tentative drafts has tolerance 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from defences.retrieval.partition import Choruses
from domain.answering import PLAIN_SEAT, AnswerGroup, Draft, PartitionMode, SeatId
from domain.documents import Tier


def abstention(draft: Draft) -> Draft:
    """Return the draft without what it said."""
    return replace(draft, answer="", rationale="", quotes=(), abstained=True, tentative=False)


def heard(
    drafts: Sequence[Draft], *, mode: PartitionMode, choruses: Choruses = ()
) -> tuple[Draft, ...]:
    """Return the drafts; the tentative ones abstain where a usable draft is firm.

    In mode `isolated` only an established seat's counts as firm, and the plain seat's does not:
    whoever holds one of its seats moves it. In the others there is no tier to go by, and any family
    counts but those of a chorus.
    """
    isolated = mode is PartitionMode.ISOLATED
    silenced = frozenset[SeatId]().union(*choruses)
    if not any(
        _firm(draft, isolated=isolated) and silenced.isdisjoint(draft.subset.seats)
        for draft in drafts
    ):
        return tuple(drafts)
    return tuple(
        abstention(draft) if draft.usable and draft.tentative else draft for draft in drafts
    )


def _firm(draft: Draft, *, isolated: bool) -> bool:
    if not draft.usable or draft.tentative:
        return False
    own = draft.subset.tier is not Tier.POOL and PLAIN_SEAT not in draft.subset.seats
    return own or not isolated


def rests_on_tentative(groups: Iterable[AnswerGroup]) -> bool:
    """Whether a firm draft of one more established seat would change who is heard."""
    return any(
        scored.draft.tentative and scored.draft.subset.tier is not Tier.POOL
        for group in groups
        for scored in group.drafts
    )
