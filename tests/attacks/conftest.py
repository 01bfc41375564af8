from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from domain.documents import DEFAULT_TENANT, DocumentId, OriginKind, OriginRef
from domain.ledger import DocumentRecord
from evaluation.demo.manifest import DemoDocument, Manifest, load_manifest
from tests.world import World, build_world


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleCorpus:
    """The demo's corpus as ingested, on an event loop of its own."""

    world: World
    manifest: Manifest
    records: dict[str, DocumentRecord]
    loop: asyncio.AbstractEventLoop

    def upload(self, document: DemoDocument) -> DocumentRecord:
        record = self.loop.run_until_complete(
            self.world.upload(
                document.path.read_bytes(),
                origin=self.origin(document.origin),
                media_type=document.media_type,
                file_name=document.path.name,
                title=document.title,
                source_uri=document.source_uri,
            )
        )
        self.records[document.name] = record
        return record

    def origin(self, name: str) -> OriginRef:
        kind = next(origin.kind for origin in self.manifest.origins if origin.id == name)
        return OriginRef(kind=OriginKind(kind), id=name)

    def indexed(self) -> frozenset[DocumentId]:
        return self.loop.run_until_complete(
            self.world.vectors.document_ids(tenant_id=DEFAULT_TENANT)
        )


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SampleCorpus]:
    """Everything but the spike, established origins first, as the demo uploads it."""
    loop = asyncio.new_event_loop()
    world = loop.run_until_complete(build_world(tmp_path_factory.mktemp("attacks")))
    corpus = SampleCorpus(world=world, manifest=load_manifest(), records={}, loop=loop)
    for origin in corpus.manifest.origins:
        if origin.established:
            loop.run_until_complete(world.establish(corpus.origin(origin.id)))
    for phase in ("established", "open"):
        for document in corpus.manifest.documents:
            if document.phase == phase:
                corpus.upload(document)
    yield corpus
    loop.close()
