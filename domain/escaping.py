"""Text of strangers, as each kind of receiver may be shown it: it stays text everywhere."""

from __future__ import annotations

import html as _html
import re
import unicodedata
from typing import Final

_MARKDOWN: Final = re.compile(r"([\\`*_{}\[\]()#+\-.!|<>~@:/])")
_SPREADSHEET: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What spreadsheets take for the start of a formula, full-width forms included."""
_UNSHOWN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_LINKS: Final = re.compile(r"(?<=\w)\.(?=\w)|:(?=//)|@(?=\w)")
_LONGEST: Final = 300


def line(text: str, *, limit: int = _LONGEST) -> str:
    """Return one line without control, format or unassigned characters, cut to `limit`."""
    shown = "".join(
        " " if char in "\n\t\r" else "\N{REPLACEMENT CHARACTER}" if _is_unshown(char) else char
        for char in text[: limit + 1]
    )
    return shown if len(shown) <= limit else shown[: limit - 1] + "\N{HORIZONTAL ELLIPSIS}"


def defanged(text: str) -> str:
    """Return a line in which no chat or mail program finds a link, an address or a mention."""
    return _LINKS.sub(lambda match: f"[{match[0]}]", line(text))


def markdown(text: str) -> str:
    """Return a line that Markdown shows as it stands."""
    return _MARKDOWN.sub(r"\\\1", line(text))


def html(text: str) -> str:
    """Return a line for an element or a quoted attribute of HTML."""
    return _html.escape(line(text), quote=True)


def csv_cell(text: str) -> str:
    """Return a cell that no spreadsheet takes for a formula; quoting it is the writer's part."""
    text = text.encode("utf-8", "replace").decode()
    return f"'{text}" if text.lstrip(" ").startswith(_SPREADSHEET) else text


def cef_header(text: str) -> str:
    """Return a field of CEF's header (ArcSight, Common Event Format, rev. 26)."""
    return line(text).replace("\\", "\\\\").replace("|", "\\|")


def cef_value(text: str) -> str:
    """Return a value of CEF's extension."""
    return line(text).replace("\\", "\\\\").replace("=", "\\=")


def _is_unshown(char: str) -> bool:
    return unicodedata.category(char) in _UNSHOWN
