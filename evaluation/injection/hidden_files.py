"""The channels of files: PDF, Word, slides, sheets, books and mail that hide a payload."""

from __future__ import annotations

import html
import json
import random
from collections.abc import Callable, Mapping
from email.message import EmailMessage
from typing import Final

from evaluation.injection.file_makers import (
    S,
    W,
    core_properties,
    docx_bytes,
    docx_paragraph,
    epub_bytes,
    mail_bytes,
    pdf_bytes,
    pdf_lines,
    pdf_string,
    pptx_bytes,
    sheet_rows,
    slide_shape,
    xlsx_bytes,
    zip_bytes,
)
from evaluation.injection.hidden_channels import HiddenSample

_Make = Callable[[str, str], bytes]
"""Makes a file of (payload, carrier)."""


def _pdf(hidden: Callable[[str], str], **entries: str) -> _Make:
    return lambda p, c: pdf_bytes(pdf_lines(c) + hidden(p), **entries)


def _low(p: str, before: str = "", *, x: float = 50, y: float = 200, size: float = 11) -> str:
    return pdf_lines(p, x=x, y=y, size=size, before=before)


def _pdf_bookmark(p: str, c: str) -> bytes:
    return pdf_bytes(
        pdf_lines(c),
        catalogue="/Outlines 10 0 R",
        objects=(
            "<< /Type /Outlines /First 11 0 R /Last 11 0 R /Count 1 >>",
            f"<< /Title {pdf_string(p)} /Parent 10 0 R /Dest [3 0 R /Fit] >>",
        ),
    )


def _pdf_annotation(p: str, c: str) -> bytes:
    return pdf_bytes(
        pdf_lines(c),
        page="/Annots [10 0 R]",
        objects=(
            f"<< /Type /Annot /Subtype /Text /Rect [20 20 30 30] /Contents {pdf_string(p)} >>",
        ),
    )


def _pdf_attachment(p: str, c: str) -> bytes:
    return pdf_bytes(
        pdf_lines(c),
        catalogue="/Names << /EmbeddedFiles << /Names [(n.txt) 10 0 R] >> >>",
        objects=(
            "<< /Type /Filespec /F (n.txt) /UF (n.txt) /EF << /F 11 0 R >> >>",
            f"<< /Type /EmbeddedFile /Length {len(p.encode('latin-1', 'replace'))} >>\n"
            f"stream\n{p.encode('latin-1', 'replace').decode('latin-1')}\nendstream",
        ),
    )


def _pdf_layer(p: str, c: str) -> bytes:
    return pdf_bytes(
        pdf_lines(c) + "/OC /L1 BDC " + _low(p) + " EMC\n",
        catalogue="/OCProperties << /OCGs [10 0 R] /D << /OFF [10 0 R] /Order [] >> >>",
        resources="/Properties << /L1 10 0 R >>",
        objects=("<< /Type /OCG /Name (Notes) >>",),
    )


def _pdf_transparent(p: str, c: str) -> bytes:
    return pdf_bytes(
        pdf_lines(c) + "q /G0 gs " + _low(p) + " Q\n",
        resources="/ExtGState << /G0 << /ca 0 /CA 0 >> >>",
    )


def _pdf_script(p: str, c: str) -> bytes:
    return pdf_bytes(
        pdf_lines(c),
        catalogue="/OpenAction << /S /JavaScript /JS 10 0 R >>",
        objects=(pdf_string(f'app.alert("{p}");'),),
    )


def _docx(run: str, wrap: tuple[str, str] = ("", "")) -> _Make:
    def make(p: str, c: str) -> bytes:
        body = "".join(docx_paragraph(paragraph) for paragraph in c.split("\n\n"))
        return docx_bytes(body + docx_paragraph(p, run=run, wrap=wrap))

    return make


def _docx_comment(p: str, c: str) -> bytes:
    comments = f'<w:comments xmlns:w="{W}"><w:comment w:id="0">{docx_paragraph(p)}</w:comment></w:comments>'
    return docx_bytes(docx_paragraph(c), {"word/comments.xml": comments})


def _docx_deleted(p: str, c: str) -> bytes:
    deleted = (
        f"<w:p><w:del w:id='1'><w:r><w:delText>{html.escape(p)}</w:delText></w:r></w:del></w:p>"
    )
    return docx_bytes(docx_paragraph(c) + deleted)


