"""`mithridate ask --stream`: stages beside the answer."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from domain.answering import LadderStep
from domain.errors import TransientError
from gateway.cli.commands_client import _follow, _stage_line
from gateway.http.events import StageModel
from gateway.http.models_questions import AnswerModel, RungModel
from tests.unit.cli.test_client import ANSWER

DRAFTED = StageModel(stage="draft", seconds=0.5, counts={"drafts": 3, "established_origins": 2})
CLIMBED = StageModel(
    stage="rung",
    seconds=0.0,
    counts={},
    rung=RungModel(step=LadderStep.FULL_RAG, result="no\x1b[2J"),
)


def events() -> Iterator[StageModel | AnswerModel]:
    yield DRAFTED
    yield CLIMBED
    yield AnswerModel.model_validate(ANSWER)


def test_stages_are_told_beside_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    answer = _follow(events(), json_=False)

    told = capsys.readouterr()
    assert (answer.id, told.out) == ("q_1", "")
    assert told.err.splitlines()[0] == "draft        0.500 s  3 drafts, 2 established origins"


def test_with_json_each_stage_is_a_line_before_the_answer(
    capsys: pytest.CaptureFixture[str],
) -> None:
    _follow(events(), json_=True)

    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["event"], first["stage"]) == ("stage", "draft")
    assert second["rung"]["step"] == "full-rag"


def test_what_a_server_says_reaches_the_terminal_as_text() -> None:
    assert "\x1b" not in _stage_line(CLIMBED)


def test_a_stream_without_an_answer_is_an_error() -> None:
    with pytest.raises(TransientError):
        _follow(iter([DRAFTED]), json_=False)
