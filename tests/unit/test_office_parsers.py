"""PPTX, XLSX, EPUB, CSV, JSON and a PDF's other places: what is seen, what is not, what breaks."""

from __future__ import annotations

import contextlib
import html
import io
import json
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.documents import ParsedDocument
from domain.errors import DocumentUnreadableError, MithridateError
from evaluation.injection import file_makers as make
from evaluation.injection import hidden_files
from ingest.parsers.archive import MAX_XML_BYTES
from tests.parser_samples import PROSE, found, parsed

CARRIER = "The reading room opens at nine. It closes at six.\n\nBags stay in the lockers."
CHANNELS = {
    "pdf_clipped": "pdf-clipped",
    "pdf_layer": "pdf-layer",
    "pdf_bookmark": "pdf-bookmark",
    "pdf_attachment": "pdf-attachment",
    "pdf_script": "pdf-script",
    "docx_vanish": "docx-vanish",
    "docx_narrow": "docx-tiny",
    "pdf_squeezed": "pdf-squeezed",
    "pdf_white_outline": "pdf-near-white",
    "mail_other_page": "mail-alternative",
    "pptx_no_fill": "pptx-transparent",
    "zip_in_name": "docx-vanish",
    "pptx_notes": "pptx-notes",
    "pptx_off_slide": "pptx-off-slide",
    "pptx_hidden_shape": "pptx-hidden-shape",
    "pptx_tiny": "pptx-tiny",
    "pptx_white": "pptx-white",
    "pptx_hidden_slide": "pptx-hidden-slide",
    "xlsx_hidden_sheet": "xlsx-hidden-sheet",
    "xlsx_hidden_row": "xlsx-hidden-row",
    "xlsx_hidden_column": "xlsx-hidden-column",
    "xlsx_white": "xlsx-white",
    "xlsx_comment": "xlsx-comment",
    "epub_display_none": "html-display-none",
    "epub_comment": "html-comment",
}
WORDS = st.lists(
    st.text(alphabet="abcdefghijé&<>ü漢字", min_size=1, max_size=12), min_size=3, max_size=8
).map(" ".join)


def flat(text: str) -> str:
    return " ".join(text.split())


def source_of(document: ParsedDocument, number: int) -> str:
    passage = document.hidden[number].text
    span = passage.source(0, len(passage.text))
    return document.raw_text[span.start : span.end]


@pytest.mark.parametrize(("name", "channel"), CHANNELS.items())
def test_what_a_reader_cannot_see_is_apart(name: str, channel: str) -> None:
    sample = hidden_files.hide(name, PROSE, CARRIER, seed=1)

    document = parsed(sample.content, file_name=sample.file_name)

    texts = {channel: text for channel, text, _ in found(document)}
    assert PROSE in texts[channel]
    assert PROSE not in flat(document.visible.text)
    assert "The reading room opens at nine" in flat(document.visible.text)
    assert "type-mismatch" not in document.warnings


@pytest.mark.parametrize("name", CHANNELS)
def test_hidden_text_maps_to_where_it_stands(name: str) -> None:
    sample = hidden_files.hide(name, PROSE, CARRIER, seed=1)

    document = parsed(sample.content, file_name=sample.file_name)

    channels = [channel for channel, _, _ in found(document)]
    assert PROSE in flat(source_of(document, channels.index(CHANNELS[name])))


@given(shown=WORDS, hidden=WORDS)
def test_slides_map_to_the_raw_text(shown: str, hidden: str) -> None:
    deck = make.pptx_bytes(
        [make.slide_shape(shown, run="/>") + make.slide_shape(hidden, hidden=True, run="/>")]
    )

    document = parsed(deck)

    assert flat(document.visible.text) == flat(shown)
    assert flat(source_of(document, 0)) == flat(hidden)


@given(rows=st.lists(st.lists(WORDS, min_size=2, max_size=4), min_size=2, max_size=5))
def test_sheets_map_to_the_raw_text(rows: list[list[str]]) -> None:
    book = make.xlsx_bytes([("Data", make.sheet_rows(rows, hide_row=2))])

    document = parsed(book)

    assert flat(rows[0][0]) in flat(document.visible.text)
    assert flat(source_of(document, 0)) == flat(" | ".join(cell.strip() for cell in rows[1]))


@given(shown=WORDS, hidden=WORDS)
def test_books_map_to_the_raw_text(shown: str, hidden: str) -> None:
    body = f"<p>{html.escape(shown)}</p><p hidden=''>{html.escape(hidden)}</p>"

    document = parsed(make.epub_bytes([body]))

    assert flat(document.visible.text) == flat(shown)
    assert flat(html.unescape(source_of(document, 0))) == flat(hidden)


@given(rows=st.lists(st.tuples(WORDS, WORDS), min_size=2, max_size=6))
def test_csv_shows_cells_and_maps_them(rows: list[tuple[str, str]]) -> None:
    raw = "".join(f'{one},"{two}"\n' for one, two in rows)

    document = parsed(raw.encode(), claimed="text/csv", file_name="a.csv")

    assert document.media_type == "text/csv"
    assert document.raw_text == raw
    assert document.visible.text == "".join(f"{one} | {two}\n" for one, two in rows)
    for at, character in enumerate(document.visible.text):
        if character.isalpha():
            span = document.visible.source(at, at + 1)
            assert raw[span.start : span.end] == character


