"""Folds Unicode tricks away and keeps a map back: what every detector and index reads."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from defences import unicode_tables as tables
from defences.unicode_tricks import Trick, find_disguised, find_marks
from domain.documents import (
    Document,
    DocumentId,
    HiddenPassage,
    MetadataField,
    ParsedDocument,
    Provenance,
    TenantId,
)
from domain.text import MappedText
from ingest.hidden_unicode import hidden_unicode

__all__ = ["build_document", "hidden_unicode", "normalise"]

MAX_MARKS: Final = 8
"""Combining marks kept on one letter: Unicode sorts them in quadratic time."""
MAX_CLUSTER: Final = 64
MAX_EXPANSION: Final = 8
"""Code points that one may become: a single Arabic ligature would give 18."""
MAX_SPACES: Final = 16
MAX_BLANK_LINES: Final = 2
_STACKED: Final = 3
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_ODD_ASCII: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]| {17}")
_SUSPECT: Final = re.compile(
    f"[{tables.IGNORABLE_CLASS}\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u00b4{tables.STACKING}]"
    "| {17}"
)
_JAMO: Final = re.compile("[\u1160-\u11ff\u3131-\u318e\uff9e-\uffdc]")
"""What may join the letter before it without being a combining mark."""
_LINE_ENDS: Final = frozenset("\n\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")
_KEPT: Final = frozenset({Trick.ZERO_WIDTH, Trick.VARIATION_SELECTORS, Trick.TAGS})
_ACUTE: Final = "\u00b4"


class _Letter(NamedTuple):
    """A derived code point and the source range that it stands for; millions are made."""

    text: str
    start: int
    end: int


def normalise(text: MappedText) -> MappedText:
    """Return `text` in hardened NFKC, mapped to the same source. Case is kept.

    Default-ignorable code points go, but for the joiners, selectors and flags that mean something
    where they stand; bidirectional overrides are undone, so that text reads as it is seen; words
    of mixed scripts become the Latin words that they pass for; stacked marks go; long runs of
    blanks are cut. `10²` becomes `10^2`, not `102`. Clean ASCII comes back as it is.
    """
    if text.text.isascii() and not _ODD_ASCII.search(text.text) and "\n\n\n\n" not in text.text:
        return text
    pieces: list[MappedText] = []
    blank = 0
    for match in _LINE.finditer(text.text):
        line = text.slice(match.start(), match.end())
        if not _is_clean(line.text):
            line = _harden(line)
        blank = blank + 1 if not line.text.strip() else 0
        if blank <= MAX_BLANK_LINES:
            pieces.append(line)
    return _concatenate(pieces)


def build_document(
    parsed: ParsedDocument,
    *,
    id: DocumentId,
    tenant_id: TenantId,
    sha256: str,
    provenance: Provenance,
    metadata: Sequence[MetadataField],
) -> Document:
    """Return what the detectors scan: everything that is text hardened, and mapped to `raw_text`.

    `metadata` is what came with the upload: title, file name, labels, URI. Law 14: it is scanned
    like what the document itself says.
    """
    hidden = [*parsed.hidden, *hidden_unicode(parsed.raw_text)]
    return Document(
        id=id,
        tenant_id=tenant_id,
        media_type=parsed.media_type,
        sha256=sha256,
        raw_text=parsed.raw_text,
        text=normalise(parsed.visible),
        provenance=provenance,
        hidden=tuple(
            HiddenPassage(
                channel=passage.channel,
                text=normalise(passage.text),
                locator=passage.locator,
                benign=passage.benign,
            )
            for passage in hidden
        ),
        metadata=tuple(
            read for field in (*metadata, *parsed.metadata) for read in _hardened_field(field)
        ),
        parts=parsed.parts,
        warnings=parsed.warnings,
    )


def _hardened_field(field: MetadataField) -> Iterator[MetadataField]:
    """Yield a field as a reader sees it, then what invisible code points spell in it."""
    value = harden_line(field.value)
    name = harden_line(field.name)
    yield MetadataField(name=name, value=value, raw="" if value == field.value else field.value)
    for passage in hidden_unicode(field.value):
        # Under another name: a title that only a program reads is no title.
        yield MetadataField(name=f"{name} ({passage.channel})", value=harden_line(passage.text.text))


def harden_line(value: str) -> str:
    """Return a title, name or link as a reader sees it, without blanks around it."""
    return normalise(MappedText.identity(value)).text.strip()


def _is_clean(line: str) -> bool:
    if line.isascii():
        return not _ODD_ASCII.search(line)
    if _SUSPECT.search(line) or next(find_disguised(line), None) is not None:
        return False
    return unicodedata.is_normalized("NFKC", line)


def _concatenate(pieces: Sequence[MappedText]) -> MappedText:
    if not pieces:
        return MappedText.identity("")
    return MappedText(
        text="".join(piece.text for piece in pieces),
        starts=np.concatenate([piece.starts for piece in pieces]),
        ends=np.concatenate([piece.ends for piece in pieces]),
    )


def _harden(line: MappedText) -> MappedText:
    starts, ends = line.starts.tolist(), line.ends.tolist()
    letters = [_Letter(*item) for item in zip(line.text, starts, ends, strict=True)]
    letters = _without_marks(undo_overrides(letters))
    letters = list(_composed(letters))
    letters = _undisguised(_unstacked(letters))
    return _mapped(list(_spaced(letters)))


def _mapped(letters: Sequence[_Letter]) -> MappedText:
    def column(values: Iterator[int]) -> NDArray[np.int32]:
        return np.fromiter(values, dtype=np.int32, count=len(letters))

    return MappedText(
        text="".join(letter.text for letter in letters),
        starts=column(letter.start for letter in letters),
        ends=column(letter.end for letter in letters),
    )


def undo_overrides(letters: list[_Letter]) -> list[_Letter]:
    """Turn round what a right-to-left override turns round on the screen.

    A left-to-right override turns Hebrew or Arabic round. Up to the pop or the line's end.
    """
    out: list[_Letter] = []
    held: list[_Letter] = []
    override = ""
    for letter in letters:
        if letter.text in (tables.RLO, tables.LRO):
            out += _turned(held, override)
            held, override = [], letter.text
        elif override and letter.text in (tables.POP, "\n"):
            out += _turned(held, override)
            out.append(letter)
            held, override = [], ""
        elif override:
            held.append(letter)
        else:
            out.append(letter)
    return out + _turned(held, override)


def _turned(held: list[_Letter], override: str) -> list[_Letter]:
    rtl = sum(bool(tables.RIGHT_TO_LEFT.match(letter.text)) for letter in held)
    against = rtl * 2 > len(held) if override == tables.LRO else rtl * 2 <= len(held)
    if not against:
        return held
    clusters: list[list[_Letter]] = []
    for letter in held:
        if clusters and unicodedata.combining(letter.text):
            clusters[-1].append(letter)
        else:
            clusters.append([letter])
    return [letter for cluster in reversed(clusters) for letter in cluster]


def _without_marks(letters: list[_Letter]) -> list[_Letter]:
    text = "".join(letter.text for letter in letters)
    dropped = {
        mark.index
        for mark in find_marks(text)
        if not (mark.honest and mark.trick in _KEPT and text[mark.index] not in "\u200b\ufeff")
    }
    return [letter for index, letter in enumerate(letters) if index not in dropped]


def _composed(letters: Sequence[_Letter]) -> Iterator[_Letter]:
    """Yield NFKC, cluster by cluster: a letter with its marks."""
    at, size = 0, len(letters)
    last = ""
    while at < size:
        letter = letters[at]
        end = at + 1
        while end < size and end - at < MAX_CLUSTER and _continues(letters[end].text):
            end += 1
        if end == at + 1 and letter.text.isascii():
            last = letter.text
            yield letter
        else:
            for composed in _cluster(letters[at:end], last):
                last = composed.text
                yield composed
        at = end


def _continues(character: str) -> bool:
    if character.isascii():
        return False
    return unicodedata.category(character)[0] == "M" or bool(_JAMO.match(character))


def _cluster(letters: Sequence[_Letter], last: str) -> Iterator[_Letter]:
    base = letters[0].text
    if len(letters) == 1:
        folded = _folded(base, last)
        if folded == base:
            yield letters[0]
            return
    else:
        folded = ""
    kept = letters
    if len(letters) > 1:
        if not _JAMO.match(letters[1].text):
            marks = [
                mark
                for mark in letters[1:]
                if not (base.isalpha() and tables.OVERLAY.match(mark.text))
            ]
            kept = [letters[0], *marks[:MAX_MARKS]]
        joined = "".join(letter.text for letter in kept)
        folded = unicodedata.normalize("NFKC", joined)
        if folded == joined:
            yield from kept
            return
    start = min(letter.start for letter in kept)
    end = max(letter.end for letter in kept)
    for character in folded:
        yield _Letter(character, start, end)


def _folded(character: str, last: str) -> str:
    """Return the NFKC of a character alone, but so that no number changes its value."""
    if character == _ACUTE:
        return "'"
    folded = unicodedata.normalize("NFKC", character)[:MAX_EXPANSION]
    if folded != character and last.isdigit() and folded[:1].isdigit():
        decomposition = unicodedata.decomposition(character)
        if decomposition.startswith("<super>"):
            return f"^{folded}"
        if decomposition.startswith("<sub>"):
            return f"_{folded}"
        if decomposition.startswith(("<fraction>", "<circle>")):
            return f" {folded}"
    return folded


def _unstacked(letters: list[_Letter]) -> list[_Letter]:
    """Drop marks that stand three or more on a letter, or on most letters of a line."""
    stacking = re.compile(f"[{tables.STACKING}]")
    runs: dict[int, int] = {}
    base = -1
    for index, letter in enumerate(letters):
        if stacking.match(letter.text):
            if base >= 0:
                runs[base] = runs.get(base, 0) + 1
        else:
            base = index
    if not runs:
        return letters
    alphabetic = sum(letter.text.isalpha() for letter in letters)
    most = len(runs) > _STACKED and len(runs) * 2 >= alphabetic
    dropped = {
        base + offset
        for base, count in runs.items()
        if letters[base].text.isalpha() and (most or count >= _STACKED)
        for offset in range(1, count + 1)
    }
    return [letter for index, letter in enumerate(letters) if index not in dropped]


def _undisguised(letters: list[_Letter]) -> list[_Letter]:
    text = "".join(letter.text for letter in letters)
    for word in find_disguised(text):
        for index in range(word.start, word.end):
            old = letters[index]
            letters[index] = _Letter(word.text[index - word.start], old.start, old.end)
    return letters


def _spaced(letters: Sequence[_Letter]) -> Iterator[_Letter]:
    """Yield with every kind of line end as one newline, controls gone, long runs of spaces cut."""
    spaces = 0
    for index, letter in enumerate(letters):
        character = letter.text
        if character == "\r":
            if index + 1 < len(letters) and letters[index + 1].text == "\n":
                continue
            yield _Letter("\n", letter.start, letter.end)
        elif character in _LINE_ENDS:
            yield letter if character == "\n" else _Letter("\n", letter.start, letter.end)
        elif character == "\t" or unicodedata.category(character) != "Cc":
            spaces = spaces + 1 if character == " " else 0
            if spaces <= MAX_SPACES:
                yield letter
