"""Every text of a document that a model could come to read, with its decoded readings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from defences.decodings import DecodedOnce
from defences.detectors.injected_instructions.views import View, fold, views
from domain.decodings import Decodings
from domain.documents import Document

VISIBLE = "visible"
HIDDEN = "hidden"
METADATA = "metadata"

_SAFE_FIELD_NAMES = frozenset(
    (
        "title",
        "author",
        "subject",
        "keywords",
        "file-name",
        "filename",
        "source-uri",
        "uri",
        "label",
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One view of one text of the document.

    Attributes:
        channel: `VISIBLE`, `HIDDEN` or `METADATA`.
        place: Which text: 0 the visible one, then hidden passages and fields in order.
        view: As decoded; its text is mapped to the text of that place.
        folded: The view's text folded, of the same length.
        concealed: A reader would not see it, and that is not legitimate by its kind.
        field: Of metadata, its name where that is one of ours; empty otherwise.
    """

    channel: str
    place: int
    view: View
    folded: str
    concealed: bool = False
    field: str = ""


def readings(document: Document) -> Iterator[Reading]:
    """Yield the readings of the visible text, then of hidden passages, then of fields."""
    known = document.decodings or DecodedOnce()
    yield from _of(document.text.text, known, channel=VISIBLE, place=0)
    place = 0
    for passage in document.hidden:
        place += 1
        yield from _of(
            passage.text.text,
            known,
            channel=HIDDEN,
            place=place,
            concealed=not passage.benign,
        )
    for entry in document.metadata:
        place += 1
        field = entry.name if entry.name in _SAFE_FIELD_NAMES else "other"
        for text in (entry.value, entry.name):
            yield from _of(text, known, channel=METADATA, place=place, field=field)


def _of(
    text: str,
    known: Decodings,
    *,
    channel: str,
    place: int,
    concealed: bool = False,
    field: str = "",
) -> Iterator[Reading]:
    for view in views(text, known):
        yield Reading(
            channel=channel,
            place=place,
            view=view,
            folded=fold(view.text.text),
            concealed=concealed,
            field=field,
        )
