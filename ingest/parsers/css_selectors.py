"""Selectors of CSS against an element, what stands around it and what came before it.

What only later elements tell (`:last-child`, `:has()`) is taken to hold: a rule that hides is then
believed too often rather than never. What only a reader's hand brings about (`:hover`) does not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from ingest.parsers.css_values import unescaped

MAX_COMPOUNDS: Final = 12
_MAX_NESTED: Final = 4
_MAX_CHOICES: Final = 64
"""Of a list; a longer one is taken to hold, rather than tried on every element."""
_MAX_STEPS: Final = 200
_MAX_ANCESTORS: Final = 512
_IDENTIFIER: Final = r"(?:\\[0-9a-fA-F]{1,6}\s?|\\[^\n]|[\w-]|[^\x00-\x7f])++"
"""Possessive: what a name could be read as in two ways is never tried in all of them."""
_PIECE: Final = re.compile(rf"([.#])({_IDENTIFIER})|(::?)({_IDENTIFIER})(\()?|(\[)")
_TAG: Final = re.compile(rf"(?:{_IDENTIFIER}|\*)(?:\|(?:{_IDENTIFIER}|\*))?")
_ATTRIBUTE: Final = re.compile(
    rf"\[\s*+(?:[\w*-]*+\|)?({_IDENTIFIER})\s*+"
    r"(?:([~|^$*]?=)\s*+(?:\"([^\"]*)\"|'([^']*)'|([^\]\s]*)))?\s*+(?:[is]\s*+)?\]"
)
_COMBINATOR: Final = re.compile(r"\s*([>+~])\s*|\s+")
_NTH: Final = re.compile(r"([+-]?\d*)n(?:([+-]\d+))?\Z|([+-]?\d+)\Z")
_BY_HAND: Final = frozenset(
    (
        *("hover", "focus", "active", "focus-within", "focus-visible", "target", "visited"),
        *("indeterminate", "fullscreen", "modal", "popover-open", "invalid", "user-invalid"),
        *("user-valid", "out-of-range", "autofill", "playing", "paused", "empty", "selection"),
        *("placeholder-shown", "default", "future", "past", "current", "target-within", "blank"),
    )
)
_ATTRIBUTES: Final = frozenset(("checked", "disabled", "open", "required"))
_LISTS: Final = frozenset(("not", "is", "where", "matches", "any", "-webkit-any", "-moz-any"))
_COUNTED: Final = frozenset(("nth-child", "nth-of-type", "first-child", "first-of-type"))
_PSEUDO_ELEMENTS: Final = frozenset(("before", "after", "first-line", "first-letter"))


class Valued(Protocol):
    """An attribute's value, read when it is asked for."""

    def text(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Subject:
    """An element as selectors see it.

    Attributes:
        classes: Lower-cased, as quirks mode has them.
        number, number_of_type: From 1, among its parent's elements.
        before: What stands before it in its parent, nearest last, a few at most.
    """

    tag: str
    id: str = ""
    classes: frozenset[str] = frozenset()
    attributes: Mapping[str, Valued] = field(default_factory=dict)
    number: int = 1
    number_of_type: int = 1
    before: tuple[Subject, ...] = ()


@dataclass(frozen=True, slots=True)
class _Attribute:
    name: str
    operator: str
    value: str

    def holds(self, subject: Subject) -> bool:
        found = subject.attributes.get(self.name)
        if found is None:
            return False
        text = found.text().lower() if self.operator else ""
        return {
            "": True,
            "=": text == self.value,
            "~=": self.value in text.split(),
            "|=": text == self.value or text.startswith(f"{self.value}-"),
            "^=": bool(self.value) and text.startswith(self.value),
            "$=": bool(self.value) and text.endswith(self.value),
            "*=": bool(self.value) and self.value in text,
        }[self.operator]


@dataclass(frozen=True, slots=True)
class _Counted:
    """`an + b`, of all elements or of its tag's."""

    step: int
    offset: int
    of_type: bool

    def holds(self, subject: Subject) -> bool:
        left = (subject.number_of_type if self.of_type else subject.number) - self.offset
        return left == 0 if self.step == 0 else left % self.step == 0 and left // self.step >= 0


@dataclass(frozen=True, slots=True)
class _Listed:
    """`:is()`, or `:not()` where it is `denied`; of each selector its last compound counts."""

    choices: tuple[Compound, ...]
    denied: bool

    def holds(self, subject: Subject) -> bool:
        return any(choice.matches(subject) for choice in self.choices) is not self.denied


@dataclass(frozen=True, slots=True)
class _Never:
    def holds(self, _subject: Subject) -> bool:
        return False


_Test = _Attribute | _Counted | _Listed | _Never


@dataclass(frozen=True, slots=True)
class Compound:
    """A simple selector: a tag (None: any), an id (None: any), classes, and further tests."""

    tag: str | None = None
    id: str | None = None
    classes: frozenset[str] = frozenset()
    tests: tuple[_Test, ...] = ()

    def matches(self, subject: Subject) -> bool:
        return (
            (self.tag is None or self.tag == subject.tag)
            and (self.id is None or self.id == subject.id)
            and self.classes <= subject.classes
            and all(test.holds(subject) for test in self.tests)
        )

    def weight(self) -> tuple[int, int, int]:
        inner = [
            max((choice.weight() for choice in test.choices), default=(0, 0, 0))
            for test in self.tests
            if isinstance(test, _Listed)
        ]
        plain = len(self.classes) + len(self.tests) - len(inner)
        return (
            (self.id is not None) + sum(each[0] for each in inner),
            plain + sum(each[1] for each in inner),
            (self.tag is not None) + sum(each[2] for each in inner),
        )


@dataclass(frozen=True, slots=True)
class Selector:
    """Compounds from the outermost in, and how each follows on the one before: ` `, `>`, `+`, `~`."""

    compounds: tuple[Compound, ...]
    combinators: tuple[str, ...]

    def weight(self) -> tuple[int, int, int]:
        weights = [compound.weight() for compound in self.compounds]
        return sum(w[0] for w in weights), sum(w[1] for w in weights), sum(w[2] for w in weights)

    def matches(self, subject: Subject, around: Sequence[Subject]) -> bool:
        """Whether it means `subject`, whose ancestors are `around`, the outermost first.

        Work is bounded: after some steps back it is taken not to match.
        """
        if not self.compounds[-1].matches(subject):
            return False
        pending = [(len(self.compounds) - 2, subject, len(around))]
        floor = max(0, len(around) - _MAX_ANCESTORS)
        for _ in range(_MAX_STEPS):
            if not pending:
                return False
            at, here, depth = pending.pop()
            if at < 0:
                return True
            wanted, combinator = self.compounds[at], self.combinators[at]
            if combinator in "+~":
                nearest = here.before[-1:] if combinator == "+" else here.before
                pending += [(at - 1, one, depth) for one in nearest if wanted.matches(one)]
            elif combinator == ">":
                if depth > 0 and wanted.matches(around[depth - 1]):
                    pending.append((at - 1, around[depth - 1], depth - 1))
            else:
                found = next(
                    (d for d in range(depth, floor, -1) if wanted.matches(around[d - 1])), 0
                )
                if found:
                    pending.append((at, here, found - 1))
                    pending.append((at - 1, around[found - 1], found - 1))
        return False


def selector(text: str, *, nested: int = 0) -> Selector | None:
    """Return what `text` selects; None for a pseudo-element or what cannot be read."""
    compounds: list[Compound] = []
    combinators: list[str] = []
    at, text = 0, text.strip()
    while at < len(text):
        if compounds:
            joint = _COMBINATOR.match(text, at)
            if joint is None or len(compounds) >= MAX_COMPOUNDS:
                return None
            combinators.append(joint[1] or " ")
            at = joint.end()
        compound, end = _compound(text, at, nested)
        if compound is None or end == at:
            return None
        compounds.append(compound)
        at = end
    return Selector(tuple(compounds), tuple(combinators)) if compounds else None


def selectors(text: str) -> list[str]:
    """Split a list of selectors at the commas that stand in no brackets."""
    if "(" not in text and "[" not in text:
        return text.split(",")
    found, depth, start = [], 0, 0
    for match in re.finditer(r"[(\[\])]|\\.|,", text):
        if match[0] in "([":
            depth += 1
        elif match[0] in ")]":
            depth = max(0, depth - 1)
        elif match[0] == "," and depth == 0:
            found.append(text[start : match.start()])
            start = match.end()
    return [*found, text[start:]]


def _compound(text: str, at: int, nested: int) -> tuple[Compound | None, int]:
    """Return the compound at a place, and where it ends."""
    name = _TAG.match(text, at)
    tag: str | None = None
    if name is not None:
        at = name.end()
        found = unescaped(name[0]).lower().rpartition("|")[2]
        tag = None if found == "*" else found
    ids: list[str] = []
    classes: list[str] = []
    tests: list[_Test] = []
    while (piece := _PIECE.match(text, at)) is not None:
        at = piece.end()
        if piece[1] is not None:
            (ids if piece[1] == "#" else classes).append(unescaped(piece[2]))
        elif piece[6]:
            attribute = _ATTRIBUTE.match(text, piece.start())
            if attribute is None:
                return None, at
            at = attribute.end()
            tests.append(_attribute(attribute))
        else:
            inside, at = _inside(text, at) if piece[5] else ("", at)
            told = _pseudo(piece[4].lower(), inside, nested)
            if piece[3] == "::" or told is None:
                return None, at
            tests += told
    lowered = frozenset(each.lower() for each in classes)
    return Compound(tag, ids[0] if ids else None, lowered, tuple(tests)), at


def _attribute(match: re.Match[str]) -> _Attribute:
    value = next((match[i] for i in (3, 4, 5) if match[i] is not None), "")
    return _Attribute(unescaped(match[1]).lower(), match[2] or "", unescaped(value).lower())


def _inside(text: str, at: int) -> tuple[str, int]:
    """Return what stands up to the bracket that closes, and the place after it."""
    depth, start = 1, at
    for match in re.compile(r"[()]").finditer(text, at):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return text[start : match.start()], match.end()
    return text[start:], len(text)


def _pseudo(name: str, inside: str, nested: int) -> list[_Test] | None:
    """Return the tests of a pseudo-class, none for one that holds; None for a pseudo-element."""
    if name in _PSEUDO_ELEMENTS:
        return None
    if name in _BY_HAND:
        return [_Never()]
    if name in _ATTRIBUTES:
        return [_Attribute(name, "", "")]
    if name in _LISTS and nested < _MAX_NESTED:
        found = [selector(each, nested=nested + 1) for each in selectors(inside)]
        choices = tuple(each.compounds[-1] for each in found if each is not None)
        unread = name == "not" and len(choices) < len(found)
        if not choices or unread or len(choices) > _MAX_CHOICES:
            return []
        return [_Listed(choices, name == "not")]
    if name in _COUNTED:
        return _counted(name, inside)
    return []


def _counted(name: str, inside: str) -> list[_Test]:
    of_type = name.endswith("of-type")
    if name.startswith("first"):
        return [_Counted(0, 1, of_type)]
    asked = re.sub(r"\s", "", inside.lower().partition(" of ")[0])
    asked = {"odd": "2n+1", "even": "2n"}.get(asked, asked)
    match = _NTH.match(asked)
    if match is None or len(asked) > MAX_COMPOUNDS:
        return []
    if match[3] is not None:
        return [_Counted(0, int(match[3]), of_type)]
    step = int(match[1] + "1") if match[1] in ("", "+", "-") else int(match[1])
    return [_Counted(step, int(match[2] or 0), of_type)]
