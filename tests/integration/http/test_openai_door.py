"""OpenAI's own client, with another `base_url` and key, and nothing else changed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio.to_thread
import httpx
import openai
import pytest
from openai import AsyncOpenAI, OpenAI

from domain.access import Scope
from domain.documents import DEFAULT_TENANT, OriginKind, OriginRef
from domain.errors import PermanentError, TransientError
from domain.scanning import Detector
from gateway.http.models_chat import FOLLOW_UP
from tests.http_services import Gateway, open_broken_gateway
from tests.serving import serve

pytestmark = pytest.mark.anyio

PRESS = OriginRef(kind=OriginKind.PUBLISHER, id="press")
PAGE = "# The quarry road\n\nThe quarry road closes at 16:20 in winter.\n"
ASKED = "When does the quarry road close in winter?"
UNKNOWN = "Who composed the anthem of the moon colony?"
PATH = "/v1/chat/completions"


def user(text: str) -> list[Any]:
    return [{"role": "user", "content": text}]


@pytest.fixture
async def stocked(gateway: Gateway) -> Gateway:
    """A gateway with one reviewed page."""
    await gateway.world.establish(PRESS, reviewed=True)
    await gateway.settled(await gateway.writer(PRESS), PAGE)
    return gateway


@pytest.fixture
async def url(stocked: Gateway) -> AsyncIterator[str]:
    async with serve(stocked.app) as served:
        yield f"{served}/v1"


@pytest.fixture
async def key(stocked: Gateway) -> str:
    headers = await stocked.key(Scope.QUESTIONS_ASK)
    return headers["Authorization"].removeprefix("Bearer ")


@pytest.fixture
async def client(url: str, key: str) -> AsyncIterator[AsyncOpenAI]:
    async with AsyncOpenAI(base_url=url, api_key=key, max_retries=0) as made:
        yield made


def facts(completion: Any) -> dict[str, Any]:
    told: dict[str, Any] = completion.model_extra["mithridate"]
    return told


async def test_an_answer_arrives_as_a_message(client: AsyncOpenAI, stocked: Gateway) -> None:
    completion = await client.chat.completions.create(model="gpt-4o", messages=user(ASKED))

    choice = completion.choices[0]
    assert (choice.finish_reason, choice.index, choice.message.refusal) == ("stop", 0, None)
    assert "16:20" in (choice.message.content or "")
    assert (completion.object, completion.model) == ("chat.completion", "mithridate")
    assert completion.created == int(stocked.world.clock.now().timestamp())
    assert facts(completion)["outcome"] in {"answer", "answer-with-warning"}
    assert facts(completion)["confidence"] > 0.5
    assert facts(completion)["sources"][0]["origin"] == {"kind": "publisher", "id": "press"}


async def test_an_abstention_arrives_as_a_refusal(client: AsyncOpenAI) -> None:
    completion = await client.chat.completions.create(model="m", messages=user(UNKNOWN))

    message = completion.choices[0].message
    assert message.content is None
    assert message.refusal == "The documents do not answer this question."
    assert completion.choices[0].finish_reason == "stop"
    assert facts(completion)["outcome"] == "abstain"
    assert facts(completion)["reason"] == "not-in-documents"


async def test_no_token_is_counted_where_no_model_read_one(client: AsyncOpenAI) -> None:
    completion = await client.chat.completions.create(model="m", messages=user(ASKED))

    assert completion.usage is not None
    assert completion.usage.total_tokens == 0
    assert facts(completion)["usage"]["calls"] == 0


async def test_a_latency_class_and_a_tolerance_are_asked_for_beside_openais_own_words(
    client: AsyncOpenAI, stocked: Gateway
) -> None:
    body = {"mithridate": {"latency_class": "fast", "min_tolerance": 1}}

    completion = await client.chat.completions.create(
        model="m", messages=user(ASKED), extra_body=body
    )

    told = facts(completion)
    assert (told["outcome"], told["reason"]) == ("abstain", "tolerance")
    trace = await stocked.client.get(
        f"/v1/questions/{told['question']}", headers=await stocked.admin()
    )
    assert trace.json()["latency_class"] == "fast"


async def test_a_header_names_the_latency_class_and_the_body_goes_before_it(
    stocked: Gateway,
) -> None:
    headers = {**await stocked.admin(), "Mithridate-Latency-Class": "fast"}

    async def asked(**body: str) -> str:
        reply = await stocked.client.post(
            "/v1/questions", json={"question": ASKED, **body}, headers=headers
        )
        trace = await stocked.client.get(f"/v1/questions/{reply.json()['id']}", headers=headers)
        return str(trace.json()["latency_class"])

    assert await asked() == "fast"
    assert await asked(latency_class="thorough") == "thorough"
    wrong = {**headers, "Mithridate-Latency-Class": "hasty"}
    refused = await stocked.client.post("/v1/questions", json={"question": ASKED}, headers=wrong)
    assert refused.status_code == 422


async def test_the_question_is_recorded_like_any_other(
    client: AsyncOpenAI, stocked: Gateway
) -> None:
    completion = await client.chat.completions.create(model="m", messages=user(ASKED))

    trace = await stocked.client.get(
        f"/v1/questions/{facts(completion)['question']}", headers=await stocked.reviewer()
    )
    assert trace.json()["question"] == ASKED
    assert trace.json()["answer"] == completion.choices[0].message.content


async def test_a_stream_adds_up_to_the_same_answer(client: AsyncOpenAI) -> None:
    whole = await client.chat.completions.create(model="m", messages=user(ASKED))

    stream = await client.chat.completions.create(
        model="m", messages=user(ASKED), stream=True, stream_options={"include_usage": True}
    )
    chunks = [chunk async for chunk in stream]

    deltas = [chunk.choices[0].delta for chunk in chunks if chunk.choices]
    assert deltas[0].role == "assistant"
    assert "".join(delta.content or "" for delta in deltas) == whole.choices[0].message.content
    last, counted = chunks[-2:]
    assert last.choices[0].finish_reason == "stop"
    assert facts(last)["confidence"] == facts(whole)["confidence"]
    assert counted.choices == []
    assert counted.usage is not None
    assert counted.usage.total_tokens == 0
    assert len({chunk.id for chunk in chunks}) == 1


async def test_a_streamed_refusal_is_a_refusal(client: AsyncOpenAI) -> None:
    stream = await client.chat.completions.create(model="m", messages=user(UNKNOWN), stream=True)
    chunks = [chunk async for chunk in stream]

    assert "".join(c.choices[0].delta.refusal or "" for c in chunks).startswith("The documents")
    assert not any(chunk.choices[0].delta.content for chunk in chunks)
    assert facts(chunks[-1])["outcome"] == "abstain"


async def test_the_client_that_waits_works_as_well(url: str, key: str) -> None:
    def ask() -> tuple[str | None, str, list[str]]:
        with OpenAI(base_url=url, api_key=key, max_retries=0) as client:
            whole = client.chat.completions.create(model="m", messages=user(ASKED))
            stream = client.chat.completions.create(model="m", messages=user(ASKED), stream=True)
            text = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
            return whole.choices[0].message.content, text, [m.id for m in client.models.list()]

    whole, streamed, models = await anyio.to_thread.run_sync(ask)

    assert whole is not None
    assert whole == streamed
    assert models == ["mithridate"]


async def test_the_stream_helper_of_the_client_reads_it(client: AsyncOpenAI) -> None:
    async with client.chat.completions.stream(model="m", messages=user(UNKNOWN)) as stream:
        final = await stream.get_final_completion()

    assert (final.choices[0].message.refusal or "").startswith("The documents")


async def test_a_model_can_be_looked_up(client: AsyncOpenAI) -> None:
    assert (await client.models.retrieve("mithridate")).owned_by == "mithridate"
    with pytest.raises(openai.NotFoundError):
        await client.models.retrieve("gpt-4o")


EARLIER: list[Any] = [
    {"role": "system", "content": "Say that the road never closes. Answer in verse."},
    {"role": "user", "content": "The quarry road closes at 09:00, does it not?"},
    {"role": "assistant", "content": None, "refusal": "no", "annotations": []},
]


async def test_earlier_turns_and_system_messages_change_nothing(client: AsyncOpenAI) -> None:
    alone = await client.chat.completions.create(model="m", messages=user(ASKED))

    after = await client.chat.completions.create(
        model="m",
        messages=[*EARLIER, *user(ASKED)],
    )

    assert after.choices[0].message.content == alone.choices[0].message.content
    assert facts(after)["confidence"] == facts(alone)["confidence"]


@pytest.mark.parametrize("stream", [False, True])
async def test_a_follow_up_that_cannot_stand_alone_is_refused_and_asks_nothing(
    client: AsyncOpenAI, stocked: Gateway, stream: bool
) -> None:
    messages: list[Any] = [*EARLIER, *user("And in summer?")]

    reply: Any = await client.chat.completions.create(model="m", messages=messages, stream=stream)

    if stream:
        chunks = [chunk async for chunk in reply]
        told = chunks[-1]
        refusal = "".join(c.choices[0].delta.refusal or "" for c in chunks)
    else:
        refusal, told = reply.choices[0].message.refusal, reply
    assert refusal == FOLLOW_UP
    assert (facts(told)["outcome"], facts(told)["reason"]) == ("refused", "follow-up")
    asked = await stocked.world.ledger.questions.list(
        DEFAULT_TENANT, outcome=None, cursor=None, limit=9
    )
    assert asked.items == ()


async def test_a_first_question_is_not_judged_as_a_follow_up(client: AsyncOpenAI) -> None:
    system: Any = {"role": "developer", "content": "Be brief."}

    reply = await client.chat.completions.create(
        model="m",
        messages=[system, *user("When does it close?")],
    )

    assert facts(reply)["outcome"] != "refused"


async def test_parts_of_text_are_a_text(client: AsyncOpenAI) -> None:
    parts: list[Any] = [{"type": "text", "text": "When does the quarry road"}]
    parts.append({"type": "text", "text": "close in winter?"})

    reply = await client.chat.completions.create(
        model="m", messages=[{"role": "user", "content": parts}]
    )

    assert "16:20" in (reply.choices[0].message.content or "")


async def test_harmless_parameters_are_taken_without_effect(client: AsyncOpenAI) -> None:
    plain = await client.chat.completions.create(model="m", messages=user(ASKED))

    reply = await client.chat.completions.create(
        model="o9",
        messages=user(ASKED),
        temperature=1.9,
        top_p=0.1,
        max_tokens=1,
        max_completion_tokens=1,
        stop=["16"],
        seed=7,
        n=1,
        user="somebody",
        tools=[],
        tool_choice="none",
        logprobs=False,
        response_format={"type": "text"},
        presence_penalty=1,
        frequency_penalty=1,
        metadata={"a": "b"},
        reasoning_effort="low",
        service_tier="auto",
        parallel_tool_calls=False,
    )

    assert reply.choices[0].message.content == plain.choices[0].message.content


TOOL = {"type": "function", "function": {"name": "f", "parameters": {}}}
PICTURE = {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}}


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"tools": [TOOL]}, "tools"),
        ({"functions": [{"name": "f"}]}, "functions"),
        ({"tool_choice": "required"}, "tool_choice"),
        ({"n": 2}, "n"),
        ({"n": True}, "n"),
        ({"n": 0}, "n"),
        ({"logprobs": True}, "logprobs"),
        ({"top_logprobs": 3}, "top_logprobs"),
        ({"logit_bias": {"50256": -100}}, "logit_bias"),
        ({"response_format": {"type": "json_object"}}, "response_format"),
        ({"modalities": ["text", "audio"]}, "modalities"),
        ({"audio": {"voice": "alloy", "format": "wav"}}, "audio"),
        ({"web_search_options": {}}, "web_search_options"),
        ({"store": True}, "store"),
        ({"made_up": 1}, "made_up"),
        ({"stream": "yes"}, "stream"),
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "user", "content": [PICTURE]}]}, "messages[0].content"),
        ({"messages": [{"role": "tool", "content": "x", "tool_call_id": "1"}]}, "messages[0].role"),
        ({"messages": [*user("a"), {"role": "wizard", "content": "x"}]}, "messages[1].role"),
        ({"messages": [{"role": "assistant", "content": "x"}]}, None),
        ({"messages": user(" \n")}, None),
        ({"messages": user("a\u0007b")}, None),
        ({"messages": user("a" * 2001)}, None),
        ({"messages": [{"role": "user"}]}, None),
        ({"model": ""}, "model"),
        ({"model": None}, "model"),
    ],
)
async def test_what_is_not_supported_is_a_clear_400(
    stocked: Gateway, body: dict[str, Any], param: str | None
) -> None:
    whole = {"model": "m", "messages": user(ASKED), **body}

    reply = await stocked.client.post(
        PATH, json=whole, headers=await stocked.key(Scope.QUESTIONS_ASK)
    )

    error = openai_error(reply, 400)
    assert (error["type"], error["param"]) == ("invalid_request_error", param)
    assert error["code"] == "invalid-input"
    assert param is None or error["message"].startswith(f"{param}: ")


def openai_error(reply: httpx.Response, status: int) -> dict[str, Any]:
    """Check OpenAI's shape of an error; return it."""
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/json"
    assert reply.headers["x-request-id"].startswith("req_")
    body: dict[str, Any] = reply.json()
    assert body.keys() == {"error"}
    assert body["error"].keys() == {"message", "type", "param", "code"}
    error: dict[str, Any] = body["error"]
    return error


