"""EPUB: the chapters in reading order, each parsed as the page that it is."""

from __future__ import annotations

import posixpath
import re
import urllib.parse
from typing import Final

from lxml import etree  # type: ignore[import-untyped]

from ingest.parsers.archive import Archive, core_properties
from ingest.parsers.extract import BinaryText, Extract, unreadable
from ingest.parsers.html import parse_html
from ingest.parsers.sniff import EPUB, decode

MAX_CHAPTERS: Final = 3_000
_PAGES: Final = frozenset({"application/xhtml+xml", "text/html"})
_MAX_SHEETS: Final = 40
_MAX_SHEET_CHARS: Final = 400_000  # of all sheets of a page
_LINKED: Final = re.compile(
    r"(?:href\s*=|@import(?:\s+url\()?)\s*[\"'(]?\s*([^\s\"'()<>]{1,300}\.css)", re.IGNORECASE
)
_CONTAINER: Final = "META-INF/container.xml"


def parse_epub(content: bytes, *, max_chars: int) -> Extract:
    """Parse; a page of the book that is not in its reading order is hidden from its reader."""
    archive = Archive(content)
    text = BinaryText(max_chars=max_chars)
    if "META-INF/encryption.xml" in archive:
        text.warn("epub-encrypted")
    package = _package(archive)
    root = archive.tree(package)
    pages, spine = _pages(root, package)
    if len(pages) > MAX_CHAPTERS:
        text.warn("epub-chapters-truncated")
    listed = [pages[name] for name in spine if name in pages]
    order = list(dict.fromkeys(listed))
    rest = [name for name in pages.values() if name not in set(order)]
    for number, name in enumerate([*order, *rest][:MAX_CHAPTERS], 1):
        if name not in archive:
            text.warn("epub-chapter-missing")
            continue
        markup = decode(archive.read(name))[0]
        page = parse_html(markup, sheets=_sheets(archive, name, markup, text))
        locator = f"chapter {number}"
        if name in order:
            text.embed(page, locator=locator)
        else:
            shown = page.visible.text(page.raw_text)
            text.hide(
                shown, channel="epub-unlisted-page", locator=locator, benign=_is_list(root, name)
            )
    core_properties(archive, text, package)
    archive.close()
    return text.build(EPUB)


def _sheets(archive: Archive, name: str, markup: str, text: BinaryText) -> list[str]:
    """Return the book's style sheets that a page links, and those that they import."""
    pending = _linked(archive, name, markup)
    sheets: dict[str, str] = {}
    left = _MAX_SHEET_CHARS
    while pending:
        found = pending.pop(0)
        if found in sheets:
            continue
        sheet = decode(archive.read(found))[0]
        left -= len(sheet)
        if left < 0 or len(sheets) >= _MAX_SHEETS:
            text.warn("html-styles-truncated")
            break
        sheets[found] = sheet
        pending += _linked(archive, found, sheet)
    return list(sheets.values())


def _linked(archive: Archive, name: str, source: str) -> list[str]:
    folder = posixpath.dirname(name)
    targets = (
        posixpath.normpath(posixpath.join(folder, urllib.parse.unquote(match)))
        for match in _LINKED.findall(source)[:_MAX_SHEETS]
    )
    return [target for target in targets if target in archive]


def _package(archive: Archive) -> str:
    for element in archive.tree(_CONTAINER).iter():
        if isinstance(element.tag, str) and etree.QName(element).localname == "rootfile":
            path = element.get("full-path") or ""
            if path in archive:
                return path
    raise unreadable("epub-broken")


def _pages(root: etree._Element, package: str) -> tuple[dict[str, str], list[str]]:
    """Return the pages' parts by id, and the ids in reading order."""
    folder = posixpath.dirname(package)
    pages: dict[str, str] = {}
    spine: list[str] = []
    for element in root.iter():
        if not isinstance(element.tag, str):
            continue
        name = etree.QName(element).localname
        if name == "item" and element.get("media-type") in _PAGES:
            target = urllib.parse.unquote(element.get("href") or "")
            pages[element.get("id") or ""] = posixpath.normpath(posixpath.join(folder, target))
        elif name == "itemref" and (element.get("linear") or "yes") != "no":
            spine.append(element.get("idref") or "")
    return pages, spine


def _is_list(root: etree._Element, name: str) -> bool:
    """Whether a page is the book's own navigation."""
    base = posixpath.basename(name)
    return any(
        "nav" in (element.get("properties") or "").split()
        and (element.get("href") or "").endswith(base)
        for element in root.iter()
        if isinstance(element.tag, str)
    )
