"""Plain text: what you see is all there is, but for Unicode, which `ingest.normalise` looks at."""

from __future__ import annotations

from ingest.parsers.extract import Copied, Derived, Extract
from ingest.parsers.sniff import PLAIN


def parse_plain(text: str) -> Extract:
    return Extract(media_type=PLAIN, raw_text=text, visible=Derived((Copied(0, len(text)),)))
