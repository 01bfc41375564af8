"""Edits that honest authors make to their documents, harmless ones and others."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from evaluation.reworded_sentences import REWORDED, SWAPPED, Rewording

_SYNONYMS: Final = {
    "use": "employ", "using": "employing", "also": "besides", "many": "numerous",
    "fast": "quick", "simple": "plain", "help": "assist", "provides": "offers",
    "allows": "lets one", "needs": "requires", "makes": "renders", "whole": "entire",
    "currently": "at present", "usually": "as a rule", "example": "instance", "easy": "effortless",
    "start": "begin", "build": "construct", "show": "present", "change": "alter",
}  # fmt: skip
_BROKEN_LINES: Final = 0.1
_PARAGRAPH_WORDS: Final = 15
_FEW_PARAGRAPHS: Final = 5
# Between blanks: a letter changed within a link or a name of code is another link or name.
_LETTERS: Final = re.compile(r"(?<=[a-z,] )[a-z]{6,}(?=[ ,.]? )")
_FIGURE: Final = re.compile(r"(?<![\w.])\d{1,4}(?![\w.]|\.\d)")
_DATE: Final = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December) "
    r"\d{1,2}, \d{4}\b|\b20\d\d-\d\d-\d\d\b"
)
_VERB: Final = re.compile(r"(?<=[a-z] )(?:is|are|can|should|must|will) (?=[a-z])")
_NAME: Final = re.compile(r"(?<=[a-z] )[A-Z][a-z]{3,}(?= [a-z])")

Edit = Callable[[str, Random, Sequence[str]], str | None]
"""Returns the edited text; None where the text has nothing to edit in this way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditKind:
    """A way to edit.

    Attributes:
        harmless: It ought to pass.
        prepare: What the document says before the edit, where that is not its own text.
        confirmed: Another established origin says what the new version does.
    """

    name: str
    harmless: bool
    edit: Edit
    prepare: Edit | None = None
    confirmed: bool = False


def _replaced(
    text: str, pattern: re.Pattern[str], random: Random, new: Callable[[str], str], *, most: int
) -> str | None:
    """Replace up to `most` matches, drawn at random."""
    found = list(pattern.finditer(text))
    if not found:
        return None
    chosen = random.sample(found, min(most, len(found)))
    for match in sorted(chosen, key=lambda one: -one.start()):
        text = text[: match.start()] + new(match[0]) + text[match.end() :]
    return text


def _typos(text: str, random: Random, _: Sequence[str]) -> str | None:
    def swapped(word: str) -> str:
        at = random.randrange(1, len(word) - 2)
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]

    return _replaced(text, _LETTERS, random, swapped, most=3)


def _reworded(text: str, random: Random, _: Sequence[str]) -> str | None:
    pattern = re.compile(rf"(?<=[a-z,] )(?:{'|'.join(_SYNONYMS)})(?=[ ,.]? )")
    return _replaced(text, pattern, random, lambda word: _SYNONYMS[word], most=4)


def _reflowed(text: str, random: Random, _: Sequence[str]) -> str | None:
    def gap(_: re.Match[str]) -> str:
        return "\n" if random.random() < _BROKEN_LINES else " "

    words = re.sub(r"(?<=[a-z,]) (?=[a-z])", gap, text)
    return words if words != text else None


def _paragraph_added(text: str, random: Random, others: Sequence[str]) -> str | None:
    paragraphs = text.split("\n\n")
    foreign = [p for p in random.choice(others).split("\n\n") if len(p.split()) >= _PARAGRAPH_WORDS]
    if not foreign:
        return None
    paragraphs.insert(random.randint(1, len(paragraphs)), random.choice(foreign))
    return "\n\n".join(paragraphs)


def _paragraph_removed(text: str, random: Random, _: Sequence[str]) -> str | None:
    paragraphs = text.split("\n\n")
    if len(paragraphs) < _FEW_PARAGRAPHS:
        return None
    del paragraphs[random.randrange(len(paragraphs))]
    return "\n\n".join(paragraphs)


def _paragraph_moved(text: str, random: Random, _: Sequence[str]) -> str | None:
    paragraphs = text.split("\n\n")
    if len(paragraphs) < _FEW_PARAGRAPHS:
        return None
    moved = paragraphs.pop(random.randrange(len(paragraphs)))
    paragraphs.insert(random.randrange(len(paragraphs)), moved)
    return "\n\n".join(paragraphs)


