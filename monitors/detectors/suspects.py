"""Which evidence an attacker could have put there lately."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from typing import Final

from monitors.sightings import Source

YOUNG_DAYS: Final = 30.0
"""Poison is planted shortly before it works; what stood longer has been seen and reviewed."""
LOW_TRUST: Final = 0.35
MOST: Final = 0.5
"""Share of a question's evidence from which somebody holds it."""
_LEAST_DOCUMENTS: Final = 2

NEWCOMERS: Final = "newcomers"


def is_suspect(source: Source) -> bool:
    """Whether nobody vouched for it, and it is young or little trusted."""
    if source.established:
        return False
    return source.age_days <= YOUNG_DAYS or source.trust < LOW_TRUST


def holders(evidence: Sequence[Source], known: Container[str]) -> tuple[str, ...]:
    """Return who holds most of a question's evidence by suspect documents.

    `newcomers` for all suspect documents together, `origin ...` and `family ...` for those of one;
    of one that is `known` for it, documents count that are no longer young.
    """
    if len(evidence) < _LEAST_DOCUMENTS:
        return ()
    counts: Counter[str] = Counter()
    for source in evidence:
        names = (f"origin {source.origin}", f"family {source.family}")
        if is_suspect(source):
            counts.update((NEWCOMERS, *names))
        elif not source.established:
            counts.update(name for name in names if name in known)
    needed = MOST * len(evidence)
    return tuple(sorted(who for who, count in counts.items() if count >= needed))


def suspects(evidence: Sequence[Source]) -> tuple[str, ...]:
    """Return the young documents that nobody vouched for, their origins, and `newcomers` if any."""
    young_ones = [one for one in evidence if not one.established and one.age_days <= YOUNG_DAYS]
    return (*sources_of(young_ones), NEWCOMERS) if young_ones else ()


def sources_of(evidence: Sequence[Source]) -> tuple[str, ...]:
    """Return documents and origins, as `suspects` names them."""
    found: set[str] = set()
    for source in evidence:
        found.update((f"document {source.document}", f"origin {source.origin}"))
    return tuple(sorted(found))
