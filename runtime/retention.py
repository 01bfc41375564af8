"""Keeps the ledger from growing with what nobody will ask for again."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from domain.ledger import Retention
from runtime.settings import RetentionSettings

BATCH: Final = 500
"""Rows a transaction: short, so that uploads do not wait for it."""
_BATCHES: Final = 40
"""Of each kind in a run; the next run goes on."""


async def prune(retention: Retention, settings: RetentionSettings, *, now: datetime) -> int:
    """Delete what is older than the settings keep; return how many rows went."""
    pruned = 0
    claims = now - timedelta(days=settings.claims_days)
    published = now - timedelta(days=settings.outbox_days)
    delivered = now - timedelta(days=settings.deliveries_days)
    observed = now - timedelta(days=settings.observations_days)
    for _ in range(_BATCHES):
        gone = [
            await retention.prune_claims(made_before=claims, limit=BATCH),
            await retention.prune_outbox(published_before=published, limit=BATCH),
            await retention.prune_deliveries(made_before=delivered, limit=BATCH),
            await retention.prune_observations(made_before=observed, limit=BATCH),
        ]
        pruned += sum(gone)
        if max(gone) < BATCH:
            break
    return pruned
