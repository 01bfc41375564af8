"""A real server on loopback that speaks vLLM's dialect of OpenAI's API, over a toy language model.

The model is deterministic: a word is as likely as its share of the words before it, so that what
evidence states is likelier than what it does not, and a draft quotes the sentence with most of the
question's words. `Fault` makes it go wrong in the ways real servers and models do.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import math
import re
import threading
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

MODEL = "toy"
DIMENSIONS = 16


class Fault(Enum):
    MISALIGNED = auto()
    """Log-probabilities stand one token too early, as llama-cpp-python's echo gives them."""
    NO_PROMPT_LOGPROBS = auto()
    """Echo only: an OpenAI-compatible server that is not vLLM."""
    NO_LOGPROBS = auto()
    """Parameters are accepted and ignored."""
    REFUSES_LOGPROBS = auto()
    """Parameters are answered with 400."""
    NO_COMPLETIONS = auto()
    """`/completions` is 404: chat only."""
    BYTE_PIECES = auto()
    """Token texts of characters outside ASCII are replacement characters, as of byte tokens."""
    SILENT = auto()
    """Never answers."""
    BROKEN = auto()
    """500."""
    BUSY = auto()
    """429."""
    UNAUTHORISED = auto()
    """401."""
    NOT_JSON = auto()
    NO_CHOICES = auto()
    NULL_CONTENT = auto()
    REFUSAL = auto()
    """The model declines in prose."""
    HUGE = auto()
    """A reply of megabytes."""
    RAMBLING = auto()
    """A reply that is no object and no labelled line, long for a model."""
    OBEDIENT = auto()
    """The model does what a document says after 'answer with'."""
    INVENTS = auto()
    """The model quotes what no document says."""
    OTHER_VECTORS = auto()
    """Embeddings are those of another model."""
    DRIPPING = auto()
    """The reply begins at once, comes a byte at a time and never ends."""
    ENDLESS = auto()
    """The reply comes as fast as it is read, and never ends."""
    CUT_SHORT = auto()
    """The connection ends in the middle of the reply."""
    TRUNCATED = auto()
    """The JSON ends in the middle, and the reply with it."""
    TOO_FEW = auto()
    """One choice or vector fewer than was asked for."""
    NOT_NUMBERS = auto()
    """Log-probabilities and vectors are NaN."""
    OTHER_LENGTH = auto()
    """Vectors have one number more."""


