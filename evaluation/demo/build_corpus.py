"""Builds the binary files of the sample corpus from their text sources.

`python -m evaluation.demo.build_corpus` rewrites every PDF and DOCX under `corpus/`. Both formats
are written by hand: nothing is compressed and every date is fixed, so that the bytes depend on
the sources alone and not on the version of a library or of zlib.

A source is Markdown in small: `# title`, `## heading`, and paragraphs of one line each. In a PDF,
a line that begins with `!invisible` is set in text render mode 3, one that begins with `!white` in
white on white.
"""

from __future__ import annotations

import io
import textwrap
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal
from xml.sax.saxutils import escape

DEMO_FOLDER: Final = Path(__file__).resolve().parent
SOURCE_FOLDER: Final = DEMO_FOLDER / "sources"

TARGETS: Final[dict[str, str]] = {
    "data-retention-policy.md": "corpus/policy-office/data-retention-policy.pdf",
    "fe-repair-turnaround.md": "corpus/field-engineering/fe-repair-turnaround.docx",
    "partner-bench-datasheet.md": "corpus/partner-upload/partner-bench-datasheet.docx",
    "partner-workshop-flyer.md": "corpus/partner-upload/partner-workshop-flyer.pdf",
    "shipping-policy.md": "corpus/policy-office/shipping-policy.docx",
    "sorbe-manual.md": "corpus/docs-press/sorbe-manual.pdf",
    "tavik-manual.md": "corpus/docs-press/tavik-manual.docx",
}

BlockKind = Literal["title", "heading", "paragraph", "invisible", "white"]
MARKS: Final[tuple[tuple[str, BlockKind], ...]] = (
    ("# ", "title"),
    ("## ", "heading"),
    ("!invisible ", "invisible"),
    ("!white ", "white"),
)

