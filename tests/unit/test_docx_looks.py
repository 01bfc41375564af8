"""What Word leaves unseen by its styles, its drawings and the parts that it does not open."""

from __future__ import annotations

import pytest

from evaluation.injection.file_makers import relationships
from tests.parser_samples import PROSE, WORD, docx, found, paragraph, parsed, run

SEEN = paragraph(run("Plain words."), properties='<w:pStyle w:val="Seen"/>')
OWN = (
    '<w:style w:type="paragraph" w:styleId="Seen"><w:name w:val="seen"/><w:rPr>'
    '<w:vanish w:val="0"/><w:color w:val="000000"/></w:rPr></w:style>'
)
W14 = 'xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
DRAWING = 'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
BOX = f"<w:txbxContent>{paragraph(run(PROSE))}</w:txbxContent>"


def styles(inner: str) -> str:
    return f'<w:styles xmlns:w="{WORD}">{inner}{OWN}</w:styles>'


def text_fill(inner: str) -> str:
    return f"<w14:textFill {W14}>{inner}</w14:textFill>"


def drawn(inner: str) -> str:
    return f"<w:p><w:r><w:drawing>{inner}</w:drawing></w:r></w:p>"


def anchored(across: int, properties: str = "") -> str:
    return drawn(
        f"<wp:anchor {DRAWING}><wp:positionH><wp:posOffset>{across}</wp:posOffset>"
        f'</wp:positionH><wp:docPr id="1" name="x"{properties}/>{BOX}</wp:anchor>'
    )


@pytest.mark.parametrize(
    ("body", "channel"),
    [
        (paragraph(run(PROSE, text_fill("<w14:noFill/>"))), "docx-transparent"),
        (
            paragraph(
                run(
                    PROSE,
                    text_fill(
                        '<w14:solidFill><w14:srgbClr w14:val="000000"><w14:alpha w14:val="100000"/>'
                        "</w14:srgbClr></w14:solidFill>"
                    ),
                )
            ),
            "docx-transparent",
        ),
        (
            paragraph(
                run(
                    PROSE,
                    text_fill('<w14:solidFill><w14:srgbClr w14:val="FFFFFF"/></w14:solidFill>'),
                )
            ),
            "docx-white",
        ),
        (paragraph(run(PROSE, '<w:w w:val="1"/>')), "docx-tiny"),
        (paragraph(run(PROSE, '<w:spacing w:val="-400"/>')), "docx-tiny"),
        (paragraph(run(PROSE, '<w:position w:val="-3000"/>')), "docx-off-page"),
        (
            paragraph(run(PROSE, '<w:color w:val="FFFF10"/><w:highlight w:val="yellow"/>')),
            "docx-colour-on-colour",
        ),
        (
            paragraph(
                run(PROSE),
                properties='<w:spacing w:line="1" w:lineRule="exact"/>',
            ),
            "docx-tiny",
        ),
        (paragraph(run(PROSE), properties='<w:ind w:left="-30000"/>'), "docx-off-page"),
        (paragraph(run(PROSE), properties='<w:framePr w:x="-20000"/>'), "docx-off-page"),
        (anchored(-9_144_000), "docx-off-page"),
        (anchored(0, ' hidden="1"'), "docx-vanish"),
        (
            "<w:p><w:r><w:pict><v:shape xmlns:v='urn:schemas-microsoft-com:vml' "
            f"style='visibility: hidden'>{BOX}</v:shape></w:pict></w:r></w:p>",
            "docx-vanish",
        ),
        (
            "<w:tbl><w:tr><w:trPr><w:hidden/></w:trPr>"
            f"<w:tc>{paragraph(run(PROSE))}</w:tc></w:tr></w:tbl>",
            "docx-vanish",
        ),
        (
            '<w:tbl><w:tr><w:trPr><w:trHeight w:val="1" w:hRule="exact"/></w:trPr>'
            f"<w:tc>{paragraph(run(PROSE))}</w:tc></w:tr></w:tbl>",
            "docx-tiny",
        ),
    ],
)
def test_what_word_does_not_show_is_hidden(body: str, channel: str) -> None:
    document = parsed(docx(SEEN + body))

    assert document.visible.text.strip() == "Plain words."
    assert found(document) == [(channel, PROSE, False)]


