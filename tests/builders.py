"""Small valid values for tests; every argument that does not matter has a default."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime

from domain.documents import (
    DEFAULT_TENANT,
    Document,
    DocumentId,
    HiddenPassage,
    MetadataField,
    Neighbour,
    Origin,
    OriginKind,
    Provenance,
)
from domain.text import MappedText

EPOCH = datetime(2026, 11, 1, tzinfo=UTC)
NEW_ORIGIN = Origin(kind=OriginKind.UPLOADER, id="new-uploader", established=False)


def make_document(
    text: str,
    *,
    hidden: Sequence[tuple[str, str] | HiddenPassage] = (),
    metadata: Sequence[tuple[str, str]] = (),
    neighbours: Sequence[Neighbour] = (),
    origin: Origin = NEW_ORIGIN,
) -> Document:
    """Return a document whose visible text is `text`, mapped to itself.

    Args:
        text: Visible text, at the start of `raw_text`.
        hidden: Passages, or (channel, text) pairs that are laid behind the text in `raw_text`.
        metadata: (name, value) pairs.
        neighbours: Near-copies already known.
        origin: Who vouches for it.
    """
    raw_text = text
    passages: list[HiddenPassage] = []
    for entry in hidden:
        if isinstance(entry, HiddenPassage):
            passages.append(entry)
            continue
        channel, concealed = entry
        mapped = MappedText.identity(concealed, offset=len(raw_text))
        passages.append(HiddenPassage(channel=channel, text=mapped))
        raw_text += concealed
    return Document(
        id=DocumentId("doc_test"),
        tenant_id=DEFAULT_TENANT,
        media_type="text/plain",
        sha256=hashlib.sha256(raw_text.encode("utf-8", "surrogatepass")).hexdigest(),
        raw_text=raw_text,
        text=MappedText.identity(text),
        provenance=Provenance(origin=origin, claimed_uri=None, received_at=EPOCH),
        hidden=tuple(passages),
        metadata=tuple(MetadataField(name=name, value=value) for name, value in metadata),
        neighbours=tuple(neighbours),
    )
