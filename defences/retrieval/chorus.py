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
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

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


def at_the_question(chunks: Sequence[ScoredChunk], question: str) -> tuple[ScoredChunk, ...]:
    """Return the passages that may belong to a chorus; fewer than two make none."""
    near = [
        chunk
        for chunk in chunks
        if chunk.similarity >= AT_THE_QUESTION or repeats(chunk.chunk.text, question)
    ]
    return tuple(near) if len(near) > 1 else ()


def find_choruses(
    chunks: Sequence[ScoredChunk],
    vectors: NDArray[np.float32] | NDArray[np.float64],
    question: str,
) -> Choruses:
    """Return the sets of two or more families that are linked, directly or by others.

    Two passages are by their cosine, or because both repeat the question.

    Args:
        chunks: As `at_the_question` gives them.
        vectors: Shape `(len(chunks), dimensions)`, unit length, of their texts.

    Raises:
        ValueError: There is not one vector a chunk.
    """
    if len(vectors) != len(chunks):
        raise ValueError(f"{len(chunks)} chunks have {len(vectors)} vectors")
    seats = [seat_of(chunk, PartitionMode.NO_PROVENANCE) for chunk in chunks]
    alike = vectors @ vectors.T >= ALIKE if chunks else np.zeros((0, 0), dtype=np.bool_)
    echoes = np.array([repeats(chunk.chunk.text, question) for chunk in chunks], dtype=np.bool_)
    alike |= np.outer(echoes, echoes)
    found: list[frozenset[SeatId]] = []
    left = set(range(len(chunks)))
    while left:
        members, border = set[int](), {min(left)}
        while border:
            members |= border
            border = {at for at in left - members if any(alike[at, one] for one in border)}
        left -= members
        linked = frozenset(seats[at] for at in members)
        if len(linked) > 1:
            found.append(linked)
    return tuple(found)