ZIP_DATE: Final = (2026, 1, 5, 8, 0, 0)
PAGE_WIDTH: Final = 595
PAGE_HEIGHT: Final = 842
MARGIN: Final = 56
# Helvetica averages about half an em a character: 84 of them at 11 points fill the 483 points
# between the margins, with room for a line that is rich in capitals.
CHARACTERS_A_LINE: Final = 84


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One paragraph of a source, with the way in which it is set."""

    kind: BlockKind
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Face:
    """A PDF font resource at a size, both size and leading in points."""

    font: str
    size: int
    leading: int


HEADING_FACES: Final[dict[BlockKind, Face]] = {
    "title": Face(font="F2", size=17, leading=22),
    "heading": Face(font="F2", size=13, leading=18),
}
BODY_FACE: Final = Face(font="F1", size=11, leading=15)


def read_blocks(source: str) -> tuple[Block, ...]:
    """Return the blocks of a source in order; blank lines part them and are dropped."""
    return tuple(_block(line.strip()) for line in source.splitlines() if line.strip())


def _block(line: str) -> Block:
    for mark, kind in MARKS:
        if line.startswith(mark):
            return Block(kind=kind, text=line.removeprefix(mark))
    return Block(kind="paragraph", text=line)


def plain_text(blocks: Sequence[Block]) -> str:
    """Return all text of the blocks, hidden blocks included, as a parser would find it."""
    return "\n\n".join(block.text for block in blocks)


def pdf_bytes(blocks: Sequence[Block]) -> bytes:
    """Return an uncompressed PDF 1.4 with the standard Helvetica fonts."""
    pages = tuple(_pages(blocks))
    title = next(block.text for block in blocks if block.kind == "title")
    first_page_id = 6
    kids = " ".join(f"{first_page_id + 2 * index} 0 R" for index in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R /Lang (en) >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        _font("Helvetica"),
        _font("Helvetica-Bold"),
        f"<< /Title ({_pdf_string(title)}) /Author (Ondrel) /CreationDate (D:20260105080000Z) >>",
    ]
    for index, content in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {PAGE_WIDTH} {PAGE_HEIGHT}]"
            " /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >>"
            f" /Contents {first_page_id + 2 * index + 1} 0 R >>"
        )
        length = len(content.encode("cp1252"))
        objects.append(f"<< /Length {length} >>\nstream\n{content}\nendstream")
    return _pdf_file(objects)


def _font(name: str) -> str:
    return f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>"


def _pdf_file(objects: Sequence[str]) -> bytes:
    """Number the objects from 1 and add header, cross-reference table and trailer."""
    out = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
    offsets: list[int] = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("cp1252")
    start = len(out)
    size = len(objects) + 1
    out += f"xref\n0 {size}\n0000000000 65535 f \n".encode("ascii")
    out += "".join(f"{offset:010d} 00000 n \n" for offset in offsets).encode("ascii")
    trailer = f"trailer\n<< /Size {size} /Root 1 0 R /Info 5 0 R >>\nstartxref\n{start}\n%%EOF\n"
    return bytes(out + trailer.encode("ascii"))


def _pages(blocks: Sequence[Block]) -> Iterator[str]:
    """Yield one content stream a page; no block is split, so a sentence never leaves its page."""
    operators: list[str] = []
    top = PAGE_HEIGHT - MARGIN
    for block in blocks:
        face = HEADING_FACES.get(block.kind, BODY_FACE)
        lines = textwrap.wrap(block.text, CHARACTERS_A_LINE * BODY_FACE.size // face.size)
        height = face.leading * len(lines) + BODY_FACE.leading // 2
        # A heading keeps room below itself for the first lines of its paragraph.
        reserve = 5 * BODY_FACE.leading if block.kind == "heading" else 0
        if operators and top - height - reserve < MARGIN:
            yield "\n".join(operators)
            operators, top = [], PAGE_HEIGHT - MARGIN
        operators.append(_text_object(block.kind, face, lines, top - face.size))
        top -= height
    yield "\n".join(operators)


def _text_object(kind: BlockKind, face: Face, lines: Sequence[str], baseline: int) -> str:
    colour = "1 1 1 rg" if kind == "white" else "0 0 0 rg"
    mode = "3 Tr" if kind == "invisible" else "0 Tr"
    shown = "\n".join(f"({_pdf_string(line)}) Tj T*" for line in lines)
    return (
        f"BT\n/{face.font} {face.size} Tf\n{face.leading} TL\n{colour}\n{mode}\n"
        f"{MARGIN} {baseline} Td\n{shown}\nET"
    )


def _pdf_string(text: str) -> str:
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


WORD_NAMESPACE: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
OFFICE_RELATIONS: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006"
CONTENT_TYPE: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml"
XML_HEAD: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
STYLE_OF: Final[dict[BlockKind, str]] = {"title": "Heading1", "heading": "Heading2"}


def docx_bytes(blocks: Sequence[Block]) -> bytes:
    """Return a stored (uncompressed) DOCX package with two heading styles.

    Raises:
        ValueError: A block is hidden, which only the PDF writer knows how to set.
    """
    if hidden := [block.kind for block in blocks if block.kind in ("invisible", "white")]:
        raise ValueError(f"a DOCX source has no {hidden[0]!r} blocks")
    title = next(block.text for block in blocks if block.kind == "title")
    parts = {
        "[Content_Types].xml": _content_types(),
        "_rels/.rels": _package_relations(),
        "docProps/core.xml": _core_properties(title),
        "word/_rels/document.xml.rels": _document_relations(),
        "word/styles.xml": _styles(),
        "word/document.xml": _document(blocks),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as package:
        for name, body in parts.items():
            entry = zipfile.ZipInfo(name, date_time=ZIP_DATE)
            entry.create_system = 0  # the default differs between platforms
            package.writestr(entry, (XML_HEAD + body).encode("utf-8"))
    return buffer.getvalue()


def _content_types() -> str:
    return (
        f'<Types xmlns="{PACKAGE}/content-types">'
        '<Default Extension="rels"'
        ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{CONTENT_TYPE}.document.main+xml"/>'
        f'<Override PartName="/word/styles.xml" ContentType="{CONTENT_TYPE}.styles+xml"/>'
        '<Override PartName="/docProps/core.xml"'
        ' ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>'
        "</Types>"
    )


def _package_relations() -> str:
    return (
        f'<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{OFFICE_RELATIONS}/officeDocument"'
        ' Target="word/document.xml"/>'
        f'<Relationship Id="rId2" Type="{PACKAGE}/relationships/metadata/core-properties"'
        ' Target="docProps/core.xml"/></Relationships>'
    )


def _document_relations() -> str:
    return (
        f'<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{OFFICE_RELATIONS}/styles" Target="styles.xml"/>'
        "</Relationships>"
    )


def _core_properties(title: str) -> str:
    return (
        f'<cp:coreProperties xmlns:cp="{PACKAGE}/metadata/core-properties"'
        ' xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"'
        ' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"<dc:title>{escape(title)}</dc:title><dc:creator>Ondrel</dc:creator>"
        '<dcterms:created xsi:type="dcterms:W3CDTF">2026-01-05T08:00:00Z</dcterms:created>'
        "</cp:coreProperties>"
    )


def _styles() -> str:
    headings = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/>'
        f'<w:pPr><w:outlineLvl w:val="{level - 1}"/></w:pPr>'
        f'<w:rPr><w:b/><w:sz w:val="{half_points}"/></w:rPr></w:style>'
        for level, half_points in ((1, 34), (2, 26))
    )
    normal = (
        '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/>'
        "</w:style>"
    )
    return f'<w:styles xmlns:w="{WORD_NAMESPACE}">{normal}{headings}</w:styles>'


def _document(blocks: Sequence[Block]) -> str:
    body = "".join(_word_paragraph(block) for block in blocks)
    return (
        f'<w:document xmlns:w="{WORD_NAMESPACE}"><w:body>{body}'
        '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr></w:body></w:document>'
    )


def _word_paragraph(block: Block) -> str:
    style = STYLE_OF.get(block.kind)
    properties = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f'<w:p>{properties}<w:r><w:t xml:space="preserve">{escape(block.text)}</w:t></w:r></w:p>'


def built_files() -> dict[Path, bytes]:
    """Return the bytes of every binary corpus file under its absolute path; writes nothing."""
    built: dict[Path, bytes] = {}
    for source_name, target_name in TARGETS.items():
        blocks = read_blocks((SOURCE_FOLDER / source_name).read_text(encoding="utf-8"))
        target = DEMO_FOLDER / target_name
        built[target] = pdf_bytes(blocks) if target.suffix == ".pdf" else docx_bytes(blocks)
    return built


def main() -> None:
    """Write every binary corpus file in place."""
    for path, content in built_files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


if __name__ == "__main__":
    main()