@dataclass(kw_only=True)
class Served:
    """What the server is told and what it saw."""

    base_url: str = ""
    fault: Fault | None = None
    silent_on: str | None = None
    """Words; a request that has them is never answered."""
    bodies: list[Mapping[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    under_way: int = 0
    most_at_once: int = 0
    tells_usage: bool = True
    cached_tokens: int | None = None


def tokens_of(text: str) -> list[str]:
    return re.findall(r"\s*(?:\w+|[^\w\s])|\s+\Z", text)


def log_probabilities(tokens: Sequence[str]) -> list[float | None]:
    counts: Counter[str] = Counter()
    values: list[float | None] = []
    for at, token in enumerate(tokens):
        word = token.strip().casefold()
        share = counts[word] / at if at else 0.0
        values.append(math.log(0.97 * share + 1e-5) if at else None)
        counts[word] += 1
    return values


def yes_or_no(prompt: str) -> dict[str, float]:
    """Return the log-probabilities of Yes and No: does the explanation hold the answer's words."""
    asked = re.findall(r"Answer: (.*)\nExplanation: ?(.*)\nDo you think", prompt)
    answer, explanation = asked[-1] if asked else ("", "")
    words = set(_words(answer))
    share = len(words & set(_words(explanation))) / len(words) if words else 0.0
    yes = 0.1 + 0.8 * share
    return {" Yes": math.log(yes), " No": math.log(0.98 - yes), " Maybe": math.log(0.02)}


def reply_to(messages: Sequence[Mapping[str, str]], fault: Fault | None) -> str:
    system = messages[0]["content"] if len(messages) > 1 else ""
    user = messages[-1]["content"]
    if fault is Fault.REFUSAL:
        return "I'm sorry, but I can't help with that request."
    if fault is Fault.HUGE:
        return "very " * 1_000_000
    if fault is Fault.RAMBLING:
        return "Well, let me think about this. " * 20
    if system.startswith("You check"):
        return _selection(user)
    if "Mark:" not in user:
        return "ready"
    return _draft(user, fault)


def _draft(user: str, fault: Fault | None) -> str:
    question, documents = _parts(user)
    told = re.search(r"answer with (\w+)", documents, re.IGNORECASE)
    if fault is Fault.OBEDIENT and told:
        return json.dumps({"answer": told[1], "rationale": "As told.", "quotes": [told[1]]})
    asked = set(_words(question)) - _COMMON
    sentences = re.split(r"(?<=[.!?\u3002])\s*|\n", documents)
    best = max(sentences, key=lambda one: len(asked & set(_words(one))))
    if len(asked & set(_words(best))) * 2 < len(asked):
        return json.dumps({"answer": "UNKNOWN", "rationale": "", "quotes": []})
    quote = "Nothing of this stands anywhere." if fault is Fault.INVENTS else best
    answer = " ".join(best.split()[:12])
    reply = {"answer": answer, "rationale": f"The document says {answer}", "quotes": [quote]}
    return f"```json\n{json.dumps(reply, ensure_ascii=False)}\n```"


_COMMON = {"what", "is", "the", "of", "a", "how", "many", "who", "when", "does", "do", "in", "for"}


def _selection(user: str) -> str:
    _, documents = _parts(user)
    known = set(_words(documents))
    numbered = re.findall(r"^(\d+)\. (.*)$", user.split("candidates begin", 1)[1], re.MULTILINE)
    supported = [int(n) for n, text in numbered if set(_words(text)) <= known]
    return json.dumps({"supported": supported})


def _parts(user: str) -> tuple[str, str]:
    question = re.search(r"Question: (.*)\nMark: (\w+)", user)
    assert question is not None
    fence = re.escape(question[2])
    pattern = rf"^{fence} document \d+ begins\n(.*?)\n{fence} document \d+ ends$"
    found = re.findall(pattern, user, re.MULTILINE | re.DOTALL)
    return question[1], "\n".join(found)


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _shown(tokens: Sequence[str], fault: Fault | None) -> list[str]:
    if fault is not Fault.BYTE_PIECES:
        return list(tokens)
    return ["\ufffd" if not token.isascii() else token for token in tokens]


def _values(tokens: Sequence[str], fault: Fault | None) -> list[float | None]:
    values = log_probabilities(tokens)
    if fault is Fault.NOT_NUMBERS:
        return [math.nan for _ in values]
    return [*values[1:], -0.1] if fault is Fault.MISALIGNED else values


def completion(prompt: str, index: int, body: Mapping[str, Any], fault: Fault | None) -> Any:
    tokens, silent = tokens_of(prompt), fault is Fault.NO_LOGPROBS
    shown, values = _shown(tokens, fault), _values(tokens, fault)
    top = yes_or_no(prompt)
    generated = [max(top, key=lambda word: top[word])] if body.get("max_tokens", 16) else []
    choice: dict[str, Any] = {"index": index, "text": "".join(generated), "logprobs": None}
    choice["finish_reason"] = "length"
    if "prompt_logprobs" in body and not silent and fault is not Fault.NO_PROMPT_LOGPROBS:
        choice["prompt_logprobs"] = [
            None
            if value is None
            else {str(hash(text) % 50_000): {"logprob": value, "rank": 1, "decoded_token": text}}
            for text, value in zip(shown, values, strict=True)
        ]
    if "logprobs" in body and not silent:
        echoed = shown if body.get("echo") else []
        choice["logprobs"] = {
            "tokens": [*echoed, *generated],
            "token_logprobs": [*(values if echoed else []), *(top[word] for word in generated)],
            "top_logprobs": [*(None for _ in echoed), *(top for _ in generated)],
            "text_offset": [],
        }
    if body.get("echo"):
        choice["text"] = prompt + choice["text"]
    return choice


def _vector(text: str, salt: str) -> list[float]:
    digest = hashlib.blake2b((salt + text).encode(), digest_size=DIMENSIONS).digest()
    return [byte / 255 - 0.5 for byte in digest]


class _Server:
    def __init__(self, served: Served) -> None:
        self.served = served
        self.stopping = asyncio.Event()

    async def models(self, request: Request) -> Response:
        return JSONResponse({"object": "list", "data": [{"id": MODEL, "object": "model"}]})

    async def chat(self, request: Request) -> Response:
        body, broken = await self._receive(request)
        if broken is not None:
            return broken
        fault = self.served.fault
        text = reply_to(body["messages"], fault)
        choice: dict[str, Any] = {"index": 0, "finish_reason": "stop", "logprobs": None}
        content = None if fault is Fault.NULL_CONTENT else text
        choice["message"] = {"role": "assistant", "content": content}
        if body.get("logprobs") and fault is not Fault.NO_LOGPROBS:
            words = tokens_of(text)[:200]
            value = math.nan if fault is Fault.NOT_NUMBERS else -0.25
            choice["logprobs"] = {"content": [{"token": w, "logprob": value} for w in words]}
        read = sum(len(tokens_of(message["content"])) for message in body["messages"])
        return self._reply(
            {
                "object": "chat.completion",
                "model": MODEL,
                "choices": self._sent([choice]),
                **self._usage(read, len(tokens_of(text))),
            }
        )

    async def completions(self, request: Request) -> Response:
        body, broken = await self._receive(request)
        if broken is not None:
            return broken
        fault = self.served.fault
        if fault is Fault.NO_COMPLETIONS:
            return JSONResponse({"error": {"message": "not found"}}, status_code=404)
        choices = [
            completion(prompt, index, body, fault) for index, prompt in enumerate(body["prompt"])
        ]
        read = sum(len(tokens_of(prompt)) for prompt in body["prompt"])
        reply = {
            "object": "text_completion",
            "model": MODEL,
            "choices": self._sent(choices[::-1]),
            **self._usage(read, len(choices) if body.get("max_tokens", 16) else 0),
        }
        return self._reply(reply)

    async def embeddings(self, request: Request) -> Response:
        body, broken = await self._receive(request)
        if broken is not None:
            return broken
        fault = self.served.fault
        salt = "other" if fault is Fault.OTHER_VECTORS else ""
        rows: list[dict[str, Any]] = [
            {"index": at, "embedding": _vector(text, salt)} for at, text in enumerate(body["input"])
        ]
        for row in rows:
            if fault is Fault.NOT_NUMBERS:
                row["embedding"] = [math.nan] * DIMENSIONS
            if fault is Fault.OTHER_LENGTH:
                row["embedding"] = [*row["embedding"], 0.5]
        return self._reply({"object": "list", "data": self._sent(rows)})

    def _sent(self, items: list[Any]) -> list[Any]:
        return items[:-1] if self.served.fault is Fault.TOO_FEW else items

    def _reply(self, payload: Mapping[str, Any]) -> Response:
        content = json.dumps(payload)  # NaN and all, as Python servers write it
        if self.served.fault is Fault.TRUNCATED:
            content = content[: len(content) * 2 // 3]
        headers = {"content-type": "application/json"}
        match self.served.fault:
            case Fault.CUT_SHORT:
                return StreamingResponse(
                    iter([content[:20]]), headers={**headers, "content-length": str(len(content))}
                )
            case Fault.DRIPPING:
                return StreamingResponse(self._drip(0.05, b" "), headers=headers)
            case Fault.ENDLESS:
                return StreamingResponse(self._drip(0.0, b" " * 1_000_000), headers=headers)
        return Response(content, headers=headers)

    async def _drip(self, seconds: float, piece: bytes) -> AsyncIterator[bytes]:
        while not self.stopping.is_set():
            yield piece
            await asyncio.sleep(seconds)

    def _usage(self, read: int, written: int) -> Mapping[str, Any]:
        """Return what is told of the tokens; `Served.tells_usage` says whether anything is."""
        if not self.served.tells_usage:
            return {}
        told: dict[str, Any] = {"prompt_tokens": read, "completion_tokens": written}
        if self.served.cached_tokens is not None:
            told["prompt_tokens_details"] = {"cached_tokens": self.served.cached_tokens}
        return {"usage": {**told, "total_tokens": read + written}}

    async def _receive(self, request: Request) -> tuple[Mapping[str, Any], Response | None]:
        served = self.served
        body = await request.json()
        served.bodies.append(body)
        served.keys.append(request.headers.get("authorization"))
        silent = served.silent_on is not None and served.silent_on in json.dumps(body)
        if silent or served.fault is Fault.SILENT:
            await self.stopping.wait()
        served.under_way += 1
        served.most_at_once = max(served.most_at_once, served.under_way)
        for _ in range(20):  # let others in, if any are sent
            await asyncio.sleep(0)
        served.under_way -= 1
        return body, self._refusal(body)

    def _refusal(self, body: Mapping[str, Any]) -> Response | None:
        statuses = {Fault.BROKEN: 500, Fault.BUSY: 429, Fault.UNAUTHORISED: 401}
        fault = self.served.fault
        if fault in statuses:
            return JSONResponse({"error": {"message": str(body)}}, status_code=statuses[fault])
        if fault is Fault.NOT_JSON:
            return Response("<html>proxy</html>", media_type="text/html")
        if fault is Fault.NO_CHOICES:
            return JSONResponse({"choices": []})
        if fault is Fault.REFUSES_LOGPROBS and {"logprobs", "prompt_logprobs"} & body.keys():
            return JSONResponse({"error": {"message": "unknown parameter"}}, status_code=400)
        return None


@contextmanager
def serving() -> Iterator[Served]:
    """Run the server in a thread, on a free port of loopback, until the block ends."""
    served = Served()
    ready = threading.Event()
    handles: list[tuple[asyncio.AbstractEventLoop, uvicorn.Server, _Server]] = []

    async def run() -> None:
        fake = _Server(served)
        app = Starlette(
            routes=[
                Route("/v1/models", fake.models),
                Route("/v1/chat/completions", fake.chat, methods=["POST"]),
                Route("/v1/completions", fake.completions, methods=["POST"]),
                Route("/v1/embeddings", fake.embeddings, methods=["POST"]),
            ]
        )
        config = uvicorn.Config(
            app, host="127.0.0.1", port=0, log_level="critical", lifespan="off", ws="none"
        )
        server = _Announcing(config, ready)
        handles.append((asyncio.get_running_loop(), server, fake))
        await server.serve()

    thread = threading.Thread(target=lambda: asyncio.run(run()), daemon=True)
    thread.start()
    assert ready.wait(30)
    loop, server, fake = handles[0]
    port = server.servers[0].sockets[0].getsockname()[1]
    served.base_url = f"http://127.0.0.1:{port}/v1"
    try:
        yield served
    finally:
        loop.call_soon_threadsafe(fake.stopping.set)
        server.should_exit = True
        thread.join(30)


class _Announcing(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, ready: threading.Event) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        self._ready.set()
