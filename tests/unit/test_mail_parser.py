from __future__ import annotations

from email.message import EmailMessage

import pytest

from ingest.parsers.registry import MAX_ATTACHED, MAX_DEPTH
from tests.parser_samples import PROSE, docx, found, paragraph, parsed, pdf, run, shown


def message(text: str | None = "Hello there.", html: str | None = None) -> EmailMessage:
    mail = EmailMessage()
    mail["From"] = "Ann <ann@site.example>"
    mail["Subject"] = "Pümp report"
    mail["Date"] = "Mon, 05 Oct 2026 10:00:00 +0000"
    if text is not None:
        mail.set_content(text)
    if html is not None and text is not None:
        mail.add_alternative(html, subtype="html")
    elif html is not None:
        mail.set_content(html, subtype="html")
    return mail


def test_headers_are_metadata_and_the_body_is_text() -> None:
    document = parsed(bytes(message()))

    assert document.media_type == "message/rfc822"
    assert document.visible.text.strip() == "Hello there."
    assert [(f.name, f.value) for f in document.metadata] == [
        ("subject", "Pümp report"),
        ("from", "Ann <ann@site.example>"),
    ]
    assert [part.locator for part in document.parts] == ["body"]


def test_html_is_what_is_seen_and_equal_plain_text_beside_it_is_benign() -> None:
    document = parsed(bytes(message("Hello there.", "<p>Hello <b>there.</b></p>")))

    assert document.visible.text.strip() == "Hello there."
    assert found(document) == [("mail-alternative", "Hello there.", True)]


def test_plain_text_that_differs_from_the_html_is_hidden() -> None:
    document = parsed(bytes(message(PROSE, "<p>Hello there.</p>")))

    assert found(document) == [("mail-alternative", PROSE, False)]
    assert document.hidden[0].locator == "text body"


@pytest.mark.parametrize("kind", ["html", "plain"])
def test_of_two_alternatives_of_a_kind_the_last_is_seen(kind: str) -> None:
    mail = message(None)
    mail.make_alternative()
    for text in (PROSE, "Hello there."):
        part = EmailMessage()
        part.set_content(text, subtype=kind)
        mail.attach(part)

    document = parsed(bytes(mail))

    assert document.visible.text.strip() == "Hello there."
    assert [(channel, text.strip(), benign) for channel, text, benign in found(document)] == [
        ("mail-alternative", PROSE, False)
    ]


def test_two_pages_of_a_mail_that_are_no_alternatives_are_both_seen() -> None:
    mail = message(None)
    mail.make_mixed()
    for text in ("<p>First page.</p>", "<p>Second page.</p>"):
        part = EmailMessage()
        part.set_content(text, subtype="html")
        mail.attach(part)

    document = parsed(bytes(mail))

    assert document.visible.text.split() == ["First", "page.", "Second", "page."]
    assert found(document) == []


def test_text_hidden_in_the_html_keeps_its_channel() -> None:
    document = parsed(bytes(message(None, f"<p>Hello</p><p style='display:none'>{PROSE}</p>")))

    assert found(document) == [("html-display-none", PROSE, False)]
    assert document.hidden[0].locator == "body"


@pytest.mark.parametrize(
    ("content", "kind", "name", "text"),
    [
        (pdf(shown("Words of the PDF.")), "pdf", "a.pdf", "Words of the PDF."),
        (
            docx(paragraph(run("Words of the DOCX."))),
            "octet-stream",
            "a.docx",
            "Words of the DOCX.",
        ),
    ],
)
def test_attachments_are_read_by_their_own_parsers(
    content: bytes, kind: str, name: str, text: str
) -> None:
    mail = message()
    mail.add_attachment(content, maintype="application", subtype=kind, filename=name)

    document = parsed(bytes(mail))

    assert text in document.visible.text
    assert ("attachment", name) in [(f.name, f.value) for f in document.metadata]
    place = document.raw_text.index(text)
    covering = [p.locator for p in document.parts if p.span.start <= place < p.span.end]
    assert covering[0] == "attachment 1"


def test_hidden_text_of_an_attachment_is_located() -> None:
    mail = message()
    content = pdf(shown("Seen.") + shown(PROSE, y=500, before="3 Tr"))
    mail.add_attachment(content, maintype="application", subtype="pdf", filename="a.pdf")

    document = parsed(bytes(mail))

    assert found(document) == [("pdf-render-mode-3", PROSE, False)]
    assert document.hidden[0].locator == "attachment 1, page 1"
    span = document.hidden[0].text.source(0, len(PROSE))
    assert document.raw_text[span.start : span.end] == PROSE


def test_what_cannot_be_read_is_warned_of() -> None:
    mail = message()
    mail.add_attachment(b"\x89PNG\r\n", maintype="image", subtype="png", filename="a.png")
    mail.add_attachment(b"%PDF-1.7\n", maintype="application", subtype="pdf", filename="b.pdf")

    document = parsed(bytes(mail))

    assert set(document.warnings) == {"attachment-not-inspected", "attachment-unreadable"}


def nested(depth: int) -> bytes:
    mail = message("Words at the bottom.")
    for level in range(depth):
        outer = message(f"Level {level}.")
        outer.add_attachment(mail)
        mail = outer
    return bytes(mail)


def test_attachments_of_attachments_are_read() -> None:
    document = parsed(nested(MAX_DEPTH))

    assert "Words at the bottom." in document.visible.text
    assert "attachment-not-inspected" not in document.warnings


def test_a_chain_of_attachments_ends_in_a_warning() -> None:
    document = parsed(nested(MAX_DEPTH + 1))

    assert "Words at the bottom." not in document.visible.text
    assert "attachment-not-inspected" in document.warnings


def test_all_attachments_share_one_budget() -> None:
    inner = message()
    for number in range(20):
        inner.add_attachment(
            f"Note {number}.".encode(), maintype="text", subtype="plain", filename="n"
        )
    outer = message()
    for _ in range(20):
        outer.add_attachment(inner)

    document = parsed(bytes(outer))

    assert document.visible.text.count("Note ") < MAX_ATTACHED
    assert "attachment-not-inspected" in document.warnings


@pytest.mark.parametrize(
    "content",
    [
        b"From: a@b.example\nDate: x\nContent-Type: text/plain; charset=nonsense\n\n\xff\xfe words",
        b"From: <<<>>>\nDate: x\nSubject: =?utf-8?b?%%%?=\n\nwords",
        b"From: a@b.example\nDate: x\nContent-Type: multipart/mixed\n\nno boundary words",
        b"From: a@b.example\nDate: x\nContent-Type: multipart/mixed; boundary=q\n\n--q\n\nwords",
        b"From: a\nDate: b\nContent-Transfer-Encoding: base64\n\n!!!! words",
    ],
)
def test_malformed_mail_is_read_as_far_as_it_goes(content: bytes) -> None:
    assert parsed(content).media_type == "message/rfc822"