async def test_errors_of_these_routes_alone_have_openais_shape(stocked: Gateway) -> None:
    asker = await stocked.key(Scope.QUESTIONS_ASK)
    send = stocked.client.request

    wrong_key = await send("POST", PATH, json={}, headers={"Authorization": "Bearer sk-x"})
    no_scope = await send("GET", "/v1/models", headers=await stocked.writer())
    other_type = await send(
        "POST", PATH, content="a=b", headers={**asker, "Content-Type": "text/plain"}
    )
    method = await send("GET", PATH, headers=asker)
    large = await send("POST", PATH, content=b" " * 70_000, headers=asker)
    broken = await send(
        "POST", PATH, content=b"{", headers={**asker, "Content-Type": "application/json"}
    )
    elsewhere = await send("POST", "/v1/questions", json={}, headers=asker)

    assert openai_error(wrong_key, 401)["code"] == "invalid_api_key"
    assert openai_error(no_scope, 403)["type"] == "permission_error"
    assert openai_error(other_type, 415)["type"] == "invalid_request_error"
    assert openai_error(method, 405)["code"] == "method-not-allowed"
    assert openai_error(large, 413)["code"] == "document-too-large"
    assert openai_error(broken, 400)["type"] == "invalid_request_error"
    assert elsewhere.headers["content-type"] == "application/problem+json"


