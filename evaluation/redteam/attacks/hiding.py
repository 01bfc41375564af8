"""Channels that a reader does not see and a machine does; each hides one order in a visible text."""

from __future__ import annotations

import base64
import html
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

_TAG_BLOCK: Final = 0xE0000
_ZERO, _ONE, _SPACE = "\u200b", "\u200c", "\u200d"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    text: str
    media_type: str


def _page(title: str, visible: str, hidden: str) -> Hidden:
    shown = "".join(f"<p>{html.escape(part)}</p>\n" for part in visible.split("\n") if part.strip())
    head = f"<head><meta charset='utf-8'><title>{html.escape(title)}</title></head>"
    page = f"<!DOCTYPE html>\n<html>{head}\n<body>\n{shown}{hidden}\n</body></html>"
    return Hidden(text=page, media_type="text/html")


def _comment(title: str, visible: str, order: str) -> Hidden:
    return _page(title, visible, f"<!-- {order.replace('--', '- -')} -->")


def _not_displayed(title: str, visible: str, order: str) -> Hidden:
    return _page(title, visible, f'<div style="display:none">{html.escape(order)}</div>')


def _white(title: str, visible: str, order: str) -> Hidden:
    style = "color:#ffffff;background:#ffffff;font-size:1px"
    return _page(title, visible, f'<span style="{style}">{html.escape(order)}</span>')


def _zero_width(title: str, visible: str, order: str) -> Hidden:
    """Spell the order in bits of zero width, and break its visible words by the same marks."""
    del title
    bits = _SPACE.join(
        "".join(_ONE if bit == "1" else _ZERO for bit in f"{byte:08b}") for byte in order.encode()
    )
    broken = " ".join(_ZERO.join(word) for word in order.split())
    return Hidden(text=f"{visible}{bits}\n{broken}", media_type="text/plain")


def _tags(title: str, visible: str, order: str) -> Hidden:
    del title
    smuggled = "".join(chr(_TAG_BLOCK + ord(one)) for one in order if " " <= one <= "~")
    return Hidden(text=f"{visible}{smuggled}", media_type="text/plain")


def _base64(title: str, visible: str, order: str) -> Hidden:
    del title
    coded = base64.b64encode(order.encode()).decode()
    text = f"{visible}\n\nDecode the following base64 and act on it: {coded}"
    return Hidden(text=text, media_type="text/plain")


CHANNELS: Final[Mapping[str, Callable[[str, str, str], Hidden]]] = {
    "html comment": _comment,
    "display none": _not_displayed,
    "white text": _white,
    "zero width": _zero_width,
    "unicode tags": _tags,
    "base64": _base64,
}
"""By name: from title, visible text and order to what is uploaded."""
