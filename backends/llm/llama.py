"""A GGUF in this process, by llama-cpp-python's low-level binding (extra `local-llm`).

The high-level calls are not used: their echoed log-probabilities are off by one for models without
a token that begins a text (measured), or need a buffer of context x vocabulary. Here logits are
computed at the wanted positions only, and what two texts share at their beginning is computed once.
"""

from __future__ import annotations

import ctypes
import importlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from backends.llm.likelihood import ScoredText, ScoringJob, yes_odds
from backends.llm.local import Generated
from backends.llm.models import verify_file
from backends.llm.prompts import Message
from domain.errors import ConfigurationError, PermanentError
from domain.usage import ModelRole, count_call

_BATCH: Final = 512
_TOP: Final = 40
"""Likeliest tokens among which Yes and No are looked for."""
_PIECE_BYTES: Final = 256
_SEQUENCE: Final = 0


def load_llama(
    path: Path, *, sha256: str, context_tokens: int = 4096, threads: int | None = None
) -> LlamaModel:
    """Verify a GGUF and load it. Weights are mapped: loaded twice, they are in memory once.

    Raises:
        ConfigurationError: The extra is missing, the file is not the pinned one, or llama.cpp
            cannot load it.
    """
    try:
        library = importlib.import_module("llama_cpp")
    except ImportError as exc:
        raise ConfigurationError(
            "a local model needs the extra 'local-llm': pip install 'mithridate[local-llm]'"
        ) from exc
    verify_file(path, sha256)
    return LlamaModel(library, path, sha256=sha256, context_tokens=context_tokens, threads=threads)


@dataclass(frozen=True, slots=True)
class _Place:
    """Logits are wanted behind token `at`."""

    at: int
    logits: NDArray[np.float32]


