"""Holds a draft's rationale against the draft's own evidence (Law 6).

A rationale persuades: whoever judges the draft reads it, people as well as models. So what it quotes,
the figures it gives and the works it cites must stand in the subset that the draft was made from.
What does not is struck from the rationale before anybody reads it, and weighs against the draft
(`scoring.STRUCK`). Nothing of it is looked up anywhere: a citation that exists, but which the evidence
does not make, is as good as invented here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from defences.answering.keywords import keyword_set, keywords
from defences.answering.sentences import split_sentences
from defences.answering.values import Value, ValueKind, find_values, same_value
from domain.answering import Draft, EvidenceSubset
from domain.quoting import MIN_CHARACTERS, TRIM, folded
from domain.retrieval import ScoredChunk
from domain.text import Span

STRUCK_OUT: Final = "[struck]"
"""Stands where something was struck."""

MAX_EVIDENCE_CHARS: Final = 40_000

_QUOTED: Final = re.compile(r'"([^"\n]+)"|“([^”\n]+)”|„([^“”\n]+)[“”]|«([^»\n]+)»')
_CITED: Final = re.compile(
    r"(?P<url>\b(?:https?://|www\.)[^\s\])>,;\"']+)"
    r"|(?P<doi>\b(?:doi:\s*)?10\.\d{4,9}/[^\s\])>,;\"']+)"
    r"|(?P<arxiv>\barxiv:\s*\d{4}\.\d{4,5}(?:v\d+)?)"
    r"|(?P<isbn>\bISBN(?:-1[03])?:?\s*[\dXx-]{10,17})"
    r"|(?P<number>\[\d{1,3}(?:\s*[,;-]\s*\d{1,3})*\])"
    r"|(?P<author>\(?\b[A-Z][\w'-]+(?:\s+et\s+al\.?|\s+(?:and|&)\s+[A-Z][\w'-]+)?,?\s+\(?(?:1[89]|20)\d\d[a-z]?\))"
    r"|(?P<law>\b(?:ISO|IEC|EN|DIN|RFC|ASTM|IEEE)(?:[/ -][A-Z]+)?[\s-]?\d{2,6}(?:[-:]\d+)*\b)"
    r"|(?P<said>\b(?i:according\s+to|as\s+(?:stated|reported|published|confirmed|shown|noted)\s+(?:by|in)"
    r"|(?:stated|reported|published|confirmed|cited|quoted)\s+(?:by|in)|cites|citing)\s+(?:the\s+|a\s+)?"
    r"(?P<who>[A-Z][\w'&.-]*(?:\s+(?:of|for|and|the|on|in)\s+(?=[A-Z])|\s+(?=[A-Z])|[A-Z\w'&.-])*))",
)
_OF_DOCUMENTS: Final = re.compile(
    r"\b(?:documents?|sources?|passages?|quotes?|sentences?|paragraphs?|evidence|section)\s*#?\s*$",
    re.IGNORECASE,
)
_DIGITS: Final = re.compile(r"\d+")
_COUNTS_DOCUMENTS: Final = frozenset(keywords("documents sources passages quotes sentences texts"))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Evidence:
    """A subset as it is searched: folded, and as its words, told when first asked for."""

    folded: tuple[str, ...]
    text: str
    question: str
    chunks: tuple[ScoredChunk, ...]

    @property
    def words(self) -> frozenset[str]:
        return keyword_set(self.text)

    def states(self, value: Value, written: str) -> bool:
        """Whether a figure stands in the evidence: soonest seen in a sentence that has its digits."""
        if _has(self.question, value):
            return True
        digits = _DIGITS.findall(written)
        for hit in self.chunks:
            for sentence in split_sentences(hit.chunk.text, masked=hit.chunk.mentions):
                if any(one in sentence.text for one in digits) and _has(sentence.text, value):
                    return True
        return _has(self.text, value)


def check_evidence(question: str, draft: Draft) -> Draft:
    """Return the draft without what its own subset does not bear out, `struck` counted up.

    What the question says itself may be repeated. A draft that is not usable is returned as it is;
    an answer is never changed, though its figures count.
    """
    if not draft.usable:
        return draft
    evidence = _read(question, draft.subset)
    faults = sorted(_faults(draft, evidence), key=lambda span: span.start)
    answered = _unfounded_figures(draft.answer, evidence, besides=())
    if not faults and not answered:
        return draft
    return replace(
        draft,
        rationale=_without(draft.rationale, faults),
        struck=draft.struck + len(faults) + len(answered),
    )


def _read(question: str, subset: EvidenceSubset) -> _Evidence:
    texts = [question]
    flat = [folded(question)]
    for hit in subset.chunks:
        chunk = hit.chunk
        flat.append(folded(chunk.text, chunk.mentions))
        flat.append(folded(chunk.heading))
        texts += [chunk.heading, _unmasked(chunk.text, chunk.mentions)]
    text = "\n".join(texts)[:MAX_EVIDENCE_CHARS]
    return _Evidence(folded=tuple(flat), text=text, question=question, chunks=subset.chunks)


def _has(text: str, value: Value) -> bool:
    return any(same_value(value, other) for other in find_values(text))


def _unmasked(text: str, mentions: Sequence[Span]) -> str:
    """Return the text with blanks for what is masked: a drafter never saw it."""
    if not mentions:
        return text
    characters = list(text)
    for span in mentions:
        characters[span.start : span.end] = " " * len(characters[span.start : span.end])
    return "".join(characters)


def _faults(draft: Draft, evidence: _Evidence) -> Iterator[Span]:
    """Yield what is to be struck of the rationale; none overlaps another."""
    found: list[Span] = []
    for span in (*_unfounded_quotes(draft, evidence), *_unfounded_citations(draft, evidence)):
        if all(span.end <= other.start or other.end <= span.start for other in found):
            found.append(span)
    found += _unfounded_figures(draft.rationale, evidence, besides=found)
    yield from found


def _unfounded_quotes(draft: Draft, evidence: _Evidence) -> Iterator[Span]:
    answer = folded(draft.answer)
    for match in _QUOTED.finditer(draft.rationale):
        wanted = folded(next(group for group in match.groups() if group)).strip(TRIM)
        if sum(map(str.isalnum, wanted)) < MIN_CHARACTERS or wanted in answer:
            continue
        if not any(wanted in text for text in evidence.folded):
            yield Span(match.start(), match.end())


def _unfounded_citations(draft: Draft, evidence: _Evidence) -> Iterator[Span]:
    for match in _CITED.finditer(draft.rationale):
        if match["number"]:
            # the prompt numbers its documents: such a mark may point to one of them
            numbers = [int(number) for number in re.findall(r"\d+", match["number"])]
            if all(1 <= number <= len(draft.subset.chunks) for number in numbers):
                continue
        if _stands(match[0], evidence):
            continue
        # a work is named in many ways: its words count, not how they are set
        named = match["who"] or match["author"]
        if named is None or not set(keywords(named)) <= evidence.words:
            yield Span(match.start(), match.end())


def _stands(text: str, evidence: _Evidence) -> bool:
    wanted = folded(text).strip(TRIM + "()")
    return any(wanted in known for known in evidence.folded)


def _unfounded_figures(text: str, evidence: _Evidence, *, besides: Sequence[Span]) -> list[Span]:
    if not any(character.isdigit() for character in text):
        return []  # a number in words is a manner of speaking as often as a figure
    flat = folded(text).strip(TRIM)
    if any(flat in known for known in evidence.folded):
        return []  # the words themselves stand there
    return [
        Span(value.start, value.end)
        for value in find_values(text)
        if not any(value.start < span.end and span.start < value.end for span in besides)
        and _is_claim(text, value)
        and not evidence.states(value, text[value.start : value.end])
    ]


def _is_claim(text: str, value: Value) -> bool:
    """Whether a figure says something of the matter, rather than of the documents themselves."""
    written = text[value.start : value.end]
    if not any(character.isdigit() for character in written):
        return False
    if value.kind in {ValueKind.NUMBER, ValueKind.ORDINAL}:
        if _COUNTS_DOCUMENTS & set(value.nouns):
            return False
        return text[value.start - 1 : value.start] != "[" and not _OF_DOCUMENTS.search(
            text, 0, value.start
        )
    return True


def _without(text: str, spans: Sequence[Span]) -> str:
    pieces: list[str] = []
    at = 0
    for span in spans:
        pieces += [text[at : span.start], STRUCK_OUT]
        at = span.end
    return "".join([*pieces, text[at:]])
