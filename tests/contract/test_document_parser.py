"""What every `DocumentParser` must do, and what the process one must survive."""

from __future__ import annotations

import time
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path

import pytest

from backends.parser_process import ProcessParser
from domain.documents import DocumentParser
from domain.errors import DocumentUnreadableError, UnsupportedMediaTypeError
from evaluation.injection.file_makers import mail_bytes, pptx_bytes, slide_shape
from ingest.parsers.docx import MAX_XML_BYTES
from ingest.parsers.inline import InlineParser
from tests.parser_samples import PROSE, WORD, docx, found, paragraph, pdf, run, shown

pytestmark = pytest.mark.anyio

MAIL = f"From: a@b.example\nSubject: s\n\n{PROSE}\n".encode()


def process_parser(
    *,
    memory_bytes: int = 1 << 30,
    cpu_seconds: int = 20,
    wall_seconds: float = 60.0,
    max_text_chars: int = 100_000,
) -> ProcessParser:
    return ProcessParser(
        memory_bytes=memory_bytes,
        cpu_seconds=cpu_seconds,
        wall_seconds=wall_seconds,
        max_text_chars=max_text_chars,
    )


@pytest.fixture(
    params=[
        pytest.param(lambda: InlineParser(max_text_chars=100_000), id="inline"),
        pytest.param(process_parser, id="process"),
    ]
)
def parser(request: pytest.FixtureRequest) -> DocumentParser:
    make: Callable[[], DocumentParser] = request.param
    return make()


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        (PROSE.encode(), "text/plain"),
        (f"# Title\n\n{PROSE}".encode(), "text/markdown"),
        (f"<!doctype html><p>{PROSE}</p>".encode(), "text/html"),
        (pdf(shown(PROSE)), "application/pdf"),
        (
            docx(paragraph(run(PROSE))),
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ),
        (MAIL, "message/rfc822"),
    ],
)
async def test_every_format_gives_its_visible_text(
    parser: DocumentParser, content: bytes, media_type: str
) -> None:
    document = await parser.parse(content, claimed_media_type=None, file_name=None)

    assert document.media_type == media_type
    assert PROSE in document.visible.text
    assert document.hidden == ()


async def test_hidden_text_is_apart_and_mapped(parser: DocumentParser) -> None:
    source = f"<!doctype html><p>Seen &amp; read</p><p hidden>{PROSE}</p>"

    document = await parser.parse(source.encode(), claimed_media_type=None, file_name=None)

    assert document.raw_text == source
    assert document.visible.text == "Seen & read"
    assert found(document) == [("html-hidden-attribute", PROSE, False)]
    span = document.hidden[0].text.source(0, len(PROSE))
    assert source[span.start : span.end] == PROSE


async def test_a_lying_claim_is_a_warning(parser: DocumentParser) -> None:
    document = await parser.parse(
        pdf(shown("x")), claimed_media_type="text/plain", file_name="a.txt"
    )

    assert document.media_type == "application/pdf"
    assert "type-mismatch" in document.warnings


async def test_an_unknown_format_is_unsupported(parser: DocumentParser) -> None:
    with pytest.raises(UnsupportedMediaTypeError):
        await parser.parse(b"\x00\x01\x02" * 9, claimed_media_type="text/plain", file_name=None)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"%PDF-1.7\nnothing", "pdf-broken"),
        (docx(paragraph(run("x")))[:-40], "zip-broken"),
        (b"a " * 60_000, "too-much-text"),
        (pdf(*[shown("word " * 200)] * 120), "too-much-text"),
    ],
)
async def test_what_cannot_be_read_says_why(
    parser: DocumentParser, content: bytes, reason: str
) -> None:
    with pytest.raises(DocumentUnreadableError) as caught:
        await parser.parse(content, claimed_media_type=None, file_name=None)

    assert caught.value.reason == reason
    assert caught.value.__cause__ is None or "nothing" not in str(caught.value.__cause__)


async def test_the_same_document_gives_the_same_result(parser: DocumentParser) -> None:
    content = f"<!doctype html><p>a<p style='color:#fff'>{PROSE}".encode()

    first = await parser.parse(content, claimed_media_type=None, file_name=None)
    second = await parser.parse(content, claimed_media_type=None, file_name=None)

    assert (first.visible.text, found(first)) == (second.visible.text, found(second))


async def test_awkward_text_comes_back_whole(parser: DocumentParser) -> None:
    text = 'a\u2028b \U0001f9d1\u200d\U0001f373 \u202eabc\u202c "quoted" \\ \t\r\n\ufffd\x0c'

    document = await parser.parse(text.encode(), claimed_media_type="text/plain", file_name=None)

    assert document.raw_text == text


# What follows only a process of its own survives.


def entity_bomb() -> bytes:
    levels = "".join(
        f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' if n else '<!ENTITY e0 "aaaaaaaaaa">'
        for n in range(12)
    )
    return docx(
        "", document=f'<!DOCTYPE d [{levels}]><w:document xmlns:w="{WORD}">&e11;</w:document>'
    )


