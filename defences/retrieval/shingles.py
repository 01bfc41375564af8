"""MinHash signatures of texts: which documents are near-copies of each other.

A text is folded (case, compatibility forms, diacritics, invisible characters, look-alikes), cut
into words by array operations, and every window of five words becomes one 32-bit hash.

Below `SHORT_WORDS` words one substituted word spoils too many such windows (in a text of 20 words
it halves the similarity), so short texts are cut into windows of five characters instead. Their
hashes are salted: a short and a long text share no hash but by accident, so both kinds live in
one index and a comparison across the border estimates 0. What stands on either side of the
border is therefore not found by signatures: 55 words padded to 65 have another one.

Passages are sampled windows of words (FracMinHash: those whose hash is low enough), of short and
long texts alike, and find what signatures cannot: a text inside a longer one, a paragraph planted
elsewhere, a short text that was padded.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Final

import numpy as np
from datasketch import MinHash
from numpy.typing import NDArray

from domain.retrieval import EXACT_BYTES, Fingerprint, Signature

NUM_PERM: Final = 128
SHINGLE: Final = 5
"""Words, or in a short text characters, in a window."""
MIN_WORDS: Final = 8
SHORT_WORDS: Final = 60
EXACT_WORDS: Final = 4
"""Below it a text is too common to mean anything: it has no fingerprint at all."""
STORED_PASSAGES: Final = 512
"""At most so many of a document are kept. 93 a document found .66 of planted paragraphs of 120
words, 375 found .90 (docs/decisions/0014)."""
SOUGHT_PASSAGES: Final = 2_048
"""At most so many are looked for: a short text is found inside one of some 10,000 words."""
SCHEME: Final = "v2:w5c5:short60:nfkd-cf-look1:fm64:k128:s1:affine32:b32r4:x4:p512"
"""Names every parameter a signature depends on; an index refuses to mix two."""

_SEED: Final = 1
_PIECE: Final = 1 << 18  # code points a pass: bounds memory at some 40 bytes for each
_BLOCK: Final = 512  # x NUM_PERM x 4 bytes = 256 KB, which stays in the second-level cache
_ASCII: Final = 128
_UNICODE: Final = 0x110000
_ASSIGNED: Final = 0x33480  # Unicode 17 ends its ideographs there; what follows is none of ours ...
_TAGS: Final = (0xE0000, 0xE0200)  # ... but for tags and variation selectors
_BLANK: Final = 0x20
_BREAK, _LETTER, _SOLO, _DROPPED = range(4)

# Scripts written without blanks: every code point is a word of its own.
_SOLO_RANGES: Final = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x3040, 0x30FF), (0x31F0, 0x31FF),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x323AF),
)  # fmt: skip
# Letters that pass for a Latin one at a glance, after casefolding. Honest Cyrillic and Greek are
# folded too, which harms nothing: the fold is the same for every text.
_LOOK_ALIKES: Final = dict(
    zip(
        "авеікмнорстухѕјһԁԛԝӏαβεικνορτυχγϲɑɡıʟ",
        "abeikmhopctyxsjhdqwlabeikvoptuxycagil",
        strict=True,
    )
)
_SALT: Final = {True: np.uint64(0xD1B54A32D192ED03), False: np.uint64(0)}
_STEP: Final = np.uint64(0x9E3779B97F4A7C15)
_CARRY: Final = np.uint64(0xD6E8FEB86659FD93)


@dataclass(frozen=True, slots=True)
class _Words:
    """Words of one piece of text: their code points end to end, and where each begins."""

    codes: NDArray[np.uint64]
    starts: NDArray[np.intp]
    solo: NDArray[np.bool_]


def signature(text: str) -> Signature | None:
    """Return the MinHash signature of a hardened text; None below `MIN_WORDS` words.

    The same text gives the same signature in every process. Memory is bounded by a small multiple
    of the text, time is linear in it (about 10 MB a second on one core).
    """
    pieces = tuple(_pieces(text))
    return _signature(pieces, _join([_word_hashes(words) for words in pieces]))


def fingerprint(text: str) -> Fingerprint | None:
    """Return all that an index keeps of a hardened text; None below `EXACT_WORDS` words."""
    pieces = tuple(_pieces(text))
    hashes = _join([_word_hashes(words) for words in pieces])
    if len(hashes) < EXACT_WORDS:
        return None
    windows = _shingles(hashes, short=False)
    passages, sampled = _sampled(windows, at_most=SOUGHT_PASSAGES, rate=0)
    _, kept = _sampled(passages, at_most=STORED_PASSAGES, rate=sampled)
    return Fingerprint(
        exact=_digest(pieces),
        signature=_signature(pieces, hashes),
        passages=passages,
        sampled=sampled,
        kept=kept,
        scheme=SCHEME,
    )


def estimated_similarity(a: Signature, b: Signature) -> float:
    """Return the estimated Jaccard similarity of the two texts' windows, in [0, 1].

    Standard error .04 at most (128 permutations).

    Raises:
        ValueError: The signatures are not of one shape.
    """
    if a.shape != b.shape:
        raise ValueError(f"signatures of shapes {a.shape} and {b.shape}")
    return float(np.mean(a == b))


def _signature(pieces: Sequence[_Words], hashes: NDArray[np.uint64]) -> Signature | None:
    if len(hashes) < MIN_WORDS:
        return None
    short = len(hashes) < SHORT_WORDS
    if short:
        hashes = _mix(_join([_blanked(words) for words in pieces]))
    return _permute(_shingles(hashes, short=short))


def _digest(pieces: Sequence[_Words]) -> bytes:
    """Digest the folded letters and where words begin, wherever the text was cut into pieces."""
    letters, starts = hashlib.sha256(), hashlib.sha256()
    at = 0
    for words in pieces:
        letters.update(words.codes.astype("<u4").tobytes())
        starts.update((words.starts + at).astype("<u8").tobytes())
        at += len(words.codes)
    return hashlib.sha256(letters.digest() + starts.digest()).digest()[:EXACT_BYTES]


def _sampled(
    windows: NDArray[np.uint32], *, at_most: int, rate: int
) -> tuple[NDArray[np.uint32], int]:
    """Keep one window in 2^rate, for the least rate that leaves `at_most`; ascending, no repeats."""
    rate = max(rate, (max(1, len(windows)) // (64 * at_most)).bit_length())
    kept = np.unique(windows[windows < 2 ** max(0, 32 - rate)])
    while len(kept) > at_most:
        rate += 1
        kept = kept[: int(np.searchsorted(kept, 2 ** max(0, 32 - rate)))]
    return kept, rate


def _pieces(text: str) -> Iterator[_Words]:
    start = 0
    while start < len(text):
        end = min(start + _PIECE, len(text))
        if end < len(text):
            # A word is cut in two only where it fills the whole piece.
            end = max(text.rfind(" ", start + 1, end), text.rfind("\n", start + 1, end)) + 1 or end
        yield _words(text[start:end])
        start = end


def _words(piece: str) -> _Words:
    if piece.isascii():
        raw = np.frombuffer(piece.lower().encode("ascii"), np.uint8)
        kinds = _kinds(_ASCII)[raw]
        codes: NDArray[np.uint64] = raw.astype(np.uint64)
    else:
        folded = unicodedata.normalize("NFKD", piece.casefold())
        points = np.frombuffer(folded.encode("utf-32-le", "surrogatepass"), np.uint32)
        kinds = _kinds(_UNICODE)[points]
        points, kinds = points[kinds != _DROPPED], kinds[kinds != _DROPPED]
        codes = _folds()[points].astype(np.uint64)
    letter, solo = kinds == _LETTER, kinds == _SOLO
    begins = solo | letter
    begins[1:] &= solo[1:] | ~letter[:-1]
    kept = letter | solo
    starts = np.flatnonzero(begins[kept])
    return _Words(codes=codes[kept], starts=starts, solo=solo[kept][starts])


def _word_hashes(words: _Words) -> NDArray[np.uint64]:
    if not len(words.starts):
        return np.empty(0, np.uint64)
    lengths = np.diff(words.starts, append=len(words.codes))
    place = np.arange(len(words.codes)) - np.repeat(words.starts, lengths)
    mixed = _mix(words.codes + place.astype(np.uint64) * _STEP)
    return _mix(np.add.reduceat(mixed, words.starts))


def _blanked(words: _Words) -> NDArray[np.uint64]:
    """Return the code points with one blank before each word of a script that has blanks."""
    return np.insert(words.codes, words.starts[~words.solo], np.uint64(_BLANK))


def _shingles(hashes: NDArray[np.uint64], *, short: bool) -> NDArray[np.uint32]:
    count = max(0, len(hashes) - SHINGLE + 1)
    combined = hashes[:count] ^ _SALT[short]
    for offset in range(1, SHINGLE):
        combined = combined * _CARRY + hashes[offset : offset + count]
    return (_mix(combined) >> np.uint64(32)).astype(np.uint32)


def _permute(shingles: NDArray[np.uint32]) -> Signature:
    """Apply datasketch's permutations block by block.

    Bit for bit what `MinHash.update_batch` gives for the same hashes, which would take twice the
    time (a call for each hash) and half a kilobyte of memory for each.
    """
    multipliers, offsets = _permutations()
    lowest = np.full(NUM_PERM, np.iinfo(np.uint32).max, np.uint32)
    mixed = _mix32(shingles)
    for start in range(0, len(mixed), _BLOCK):
        block = mixed[start : start + _BLOCK, None] * multipliers + offsets
        np.minimum(lowest, block.min(axis=0), out=lowest)
    return lowest


@cache
def _permutations() -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    multipliers, offsets = MinHash(num_perm=NUM_PERM, seed=_SEED, scheme="affine32").permutations
    return np.asarray(multipliers, np.uint32), np.asarray(offsets, np.uint32)


@cache
def _kinds(size: int) -> NDArray[np.uint8]:
    kinds = np.zeros(size, np.uint8)
    for code in chain(range(min(size, _ASSIGNED)), range(min(size, _TAGS[0]), min(size, _TAGS[1]))):
        if chr(code).isalnum():
            kinds[code] = _LETTER
        elif unicodedata.category(chr(code)) in {"Mn", "Me", "Cf"}:
            kinds[code] = _DROPPED
    for first, last in _SOLO_RANGES:
        if last < size:
            within = kinds[first : last + 1]
            within[within == _LETTER] = _SOLO
    return kinds


@cache
def _folds() -> NDArray[np.uint32]:
    folds = np.arange(_UNICODE, dtype=np.uint32)
    for look_alike, letter in _LOOK_ALIKES.items():
        folds[ord(look_alike)] = ord(letter)
    return folds


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Apply MurmurHash3's 64-bit finaliser: a bijection that spreads every bit."""
    mixed = values ^ (values >> np.uint64(33))
    mixed *= np.uint64(0xFF51AFD7ED558CCD)
    mixed ^= mixed >> np.uint64(33)
    mixed *= np.uint64(0xC4CEB9FE1A85EC53)
    mixed ^= mixed >> np.uint64(33)
    return mixed


def _mix32(values: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Apply the 32-bit finaliser with which the `affine32` scheme begins."""
    mixed = values ^ (values >> np.uint32(16))
    mixed *= np.uint32(0x85EBCA6B)
    mixed ^= mixed >> np.uint32(13)
    mixed *= np.uint32(0xC2B2AE35)
    mixed ^= mixed >> np.uint32(16)
    return mixed


def _join(arrays: list[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    return np.concatenate(arrays) if arrays else np.empty(0, np.uint64)
