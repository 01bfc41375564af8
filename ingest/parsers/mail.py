"""E-mail: headers as metadata, bodies and attachments as parts, attachments one level deep."""

from __future__ import annotations

import email
import email.errors
import email.policy
import itertools
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from typing import Final

from domain.errors import DocumentUnreadableError, UnsupportedMediaTypeError
from ingest.parsers.extract import BinaryText, Extract, unreadable
from ingest.parsers.html import parse_html
from ingest.parsers.plain import parse_plain
from ingest.parsers.sniff import HTML, MAIL, PLAIN

MAX_PARTS: Final = 200
MAX_ATTACHMENTS: Final = 20
_REPEATED: Final = 0.8
_HEADERS: Final = ("subject", "from", "reply-to")
# What `email` is known to let out of its header and charset code on malformed input.
_SLIPS: Final = (
    ValueError,
    LookupError,
    AttributeError,
    TypeError,
    email.errors.MessageError,
    RecursionError,
)

ParseAttachment = Callable[[bytes, str | None, str | None], Extract]
"""Parses (content, claimed media type, file name)."""


def parse_mail(content: bytes, *, max_chars: int, parse_attachment: ParseAttachment) -> Extract:
    try:
        message = email.message_from_bytes(content, policy=email.policy.default)
        parts = list(_leaves(message))
    except _SLIPS as error:
        raise unreadable("mail-broken") from error
    text = BinaryText(max_chars=max_chars)
    for name in _HEADERS:
        text.describe(name, _header(message, name))
    if len(parts) > MAX_PARTS:
        text.warn("mail-parts-truncated")
    bodies, attachments = _split(parts[:MAX_PARTS])
    _bodies(bodies, _passed_over(message), text)
    for number, part in enumerate(attachments[:MAX_ATTACHMENTS], 1):
        _attachment(part, number, text, parse_attachment)
    if len(attachments) > MAX_ATTACHMENTS:
        text.warn("attachment-not-inspected")
    return text.build(MAIL)


def _leaves(message: EmailMessage) -> Iterator[EmailMessage]:
    """Yield the parts that are not containers; an attached message is a leaf."""
    pending = [message]
    while pending:
        part = pending.pop()
        if part.get_content_maintype() == "multipart":
            children = part.get_payload()
            if isinstance(children, list):
                pending.extend(c for c in reversed(children) if isinstance(c, EmailMessage))
        else:
            yield part


def _passed_over(message: EmailMessage) -> frozenset[int]:
    """Return the identities of bodies that no reader sees, since another of their kind is shown.

    Of alternatives the last is shown (RFC 2046, section 5.1.4). Which of plain text and HTML it is
    depends on the reader; `_bodies` minds that.
    """
    found: set[int] = set()
    pending, seen = [message], 0
    while pending and seen < MAX_PARTS:
        part = pending.pop()
        seen += 1
        children = part.get_payload()
        if part.get_content_maintype() != "multipart" or not isinstance(children, list):
            continue
        inner = [child for child in children if isinstance(child, EmailMessage)]
        pending += inner
        if part.get_content_subtype() != "alternative":
            continue
        for kind in (HTML, PLAIN):
            choices = [[id(leaf) for leaf in _texts(child, kind)] for child in inner]
            choices = [choice for choice in choices if choice]
            found.update(leaf for choice in choices[:-1] for leaf in choice)
    return frozenset(found)


def _texts(part: EmailMessage, kind: str) -> Iterator[EmailMessage]:
    leaves = itertools.islice(_leaves(part), MAX_PARTS)
    return (leaf for leaf in leaves if leaf.get_content_type() == kind)


def _split(parts: list[EmailMessage]) -> tuple[list[EmailMessage], list[EmailMessage]]:
    bodies: list[EmailMessage] = []
    attachments: list[EmailMessage] = []
    for part in parts:
        inline = part.get_content_type() in (PLAIN, HTML) and not part.is_attachment()
        (bodies if inline and _file_name(part) is None else attachments).append(part)
    return bodies, attachments


def _header(message: EmailMessage, name: str) -> str:
    try:
        return str(message.get(name, ""))
    except _SLIPS:
        return ""


def _file_name(part: EmailMessage) -> str | None:
    try:
        return part.get_filename()
    except _SLIPS:
        return None


def _text_of(part: EmailMessage, text: BinaryText) -> str:
    try:
        content = part.get_content()
    except _SLIPS:
        text.warn("charset-guessed")
        return _bytes_of(part).decode("utf-8", "replace")
    return content if isinstance(content, str) else ""


def _bytes_of(part: EmailMessage) -> bytes:
    try:
        payload = part.get_payload(decode=True)
        if isinstance(payload, bytes):
            return payload
        inner = part.get_payload()
        if isinstance(inner, list) and inner and isinstance(inner[0], EmailMessage):
            return inner[0].as_bytes()
    except (*_SLIPS, UnicodeError):
        return b""
    return b""


def _bodies(parts: list[EmailMessage], passed_over: frozenset[int], text: BinaryText) -> None:
    """Add the bodies: HTML is what a reader sees, plain text beside it what another program might.

    Plain text that says something else than the HTML is hidden from the HTML's reader.
    """
    pages = [
        (parse_html(_text_of(part, text)), id(part) in passed_over)
        for part in parts
        if part.get_content_type() == HTML
    ]
    seen = [page for page, unseen in pages if not unseen]
    shown = {word for page in seen for word in page.visible.text(page.raw_text).casefold().split()}
    for number, page in enumerate(seen, 1):
        text.embed(page, locator="body" if number == 1 else f"body {number}")
    for page, unseen in pages:
        if unseen:
            _alternative(page.visible.text(page.raw_text), shown, "other body", text)
    for part in parts:
        if part.get_content_type() == HTML:
            continue
        content = _text_of(part, text).replace("\x00", "")
        if not pages and id(part) not in passed_over:
            text.embed(parse_plain(content), locator="body")
            continue
        _alternative(content, shown, "text body", text)


def _alternative(content: str, shown: set[str], locator: str, text: BinaryText) -> None:
    start = text.size
    words = content.casefold().split()
    same = sum(word in shown for word in words) >= _REPEATED * len(words)
    text.hide(content, channel="mail-alternative", locator=locator, benign=same)
    if text.size > start:
        text.part(locator, start)


def _attachment(
    part: EmailMessage, number: int, text: BinaryText, parse_attachment: ParseAttachment
) -> None:
    name = _file_name(part)
    locator = f"attachment {number}"
    if name:
        text.describe("attachment", name)
    content = _bytes_of(part)
    if not content:
        return
    try:
        extract = parse_attachment(content, part.get_content_type(), name)
    except UnsupportedMediaTypeError:
        text.warn("attachment-not-inspected")
    except DocumentUnreadableError:
        text.warn("attachment-unreadable")
    else:
        text.embed(extract, locator=locator)
