"""Small files of binary formats, built by hand so that each can hold exactly one trick."""

from __future__ import annotations

import html
import io
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from typing import Final

W: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
A: Final = "http://schemas.openxmlformats.org/drawingml/2006/main"
P: Final = "http://schemas.openxmlformats.org/presentationml/2006/main"
S: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
R: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
_DATE: Final = (2026, 1, 1, 0, 0, 0)
_LINE_WIDTH: Final = 88


def zip_bytes(parts: Mapping[str, str | bytes]) -> bytes:
    """Return a zip of these parts, in order, with fixed dates."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def pdf_string(text: str) -> str:
    """Return `text` as a literal; beyond Latin-1 as hexadecimal UTF-16."""
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        marked = b"\xfe\xff" + text.encode("utf-16-be")
        return f"<{marked.hex()}>"
    escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    return f"({escaped})"


def pdf_lines(
    text: str, *, x: float = 50, y: float = 740, size: float = 11, before: str = ""
) -> str:
    """Return content that shows `text`, wrapped; `before` sets colour or render mode."""
    out, row = [f"BT {before} /F1 {size} Tf {size * 1.3:.1f} TL 1 0 0 1 {x} {y} Tm"], ""
    rows: list[str] = []
    for word in text.split():
        if len(row) + len(word) >= _LINE_WIDTH:
            rows, row = [*rows, row], word
        else:
            row = f"{row} {word}".strip()
    out += [f"{pdf_string(line)} Tj T*" for line in (*rows, row)]
    return " ".join([*out, "ET\n"])


def pdf_bytes(
    content: str,
    *,
    objects: Sequence[str] = (),
    catalogue: str = "",
    page: str = "",
    resources: str = "",
    info: str = "",
) -> bytes:
    """Return a PDF of one page (612 by 792 points).

    `objects` are numbered from 10 on; `catalogue`, `page`, `resources` and `info` are entries
    added to those dictionaries.
    """
    stream = zlib.compress(content.encode("latin-1", "replace"))
    fixed: dict[int, bytes] = {
        1: f"<< /Type /Catalog /Pages 2 0 R {catalogue} >>".encode(),
        2: b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
        3: (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
            f"/Resources << /Font << /F1 5 0 R >> {resources} >> {page} >>"
        ).encode(),
        4: f"<< /Length {len(stream)} /Filter /FlateDecode >>\nstream\n".encode()
        + stream
        + b"\nendstream",
        5: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        6: f"<< {info} >>".encode("latin-1"),
    }
    fixed |= {10 + at: body.encode("latin-1") for at, body in enumerate(objects)}
    out = io.BytesIO()
    out.write(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = {}
    for number, body in fixed.items():
        places[number] = out.tell()
        out.write(f"{number} 0 obj\n".encode() + body + b"\nendobj\n")
    table = out.tell()
    out.write(f"xref\n0 {max(places) + 1}\n0000000000 65535 f \n".encode())
    for number in range(1, max(places) + 1):
        place = places.get(number)
        row = "0000000000 65535 f" if place is None else f"{place:010} 00000 n"
        out.write(f"{row} \n".encode())
    out.write(
        f"trailer\n<< /Size {max(places) + 1} /Root 1 0 R /Info 6 0 R >>\n"
        f"startxref\n{table}\n%%EOF\n".encode()
    )
    return out.getvalue()


def docx_paragraph(text: str, *, run: str = "", wrap: tuple[str, str] = ("", "")) -> str:
    """Return `w:p`; `run` is inside of `w:rPr`, `wrap` stands around the run."""
    shown = f"<w:r><w:rPr>{run}</w:rPr><w:t xml:space='preserve'>{html.escape(text)}</w:t></w:r>"
    return f"<w:p>{wrap[0]}{shown}{wrap[1]}</w:p>"


def docx_bytes(body: str, parts: Mapping[str, str] | None = None) -> bytes:
    document = (
        f'<?xml version="1.0"?><w:document xmlns:w="{W}"><w:body>{body}</w:body></w:document>'
    )
    return zip_bytes(
        {"[Content_Types].xml": "<Types/>", "word/document.xml": document, **(parts or {})}
    )


def core_properties(**fields: str) -> str:
    inner = "".join(
        f"<dc:{name}>{html.escape(value)}</dc:{name}>" for name, value in fields.items()
    )
    return (
        f'<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/">{inner}</cp:coreProperties>'
    )


def relationships(targets: Sequence[tuple[str, str]]) -> str:
    """Return a `.rels` part; (kind, target) are numbered `rId1` on."""
    rows = "".join(
        f'<Relationship Id="rId{at}" Type="{R}/{kind}" Target="{target}"/>'
        for at, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{rows}</Relationships>'


def slide_shape(
    text: str, *, x: int = 500_000, y: int = 500_000, run: str = "", hidden: bool = False
) -> str:
    mark = ' hidden="1"' if hidden else ""
    return (
        f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="Text"{mark}/></p:nvSpPr><p:spPr><a:xfrm>'
        f'<a:off x="{x}" y="{y}"/><a:ext cx="6000000" cy="1000000"/></a:xfrm></p:spPr>'
        f"<p:txBody><a:p><a:r><a:rPr{run}<a:t>{html.escape(text)}</a:t></a:r></a:p></p:txBody></p:sp>"
    )


def _tree(kind: str, shapes: str, attributes: str = "") -> str:
    return (
        f'<p:{kind} xmlns:p="{P}" xmlns:a="{A}" xmlns:r="{R}"{attributes}><p:cSld><p:spTree>'
        f"{shapes}</p:spTree></p:cSld></p:{kind}>"
    )


def pptx_bytes(
    slides: Sequence[str], *, notes: str | None = None, hide_last: bool = False
) -> bytes:
    """Return a deck; a slide is its shapes, `notes` those of the first slide."""
    ids = "".join(f'<p:sldId id="{256 + n}" r:id="rId{n}"/>' for n in range(1, len(slides) + 1))
    parts: dict[str, str] = {
        "[Content_Types].xml": "<Types/>",
        "ppt/presentation.xml": (
            f'<p:presentation xmlns:p="{P}" xmlns:r="{R}"><p:sldIdLst>{ids}</p:sldIdLst>'
            '<p:sldSz cx="9144000" cy="6858000"/></p:presentation>'
        ),
        "ppt/_rels/presentation.xml.rels": relationships(
            [("slide", f"slides/slide{n}.xml") for n in range(1, len(slides) + 1)]
        ),
    }
    for number, shapes in enumerate(slides, 1):
        last = hide_last and number == len(slides)
        parts[f"ppt/slides/slide{number}.xml"] = _tree("sld", shapes, ' show="0"' if last else "")
    if notes is not None:
        parts["ppt/slides/_rels/slide1.xml.rels"] = relationships(
            [("notesSlide", "../notesSlides/notesSlide1.xml")]
        )
        parts["ppt/notesSlides/notesSlide1.xml"] = _tree("notes", slide_shape(notes, run="/>"))
    return zip_bytes(parts)


def sheet_rows(rows: Sequence[Sequence[str]], *, hide_row: int | None = None) -> str:
    out = []
    for at, row in enumerate(rows, 1):
        cells = "".join(
            f'<c r="{chr(65 + column)}{at}" t="inlineStr"><is><t>{html.escape(cell)}</t></is></c>'
            for column, cell in enumerate(row)
        )
        mark = ' hidden="1"' if hide_row == at else ""
        out.append(f'<row r="{at}"{mark}>{cells}</row>')
    return f"<sheetData>{''.join(out)}</sheetData>"


def xlsx_bytes(
    sheets: Sequence[tuple[str, str]],
    *,
    states: Sequence[str] = (),
    parts: Mapping[str, str] | None = None,
) -> bytes:
    """Return a workbook; a sheet is (name, what is inside of `worksheet`)."""
    rows = "".join(
        f'<sheet name="{html.escape(name)}" sheetId="{n}" r:id="rId{n}"'
        + (f' state="{states[n - 1]}"' if n <= len(states) and states[n - 1] else "")
        + "/>"
        for n, (name, _) in enumerate(sheets, 1)
    )
    content: dict[str, str] = {
        "[Content_Types].xml": "<Types/>",
        "xl/workbook.xml": f'<workbook xmlns="{S}" xmlns:r="{R}"><sheets>{rows}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": relationships(
            [("worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(sheets) + 1)]
        ),
    }
    for number, (_, inner) in enumerate(sheets, 1):
        content[f"xl/worksheets/sheet{number}.xml"] = f'<worksheet xmlns="{S}">{inner}</worksheet>'
    return zip_bytes({**content, **(parts or {})})


def epub_bytes(chapters: Sequence[str], *, description: str = "") -> bytes:
    """Return a book; a chapter is what is inside of `body`."""
    items = "".join(
        f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>'
        for n in range(1, len(chapters) + 1)
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(1, len(chapters) + 1))
    parts: dict[str, str] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": (
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
            '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
        ),
        "OEBPS/book.opf": (
            '<package xmlns="http://www.idpf.org/2007/opf" '
            'xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata><dc:title>Notes</dc:title>'
            f"<dc:description>{html.escape(description)}</dc:description></metadata>"
            f"<manifest>{items}</manifest><spine>{spine}</spine></package>"
        ),
    }
    for number, chapter in enumerate(chapters, 1):
        parts[f"OEBPS/c{number}.xhtml"] = (
            '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Notes</title></head>'
            f"<body>{chapter}</body></html>"
        )
    return zip_bytes(parts)


def mail_bytes(
    text: str, *, page: str | None = None, attachments: Sequence[tuple[str, bytes]] = ()
) -> bytes:
    message = EmailMessage()
    message["From"] = "Ada Verne <ada@tolvane.example>"
    message["To"] = "desk@tolvane.example"
    message["Subject"] = "Notes"
    message["Date"] = "Mon, 05 Jan 2026 09:00:00 +0000"
    message.set_content(text)
    if page is not None:
        message.add_alternative(page, subtype="html")
    for name, content in attachments:
        if name.endswith(".eml"):
            inner = EmailMessage()
            inner["From"], inner["To"], inner["Subject"] = "a@b.example", "c@d.example", "Fwd"
            inner.set_content(content.decode())
            message.add_attachment(inner)
        else:
            message.add_attachment(
                content, maintype="application", subtype="octet-stream", filename=name
            )
    return message.as_bytes()