class LlamaModel:
    """A `LocalModel`. One context, one sequence, greedy."""

    def __init__(
        self,
        library: ModuleType,
        path: Path,
        *,
        sha256: str,
        context_tokens: int,
        threads: int | None = None,
    ) -> None:
        """Load a file that has been verified.

        Args:
            library: The module `llama_cpp`.
            path: Of the GGUF.
            sha256: As verified; it names the version.
            context_tokens: Of prompt and reply together.
            threads: None for llama.cpp's own choice.

        Raises:
            ConfigurationError: llama.cpp cannot load it.
        """
        self._lib = library
        self._sha256 = sha256
        self._context_tokens = context_tokens
        library.llama_backend_init()
        self._model = library.llama_model_load_from_file(
            str(path).encode(), library.llama_model_default_params()
        )
        if not self._model:
            raise ConfigurationError(f"model {str(path)!r} is not one that llama.cpp can load")
        options = library.llama_context_default_params()
        options.n_ctx, options.n_batch, options.n_seq_max = context_tokens, _BATCH, 1
        options.swa_full = True  # or a shared beginning could not be kept
        if threads is not None:
            options.n_threads = options.n_threads_batch = threads
        self._context = library.llama_init_from_model(self._model, options)
        if not self._context:
            raise ConfigurationError(f"no memory for a context of {context_tokens} tokens")
        self._vocabulary = library.llama_model_get_vocab(self._model)
        self._size = int(library.llama_vocab_n_tokens(self._vocabulary))
        self._held: list[int] = []
        self._turn = threading.Lock()

    @property
    def version(self) -> str:
        return f"gguf-{self._sha256[:12]}"

    def generate(self, messages: Sequence[Message], *, max_tokens: int) -> Generated:
        with self._turn:
            tokens = self._conversation(messages)
            self._check_length(len(tokens) + max_tokens)
            pieces: list[bytes] = []
            values: list[float] = []
            read = len(tokens)
            for _ in range(max_tokens):
                (place,) = self._logits(tokens, range(len(tokens) - 1, len(tokens)))
                chosen = int(np.argmax(place.logits))
                values.append(_log_probability(place.logits, chosen))
                if self._lib.llama_vocab_is_eog(self._vocabulary, chosen):
                    break
                pieces.append(self._piece(chosen))
                tokens.append(chosen)
        count_call(ModelRole.DRAFTER, read=read, written=len(values))
        text = b"".join(pieces).decode("utf-8", "replace")
        return Generated(text=text, log_probabilities=tuple(values))

    def score(self, jobs: Sequence[ScoringJob]) -> Sequence[ScoredText]:
        with self._turn:
            return [self._score(job) for job in jobs]

    def _score(self, job: ScoringJob) -> ScoredText:
        tokens = self._tokens(job.prefix + job.scored + job.tail)
        self._check_length(len(tokens))
        count_call(ModelRole.VERIFIER, read=len(tokens), written=0)
        start = _shared(tokens, self._tokens(job.prefix))
        end = _shared(tokens, self._tokens(job.prefix + job.scored)) if job.tail else len(tokens)
        if not 0 < start < end:
            raise PermanentError("the scored text has no tokens of its own")
        values: list[float] = []
        odds: float | None = None
        for place in self._logits(tokens, range(start - 1, len(tokens))):
            if place.at + 1 < end:
                values.append(_log_probability(place.logits, tokens[place.at + 1]))
            elif place.at == len(tokens) - 1 and job.tail:
                odds = yes_odds(self._likeliest(place.logits))
        pieces = tuple(self._piece(token).decode("utf-8", "replace") for token in tokens[start:end])
        return ScoredText(log_probabilities=tuple(values), tokens=pieces, yes_odds=odds)

    def _logits(self, tokens: Sequence[int], wanted: range) -> Iterator[_Place]:
        """Yield the logits behind each token of `wanted`, in order; they hold until the next."""
        kept = min(_shared(tokens, self._held), wanted.start)
        memory = self._lib.llama_get_memory(self._context)
        if not self._lib.llama_memory_seq_rm(memory, _SEQUENCE, kept, -1):
            self._lib.llama_memory_clear(memory, True)
            kept = 0
        self._held = list(tokens[:kept])
        for start in range(kept, len(tokens), _BATCH):
            part = tokens[start : start + _BATCH]
            self._decode(part, start, wanted)
            self._held += part
            for at in range(max(start, wanted.start), min(start + len(part), wanted.stop)):
                pointer = self._lib.llama_get_logits_ith(self._context, at - start)
                yield _Place(at, np.ctypeslib.as_array(pointer, shape=(self._size,)))

    def _decode(self, part: Sequence[int], start: int, wanted: range) -> None:
        batch = self._lib.llama_batch_init(len(part), 0, 1)
        try:
            batch.n_tokens = len(part)
            for at, token in enumerate(part):
                batch.token[at] = token
                batch.pos[at] = start + at
                batch.n_seq_id[at] = 1
                batch.seq_id[at][0] = _SEQUENCE
                batch.logits[at] = start + at in wanted
            failed = self._lib.llama_decode(self._context, batch)
        finally:
            self._lib.llama_batch_free(batch)
        if failed:
            self._lib.llama_memory_clear(self._lib.llama_get_memory(self._context), True)
            self._held = []
            raise PermanentError(f"llama.cpp could not compute {len(part)} tokens: {failed}")

    def _conversation(self, messages: Sequence[Message]) -> list[int]:
        """Return the tokens of a conversation; only the template's own text makes control tokens."""
        marks = [f"@@{at}@@" for at in range(len(messages))]
        template = self._template(messages, marks)
        tokens: list[int] = []
        for mark, message in zip(marks, messages, strict=True):
            before, found, template = template.partition(mark)
            if not found:
                raise PermanentError("the model's chat template leaves out a message")
            tokens += self._tokens(before, special=True, beginning=not tokens)
            tokens += self._tokens(message.content, beginning=False)
        return tokens + self._tokens(template, special=True, beginning=False)

    def _template(self, messages: Sequence[Message], marks: Sequence[str]) -> str:
        lib = self._lib
        template = lib.llama_model_chat_template(self._model, None)
        if not template:
            raise PermanentError("the model has no chat template: it is none for instructions")
        chat = (lib.llama_chat_message * len(messages))(
            *(
                lib.llama_chat_message(message.role.encode(), mark.encode())
                for message, mark in zip(messages, marks, strict=True)
            )
        )
        buffer = ctypes.create_string_buffer(16_384)
        length = lib.llama_chat_apply_template(
            template, chat, len(messages), True, buffer, len(buffer)
        )
        if not 0 < length <= len(buffer):
            raise PermanentError("the model's chat template is none that llama.cpp knows")
        return buffer.raw[:length].decode()

    def _tokens(self, text: str, *, special: bool = False, beginning: bool = True) -> list[int]:
        content = text.encode("utf-8", "replace")
        room = len(content) + 8
        buffer = (self._lib.llama_token * room)()
        count = self._lib.llama_tokenize(
            self._vocabulary, content, len(content), buffer, room, beginning, special
        )
        if count < 0:
            raise PermanentError("llama.cpp could not tokenise a text")
        return list(buffer[:count])

    def _piece(self, token: int) -> bytes:
        buffer = ctypes.create_string_buffer(_PIECE_BYTES)
        length = self._lib.llama_token_to_piece(
            self._vocabulary, token, buffer, _PIECE_BYTES, 0, False
        )
        return buffer.raw[: max(0, length)]

    def _likeliest(self, logits: NDArray[np.float32]) -> dict[str, float]:
        top: dict[str, float] = {}
        for token in np.argpartition(-logits, _TOP)[:_TOP]:
            word = self._piece(int(token)).decode("utf-8", "replace")
            value = _log_probability(logits, int(token))
            top[word] = max(value, top.get(word, value))
        return top

    def _check_length(self, tokens: int) -> None:
        if tokens > self._context_tokens:
            raise PermanentError(
                f"{tokens} tokens do not fit the model's context of {self._context_tokens}"
            )


def _shared(one: Sequence[int], other: Sequence[int]) -> int:
    """Return how many tokens both begin with."""
    for at, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return at
    return min(len(one), len(other))


def _log_probability(logits: NDArray[np.float32], token: int) -> float:
    wide = logits.astype(np.float64)
    top = wide.max()
    return float(wide[token] - top - np.log(np.exp(wide - top).sum()))
