"""A model server whose time a request is a stated function of its tokens.

    .venv/bin/python -m benchmarks.query.model_server --port 8001 --prefill-ms 0.1 ...

It speaks vLLM's part of OpenAI's API that the product uses (`/v1/chat/completions` with
log-probabilities, `/v1/completions` with a list of prompts and `prompt_logprobs`), over the toy
language model of `toy_model`. Time is waited for, on the event loop's clock, and is this:

- one engine: forward passes follow one another, in order of arrival;
- the prompts of one call are read in one pass of max(floor, prefill x tokens that are not cached):
  below the floor a pass costs what reading the weights costs, however few its tokens are;
- each generated token takes `decode`; sequences that generate side by side do not slow each other
  (continuous batching, bound by memory), nor do they hold up the reading of prompts;
- a prompt's blocks of 16 tokens that were read before at the same place are cached, where sharing
  is on. vLLM does not use its cache for `prompt_logprobs`; `share_scored` says as if it did.

Of a call with `max_tokens: 1` the one token comes out of the pass that read the prompt.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import uvicorn
from fastapi import FastAPI, Request

from benchmarks.query.toy_model import log_probabilities, reply_to, tokens_of, yes_or_no

BLOCK = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Speed:
    """Milliseconds: of reading a token, of a pass at least, of writing a token."""

    prefill_ms: float
    floor_ms: float
    decode_ms: float


@dataclass(slots=True, kw_only=True)
class Counted:
    """What the server has done since it was last asked."""

    passes: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0


@dataclass(slots=True, kw_only=True)
class Engine:
    """The clock of one model."""

    speed: Speed
    share: bool
    share_scored: bool
    counted: Counted = field(default_factory=Counted)
    _known: set[bytes] = field(default_factory=set)
    _free_at: float = 0.0

    async def read(self, prompts: Sequence[Sequence[str]], *, scored: bool) -> None:
        """Wait for as long as one pass over these prompts takes, and for those before it."""
        cached = 0
        if self.share and (self.share_scored or not scored):
            cached = sum(self._cached(tokens) for tokens in prompts)
        tokens = sum(map(len, prompts))
        self.counted.passes += 1
        self.counted.prompt_tokens += tokens
        self.counted.cached_tokens += cached
        wanted = max(self.speed.floor_ms, self.speed.prefill_ms * (tokens - cached)) / 1000.0
        now = asyncio.get_running_loop().time()
        self._free_at = max(now, self._free_at) + wanted
        await asyncio.sleep(self._free_at - now)

    async def write(self, tokens: int) -> None:
        self.counted.written_tokens += tokens
        await asyncio.sleep(self.speed.decode_ms * tokens / 1000.0)

    def told(self) -> Counted:
        """Return what was done since the last call, and begin to count anew."""
        told, self.counted = self.counted, Counted()
        return told

    def _cached(self, tokens: Sequence[str]) -> int:
        """Return how many tokens at the beginning were read before, and remember all blocks."""
        digest, cached, known = hashlib.blake2b(digest_size=16), 0, True
        for at in range(0, len(tokens) - BLOCK + 1, BLOCK):
            digest.update("\0".join(tokens[at : at + BLOCK]).encode("utf-8", "replace"))
            block = digest.digest()
            known = known and block in self._known
            cached += BLOCK if known else 0
            self._known.add(block)
        return cached


def application(engine: Engine) -> FastAPI:
    app = FastAPI()

    @app.get("/v1/models")
    async def models() -> Mapping[str, object]:
        return {"object": "list", "data": [{"id": "toy", "object": "model"}]}

    @app.post("/v1/chat/completions")
    async def chat(request: Request) -> Mapping[str, object]:
        messages = (await request.json())["messages"]
        prompt = tokens_of("\n".join(message["content"] for message in messages))
        await engine.read([prompt], scored=False)
        said = reply_to(messages)
        written = tokens_of(said)
        await engine.write(len(written))
        told = [{"token": token, "logprob": -0.2} for token in written]
        return {
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": said},
                    "logprobs": {"content": told},
                    "finish_reason": "stop",
                }
            ],
            "usage": {"prompt_tokens": len(prompt), "completion_tokens": len(written)},
        }

    @app.post("/v1/completions")
    async def complete(request: Request) -> Mapping[str, object]:
        body = await request.json()
        prompts = [tokens_of(prompt) for prompt in body["prompt"]]
        await engine.read(prompts, scored="prompt_logprobs" in body)
        return {
            "choices": [
                _scored(at, text, tokens)
                for at, (text, tokens) in enumerate(zip(body["prompt"], prompts, strict=True))
            ],
            "usage": {
                "prompt_tokens": sum(map(len, prompts)),
                "completion_tokens": len(prompts),
            },
        }

    return app


def _scored(index: int, prompt: str, tokens: Sequence[str]) -> Mapping[str, object]:
    values = log_probabilities(tokens)
    return {
        "index": index,
        "text": " Yes",
        "logprobs": {
            "tokens": [" Yes"],
            "token_logprobs": [-0.1],
            "top_logprobs": [yes_or_no(prompt)],
        },
        "prompt_logprobs": [
            None if value is None else {"0": {"logprob": value, "decoded_token": token}}
            for token, value in zip(tokens, values, strict=True)
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--prefill-ms", type=float, required=True, help="a token")
    parser.add_argument("--floor-ms", type=float, required=True, help="a pass, at least")
    parser.add_argument("--decode-ms", type=float, required=True, help="a token")
    chosen = parser.parse_args()
    speed = Speed(
        prefill_ms=chosen.prefill_ms, floor_ms=chosen.floor_ms, decode_ms=chosen.decode_ms
    )
    engine = Engine(speed=speed, share=True, share_scored=False)
    uvicorn.run(application(engine), host="127.0.0.1", port=chosen.port, log_level="warning")


if __name__ == "__main__":
    main()
