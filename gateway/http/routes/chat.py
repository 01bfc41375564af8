"""`/v1/chat/completions` and `/v1/models`: the door for OpenAI's clients."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from typing import Any, Final

from fastapi import APIRouter, Path
from pydantic import JsonValue
from starlette.responses import Response

from domain.errors import InputError, MithridateError, NotFoundError
from domain.stages import StageObserver, StageReport
from gateway.http.asking import Asked, answer_and_record
from gateway.http.auth import Asker
from gateway.http.dependencies import ServicesDependency
from gateway.http.following import EVENTS, HEARTBEAT, Answering, EventStream, follow
from gateway.http.models_chat import (
    MODEL,
    ChatCompletion,
    ChatRequest,
    ChatWishes,
    ModelCard,
    ModelList,
    Verdict,
)
from gateway.http.models_documents import PROSE
from gateway.http.models_questions import MAX_QUESTION, TraceModel
from gateway.http.openai_errors import CHAT_PATH, MODELS_PATH, to_openai
from gateway.http.parameters import LatencyHeader
from gateway.http.problems import OPENAI_RESPONSES, problem_of, unexpected_problem
from gateway.query.follow_ups import stands_alone
from gateway.query.options import Wishes

router = APIRouter(tags=["openai"], responses=OPENAI_RESPONSES)

_PROSE: Final = re.compile(PROSE)
_DONE: Final = "data: [DONE]\n\n"


@router.get(MODELS_PATH, summary="List the models: one")
async def list_models(principal: Asker) -> ModelList:
    """List the one name under which the gateway answers."""
    del principal
    return ModelList(data=[ModelCard()])


@router.get(MODELS_PATH + "/{model}", summary="Look a model up")
async def get_model(
    principal: Asker, model: str = Path(max_length=200, pattern=r"^[A-Za-z0-9._:-]+$")
) -> ModelCard:
    """Say whether there is a model of this name."""
    del principal
    if model != MODEL:
        raise NotFoundError(f"there is one model, {MODEL!r}")
    return ModelCard()


@router.post(
    CHAT_PATH,
    summary="Ask a question as an OpenAI client does",
    response_model=ChatCompletion,
    responses={
        200: {
            "description": "The answer, or a refusal; as chunks where `stream` is true",
            "content": {EVENTS: {"schema": {"type": "string"}}},
        }
    },
)
async def complete(
    services: ServicesDependency,
    principal: Asker,
    body: ChatRequest,
    latency: LatencyHeader = None,
) -> ChatCompletion | Response:
    """Answer the last message, by itself, from admitted documents; an abstention is a refusal.

    Earlier messages and system messages are not used: they reach neither retrieval nor a draft.
    """
    text = question_of(body)
    created = int(services.clock.now().timestamp())
    if len(body.messages) > 1 and _follows(body) and not stands_alone(text):
        verdict = Verdict.of_follow_up(f"chatcmpl-{services.ids.new('q')}")
        if not body.stream:
            return ChatCompletion.of(verdict, created=created)
        return EventStream(_chunks_of(verdict, body, created))
    wishes = body.mithridate or ChatWishes()
    asked = Asked(
        text=text,
        wishes=Wishes(
            latency_class=wishes.latency_class or latency, min_tolerance=wishes.min_tolerance
        ),
    )
    if not body.stream:
        trace = await answer_and_record(services, principal, asked)
        return ChatCompletion.of(Verdict.of(trace), created=created)

    def answering(observer: StageObserver) -> Coroutine[Any, Any, TraceModel]:
        return answer_and_record(services, principal, asked, observer=observer)

    return EventStream(completion_events(answering, body, created=created))


def question_of(body: ChatRequest) -> str:
    """Return the last message's text.

    Raises:
        InputError: It is not the user's, or not the text of a question.
    """
    last = body.messages[-1]
    if last.role != "user":
        raise InputError(f"the last message must be the user's question, not of role {last.role!r}")
    text = last.text()
    if len(text) > MAX_QUESTION:
        raise InputError(
            f"the question is {len(text)} characters, limit is {MAX_QUESTION}: documents are "
            "uploaded by /v1/documents and never pasted into a question"
        )
    if not _PROSE.search(text):
        raise InputError("the last message is blank, or has control characters in it")
    return text


def _follows(body: ChatRequest) -> bool:
    """Whether something was said before that the question may point back to."""
    return any(message.role in {"user", "assistant"} for message in body.messages[:-1])


async def completion_events(
    answering: Answering, body: ChatRequest, *, created: int
) -> AsyncGenerator[str, None]:
    """Yield chunks. The answer comes whole: no word of it is sent before the guard has spoken."""
    try:
        async with aclosing(follow(answering)) as steps:
            async for step in steps:
                if isinstance(step, StageReport):
                    continue
                if step is None:
                    yield HEARTBEAT
                    continue
                async for chunk in _chunks_of(Verdict.of(step), body, created):
                    yield chunk
    except MithridateError as exc:
        yield _line(to_openai(problem_of(exc, route=CHAT_PATH)).model_dump())
    except Exception as exc:  # the edge: nothing above can answer once the stream has begun
        yield _line(to_openai(unexpected_problem(exc, route=CHAT_PATH)).model_dump())


async def _chunks_of(
    verdict: Verdict, body: ChatRequest, created: int
) -> AsyncGenerator[str, None]:
    head: dict[str, JsonValue] = {
        "id": verdict.id,
        "object": "chat.completion.chunk",
        "created": created,
        "model": MODEL,
    }
    counted = body.stream_options is not None and body.stream_options.include_usage
    if counted:
        head["usage"] = None  # as OpenAI has it: on every chunk but the last

    def chunk(delta: dict[str, JsonValue], finish: str | None) -> dict[str, JsonValue]:
        choice: JsonValue = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return {**head, "choices": [choice]}

    yield _line(chunk({"role": "assistant", "content": "", "refusal": None}, None))
    if verdict.content is not None:
        yield _line(chunk({"content": verdict.content}, None))
    else:
        yield _line(chunk({"refusal": verdict.refusal}, None))
    facts = verdict.facts.model_dump(mode="json")
    yield _line({**chunk({}, "stop"), "mithridate": facts})
    if counted:
        yield _line({**head, "choices": [], "usage": verdict.usage.model_dump(mode="json")})
    yield _DONE


def _line(value: JsonValue) -> str:
    return f"data: {json.dumps(value)}\n\n"
