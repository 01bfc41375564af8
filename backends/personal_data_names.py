"""People's names by a spaCy model, an extra: `pip install 'mithridate[names]'`."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Final

from domain.errors import DetectorUnavailableError
from domain.masking import SensitiveValue

if TYPE_CHECKING:
    from spacy.language import Language

RULE: Final = "personal-data.person-name"
_PIECE: Final = 20_000  # spaCy's memory grows with what it is shown at once
_OVERLAP: Final = 100
_PERSON: Final = frozenset({"PERSON", "PER"})
_UNUSED: Final = ("tagger", "parser", "attribute_ruler", "lemmatizer", "senter")


class SpacyNames:
    """A `ValueFinder` of names. Loads the model at the first text; downloads nothing.

    Args:
        model: Name of an installed package, or path of a model.
    """

    def __init__(self, model: str) -> None:
        self._model = model
        self._lock = threading.Lock()
        self._loaded: Language | None = None

    def find(self, text: str) -> Sequence[SensitiveValue]:
        found: dict[int, int] = {}
        with self._lock:  # its vocabulary is not made for threads
            language = self._load()
            for offset, piece in _pieces(text):
                with language.memory_zone() if hasattr(language, "memory_zone") else nullcontext():
                    for entity in language(piece).ents:
                        if entity.label_ in _PERSON:
                            start = offset + entity.start_char
                            end = offset + entity.end_char
                            found[start] = max(end, found.get(start, 0))
        return list(_apart(found))

    def _load(self) -> Language:
        if self._loaded is None:
            import spacy  # seconds

            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of a model made by another version
                    self._loaded = spacy.load(self._model, exclude=list(_UNUSED))
            except (OSError, ImportError, ValueError) as exc:
                raise DetectorUnavailableError(
                    f"the model of names cannot be loaded: {type(exc).__name__}"
                ) from exc
        return self._loaded


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    for start in range(0, max(1, len(text)), _PIECE - _OVERLAP):
        yield start, text[start : start + _PIECE]
        if start + _PIECE >= len(text):
            return


def _apart(found: dict[int, int]) -> Iterator[SensitiveValue]:
    last = 0
    for start in sorted(found):
        if start >= last:
            last = found[start]
            yield SensitiveValue(rule=RULE, start=start, end=last)
