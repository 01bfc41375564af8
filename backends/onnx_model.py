"""A text model in ONNX on this machine's processor, pinned by its manifest; nothing is downloaded.

The model is a folder of `manifest.json`, `model.onnx` and `tokenizer.json`, which gives one row of
numbers a text.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from backends.embedding_texts import well_formed
from domain.errors import PermanentError

MANIFEST_NAME: Final = "manifest.json"
MODEL_NAME: Final = "model.onnx"
TOKENIZER_NAME: Final = "tokenizer.json"

MAX_CHARACTERS: Final = 32_768
"""More than 256 tokens ever take in prose; keeps a text of megabytes from being tokenised whole."""

MAX_BATCH_TOKENS: Final = 1_024
"""Padding included. Larger batches fall out of the cache: 39 against 50 sentences a CPU-second."""


class ModelFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    bytes: int = Field(ge=1)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")


class Manifest(BaseModel):
    # extra keys: source and export notes, for people
    model_config = ConfigDict(frozen=True, extra="ignore")

    name: str = Field(pattern=r"^[a-z0-9.-]{1,64}$")
    dimensions: int = Field(ge=1, le=8192)
    max_tokens: int = Field(ge=8, le=8192)
    files: dict[str, ModelFile]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Loaded:
    """`session` and `tokenizer` are untyped in their libraries; both are safe to share by threads."""

    process_id: int
    session: Any
    tokenizer: Any


class OnnxTextModel:
    """Runs the model in this process.

    The manifest is read at once, the model on first use and again in a forked child: a session's
    threads do not survive a fork. (Load after forking all the same: a child that inherits a
    session of several threads must end by `os._exit`, as those of Celery and multiprocessing do.)
    Every file is hashed before it is parsed, and the very bytes that were hashed are loaded.
    """

    def __init__(
        self,
        *,
        model_dir: Path,
        manifest_sha256: str | None,
        threads: int = 1,
        batch_size: int = 32,
    ) -> None:
        """Read the manifest.

        Args:
            model_dir: Folder of the model.
            manifest_sha256: What `manifest.json` must hash to, unless None. Without it a folder is
                only as trustworthy as whoever can write to it.
            threads: Processor threads one call may use.
            batch_size: Texts run together, at most; fewer where they are long.

        Raises:
            PermanentError: The manifest is missing, malformed or not the pinned one.
        """
        if threads < 1 or batch_size < 1:
            raise ValueError(f"threads and batch_size must be >= 1, got {threads}, {batch_size}")
        self._model_dir = model_dir
        self._threads = threads
        self._batch_size = batch_size
        self._manifest = read_manifest(model_dir / MANIFEST_NAME, manifest_sha256)
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None
        self._abandoned: list[_Loaded] = []

    @property
    def dimensions(self) -> int:
        return self._manifest.dimensions

    @property
    def version(self) -> str:
        return f"{self._manifest.name}:{self._manifest.files[MODEL_NAME].sha256[:12]}"

    def run(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row a text, shape `(len(texts), dimensions)`, in order.

        Only the first `max_tokens` tokens of a text count. A text without any, such as the empty
        one, has a row too, the same for all of them. Special tokens spelled out in a text
        ("[SEP]") are plain text.

        Raises:
            PermanentError: A file of the model is missing or not the pinned one.
        """
        rows_out = np.empty((len(texts), self.dimensions), dtype=np.float32)
        if not texts:
            return rows_out
        loaded = self._load()
        # one by one: encode_batch would start threads of its own, and not survive a fork
        token_ids: list[list[int]] = [
            loaded.tokenizer.encode(well_formed(text, max_characters=MAX_CHARACTERS)).ids
            for text in texts
        ]
        for rows in self._batches(token_ids):
            ids, mask = _padded([token_ids[row] for row in rows])
            inputs = {
                "input_ids": ids,
                "attention_mask": mask,
                "token_type_ids": np.zeros_like(ids),
            }
            (values,) = loaded.session.run(None, inputs)
            rows_out[rows] = values.reshape(len(rows), self.dimensions)
        return rows_out

    def _batches(self, token_ids: Sequence[Sequence[int]]) -> Iterator[list[int]]:
        """Yield indices of texts of similar length, together at most `MAX_BATCH_TOKENS`."""
        longest_first = sorted(range(len(token_ids)), key=lambda row: -len(token_ids[row]))
        start = 0
        while start < len(longest_first):
            length = len(token_ids[longest_first[start]])
            size = min(self._batch_size, max(1, MAX_BATCH_TOKENS // length))
            yield longest_first[start : start + size]
            start += size

    def _load(self) -> _Loaded:
        loaded = self._loaded
        if loaded is not None and loaded.process_id == os.getpid():
            return loaded
        with self._lock:
            if self._loaded is None or self._loaded.process_id != os.getpid():
                if self._loaded is not None:
                    # a session's end waits for its threads, which a fork leaves behind
                    self._abandoned.append(self._loaded)
                model, tokenizer = self.verified(MODEL_NAME), self.verified(TOKENIZER_NAME)
                self._loaded = _Loaded(
                    process_id=os.getpid(),
                    session=_make_session(model, threads=self._threads),
                    tokenizer=_make_tokenizer(tokenizer, max_tokens=self._manifest.max_tokens),
                )
            return self._loaded

    def verified(self, name: str) -> bytes:
        """Return the bytes of a file that the manifest lists.

        Raises:
            PermanentError: It is missing or not the pinned one.
        """
        path, expected = self._model_dir / name, self._manifest.files[name]
        content = _read(path)
        sha256 = hashlib.sha256(content).hexdigest()
        if sha256 != expected.sha256:
            raise PermanentError(
                f"model file {str(path)!r} has sha256 {sha256}, its manifest says {expected.sha256}"
            )
        return content


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as exc:
        raise PermanentError(f"model file {str(path)!r} cannot be read: {exc.strerror}") from exc


def read_manifest(path: Path, pinned_sha256: str | None) -> Manifest:
    """Return the manifest.

    Raises:
        PermanentError: It is missing, malformed or not the pinned one.
    """
    content = _read(path)
    sha256 = hashlib.sha256(content).hexdigest()
    if pinned_sha256 is not None and sha256 != pinned_sha256:
        raise PermanentError(
            f"model file {str(path)!r} has sha256 {sha256}, the pinned one is {pinned_sha256}"
        )
    try:
        manifest = Manifest.model_validate_json(content)
    except ValidationError as exc:
        raise PermanentError(
            f"model file {str(path)!r} is no manifest: {exc.error_count()} faults"
        ) from exc
    missing = {MODEL_NAME, TOKENIZER_NAME} - manifest.files.keys()
    if missing:
        raise PermanentError(f"model file {str(path)!r} does not list {sorted(missing)}")
    return manifest


def _make_session(model: bytes, *, threads: int) -> Any:  # noqa: ANN401
    # imported here: processes that never embed do not pay for it
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as state

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # idle threads sleep: workers share the processor
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except (
        state.Fail,
        state.InvalidArgument,
        state.InvalidGraph,
        state.InvalidProtobuf,
        state.NotImplemented,
        state.RuntimeException,
    ) as exc:
        raise PermanentError(f"onnxruntime cannot load {MODEL_NAME}: {type(exc).__name__}") from exc


def _make_tokenizer(content: bytes, *, max_tokens: int) -> Any:  # noqa: ANN401
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_buffer(content)
    except ValueError as exc:
        raise PermanentError(f"{TOKENIZER_NAME} is no tokenizer") from exc
    tokenizer.enable_truncation(max_tokens)
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


def _padded(
    token_ids: Sequence[Sequence[int]],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return ids and attention mask, padded with 0 to the longest."""
    shape = (len(token_ids), max(map(len, token_ids)))
    ids, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for row, tokens in enumerate(token_ids):
        ids[row, : len(tokens)] = tokens
        mask[row, : len(tokens)] = 1
    return ids, mask
