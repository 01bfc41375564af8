"""Whom an alert suspects, as far as observations tell: no question is asked again for it.

The traceback (`monitors.traceback`) asks again and knows more; this is what an alert can carry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from domain.documents import DocumentId
from domain.monitoring import AlertSuspect
from monitors.detectors.suspects import LOW_TRUST
from monitors.sightings import Sighting, Source
from monitors.suspicion import YOUNG_DAYS, youth

LEAST: Final = 0.5
MOST_NAMED: Final = 10

# What an attacker cannot help weighs most: his document is in the affected questions' evidence and
# not in the others', and it came at some time. That nobody vouches for it says little.
_LIFT: Final = 0.45
_YOUTH: Final = 0.3
_UNESTABLISHED: Final = 0.1
_NAMED: Final = 0.15
_OFTEN: Final = 0.5


def alert_suspects(
    seen: Sequence[Sighting], *, affected: Collection[str], named: Collection[str] = ()
) -> tuple[AlertSuspect, ...]:
    """Return the documents that an alert suspects, the worst first, `MOST_NAMED` at most.

    Args:
        seen: Questions around the alert, the affected ones among them, oldest first.
        affected: Ids of those that made it fire.
        named: Whom the detector accuses: `document ...`, `origin ...`, `family ...`.
    """
    struck = [one for one in seen if one.question_id in affected]
    others = [one for one in seen if one.question_id not in affected]
    sources = {source.document: source for one in struck for source in one.evidence}
    beside, elsewhere = _shares(struck), _shares(others)
    found = [
        _suspect(
            source,
            share=beside[document],
            usual=elsewhere.get(document, 0.0),
            named=not _names(source).isdisjoint(named),
        )
        for document, source in sources.items()
    ]
    worst = sorted(found, key=lambda one: (-one.score, one.document_id))
    return tuple(one for one in worst if one.score >= LEAST)[:MOST_NAMED]


def _shares(questions: Sequence[Sighting]) -> Mapping[str, float]:
    """Return, by document, the share of the questions in whose evidence it stands."""
    counts = Counter(name for one in questions for name in {s.document for s in one.evidence})
    return {name: count / len(questions) for name, count in counts.items()}


def _suspect(source: Source, *, share: float, usual: float, named: bool) -> AlertSuspect:
    fresh = youth(source.age_days)
    score = (
        _LIFT * max(0.0, share - usual)
        + _YOUTH * fresh
        + _UNESTABLISHED * (not source.established)
        + _NAMED * named
    )
    codes = {
        "young": source.age_days <= YOUNG_DAYS,
        "unestablished": not source.established,
        "low-trust": source.trust < LOW_TRUST,
        "affected": share >= _OFTEN,
        "only-affected": usual == 0.0,
        "named": named,
    }
    return AlertSuspect(
        document_id=DocumentId(source.document),
        origin=source.origin,
        family_id=source.family,
        score=round(score, 4),
        reasons=tuple(code for code, holds in codes.items() if holds),
    )


def _names(source: Source) -> set[str]:
    return {
        f"document {source.document}",
        f"origin {source.origin}",
        f"family {source.family}",
    }
