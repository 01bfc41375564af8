"""A parser's result as JSON: what the child process writes and `domain.parse_wire` reads.

A derived text is a list of segments, `[length, start]` for what is copied from the raw text and
`[text, start, end]` for what was put in its place, so that no text is written twice.
"""

from __future__ import annotations

import json
from typing import Final

from ingest.parsers.extract import Copied, Derived, Extract

MAX_HIDDEN: Final = 5_000
"""Hidden passages kept: the first ones; the rest become the warning `hidden-truncated`."""
MAX_METADATA: Final = 200
MAX_FIELD_CHARS: Final = 10_000


def _segments(derived: Derived) -> list[list[int | str]]:
    return [
        [s.length, s.start] if isinstance(s, Copied) else [s.text, s.start, s.end]
        for s in derived.segments
    ]


def to_wire(extract: Extract) -> dict[str, object]:
    warnings = list(extract.warnings)
    if len(extract.hidden) > MAX_HIDDEN:
        warnings.append("hidden-truncated")
    return {
        "media_type": extract.media_type,
        "raw_text": extract.raw_text,
        "visible": _segments(extract.visible),
        "hidden": [
            [passage.channel, _segments(passage.text), passage.locator, passage.benign]
            for passage in extract.hidden[:MAX_HIDDEN]
        ],
        "metadata": [
            [field.name, field.value[:MAX_FIELD_CHARS]] for field in extract.metadata[:MAX_METADATA]
        ],
        "parts": [[part.locator, part.start, part.end] for part in extract.parts],
        "warnings": warnings,
    }


def encode(content: dict[str, object]) -> bytes:
    # Lone surrogates become "?", one code point for one, so that maps stay right.
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
