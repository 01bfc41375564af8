"""The part of `llama_cpp` that the local model calls, over a toy model of byte pairs.

It keeps a memory of tokens by position as llama.cpp does, refuses gaps, and gives logits only where
they were asked for. A token is a byte; 256 begins a text and 257 ends one.
"""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Sequence
from types import ModuleType
from typing import Any

BEGIN, END, SIZE = 256, 257, 258
REPLY = b'{"answer": "24 months", "rationale": "So.", "quotes": ["lasts 24 months"]}'


def logits_behind(context: Sequence[int]) -> list[float]:
    """Return logs of how often each token followed the last one, counted from a little."""
    counts = [0.05] * SIZE
    for before, after in itertools.pairwise(context):
        if before == context[-1]:
            counts[after] += 1
    return [math.log(count) for count in counts]


class _Batch:
    def __init__(self, room: int) -> None:
        self.n_tokens = 0
        self.token = [0] * room
        self.pos = [0] * room
        self.n_seq_id = [0] * room
        self.seq_id = [[0] for _ in range(room)]
        self.logits = [0] * room


class _ChatMessage(ctypes.Structure):
    _fields_ = (("role", ctypes.c_char_p), ("content", ctypes.c_char_p))


class FakeLlama(ModuleType):
    llama_token = ctypes.c_int32
    llama_chat_message = _ChatMessage

    def __init__(self, *, begins: bool, template: bytes | None = b"chatml") -> None:
        super().__init__("llama_cpp")
        self.begins = begins
        self.template = template
        self.memory: list[int] = []
        self.outputs: dict[int, Any] = {}
        self.decoded = 0
        self.batches = 0

    def llama_backend_init(self) -> None:
        return

    def llama_model_default_params(self) -> Any:
        return ModuleType("options")

    def llama_context_default_params(self) -> Any:
        return ModuleType("options")

    def llama_model_load_from_file(self, path: bytes, options: Any) -> int:
        return 0 if path.endswith(b"broken.gguf") else 1

    def llama_init_from_model(self, model: int, options: Any) -> int:
        self.room = options.n_batch
        return 1

    def llama_model_get_vocab(self, model: int) -> int:
        return 1

    def llama_vocab_n_tokens(self, vocabulary: int) -> int:
        return SIZE

    def llama_vocab_is_eog(self, vocabulary: int, token: int) -> bool:
        return token == END

    def llama_get_memory(self, context: int) -> int:
        return 1

    def llama_memory_clear(self, memory: int, data: bool) -> None:
        self.memory.clear()

    def llama_memory_seq_rm(self, memory: int, sequence: int, start: int, end: int) -> bool:
        del self.memory[start:]
        return True

    def llama_batch_init(self, room: int, embedding: int, sequences: int) -> _Batch:
        self.batches += 1
        return _Batch(room)

    def llama_batch_free(self, batch: _Batch) -> None:
        self.batches -= 1

    def llama_decode(self, context: int, batch: _Batch) -> int:
        if batch.n_tokens > self.room or batch.pos[0] != len(self.memory):
            return -1
        self.outputs.clear()
        for at in range(batch.n_tokens):
            self.memory.append(batch.token[at])
            if batch.logits[at]:
                values = self.logits()
                self.outputs[at] = (ctypes.c_float * SIZE)(*values)
        self.decoded += batch.n_tokens
        return 0

    def logits(self) -> list[float]:
        """Speak `REPLY` behind a conversation, and count pairs behind any other text."""
        values = logits_behind(self.memory)
        spoken = bytes(token for token in self.memory if token < BEGIN).rpartition(b"<assistant>")
        if spoken[1] and REPLY.startswith(spoken[2]):
            said = len(spoken[2])
            values[REPLY[said] if said < len(REPLY) else END] = 20.0
        return values

    def llama_get_logits_ith(self, context: int, at: int) -> Any:
        return ctypes.cast(self.outputs[at], ctypes.POINTER(ctypes.c_float))

    def llama_tokenize(
        self,
        vocabulary: int,
        text: bytes,
        size: int,
        buffer: Any,
        room: int,
        add: bool,
        parse: bool,
    ) -> int:
        tokens = list(text)
        if parse:
            tokens = [t for part in text.split(b"<end>") for t in (*part, END)][:-1]
        if add and self.begins:
            tokens.insert(0, BEGIN)
        if len(tokens) > room:
            return -len(tokens)
        buffer[: len(tokens)] = tokens
        return len(tokens)

    def llama_token_to_piece(
        self, vocabulary: int, token: int, buffer: Any, size: int, strip: int, special: bool
    ) -> int:
        if token >= BEGIN:
            return 0
        buffer[0] = bytes([token])
        return 1

    def llama_model_chat_template(self, model: int, name: None) -> bytes | None:
        return self.template

    def llama_chat_apply_template(
        self, template: bytes, chat: Any, count: int, open_reply: bool, buffer: Any, size: int
    ) -> int:
        if template != b"chatml":
            return -1
        text = b"".join(b"<%s>%s<end>" % (m.role, m.content) for m in chat[:count])
        text += b"<assistant>"
        buffer[: len(text)] = text
        return len(text)
