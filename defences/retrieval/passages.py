"""Which passages two texts share, beyond what everybody writes: directed containment.

Boilerplate (licences, headers, notices) is what documents of several *established* origins have
in common; documents are not counted, so no flood turns a passage into boilerplate, and none hides
behind one. A passage of a text that was turned away counts against a new one only as far as no
admitted established document has it: what made it bad is what it alone said.

None of this merges families (Law 3).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from domain.documents import DocumentId, Origin, OriginRef, Overlap, OverlapKind
from domain.retrieval import SharedPassages

BOILERPLATE_ORIGINS: Final = 3
"""Distinct established origins whose admitted documents make a passage boilerplate."""
LEAST_SHARED: Final = 5
"""Sampled windows: of 4,000 documents fewer were shared by chance (docs/decisions/0014)."""
MOST: Final = 0.5
"""Share of a document's windows from which on most of it stands in the other."""
PASSAGE_WORDS: Final = 40
"""A shorter passage that two documents share is a phrase."""
REWORDED: Final = 0.15
"""Share of the windows of a rejected text from which on it is worth reading whether a document is
that text with other words: a quarter of them replaced leaves .24."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the ledger says of a document that shares passages."""

    origin: Origin
    admitted: bool
    contained: bool
    rejected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A document that shares passages, and what became of it."""

    shared: SharedPassages
    standing: Standing


def overlaps(
    own: NDArray[np.uint32],
    others: Sequence[Known],
    *,
    besides: frozenset[DocumentId] = frozenset(),
) -> tuple[Overlap, ...]:
    """Return what the document shares with others: turned away first, then by words.

    Args:
        own: Passages of the document looked up, ascending.
        others: Whom it shares passages with, in any order.
        besides: Documents that are near-copies anyway: they explain boilerplate and are not told.
    """
    vouched = _established(others)
    common = {at for at, origins in vouched.items() if len(origins) >= BOILERPLATE_ORIGINS}
    found: list[Overlap] = []
    for known in others:
        if known.shared.document_id in besides:
            continue
        left_out = common | set(vouched) if known.standing.contained else common
        overlap = _overlap(own, known, left_out)
        if overlap is not None:
            found.append(overlap)
    return tuple(
        sorted(found, key=lambda each: (not each.contained, -each.words, each.document_id))
    )


def _established(others: Iterable[Known]) -> Mapping[int, set[OriginRef]]:
    """Return, of each window, the established origins whose admitted documents have it."""
    vouched: defaultdict[int, set[OriginRef]] = defaultdict(set)
    for known in others:
        if known.standing.admitted and known.standing.origin.established:
            for at in known.shared.at:
                vouched[at].add(known.standing.origin.ref)
    return vouched


def _overlap(own: NDArray[np.uint32], known: Known, left_out: set[int]) -> Overlap | None:
    """Compare at the coarser of the two rates: a window is in both samples or in neither."""
    rate = max(known.shared.sought, known.shared.sampled)
    shared = [at for at in known.shared.at if at not in left_out]
    ours = int(np.searchsorted(own, 2 ** max(0, 32 - rate)))
    # What is boilerplate here counts for neither side.
    mine = max(1, ours - sum(at < ours for at in left_out))
    theirs = max(
        1.0,
        known.shared.stored * 2.0 ** (known.shared.sampled - rate)
        - sum(at in left_out for at in known.shared.at),
    )
    within, holds = min(1.0, len(shared) / mine), min(1.0, len(shared) / theirs)
    if len(shared) < min(LEAST_SHARED, mine, theirs):
        return None
    words = len(shared) * 2**rate
    if max(within, holds) < MOST:
        kind = OverlapKind.PASSAGE
        if words < PASSAGE_WORDS and not (known.standing.rejected and holds >= REWORDED):
            return None
    else:
        kind = OverlapKind.WITHIN if within >= holds else OverlapKind.HOLDS
    return Overlap(
        document_id=known.shared.document_id,
        origin=known.standing.origin,
        kind=kind,
        share=max(within, holds),
        words=words,
        admitted=known.standing.admitted,
        contained=known.standing.contained,
        rejected=known.standing.rejected,
    )
