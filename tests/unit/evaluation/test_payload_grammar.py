"""Payloads to train on are whole sentences, many, and the same for the same seed."""

from __future__ import annotations

import random
import re

import pytest

from evaluation.injection.payload_acts import ACTION, ACTS, STEALS
from evaluation.injection.payload_bends import LEAK, PERSONA, STEER
from evaluation.injection.payload_languages import LANGUAGES
from evaluation.injection.payload_languages_more import MORE_LANGUAGES
from evaluation.injection.payload_orders import MARKUP, MESSAGE, OVERRIDE
from evaluation.injection.payload_pressure import AFTER, BEFORE
from evaluation.injection.payload_requests import REQUEST_SLOTS, REQUESTS
from evaluation.injection.payload_slots import MADE, SLOTS
from evaluation.injection.payload_tasks import POLITE, TASKS
from evaluation.injection.payloads import ALONE, KINDS, payload

_SLOT = re.compile(r"\{(?:a )?[a-z]+\}", re.IGNORECASE)
_WRONG_ARTICLE = re.compile(
    r"\b(?:[Aa] (?:AI|LLM|automated|agent|assistant|ode)|[Aa]n (?:user|haiku|poem|bot))\b"
)


def _seeded(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - texts, not secrets


@pytest.fixture(scope="module")
def drawn() -> list[str]:
    return [payload(_seeded(seed), KINDS[seed % len(KINDS)]) for seed in range(3_000)]


def test_no_slot_is_left_unfilled(drawn: list[str]) -> None:
    unfilled = [text for text in drawn if _SLOT.search(text.replace("{{system}}", ""))]

    assert unfilled == []


def test_no_payload_is_empty_or_longer_than_a_window_can_hold(drawn: list[str]) -> None:
    odd = [text for text in drawn if not 8 <= len(text.strip()) <= 900]

    assert odd == []


def test_most_payloads_are_distinct(drawn: list[str]) -> None:
    assert len(set(drawn)) >= 2_500


def test_articles_and_full_stops_are_right(drawn: list[str]) -> None:
    wrong = [
        text
        for text in drawn
        if _WRONG_ARTICLE.search(text) or re.search(r"(?<![.])[.?!]\.(?![.\w])", text)
    ]

    assert wrong == []


def test_the_same_seed_gives_the_same_payload(drawn: list[str]) -> None:
    again = [payload(_seeded(seed), KINDS[seed % len(KINDS)]) for seed in range(3_000)]

    assert again == drawn


def test_kinds_drawn_by_their_shares_are_not_one_kind() -> None:
    rng = _seeded(7)

    assert len({payload(rng) for _ in range(200)}) >= 190


def test_a_lone_request_is_no_attack() -> None:
    assert set(KINDS) - ALONE == {"polite", "action", "other-language-request"}


def test_an_unknown_kind_is_an_error() -> None:
    with pytest.raises(KeyError):
        payload(_seeded(1), "no such kind")


def test_no_slot_is_defined_twice() -> None:
    assert len({*MADE, *SLOTS, *REQUEST_SLOTS}) == len(MADE) + len(SLOTS) + len(REQUEST_SLOTS)


@pytest.mark.parametrize(
    "templates",
    [
        *(TASKS, POLITE, ACTION, ACTS, STEALS, OVERRIDE, MESSAGE, MARKUP, STEER, LEAK, PERSONA),
        *(language.orders + language.requests for language in (*LANGUAGES, *MORE_LANGUAGES)),
        *(BEFORE, AFTER),
        REQUESTS,
        *SLOTS.values(),
        *REQUEST_SLOTS.values(),
    ],
    ids=lambda templates: templates[0][:30],
)
def test_every_slot_of_every_template_can_be_filled(templates: tuple[str, ...]) -> None:
    known = {*MADE, *SLOTS, *REQUEST_SLOTS, *KINDS, "task", "act"}
    slots = {
        slot.removeprefix("a ").lower()
        for template in templates
        for slot in re.findall(r"\{([^{}]+)\}", template.replace("{{", "").replace("}}}", "}"))
        if not slot.startswith(("system", "/system", "#system", "% prompt"))
    }

    assert slots <= known
    assert len(set(templates)) > len(templates) // 2
    assert all(template.strip() for template in templates)
