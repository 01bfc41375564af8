"""Text that a reader cannot see but a language model will read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from defences import unicode_tables as tables
from defences.hidden_channels import (
    EXFILTRATION,
    LABEL_CHANNELS,
    NEVER_HONEST,
    NOT_JUDGED,
    NOT_READ,
    ORDINARY_CHANNELS,
    WARNINGS,
)
from defences.hidden_prose import hidden_prose, not_looked_at, styled_prose
from defences.orders import gives_orders
from defences.unicode_tricks import Mark, Trick, find_disguised, find_marks
from domain.documents import Document, HiddenPassage
from domain.scanning import Finding, FindingLevel
from domain.text import Span

TYPE_MISMATCH: Final = "type-mismatch"
_HEADLINES: Final = frozenset({"title", "file-name", "filename", "name", "subject"})
_ADDRESSES: Final = frozenset({"source-uri", "uri", "from", "reply-to"})
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_DENSE: Final = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_DENSE_LETTERS_PER_WORD: Final = 2
_MANY_WORDS: Final = 12
_HOSTILE: Final = 0.9
_LONG_LABEL: Final = 50
_SPLIT_WORD: Final = re.compile("[^\\W\\d_]+(?:\u00ad[^\\W\\d_]*)+")
_STACKED: Final = re.compile(f"[^\\W\\d_][{tables.STACKING}]{{3,}}")
_OVERLAID: Final = re.compile(f"[^\\W\\d_](?:{tables.OVERLAY.pattern})")
_STYLED: Final = re.compile(f"{tables.STYLED_LETTERS.pattern}{{2,}}")
MAX_FINDINGS_PER_CHANNEL: Final = 20


class HiddenTextDetector:
    """Judges the channel, not the words: what stands where nobody looks has a reason to.

    Passages that the parser found are judged by how they are hidden and how much prose they hold;
    invisible and disguised code points of the raw text by how many there are and where.
    """

    name = "hidden-text"
    version = "2"

    def scan(self, document: Document) -> Sequence[Finding]:
        return [
            *_passages(document),
            *_encoded(document),
            *_code_points(document),
            *_metadata(document),
            *_marked_metadata(document),
            *_warnings(document),
            *_not_inspected(document),
        ]


def _passages(document: Document) -> Iterator[Finding]:
    counts: dict[str, int] = {}
    for passage in document.hidden:
        # Unicode channels are judged below, on the raw text, however little they spell.
        if passage.channel.startswith("unicode-"):
            continue
        words = _words(passage.text.text)
        if passage.benign:
            risk = 0.7 if gives_orders(passage.text.text) else 0.0
        else:
            risk = _passage_risk(passage, words)
        counts[passage.channel] = counts.get(passage.channel, 0) + (risk > 0)
        if risk == 0 or counts[passage.channel] > MAX_FINDINGS_PER_CHANNEL:
            continue
        span = passage.text.source(0, len(passage.text.text))
        yield _finding(
            document,
            passage.channel,
            risk=risk,
            span=span,
            message=f"{words} words hidden by {passage.channel}",
            count=words,
            locator=passage.locator,
        )


def _words(text: str) -> int:
    """Count words of two letters or more; scripts without spaces by their letters."""
    dense = len(_DENSE.findall(text))
    return dense // _DENSE_LETTERS_PER_WORD + len(_WORD.findall(_DENSE.sub(" ", text)))


def _passage_risk(passage: HiddenPassage, words: int) -> float:
    """Return the risk of a channel by its words.

    A few words are furniture: `Cookie settings saved.` From six on (eight where honest documents
    hide too) it is prose.
    """
    if passage.channel in EXFILTRATION:
        return EXFILTRATION[passage.channel]
    if passage.channel in LABEL_CHANNELS:
        return 0.85 if words >= _LONG_LABEL else 0.6
    if passage.channel in NEVER_HONEST:
        return 0.85
    prose = 8 if passage.channel in ORDINARY_CHANNELS else 6
    if words >= _MANY_WORDS:
        return 0.85 if passage.channel in ORDINARY_CHANNELS else 0.93
    if words >= prose:
        return 0.82 if passage.channel in ORDINARY_CHANNELS else 0.88
    if words >= prose - 2:
        return 0.5
    # Not prose, yet much of it: an encoded text.
    if passage.channel not in ORDINARY_CHANNELS and len(passage.text.text.strip()) >= 40:  # noqa: PLR2004
        return 0.6
    return 0.0


def _finding(
    document: Document,
    channel: str,
    *,
    risk: float,
    span: Span,
    message: str,
    count: int,
    locator: str | None = None,
) -> Finding:
    return Finding(
        rule=f"hidden-text.{channel}",
        risk=risk,
        level=FindingLevel.HOSTILE if risk >= _HOSTILE else FindingLevel.SUSPICIOUS,
        message=message,
        span=span,
        locator=locator or document.locate(span),
        evidence={"channel": channel, "count": count},
    )


def _encoded(document: Document) -> Iterator[Finding]:
    """Yield what reads as prose only once it is decoded, in plain sight or in a benign passage."""
    texts = [document.text, *(p.text for p in document.hidden if p.benign)]
    for text in texts:
        counts: dict[str, int] = {}
        for item in hidden_prose(text.text, document.decodings):
            counts[item.encoding] = counts.get(item.encoding, 0) + 1
            if counts[item.encoding] > MAX_FINDINGS_PER_CHANNEL:
                continue
            size = item.end - item.start
            yield _finding(
                document,
                f"encoded-{item.encoding}",
                risk=item.risk,
                span=text.source(item.start, item.end),
                message=f"{size} code points that read as prose once decoded ({item.encoding})",
                count=size,
            )


def _metadata(document: Document) -> Iterator[Finding]:
    """Yield properties that give orders: a title says what a document is about, not what to do."""
    for field in document.metadata:
        name = field.name.replace("_", "-")
        if name in _ADDRESSES or not gives_orders(field.value):
            continue
        sentence = (
            field.value.rstrip()[-1:] in ".!?:;\"'\u201d" or len(field.value.split()) >= _MANY_WORDS
        )
        if name in _HEADLINES and not sentence:
            continue
        count = len(field.value.split())
        yield Finding(
            rule="hidden-text.metadata",
            risk=0.7,
            level=FindingLevel.SUSPICIOUS,
            message=f"{count} words in a property that give orders",
            evidence={"channel": "metadata", "count": count},
        )
        return


def _marked_metadata(document: Document) -> Iterator[Finding]:
    """Yield the invisible and reordering code points of titles, names and links, once a kind."""
    worst: dict[Trick, tuple[float, int]] = {}
    for field in document.metadata:
        for trick, found in _dishonest(field.raw).items():
            told = (_mark_risk(trick, found, field.raw), len(found))
            worst[trick] = max(told, worst.get(trick, told))
    for trick, (risk, count) in worst.items():
        if risk > 0:
            yield Finding(
                rule=f"hidden-text.{trick.value}",
                risk=risk,
                level=FindingLevel.HOSTILE if risk >= _HOSTILE else FindingLevel.SUSPICIOUS,
                message=f"{count} code points of the kind {trick.value} in a property",
                evidence={"channel": "metadata", "count": count},
            )


def _warnings(document: Document) -> Iterator[Finding]:
    if TYPE_MISMATCH in document.warnings:
        # What any editor shows whole hides nothing behind its name; a page or a file may.
        plain = document.media_type in (
            "text/plain",
            "text/markdown",
            "text/csv",
            "application/json",
        )
        page = document.media_type in ("text/html", "message/rfc822")
        yield Finding(
            rule=f"hidden-text.{TYPE_MISMATCH}",
            risk=0.2 if plain else 0.4 if page else 0.7,
            level=FindingLevel.SUSPICIOUS,
            message=f"the content is {document.media_type}, its name or sender claims otherwise",
            evidence={"channel": TYPE_MISMATCH, "media_type": document.media_type},
        )
    for code, (risk, message) in WARNINGS.items():
        if code in document.warnings:
            yield Finding(
                rule=f"hidden-text.{code}",
                risk=risk,
                level=FindingLevel.SUSPICIOUS,
                message=message,
                evidence={"channel": code},
            )


def _not_inspected(document: Document) -> Iterator[Finding]:
    """Yield what was not looked at, and why: a limit is never kept in silence."""
    left_out = sorted(NOT_READ.intersection(document.warnings))
    if left_out:
        yield Finding(
            rule="hidden-text.not-read",
            risk=0.1,
            level=FindingLevel.MENTION,
            message=f"parts are neither scanned nor indexed ({', '.join(left_out)})",
            evidence={"channel": "not-read", "count": len(left_out)},
        )
    reasons = sorted(NOT_JUDGED.intersection(document.warnings))
    texts = [document.text.text, *(p.text.text for p in document.hidden)]
    beyond = sum(not_looked_at(text) for text in texts)
    if beyond:
        reasons.append(f"{beyond} code points of encoded or unbroken text")
    if reasons:
        yield Finding(
            rule="hidden-text.not-inspected",
            risk=0.3,
            level=FindingLevel.SUSPICIOUS,
            message=f"beyond what is looked at for hidden text: {', '.join(reasons)}",
            evidence={"channel": "not-inspected", "count": beyond},
        )


def _code_points(document: Document) -> Iterator[Finding]:
    raw = document.raw_text
    if raw.isascii():
        return
    for trick, found in _dishonest(raw).items():
        risk = _mark_risk(trick, found, raw)
        if risk > 0:
            span = Span(found[0].at, found[-1].at + 1)
            message = f"{len(found)} code points of the kind {trick.value}"
            yield _finding(
                document, trick.value, risk=risk, span=span, message=message, count=len(found)
            )
    yield from _disguises(document)


def _dishonest(raw: str) -> dict[Trick, list[Mark]]:
    marks: dict[Trick, list[Mark]] = {}
    if not raw.isascii():
        for mark in find_marks(raw):
            if not mark.honest:
                marks.setdefault(mark.trick, []).append(mark)
    return marks


def _mark_risk(trick: Trick, found: Sequence[Mark], raw: str) -> float:
    count = len(found)
    if trick is Trick.TAGS:
        return 0.97 if count >= 4 else 0.5  # noqa: PLR2004
    if trick is Trick.VARIATION_SELECTORS:
        return 0.95 if count >= 8 else 0.6 if count >= 3 else 0.0  # noqa: PLR2004
    if trick is Trick.BIDI_OVERRIDE:
        return 0.85
    if trick is Trick.BIDI_CONTROLS:
        return 0.4 if count >= 8 else 0.0  # noqa: PLR2004
    if trick is Trick.SOFT_HYPHEN:
        return _soft_hyphen_risk(raw)
    return _zero_width_risk(found, raw)


def _zero_width_risk(found: Sequence[Mark], raw: str) -> float:
    """A zero-width character that parts the letters of a word has no honest use in most scripts."""
    inside = sum(_parts_word(raw, mark.at) for mark in found)
    runs = sum(later.at - mark.at == 1 for mark, later in pairwise(found))
    if inside >= 6 or runs >= 8:  # noqa: PLR2004
        return 0.9
    if inside >= 3 or runs >= 4:  # noqa: PLR2004
        return 0.8
    return 0.3 if inside else 0.0


def _parts_word(raw: str, index: int) -> bool:
    before, after = raw[index - 1 : index], raw[index + 1 : index + 2]
    return (
        before.isalpha()
        and (after.isalpha() or after in "\u200b\u200c\u200d\u2060\ufeff")
        and (bool(after))
    )


def _soft_hyphen_risk(raw: str) -> float:
    """Tell tricks from hyphenation, which leaves two letters on each side and spares short words."""
    split = [match[0] for match in _SPLIT_WORD.finditer(raw)]
    odd = sum(len(piece) == 1 for word in split for piece in word.split(tables.SOFT_HYPHEN))
    if odd >= 6:  # noqa: PLR2004
        return 0.85
    if odd >= 3:  # noqa: PLR2004
        return 0.5
    short = sum(len(word.replace("\u00ad", "")) < 6 for word in split)  # noqa: PLR2004
    return 0.5 if short >= 3 and short * 2 >= len(split) else 0.0  # noqa: PLR2004


def _disguises(document: Document) -> Iterator[Finding]:
    raw = document.raw_text
    words = list(find_disguised(raw))
    if words:
        risk = 0.9 if len(words) >= 4 else 0.8 if len(words) >= 2 else 0.4  # noqa: PLR2004
        span = Span(words[0].start, words[-1].end)
        message = f"{len(words)} words that mix scripts to look Latin"
        yield _finding(
            document, "homoglyphs", risk=risk, span=span, message=message, count=len(words)
        )
    stacked = [*_STACKED.finditer(raw), *_OVERLAID.finditer(raw)]
    if len(stacked) >= 3:  # noqa: PLR2004
        risk = 0.85 if len(stacked) >= 10 else 0.6  # noqa: PLR2004
        span = Span(min(m.start() for m in stacked), max(m.end() for m in stacked))
        message = f"{len(stacked)} letters under stacked or overlaid marks"
        yield _finding(
            document, "combining-marks", risk=risk, span=span, message=message, count=len(stacked)
        )
    wide = [item for item in styled_prose(raw) if item.encoding == "fullwidth"]
    if wide:
        span = Span(wide[0].start, wide[-1].end)
        message = f"{len(wide)} runs of Latin words in fullwidth letters"
        yield _finding(document, "fullwidth", risk=0.7, span=span, message=message, count=len(wide))
    styled = list(_STYLED.finditer(raw))
    if sum(len(match[0]) for match in styled) >= 12 and len(styled) >= 3:  # noqa: PLR2004
        span = Span(styled[0].start(), styled[-1].end())
        message = f"{len(styled)} words in mathematical or enclosed letters"
        yield _finding(
            document, "styled-letters", risk=0.7, span=span, message=message, count=len(styled)
        )
