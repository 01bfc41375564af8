"""Parses in this process: for one's own files and for tests. Outsiders' files need the child."""

from __future__ import annotations

from domain.documents import ParsedDocument
from domain.parse_wire import from_wire
from ingest.parsers.registry import parse
from ingest.parsers.wire import to_wire


class InlineParser:
    """A `DocumentParser` without limits of memory and time.

    Args:
        max_text_chars: Most code points a document may give.
    """

    def __init__(self, *, max_text_chars: int = 4_000_000) -> None:
        self._max_text_chars = max_text_chars

    async def parse(
        self, content: bytes, *, claimed_media_type: str | None, file_name: str | None
    ) -> ParsedDocument:
        extract = parse(
            content,
            claimed_media_type=claimed_media_type,
            file_name=file_name,
            max_text_chars=self._max_text_chars,
        )
        return from_wire(to_wire(extract), max_text_chars=self._max_text_chars)
