"""Whether a document is a new version of another, and what it changes in it.

Two baselines count: the last version that a person reviewed, so that many small steps do not add
up unseen, and the one that serves, so that what came in since by itself is not changed either.
A version that was deleted is remembered by digests of its sentences, never by its text: whoever
deletes a document and uploads it again with another figure is held all the same.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from defences.answering.sentences import Sentence, split_sentences
from defences.retrieval.differences import DifferenceKind, differences
from defences.retrieval.polarity import is_negator
from defences.retrieval.restatements import Restatement, restatements
from defences.retrieval.shingles import estimated_similarity, signature
from domain.documents import ChangeKind, DocumentStatus, TenantId
from domain.lifecycle import Edition, EditionMark
from domain.text import Span

LINKED: Final = 0.7
"""Least similarity of a version that no id links. One changed word in 60 leaves .84, two .7; the
pages of one template, which share their frame alone, mostly stay below."""
KEPT: Final = 0.3
"""Likeness below which a version that an id links is another document. A paragraph added to a page
of four leaves .8; a page translated or written anew, .1 and less."""
HELD: Final = 0.8
LEAST_SENTENCES: Final = 5
"""A version that was padded is known by its sentences: four of five, or it may be another page of
one template."""
HELD_OF_DELETED: Final = 0.5
LEAST_OF_DELETED: Final = 2
"""A page that was deleted is more likely to come back than to have a like: a half of its sentences
will do, and a likeness of `KEPT`. Of 10,296 pairs of manuals one pair is as much alike."""
DAYS: Final = 90
MOST_CHANGES: Final = 50
MOST_DOUBTFUL: Final = 24
"""Passages of which only their meaning tells whether they still say the same; of a version with more
the rest counts as changed."""
SAME_MEANING: Final = 0.88
"""Least cosine of the vectors of a passage and of what stands in its place: docs/decisions/0040."""

_DIGEST_BYTES: Final = 8
_KINDS: Final = {
    DifferenceKind.FIGURE: ChangeKind.FIGURE,
    DifferenceKind.DATE: ChangeKind.DATE,
    DifferenceKind.NEGATION: ChangeKind.NEGATION,
    DifferenceKind.NAME: ChangeKind.NAME,
}
_FIGURE: Final = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|million|half|twice|once)\b",
    re.IGNORECASE,
)
_ADDRESS: Final = re.compile(r"@|://|\bwww\.", re.IGNORECASE)
_NAME: Final = re.compile(r"(?<=\s)[^\W\d_a-z]\w+")
_WORD: Final = re.compile(r"[^\W\d_]+")
_SPACE: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One place where a new version departs from an earlier one; `span` is of the new text."""

    kind: ChangeKind
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What a new version changes, and what it may change: `doubtful`, by the meaning of `passages`."""

    changes: tuple[Change, ...]
    doubtful: tuple[Restatement, ...]

    @property
    def passages(self) -> list[str]:
        """What `settled` wants the vectors of, in its order."""
        return [one.before for one in self.doubtful] + [one.after for one in self.doubtful]

    def settled(self, vectors: NDArray[np.float32] | None) -> tuple[Change, ...]:
        """Return the changes, with those of the doubtful that mean something else.

        Args:
            vectors: Shape (2 n, d), unit vectors of the `passages`; None: all doubtful ones count.
        """
        meant = self.doubtful
        if vectors is not None:
            before, after = vectors[: len(meant)], vectors[len(meant) :]
            alike = np.einsum("ij,ij->i", before, after)
            meant = tuple(
                one for one, likeness in zip(meant, alike, strict=True) if likeness < SAME_MEANING
            )
        return (*self.changes, *(Change(kind=one.kind, span=one.span) for one in meant))


def mark(tenant_id: TenantId, text: str) -> EditionMark:
    """Return what is kept of a hardened text to know its later versions by."""
    digests = {_digest(tenant_id, sentence) for sentence in split_sentences(text)}
    return EditionMark(signature=signature(text), statements=b"".join(sorted(digests)))


def is_version(
    edition: Edition, new: EditionMark, *, logical_id: str | None, ids_are_vouched: bool
) -> bool:
    """Return whether a document with this mark and logical id is a version of `edition`.

    Two different ids keep two documents apart where the publisher vouches for them; what an
    uploader claims does not, or a new id would be a way round.
    """
    if logical_id is not None and edition.logical_id is not None:
        if logical_id == edition.logical_id:
            return True
        if ids_are_vouched:
            return False
    deleted = edition.status is DocumentStatus.DELETED
    ours, theirs = new.signature, edition.mark.signature
    if (
        ours is not None
        and theirs is not None
        and ours.shape == theirs.shape
        and estimated_similarity(ours, theirs) >= (KEPT if deleted else LINKED)
    ):
        return True
    if deleted:
        return _holds(edition.mark, new, least=LEAST_OF_DELETED, share=HELD_OF_DELETED)
    return _holds(edition.mark, new, least=LEAST_SENTENCES, share=HELD)


def _holds(earlier: EditionMark, new: EditionMark, *, least: int, share: float) -> bool:
    """Return whether the new text says most of what the earlier one did, and then more.

    Padding makes two texts unlike each other, whatever of one stands in the other. Where every
    sentence is still there nothing was changed.
    """
    enough = len(_parted(earlier.statements)) >= least
    return enough and share <= _share_kept(earlier, new) < 1.0


def _share_kept(earlier: EditionMark, new: EditionMark) -> float:
    before = _parted(earlier.statements)
    return len(before & _parted(new.statements)) / max(1, len(before))


def baselines(editions: Sequence[Edition]) -> tuple[Edition, ...]:
    """Return the last reviewed version and the serving one, else the last that served.

    Args:
        editions: Versions of one document, newest first.
    """
    reviewed = next((one for one in editions if one.reviewed), None)
    serving = next((one for one in editions if one.status is DocumentStatus.ADMITTED), None)
    served = serving or next((one for one in editions if one.served), None)
    found = {one.document_id: one for one in (reviewed, served) if one is not None}
    return tuple(found.values())


def rewritten(earlier: EditionMark, new: EditionMark) -> bool:
    """Return whether little of the earlier version is left in the new one.

    Of two texts that have nothing in common none contradicts the other, and the new one would take
    the place of the old one all the same. One that grew around the old one is no other text.
    """
    if _share_kept(earlier, new) >= HELD:
        return False
    ours, theirs = new.signature, earlier.signature
    if ours is not None and theirs is not None and ours.shape == theirs.shape:
        return estimated_similarity(ours, theirs) < KEPT
    before, now = _parted(earlier.statements), _parted(new.statements)
    return bool(before) and len(before & now) < KEPT * len(before)


def compare(earlier: str, new: str) -> Comparison:
    """Return what `new` says otherwise than `earlier`: figures, dates, negations, names, the rest."""
    found = [
        Change(kind=_KINDS[difference.kind], span=difference.b)
        for difference in differences(earlier, new).found
    ]
    doubtful: list[Restatement] = []
    for one in restatements(earlier, new):
        told = any(_overlap(one.span, change.span) for change in found)
        if not told and (one.certain or len(doubtful) >= MOST_DOUBTFUL):
            found.append(Change(kind=one.kind, span=one.span))
        elif not told:
            doubtful.append(one)
    return Comparison(changes=tuple(found[:MOST_CHANGES]), doubtful=tuple(doubtful))


def _overlap(one: Span, other: Span) -> bool:
    return one.start < other.end and other.start < one.end


def changes_from_memory(tenant_id: TenantId, statements: bytes, new: str) -> tuple[Change, ...]:
    """Return the sentences that were not there before, where others are there no more.

    Stricter than `compare`: it cannot tell which sentence stands in for which, nor in what. Where
    sentences only came in, none stands in for another, and nothing was changed.
    """
    found = _new_statements(tenant_id, _parted(statements), new)
    return tuple(change for _, change in zip(range(MOST_CHANGES), found, strict=False))


def says(text: str, span: Span, other: str) -> bool:
    """Return whether `other` has, word for word, the sentence of `text` that `span` is in."""
    wanted = [
        sentence
        for sentence in split_sentences(text)
        if sentence.start < max(span.end, span.start + 1) and span.start < sentence.end
    ]
    held = {_plain(sentence.text) for sentence in split_sentences(other)}
    return bool(wanted) and all(_plain(sentence.text) in held for sentence in wanted)


def _parted(statements: bytes) -> set[bytes]:
    return {
        statements[start : start + _DIGEST_BYTES]
        for start in range(0, len(statements), _DIGEST_BYTES)
    }


def _new_statements(tenant_id: TenantId, known: set[bytes], new: str) -> Iterator[Change]:
    sentences = {sentence: _digest(tenant_id, sentence) for sentence in split_sentences(new)}
    if known <= set(sentences.values()):
        return
    for sentence, digest in sentences.items():
        if digest not in known:
            yield Change(kind=_kind(sentence.text), span=Span(sentence.start, sentence.end))


def _kind(sentence: str) -> ChangeKind:
    """Return what such a sentence may have changed: at the least, whether something is so."""
    if _FIGURE.search(sentence):
        return ChangeKind.FIGURE
    negated = any(is_negator(word.casefold()) for word in _WORD.findall(sentence))
    named = _NAME.search(sentence) or _ADDRESS.search(sentence)
    return ChangeKind.NAME if named and not negated else ChangeKind.NEGATION


def _digest(tenant_id: TenantId, sentence: Sentence) -> bytes:
    return hashlib.blake2b(
        f"{tenant_id}\0{_plain(sentence.text)}".encode("utf-8", "surrogatepass"),
        digest_size=_DIGEST_BYTES,
    ).digest()


def _plain(sentence: str) -> str:
    return _SPACE.sub(" ", sentence).strip().casefold()
