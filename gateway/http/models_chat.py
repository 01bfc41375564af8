"""Bodies of the OpenAI-compatible routes. The request lists every parameter that is taken."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    JsonValue,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from domain.answering import AbstainReason, AnswerWarning, Outcome
from domain.verification import LatencyClass
from gateway.http.models_documents import Model
from gateway.http.models_questions import (
    AnswerModel,
    SeatCount,
    SourceModel,
    ToleranceModel,
)
from gateway.http.models_usage import UsageModel

MODEL: Final = "mithridate"
MAX_MESSAGES: Final = 1000
MAX_CHARACTERS: Final = 60_000
"""Of one message; the body as a whole is limited as that of any request."""

_REFUSALS: Final[dict[AbstainReason | None, str]] = {
    AbstainReason.NOT_IN_DOCUMENTS: "The documents do not answer this question.",
    AbstainReason.DISAGREEMENT: (
        "Independent sources disagree about this, so no answer is given. A person will look at it."
    ),
    AbstainReason.LOW_CONFIDENCE: (
        "No answer found is certain enough to be given. A person will look at it."
    ),
    AbstainReason.TOLERANCE: (
        "The answer found would not stand against as many dishonest sources as is required."
    ),
    AbstainReason.DENIED: "This question is not answered here.",
}
_UNSURE: Final = "No answer can be given."
FOLLOW_UP: Final = (
    "This question cannot be understood by itself, and earlier messages are not used. "
    "Please ask it as a whole question."
)


@dataclass(frozen=True, slots=True)
class Only:
    """Marks a parameter of which few values are taken: `taken`, and none at all."""

    why: str
    taken: tuple[JsonValue, ...] = ()

    def __get_pydantic_core_schema__(
        self, source: type[JsonValue], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, JsonValue]:
        del schema, handler
        return {"enum": [None, *self.taken], "description": f"not supported: {self.why}"}

    def _check(self, value: JsonValue) -> JsonValue:
        if _canonical(value) not in {_canonical(one) for one in (None, *self.taken)}:
            raise PydanticCustomError("unsupported", "is not supported: {why}", {"why": self.why})
        return value


def _canonical(value: JsonValue) -> str:
    if isinstance(value, float) and value.is_integer():
        return json.dumps(int(value))  # JSON has one kind of number
    return json.dumps(value, sort_keys=True)


_DOCUMENTS_ALONE: Final = "an answer comes from the documents alone"
_SCORED_BY_SEATS: Final = "drafts are scored by seats; see mithridate.confidence"
_One = Annotated[JsonValue, Only("one question has one guarded answer", (1,))]
_NoTools = Annotated[JsonValue, Only(_DOCUMENTS_ALONE, ([],))]
_NoToolChoice = Annotated[JsonValue, Only(_DOCUMENTS_ALONE, ("none", "auto"))]
_NoSearch = Annotated[JsonValue, Only(_DOCUMENTS_ALONE)]
_NoLogprobs = Annotated[JsonValue, Only(_SCORED_BY_SEATS, (False,))]
_NoTopLogprobs = Annotated[JsonValue, Only(_SCORED_BY_SEATS, (0,))]
_NoBias = Annotated[JsonValue, Only("no model of the caller's is steered", ({},))]
_TextFormat = Annotated[JsonValue, Only("an answer is text", ({"type": "text"},))]
_TextModality = Annotated[JsonValue, Only("an answer is text", (["text"],))]
_NoAudio = Annotated[JsonValue, Only("an answer is text")]
_NotStored = Annotated[JsonValue, Only("every trace is kept, see /v1/questions", (False,))]
_NO_EFFECT: Final = "accepted, without effect"
_Ignored = Annotated[JsonValue, Field(None, description=_NO_EFFECT)]


def _text_alone(value: JsonValue) -> JsonValue:
    """Refuse pictures, sound and files in words of our own, before a union says it twice."""
    if value is None or isinstance(value, str):
        if isinstance(value, str) and len(value) > MAX_CHARACTERS:
            raise PydanticCustomError("too_long", "is longer than {n}", {"n": MAX_CHARACTERS})
        return value
    if isinstance(value, list) and all(_is_text_part(part) for part in value):
        return value
    raise PydanticCustomError("unsupported", "must be text: a string, or parts of type text")


def _is_text_part(part: JsonValue) -> bool:
    return (
        isinstance(part, dict)
        and part.keys() == {"type", "text"}
        and part["type"] == "text"
        and isinstance(part["text"], str)
        and len(part["text"]) <= MAX_CHARACTERS
    )


_CONTENT_SCHEMA: Final = {
    "anyOf": [
        {"type": "string", "maxLength": MAX_CHARACTERS},
        {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "type": {"const": "text"},
                    "text": {"type": "string", "maxLength": MAX_CHARACTERS},
                },
                "required": ["type", "text"],
                "additionalProperties": False,
            },
        },
        {"type": "null"},
    ]
}
Content = Annotated[JsonValue, AfterValidator(_text_alone), WithJsonSchema(_CONTENT_SCHEMA)]


class ChatMessage(BaseModel):
    """A turn. Only the last one is used, and must be the user's; what else it has is ignored."""

    model_config = ConfigDict(extra="allow")

    role: Literal["system", "developer", "user", "assistant"]
    content: Annotated[Content, Field(None)]

    def text(self) -> str:
        if isinstance(self.content, list):
            parts = [part["text"] for part in self.content if isinstance(part, dict)]
            return "\n".join(str(part) for part in parts)
        return self.content if isinstance(self.content, str) else ""


