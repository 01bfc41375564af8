"""Decodes every text of a document once, whoever asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from defences.disguised_words import disguises
from defences.encoded_blobs import blobs
from defences.split_words import split_prose
from domain.decodings import Blob, Disguise, Split

T = TypeVar("T")


class DecodedOnce:
    """`Decodings` that keep what was worked out until the scan ends."""

    def __init__(self) -> None:
        self._blobs: dict[str, tuple[Blob, ...]] = {}
        self._disguises: dict[str, tuple[Disguise, ...]] = {}
        self._splits: dict[str, tuple[Split, ...]] = {}

    def blobs(self, text: str) -> Sequence[Blob]:
        return _once(self._blobs, text, lambda: tuple(blobs(text)))

    def disguises(self, text: str) -> Sequence[Disguise]:
        return _once(self._disguises, text, lambda: disguises(text))

    def splits(self, text: str) -> Sequence[Split]:
        return _once(self._splits, text, lambda: tuple(split_prose(text)))


def _once(known: dict[str, T], text: str, make: Callable[[], T]) -> T:
    found = known.get(text)
    if found is None:
        found = known[text] = make()
    return found
