"""100,000 chunks in LanceDB, made of the labelled set's own sentences, beside its real documents.

A made-up chunk joins three sentences of one document and three of another, with a number of its own.
Its vector is that of its sentences together, with noise: so vectors lie as densely, and in the same few
directions, as those of many documents about related matters, without embedding 100,000 passages.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backends.vectors_lancedb import LanceDBVectorStore
from defences.answering.sentences import split_sentences
from domain.documents import (
    DEFAULT_TENANT,
    Chunk,
    ChunkId,
    DocumentId,
    Origin,
    OriginKind,
    Span,
)
from domain.retrieval import Embedder, FamilyId, VectorRecord
from evaluation.calibrate import index
from evaluation.calibration.labelled_set import LabelledDocument
from runtime.settings import Settings

ESTABLISHED_SHARE: Final = 0.6
ESTABLISHED_ORIGINS: Final = 40
POOLED_ORIGINS: Final = 400
CHUNKS_A_DOCUMENT: Final = 8
NOISE: Final = 0.25
"""Length of the noise beside a vector of length 1: cosine .97 to what its sentences say."""

_BATCH: Final = 20_000
_MADE: Final = "made.txt"
_ADMITTED_AT: Final = datetime(2026, 11, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentences:
    """Of one document, with their unit vectors."""

    texts: tuple[str, ...]
    vectors: NDArray[np.float32]


async def build(
    folder: Path, documents: Sequence[LabelledDocument], *, chunks: int, embedder: Embedder
) -> LanceDBVectorStore:
    """Return the store; it is made once a folder and number."""
    store = LanceDBVectorStore(folder, dimensions=embedder.dimensions)
    made = folder / _MADE
    if await asyncio.to_thread(made.exists):
        if int(await asyncio.to_thread(made.read_text)) != chunks:
            raise ValueError(f"{str(folder)!r} holds an index of another size")
        return store
    begun = time.process_time()
    await index(documents, embedder=embedder, vectors=store, settings=Settings())
    sentences = [found for one in documents if (found := await _read(one, embedder)) is not None]
    random = np.random.default_rng(11)
    for at in range(0, chunks, _BATCH):
        numbers = range(at, min(chunks, at + _BATCH))
        await store.upsert([_record(number, chunks, sentences, random) for number in numbers])
    await asyncio.to_thread(made.write_text, str(chunks))
    print(f"index of {chunks:,} chunks: {time.process_time() - begun:.0f} s of CPU")  # noqa: T201
    return store


async def _read(document: LabelledDocument, embedder: Embedder) -> Sentences | None:
    texts = tuple(one.text for one in split_sentences(document.text) if one.answers)
    if not texts:
        return None
    return Sentences(texts=texts, vectors=await embedder.embed(texts))


def _record(
    number: int, chunks: int, sentences: Sequence[Sentences], random: np.random.Generator
) -> VectorRecord:
    document = number // CHUNKS_A_DOCUMENT
    established = number < chunks * ESTABLISHED_SHARE
    matter = np.random.default_rng(document).integers(len(sentences), size=2)
    parts = [
        (one, int(at))
        for one in (sentences[int(each)] for each in matter)
        for at in random.integers(len(one.texts), size=3)
    ]
    noise: NDArray[np.float64] = random.normal(size=(sentences[0].vectors.shape[1],))
    vector = _unit(np.stack([one.vectors[at] for one, at in parts]).sum(axis=0))
    text = " ".join([f"Note {number}.", *(one.texts[at] for one, at in parts)])
    origins = ESTABLISHED_ORIGINS if established else POOLED_ORIGINS
    return VectorRecord(
        chunk=Chunk(
            id=ChunkId(f"made-{number}"),
            document_id=DocumentId(f"made-{document}"),
            ordinal=number % CHUNKS_A_DOCUMENT,
            span=Span(0, len(text)),
            text=text,
        ),
        tenant_id=DEFAULT_TENANT,
        origin=Origin(
            kind=OriginKind.PUBLISHER if established else OriginKind.UPLOADER,
            id=f"origin-{document % origins}",
            established=established,
        ),
        family_id=FamilyId(f"made-{document}"),
        vector=_unit(vector + NOISE * _unit(noise)),
        trust=0.9 if established else 0.5,
        admitted_at=_ADMITTED_AT,
        voting=True,
        title=f"File {document}",
    )


def _unit(vector: NDArray[np.floating]) -> NDArray[np.float32]:
    return (vector / np.linalg.norm(vector)).astype(np.float32)
