"""CSV and JSON: text formats whose source is the raw text; values as a program reads them."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from ingest.parsers.extract import DerivedBuilder, Extract
from ingest.parsers.sniff import CSV, JSON

_DELIMITERS: Final = ",;\t|"
_SAMPLE_LINES: Final = 20
_STRING: Final = re.compile(r"\"(?:[^\"\\\n]|\\.)*+\"")
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_SIMPLE: Final = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_FORMULA: Final = re.compile(
    r"(?:^|[,;\t\"])\s*[=@][^,;\n]{0,200}(?:\||DDE|HYPERLINK|WEBSERVICE|cmd)",
    re.IGNORECASE | re.MULTILINE,
)


def parse_json(text: str) -> Extract:
    """Parse; escapes in strings come out as what they stand for, all else as it is written."""
    builder = DerivedBuilder()
    at = 0
    for string in _STRING.finditer(text):
        if "\\" not in string[0]:
            continue
        for escape in _ESCAPE.finditer(text, string.start() + 1, string.end() - 1):
            builder.copy(at, escape.start())
            builder.put(_unescaped(escape), escape.start(), escape.end())
            at = escape.end()
    builder.copy(at, len(text))
    return Extract(media_type=JSON, raw_text=text, visible=builder.build())


def _unescaped(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return _SIMPLE.get(escape[2], escape[2])
    code = int(escape[1], 16)
    # Half a surrogate pair alone is no text; its partner's escape follows.
    return "\ufffd" if 0xD800 <= code <= 0xDFFF else chr(code)  # noqa: PLR2004 - surrogates


def parse_csv(text: str) -> Extract:
    """Parse; a row is a line, ` | ` stands between its cells."""
    delimiter = _delimiter(text)
    builder = DerivedBuilder()
    start = 0
    quoted = False
    for match in re.finditer(rf"[\"\n{re.escape(delimiter)}]", text):
        mark = match[0]
        if mark == '"':
            quoted = not quoted
            builder.copy(start, match.start())
            if not quoted and text[match.end() : match.end() + 1] == '"':
                builder.put('"', match.start(), match.end())
            start = match.end()
        elif mark == "\n":
            builder.copy(start, match.end())
            start = match.end()
        elif not quoted:
            builder.copy(start, match.start())
            builder.put(" | ", match.start(), match.end())
            start = match.end()
    builder.copy(start, len(text))
    warnings = ("csv-formula",) if _FORMULA.search(text[:200_000]) else ()
    return Extract(media_type=CSV, raw_text=text, visible=builder.build(), warnings=warnings)


def _delimiter(text: str) -> str:
    """Return what most lines hold equally often, and the most of it."""
    lines = [line for line in text[:100_000].split("\n")[:_SAMPLE_LINES] if line.strip()]
    best, most = ",", (0, 0)
    for delimiter in _DELIMITERS:
        counts = Counter(line.count(delimiter) for line in lines)
        count, times = max(counts.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
        if count and (times, count) > most:
            best, most = delimiter, (times, count)
    return best
