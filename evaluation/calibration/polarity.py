"""Whether an answer to a yes-no question says yes or no."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from evaluation.calibration.answer_matching import canonical_tokens

__all__ = ["POLAR", "polarity"]

POLAR: Final = frozenset({"yes", "no"})
_DENIALS: Final = frozenset(
    [
        "no",
        "not",
        "never",
        "none",
        "cannot",
        "cant",
        "dont",
        "doesnt",
        "isnt",
        "arent",
        "wont",
        "mustnt",
        "neither",
        "nor",
        "without",
        "forbidden",
        "banned",
        "prohibited",
        "refused",
        "excluded",
        "denied",
    ]
)
_CONSENTS: Final = frozenset(
    [
        "yes",
        "may",
        "can",
        "allowed",
        "permitted",
        "welcome",
        "free",
        "possible",
        "accepted",
        "included",
    ]
)
_STOP_WORDS: Final = frozenset(
    [
        "the",
        "and",
        "for",
        "with",
        "may",
        "can",
        "are",
        "does",
        "this",
        "that",
        "from",
        "into",
        "have",
        "has",
        "will",
        "would",
        "could",
        "should",
        "must",
        "what",
        "when",
        "where",
        "which",
        "who",
        "how",
        "there",
        "their",
        "your",
        "you",
        "let",
        "its",
        "take",
        "bring",
        "get",
        "any",
        "all",
        "one",
        "allowed",
        "permitted",
    ]
)
_SHORTEST_CONTENT_WORD: Final = 3


def polarity(tokens: tuple[str, ...], *, question: str, phrases: Sequence[str]) -> str | None:
    """Return `yes` or `no`, by the first token or else by a word of consent or denial.

    The second way holds only where the answer names what the question is about, so that not any
    sentence with a `not` in it is taken for an answer. That is a content word which the question
    shares with `phrases`, or, where they share none, any of the question's. Denial outweighs
    consent. None if neither way decides.
    """
    if tokens and tokens[0] in POLAR:
        return tokens[0]
    asked = _content_words(canonical_tokens(question))
    named = asked & _content_words(canonical_tokens("\n".join(phrases)))
    if not _content_words(tokens) & (named or asked):
        return None
    if _DENIALS.intersection(tokens):
        return "no"
    return "yes" if _CONSENTS.intersection(tokens) else None


def _content_words(tokens: tuple[str, ...]) -> set[str]:
    return {
        token
        for token in tokens
        if len(token) >= _SHORTEST_CONTENT_WORD and token not in _STOP_WORDS | _DENIALS | _CONSENTS
    }
