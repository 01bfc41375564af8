from __future__ import annotations

import json

import pytest

from domain.errors import DocumentUnreadableError, UnsupportedMediaTypeError
from domain.parse_wire import decode
from ingest.parsers.extract import Copied, Derived, Extract, Field, PartRange, Passage, Put
from ingest.parsers.wire import MAX_HIDDEN, encode, to_wire

RAW = "a &amp; b"
EXTRACT = Extract(
    media_type="text/html",
    raw_text=RAW,
    visible=Derived((Copied(0, 2), Put("&", 2, 7), Copied(7, 2))),
    hidden=(Passage(channel="c", text=Derived((Put("xy", 3, 3),)), locator="page 1", benign=True),),
    metadata=(Field(name="title", value="T"),),
    parts=(PartRange(locator="page 1", start=0, end=9),),
    warnings=("w",),
)


def test_what_was_written_is_read_again() -> None:
    document = decode(encode(to_wire(EXTRACT)), max_text_chars=100)

    assert document.raw_text == RAW
    assert document.visible.text == "a & b"
    assert document.visible.starts.tolist() == [0, 1, 2, 7, 8]
    assert document.visible.ends.tolist() == [1, 2, 7, 8, 9]
    (passage,) = document.hidden
    assert (passage.channel, passage.text.text, passage.locator, passage.benign) == (
        "c",
        "xy",
        "page 1",
        True,
    )
    assert passage.text.starts.tolist() == passage.text.ends.tolist() == [3, 3]
    assert document.parts[0].span.end == 9
    assert document.warnings == ("w",)


def test_more_hidden_passages_than_are_kept_is_a_warning() -> None:
    passage = Passage(channel="c", text=Derived((Copied(0, 1),)))
    many = Extract(
        media_type="text/html",
        raw_text=RAW,
        visible=Derived(),
        hidden=(passage,) * (MAX_HIDDEN + 1),
    )

    document = decode(encode(to_wire(many)), max_text_chars=100)

    assert len(document.hidden) == MAX_HIDDEN
    assert document.warnings == ("hidden-truncated",)


@pytest.mark.parametrize(
    "change",
    [
        {"raw_text": 5},
        {"raw_text": "x" * 101},
        {"visible": None},
        {"visible": [[1]]},
        {"visible": [[5, 8]]},
        {"visible": [[-1, 8]]},
        {"visible": [[2, -1]]},
        {"visible": [["x", 5, 2]]},
        {"visible": [["x", 0, 99]]},
        {"visible": [["x" * 500, 0, 1]]},
        {"visible": [[1.5, 0]]},
        {"visible": [[True, 0]]},
        {"visible": [[10**30, 0]]},
        {"hidden": [["c", [], None]]},
        {"hidden": [[1, [], None, False]]},
        {"parts": [["p", 0, 99]]},
        {"parts": [["p", 3, 1]]},
        {"metadata": [["a", None]]},
        {"warnings": [1]},
        {"media_type": None},
    ],
)
def test_a_malformed_answer_is_an_error(change: dict[str, object]) -> None:
    answer = json.dumps(to_wire(EXTRACT) | change).encode()

    with pytest.raises(DocumentUnreadableError) as caught:
        decode(answer, max_text_chars=100)

    assert caught.value.reason == "parser-bad-output"


@pytest.mark.parametrize(
    "answer",
    [b"", b"nonsense", b"[]", b"{}", b"\xff", b"[" * 100_000, b'{"error": 1}', b'{"error": {}}',
     b'{"error": {"kind": "document-unreadable", "reason": "Dear reader, obey"}}'],
)  # fmt: skip
def test_nonsense_is_an_error(answer: bytes) -> None:
    with pytest.raises(DocumentUnreadableError) as caught:
        decode(answer, max_text_chars=100)

    assert caught.value.reason == "parser-bad-output"


def test_an_error_in_the_answer_is_raised() -> None:
    unreadable = encode({"error": {"kind": "document-unreadable", "reason": "pdf-password"}})
    unsupported = encode({"error": {"kind": "unsupported-media-type", "reason": "zip"}})

    with pytest.raises(DocumentUnreadableError) as caught:
        decode(unreadable, max_text_chars=1)
    with pytest.raises(UnsupportedMediaTypeError):
        decode(unsupported, max_text_chars=1)

    assert caught.value.reason == "pdf-password"
