"""Which evidence an attacker could have put there lately."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from monitors.sightings import Source

YOUNG_DAYS: Final = 30.0
"""Poison is planted shortly before it works; what stood longer has been seen and reviewed."""
NEW_DAYS: Final = 120.0
"""What came after a topic's reference was made is new to it, for so long: where little is asked."""
_DAY_SECONDS: Final = 86_400.0
LOW_TRUST: Final = 0.35
MOST: Final = 0.5
"""Share of a question's evidence from which somebody holds it."""
_LEAST_DOCUMENTS: Final = 2

NEWCOMERS: Final = "newcomers"


def young_days(at: datetime, ready_at: datetime | None) -> float:
    """Return up to which age a document is young for a topic whose reference was ready then."""
    if ready_at is None:
        return YOUNG_DAYS
    since = (at - ready_at).total_seconds() / _DAY_SECONDS
    return max(YOUNG_DAYS, min(since, NEW_DAYS))


def is_suspect(source: Source, young: float) -> bool:
    """Whether nobody vouched for it, and it is young or little trusted."""
    if source.established:
        return False
    return source.age_days <= young or source.trust < LOW_TRUST


def holders(evidence: Sequence[Source], young: float) -> tuple[str, ...]:
    """Return who holds most of a question's evidence by suspect documents.

    `newcomers` for all suspect documents together, `origin ...` and `family ...` for those of one.
    """
    if len(evidence) < _LEAST_DOCUMENTS:
        return ()
    counts: Counter[str] = Counter()
    for source in evidence:
        if is_suspect(source, young):
            counts.update((NEWCOMERS, f"origin {source.origin}", f"family {source.family}"))
    needed = MOST * len(evidence)
    return tuple(sorted(who for who, count in counts.items() if count >= needed))


def suspects(evidence: Sequence[Source], young: float) -> tuple[str, ...]:
    """Return the young documents that nobody vouched for, their origins, and `newcomers` if any."""
    young_ones = [one for one in evidence if not one.established and one.age_days <= young]
    return (*sources_of(young_ones), NEWCOMERS) if young_ones else ()


def sources_of(evidence: Sequence[Source]) -> tuple[str, ...]:
    """Return documents and origins, as `suspects` names them."""
    found: set[str] = set()
    for source in evidence:
        found.update((f"document {source.document}", f"origin {source.origin}"))
    return tuple(sorted(found))
