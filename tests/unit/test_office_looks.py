"""What a sheet and a slide leave unseen by how their text is painted and where it stands."""

from __future__ import annotations

import html
import io
import zipfile

import pytest

from evaluation.injection import file_makers as make
from tests.parser_samples import PROSE, found, parsed

A = "http://schemas.openxmlformats.org/drawingml/2006/main"
P = "http://schemas.openxmlformats.org/presentationml/2006/main"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
WHITE = '<color rgb="FFFFFFFF"/>'
CELL = f'<c r="A2" s="1" t="inlineStr"><is><t>{PROSE}</t></is></c>'
SEEN_ROW = '<row r="1" ht="15"><c r="A1" t="inlineStr"><is><t>Seen.</t></is></c></row>'


def solid(rgb: str) -> str:
    return f'<fill><patternFill patternType="solid"><fgColor rgb="FF{rgb}"/></patternFill></fill>'


def book(cell: str, *, font: str = "", fill: str = "", code: str = "", around: str = "") -> bytes:
    styles = (
        f'<styleSheet xmlns="{SHEET}"><numFmts><numFmt numFmtId="200" '
        f'formatCode="{html.escape(code)}"/></numFmts><fonts><font/><font>{font}</font></fonts>'
        f"<fills><fill/>{fill or '<fill/>'}</fills><cellXfs><xf/>"
        f'<xf fontId="1" fillId="1" numFmtId="{200 if code else 0}"/></cellXfs></styleSheet>'
    )
    rows = f'<sheetData>{SEEN_ROW}<row r="2">{cell}</row></sheetData>'
    return make.xlsx_bytes([("Data", around.format(rows))], parts={"xl/styles.xml": styles})


@pytest.mark.parametrize(
    ("font", "fill", "code", "channel"),
    [
        ('<color indexed="9"/>', "", "", "xlsx-white"),
        ('<color theme="0" tint="-0.02"/>', "", "", "xlsx-white"),
        (WHITE, solid("FFFFFF"), "", "xlsx-white"),
        (WHITE, '<fill><patternFill patternType="none"><fgColor rgb="FF000000"/></patternFill></fill>',
         "", "xlsx-white"),
        ('<color rgb="FF000000"/>', solid("050505"), "", "xlsx-colour-on-colour"),
        ("", "", ";;;", "xlsx-no-format"),
        ("", "", "General;General;General;", "xlsx-no-format"),
        ("", "", '"a";"b";"c";"d"', "xlsx-no-format"),
        ("", "", "0;0;0; ", "xlsx-no-format"),
        ("", "", "[White]@", "xlsx-white"),
    ],
)  # fmt: skip
def test_a_cell_is_hidden_by_its_format(font: str, fill: str, code: str, channel: str) -> None:
    document = parsed(book(CELL, font=font, fill=fill, code=code, around="{}"))

    assert "Seen." in document.visible.text
    assert "warranty" not in document.visible.text
    assert found(document) == [(channel, PROSE, False)]


@pytest.mark.parametrize(
    ("font", "fill", "code"),
    [
        (WHITE, solid("203864"), ""),
        ('<color theme="1"/>', solid("FFFF00"), ""),
        ('<color rgb="FF808080"/>', "", ""),
        ("", "", '_(* #,##0_);_(* (#,##0);_(* "-"??_);_(@_)'),
        ("", "", "0;-0;0"),
        ("", "", "[Red]@"),
        (WHITE, '<fill><gradientFill degree="90"/></fill>', ""),
    ],
)
def test_a_cell_that_can_be_read_stays(font: str, fill: str, code: str) -> None:
    document = parsed(book(CELL, font=font, fill=fill, code=code, around="{}"))

    assert PROSE in document.visible.text
    assert found(document) == []


@pytest.mark.parametrize(
    ("around", "cell", "channel"),
    [
        ('<sheetFormatPr zeroHeight="1"/>{}', CELL, "xlsx-hidden-row"),
        ('{}<mergeCells><mergeCell ref="A1:C2"/></mergeCells>', CELL, "xlsx-covered-cell"),
        (
            "{}",
            f'<c r="A2" t="inlineStr"><is><r><rPr>{WHITE}</rPr><t>{PROSE}</t></r></is></c>',
            "xlsx-white",
        ),
        (
            "{}",
            f'<c r="A2" t="inlineStr"><is><r><rPr><sz val="1"/></rPr><t>{PROSE}</t></r></is></c>',
            "xlsx-tiny",
        ),
    ],
)
def test_a_cell_without_room_is_hidden(around: str, cell: str, channel: str) -> None:
    document = parsed(book(cell, around=around))

    assert "Seen." in document.visible.text
    assert "warranty" not in document.visible.text
    assert [(name, text) for name, text, _ in found(document)] == [(channel, PROSE)]


def test_how_a_cell_is_pronounced_is_not_its_text() -> None:
    cell = (
        f'<c r="A2" t="inlineStr"><is><t>Kyoto</t><rPh sb="0" eb="1"><t>{PROSE}</t></rPh></is></c>'
    )

    document = parsed(book(cell, around="{}"))

    assert "Kyoto" in document.visible.text
    assert "warranty" not in document.visible.text


def fill(inner: str) -> str:
    return f"><a:solidFill>{inner}</a:solidFill></a:rPr>"


def box(text: str, *, run: str = "/>", shape: str = "", body: str = "") -> str:
    made = make.slide_shape(text, run=run)
    return made.replace("</a:xfrm>", f"</a:xfrm>{shape}").replace("<p:txBody>", f"<p:txBody>{body}")