class StreamOptions(Model):
    include_usage: Annotated[bool | None, Field(None, strict=True)]
    include_obfuscation: Annotated[bool | None, Field(None, strict=True, description=_NO_EFFECT)]


class ChatWishes(Model):
    """What OpenAI's interface has no word for; a client sends it as `extra_body`."""

    latency_class: LatencyClass | None = None
    min_tolerance: SeatCount = 0


class ChatRequest(Model):
    """A conversation whose last message is the question."""

    model: Annotated[
        str, Field(min_length=1, max_length=200, description="any name; `mithridate` answers")
    ]
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=MAX_MESSAGES)]
    stream: Annotated[bool | None, Field(None, strict=True)]
    stream_options: StreamOptions | None = None
    mithridate: ChatWishes | None = None

    n: _One = None
    tools: _NoTools = None
    tool_choice: _NoToolChoice = None
    functions: _NoTools = None
    function_call: _NoToolChoice = None
    logprobs: _NoLogprobs = None
    top_logprobs: _NoTopLogprobs = None
    logit_bias: _NoBias = None
    response_format: _TextFormat = None
    modalities: _TextModality = None
    audio: _NoAudio = None
    prediction: _NoAudio = None
    web_search_options: _NoSearch = None
    store: _NotStored = None

    temperature: _Ignored
    top_p: _Ignored
    max_tokens: _Ignored
    max_completion_tokens: _Ignored
    stop: _Ignored
    seed: _Ignored
    presence_penalty: _Ignored
    frequency_penalty: _Ignored
    parallel_tool_calls: _Ignored
    reasoning_effort: _Ignored
    verbosity: _Ignored
    service_tier: _Ignored
    metadata: _Ignored
    user: _Ignored
    safety_identifier: _Ignored
    prompt_cache_key: _Ignored
    prompt_cache_retention: _Ignored


class TokenUsageModel(Model):
    """Tokens that language models really read and wrote; 0 where none was asked."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int

    @classmethod
    def of(cls, usage: UsageModel) -> TokenUsageModel:
        return cls(
            prompt_tokens=usage.read_tokens,
            completion_tokens=usage.written_tokens,
            total_tokens=usage.read_tokens + usage.written_tokens,
        )


class GuardFacts(Model):
    """What we know of the answer, and OpenAI's shape has no place for.

    `outcome` is `refused`, and the rest empty, where the question does not stand alone: nothing
    was asked of the documents then.
    """

    question: str | None = Field(description="id, for /v1/questions/{id}")
    outcome: Outcome | Literal["refused"]
    reason: AbstainReason | Literal["follow-up"] | None
    warnings: list[AnswerWarning]
    confidence: float = Field(description="calibrated probability that the answer is right")
    agreement: float = Field(description="mean pairwise, of established seats, in 0..1")
    tolerance: ToleranceModel | None = Field(None, description="null where there is no answer")
    sources: list[SourceModel]
    usage: UsageModel

    @classmethod
    def of(cls, answer: AnswerModel) -> GuardFacts:
        return cls(
            question=answer.id,
            outcome=answer.outcome,
            reason=answer.reason,
            warnings=answer.warnings,
            confidence=answer.confidence,
            agreement=answer.agreement,
            tolerance=answer.tolerance,
            sources=answer.sources,
            usage=answer.usage,
        )


class Verdict(Model):
    """What a conversation is answered with, in either form."""

    id: str
    content: str | None
    refusal: str | None
    facts: GuardFacts
    usage: TokenUsageModel

    @classmethod
    def of(cls, answer: AnswerModel) -> Verdict:
        return cls(
            id=f"chatcmpl-{answer.id}",
            content=answer.answer,
            refusal=_REFUSALS.get(answer.reason, _UNSURE) if answer.answer is None else None,
            facts=GuardFacts.of(answer),
            usage=TokenUsageModel.of(answer.usage),
        )

    @classmethod
    def of_follow_up(cls, id: str) -> Verdict:
        return cls(
            id=id,
            content=None,
            refusal=FOLLOW_UP,
            facts=GuardFacts(
                question=None,
                outcome="refused",
                reason="follow-up",
                warnings=[],
                confidence=0.0,
                agreement=0.0,
                sources=[],
                usage=UsageModel(),
            ),
            usage=TokenUsageModel.of(UsageModel()),
        )


class ReplyMessage(Model):
    role: Literal["assistant"] = "assistant"
    content: str | None
    refusal: str | None


class Choice(Model):
    index: Literal[0] = 0
    message: ReplyMessage
    logprobs: None = None
    finish_reason: Literal["stop"] = "stop"


class ChatCompletion(Model):
    """An answer in OpenAI's shape; an abstention is a refusal."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int = Field(description="Unix time")
    model: Literal["mithridate"] = "mithridate"
    choices: list[Choice]
    usage: TokenUsageModel
    mithridate: GuardFacts

    @classmethod
    def of(cls, verdict: Verdict, *, created: int) -> ChatCompletion:
        message = ReplyMessage(content=verdict.content, refusal=verdict.refusal)
        return cls(
            id=verdict.id,
            created=created,
            choices=[Choice(message=message)],
            usage=verdict.usage,
            mithridate=verdict.facts,
        )


class ModelCard(Model):
    id: Literal["mithridate"] = "mithridate"
    object: Literal["model"] = "model"
    created: int = Field(0, description="Unix time; not kept")
    owned_by: Literal["mithridate"] = "mithridate"


class ModelList(Model):
    object: Literal["list"] = "list"
    data: list[ModelCard]
