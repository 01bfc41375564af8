from __future__ import annotations

import json
from datetime import timedelta

import pytest

from domain.errors import PermanentError
from monitors.spike_states import dump_state, load_state
from monitors.spikes import SpikeOptions, SpikeState, advance
from tests.builders import EPOCH
from tests.unit.monitors.streams import observe, poisoned_stream

NOW = EPOCH + timedelta(days=400)


@pytest.mark.parametrize("length", [0, 1, 20, 60, 130])
def test_a_state_comes_back_as_it_was(length: int) -> None:
    series = [asked.observation for asked in poisoned_stream(7)][:length]
    state = advance(series, SpikeState(), now=NOW, options=SpikeOptions()).state

    back = load_state(dump_state(state))

    assert back == state
    assert list(back.references) == list(state.references)


def test_a_state_holds_no_principal_and_no_question() -> None:
    series = [
        observe(number, 0.5, principal="key:secret", key="abc-question") for number in range(5)
    ]
    state = advance(series, SpikeState(), now=NOW, options=SpikeOptions()).state

    text = dump_state(state)

    assert "secret" not in text
    assert "abc-question" not in text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "null",
        "[]",
        "{}",
        json.dumps({"format": 2}),
        json.dumps({"format": 1}),
        json.dumps({**json.loads(dump_state(SpikeState())), "latest": "yesterday"}),
        json.dumps({**json.loads(dump_state(SpikeState())), "window": [{}]}),
        json.dumps({**json.loads(dump_state(SpikeState())), "references": [["5:long"]]}),
        json.dumps({**json.loads(dump_state(SpikeState())), "taken": 3}),
    ],
)
def test_what_cannot_be_read_is_an_error_and_not_a_new_beginning(text: str) -> None:
    with pytest.raises(PermanentError):
        load_state(text)
