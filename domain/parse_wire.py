"""Reads what a parser process wrote. Nothing in it is trusted: the parser met a hostile document.

A derived text is a list of segments, `[length, start]` for what is copied from the raw text one
code point for one, `[text, start, end]` for what stands for a whole range of it.
"""

from __future__ import annotations

import json
from typing import Final

import numpy as np
from numpy.typing import NDArray

from domain.documents import HiddenPassage, MetadataField, ParsedDocument, Part
from domain.errors import DocumentUnreadableError, UnsupportedMediaTypeError
from domain.text import MappedText, Span

BAD_OUTPUT: Final = "parser-bad-output"


def _unreadable(reason: str) -> DocumentUnreadableError:
    return DocumentUnreadableError(f"document cannot be read: {reason!r}", reason=reason)


def decode(payload: bytes, *, max_text_chars: int) -> ParsedDocument:
    """Return the document in a parser's answer, or raise the error in it.

    Raises:
        UnsupportedMediaTypeError: The parser found no format it knows.
        DocumentUnreadableError: The parser said so, or its answer is not well-formed.
    """
    try:
        content = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise _unreadable(BAD_OUTPUT) from error
    if not isinstance(content, dict):
        raise _unreadable(BAD_OUTPUT)
    if "error" in content:
        _raise(content["error"])
    try:
        return from_wire(content, max_text_chars=max_text_chars)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise _unreadable(BAD_OUTPUT) from error


def _raise(error: object) -> None:
    if not isinstance(error, dict):
        raise _unreadable(BAD_OUTPUT)
    reason = error.get("reason")
    if not isinstance(reason, str) or not reason.replace("-", "").isalnum() or len(reason) > 60:  # noqa: PLR2004
        raise _unreadable(BAD_OUTPUT)
    if error.get("kind") == UnsupportedMediaTypeError.code:
        raise UnsupportedMediaTypeError(f"no parser takes this content: {reason!r}")
    raise _unreadable(reason)


def from_wire(content: dict[str, object], *, max_text_chars: int) -> ParsedDocument:
    """Return the document.

    Raises:
        KeyError, TypeError, ValueError, OverflowError: It is not well-formed.
    """
    raw = _text(content["raw_text"])
    if len(raw) > max_text_chars:
        raise ValueError("too much text")
    hidden = []
    for item in _list(content["hidden"]):
        channel, segments, locator, benign = _list(item)
        hidden.append(
            HiddenPassage(
                channel=_text(channel),
                text=_mapped(_list(segments), raw, max_text_chars),
                locator=None if locator is None else _text(locator),
                benign=benign is True,
            )
        )
    parts = []
    for item in _list(content["parts"]):
        name, start, end = _list(item)
        parts.append(Part(locator=_text(name), span=_span(start, end, len(raw))))
    metadata = []
    for item in _list(content["metadata"]):
        name, value = _list(item)
        metadata.append(MetadataField(name=_text(name), value=_text(value)))
    return ParsedDocument(
        media_type=_text(content["media_type"]),
        raw_text=raw,
        visible=_mapped(_list(content["visible"]), raw, max_text_chars),
        hidden=tuple(hidden),
        metadata=tuple(metadata),
        parts=tuple(parts),
        warnings=tuple(_text(code) for code in _list(content["warnings"])),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError("not a list")
    return value


def _int(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("not an integer")
    return value


def _span(start: object, end: object, size: int) -> Span:
    span = Span(_int(start), _int(end))
    if span.end > size:
        raise ValueError("span outside the text")
    return span


def _mapped(segments: list[object], raw: str, max_text_chars: int) -> MappedText:
    pieces: list[str] = []
    rows: list[tuple[int, int, int]] = []  # length, start, width; a width of 0 is a copy
    for item in segments:
        head, *rest = _list(item)
        if isinstance(head, str):
            start, end = rest
            span = _span(start, end, len(raw))
            pieces.append(head)
            rows.append((len(head), span.start, span.end - span.start or -1))
        else:
            length, (start,) = _int(head), rest
            span = _span(start, _int(start) + length, len(raw))
            pieces.append(raw[span.start : span.end])
            rows.append((length, span.start, 0))
    text = "".join(pieces)
    if len(text) > 2 * max_text_chars:
        raise ValueError("too much derived text")
    return _with_map(text, np.array(rows, dtype=np.int64).reshape(-1, 3))


def _with_map(text: str, rows: NDArray[np.int64]) -> MappedText:
    lengths, first, width = rows.T
    at = np.repeat(first, lengths)
    wide = np.repeat(width, lengths)
    within = np.arange(len(text)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    starts = np.where(wide == 0, at + within, at)
    ends = np.where(wide == 0, starts + 1, at + np.maximum(wide, 0))
    return MappedText(text=text, starts=starts.astype(np.int32), ends=ends.astype(np.int32))