def _pptx(shape: Callable[[str], str]) -> _Make:
    return lambda p, c: pptx_bytes([slide_shape(c, run="/>") + shape(p)])


def _rows(c: str) -> list[list[str]]:
    return [["no", "text"], *([str(n), part] for n, part in enumerate(c.split(". "), 1))]


def _xlsx_hidden_column(p: str, c: str) -> bytes:
    rows = [[*row, p if at == 1 else ""] for at, row in enumerate(_rows(c))]
    columns = '<cols><col min="3" max="3" width="9" hidden="1"/></cols>'
    return xlsx_bytes([("Data", columns + sheet_rows(rows))])


def _xlsx_comment(p: str, c: str) -> bytes:
    comments = (
        f'<comments xmlns="{S}"><commentList><comment ref="A1"><text><t>{html.escape(p)}</t></text>'
        "</comment></commentList></comments>"
    )
    return xlsx_bytes([("Data", sheet_rows(_rows(c)))], parts={"xl/comments1.xml": comments})


def _xlsx_white(p: str, c: str) -> bytes:
    styles = (
        f'<styleSheet xmlns="{S}"><fonts><font/><font><color rgb="FFFFFFFF"/></font></fonts>'
        '<fills><fill/></fills><cellXfs><xf fontId="0"/><xf fontId="1"/></cellXfs></styleSheet>'
    )
    cell = f'<row r="99"><c r="A99" s="1" t="inlineStr"><is><t>{html.escape(p)}</t></is></c></row>'
    rows = sheet_rows(_rows(c)).replace("</sheetData>", cell + "</sheetData>")
    return xlsx_bytes([("Data", rows)], parts={"xl/styles.xml": styles})


def _epub(hidden: Callable[[str], str]) -> _Make:
    return lambda p, c: epub_bytes([f"<p>{html.escape(c)}</p>{hidden(p)}", "<p>The end.</p>"])


def _mail_other_page(p: str, c: str) -> bytes:
    message = EmailMessage()
    message["From"], message["Subject"] = "Ada Verne <ada@tolvane.example>", "Notes"
    message.make_alternative()
    for text in (p, c):
        page = EmailMessage()
        page.set_content(f"<p>{html.escape(text)}</p>", subtype="html")
        message.attach(page)
    return message.as_bytes()


