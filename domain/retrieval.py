"""Embedding, near-duplicates and vector search: Laws 3 and 4 of the design."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NewType, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from domain.documents import Chunk, DocumentId, Origin, OriginRef, TenantId

FamilyId = NewType("FamilyId", str)
"""The document id of the family's centre (Law 3: a star, not a component)."""

Vector: TypeAlias = NDArray[np.float32]
"""Shape `(dimensions,)`, unit L2 norm."""

Signature: TypeAlias = NDArray[np.uint32]
"""MinHash values, shape `(num_perm,)`, scheme as named in the index's namespace."""

EXACT_BYTES: Final = 16


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
        rerank: The reranker's score, an order within one question; None where none ran.
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
    rerank: float | None = None


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


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceFilter:
    """Which admitted documents may be evidence for a question. Empty: any. It only ever narrows."""

    origins: frozenset[OriginRef] = frozenset()
    documents: frozenset[DocumentId] = frozenset()


ANYTHING: Final = EvidenceFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class Withheld:
    """What may not be evidence, as if it had never been admitted: for asking what it changes."""

    documents: frozenset[DocumentId] = frozenset()
    families: frozenset[FamilyId] = frozenset()
    origins: frozenset[OriginRef] = frozenset()

    def covers(self, hit: ScoredChunk) -> bool:
        return (
            hit.chunk.document_id in self.documents
            or hit.family_id in self.families
            or hit.origin.ref in self.origins
        )


NOTHING_WITHHELD: Final = Withheld()


class Reranker(Protocol):
    """Says how well passages answer a question, reading both together (a cross-encoder)."""

    @property
    def version(self) -> str:
        """Model and way of asking; part of what keys a calibration artefact."""
        ...

    async def rerank(self, question: str, chunks: Sequence[ScoredChunk]) -> Sequence[float]:
        """Return one finite score a chunk, in order, higher is better; never called with none.

        Chunks are data, and what quotes an attack in them is masked before a model reads it.

        Raises:
            TransientError: The model did not answer in time or was over its limits.
            PermanentError: The endpoint refused, or did not score every passage once.
        """
        ...


class ChunkSearch(Protocol):
    """Hybrid nearest-neighbour search over admitted chunks of one tenant at a time."""

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
        only: EvidenceFilter = ANYTHING,
    ) -> Sequence[ScoredChunk]:
        """Return at most `limit` voting hits, best first by fused vector and keyword rank.

        Ties go by chunk id. Established origins and the pool are searched apart, and no origin
        fills more than `per_origin` hits: what one side adds never displaces the other's (Law 4).
        Adding records of one side never changes scores or order on the other: keyword statistics
        (document frequencies) are the side's own, or of the hits alone.
        Tenant, `min_trust` and `only` are part of the query: what they exclude takes no place.
        `text` is a question as typed: no query syntax in it is interpreted, none makes it fail.

        Raises:
            TransientError: The store did not answer.
        """
        ...