def nested_mail(depth: int) -> bytes:
    """Return mail in mail in mail, each level with a copy of a text of some size."""
    mail = EmailMessage()
    mail.set_content("word " * 2_000)
    for level in range(depth):
        outer = EmailMessage()
        outer["From"], outer["To"], outer["Subject"] = "a@b.example", "c@d.example", str(level)
        outer.set_content("word " * 2_000)
        outer.add_attachment(mail)
        mail = outer
    return bytes(mail)


def flat_bomb() -> bytes:
    """Return a deck whose slide inflates far beyond the budget."""
    return pptx_bytes([slide_shape("a" * (MAX_XML_BYTES + 1), run="/>")])


def mail_of_bombs() -> bytes:
    return mail_bytes("See the slides.", attachments=[("a.pptx", flat_bomb())] * 3)


def content_bomb() -> bytes:
    """Return a PDF of a few kilobytes that inflates to 100 MB of path operators."""
    return pdf("0 0 m 1 1 l S\n" * 8_000_000, compress=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "reasons"),
    [
        pytest.param(entity_bomb, {"xml-broken", "xml-doctype"}, id="entities"),
        pytest.param(
            lambda: docx(paragraph(run("a" * (MAX_XML_BYTES + 1)))), {"zip-bomb"}, id="docx"
        ),
        pytest.param(
            lambda: docx("<w:p>" * 400_000 + "</w:p>" * 400_000),
            {"xml-broken", "parser-memory-limit", "parser-cpu-limit"},
            id="deep xml",
        ),
        pytest.param(flat_bomb, {"zip-bomb"}, id="slides"),
        pytest.param(
            content_bomb,
            {"parser-crashed", "parser-cpu-limit", "parser-memory-limit", "pdf-broken"},
            id="pdf content",
        ),
    ],
)
async def test_a_bomb_ends_as_a_clear_error(make: Callable[[], bytes], reasons: set[str]) -> None:
    parser = process_parser(memory_bytes=600_000_000, cpu_seconds=6)

    with pytest.raises(DocumentUnreadableError) as caught:
        await parser.parse(make(), claimed_media_type=None, file_name=None)
    after = await parser.parse(b"still here", claimed_media_type=None, file_name=None)

    assert caught.value.reason in reasons
    assert after.visible.text == "still here"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "warning"),
    [
        pytest.param(lambda: nested_mail(12), "attachment-not-inspected", id="mail in mail"),
        pytest.param(mail_of_bombs, "attachment-unreadable", id="bombs attached"),
    ],
)
async def test_what_is_attached_ends_within_the_document_s_budget(
    make: Callable[[], bytes], warning: str
) -> None:
    document = await process_parser(cpu_seconds=20, max_text_chars=1_000_000).parse(
        make(), claimed_media_type=None, file_name=None
    )

    assert warning in document.warnings


async def test_json_too_deep_to_read_is_plain_text() -> None:
    document = await process_parser(max_text_chars=4_000_000).parse(
        b"[" * 2_000_000, claimed_media_type=None, file_name="a.json"
    )

    assert document.media_type == "text/plain"
    assert len(document.visible.text) == 2_000_000


@pytest.mark.slow
async def test_deeply_nested_html_is_read_within_the_limits() -> None:
    content = b"<!doctype html>" + b"<div>" * 200_000 + b"deep" + b"</div>" * 200_000

    document = await process_parser(max_text_chars=4_000_000).parse(
        content, claimed_media_type=None, file_name=None
    )

    assert document.visible.text == "deep"


async def test_a_limit_of_memory_is_an_error_not_a_hang() -> None:
    parser = process_parser(memory_bytes=60_000_000, max_text_chars=40_000_000)

    with pytest.raises(DocumentUnreadableError) as caught:
        await parser.parse(b"word " * 4_000_000, claimed_media_type=None, file_name=None)

    assert caught.value.reason in {"parser-memory-limit", "parser-crashed"}


async def test_a_limit_of_wall_time_is_kept() -> None:
    parser = process_parser(wall_seconds=0.01)

    started = time.monotonic()
    with pytest.raises(DocumentUnreadableError) as caught:
        await parser.parse(b"word", claimed_media_type=None, file_name=None)

    assert caught.value.reason == "parser-wall-limit"
    assert time.monotonic() - started < 10


@pytest.mark.slow
async def test_a_limit_of_cpu_time_is_kept() -> None:
    parser = process_parser(cpu_seconds=1, max_text_chars=20_000_000)

    with pytest.raises(DocumentUnreadableError) as caught:
        await parser.parse(
            b"<!doctype html>" + b"<p style='color:red'>x" * 400_000,
            claimed_media_type=None,
            file_name=None,
        )

    assert caught.value.reason == "parser-cpu-limit"


async def test_the_process_runs_none_of_what_our_environment_names(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(3)")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    document = await process_parser().parse(b"plain", claimed_media_type=None, file_name=None)

    assert document.visible.text == "plain"