@pytest.mark.parametrize(
    ("inner", "body", "channel"),
    [
        (
            "<w:docDefaults><w:rPrDefault><w:rPr><w:vanish/></w:rPr></w:rPrDefault></w:docDefaults>",
            paragraph(run(PROSE)),
            "docx-vanish",
        ),
        (
            '<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/>'
            '<w:rPr><w:color w:val="FFFFFF"/></w:rPr></w:style>',
            paragraph(run(PROSE)),
            "docx-white",
        ),
        (
            '<w:style w:type="table" w:styleId="T"><w:name w:val="T"/>'
            '<w:rPr><w:color w:val="FFFFFF"/></w:rPr></w:style>',
            '<w:tbl><w:tblPr><w:tblStyle w:val="T"/></w:tblPr><w:tr><w:tc>'
            f"{paragraph(run(PROSE))}</w:tc></w:tr></w:tbl>",
            "docx-white",
        ),
    ],
)
def test_what_styles_say_of_everything_counts(inner: str, body: str, channel: str) -> None:
    document = parsed(docx(SEEN + body, {"word/styles.xml": styles(inner)}))

    assert "warranty" not in document.visible.text
    assert (channel, PROSE, False) in found(document)


@pytest.mark.parametrize(
    "body",
    [
        paragraph(run(PROSE, '<w:color w:val="FFFFFF"/><w:highlight w:val="black"/>')),
        paragraph(run(PROSE, '<w:color w:val="FFFFFF"/><w:shd w:val="solid" w:color="000000"/>')),
        paragraph(run(PROSE, '<w:w w:val="80"/><w:spacing w:val="-10"/>')),
        paragraph(run(PROSE), properties='<w:ind w:left="-720"/>'),
        paragraph(run(PROSE), properties='<w:spacing w:line="240" w:lineRule="exact"/>'),
        anchored(914_400),
        drawn(f'<wp:inline {DRAWING}><wp:docPr id="1" name="x"/>{BOX}</wp:inline>'),
        '<w:tbl><w:tblPr><w:tblStyle w:val="Dark"/></w:tblPr><w:tr><w:tc>'
        f"{paragraph(run(PROSE))}</w:tc></w:tr></w:tbl>",
        '<w:tbl><w:tblPr><w:tblStyle w:val="Light"/></w:tblPr><w:tr><w:tc><w:tcPr>'
        f'<w:shd w:val="clear" w:fill="203040"/></w:tcPr>{paragraph(run(PROSE))}</w:tc></w:tr>'
        "</w:tbl>",
    ],
)
def test_what_word_shows_stays(body: str) -> None:
    inner = (
        '<w:style w:type="table" w:styleId="Dark"><w:name w:val="D"/><w:rPr><w:color '
        'w:val="FFFFFF"/></w:rPr><w:tcPr><w:shd w:val="clear" w:fill="102030"/></w:tcPr></w:style>'
        '<w:style w:type="table" w:styleId="Light"><w:name w:val="L"/><w:rPr><w:color '
        'w:val="FFFFFF"/></w:rPr></w:style>'
    )

    document = parsed(docx(SEEN + body, {"word/styles.xml": styles(inner)}))

    assert PROSE in document.visible.text
    assert found(document) == []


def test_a_part_that_the_document_does_not_name_is_hidden() -> None:
    story = f'<w:hdr xmlns:w="{WORD}">{paragraph(run("{}"))}</w:hdr>'
    parts = {
        "word/header1.xml": story.format("Shown above."),
        "word/header7.xml": story.format(PROSE),
        "word/_rels/document.xml.rels": relationships([("header", "header1.xml")]),
    }

    document = parsed(docx(SEEN, parts))

    assert "Shown above." in document.visible.text
    assert found(document) == [("docx-unlinked-part", PROSE, False)]


def test_the_part_that_word_opens_is_the_document() -> None:
    opened = (
        f'<w:document xmlns:w="{WORD}"><w:body>{paragraph(run("Opened."))}</w:body></w:document>'
    )
    parts = {
        "word/second.xml": opened,
        "_rels/.rels": relationships([("officeDocument", "word/second.xml")]),
        "word/_rels/second.xml.rels": relationships([("styles", "styles.xml")]),
    }

    document = parsed(docx(paragraph(run(PROSE)), parts))

    assert document.visible.text.strip() == "Opened."
    assert found(document) == [("docx-unlinked-part", PROSE, False)]


def test_a_page_that_word_would_take_in_is_said_not_to_be_read() -> None:
    parts = {
        "word/page.html": f"<p>{PROSE}</p>",
        "word/_rels/document.xml.rels": relationships([("aFChunk", "page.html")]),
    }

    assert "docx-embedded-object" in parsed(docx(SEEN, parts)).warnings
