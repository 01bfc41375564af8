"""Which topic of the questions an upload is about, for who watches uploads."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

import numpy as np

from domain.documents import DocumentId, TenantId
from domain.ledger import DocumentRecord, ObservationLedger
from domain.monitoring import TopicId
from domain.retrieval import Embedder, Vector

MOST_READ: Final = 32
"""Documents that are read at a time, the latest: a flood costs two seconds of CPU, and each document once."""
OPENING: Final = 600
"""Characters of a document that say what it is about; the rest costs more and tells less."""
_KEPT: Final = 2_000

ReadText = Callable[[TenantId, DocumentId], Awaitable[str | None]]


class UploadTopics:
    """Sorts documents, held ones too, by the topics that questions have made.

    What an uploader says of a document, its title and labels, is not looked at. A document that is
    near no topic is about nothing that anybody asks.
    """

    def __init__(
        self,
        *,
        observations: ObservationLedger,
        embedder: Embedder,
        read: ReadText,
        similarity: float,
    ) -> None:
        """Set up.

        Args:
            observations: Keeps the topics.
            embedder: The one that questions are embedded with.
            read: Returns the visible text of a document; None where it is gone.
            similarity: Least cosine of an opening to a topic's centroid, as for questions.
        """
        self._observations = observations
        self._embedder = embedder
        self._read = read
        self._similarity = similarity
        self._vectors: dict[DocumentId, Vector] = {}

    async def of(
        self, tenant_id: TenantId, documents: Sequence[DocumentRecord]
    ) -> Mapping[DocumentId, TopicId]:
        """Return the topics of the first `MOST_READ` documents, without those that have none.

        Raises:
            TransientError: The ledger, the blobs or the embedder did not answer.
        """
        topics = [
            topic
            for topic in await self._observations.topics(tenant_id)
            if topic.merged_into is None and topic.centroid.shape == (self._embedder.dimensions,)
        ]
        if not topics:
            return {}
        centroids = np.stack([topic.centroid for topic in topics])
        found: dict[DocumentId, TopicId] = {}
        for document_id, vector in (await self._embedded(tenant_id, documents)).items():
            cosines = centroids @ vector
            best = int(cosines.argmax())
            if cosines[best] >= self._similarity:
                found[document_id] = topics[best].id
        return found

    async def _embedded(
        self, tenant_id: TenantId, documents: Sequence[DocumentRecord]
    ) -> Mapping[DocumentId, Vector]:
        wanted = [one.id for one in documents[:MOST_READ]]
        unread = [one for one in wanted if one not in self._vectors]
        texts = {one: await self._read(tenant_id, one) for one in unread}
        openings = {one: text[:OPENING] for one, text in texts.items() if text and text.strip()}
        if openings:
            vectors = await self._embedder.embed(list(openings.values()))
            self._vectors.update(zip(openings, vectors, strict=True))
        kept = {one: self._vectors[one] for one in wanted if one in self._vectors}
        while len(self._vectors) > _KEPT:
            del self._vectors[next(iter(self._vectors))]
        return kept
