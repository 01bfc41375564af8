"""Vouching for origins: the ledger decides, the index follows in the same step (Laws 1 and 2)."""

from __future__ import annotations

from domain.clock import Clock
from domain.documents import Origin, OriginRef, TenantId
from domain.ledger import OriginLedger
from domain.retrieval import VectorStore
from ingest.regrouping import Regrouping
from ingest.reweighing import Reweighing
from ingest.turns import Turns


class OriginDesk:
    """Establishes and revokes; an origin's chunks change sides and trust, and families their voice."""

    def __init__(
        self,
        *,
        origins: OriginLedger,
        vectors: VectorStore,
        regrouping: Regrouping,
        reweighing: Reweighing,
        turns: Turns,
        clock: Clock,
    ) -> None:
        self._origins = origins
        self._vectors = vectors
        self._regrouping = regrouping
        self._reweighing = reweighing
        self._turns = turns
        self._clock = clock

    async def add(self, tenant_id: TenantId, ref: OriginRef, *, actor: str) -> Origin:
        return await self._origins.add(
            tenant_id, ref.kind, ref.id, actor=actor, at=self._clock.now()
        )

    async def establish(
        self, tenant_id: TenantId, ref: OriginRef, *, reviewed: bool, reason: str, actor: str
    ) -> Origin:
        """Vouch for an origin. Repeating it repairs the index.

        Raises:
            NotFoundError: Unknown origin.
            InputError: The reason is empty.
        """
        origin = await self._origins.establish(
            tenant_id, ref, reviewed=reviewed, reason=reason, actor=actor, at=self._clock.now()
        )
        await self._follow(tenant_id, origin)
        return origin

    async def revoke(
        self, tenant_id: TenantId, ref: OriginRef, *, reason: str, actor: str
    ) -> Origin:
        """Take the vouching back; errors as `establish`."""
        origin = await self._origins.revoke(
            tenant_id, ref, reason=reason, actor=actor, at=self._clock.now()
        )
        await self._follow(tenant_id, origin)
        return origin

    async def declare(
        self, tenant_id: TenantId, ref: OriginRef, *, open_write: bool, actor: str
    ) -> Origin:
        """Say whether anybody may write to what a connector reads; if so it is the pool's.

        Raises:
            NotFoundError: Unknown origin.
            InputError: It is no connector.
        """
        origin = await self._origins.declare(
            tenant_id, ref, open_write=open_write, actor=actor, at=self._clock.now()
        )
        await self._follow(tenant_id, origin)
        return origin

    async def _follow(self, tenant_id: TenantId, origin: Origin) -> None:
        # At once, turn or none: evidence must not be taken from a side that its origin has left.
        await self._vectors.set_origin(origin, tenant_id=tenant_id)
        async with self._turns.take(tenant_id, required=False):
            # By what is so now: of two administrators the later one decided.
            present = await self._origins.get(tenant_id, origin.ref)
            if present != origin:
                await self._vectors.set_origin(present, tenant_id=tenant_id)
            await self._regrouping.regroup(tenant_id, origin.ref)
            await self._reweighing.reweigh(tenant_id, origin.ref)
