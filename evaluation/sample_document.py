"""A document to measure on, as a new origin that nobody vouches for would send it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from domain.documents import (
    DEFAULT_TENANT,
    Document,
    DocumentId,
    Origin,
    OriginKind,
    ParsedDocument,
    Provenance,
)
from ingest.normalise import build_document

_PROVENANCE: Final = Provenance(
    origin=Origin(kind=OriginKind.UPLOADER, id="sample", established=False),
    claimed_uri=None,
    received_at=datetime(2026, 1, 1, tzinfo=UTC),
)


def sample_document(parsed: ParsedDocument) -> Document:
    """Normalise what was parsed; its id and provenance are always the same."""
    return build_document(
        parsed,
        id=DocumentId("sample"),
        tenant_id=DEFAULT_TENANT,
        sha256="0" * 64,
        provenance=_PROVENANCE,
        metadata=[],
    )
