"""Answers given again, and what tells that they may not be: Law 15."""

from __future__ import annotations

from typing import Protocol

from domain.documents import TenantId


class EvidenceStamps(Protocol):
    """Says whether a tenant's evidence is what it was.

    An answer is kept under the stamp that was read **before** its evidence was retrieved. Whoever
    changes evidence begins before and ends after, so that no answer from evidence that was about
    to go is ever found again.
    """

    async def present(self, tenant_id: TenantId) -> str | None:
        """Return the stamp; None while somebody writes: nothing is to be kept or given again.

        A store that may have forgotten a change gives a stamp that it never gave.

        Raises:
            TransientError: The store did not answer.
        """
        ...

    async def begin(self, tenant_id: TenantId) -> str:
        """Make every stamp given so far a past one; return the token that ends the writing.

        Raises:
            TransientError: The store did not answer: do not write.
        """
        ...

    async def end(self, tenant_id: TenantId, token: str) -> None:
        """End a writing; one that is never ended ends by itself after some minutes.

        Raises:
            TransientError: The store did not answer. The stamps are past ones all the same.
        """
        ...


class AnswerCache(Protocol):
    """Bytes by key, apart by tenant, bounded, with expiry."""

    async def get(self, tenant_id: TenantId, key: str) -> bytes | None:
        """Raise `TransientError` where the store did not answer."""
        ...

    async def put(
        self, tenant_id: TenantId, key: str, value: bytes, *, lifetime_seconds: int
    ) -> None:
        """Keep a value; the soonest to expire goes where there are too many.

        Raises:
            TransientError: The store did not answer.
        """
        ...
