from __future__ import annotations

import random
import re

import pytest

from evaluation.injection.ordinary import ordinary
from evaluation.injection.ordinary_passages import (
    MOST_WORDS,
    PASSAGES,
    SHORTEST_WORDS,
    UNSEEN,
    passage,
    unseen_passages,
    words,
)

_LEFT_OVER = re.compile(r"\{[a-z]+\}|⏎|^# \d+(-\d+)? [sblpq]$", re.MULTILINE)


def _seeded(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - texts, not secrets


def _drawn() -> list[str]:
    return [passage(_seeded(seed), PASSAGES[seed % len(PASSAGES)]) for seed in range(2_000)]


def test_passages_of_every_kind_are_whole_texts_of_a_few_sentences() -> None:
    texts = _drawn()

    assert [text for text in texts if _LEFT_OVER.search(text)] == []
    assert {SHORTEST_WORDS <= words(text) <= MOST_WORDS for text in texts} == {True}
    assert all(text == text.strip() for text in texts)


def test_hardly_any_passage_comes_twice() -> None:
    texts = _drawn()

    assert len(set(texts)) >= 1_800


@pytest.mark.parametrize("kind", PASSAGES)
def test_a_kind_gives_many_passages_that_depend_on_the_generator_alone(kind: str) -> None:
    texts = [passage(_seeded(seed), kind) for seed in range(40)]

    again = [passage(_seeded(seed), kind) for seed in range(40)]

    assert texts == again
    assert len(set(texts)) >= 36


def test_every_kind_is_drawn_when_none_is_asked_for() -> None:
    rng = _seeded(7)

    texts = {passage(rng) for _ in range(1_500)}

    assert any("AGENTS.md" in text for text in texts)
    assert any("Guten Morgen" in text for text in texts)
    assert len(texts) > 1_450


def test_a_kind_that_is_none_is_refused() -> None:
    rng = _seeded(1)

    with pytest.raises(KeyError):
        passage(rng, "no such kind")


def test_ordinary_sentences_leave_no_slot_open_and_seldom_repeat() -> None:
    rng = _seeded(11)

    texts = [ordinary(rng, sentences=1) for _ in range(2_000)]

    assert [text for text in texts if re.search(r"\{[a-z]+\}", text)] == []
    assert len(set(texts)) >= 600


@pytest.mark.parametrize("kind", UNSEEN)
def test_unseen_passages_are_whole_and_share_no_sentence_with_those_to_train_on(kind: str) -> None:
    trained = {line for seed in range(600) for line in _sentences(passage(_seeded(seed)))}

    texts = unseen_passages(_seeded(3), kind, count=60)

    assert [text for text in texts if _LEFT_OVER.search(text)] == []
    assert len(set(texts)) >= 50
    assert {line for text in texts for line in _sentences(text)} & trained == set()


def _sentences(text: str) -> list[str]:
    return [line for line in re.split(r"\n+|(?<=[.!?])\s+", text) if len(line) > 30]