def _sentence_added(text: str, random: Random, others: Sequence[str]) -> str | None:
    ends = [match.end() for match in re.finditer(r"[a-z]\. (?=[A-Z])", text)]
    lent = re.findall(r"(?<=\. )[A-Z][a-z][^.!?\n]{30,150}\. ", random.choice(others))
    if not ends or not lent:
        return None
    at = random.choice(ends)
    return f"{text[:at]}{random.choice(lent)}{text[at:]}"


def _stamped(text: str, random: Random, _: Sequence[str]) -> str | None:
    return f"{text}\n\nLast updated: 2026-10-{random.randint(10, 28)}, revision 7\n"


def _figure(text: str, random: Random, _: Sequence[str]) -> str | None:
    return _replaced(text, _FIGURE, random, lambda old: str(int(old) * 3 + 7), most=1)


def _date(text: str, random: Random, _: Sequence[str]) -> str | None:
    def later(old: str) -> str:
        year = re.search(r"20\d\d|\d{4}", old)
        return old if year is None else old.replace(year[0], str(int(year[0]) + 2))

    return _replaced(text, _DATE, random, later, most=1)


def _negated(text: str, random: Random, _: Sequence[str]) -> str | None:
    return _replaced(text, _VERB, random, lambda verb: f"{verb}not ", most=1)


def _renamed(text: str, random: Random, _: Sequence[str]) -> str | None:
    return _replaced(text, _NAME, random, lambda _: "Mallorytown", most=1)


def _with_sentence(sentences: Sequence[Rewording]) -> Edit:
    """Return what puts one of the sentences into a text, as it stood before its edit."""

    def put(text: str, random: Random, _: Sequence[str]) -> str | None:
        return _put(text, random.choice(sentences).before, random)

    return put


def _put(text: str, sentence: str, random: Random) -> str:
    places = [0, *(match.end() for match in re.finditer(r"[a-z]\. (?=[A-Z])|\n\n", text))]
    at = random.choice(places)
    return f"{text[:at]}{sentence} {text[at:]}"


def _edited_sentence(sentences: Sequence[Rewording]) -> Edit:
    def edited(text: str, _: Random, __: Sequence[str]) -> str | None:
        known = next((one for one in sentences if one.before in text), None)
        return None if known is None else text.replace(known.before, known.after)

    return edited


def _with_review(text: str, random: Random, _: Sequence[str]) -> str | None:
    return f"{text}\n\nLast reviewed on {random.randint(2, 28)} March 2026 by the editors.\n"


def _reviewed_again(text: str, random: Random, _: Sequence[str]) -> str | None:
    new = f"Last reviewed on {random.randint(2, 28)} October 2026"
    return re.sub(r"Last reviewed on \d+ March 2026", new, text)


def _with_price(text: str, random: Random, _: Sequence[str]) -> str | None:
    price = f"A year of support costs {random.randint(20, 400)} euros for each seat."
    return _put(text, price, random)


def _dearer(text: str, random: Random, _: Sequence[str]) -> str | None:
    return re.sub(
        r"(?<=support costs )\d+", lambda old: str(int(old[0]) + random.randint(5, 50)), text
    )


KINDS: Final = (
    EditKind(name="typos mended", harmless=True, edit=_typos),
    EditKind(name="words replaced by synonyms", harmless=True, edit=_reworded),
    EditKind(name="lines broken anew", harmless=True, edit=_reflowed),
    EditKind(name="paragraph added", harmless=True, edit=_paragraph_added),
    EditKind(name="paragraph removed", harmless=True, edit=_paragraph_removed),
    EditKind(name="paragraph moved", harmless=True, edit=_paragraph_moved),
    EditKind(name="sentence added", harmless=True, edit=_sentence_added),
    EditKind(name="stamped with a date and revision", harmless=True, edit=_stamped),
    EditKind(
        name="sentence said in other words",
        harmless=True,
        prepare=_with_sentence(REWORDED),
        edit=_edited_sentence(REWORDED),
    ),
    EditKind(
        name="new date of the last review",
        harmless=True,
        prepare=_with_review,
        edit=_reviewed_again,
    ),
    EditKind(
        name="new price, confirmed by another origin",
        harmless=True,
        prepare=_with_price,
        edit=_dearer,
        confirmed=True,
    ),
    EditKind(
        name="new price, confirmed by nobody",
        harmless=False,
        prepare=_with_price,
        edit=_dearer,
    ),
    EditKind(
        name="thing swapped for its like",
        harmless=False,
        prepare=_with_sentence(SWAPPED),
        edit=_edited_sentence(SWAPPED),
    ),
    EditKind(name="figure changed", harmless=False, edit=_figure),
    EditKind(name="date changed", harmless=False, edit=_date),
    EditKind(name="statement negated", harmless=False, edit=_negated),
    EditKind(name="name changed", harmless=False, edit=_renamed),
)