@given(value=st.text(max_size=60))
def test_json_strings_are_read_as_a_program_reads_them(value: str) -> None:
    raw = json.dumps({"note": value})

    document = parsed(raw.encode(), file_name="a.json")

    assert document.media_type == "application/json"
    assert document.raw_text == raw
    plain = "".join(c for c in value if c.isprintable() and ord(c) < 0x10000)
    shown = document.visible.text
    assert all(c in shown for c in plain if not 0xD800 <= ord(c) <= 0xDFFF)


def test_slides_come_in_the_order_of_the_show_with_headings() -> None:
    title = make.slide_shape("Prices", run="/>").replace(
        "</p:nvSpPr>", '<p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr>'
    )

    document = parsed(make.pptx_bytes([title, make.slide_shape("Second", run="/>")]))

    assert document.visible.text.startswith("# Prices\n")
    assert [part.locator for part in document.parts] == ["slide 1", "slide 2"]


def test_white_text_on_a_filled_shape_is_seen() -> None:
    white = '><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill></a:rPr>'
    shape = make.slide_shape(PROSE, run=white).replace(
        "</a:xfrm></p:spPr>",
        '</a:xfrm><a:solidFill><a:srgbClr val="113355"/></a:solidFill></p:spPr>',
    )

    document = parsed(make.pptx_bytes([shape]))

    assert document.hidden == ()
    assert PROSE in document.visible.text


def test_a_book_page_out_of_its_order_is_hidden() -> None:
    content = make.epub_bytes(["<p>Shown.</p>", f"<p>{PROSE}</p>"])
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<c><rootfiles><rootfile full-path="b.opf"/></rootfiles></c>',
        "b.opf": (
            '<p><manifest><item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
            '<item id="b" href="b.xhtml" media-type="application/xhtml+xml"/></manifest>'
            '<spine><itemref idref="a"/></spine></p>'
        ),
        "a.xhtml": "<html><body><p>Shown.</p></body></html>",
        "b.xhtml": f"<html><body><p>{PROSE}</p></body></html>",
    }

    whole = parsed(content)
    document = parsed(make.zip_bytes(parts))

    assert whole.hidden == ()
    assert document.visible.text.strip() == "Shown."
    assert found(document) == [("epub-unlisted-page", PROSE, False)]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (make.zip_bytes({"xl/workbook.xml": "<workbook"}), "xml-broken"),
        (make.zip_bytes({"ppt/presentation.xml": "<!DOCTYPE p [<!ENTITY a 'b'>]><p>&a;</p>"}), "xml-doctype"),
        (make.zip_bytes({"META-INF/container.xml": "<c/>"}), "epub-broken"),
        (make.pptx_bytes([make.slide_shape("x", run="/>")])[:-30], "zip-broken"),
        (make.xlsx_bytes([("A", make.sheet_rows([["x" * (MAX_XML_BYTES + 1)]]))]), "zip-bomb"),
        (make.epub_bytes(["<p>" + "x" * (MAX_XML_BYTES + 1) + "</p>"]), "zip-bomb"),
        (make.pptx_bytes([make.slide_shape("x" * (MAX_XML_BYTES + 1), run="/>")]), "zip-bomb"),
    ],
    ids=["sheet", "slides with entities", "book", "cut off", "sheet bomb", "book bomb", "slide bomb"],
)  # fmt: skip
def test_what_is_broken_or_a_bomb_is_unreadable(content: bytes, reason: str) -> None:
    with pytest.raises(DocumentUnreadableError) as caught:
        parsed(content)

    assert caught.value.reason == reason


def test_a_books_own_style_sheets_hide_what_they_hide() -> None:
    with zipfile.ZipFile(
        io.BytesIO(make.epub_bytes([f"<p class='k'>{PROSE}</p><p>Seen.</p>"]))
    ) as old:
        parts = {name: old.read(name).decode() for name in old.namelist()}
    parts["OEBPS/c1.xhtml"] = parts["OEBPS/c1.xhtml"].replace(
        "<head>", "<head><link rel='stylesheet' href='css/book.css'/>"
    )
    parts["OEBPS/css/book.css"] = "@import 'base.css'; p { color: #222 }"
    parts["OEBPS/css/base.css"] = ".k { display: none }"

    document = parsed(make.zip_bytes(parts))

    assert document.visible.text.strip() == "Seen."
    assert [channel for channel, text, _ in found(document) if text == PROSE] == [
        "html-display-none"
    ]


@pytest.mark.parametrize("build", ["pptx", "xlsx", "epub"])
@given(noise=st.binary(max_size=200), at=st.integers(min_value=0, max_value=2_000))
def test_a_damaged_file_ends_in_a_clean_error_or_a_text(build: str, noise: bytes, at: int) -> None:
    whole = {
        "pptx": make.pptx_bytes([make.slide_shape(PROSE, run="/>")]),
        "xlsx": make.xlsx_bytes([("Data", make.sheet_rows([[PROSE]]))]),
        "epub": make.epub_bytes([f"<p>{PROSE}</p>"]),
    }[build]
    damaged = whole[:at] + noise + whole[at + len(noise) :]

    with contextlib.suppress(MithridateError):
        assert len(parsed(damaged).raw_text) < 10_000
