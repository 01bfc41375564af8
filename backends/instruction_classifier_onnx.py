"""The classifier of injected instructions: an encoder of our own, in ONNX, and its linear tier.

Made by `evaluation/train_injection.py`; docs/injection-model.md is its card.
"""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from backends.onnx_model import MANIFEST_NAME, OnnxTextModel
from domain.errors import DetectorUnavailableError, PermanentError

SHIPPED_CLASSIFIER_DIR: Final = Path(__file__).parent / "models" / "injection-minilm-int8"
SHIPPED_CLASSIFIER_SHA256: Final = (
    "f22b91314218146f078633c285357a8a3f0d60edf49e3decac599e1547a418a8"
)
"""Pins the shipped manifest, which pins the files."""

RANKER_NAME: Final = "ranker.npz"


class _Operating(BaseModel):
    """From the manifest: the logit from which on a window is worth holding."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    threshold: float = Field(allow_inf_nan=False)


class _OperatingManifest(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    operating: _Operating


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LinearWeights:
    """The linear tier.

    Attributes:
        weights: Shape (buckets,), float32.
        bias: Added to every score.
    """

    weights: NDArray[np.float32]
    bias: float


class OnnxInstructionClassifier:
    """An `InstructionClassifier` that runs in this process.

    risk = sigmoid(logit - threshold): the model's own log-odds, moved to the rarity of orders among
    the windows of documents of sources that it was not trained on, by the manifest's threshold.
    """

    def __init__(
        self,
        *,
        model_dir: Path = SHIPPED_CLASSIFIER_DIR,
        manifest_sha256: str | None = SHIPPED_CLASSIFIER_SHA256,
        threads: int = 1,
    ) -> None:
        """Read the manifest.

        Raises:
            PermanentError: It is missing, malformed or not the pinned one.
        """
        # One window a run: its activations are quantised by their own range, not by the others'.
        self._model = OnnxTextModel(
            model_dir=model_dir, manifest_sha256=manifest_sha256, threads=threads, batch_size=1
        )
        path = model_dir / MANIFEST_NAME
        try:
            manifest = _OperatingManifest.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as exc:
            raise PermanentError(f"model file {str(path)!r} has no operating point") from exc
        self._operating = manifest.operating

    @property
    def version(self) -> str:
        return self._model.version

    def linear_weights(self) -> LinearWeights:
        """Return the linear tier.

        Raises:
            PermanentError: Its file is missing, malformed or not the pinned one.
        """
        content = self._model.verified(RANKER_NAME)
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
                return LinearWeights(
                    weights=arrays["weights"].astype(np.float32), bias=float(arrays["bias"])
                )
        except (KeyError, ValueError, OSError, zipfile.BadZipFile) as exc:
            raise PermanentError(f"model file {RANKER_NAME!r} is no linear tier") from exc

    def logits(self, windows: Sequence[str]) -> NDArray[np.float32]:
        """Return the encoder's log-odds, shape (n,).

        Raises:
            PermanentError: A file of the model is missing or not the pinned one.
        """
        rows: NDArray[np.float32] = self._model.run(windows)[:, 0]
        return rows

    def risks(self, windows: Sequence[str]) -> Sequence[float]:
        try:
            logits = self.logits(windows)
        except PermanentError as exc:
            raise DetectorUnavailableError(f"classifier of injected instructions: {exc}") from exc
        return [_sigmoid(float(logit) - self._operating.threshold) for logit in logits]


def _sigmoid(value: float) -> float:
    if value >= 0:
        return 1.0 / (1.0 + math.exp(-value))
    odds = math.exp(value)
    return odds / (1.0 + odds)
