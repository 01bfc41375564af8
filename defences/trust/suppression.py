"""Which sentences a span touches, and whether a reviewer has suppressed all of them (Law 13).

Detectors report windows, and windows shift when a text changes elsewhere. What is compared is
therefore not the span but the sentences it touches, by digests of their normalised text: the same
sentence of the same origin is covered in a new version too, and a finding that also touches a
sentence nobody has looked at is not.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from domain.documents import Document, TenantId
from domain.errors import InputError
from domain.scanning import Finding
from domain.suppressions import Suppression
from domain.text import Span

MOST_CHARACTERS: Final = 1000
"""Of a span: a suppression covers a span, never a document."""
MOST_SENTENCES: Final = 12

_REACH: Final = 2000
_END: Final = re.compile(r"[.!?。！？]+[\"'”’)\]*_]*(?=\s|$)|\n[ \t]*(?:\n|$)")  # noqa: RUF001
_SPACE: Final = re.compile(r"\s+")
_DIGITS: Final = 32


def sentence_digests(tenant_id: TenantId, text: str, span: Span) -> frozenset[str]:
    """Return the digests of the sentences that `span` of `text` touches.

    A sentence is looked for within 2,000 characters on either side; one that goes on longer is cut
    there. White space and case do not matter; invisible characters do.
    """
    return frozenset(
        hashlib.sha256(f"{tenant_id}\0{sentence}".encode("utf-8", "surrogatepass")).hexdigest()[
            :_DIGITS
        ]
        for sentence in touched_sentences(text, span)
    )


def checked_digests(document: Document, span: Span) -> frozenset[str]:
    """As `sentence_digests`, for a span that a reviewer names.

    Raises:
        InputError: It is empty, outside the text, too long, or touches text that is hidden.
    """
    length = span.end - span.start
    if not length > 0 or span.end > len(document.raw_text):
        raise InputError(f"span {span.start}-{span.end} is not within the document's text")
    if length > MOST_CHARACTERS:
        raise InputError(f"span has {length} characters, limit is {MOST_CHARACTERS}")
    if _touches_hidden(document, span):
        raise InputError("the span touches hidden text, which is never suppressed")
    digests = sentence_digests(document.tenant_id, document.raw_text, span)
    if not digests:
        raise InputError("the span touches no sentence")
    if len(digests) > MOST_SENTENCES:
        raise InputError(f"span touches {len(digests)} sentences, limit is {MOST_SENTENCES}")
    return digests


def suppress(
    document: Document,
    findings: Sequence[Finding],
    suppressions: Sequence[Suppression],
    *,
    suppressible: Callable[[str], bool],
) -> tuple[Finding, ...]:
    """Return the findings, those that are covered marked with the suppression that covers them.

    Args:
        document: What was scanned.
        findings: What the detectors said of it.
        suppressions: Those in force for the document's origin.
        suppressible: Whether findings of a rule may be suppressed at all.
    """
    by_rule: dict[str, list[Suppression]] = {}
    for suppression in suppressions:
        if suppression.origin == document.provenance.origin.ref:
            by_rule.setdefault(suppression.rule, []).append(suppression)
    return tuple(
        replace(finding, suppressed_by=covering)
        if suppressible(finding.rule)
        and (covering := _covering(document, finding, by_rule.get(finding.rule, ()))) is not None
        else finding
        for finding in findings
    )


def _covering(
    document: Document, finding: Finding, suppressions: Sequence[Suppression]
) -> str | None:
    """Return the first of the suppressions that together cover the finding; None if they do not."""
    if finding.span is None or not suppressions or _touches_hidden(document, finding.span):
        return None
    touched = sentence_digests(document.tenant_id, document.raw_text, finding.span)
    covered = frozenset[str]().union(*(one.sentences for one in suppressions))
    if not touched or not touched <= covered:
        return None
    return next(one.id for one in suppressions if one.sentences & touched)


def touched_sentences(text: str, span: Span) -> Iterator[str]:
    """Yield the sentences that `span` of `text` touches: NFKC, casefolded, spaces single."""
    first = max(0, span.start - _REACH)
    last = min(len(text), span.end + _REACH)
    start = first
    for end in (*(match.end() for match in _END.finditer(text, first, last)), last):
        if end > span.start and start < span.end:
            # What is only white space between the span and the sentence's end is not touched.
            sentence = _normalised(text[start:end])
            if sentence and text[max(start, span.start) : min(end, span.end)].strip():
                yield sentence
        if end >= span.end:
            return
        start = end


def _normalised(text: str) -> str:
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text)).strip().casefold()


def _touches_hidden(document: Document, span: Span) -> bool:
    return any(
        passage.text.text
        and (hidden := passage.text.source(0, len(passage.text.text))).start < span.end
        and span.start < hidden.end
        for passage in document.hidden
    )
