"""Embedding, near-duplicates and vector search: Laws 3 and 4 of the design."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NewType, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from domain.documents import Chunk, DocumentId, Origin, TenantId

FamilyId = NewType("FamilyId", str)
"""The document id of the family's centre (Law 3: a star, not a component)."""

Vector: TypeAlias = NDArray[np.float32]
"""Shape `(dimensions,)`, unit L2 norm."""

Signature: TypeAlias = NDArray[np.uint32]
"""MinHash values, shape `(num_perm,)`, scheme as named in the index's namespace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorRecord:
    """One admitted chunk, as indexed.

    Attributes:
        family_id: Family of the document. Equal to the document's id where it is the centre.
        voting: False for a member that joined the family of a more established origin (Law 3):
            it is never retrieved as evidence.
        trust: The document's, in [0, 1].
        title, source_uri: Untrusted text for the answer's sources; never enters a prompt raw.
    """

    chunk: Chunk
    tenant_id: TenantId
    origin: Origin
    family_id: FamilyId
    vector: Vector
    trust: float
    admitted_at: datetime
    voting: bool = True
    title: str = ""
    source_uri: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredChunk:
    """A search hit.

    Attributes:
        similarity: Cosine of question and chunk, in [-1, 1].
        relevance: Fused rank score of vector and keyword search, in [0, 1]; an order within one
            search, not comparable between searches.
        trust: The document's, in [0, 1].
    """

    chunk: Chunk
    origin: Origin
    family_id: FamilyId
    vector: Vector
    similarity: float
    trust: float
    admitted_at: datetime
    relevance: float = 0.0
    title: str = ""
    source_uri: str | None = None


class Embedder(Protocol):
    @property
    def dimensions(self) -> int: ...

    @property
    def version(self) -> str:
        """Name and weights of the model; vectors of two versions are never compared."""
        ...

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors of shape `(len(texts), dimensions)`, in order.

        Raises:
            TransientError: The model did not answer in time.
            PermanentError: The model file or endpoint is not what was configured.
        """
        ...


class VectorStore(Protocol):
    """Hybrid nearest-neighbour search over admitted chunks of one tenant at a time."""

    async def upsert(self, records: Sequence[VectorRecord]) -> None:
        """Write or replace by (tenant, chunk id). All or nothing for one call, and idempotent."""
        ...

    async def search(
        self,
        query: Vector,
        text: str,
        *,
        tenant_id: TenantId,
        established: bool,
        limit: int,
        per_origin: int,
        min_trust: float = 0.0,
    ) -> Sequence[ScoredChunk]:
        """Return at most `limit` voting hits, best first by fused vector and keyword rank.

        Ties go by chunk id. Established origins and the pool are searched apart, and no origin
        fills more than `per_origin` hits: what one side adds never displaces the other's (Law 4).
        Adding records of one side never changes scores or order on the other: keyword statistics
        (document frequencies) are the side's own, or of the hits alone.
        `text` is a question as typed: no query syntax in it is interpreted, none makes it fail.

        Raises:
            TransientError: The store did not answer.
        """
        ...

    async def delete_document(self, document_id: DocumentId, *, tenant_id: TenantId) -> int:
        """Remove every chunk of the document; return how many there were."""
        ...

    async def holds(self, document_id: DocumentId, *, tenant_id: TenantId) -> bool:
        """Return whether the document has vectors, voting or not."""
        ...

    async def document_ids(self, *, tenant_id: TenantId) -> frozenset[DocumentId]:
        """Return the ids of all documents that have vectors. For invariants and repair."""
        ...

    async def set_origin(self, origin: Origin, *, tenant_id: TenantId) -> int:
        """Write `established` and `reviewed` of this origin into its chunks; return how many."""
        ...

    async def set_family(
        self, document_id: DocumentId, *, tenant_id: TenantId, family_id: FamilyId, voting: bool
    ) -> None:
        """Move a document to another family, e.g. when the centre was withdrawn."""
        ...

    async def ping(self) -> None:
        """Return if the store answers.

        Raises:
            TransientError: It does not.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """`similarity`: estimated Jaccard similarity of the two signatures, in [0, 1]."""

    document_id: DocumentId
    similarity: float


class NearDuplicateIndex(Protocol):
    """Signatures by tenant; finds those similar to a given one. Losing it loses no document."""

    async def query_and_insert(
        self, tenant_id: TenantId, document_id: DocumentId, signature: Signature
    ) -> Sequence[Candidate]:
        """Return known near-copies, most similar first, and insert, in one atomic step.

        Of two concurrent calls with similar signatures, one sees the other. Repeating a call for
        the same id replaces and never returns itself. Candidates are verified against stored
        signatures; at most 50 of a bucket are looked at.

        Raises:
            TransientError: The store did not answer.
            ConfigurationError: The namespace was made with other parameters.
        """
        ...

    async def query(self, tenant_id: TenantId, signature: Signature) -> Sequence[Candidate]:
        """As `query_and_insert`, without inserting: for dry runs."""
        ...

    async def remove(self, tenant_id: TenantId, document_id: DocumentId) -> None:
        """Forget a document; an unknown one is no error."""
        ...

    async def count(self, tenant_id: TenantId) -> int:
        """Return how many documents are known; 0 after the store was wiped."""
        ...
