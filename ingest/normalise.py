"""Folds Unicode tricks away and keeps a map back: what every detector and index reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from domain.documents import (
    Document,
    DocumentId,
    HiddenPassage,
    MetadataField,
    ParsedDocument,
    Provenance,
    TenantId,
)
from domain.errors import DocumentUnreadableError
from domain.text import MappedText
from ingest.hardening import (
    composed,
    spaced,
    undisguised,
    undo_overrides,
    unstacked,
    without_marks,
)
from ingest.hidden_unicode import hidden_unicode

__all__ = ["build_document", "hidden_unicode", "normalise"]


def normalise(text: MappedText) -> MappedText:
    """Return `text` in hardened NFKC, mapped to the same source. Case is kept.

    Default-ignorable code points go, but for the joiners, selectors and flags that mean something
    where they stand; bidirectional overrides are undone, so that text reads as it is seen; words
    of mixed scripts become the Latin words that they pass for; stacked marks go; long runs of
    blanks are cut. `10²` becomes `10^2`, not `102`. Clean ASCII comes back as it is.
    """
    if not text.text.isascii():
        for step in (undo_overrides, without_marks, composed, unstacked, undisguised):
            text = step(text)
    return spaced(text)


def build_document(
    parsed: ParsedDocument,
    *,
    id: DocumentId,
    tenant_id: TenantId,
    sha256: str,
    provenance: Provenance,
    metadata: Sequence[MetadataField],
) -> Document:
    """Return what the detectors scan: everything that is text hardened, and mapped to `raw_text`.

    `metadata` is what came with the upload: title, file name, labels, URI. Law 14: it is scanned
    like what the document itself says.

    Raises:
        DocumentUnreadableError: It has no text, neither in sight nor hidden: nothing to judge, and
            nothing that could answer a question.
    """
    hidden = [*parsed.hidden, *hidden_unicode(parsed.raw_text)]
    text = normalise(parsed.visible)
    if not hidden and not text.text.strip():
        raise DocumentUnreadableError("the document has no text")
    return Document(
        id=id,
        tenant_id=tenant_id,
        media_type=parsed.media_type,
        sha256=sha256,
        raw_text=parsed.raw_text,
        text=text,
        provenance=provenance,
        hidden=tuple(
            HiddenPassage(
                channel=passage.channel,
                text=normalise(passage.text),
                locator=passage.locator,
                benign=passage.benign,
            )
            for passage in hidden
        ),
        metadata=tuple(
            read for field in (*metadata, *parsed.metadata) for read in _hardened_field(field)
        ),
        parts=parsed.parts,
        warnings=parsed.warnings,
    )


def _hardened_field(field: MetadataField) -> Iterator[MetadataField]:
    """Yield a field as a reader sees it, then what invisible code points spell in it."""
    value = harden_line(field.value)
    name = harden_line(field.name)
    yield MetadataField(name=name, value=value, raw="" if value == field.value else field.value)
    for passage in hidden_unicode(field.value):
        # Under another name: a title that only a program reads is no title.
        yield MetadataField(
            name=f"{name} ({passage.channel})", value=harden_line(passage.text.text)
        )


def harden_line(value: str) -> str:
    """Return a title, name or link as a reader sees it, without blanks around it."""
    return normalise(MappedText.identity(value)).text.strip()
