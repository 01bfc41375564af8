"""Mutations of real files of every format: what a parser makes of them is a document or a clean error.

Some in the suite; `make fuzz` runs many.
"""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Callable, Mapping
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backends.parser_process import ProcessParser
from domain.documents import DEFAULT_TENANT, DocumentId, ParsedDocument
from domain.errors import DocumentUnreadableError, UnsupportedMediaTypeError
from domain.parse_wire import BAD_OUTPUT, decode
from domain.text import MappedText
from evaluation.injection.file_makers import (
    core_properties,
    docx_bytes,
    docx_paragraph,
    epub_bytes,
    mail_bytes,
    pptx_bytes,
    sheet_rows,
    slide_shape,
    xlsx_bytes,
)
from ingest.normalise import build_document, normalise
from ingest.parsers.child import answer
from tests.parser_samples import PROSE, PROVENANCE, pdf, shown
from tests.property.test_span_maps import TEXT, assert_sound

EXAMPLES: Final = int(os.environ.get("MITHRIDATE_FUZZ_EXAMPLES", "25"))

# A second an example: 2,000 of a zip took 12 minutes on a machine that did six things besides.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600 + EXAMPLES)]

MAX_CHARS: Final = 200_000
UNFORESEEN: Final = {"parser-failed", BAD_OUTPUT}

HTML: Final = (
    f"<!doctype html><html><head><title>Notes</title><style>.k{{display:none}}</style></head>"
    f"<body><p class=k>{PROSE}</p><!-- {PROSE} --><img alt='{PROSE}'><table><tr><td>a</table>"
    f"<div style='position:absolute;left:-9999px'>{PROSE}</div><svg><desc>x</desc></svg></body>"
)
SAMPLES: Final[Mapping[str, bytes]] = {
    "a.txt": f"{PROSE}\n\u202e{PROSE}\u202c caf\u00e9 \U0001f468\u200d\U0001f469 10\u00b2".encode(),
    "a.md": f"# Notes\n\n<!-- {PROSE} -->\n\n![a](b 'c')\n\n```\n{PROSE}\n```\n\n|a|b|\n".encode(),
    "a.html": HTML.encode(),
    "a.csv": b'name,sum\n"a, b",=cmd|x\nc,1\n' * 5,
    "a.json": b'{"a": [1, 2.5, null, true, {"b": "text of some length"}], "c": ""}',
    "a.eml": mail_bytes(
        PROSE, page=HTML, attachments=[("b.eml", b"hello"), ("c.bin", b"\x00\x01")]
    ),
    "a.docx": docx_bytes(
        docx_paragraph(PROSE) + docx_paragraph(PROSE, run="<w:vanish/>"),
        {"docProps/core.xml": core_properties(title="Notes")},
    ),
    "a.pptx": pptx_bytes(
        [slide_shape(PROSE, run="/>"), slide_shape(PROSE, run="/>", hidden=True)], notes=PROSE
    ),
    "a.xlsx": xlsx_bytes([("s", sheet_rows([["a", "b"], [PROSE, "=1+1"]], hide_row=2))]),
    "a.epub": epub_bytes([f"<p>{PROSE}</p>", "<p hidden='hidden'>x</p>"], description=PROSE),
}
TOKENS: Final = (
    *(b"<", b">", b"</", b"<!--", b"-->", b"<![CDATA[", b"&#x202e;", b"&#0;", b"<p hidden>"),
    *(b"style='", b"<style>", b"@media{", b"url(", b"{", b"}", b"[", b"]", b'"', b"'", b"\\u"),
    *(b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xf0\x9f", b"\r", b"\n\n", b"\t"),
    *(b"%PDF-1.7", b"PK\x03\x04", b"From: a\n", b"Content-Type: multipart/mixed; boundary=b\n\n"),
    *(b"--b", b"Content-Transfer-Encoding: base64\n", b"charset=utf-7", b"=?utf-8?b?////?="),
    *(b"1e999", b"-" * 40, b"9" * 40, b"`" * 40, b"|" * 40, b"#" * 10, b"xmlns:w=''", b"r:id=''"),
)


@st.composite
def mutated(draw: st.DrawFn, content: bytes, other: bytes) -> bytes:
    """Return the bytes with a few pieces cut, doubled, swapped for tokens or for another file's."""
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(content)))
        end = min(len(content), at + draw(st.sampled_from((0, 1, 2, 7, 40, 400))))
        piece = draw(
            st.one_of(
                st.just(b""),
                st.sampled_from(TOKENS),
                st.binary(max_size=8),
                st.just(content[at:end] * 3),
                st.just(other[at : at + 200]),
            )
        )
        content = content[:at] + piece + content[end:]
    return content


