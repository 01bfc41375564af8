"""Sentence vectors from an ONNX model on this machine's processor.

The shipped model is made by `evaluation/export_embedder.py`, which says why its activations are not
quantised.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import anyio.to_thread
import numpy as np
from numpy.typing import NDArray

from backends.onnx_model import OnnxTextModel

SHIPPED_MODEL_DIR: Final = Path(__file__).parent / "models" / "minilm-l6-int8"
SHIPPED_MANIFEST_SHA256: Final = "0057a9dcf263a182290e8f906ac76a8d73002b0641fbc60335a71730c956efd3"
"""Pins the shipped manifest, which pins the files."""


class OnnxEmbedder:
    """An `Embedder` that runs in this process. A text's vector does not depend on its batch."""

    def __init__(
        self,
        *,
        model_dir: Path = SHIPPED_MODEL_DIR,
        manifest_sha256: str | None = None,
        threads: int = 1,
        batch_size: int = 32,
    ) -> None:
        """Read the manifest; arguments and errors are those of `OnnxTextModel`."""
        self._model = OnnxTextModel(
            model_dir=model_dir,
            manifest_sha256=manifest_sha256,
            threads=threads,
            batch_size=batch_size,
        )

    @property
    def dimensions(self) -> int:
        return self._model.dimensions

    @property
    def version(self) -> str:
        return self._model.version

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As `embed_sync`, in a worker thread."""
        return await anyio.to_thread.run_sync(self.embed_sync, tuple(texts))

    def embed_sync(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors of shape `(len(texts), dimensions)`, in order; see `OnnxTextModel.run`.

        Raises:
            PermanentError: A file of the model is missing or not the pinned one.
        """
        return self._model.run(texts)
