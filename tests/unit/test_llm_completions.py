"""What servers tell of prompts is read at the end, where it is used, and nowhere believed unseen."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backends.llm.completions import prompt_tokens, read_completions
from backends.llm.endpoint import PROMPTS_A_REQUEST
from backends.server_pool import GarbledError


def reply(*prompts: Sequence[object] | None, **more: object) -> bytes:
    choices = [
        {"index": at, "text": " Yes", "prompt_logprobs": told} for at, told in enumerate(prompts)
    ]
    return json.dumps({"choices": choices, **more}).encode()


def entry(text: object, value: object, number: int = 7) -> Mapping[str, object]:
    return {str(number): {"logprob": value, "rank": 1, "decoded_token": text}}


_TOLD = st.lists(
    st.one_of(
        st.none(),
        st.tuples(st.text(max_size=5), st.floats(allow_nan=False, allow_infinity=False)),
    ),
    max_size=8,
)


@given(st.lists(_TOLD, max_size=4))
@settings(max_examples=80, deadline=None)
def test_every_token_is_read_as_the_server_told_it(
    prompts: list[list[tuple[str, float] | None]],
) -> None:
    sent = [[None if one is None else entry(*one) for one in told] for told in prompts]

    read = read_completions(reply(*sent), prompts=len(prompts))

    for choice, told in zip(read.choices, prompts, strict=True):
        tokens = prompt_tokens(choice.prompt_logprobs or ())
        assert tokens.count == len(told)
        for at, one in enumerate(told):
            read_of_it = (tokens.text_at(at), tokens.log_probability_at(at))
            assert read_of_it == (("", None) if one is None else one)


def test_of_several_tokens_told_of_one_place_the_prompt_s_own_is_first() -> None:
    both = {**entry(" own", -3.0, 9), **entry(" likelier", -0.1, 2)}

    (choice,) = read_completions(reply([None, both]), prompts=1).choices

    assert prompt_tokens(choice.prompt_logprobs or ()).text_at(1) == " own"


@pytest.mark.parametrize(
    "told",
    [
        entry("a", None),
        entry("a", "likely"),
        entry(5, -0.1),
        {"7": -0.1},
        {"7": []},
        ["a", -0.1],
        "a",
        {"7": {}},
        {"7": None},
    ],
)
def test_a_token_in_an_unknown_form_is_no_token(told: object) -> None:
    (choice,) = read_completions(reply([None, told]), prompts=1).choices
    tokens = prompt_tokens(choice.prompt_logprobs or ())

    with pytest.raises(GarbledError) as caught:
        tokens.text_at(1), tokens.log_probability_at(1)

    assert "likely" not in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>secret</html>",
        b"[]",
        b"{}",
        b'{"choices": 3}',
        b'{"choices": [{"text": "secret"}]}',
        b'{"choices": [{"index": 0, "prompt_logprobs": {"0": 1}}]}',
        b'{"choices": [{"index": 0, "prompt_logprobs": [{"7": {"logprob": NaN}}]}]}',
        b'{"choices": [{"index": 0, "logprobs": {"token_logprobs": [Infinity]}}]}',
        b'{"choices": [{"index": 0}], "usage": {"prompt_tokens": -1}}',
        b'{"choices": [{"index": 1}]}',
        b'{"choices": [{"index": 0}, {"index": 0}]}',
        b'{"choices": [{"index": 0}',
        b'{"choices": [{"index": 0, "text": "\xff"}]}',
    ],
)  # fmt: skip
def test_what_is_no_reply_is_refused_and_not_shown(content: bytes) -> None:
    with pytest.raises(GarbledError) as caught:
        read_completions(content, prompts=1)

    assert "secret" not in str(caught.value)


def test_choices_come_in_the_order_of_their_prompts() -> None:
    numbers = list(range(PROMPTS_A_REQUEST))
    content = json.dumps({"choices": [{"index": at, "text": str(at)} for at in reversed(numbers)]})

    read = read_completions(content.encode(), prompts=len(numbers))

    assert [choice.text for choice in read.choices] == [str(at) for at in numbers]
