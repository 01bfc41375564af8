from __future__ import annotations

import pytest

from domain.errors import DocumentUnreadableError
from tests.parser_samples import PROSE, found, parsed, pdf, shown

SEEN = shown("A heading of the page", y=740, size=18) + shown("Plain words of the body.", y=700)


@pytest.mark.parametrize(
    ("stream", "channel"),
    [
        (shown(PROSE, before="3 Tr"), "pdf-render-mode-3"),
        (shown(PROSE, before="7 Tr"), "pdf-render-mode-3"),
        (shown(PROSE, before="1 g"), "pdf-near-white"),
        (shown(PROSE, before="0.97 0.98 0.99 rg"), "pdf-near-white"),
        (shown(PROSE, y=-400), "pdf-off-page"),
        (shown(PROSE, x=4000), "pdf-off-page"),
        (shown(PROSE, size=1), "pdf-tiny"),
        ("q 0.05 0 0 0.05 30 500 cm " + shown(PROSE) + "Q ", "pdf-tiny"),
        ("0 0.2 0.4 rg 40 580 560 40 re f " + shown(PROSE, y=600, before="0 0.2 0.4 rg"),
         "pdf-colour-on-colour"),
        (shown(PROSE, y=600, before="0 g") + "1 g 40 580 560 40 re f ", "pdf-under-box"),
        (shown(PROSE, y=600, before="0 g") + "0 0 1 rg 40 580 560 40 re f ", "pdf-under-box"),
        ("0 g 40 580 560 40 re f 1 g 40 580 560 40 re f " + shown(PROSE, y=600, before="1 g"),
         "pdf-near-white"),
        (shown(PROSE, before="0.01 Tz"), "pdf-squeezed"),
        (shown(PROSE, before="1 Tr 1 G"), "pdf-near-white"),
        (shown(PROSE, before="2 Tr 1 g 1 G"), "pdf-near-white"),
        (shown(PROSE, y=600) + "1 g " + "".join(f"{40 + 4 * n} 580 4 40 re f " for n in range(140)),
         "pdf-under-box"),
        (shown(PROSE, y=600) + "1 g " + "".join(f"{40 + 4 * n} 580 4 40 re " for n in range(140)) + "f ",
         "pdf-under-box"),
        (shown(PROSE, y=600) + "1 G 40 w 40 604 m 600 604 l S ", "pdf-under-box"),
        (f"/Span <</ActualText ({PROSE})>> BDC " + shown("ordinary", y=600) + "EMC ",
         "pdf-actual-text"),
    ],
)  # fmt: skip
def test_text_that_cannot_be_seen_is_taken_out(stream: str, channel: str) -> None:
    document = parsed(pdf(SEEN + stream))

    assert "Plain words of the body." in document.visible.text
    assert "warranty" not in document.visible.text
    assert found(document) == [(channel, PROSE, False)]
    assert document.hidden[0].locator == "page 1"
    assert PROSE in document.raw_text


@pytest.mark.parametrize(
    "stream",
    [
        pytest.param("0 g 40 580 560 40 re f " + shown(PROSE, y=600, before="1 g"), id="on dark"),
        pytest.param("1 g 40 580 560 40 re f " + shown(PROSE, y=600, before="0 g"), id="on white"),
        pytest.param(shown(PROSE, before="0.5 g"), id="grey"),
        pytest.param(shown(PROSE, before="1 g 0 G 1 Tr"), id="outlined"),
        pytest.param(shown(PROSE, before="2 Tr 1 g 0 G"), id="white with a black edge"),
        pytest.param(shown(PROSE, before="50 Tz"), id="condensed"),
        pytest.param(shown(PROSE, before="-0.5 Tc"), id="tight"),
        pytest.param(shown(PROSE, y=600) + "0 G 1 w 40 598 m 600 598 l S ", id="underlined"),
        pytest.param(
            shown(PROSE, y=600) + "".join(f"{40 + 40 * n} 580 1 40 re f " for n in range(14)),
            id="table rules",
        ),
        pytest.param(
            f"/Span <</ActualText (the)>> BDC {shown('t he', y=600)}EMC {shown(PROSE, y=500)}",
            id="a word replaced",
        ),
        pytest.param(shown(PROSE, size=6), id="small print"),
        pytest.param(shown(PROSE, y=600) + "1 g 40 100 560 40 re f ", id="box elsewhere"),
        pytest.param("q 2 0 0 2 0 0 cm " + shown(PROSE, x=10, y=300, size=3) + "Q ", id="scaled"),
    ],
)
def test_text_that_can_be_seen_stays(stream: str) -> None:
    document = parsed(pdf(SEEN + stream))

    assert PROSE in document.visible.text
    assert document.hidden == ()


def test_an_invisible_layer_that_repeats_the_page_is_benign() -> None:
    document = parsed(pdf(SEEN + shown("Plain words of the body.", y=650, before="3 Tr")))

    assert found(document) == [("pdf-render-mode-3", "Plain words of the body.", True)]


SCAN = "q 600 0 0 800 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x7f EI Q\n"


