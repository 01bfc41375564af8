"""Names in a text: runs of capitalised words and quoted titles, found by shape alone."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from defences.answering.dates import WEEKDAYS
from defences.answering.keywords import STOPWORDS, stem

_PART: Final = r"(?:[A-ZÀ-ÖØ-Þ][\w'’&-]*\.?|\d{1,4}(?=\s[A-ZÀ-ÖØ-Þ]))"  # noqa: RUF001
_LINK: Final = (
    r"(?:of the|of|the|de la|de|del|van der|van|von|der|di|da|du|la|le|al|bin|and|&|for|at|on)"
)
_RUN: Final = re.compile(rf"(?<!\w){_PART}(?:\s+(?:{_LINK}\s+)?{_PART})*")
_QUOTED: Final = re.compile(r'["“«]([^"”»\n]{2,60})["”»]')
_SENTENCE_END: Final = re.compile(r"(?:^|[.!?:;]\s*[\"'“(]*|\n\s*)$")
_MONTHS: Final = frozenset(
    [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "jan",
        "feb",
        "mar",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
        "dec",
    ]
)
_SPLIT: Final = re.compile(r"\s+(?:and|for|at|on)\s+")
_PLACE_BEFORE: Final = re.compile(
    r"\b(?:in|at|near|from|to|of|on|into|through|across|between)\s+(?:the\s+)?$"
)
_BODIES: Final = frozenset(
    """street road lane avenue square gate bridge hill island river lake bay sea ocean mountain
    valley park garden hall house room centre center building tower wing ward pier quay station
    airport port harbour museum library school college university hospital clinic church cathedral
    theatre cinema hotel cafe company corporation inc ltd gmbh llc plc group line lines works bank
    fund office board committee council ministry department agency authority court police service
    services team club society association union league party army navy news times gazette press
    magazine journal university foundation institute academy city town village county state province
    district region republic kingdom empire north south east west northern southern eastern western
    day week year season series show album song film movie book award prize cup championship games
    act law treaty war battle policy plan guide manual kit model cloud system app version""".split()  # noqa: SIM905 - a list of a hundred quoted words reads worse
)
_OPENINGS: Final = {"st": "saint", "mt": "mount", "ft": "fort"}
_TITLES: Final = re.compile(
    r"^(?:Mr|Mrs|Ms|Dr|Prof|Sir|Lady|Lord|King|Queen|President|Captain|General|Saint|St)\.?\s"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """A name as it stands in a text.

    Attributes:
        stems: Its words, accents folded, as stems.
        opens: It begins a sentence, so that its first word may be capitalised for that alone.
        placed: A preposition of place stands before it.
    """

    text: str
    start: int
    end: int
    stems: frozenset[str]
    opens: bool = False
    placed: bool = False
    quoted: bool = False

    @property
    def personal(self) -> bool:
        """Whether it has the shape of a person's name: two to four words, none an acronym."""
        parts = self.text.split()
        if _TITLES.match(self.text):
            return True
        if any(part.lower().strip(".,'’s") in _BODIES for part in parts):  # noqa: RUF001
            return False
        plain = all(re.fullmatch(r"[^\W\d_][^\W\d_'’.-]*[.\w]*", part) for part in parts)  # noqa: RUF001
        mixed = not any(part.isupper() and len(part.strip(".")) > 2 for part in parts)  # noqa: PLR2004
        return 2 <= len(parts) <= 4 and plain and mixed and "the" not in parts  # noqa: PLR2004


@lru_cache(maxsize=16_384)  # the sentences of a topic's chunks are read for every question on it
def find_names(text: str) -> tuple[Name, ...]:
    """Return names in order of place. Months, weekdays and opening stop words are none."""
    found = [
        name
        for match in _RUN.finditer(text)
        for start, end in _pieces(text, match.start(), match.end())
        if (name := _name(text, start, end)) is not None
    ]
    for match in _QUOTED.finditer(text):
        stems = _stems(match.group(1))
        if stems:
            start, end = match.span(1)
            found.append(Name(text=match.group(1), start=start, end=end, stems=stems, quoted=True))
    return tuple(sorted(found, key=lambda name: (name.start, -name.end)))


def same_name(first: Name, second: Name) -> bool:
    """Whether one names the other: all words of the shorter stand in the longer.

    "Torry", "C. Torry" and "Clare Torry" match, "Clare Torry" and "Clare Grant" do not.
    """
    less, more = sorted((first.stems, second.stems), key=len)
    return bool(less) and (less <= more or _by_initials(less, more) or _by_initials(more, less))


def _by_initials(short: frozenset[str], long: frozenset[str]) -> bool:
    """Whether all that `long` lacks of `short` are initials of words that `short` lacks.

    At least one whole word must be in both: "P. N." names nobody.
    """
    initials, words = short - long, long - short
    return bool(short & long) and all(
        len(initial) == 1 and any(word.startswith(initial) for word in words)
        for initial in initials
    )


def opens_sentence(text: str, start: int) -> bool:
    """Whether a sentence begins at `start`, so that a capital there says nothing."""
    return _SENTENCE_END.search(text[max(0, start - 4) : start]) is not None


def mentions(name: Name, stems: Sequence[str] | frozenset[str]) -> bool:
    """Whether every word of the name is among `stems`."""
    return name.stems <= frozenset(stems)


def _pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the run, cut where "and" joins two names rather than making one."""
    pieces: list[tuple[int, int]] = []
    begin = start
    for match in _SPLIT.finditer(text, start, end):
        pieces.append((begin, match.start()))
        begin = match.end()
    pieces.append((begin, end))
    return pieces


def _name(text: str, start: int, end: int) -> Name | None:
    opens = opens_sentence(text, start)
    body = text[start:end]
    first = body.split()[0]
    if first.lower().strip(".'’") in STOPWORDS:  # noqa: RUF001
        rest = body[len(first) :]
        start = end - len(rest.lstrip())
        body = text[start:end]
        if not body or not body[0].isupper():
            return None
    elif opens and len(body.split()) == 1 and not _inner_capital(body):
        return None
    if body.lower().strip(".") in _MONTHS or body.lower() in WEEKDAYS:
        return None
    body = body.rstrip(".'’")  # noqa: RUF001
    stems = _stems(body)
    if not stems:
        return None
    placed = bool(_PLACE_BEFORE.search(text[max(0, start - 16) : start]))
    return Name(
        text=body, start=start, end=start + len(body), stems=stems, opens=opens, placed=placed
    )


def _inner_capital(word: str) -> bool:
    return any(character.isupper() or character.isdigit() for character in word[1:])


def _stems(text: str) -> frozenset[str]:
    folded = unicodedata.normalize("NFKD", text)
    plain = "".join(character for character in folded if not unicodedata.combining(character))
    parts = re.findall(r"[^\W_]+", plain.lower())
    if len(parts) > 1 and parts[0] in _OPENINGS:  # behind a name "St." is a street
        parts[0] = _OPENINGS[parts[0]]
    return frozenset(stem(part) for part in parts if part not in STOPWORDS)
