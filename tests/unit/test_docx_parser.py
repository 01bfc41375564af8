from __future__ import annotations

import io

import docx as python_docx
import pytest

from domain.errors import DocumentUnreadableError
from ingest.parsers.docx import MAX_XML_BYTES
from tests.parser_samples import PROSE, WORD, docx, found, paragraph, parsed, run

SEEN = paragraph(run("Plain words."))
STYLES = (
    f'<w:styles xmlns:w="{WORD}">'
    '<w:style w:styleId="H2"><w:name w:val="heading 2"/></w:style>'
    '<w:style w:styleId="Base"><w:name w:val="b"/><w:rPr><w:vanish/></w:rPr></w:style>'
    '<w:style w:styleId="Ghost"><w:name w:val="g"/><w:basedOn w:val="Base"/></w:style>'
    '<w:style w:styleId="Ring"><w:name w:val="r"/><w:basedOn w:val="Ring"/></w:style>'
    "</w:styles>"
)


@pytest.mark.parametrize(
    ("body", "channel"),
    [
        (paragraph(run(PROSE, "<w:vanish/>")), "docx-vanish"),
        (paragraph(run(PROSE, '<w:color w:val="FFFFFF"/>')), "docx-white"),
        (paragraph(run(PROSE, '<w:color w:val="FDFDFE"/>')), "docx-white"),
        (paragraph(run(PROSE, '<w:color w:themeColor="background1"/>')), "docx-white"),
        (paragraph(run(PROSE, '<w:sz w:val="2"/>')), "docx-tiny"),
        (
            paragraph(run(PROSE, '<w:color w:val="112233"/><w:shd w:fill="112233"/>')),
            "docx-colour-on-colour",
        ),
        (paragraph(run(PROSE, '<w:rStyle w:val="Ghost"/>')), "docx-vanish"),
        (paragraph(run(PROSE), properties='<w:pStyle w:val="Ghost"/>'), "docx-vanish"),
        (
            f"<w:p><w:del><w:r><w:delText>{PROSE}</w:delText></w:r></w:del></w:p>",
            "docx-deleted-revision",
        ),
        (f"<w:p><w:moveFrom>{run(PROSE)}</w:moveFrom></w:p>", "docx-deleted-revision"),
        (
            f"<w:tbl><w:tr><w:tc>{paragraph(run(PROSE, '<w:vanish/>'))}</w:tc></w:tr></w:tbl>",
            "docx-vanish",
        ),
    ],
)
def test_hidden_text_is_taken_out_and_named_by_its_channel(body: str, channel: str) -> None:
    document = parsed(docx(SEEN + body, {"word/styles.xml": STYLES}))

    assert "warranty" not in document.visible.text
    assert "Plain words." in document.visible.text
    assert found(document) == [(channel, PROSE, False)]


@pytest.mark.parametrize(
    "body",
    [
        paragraph(run(PROSE, '<w:vanish w:val="0"/>')),
        paragraph(run(PROSE, '<w:color w:val="FFFFFF"/><w:shd w:fill="000080"/>')),
        paragraph(run(PROSE, '<w:color w:val="FFFFFF"/><w:highlight w:val="black"/>')),
        "<w:tbl><w:tr><w:tc><w:tcPr><w:shd w:fill='1F3864'/></w:tcPr>"
        + paragraph(run(PROSE, '<w:color w:val="FFFFFF"/>'))
        + "</w:tc></w:tr></w:tbl>",
        paragraph(run(PROSE, '<w:sz w:val="12"/>')),
        f"<w:p><w:ins>{run(PROSE)}</w:ins></w:p>",
        paragraph(run(PROSE, '<w:rStyle w:val="Ring"/>')),
    ],
)
def test_what_can_be_seen_stays(body: str) -> None:
    document = parsed(docx(SEEN + body, {"word/styles.xml": STYLES}))

    assert PROSE in document.visible.text
    assert document.hidden == ()


def test_structure_is_marked() -> None:
    cells = "".join(f"<w:tc>{paragraph(run(text))}</w:tc>" for text in ("a", "b"))
    body = (
        paragraph(run("Part"), properties='<w:pStyle w:val="H2"/>')
        + paragraph(run("item"), properties="<w:numPr/>")
        + f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>"
    )

    text = parsed(docx(body, {"word/styles.xml": STYLES})).visible.text

    assert [" ".join(line.split()) for line in text.split("\n") if line] == [
        "## Part",
        "- item",
        "a | b",
    ]


def test_comments_headers_and_properties_are_read() -> None:
    story = f'<w:hdr xmlns:w="{WORD}">{paragraph(run("Top of page"))}</w:hdr>'
    comments = (
        f'<w:comments xmlns:w="{WORD}"><w:comment>{paragraph(run(PROSE))}</w:comment></w:comments>'
    )
    core = (
        '<c:coreProperties xmlns:c="urn:c" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        "<dc:title>Pump manual</dc:title><dc:creator>A. Writer</dc:creator></c:coreProperties>"
    )

    document = parsed(
        docx(
            SEEN,
            {
                "word/header1.xml": story,
                "word/comments.xml": comments,
                "docProps/core.xml": core,
                "word/vbaProject.bin": "x",
            },
        )
    )

    assert [part.locator for part in document.parts] == ["header1", "body", "comments"]
    assert found(document) == [("docx-comment", PROSE, True)]
    assert [(f.name, f.value) for f in document.metadata] == [
        ("title", "Pump manual"),
        ("author", "A. Writer"),
    ]
    assert document.warnings == ("docx-macros",)


def test_a_file_of_a_word_processor_s_library_is_read() -> None:
    made = python_docx.Document()
    made.add_heading("Pump manual", level=1)
    made.add_paragraph("Replace the filter in June.")
    made.add_paragraph("first", style="List Bullet")
    out = io.BytesIO()
    made.save(out)

    document = parsed(out.getvalue())

    assert "# Pump manual" in document.visible.text
    assert "Replace the filter in June." in document.visible.text
    assert [p for p in document.hidden if not p.benign] == []


@pytest.mark.slow
def test_parts_that_inflate_beyond_the_budget_end_it() -> None:
    content = docx(paragraph(run("a" * (MAX_XML_BYTES + 1))))

    with pytest.raises(DocumentUnreadableError) as caught:
        parsed(content)

    assert len(content) * 100 < MAX_XML_BYTES
    assert caught.value.reason == "zip-bomb"


@pytest.mark.parametrize(
    ("xml", "reason"),
    [
        (
            '<!DOCTYPE d [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
            f'<w:document xmlns:w="{WORD}"><w:body>&b;</w:body></w:document>',
            "xml-doctype",
        ),
        (
            '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
            f'<w:document xmlns:w="{WORD}"><w:body>&x;</w:body></w:document>',
            "xml-doctype",
        ),
        ("<w:document", "xml-broken"),
        ("", "xml-broken"),
    ],
)
def test_malformed_or_expanding_xml_is_refused(xml: str, reason: str) -> None:
    with pytest.raises(DocumentUnreadableError) as caught:
        parsed(docx("", document=xml))

    assert caught.value.reason == reason
