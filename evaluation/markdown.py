"""Markdown as reports of figures need it: tables, and text of strangers made harmless."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

_MARKUP: Final = re.compile(r"[\\`*_{}\[\]<>#!|~&@]|:(?=//)|(?<=www)\.", re.IGNORECASE)
"""Parentheses do nothing without brackets; addresses would become links."""


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table; cells are Markdown of one line."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def escaped(text: str) -> str:
    """Return text of a stranger as Markdown that shows it on one line and does nothing else."""
    line = " ".join(text.split())
    return _MARKUP.sub(lambda found: f"&#{ord(found[0])};", line)


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace("|", "\\|"))
