"""Drafts and vectors on disk, so that no run, cell or system pays twice for the same one.

They are found by hash: of the drafter with its code, the question, and everything of the evidence
that a drafter may read; of the embedder and the text. A hit is what the model said then. Nothing
here is logged; the file holds drafts, so it stays in the data directory.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from domain.answering import Draft, Drafter, EvidenceSubset, Question, Quote
from domain.documents import Span
from domain.retrieval import Embedder

_CODE: Final = ("gateway/query", "defences/answering", "backends/llm")
"""What a draft comes from, beside the model: a draft of other code is another draft."""

_WAIT_SECONDS: Final = 60.0
_AT_ONCE: Final = 500
"""SQLite takes at most 999 parameters in old versions."""

_ROOT: Final = Path(__file__).parents[2]


class Keep:
    """Values by 16-byte key in one SQLite file; several processes may share it."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        self._connection = sqlite3.connect(path, timeout=_WAIT_SECONDS, isolation_level=None)
        # Losing the last values at a power cut costs making them again.
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = OFF")
        self._connection.execute(
            "CREATE TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY, value BLOB NOT NULL)"
            " WITHOUT ROWID"
        )

    def find(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the values of those keys that have one."""
        found: dict[bytes, bytes] = {}
        for start in range(0, len(keys), _AT_ONCE):
            part = keys[start : start + _AT_ONCE]
            marks = ",".join("?" * len(part))
            query = f"SELECT key, value FROM kept WHERE key IN ({marks})"  # noqa: S608  # marks only
            with closing(self._connection.execute(query, part)) as rows:
                found.update(rows.fetchall())
        return found

    def put(self, pairs: Iterable[tuple[bytes, bytes]]) -> None:
        """Keep values; what is known already stays as it is."""
        with self._connection:
            self._connection.executemany("INSERT OR IGNORE INTO kept VALUES (?, ?)", pairs)

    def close(self) -> None:
        self._connection.close()


class KeptEmbedder:
    """An `Embedder` that asks another only for texts that were never embedded."""

    def __init__(self, embedder: Embedder, keep: Keep) -> None:
        self._embedder = embedder
        self._keep = keep

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    @property
    def version(self) -> str:
        return self._embedder.version

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        keys = [_key("vector", self.version, text) for text in texts]
        known = self._keep.find(list(dict.fromkeys(keys)))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            made = await self._embedder.embed(list(missing.values()))
            fresh = {
                key: vector.astype(np.float32).tobytes()
                for key, vector in zip(missing, made, strict=True)
            }
            self._keep.put(fresh.items())
            known.update(fresh)
        if not texts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        return np.stack([np.frombuffer(known[key], dtype=np.float32) for key in keys])


class KeptDrafter:
    """A `Drafter` that asks another only for what was never drafted. Failures are not kept."""

    def __init__(self, drafter: Drafter, keep: Keep) -> None:
        self._drafter = drafter
        self._keep = keep
        self._code = code_digest(_CODE)

    @property
    def version(self) -> str:
        return self._drafter.version

    async def draft(self, question: Question, subset: EvidenceSubset) -> Draft:
        key = self._key_of(question, subset)
        if (line := self._keep.find([key]).get(key)) is not None:
            return _read(line, subset)
        drafted = await self._drafter.draft(question, subset)
        if drafted.failure is None:
            # The version is read again: a first reply can change it.
            self._keep.put([(self._key_of(question, subset), _written(drafted))])
        return drafted

    def _key_of(self, question: Question, subset: EvidenceSubset) -> bytes:
        return _key("draft", self.version, self._code, question.text, *_read_by_drafter(subset))


def code_digest(folders: Sequence[str], *, root: Path = _ROOT) -> str:
    """Return a digest of the code and of the fitted numbers in some folders of the product."""
    digest = hashlib.blake2b(digest_size=8)
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in {".py", ".json"}:
                digest.update(str(path.relative_to(root)).encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _read_by_drafter(subset: EvidenceSubset) -> Iterable[str]:
    """Return everything of a subset that can change a draft, names of documents aside."""
    documents = [hit.chunk.document_id for hit in subset.chunks]
    for hit in subset.chunks:
        chunk = hit.chunk
        yield json.dumps(
            [
                documents.index(chunk.document_id),
                hit.title,
                chunk.heading,
                chunk.text,
                [chunk.span.start, chunk.span.end],
                [[each.start, each.end] for each in chunk.mentions],
                round(hit.similarity, 6),
            ]
        )


def _written(draft: Draft) -> bytes:
    documents = [hit.chunk.document_id for hit in draft.subset.chunks]
    quotes = [
        [documents.index(one.document_id), one.text, one.span.start, one.span.end]
        for one in draft.quotes
    ]
    told = {
        "answer": draft.answer,
        "rationale": draft.rationale,
        "quotes": quotes,
        "probability": draft.probability,
        "abstained": draft.abstained,
        "struck": draft.struck,
        "tentative": draft.tentative,
    }
    return json.dumps(told).encode()


def _read(line: bytes, subset: EvidenceSubset) -> Draft:
    told = json.loads(line)
    quotes = [
        Quote(
            document_id=(hit := subset.chunks[at]).chunk.document_id,
            origin=hit.origin.ref,
            text=text,
            span=Span(start, end),
            trust=hit.trust,
        )
        for at, text, start, end in told.pop("quotes")
    ]
    return Draft(subset=subset, quotes=tuple(quotes), **told)


def _key(*parts: str) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        held = part.encode("utf-8", "surrogatepass")
        digest.update(len(held).to_bytes(8))
        digest.update(held)
    return digest.digest()