class VectorStore(ChunkSearch, Protocol):
    """Keeps admitted chunks, and searches them."""

    async def upsert(self, records: Sequence[VectorRecord]) -> None:
        """Write or replace by (tenant, chunk id). All or nothing for one call, and idempotent."""
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

    def records(self, *, tenant_id: TenantId) -> AsyncIterator[Sequence[VectorRecord]]:
        """Yield every chunk once, a few hundred at a time, in no order. For copies."""
        ...

    async def set_origin(self, origin: Origin, *, tenant_id: TenantId) -> int:
        """Write `established` and `reviewed` of this origin into its chunks; return how many."""
        ...

    async def set_family(
        self, document_id: DocumentId, *, tenant_id: TenantId, family_id: FamilyId, voting: bool
    ) -> None:
        """Move a document to another family, e.g. when the centre was withdrawn."""
        ...

    async def set_trust(
        self, document_id: DocumentId, *, tenant_id: TenantId, trust: float
    ) -> None:
        """Write the document's trust, in [0, 1], into its chunks, if it has any."""
        ...

    async def ping(self) -> None:
        """Return if the store answers.

        Raises:
            TransientError: It does not.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fingerprint:
    """What a near-duplicate index keeps of a text; the text cannot be made from it.

    Attributes:
        exact: 16 bytes, equal where texts differ in case, spacing, punctuation or disguise alone.
        signature: None where the text is too short for one.
        passages: uint32, ascending, without repeats: hashes of word windows, those below
            2^(32 - sampled). Two texts that share a passage share its hashes.
        sampled: One window in 2^sampled is among the passages.
        kept: One window in 2^kept is stored by an index, never more than are looked for.
        scheme: Names every parameter it was made with; those of two schemes are not compared.
    """

    exact: bytes
    signature: Signature | None
    passages: NDArray[np.uint32]
    sampled: int = 0
    kept: int = 0
    scheme: str = ""

    def __post_init__(self) -> None:
        if len(self.exact) != EXACT_BYTES:
            raise ValueError(f"exact digest is {len(self.exact)} bytes, not {EXACT_BYTES}")
        if self.kept < self.sampled:
            raise ValueError(f"one in 2^{self.kept} is kept, but only 2^{self.sampled} known")

    @property
    def stored(self) -> NDArray[np.uint32]:
        """The passages that an index keeps: a prefix of all."""
        return self.passages_at(self.kept)

    def passages_at(self, rate: int) -> NDArray[np.uint32]:
        """Return those of one window in 2^rate, or all where fewer are known."""
        return self.passages[: int(np.searchsorted(self.passages, 2 ** max(0, 32 - rate)))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A near-copy.

    Attributes:
        similarity: Estimated Jaccard similarity of the two signatures, in [0, 1].
        exact: The texts are the same but for case, spacing, punctuation and disguise.
        denied: It stands in the deny namespace.
    """

    document_id: DocumentId
    similarity: float
    exact: bool = False
    denied: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedPassages:
    """A document that has passages in common with the one looked up.

    Attributes:
        at: Places in the `passages` of the fingerprint looked up, ascending.
        sampled: One window in 2^sampled of the other is stored.
        stored: How many windows of the other are stored.
        sought: One window in 2^sought of the one looked up was looked for.
        denied: It stands in the deny namespace.
    """

    document_id: DocumentId
    at: tuple[int, ...]
    sampled: int
    stored: int
    sought: int
    denied: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """The fullest bucket that holds more documents than are looked at.

    Attributes:
        size: Documents in it.
        members: Those that were looked at: the oldest half, and a run of the others.
    """

    size: int
    members: tuple[DocumentId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resemblances:
    """What an index knows of a text: near-copies (most similar first), shared passages, crowds."""

    candidates: tuple[Candidate, ...] = ()
    shared: tuple[SharedPassages, ...] = ()
    crowd: Crowd | None = None


class NearDuplicateIndex(Protocol):
    """Fingerprints by tenant; finds those similar to a given one. Losing it loses no document.

    A tenant's documents stand in one of two namespaces, live and deny. Both are searched, apart:
    however many live documents there are, they hide no denied one.
    """

    async def query_and_insert(
        self,
        tenant_id: TenantId,
        document_id: DocumentId,
        fingerprint: Fingerprint,
        *,
        origin: OriginRef | None = None,
    ) -> Resemblances:
        """Return what is known of the text and insert it, in one atomic step.

        Of two concurrent calls with similar texts, one sees the other. Repeating a call for the
        same id replaces, never returns itself, and leaves a denied document denied. Candidates
        are verified against stored signatures; at most 50 of a bucket are looked at. Of one
        passage a few documents of each origin are kept, the first that came.

        Raises:
            TransientError: The store did not answer.
            ConfigurationError: The namespace was made with other parameters.
        """
        ...

    async def query(
        self,
        tenant_id: TenantId,
        fingerprint: Fingerprint,
        *,
        besides: DocumentId | None = None,
    ) -> Resemblances:
        """As `query_and_insert`, without inserting, and without the document `besides`."""
        ...

    async def deny(self, tenant_id: TenantId, document_id: DocumentId) -> None:
        """Move a document to the deny namespace; one that is unknown or there is no error."""
        ...

    async def allow(self, tenant_id: TenantId, document_id: DocumentId) -> None:
        """Move it back; one that is unknown or live is no error."""
        ...

    async def remove(self, tenant_id: TenantId, document_id: DocumentId) -> None:
        """Forget a document; an unknown one is no error."""
        ...

    async def count(self, tenant_id: TenantId) -> int:
        """Return how many documents are known; 0 after the store was wiped."""
        ...