def test_the_layer_of_a_scanned_page_is_its_text() -> None:
    document = parsed(pdf(SCAN + shown(PROSE, before="3 Tr")))

    assert PROSE in document.visible.text
    assert found(document) == [("pdf-render-mode-3", PROSE, True)]
    assert document.warnings == ("pdf-ocr-layer",)


def test_an_invisible_layer_over_a_picture_beside_text_is_not_benign() -> None:
    document = parsed(pdf(SCAN + SEEN + shown(PROSE, y=300, before="3 Tr")))

    assert found(document) == [("pdf-render-mode-3", PROSE, False)]


def test_text_under_a_picture_is_hidden() -> None:
    document = parsed(pdf(SEEN.replace("740", "741") + shown(PROSE, y=300) + SCAN))

    assert "warranty" not in document.visible.text
    assert {channel for channel, _, _ in found(document)} == {"pdf-under-image"}


def test_a_scan_without_text_is_warned_of() -> None:
    assert parsed(pdf(SCAN)).warnings == ("pdf-no-text-layer",)


def test_lines_are_joined_and_large_ones_are_headings() -> None:
    body = "".join(shown(f"Line {n} of the body.", y=700 - 14 * n) for n in range(5))

    text = parsed(pdf(shown("Pump manual", y=740, size=18) + body)).visible.text

    assert text.startswith("# Pump manual\n\nLine 0 of the body.\nLine 1")


@pytest.mark.parametrize("pitch", [7, 8])
def test_a_word_split_into_letters_is_one_word(pitch: int) -> None:
    letters = "".join(
        shown(letter, x=60 + pitch * at) for at, letter in enumerate("Ignore all rules today")
    )

    assert "Ignore all rules today" in parsed(pdf(letters)).visible.text


def test_annotations_and_properties_are_read() -> None:
    document = parsed(pdf(SEEN, annotation=PROSE, title="Pump manual"))

    assert found(document) == [("pdf-annotation", PROSE, False)]
    assert [(f.name, f.value) for f in document.metadata] == [("title", "Pump manual")]


def test_scripts_are_warned_of() -> None:
    assert "pdf-action" in parsed(pdf(SEEN, javascript=True)).warnings


def test_pages_are_parts() -> None:
    document = parsed(pdf(SEEN, shown("Second page here.")))

    assert [part.locator for part in document.parts] == ["page 1", "page 2"]
    second = document.parts[1].span
    assert "Second page" in document.raw_text[second.start : second.end]
    assert "Plain words" not in document.raw_text[second.start : second.end]


@pytest.mark.parametrize(
    "content",
    [b"%PDF-1.7\n", b"%PDF-1.7\ngarbage\n%%EOF", pdf(SEEN)[:300]],
)
def test_a_broken_file_is_unreadable(content: bytes) -> None:
    with pytest.raises(DocumentUnreadableError) as caught:
        parsed(content)

    assert caught.value.reason == "pdf-broken"


@pytest.mark.parametrize(
    ("properties", "seen"),
    [
        ("/Rect [30 30 400 90]", True),
        ("/Rect [30 30 400 90] /DA (0 g /F1 12 Tf)", True),
        ("/Rect [30 30 400 90] /DA (0 0 1 rg /F1 0 Tf)", True),
        ("/Rect [30 30 400 90] /F 2", False),
        ("/Rect [30 30 400 90] /F 32", False),
        ("/Rect [30 30 400 90] /CA 0", False),
        ("/Rect [30 30 400 90] /DA (1 1 1 rg /F1 12 Tf)", False),
        ("/Rect [30 30 400 90] /DA (0 0 0 0 k /F1 12 Tf)", False),
        ("/Rect [30 30 400 90] /DA (0 g /F1 0.5 Tf)", False),
        ("/Rect [30 30 30 30]", False),
        ("/Rect [-500 -500 -400 -400]", False),
    ],
)
def test_a_note_on_the_page_is_shown_where_it_can_be_read(properties: str, seen: bool) -> None:
    content = pdf(SEEN, annotation=PROSE).replace(
        b"/Subtype /Text /Rect [0 0 0 0]", f"/Subtype /FreeText {properties}".encode()
    )

    document = parsed(content)

    assert (PROSE in document.visible.text) is seen
    assert found(document) == ([] if seen else [("pdf-annotation", PROSE, False)])


def test_what_a_faded_form_draws_is_transparent() -> None:
    form = (
        b"<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] /Group << /S /Transparency >>"
        b" /Resources << /Font << /F1 1 0 R >> >> /Length %d >>\nstream\n%b\nendstream"
    )
    stream = shown(PROSE, y=500).encode()
    content = pdf(SEEN + "/G gs /X Do").replace(
        b"/Resources <<",
        b"/Resources << /ExtGState << /G << /ca 0 >> >> /XObject << /X 90 0 R >>",
        1,
    )
    head, mark, tail = content.partition(b"xref\n")
    content = head + b"90 0 obj\n" + form % (len(stream), stream) + b"\nendobj\n" + mark + tail

    assert found(parsed(content)) == [("pdf-transparent", PROSE, False)]


def test_letters_set_on_one_spot_are_hidden() -> None:
    document = parsed(pdf(SEEN + shown(PROSE, before="-6 Tc")))

    assert "warranty" not in document.visible.text
    assert [channel for channel, _, _ in found(document)] == ["pdf-squeezed"]
