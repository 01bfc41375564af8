"""A deterministic language model of a few lines, so that a benchmark's server has something to say.

A word is as likely as its share of the words before it: what evidence states is likelier than what
it does not. A draft quotes the sentence that has most of the question's words. Its answers are not
measured; the lengths of what it reads and writes are those of a real model.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

_TOKEN: Final = re.compile(r"\s*(?:\w+|[^\w\s])|\s+\Z")
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n")
_ASKED: Final = re.compile(r"Question: (.*)\nMark: (\S+)\n(.*)", re.DOTALL)
_JUDGED: Final = re.compile(r"Answer: (.*)\nExplanation: ?(.*)\nDo you think")
_ANSWER_WORDS: Final = 12
_COMMON: Final = frozenset(
    [
        "what",
        "is",
        "the",
        "of",
        "a",
        "how",
        "many",
        "who",
        "when",
        "does",
        "do",
        "in",
        "for",
        "to",
        "are",
    ]
)


def tokens_of(text: str) -> list[str]:
    """Return words and marks; together they spell the text."""
    return _TOKEN.findall(text)


def log_probabilities(tokens: Sequence[str]) -> list[float | None]:
    counts: Counter[str] = Counter()
    values: list[float | None] = []
    for at, token in enumerate(tokens):
        word = token.strip().casefold()
        values.append(math.log(0.97 * counts[word] / at + 1e-5) if at else None)
        counts[word] += 1
    return values


def yes_or_no(prompt: str) -> Mapping[str, float]:
    """Return the log-probabilities of Yes and No to whether the explanation has the answer's words."""
    judged = _JUDGED.findall(prompt)
    answer, explanation = judged[-1] if judged else ("", "")
    wanted = _words(answer)
    share = len(wanted & _words(explanation)) / len(wanted) if wanted else 0.0
    yes = 0.1 + 0.8 * share
    return {" Yes": math.log(yes), " No": math.log(1.0 - yes)}


def reply_to(messages: Sequence[Mapping[str, str]]) -> str:
    """Return a draft as the product asks for it; a greeting is answered by one word."""
    asked = _ASKED.search(messages[-1]["content"])
    if asked is None:
        return "ready"
    wanted = _words(asked[1]) - _COMMON
    documents = asked[3].rpartition("\n")[0]
    spoken = [
        line
        for line in _SENTENCE.split(documents)
        if line and asked[2] not in line and not line.startswith("(section:")
    ]
    best = max(spoken, key=lambda line: len(wanted & _words(line)), default="")
    if not wanted & _words(best):
        return json.dumps({"answer": "UNKNOWN", "rationale": "", "quotes": []})
    answer = " ".join(best.split()[:_ANSWER_WORDS])
    rationale = f"The document says {answer}, which is what the question asks for."
    return json.dumps({"answer": answer, "rationale": rationale, "quotes": [best]})


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