@st.composite
def files(draw: st.DrawFn, name: str) -> bytes:
    """Return a mutated file; of a container a part is mutated, or the container itself."""
    content = SAMPLES[name]
    other = SAMPLES[draw(st.sampled_from(sorted(SAMPLES)))]
    if content[:2] != b"PK" or draw(st.integers(0, 3)) == 0:
        return draw(mutated(content, other))
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        names = old.namelist()
        chosen = draw(st.sampled_from(names))
        for member in names:
            part = old.read(member)
            new.writestr(member, draw(mutated(part, other)) if member == chosen else part)
    return out.getvalue()


def read(content: bytes, name: str) -> ParsedDocument | str:
    """Return what the parent process would read of a child's answer, or the error's reason."""
    header: dict[str, object] = {"file_name": name, "max_text_chars": MAX_CHARS}
    try:
        return decode(answer(header, content), max_text_chars=MAX_CHARS)
    except DocumentUnreadableError as exc:
        return exc.reason
    except UnsupportedMediaTypeError:
        return "unsupported"


def assert_scannable(parsed: ParsedDocument) -> None:
    try:
        document = build_document(
            parsed,
            id=DocumentId("d"),
            tenant_id=DEFAULT_TENANT,
            sha256="0" * 64,
            provenance=PROVENANCE,
            metadata=(),
        )
    except DocumentUnreadableError:
        assert not parsed.hidden
        assert not normalise(parsed.visible).text.strip()
        return
    for derived in (document.text, *(passage.text for passage in document.hidden)):
        assert_sound(derived, document.raw_text)


def fuzzing(examples: int) -> Callable[[Callable[..., None]], Callable[..., None]]:
    return settings(
        max_examples=examples,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_the_samples_are_read_whole(name: str) -> None:
    parsed = read(SAMPLES[name], name)

    assert isinstance(parsed, ParsedDocument)
    assert_scannable(parsed)


@pytest.mark.parametrize("name", sorted(SAMPLES))
@fuzzing(EXAMPLES)
@given(data=st.data())
def test_a_damaged_file_is_a_document_or_a_clean_error(name: str, data: st.DataObject) -> None:
    content = data.draw(files(name))

    parsed = read(content, name)

    if isinstance(parsed, str):
        assert parsed not in UNFORESEEN
    else:
        assert_scannable(parsed)


@pytest.mark.anyio
async def test_a_damaged_pdf_is_a_document_or_a_clean_error() -> None:
    source = pdf(shown(PROSE), shown(PROSE, before="3 Tr"), annotation=PROSE, title="Notes")
    parser = ProcessParser(
        memory_bytes=1 << 30, cpu_seconds=20, wall_seconds=60.0, max_text_chars=MAX_CHARS
    )
    damages = _damages(source, count=max(8, EXAMPLES // 5))

    for content in damages:
        ended = await _outcome(parser, content)
        if isinstance(ended, str):
            assert ended not in UNFORESEEN
        else:
            assert_scannable(ended)


async def _outcome(parser: ProcessParser, content: bytes) -> ParsedDocument | str:
    try:
        return await parser.parse(content, claimed_media_type=None, file_name="a.pdf")
    except DocumentUnreadableError as exc:
        return exc.reason
    except UnsupportedMediaTypeError:
        return "unsupported"


def _damages(source: bytes, *, count: int) -> list[bytes]:
    """Return the file damaged in so many ways, the same each time."""
    step = max(1, len(source) // count)
    return [
        source[:at] + TOKENS[number % len(TOKENS)] + source[at + number % 30 :]
        for number, at in enumerate(range(9, len(source), step))
    ]


@fuzzing(EXAMPLES)
@given(text=TEXT)
def test_hardening_twice_changes_no_more_letters_than_once(text: str) -> None:
    once = normalise(MappedText.identity(text))

    again = normalise(once)

    assert_sound(again, text)
    assert len(again.text) <= 8 * max(1, len(once.text))
