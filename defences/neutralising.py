"""Makes text of a stranger inert wherever it is shown, and leaves it readable (Law 14).

What an answer quotes is rendered by somebody else's application: as Markdown, as HTML, in a chat
that turns addresses into links and fetches images by itself, in a terminal, in a spreadsheet. A
picture fetched from an attacker's host takes the question along. So nothing that leaves by a door
may be a link, a picture, a tag, an escape or a formula there. Two layers, each enough alone:

- addresses are defanged in the way that security people read: `https[:]//example[.]com/a`;
- what makes a structure is parted by a blank: `] (`, `[ [`, `< b>`, `{ {`.

Nothing is deleted but what nobody sees: control characters, terminal escapes, invisible letters.
Headings, lists and emphasis stay: they fetch nothing and hide nothing.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# One class for each character that markup needs, with what compatibility folding (NFKC) or an
# address parser turns into it: a sink that folds must find nothing either.
_LT: Final = "[<\uff1c\ufe64]"
_OPEN: Final = "[\\[\uff3b\ufe47]"
_CLOSE: Final = "[\\]\uff3d\ufe48]"
_PAREN: Final = "[(\uff08\ufe59\u207d\u208d]"
_COLON: Final = "[:\uff1a\ufe55\ufe13]"
_SLASH: Final = "[/\\\\\uff0f\uff3c\ufe68\u2044\u2215]"
_DOT: Final = "[.\uff0e\ufe52\u2024\u3002\uff61]"
_AT: Final = "[@\uff20\ufe6b]"
_BRACE: Final = "[{\uff5b\ufe5b]"
_TICK: Final = "[`~\uff40\uff5e]"

# ECMA-48: control sequences; strings (titles, hyperlinks) to their terminator; what else follows
# an escape. A string that is never ended would swallow the rest in a terminal: its opening goes.
_ESCAPES: Final = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]?"
    "|(?:\x1b[\\]PX^_]|[\x90\x98\x9d\x9e\x9f])[^\x07\x1b\x9c\n]{0,2000}(?:\x07|\x1b\\\\|\x9c)"
    "|\x1b[ -/]*[0-~]?"
)
_LINE_ENDS: Final = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_JOINERS: Final = frozenset("\u200c\u200d")
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Cn"})
# Letters and marks that show nothing: joiner of graphemes, fillers, empty braille, and the
# selectors in which bytes are smuggled.
_BLANK: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\U000e0100-\U000e01ef]"
)

_ENTITY: Final = re.compile("[&\uff06\ufe60](?=#?[0-9A-Za-z]{1,32};)")
_SCHEME: Final = re.compile(f"(?<=[0-9A-Za-z+.-]){_COLON}(?={_SLASH}{{2}})")
# What is acted upon without `//`, too: always, only before something other than a blank (they are
# words of prose as well: "Tel: 555"), or only before a media type or a comma ("Data: 5").
_ACTING: Final = re.compile(
    f"(?:https?|javascript|vbscript|livescript)\\s{{0,4}}(?P<a>{_COLON})"
    "|(?<![0-9A-Za-z])(?:ftps?|jar|file|blob|about|mailto|tel|sms|smsto|callto|skype|intent"
    f"|view-source|filesystem|ms-[a-z-]{{1,20}})(?P<b>{_COLON})(?=\\S)"
    f"|(?<![0-9A-Za-z])data\\s{{0,4}}(?P<c>{_COLON})"
    r"(?=\s{0,4}(?:[\w.+-]{1,40}/[\w.+-]|[;,]))",
    re.IGNORECASE,
)
_LABEL: Final = r"[^\W_](?:[^\W_]|-){0,62}"
_HOST: Final = re.compile(f"{_LABEL}(?:{_DOT}{_LABEL}){{1,20}}")
_DOTS: Final = re.compile(_DOT)
_TOP_LEVELS: Final = """
com net org edu gov mil int io co info biz app dev ai me tv cc to ly gg sh so ru cn uk de fr nl eu
us ca au jp kr in br it es pl se no ch at be xyz top site online shop store club live icu pro link
click page cloud tech space website onion zip mov local internal test example invalid localhost
"""
_BEGIN_SENTENCES: Final = "In It Me So No At Be To Us Is"
_TOPS: Final = frozenset(_TOP_LEVELS.split())
_BEGINNINGS: Final = frozenset(_BEGIN_SENTENCES.split())
_BEFORE_HOST: Final = re.compile(f"(?:{_AT}|\\[{_COLON}\\]{_SLASH}{{2}})$")
_PATH: Final = re.compile(f"{_SLASH}[\\w?#%]|{_COLON}\\d")

_STRUCTURES: Final = re.compile(
    f"(?P<after>{_CLOSE})(?={_PAREN}|{_OPEN}|{_COLON})"
    f"|(?P<doubled>{_OPEN})(?={_OPEN})"
    rf"|(?P<code>{_OPEN})(?=/?(?:img|url|email|video|audio|iframe|youtube|html|code|inst)\b)"
    f"|(?P<tag>{_LT})(?=[A-Za-z/!?%@#:|\\uff5c\\uff01\\uff0f\\uff21-\\uff3a\\uff41-\\uff5a])"
    f"|(?P<template>{_BRACE})(?=[{{%#\uff5b\ufe5b])"
    r"|(?P<command>[\\\uff3c\ufe68])(?=(?:href|url|includegraphics|input|include|html[A-Za-z]*)\b)"
    f"|(?P<call>{_AT})(?=(?:everyone|here|channel|all)\\b)",
    re.IGNORECASE,
)
_FENCE: Final = re.compile(f"({_TICK})(?={_TICK}{{2}})")
_FORMULA: Final = re.compile(
    "[=@\uff1d\uff20]|[+\\-\uff0b\uff0d](?=[^\\s\\d.])|[+\\-\uff0b\uff0d](?=[^\n]*[|(!])"
)
_QUOTED: Final = "'"

# Whatever is changed has one of these; most of what has one is not changed.
_SUSPECT: Final = re.compile(
    r"[^\n\t -~]|[\[\]<&{\\`~@]|[.:](?=[^\s\d])|https?|script|data\s|\A\s*[=+-]", re.IGNORECASE
)


def neutralise(text: str) -> str:
    """Return `text` as inert prose. Applying it again changes nothing.

    Linear in the length. Line ends and tabs stay; a text that a spreadsheet would compute begins
    with an apostrophe.
    """
    if _SUSPECT.search(text) is None:
        return text  # plain prose, which most answers are
    return _parted(text)


def _parted(text: str) -> str:
    inert = _visible(text)
    inert = _ENTITY.sub(r"\g<0> ", inert)
    inert = _SCHEME.sub(r"[\g<0>]", inert)
    inert = _ACTING.sub(lambda found: found[0][:-1] + f"[{found[0][-1]}]", inert)
    inert = _HOST.sub(_defanged, inert)
    inert = _FENCE.sub(r"\1 ", inert)
    inert = _STRUCTURES.sub(r"\g<0> ", inert)
    return _no_formula(inert)


def _visible(text: str) -> str:
    """Return what a reader sees: no escapes, no control or invisible characters."""
    if text.isascii() and text.isprintable():
        return text
    plain = _BLANK.sub("", _LINE_ENDS.sub("\n", _ESCAPES.sub("", text)))
    if plain.isprintable():
        return plain
    seen = "".join(
        char
        for char in plain
        if char in "\n\t" or char in _JOINERS or unicodedata.category(char) not in _UNSEEN
    )
    return "".join(char for at, char in enumerate(seen) if _is_needed(seen, at))


def _is_needed(text: str, at: int) -> bool:
    """Persian, Indic scripts and emoji need joiners; beside Latin letters they only hide."""
    return text[at] not in _JOINERS or (
        0 < at < len(text) - 1
        and not any(near.isascii() or near in _JOINERS for near in (text[at - 1], text[at + 1]))
    )


def _defanged(found: re.Match[str]) -> str:
    """Part the dots of what a client would make a link of; figures and sentences stay."""
    return _DOTS.sub(r"[\g<0>]", found[0]) if _is_host(found) else found[0]


def _is_host(found: re.Match[str]) -> bool:
    host, text = found[0], found.string
    if host[:4].casefold() == "www." or _BEFORE_HOST.search(
        text[max(0, found.start() - 6) : found.start()]
    ):
        return True
    last = _DOTS.split(host)[-1]
    if last in _BEGINNINGS:
        return False  # a blank was forgotten behind a full stop
    top = unicodedata.normalize("NFKC", last).casefold()
    if top.partition("-")[0] in _TOPS or top.startswith("xn--"):
        return True  # of "evil.com-sale" a client may link what is before the hyphen
    return top.isalpha() and len(top) > 1 and _PATH.match(text, found.end()) is not None


def _no_formula(text: str) -> str:
    stripped = text.lstrip()
    if stripped and _FORMULA.match(stripped):
        return _QUOTED + stripped
    return text
