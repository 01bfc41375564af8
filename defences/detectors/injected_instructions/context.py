"""Whether a passage quotes an attack or makes one.

A document that explains attacks is no attack. What counts as quoting: quotation marks, code,
block quotes, table rows; together with words that explain, or in a document about the matter.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from domain.text import Span

_REACH = 240
_QUOTE_REACH = 400
_MENTION_REACH = 2_000
_ABOUT_ATTACKS = 4  # terms of the matter and its field, of 34
_ABOUT_MODELS = 3

_MATTER = (
    "prompt injection",
    "prompt-injection",
    "injection attack",
    "jailbreak",
    "prompt leak",
    "system prompt leak",
    "adversarial prompt",
    "prompt attack",
    "instruction injection",
    "llm01",
    "injected instruction",
    "instruction override",
    "prompt hacking",
    "data poisoning",
)
_FIELD = (
    "attack",
    "llm",
    "language model",
    "adversar",
    "red team",
    "red-team",
    "guardrail",
    "malicious",
    "owasp",
    "vulnerab",
    "mitigat",
    "detector",
    "probe",
    "threat",
    "security",
    "defence",
    "defense",
    "exploit",
    "payload",
    "untrusted",
)
_MODELS = ("llm", "language model", "chatbot", "prompt", "openai", "gpt", "assistant", "guardrail")
_EXPLAINS = re.compile(
    r"\b(?:such as|for example|for instance|e\.g\.|examples?|phras(?:e|es|ing) like"
    r"|(?:might|may|could|can|would) (?:say|write|include|contain|read|look|try)"
    r"|(?:containing|contains|including|inputs?|prompts?|text|strings?|words|instructions?|sentences?"
    r"|something|messages?) (?:like|as)|detects?|blocks?|blocked|scenarios?|scanners?|test(?:s|ed|ing)?"
    r"|beispiel\w{0,3}|par exemple|por ejemplo|por exemplo|ad esempio|bijvoorbeeld)\b|例如|例えば|比如"
)
_EXPLAINS_ATTACKS = re.compile(
    r"\b(?:attack(?:s|ers?|ing)?|malicious|injections?|injected|payloads?|adversar\w{1,6}|jailbreaks?"
    r"|phrases? like|phrasing like|words like|instructions? (?:like|such as)|tri(?:es|ed) to|trying to"
    r"|attempts? to|angreifer\w{0,2}|attaquants?|atacantes?|attaccant\w|aanvallers?)\b|攻击者|攻撃者"
)
_FENCE = re.compile(r"^ {0,3}(?:`{3,}|~{3,})", re.MULTILINE)
_QUOTES = {
    '"': '"',
    "'": "'",
    "`": "`",
    "\u201c": "\u201d",
    "\u201e": "\u201c",
    "\u00ab": "\u00bb",
    "\u300c": "\u300d",
    "\u2018": "\u2019",
}
_LINE = re.compile(r"(?:\s{0,8}>|\s{0,3}\||(?: {4}|\t))")
_ITEM = re.compile(r"\s{0,8}(?:[-*+]|\d{1,3}[.)])\s")


class Enclosure(StrEnum):
    """How a passage is set apart from the prose around it."""

    NONE = "none"
    ITEM = "item"
    QUOTED = "quoted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """How a passage stands in its document.

    Attributes:
        enclosure: Quoted, fenced or tabulated; a list item; or nothing of the kind.
        container: What is set apart, the whole of it; the passage itself where nothing is.
        explained: Words that explain stand near.
        exposed: Words that speak of attacks stand near.
    """

    enclosure: Enclosure
    container: Span
    explained: bool
    exposed: bool


class Context:
    """One text under study. `text` as written, `folded` of the same length."""

    def __init__(self, *, text: str, folded: str) -> None:
        self._text = text
        self._folded = folded

    def about_attacks(self, container: Span) -> bool:
        """Whether the document is about attacks on models, apart from what `container` says."""
        matter = _outside(self._matter, container)
        return matter >= 1 and matter + _outside(self._field, container) >= _ABOUT_ATTACKS

    def about_models(self, container: Span) -> bool:
        """Whether the document, `container` apart, is about language models: a prompting guide."""
        return _outside(self._models, container) >= _ABOUT_MODELS

    @cached_property
    def _matter(self) -> tuple[Span, ...]:
        return self._extents(_MATTER)

    @cached_property
    def _field(self) -> tuple[Span, ...]:
        return self._extents(_FIELD)

    @cached_property
    def _models(self) -> tuple[Span, ...]:
        return self._extents(_MODELS)

    def _extents(self, terms: tuple[str, ...]) -> tuple[Span, ...]:
        """Return from where to where each term that occurs does."""
        firsts = ((term, self._folded.find(term)) for term in terms)
        return tuple(
            Span(first, self._folded.rfind(term) + len(term))
            for term, first in firsts
            if first >= 0
        )

    @cached_property
    def _fences(self) -> tuple[Span, ...]:
        marks = [match.start() for match in _FENCE.finditer(self._text)]
        if len(marks) % 2:
            marks.append(len(self._text))
        pairs = zip(marks[::2], marks[1::2], strict=True)
        return tuple(Span(start, end) for start, end in pairs)

    def around(self, passage: Span) -> Surroundings:
        """Return how `passage` stands here; work is bounded by the reach, not by the text."""
        enclosure, container = self._enclosure(passage)
        before = self._folded[max(0, container.start - _REACH) : container.start]
        after = self._folded[container.end : container.end + _REACH // 2]
        exposed = bool(_EXPLAINS_ATTACKS.search(before) or _EXPLAINS_ATTACKS.search(after))
        explained = exposed or bool(_EXPLAINS.search(before) or _EXPLAINS.search(after))
        return Surroundings(
            enclosure=enclosure, container=container, explained=explained, exposed=exposed
        )

    def _enclosure(self, passage: Span) -> tuple[Enclosure, Span]:
        for fence in self._fences:
            if fence.start <= passage.start and passage.end <= fence.end:
                return Enclosure.QUOTED, _clipped(fence, passage)
        line = self._line(passage)
        quoted = self._quotation(passage, line)
        if quoted is not None:
            return Enclosure.QUOTED, quoted
        opening = self._text[line.start : line.start + 12]
        if _LINE.match(opening):
            return Enclosure.QUOTED, line
        return (Enclosure.ITEM if _ITEM.match(opening) else Enclosure.NONE), line

    def _line(self, passage: Span) -> Span:
        floor = max(0, passage.start - _MENTION_REACH)
        ceiling = min(len(self._text), passage.end + _MENTION_REACH)
        start = self._text.rfind("\n", floor, passage.start) + 1 or floor
        end = self._text.find("\n", passage.end, ceiling)
        return Span(start, ceiling if end < 0 else end)

    def _quotation(self, passage: Span, line: Span) -> Span | None:
        floor = max(line.start, passage.start - _QUOTE_REACH)
        ceiling = min(line.end, passage.end + _QUOTE_REACH)
        before, after = self._text[floor : passage.start], self._text[passage.end : ceiling]
        for opening, closing in _QUOTES.items():
            left, right = before.rfind(opening), after.find(closing)
            if left < 0 or right < 0:
                continue
            if opening == closing and before.count(opening) % 2 == 0:
                continue
            if opening == "'" and left > 0 and before[left - 1].isalnum():
                continue
            return Span(floor + left, passage.end + right + 1)
        return None


def _outside(extents: tuple[Span, ...], container: Span) -> int:
    return sum(term.start < container.start or term.end > container.end for term in extents)


def _clipped(fence: Span, passage: Span) -> Span:
    return Span(
        max(fence.start, passage.start - _MENTION_REACH),
        min(fence.end, passage.end + _MENTION_REACH),
    )
