"""Topics that require a tolerance: which questions belong, and what is then required."""

from __future__ import annotations

import pytest

from domain.errors import ConfigurationError
from gateway.query.guarded_topics import GuardedTopic
from gateway.query.options import QueryOptions, Wishes
from runtime.answering import guarded_topics
from runtime.answering_sections import GuardedTopicSettings, GuardSettings
from runtime.settings import Settings

DOSES = GuardedTopic(name="doses", about=("dose", "how much aspirin"), min_tolerance=2)


@pytest.mark.parametrize(
    ("question", "belongs"),
    [
        ("What is the highest dose of paracetamol?", True),
        ("Which doses are safe?", True),
        ("DOSE of ibuprofen for a child?", True),
        ("How much aspirin may I take?", True),
        ("May I take aspirin, and how much?", True),
        ("Is the dose given twice?", True),
        ("Who makes aspirin?", True),
        ("How much does a parcel weigh?", False),
        ("When does the depot open?", False),
        ("Overdosed customers of the shop?", False),
        ("", False),
    ],
)
def test_a_question_belongs_by_the_content_words_of_a_phrase(
    question: str, *, belongs: bool
) -> None:
    assert DOSES.covers(question) is belongs


@pytest.mark.parametrize(
    ("question", "asked", "required"),
    [
        ("When does the depot open?", 0, 1),
        ("When does the depot open?", 3, 3),
        ("Which dose is safe?", 0, 2),
        ("Which dose is safe?", 1, 2),
        ("Which dose is safe?", 4, 4),
    ],
)
def test_of_setting_topic_and_request_the_greatest_counts(
    question: str, asked: int, required: int
) -> None:
    options = QueryOptions(min_tolerance=1, topics=(DOSES,))

    in_force = options.asked(question, Wishes(min_tolerance=asked))

    assert in_force.min_tolerance == required


def test_a_phrase_without_a_content_word_is_a_configuration_error() -> None:
    everything = GuardedTopicSettings(name="all", about=("what is the",), min_tolerance=1)
    settings = Settings(guard=GuardSettings(topics=(everything,)))

    with pytest.raises(ConfigurationError, match="'all'"):
        guarded_topics(settings)