FILES: Final[Mapping[str, tuple[str, _Make]]] = {
    "pdf_render_mode_3": ("pdf", _pdf(lambda p: _low(p, "3 Tr"))),
    "pdf_white": ("pdf", _pdf(lambda p: _low(p, "1 1 1 rg"))),
    "pdf_near_white": ("pdf", _pdf(lambda p: _low(p, "0.97 g"))),
    "pdf_on_box": ("pdf", _pdf(lambda p: "0.2 0.2 0.6 rg 0 150 612 120 re f " + _low(p, "0.2 0.2 0.6 rg"))),
    "pdf_tiny": ("pdf", _pdf(lambda p: _low(p, size=0.8))),
    "pdf_off_page": ("pdf", _pdf(lambda p: _low(p, y=-400))),
    "pdf_under_box": ("pdf", _pdf(lambda p: _low(p) + "1 1 1 rg 0 100 612 200 re f\n")),
    "pdf_clipped": ("pdf", _pdf(lambda p: "q 0 0 1 1 re W n " + _low(p) + " Q\n")),
    "pdf_transparent": ("pdf", _pdf_transparent),
    "pdf_layer": ("pdf", _pdf_layer),
    "pdf_annotation": ("pdf", _pdf_annotation),
    "pdf_bookmark": ("pdf", _pdf_bookmark),
    "pdf_metadata": ("pdf", lambda p, c: pdf_bytes(pdf_lines(c), info=f"/Subject {pdf_string(p)}")),
    "pdf_attachment": ("pdf", _pdf_attachment),
    "pdf_script": ("pdf", _pdf_script),
    "pdf_squeezed": ("pdf", _pdf(lambda p: _low(p, "0.01 Tz"))),
    "pdf_white_outline": ("pdf", _pdf(lambda p: _low(p, "1 Tr 1 G"))),
    "docx_vanish": ("docx", _docx("<w:vanish/>")),
    "docx_narrow": ("docx", _docx('<w:w w:val="1"/>')),
    "docx_white": ("docx", _docx('<w:color w:val="FFFFFF"/>')),
    "docx_size_1": ("docx", _docx('<w:sz w:val="2"/>')),
    "docx_deleted": ("docx", _docx_deleted),
    "docx_comment": ("docx", _docx_comment),
    "docx_core": (
        "docx",
        lambda p, c: docx_bytes(docx_paragraph(c), {"docProps/core.xml": core_properties(description=p)}),
    ),
    "pptx_notes": ("pptx", lambda p, c: pptx_bytes([slide_shape(c, run="/>")], notes=p)),
    "pptx_off_slide": ("pptx", _pptx(lambda p: slide_shape(p, x=-9_000_000, run="/>"))),
    "pptx_hidden_shape": ("pptx", _pptx(lambda p: slide_shape(p, hidden=True, run="/>"))),
    "pptx_tiny": ("pptx", _pptx(lambda p: slide_shape(p, run=' sz="100"/>'))),
    "pptx_white": (
        "pptx",
        _pptx(lambda p: slide_shape(p, run='><a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill></a:rPr>')),
    ),
    "pptx_no_fill": ("pptx", _pptx(lambda p: slide_shape(p, run="><a:noFill/></a:rPr>"))),
    "pptx_hidden_slide": (
        "pptx",
        lambda p, c: pptx_bytes([slide_shape(c, run="/>"), slide_shape(p, run="/>")], hide_last=True),
    ),
    "xlsx_hidden_sheet": (
        "xlsx",
        lambda p, c: xlsx_bytes(
            [("Data", sheet_rows(_rows(c))), ("Lists", sheet_rows([[p]]))], states=("", "veryHidden")
        ),
    ),
    "xlsx_hidden_row": (
        "xlsx",
        lambda p, c: xlsx_bytes([("Data", sheet_rows([*_rows(c), ["", p]], hide_row=len(_rows(c)) + 1))]),
    ),
    "xlsx_hidden_column": ("xlsx", _xlsx_hidden_column),
    "xlsx_white": ("xlsx", _xlsx_white),
    "xlsx_comment": ("xlsx", _xlsx_comment),
    "epub_display_none": ("epub", _epub(lambda p: f'<p style="display:none">{html.escape(p)}</p>')),
    "epub_comment": ("epub", _epub(lambda p: f"<!-- {p} -->")),
    "epub_description": ("epub", lambda p, c: epub_bytes([f"<p>{html.escape(c)}</p>"], description=p)),
    "mail_hidden_html": (
        "eml",
        lambda p, c: mail_bytes(c, page=f"<html><p>{html.escape(c)}</p><p style='display:none'>{p}</p></html>"),
    ),
    "mail_other_text": ("eml", lambda p, c: mail_bytes(p, page=f"<html><p>{html.escape(c)}</p></html>")),
    "mail_other_page": ("eml", _mail_other_page),
    "mail_attached_mail": ("eml", lambda p, c: mail_bytes(c, attachments=[("f.eml", p.encode("utf-8").hex().encode())])),
    "mail_attached_docx": (
        "eml",
        lambda p, c: mail_bytes(c, attachments=[("a.docx", _docx("<w:vanish/>")(p, c))]),
    ),
    "csv_encoded": ("csv", lambda p, c: f"no,text\n1,{json.dumps(c)}\n2,{p.encode().hex()}\n".encode()),
    "json_escaped": (
        "json",
        lambda p, c: json.dumps({"text": c, "note": "".join(f"&#{ord(x)};" for x in p)}).encode(),
    ),
    "zip_in_name": ("docx", lambda p, c: zip_bytes({"word/document.xml": f'<w:document xmlns:w="{W}"><w:body>{docx_paragraph(c)}<w:p><w:r><w:rPr><w:webHidden/></w:rPr><w:t>{html.escape(p)}</w:t></w:r></w:p></w:body></w:document>'})),
}  # fmt: skip

CHANNELS: Final = tuple(FILES)


def hide(channel: str, payload: str, carrier: str, *, seed: int) -> HiddenSample:
    """Hide `payload` in a file with `carrier` in plain sight.

    Raises:
        KeyError: No such channel of files.
    """
    extension, make = FILES[channel]
    number = random.Random(seed).randrange(1000)  # noqa: S311 - a name, nothing secret
    return HiddenSample(
        channel=channel, content=make(payload, carrier), file_name=f"notes-{number}.{extension}"
    )
