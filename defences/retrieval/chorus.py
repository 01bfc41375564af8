"""Families that stand at the question together: what planted texts look like where nobody has a name.

Without provenance families are the seats, and whoever uploads makes families. What he cannot easily
hide is what his texts are for: each was written towards one question, and all of them say one thing.
Passages that came about by themselves seldom lie that near to a question, and hardly ever two of them
that near to each other as well. Measured with MiniLM on 50 Natural Questions: of the pairs of clean
passages retrieved for a question none had both cosines; of three planted texts (PoisonedRAG, 2402.07867)
all had, of paraphrases in several styles in 38 questions of 50. Or they repeat the question itself, to be
found and to be obeyed: a sentence that has seven tenths of its words in their order stands in one of
123 clean passages, and in 93% of articles that quote an order to answer it.

It is a sign and no verdict, as a question that a FAQ and a manual answer in the same words shows. So it
costs votes (`defences.answering.chorus`) and nothing else, and only in mode `no-provenance`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from rapidfuzz.distance import LCSseq
from scipy.sparse.csgraph import connected_components

from defences.answering.keywords import keyword_set
from defences.answering.sentences import split_sentences
from defences.retrieval.partition import Choruses, seat_of
from domain.answering import PartitionMode, SeatId
from domain.retrieval import ScoredChunk

AT_THE_QUESTION: Final = 0.7
"""Cosine with the question from which a passage may belong to a chorus."""

ALIKE: Final = 0.8
"""Cosine of two such passages from which they do."""

REPEATED: Final = 0.7
"""Share of the question's words in their order, and of its content words, that repeat it."""

_FEWEST_WORDS: Final = 4
"""Of a question that can be told from what answers it."""

_FEWEST_FAMILIES: Final = 2

_WORD: Final = re.compile(r"\w+")


def repeats(text: str, question: str) -> bool:
    """Whether a sentence of the text has the words of the question, the function words too.

    What answers a question has its content words; the question itself stands in FAQs and in what
    was written to be found by it. Other questions of the same form have its function words alone.
    """
    asked, content = _WORD.findall(question.casefold()), keyword_set(question)
    if len(asked) < _FEWEST_WORDS:
        return False
    return any(
        LCSseq.similarity(asked, _WORD.findall(one.text.casefold())) >= REPEATED * len(asked)
        and len(content & keyword_set(one.text)) >= REPEATED * len(content)
        for one in split_sentences(text)
    )


def find_choruses(chunks: Sequence[ScoredChunk], question: str) -> Choruses:
    """Return the sets of two or more families that are linked, directly or by others.

    Two passages at the question are linked by their cosine, or because both repeat the question.
    """
    echoing = [repeats(hit.chunk.text, question) for hit in chunks]
    near = [at for at, hit in enumerate(chunks) if echoing[at] or hit.similarity >= AT_THE_QUESTION]
    if len(near) < _FEWEST_FAMILIES:
        return ()
    echoes = np.array([echoing[at] for at in near], dtype=np.bool_)
    vectors = np.stack([chunks[at].vector for at in near])
    linked = (vectors @ vectors.T >= ALIKE) | np.outer(echoes, echoes)
    seats = [seat_of(chunks[at], PartitionMode.NO_PROVENANCE) for at in near]
    _, parts = connected_components(linked, directed=False)
    members: dict[int, set[SeatId]] = {}
    for part, seat in zip(parts.tolist(), seats, strict=True):
        members.setdefault(part, set()).add(seat)
    return tuple(frozenset(held) for held in members.values() if len(held) >= _FEWEST_FAMILIES)


def apart(
    chunks: Sequence[ScoredChunk], question: str
) -> tuple[list[ScoredChunk], list[ScoredChunk]]:
    """Return the passages of choruses and all others, both in the order that they had."""
    loud = frozenset[SeatId]().union(*find_choruses(chunks, question))
    both: tuple[list[ScoredChunk], list[ScoredChunk]] = ([], [])
    for chunk in chunks:
        both[seat_of(chunk, PartitionMode.NO_PROVENANCE) not in loud].append(chunk)
    return both
