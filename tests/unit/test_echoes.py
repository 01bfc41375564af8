"""What the sentence vectors of the shipped embedder say of paraphrases, and what they cannot say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from backends.embedder_onnx import SHIPPED_MANIFEST_SHA256, OnnxEmbedder
from backends.memory.vectors import InMemoryVectorStore
from defences.retrieval.differences import differences
from domain.documents import Chunk, ChunkId, Document, DocumentId, Origin, OriginKind, Span
from domain.retrieval import FamilyId, VectorRecord
from ingest.echoes import ECHO, PIECES, EchoLookup
from tests.builders import EPOCH, make_document

pytestmark = pytest.mark.anyio

DOCS = Origin(kind=OriginKind.PUBLISHER, id="docs", established=True)
POOL = Origin(kind=OriginKind.UPLOADER, id="somebody", established=False)

PARAPHRASES = [
    ("The museum closes at six in the evening on weekdays.", "On weekdays the museum shuts its doors at six p.m."),
    ("Employees may carry over up to five days of unused leave to the next year.", "Up to five unused days of leave can be transferred by employees into the following year."),
    ("Please reset the router before you call the support line.", "Restart your router before phoning the support line."),
    ("The bridge was opened to traffic in 1932.", "Traffic first crossed the bridge when it opened in 1932."),
    ("Batteries must be recycled at a collection point and not thrown into household waste.", "Do not put batteries in the household rubbish; take them to a collection point for recycling."),
    ("The warranty of the heat pump lasts three years from the date of purchase.", "From the purchase date, the heat pump is under warranty for three years."),
    ("All visitors have to sign in at the reception desk.", "Every visitor must register at the reception desk."),
    ("The river floods the lower meadow nearly every spring.", "Almost every spring the lower meadow is flooded by the river."),
    ("Refunds are paid to the card that was used for the order.", "We refund the card with which the order was paid."),
    ("The train to the airport leaves from platform nine.", "The airport train departs from platform nine."),
    ("Our library lends books for four weeks free of charge.", "Books can be borrowed from our library at no cost for four weeks."),
    ("Children under twelve must be accompanied by an adult in the pool.", "An adult has to accompany children younger than twelve in the swimming pool."),
]  # fmt: skip
CONTRADICTIONS = [
    ("Give 5 mg of the drug twice a day.", "Give 50 mg of the drug twice a day."),
    ("Rotate the lever before you open the valve.", "Do not rotate the lever before you open the valve."),
    ("The warranty of the heat pump lasts three years.", "The warranty of the heat pump lasts six months."),
    ("The deposit is refunded within 14 days.", "The deposit is refunded within 60 days."),
    ("The board approved the merger on 3 May 2024.", "The board rejected the merger on 3 May 2024."),
    ("Sales increased in the second quarter.", "Sales decreased in the second quarter."),
]  # fmt: skip


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder(manifest_sha256=SHIPPED_MANIFEST_SHA256)


async def cosines(embedder: OnnxEmbedder, pairs: Sequence[tuple[str, str]]) -> list[float]:
    ours = await embedder.embed([one for one, _ in pairs])
    theirs = await embedder.embed([other for _, other in pairs])
    return [float(np.dot(one, other)) for one, other in zip(ours, theirs, strict=True)]


def document(text: str, *, origin: Origin = POOL) -> Document:
    return replace(make_document(text, origin=origin), id=DocumentId("new"))


async def shelf(embedder: OnnxEmbedder, texts: Sequence[str]) -> InMemoryVectorStore:
    store = InMemoryVectorStore()
    vectors = await embedder.embed(texts)
    await store.upsert(
        [
            VectorRecord(
                chunk=Chunk(
                    id=ChunkId(f"d{n}/0"),
                    document_id=DocumentId(f"d{n}"),
                    ordinal=0,
                    span=Span(0, len(text)),
                    text=text,
                ),
                tenant_id=document("x").tenant_id,
                origin=DOCS,
                family_id=FamilyId(f"d{n}"),
                vector=vector,
                trust=0.9,
                admitted_at=EPOCH,
            )
            for n, (text, vector) in enumerate(zip(texts, vectors, strict=True))
        ]
    )
    return store


async def test_most_paraphrases_are_above_the_threshold_and_no_other_sentence_is(
    embedder: OnnxEmbedder,
) -> None:
    others = [
        (one, other)
        for n, (one, _) in enumerate(PARAPHRASES)
        for m, (_, other) in enumerate(PARAPHRASES)
        if n != m
    ]

    alike = await cosines(embedder, PARAPHRASES)
    apart = await cosines(embedder, others)

    assert sum(cosine >= ECHO for cosine in alike) >= 0.6 * len(alike)
    assert max(apart) < ECHO


async def test_a_vector_does_not_tell_a_contradiction_and_the_difference_check_does(
    embedder: OnnxEmbedder,
) -> None:
    found = await cosines(embedder, CONTRADICTIONS)

    assert min(found) > ECHO - 0.1
    assert all(differences(one, other).contradicts for one, other in CONTRADICTIONS)


async def test_a_paraphrase_of_what_is_admitted_is_an_echo(embedder: OnnxEmbedder) -> None:
    store = await shelf(embedder, [one for one, _ in PARAPHRASES])
    lookup = EchoLookup(embedder=embedder, vectors=store)

    found = await lookup.around(document(PARAPHRASES[6][1]))

    assert [(echo.document_id, echo.differences) for echo in found.echoes] == [("d6", 0)]
    assert found.echoes[0].similarity >= ECHO


async def test_an_echo_with_another_figure_says_so(embedder: OnnxEmbedder) -> None:
    store = await shelf(embedder, [one for one, _ in CONTRADICTIONS])
    lookup = EchoLookup(embedder=embedder, vectors=store)

    found = await lookup.around(document(CONTRADICTIONS[0][1]))

    assert [(echo.document_id, echo.differences > 0) for echo in found.echoes] == [("d0", True)]


async def test_near_copies_and_documents_of_established_origins_have_no_echoes(
    embedder: OnnxEmbedder,
) -> None:
    store = await shelf(embedder, [one for one, _ in PARAPHRASES])
    lookup = EchoLookup(embedder=embedder, vectors=store)

    vouched = await lookup.around(document(PARAPHRASES[6][1], origin=DOCS))
    unrelated = await lookup.around(document("Copper turns green in the rain of many years."))
    empty = await lookup.around(document(""))

    assert vouched.echoes == unrelated.echoes == empty.echoes == ()


async def test_a_long_document_is_looked_up_in_a_few_places(embedder: OnnxEmbedder) -> None:
    counted: list[int] = []

    class Counting(OnnxEmbedder):
        async def embed(self, texts: Sequence[str]):  # type: ignore[no-untyped-def]
            counted.append(len(texts))
            return await super().embed(texts)

    store = await shelf(embedder, ["A text about something else."])
    lookup = EchoLookup(embedder=Counting(manifest_sha256=SHIPPED_MANIFEST_SHA256), vectors=store)

    await lookup.around(document(" ".join(f"Sentence number {n} is here." for n in range(3_000))))

    assert counted == [PIECES]