def style(properties: str) -> str:
    return f"<a:lstStyle><a:lvl1pPr><a:defRPr{properties}</a:lvl1pPr></a:lstStyle>"


BLACK_BOX = '<a:solidFill><a:srgbClr val="000000"/></a:solidFill>'
GROUP = (
    '<p:grpSp><p:grpSpPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="9144000" cy="6858000"/>'
    '<a:chOff x="{}" y="0"/><a:chExt cx="9144000" cy="6858000"/></a:xfrm></p:grpSpPr>{}</p:grpSp>'
)


@pytest.mark.parametrize(
    ("shape", "channel"),
    [
        (box(PROSE, run=fill('<a:sysClr val="window" lastClr="FFFFFF"/>')), "pptx-white"),
        (box(PROSE, run=fill('<a:prstClr val="white"/>')), "pptx-white"),
        (box(PROSE, run=fill('<a:hslClr hue="0" sat="0" lum="100000"/>')), "pptx-white"),
        (
            box(
                PROSE,
                run=fill(
                    '<a:schemeClr val="tx1"><a:lumMod val="0"/><a:lumOff val="100000"/></a:schemeClr>'
                ),
            ),
            "pptx-white",
        ),
        (box(PROSE, run="><a:noFill/></a:rPr>"), "pptx-transparent"),
        (box(PROSE, run=' spc="-30000"/>'), "pptx-tiny"),
        (
            box(PROSE, run=fill('<a:srgbClr val="000000"/>'), shape=BLACK_BOX),
            "pptx-colour-on-colour",
        ),
        (box(PROSE, body=style(' sz="100"/>')), "pptx-tiny"),
        (
            box(
                PROSE,
                body=style('><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill></a:defRPr>'),
            ),
            "pptx-white",
        ),
        (box(PROSE, body='<a:bodyPr><a:normAutofit fontScale="1000"/></a:bodyPr>'), "pptx-tiny"),
        (GROUP.format(90_000_000, box(PROSE)), "pptx-off-slide"),
    ],
)
def test_what_nobody_in_the_room_reads_is_hidden(shape: str, channel: str) -> None:
    document = parsed(make.pptx_bytes([box("Seen.") + shape]))

    assert document.visible.text.strip() == "Seen."
    assert found(document) == [(channel, PROSE, False)]


CHOICE = (
    '<mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
    "<mc:Choice>{}</mc:Choice><mc:Fallback>{}</mc:Fallback></mc:AlternateContent>"
)
PICTURE = (
    '<p:pic><p:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="9144000" cy="6858000"/></a:xfrm>'
    "</p:spPr></p:pic>"
)
WHITE_RUN = fill('<a:srgbClr val="FFFFFF"/>')


@pytest.mark.parametrize(
    "shape",
    [
        box(PROSE, run=WHITE_RUN, shape=BLACK_BOX),
        PICTURE + box(PROSE, run=WHITE_RUN),
        box(PROSE, run=fill('<a:schemeClr val="accent1"/>')),
        box(PROSE, run=' spc="-50"/>'),
        box(PROSE, body='<a:bodyPr><a:normAutofit fontScale="62500"/></a:bodyPr>'),
        GROUP.format(0, box(PROSE)),
        CHOICE.format(box(PROSE), box("Fallen back.")),
    ],
)
def test_what_the_room_reads_stays(shape: str) -> None:
    document = parsed(make.pptx_bytes([shape]))

    assert document.visible.text.strip() == PROSE
    assert found(document) == []


@pytest.mark.parametrize(
    ("background", "mapped", "seen"),
    [
        ('<p:bgPr><a:solidFill><a:srgbClr val="102040"/></a:solidFill></p:bgPr>', "", True),
        ('<p:bgRef idx="1001"><a:schemeClr val="bg1"/></p:bgRef>', "", False),
        (
            '<p:bgRef idx="1001"><a:schemeClr val="bg1"/></p:bgRef>',
            '<p:clrMap bg1="dk1" tx1="lt1"/>',
            True,
        ),
        ("<p:bgPr><a:blipFill/></p:bgPr>", "", True),
    ],
)
def test_a_slide_stands_on_its_masters_background(background: str, mapped: str, seen: bool) -> None:
    deck = make.pptx_bytes([box("Seen.") + box(PROSE, run=WHITE_RUN)])
    parts = {
        "ppt/slides/_rels/slide1.xml.rels": make.relationships(
            [("slideLayout", "../slideLayouts/slideLayout1.xml")]
        ),
        "ppt/slideLayouts/slideLayout1.xml": f'<p:sldLayout xmlns:p="{P}"><p:cSld/></p:sldLayout>',
        "ppt/slideLayouts/_rels/slideLayout1.xml.rels": make.relationships(
            [("slideMaster", "../slideMasters/slideMaster1.xml")]
        ),
        "ppt/slideMasters/slideMaster1.xml": (
            f'<p:sldMaster xmlns:p="{P}" xmlns:a="{A}">'
            f"<p:cSld><p:bg>{background}</p:bg></p:cSld>{mapped}</p:sldMaster>"
        ),
    }

    with zipfile.ZipFile(io.BytesIO(deck)) as archive:
        parts |= {name: archive.read(name).decode() for name in archive.namelist()}

    document = parsed(make.zip_bytes(parts))

    assert (PROSE in document.visible.text) is seen
    assert found(document) == ([] if seen else [("pptx-white", PROSE, False)])
