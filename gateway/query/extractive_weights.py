"""The fitted numbers of the extractive drafter, read from JSON and checked."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from importlib import resources
from typing import Final

import numpy as np
from numpy.typing import NDArray

from domain.errors import ConfigurationError
from gateway.query.sentence_features import FEATURES

FORMAT: Final = 2
SHIPPED: Final = "extractive_weights.json"
_KEYS: Final = {
    "format", "version", "ranking", "probability", "abstain_below", "tentative_below",
}  # fmt: skip

DRAFT_FEATURES: Final = ("constant", "score", "margin", *FEATURES)
"""What the probability of a draft is read from: its sentence's score, how far the best sentence
that answers otherwise lies behind, and the sentence's own features."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExtractiveWeights:
    """Attributes as fitted by `evaluation/fit_extractive.py`.

    Attributes:
        ranking: Shape `(len(FEATURES),)`: weights of a sentence's score.
        probability: Shape `(len(DRAFT_FEATURES),)`: of the log-odds that the best one is right.
        abstain_below: Probability below which the subset does not answer the question.
        tentative_below: Probability below which it more likely does not: the draft is tentative.
        version: Names the fit, for people.
    """

    ranking: NDArray[np.float64]
    probability: NDArray[np.float64]
    abstain_below: float
    tentative_below: float
    version: str

    def __post_init__(self) -> None:
        shapes = self.ranking.shape, self.probability.shape
        if shapes != ((len(FEATURES),), (len(DRAFT_FEATURES),)):
            raise ConfigurationError(f"extractive weights have shapes {shapes}")
        if not (np.all(np.isfinite(self.ranking)) and np.all(np.isfinite(self.probability))):
            raise ConfigurationError("an extractive weight is not finite")
        floors = self.abstain_below, self.tentative_below
        if not 0.0 <= floors[0] <= floors[1] < 1.0:
            raise ConfigurationError(
                f"need 0 <= abstain_below <= tentative_below < 1, got {floors[0]!r}, {floors[1]!r}"
            )

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits of everything that was fitted, whatever the fit is called.

        A calibration is keyed by it: fitted over one set of weights it serves no other.
        """
        row = {name: value for name, value in self._row().items() if name != "version"}
        written = json.dumps(row, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(written.encode()).hexdigest()[:12]

    def to_json(self) -> str:
        return json.dumps(self._row(), indent=2) + "\n"

    def _row(self) -> dict[str, object]:
        return {
            "format": FORMAT,
            "version": self.version,
            "ranking": dict(zip(FEATURES, _rounded(self.ranking), strict=True)),
            "probability": dict(zip(DRAFT_FEATURES, _rounded(self.probability), strict=True)),
            "abstain_below": round(self.abstain_below, 4),
            "tentative_below": round(self.tentative_below, 4),
        }

    @classmethod
    def from_json(cls, text: str) -> ExtractiveWeights:
        """Read weights; every feature must be named and no other.

        Raises:
            ConfigurationError: They are not as `to_json` writes them.
        """
        try:
            row = json.loads(text)
            if set(row) != _KEYS:
                raise ConfigurationError("extractive weights have missing or unknown keys")
            if row["format"] != FORMAT:
                raise ConfigurationError(f"extractive weights have format {row['format']!r}")
            return cls(
                ranking=_named(row["ranking"], FEATURES),
                probability=_named(row["probability"], DRAFT_FEATURES),
                abstain_below=float(row["abstain_below"]),
                tentative_below=float(row["tentative_below"]),
                version=str(row["version"]),
            )
        except (ValueError, TypeError, AttributeError, KeyError) as error:
            raise ConfigurationError("extractive weights are malformed") from error

    @classmethod
    def shipped(cls) -> ExtractiveWeights:
        """Return the weights that come with the product."""
        return cls.from_json(resources.files("gateway.query").joinpath(SHIPPED).read_text("utf-8"))


def _named(row: dict[str, float], names: tuple[str, ...]) -> NDArray[np.float64]:
    if set(row) != set(names):
        raise ConfigurationError(f"extractive weights must name exactly {sorted(names)}")
    return np.array([float(row[name]) for name in names], dtype=np.float64)


def _rounded(values: NDArray[np.float64]) -> list[float]:
    return [round(float(value), 4) for value in values]
