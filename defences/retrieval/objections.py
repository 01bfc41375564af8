"""What a document was turned away for, and whether another text carries it on.

The policy turns a document away for some of its sentences. The rest may be anybody's: a page that
was copied around a payload, a notice, a manual. Whoever brings that page without the payload says
nothing that anybody has objected to. Compared are pairs of neighbouring words, which outlive a
quarter of the words being replaced where longer windows do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

from defences.trust.suppression import touched_sentences
from domain.documents import Document
from domain.scanning import Finding, FindingLevel

CARRIED: Final = 0.45
"""Share of an objection's pairs from which on a text carries it: of those of a text of which a
quarter of the words was replaced .56 are left (docs/decisions/0030)."""
MOST_CHARACTERS: Final = 600
"""Of an objection: a longer one is mostly of what stands around."""
MOST_OBJECTIONS: Final = 64

_WORD: Final = re.compile(r"\w+")

Pairs = frozenset[tuple[str, str]]


def objections(document: Document, findings: Iterable[Finding]) -> tuple[str, ...]:
    """Return the sentences that findings touch, one text a finding, the shortest first.

    Longer ones are left out where there are short ones. Mentions and what was suppressed are no
    objections, nor is a finding without a span.
    """
    touched = {
        " ".join(touched_sentences(document.raw_text, finding.span))
        for finding in findings
        if finding.span is not None
        and finding.level is not FindingLevel.MENTION
        and finding.suppressed_by is None
    }
    found = sorted(touched - {""}, key=lambda text: (len(text), text))
    short = [text for text in found if len(text) <= MOST_CHARACTERS]
    return tuple((short or found[:1])[:MOST_OBJECTIONS])


def carries(document: Document, objected: Sequence[str]) -> bool:
    """Whether the document has, in sight or hidden, what another was turned away for."""
    own = word_pairs(
        "\n".join(
            (document.raw_text, document.text.text, *(each.text.text for each in document.hidden))
        )
    )
    return any(carried_share(word_pairs(text), own) >= CARRIED for text in objected)


def carried_share(known: Pairs, own: Pairs) -> float:
    """Return which share of `known` is in `own`, in [0, 1]; 1 for nothing."""
    return len(known & own) / len(known) if known else 1.0


def word_pairs(text: str) -> Pairs:
    """Return each two neighbouring words; the word itself where there is only one."""
    words = _WORD.findall(text.casefold())
    return frozenset(pairwise(words)) if len(words) > 1 else frozenset((word, "") for word in words)