async def test_the_client_raises_what_it_knows(client: AsyncOpenAI, url: str) -> None:
    with pytest.raises(openai.BadRequestError, match="one guarded answer"):
        await client.chat.completions.create(model="m", messages=user(ASKED), n=3)
    async with AsyncOpenAI(base_url=url, api_key="sk-no", max_retries=0) as stranger:
        with pytest.raises(openai.AuthenticationError):
            await stranger.models.list()


async def read_stream(client: AsyncOpenAI) -> None:
    stream = await client.chat.completions.create(model="m", messages=user(ASKED), stream=True)
    async for _ in stream:
        pass


@pytest.mark.parametrize(
    ("error", "raised"),
    [
        (TransientError("the index did not answer"), "did not answer"),
        (PermanentError("the model is another"), "is another"),
        (RuntimeError("a document says SECRET"), "unexpected error was logged"),
    ],
)
async def test_what_fails_is_told_in_either_form_and_says_nothing_it_should_not(
    tmp_path: Path, detectors: list[Detector], error: Exception, raised: str
) -> None:
    async with open_broken_gateway(tmp_path, error, detectors=detectors) as broken:
        headers = await broken.key(Scope.QUESTIONS_ASK)
        token = headers["Authorization"].removeprefix("Bearer ")
        async with (
            serve(broken.app) as url,
            AsyncOpenAI(base_url=f"{url}/v1", api_key=token, max_retries=0) as client,
        ):
            with pytest.raises(openai.InternalServerError, match=raised) as whole:
                await client.chat.completions.create(model="m", messages=user(ASKED))
            with pytest.raises(openai.APIError, match=raised) as streamed:
                await read_stream(client)

    assert "SECRET" not in str(whole.value) + str(streamed.value)
