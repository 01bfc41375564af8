"""Every derived text maps back to its source, whatever the source is."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from defences.detectors.hidden_text import HiddenTextDetector
from domain.documents import Document, ParsedDocument
from domain.errors import DocumentUnreadableError
from domain.text import MappedText, Span
from ingest.chunking import chunk
from ingest.normalise import hidden_unicode, normalise
from ingest.parsers.inline import InlineParser
from tests.parser_samples import built, parsed

TRICKY = "".join(
    [
        "aZ1 .\n\r\t-#<>|&;'\"`[]()!",
        "\u00ad\u034f\u061c\u200b\u200c\u200d\u200e\u2060\ufeff\u202a\u202c\u202d\u202e\u2066\u2069",
        "\ufe00\ufe0f\U000e0041\U000e007f\U000e0101\u0301\u0323\u0336\u0489\u20e3",
        "\u00e9\u00bd\u00b2\u00b4\ufb01\uff21\U0001d400\u2460\u3131\u1100\u1161\uff9e\uffa1\uffc2",
        "\u0430\u0435\u043e\u0440\u044f\u03bf\u03b1\u1d00\u0131\u0130",
        "\u05d0\u0627\u0644\u0915\u094d\u0e01\u4e2d\U0001f468\U0001f3f4\u2764",
        "\x00\x0b\x0c\x1c\x7f\x85\u2028\u2029",
    ]
)
TEXT = st.text(
    alphabet=st.one_of(st.sampled_from(TRICKY), st.characters(codec="utf-8")), max_size=120
)
PIECE = st.one_of(
    TEXT,
    st.sampled_from(
        [
            "<p>",
            "</p>",
            "<div hidden>",
            "</div>",
            "<b style='display:none'>",
            "</b>",
            "<!-- ",
            " -->",
            "<style>.k{color:#fff}</style>",
            "<i class=k>",
            "<td>",
            "<li>",
            "<h2>",
            "<br>",
            "<img alt='",
            "'>",
            "&amp;",
            "&#x202e;",
            "&notit",
            "<!",
            "</",
            '<a b="',
            "```\n",
            "`",
            "[a]: x 'y'\n",
            "[a](b 'c')",
            "![a](//b?c={d})",
            "    ",
            "\n\n",
            "# ",
            "---\n",
        ]
    ),
)
MARKUP = st.lists(PIECE, max_size=25).map("".join)
READABLE = MARKUP.map(
    # Control characters make a text binary, those of C1 too.
    lambda text: "".join(c for c in text if c in "\t\n\r" or unicodedata.category(c) != "Cc")
)


def assert_sound(derived: MappedText, source: str) -> None:
    assert len(derived.text) == len(derived.starts) == len(derived.ends)
    for start, end in zip(derived.starts.tolist(), derived.ends.tolist(), strict=True):
        assert 0 <= start <= end <= len(source)


@settings(max_examples=400, deadline=None)
@given(text=TEXT)
def test_normalised_text_maps_into_its_source(text: str) -> None:
    derived = normalise(MappedText.identity(text))

    assert_sound(derived, text)
    assert (derived.starts < derived.ends).all()


@settings(max_examples=400, deadline=None)
@given(text=TEXT)
def test_normalised_text_holds_none_of_what_was_to_go(text: str) -> None:
    derived = normalise(MappedText.identity(text)).text

    assert unicodedata.is_normalized("NFKC", derived)
    assert not set("\u00ad\u034f\u2060\u202a\u202c\u202d\u202e\u2066\u2069\u200b\r\x00") & set(
        derived
    )


@settings(max_examples=300, deadline=None)
@given(text=TEXT)
def test_a_code_point_kept_stands_for_one_like_it(text: str) -> None:
    derived = normalise(MappedText.identity(text))

    for at, character in enumerate(derived.text):
        span = derived.source(at, at + 1)
        source = text[span.start : span.end]
        if character.isalnum() and character.isascii() and source.isascii():
            assert character in source


@given(text=st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), max_size=200))
def test_clean_ascii_is_left_as_it_is(text: str) -> None:
    spaced = text.replace("~", " \n")
    mapped = MappedText.identity(" ".join(spaced.split(" ")))

    if "\n\n\n\n" not in mapped.text and " " * 17 not in mapped.text:
        assert normalise(mapped) is mapped


@given(text=TEXT, offset=st.integers(0, 1000))
def test_normalising_a_shifted_text_shifts_its_map(text: str, offset: int) -> None:
    here = normalise(MappedText.identity(text))
    there = normalise(MappedText.identity(text, offset=offset))

    assert here.text == there.text
    assert (there.starts - offset == here.starts).all()


@settings(max_examples=200, deadline=None)
@given(text=TEXT)
def test_hidden_messages_map_into_the_text(text: str) -> None:
    for passage in hidden_unicode(text):
        assert_sound(passage.text, text)


@pytest.mark.parametrize("claimed", ["text/plain", "text/markdown", "text/html"])
@settings(max_examples=150, deadline=None)
@given(text=READABLE)
def test_a_text_format_s_raw_text_is_its_input_and_all_maps_are_sound(
    claimed: str, text: str
) -> None:
    document = parsed(text.encode(), claimed=claimed)

    if document.media_type != "message/rfc822":
        assert document.raw_text == text.removeprefix("\ufeff")
    assert_sound(document.visible, document.raw_text)
    for passage in document.hidden:
        assert_sound(passage.text, document.raw_text)
        assert passage.text.text.strip()


@settings(max_examples=150, deadline=None)
@given(text=READABLE)
def test_no_text_is_both_seen_and_hidden_in_html(text: str) -> None:
    document = parsed(b"<!doctype html>" + text.encode())

    seen = covered(document.visible)
    for passage in document.hidden:
        assert not seen & covered(passage.text)


def covered(text: MappedText) -> set[int]:
    """Return source places of what is copied one for one."""
    return {
        int(start)
        for start, end, character in zip(text.starts, text.ends, text.text, strict=True)
        if end - start == 1 and not character.isspace()
    }


def readable(text: str, *, claimed: str | None = None) -> Document:
    """Return what the detectors would see; a text in which nothing can be read is no example."""
    try:
        return built(text, claimed=claimed)
    except DocumentUnreadableError:
        reject()


@settings(max_examples=150, deadline=None)
@given(text=READABLE)
def test_findings_point_into_the_raw_text(text: str) -> None:
    document = readable(text)

    for finding in HiddenTextDetector().scan(document):
        assert finding.span is not None
        assert finding.span.end <= len(document.raw_text)


@settings(max_examples=200, deadline=None)
@given(
    text=READABLE,
    words=st.integers(1, 30),
    share=st.floats(0, 0.9),
    mention=st.tuples(st.integers(0, 60), st.integers(0, 60)),
)
def test_chunks_are_pieces_of_the_text_and_mentions_lie_inside(
    text: str, words: int, share: float, mention: tuple[int, int]
) -> None:
    document = readable(text)
    span = Span(min(mention), max(mention))

    chunks = chunk(document, words=words, overlap_words=int(words * share), mentions=[span])

    assert [piece.ordinal for piece in chunks] == list(range(len(chunks)))
    for piece in chunks:
        assert piece.text.strip() == piece.text != ""
        assert piece.text in document.text.text
        assert piece.span.end <= len(document.raw_text)
        for inside in piece.mentions:
            assert 0 <= inside.start < inside.end <= len(piece.text)
        if span.start < span.end and span.start <= piece.span.start and piece.span.end <= span.end:
            assert piece.mentions == (Span(0, len(piece.text)),)


@settings(max_examples=100, deadline=None)
@given(text=READABLE, words=st.integers(2, 20))
def test_no_word_is_lost_between_chunks(text: str, words: int) -> None:
    document = readable(text, claimed="text/plain")
    lost = document.text.text

    for piece in chunk(document, words=words, overlap_words=0, mentions=[]):
        for word in (*piece.text.split(), *piece.heading.replace(" > ", " ").split()):
            lost = lost.replace(word, " ", 1)

    # Only the marks of headings and what is longer than a heading may be stay behind.
    assert not any(character.isalnum() for character in lost) or "#" in text or "--" in text


@pytest.mark.anyio
async def test_inline_parser_and_registry_agree() -> None:
    document = await InlineParser().parse(b"# a", claimed_media_type=None, file_name=None)

    assert isinstance(document, ParsedDocument)
