"""Publishers: their keys vouch for them, and a signature says whose a document is (Law 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from defences.trust.signing import check, key_id, verifies
from domain.clock import Clock
from domain.documents import OriginKind, OriginRef, TenantId
from domain.errors import ConflictError, ForbiddenError, InputError
from domain.ledger import Ledger
from domain.publishing import Attestation, Publication, PublisherKey, SignatureState
from ingest.origins import OriginDesk

_LOOK_ALIKES: Final = str.maketrans(
    {"0": "o", "1": "l", "i": "l", "5": "s", **dict.fromkeys("._@-")}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """Whose an upload is. `publication` is given if and only if its signature verified."""

    origin: OriginRef
    publication: Publication | None = None
    signature: SignatureState | None = None


class PublisherDesk:
    """Adds and revokes keys, and attributes uploads."""

    def __init__(self, *, ledger: Ledger, origins: OriginDesk, clock: Clock) -> None:
        self._ledger = ledger
        self._origins = origins
        self._clock = clock

    async def add(
        self, tenant_id: TenantId, publisher: str, public_key: bytes, *, reason: str, actor: str
    ) -> PublisherKey:
        """Configure a key, and vouch for its publisher by it.

        Raises:
            InputError: The reason is empty.
            ConflictError: The publisher has this key, or had it, or its name passes for that of
                another publisher.
        """
        await self._require_distinct(tenant_id, publisher)
        key = PublisherKey(
            tenant_id=tenant_id,
            publisher=publisher,
            id=key_id(public_key),
            public_key=public_key,
            added_at=self._clock.now(),
        )
        await self._ledger.publishers.add(key, reason=reason, actor=actor)
        ref = OriginRef(kind=OriginKind.PUBLISHER, id=publisher)
        known = await self._origins.add(tenant_id, ref, actor=actor)
        if not known.established:
            await self._origins.establish(
                tenant_id,
                ref,
                reviewed=False,
                reason=f"publisher key {key.id}: {reason}",
                actor=actor,
            )
        return key

    async def revoke(
        self, tenant_id: TenantId, publisher: str, id: str, *, reason: str, actor: str
    ) -> PublisherKey:
        """End a key; with the last one the vouching ends too.

        Raises:
            NotFoundError: Unknown to this tenant.
            InputError: The reason is empty.
        """
        key = await self._ledger.publishers.revoke(
            tenant_id, publisher, id, reason=reason, actor=actor, at=self._clock.now()
        )
        if not await self._ledger.publishers.keys(tenant_id, publisher):
            await self._origins.revoke(
                tenant_id,
                OriginRef(kind=OriginKind.PUBLISHER, id=publisher),
                reason=f"last publisher key {key.id} revoked: {reason}",
                actor=actor,
            )
        return key

    async def attribute(
        self, tenant_id: TenantId, uploader: OriginRef, attestation: Attestation | None
    ) -> Attribution:
        """Say whose an upload is: its publisher's if the signature verifies, else the uploader's.

        A signature that does not verify is not refused but told of: the document is quarantined,
        so that somebody sees who speaks in whose name.

        Raises:
            InputError: The publication is malformed, or has expired.
            ForbiddenError: Unsigned, with the credentials of a publisher that signs.
        """
        if attestation is None:
            await self._require_unsigned(tenant_id, uploader)
            return Attribution(origin=uploader)
        publication = attestation.publication
        check(publication)
        keys = await self._ledger.publishers.keys(tenant_id, publication.publisher)
        if not verifies(tenant_id, attestation, [key.public_key for key in keys]):
            return Attribution(origin=uploader, signature=SignatureState.FORGED)
        if publication.expires_at <= self._clock.now():
            raise InputError(
                f"the signature of version {publication.version} of {publication.logical_id!r} "
                f"expired at {publication.expires_at.isoformat()}"
            )
        return Attribution(
            origin=OriginRef(kind=OriginKind.PUBLISHER, id=publication.publisher),
            publication=publication,
            signature=SignatureState.VERIFIED,
        )

    async def _require_distinct(self, tenant_id: TenantId, publisher: str) -> None:
        seen = _at_a_glance(publisher)
        for key in await self._ledger.publishers.list(tenant_id):
            if key.publisher != publisher and _at_a_glance(key.publisher) == seen:
                raise ConflictError(
                    f"{publisher!r} passes for the publisher {key.publisher!r}, which has a key"
                )

    async def _require_unsigned(self, tenant_id: TenantId, uploader: OriginRef) -> None:
        # Else a stolen API key would do what the signing key was introduced to prevent.
        if uploader.kind is OriginKind.PUBLISHER and await self._ledger.publishers.keys(
            tenant_id, uploader.id
        ):
            raise ForbiddenError(
                f"publisher {uploader.id!r} signs its documents; this one has no signature"
            )


def _at_a_glance(publisher: str) -> str:
    """Return what is left of a name for who reads it in passing; names are ASCII."""
    folded = publisher.casefold().translate(_LOOK_ALIKES)
    return folded.replace("rn", "m").replace("vv", "w").replace("cl", "d")
