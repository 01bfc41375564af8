"""Near-duplicate index over the Redis protocol: one script a call.

Query and insert are one step: of two workers that bring the same text at once, one sees the
other. A retry changes nothing, and a removal leaves nothing behind. `near_duplicates_scripts` says
which keys there are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, cast
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray
from redis.client import NEVER_DECODE
from redis.exceptions import NoScriptError

from backends.near_duplicates_scripts import (
    ALLOW,
    DENY,
    LEAST_SHARED,
    QUERY,
    QUERY_AND_INSERT,
    REMOVE,
)
from backends.redis_clients import UNANSWERED, RedisClient
from domain.documents import DocumentId, OriginRef, TenantId
from domain.errors import ConfigurationError, TransientError
from domain.retrieval import (
    Candidate,
    Crowd,
    Fingerprint,
    Resemblances,
    SharedPassages,
    Signature,
)

BUCKET_CAP: Final = 50
PASSAGE_CAP: Final = 32
"""Documents kept of one passage, the first that came."""
PASSAGES_OF_AN_ORIGIN: Final = 4
"""Of those, how many of one origin: its own boilerplate, or its flood, hides nobody else's."""
SHARED_CAP: Final = 100
_LAYOUT: Final = "2"
_MISMATCH: Final = "NDSCHEME"
_WORD_BYTES: Final = 4
_HEAD: Final = 2  # namespace, and whether there is a signature
_DENIED: Final = ord("d")
_NO_TAG: Final = bytes(4)


@dataclass(frozen=True, slots=True)
class _Record:
    """A document as the server keeps it."""

    document_id: DocumentId
    signature: bytes
    denied: bool


class RedisNearDuplicateIndex:
    """Candidates by shared bands, each verified against its stored signature."""

    def __init__(
        self,
        client: RedisClient,
        scheme: str,
        *,
        bands: int = 32,
        rows: int = 4,
        min_similarity: float = 0.5,
        bucket_cap: int = BUCKET_CAP,
    ) -> None:
        """Wrap a client; nothing is sent.

        Args:
            client: Whether it decodes replies does not matter.
            scheme: Names how fingerprints are made; an index made with another is refused.
            bands: Parts that a signature is cut into; two that agree in one are candidates.
            rows: Values in each part.
            min_similarity: Candidates below it are left out.
            bucket_cap: How many of those that share a band are looked at.
        """
        self._client = client
        self._execute: Callable[..., Awaitable[object]] = client.execute_command
        self._scheme = f"{_LAYOUT}:{scheme}:{bands}x{rows}"
        self._bands = bands
        self._rows = rows
        self._min_similarity = min_similarity
        self._bucket_cap = bucket_cap

    async def query_and_insert(
        self,
        tenant_id: TenantId,
        document_id: DocumentId,
        fingerprint: Fingerprint,
        *,
        origin: OriginRef | None = None,
    ) -> Resemblances:
        mark = b"".join(
            (
                fingerprint.exact,
                bytes([fingerprint.kept]),
                _tag(origin),
                _packed(fingerprint.stored),
            )
        )
        sought = self._sought(fingerprint, document_id)
        return self._read(fingerprint, await self._run(QUERY_AND_INSERT, tenant_id, *sought, mark))

    async def query(
        self,
        tenant_id: TenantId,
        fingerprint: Fingerprint,
        *,
        besides: DocumentId | None = None,
    ) -> Resemblances:
        sought = self._sought(fingerprint, besides or DocumentId(""))
        return self._read(fingerprint, await self._run(QUERY, tenant_id, *sought))

    async def deny(self, tenant_id: TenantId, document_id: DocumentId) -> None:
        await self._run(DENY, tenant_id, document_id.encode())

    async def allow(self, tenant_id: TenantId, document_id: DocumentId) -> None:
        await self._run(ALLOW, tenant_id, document_id.encode())

    async def remove(self, tenant_id: TenantId, document_id: DocumentId) -> None:
        await self._run(REMOVE, tenant_id, document_id.encode())

    async def count(self, tenant_id: TenantId) -> int:
        try:
            return int(await self._client.hlen(f"{self._prefix(tenant_id)}:ids"))
        except UNANSWERED as exc:
            raise TransientError("the near-duplicate index did not answer") from exc

    async def _run(self, script: str, tenant_id: TenantId, *facts: bytes) -> object:
        arguments = [
            self._scheme,
            self._prefix(tenant_id),
            self._bands,
            self._rows * _WORD_BYTES,
            self._bucket_cap,
            PASSAGE_CAP,
            PASSAGES_OF_AN_ORIGIN,
            SHARED_CAP,
            *facts,
        ]
        key = f"{_tenant_prefix(tenant_id)}:scheme"
        digest = hashlib.sha1(script.encode(), usedforsecurity=False).hexdigest()
        # Signatures are bytes, also from a client made with decode_responses.
        raw: dict[str, list[object]] = {NEVER_DECODE: []}
        try:
            try:
                return await self._execute("EVALSHA", digest, 1, key, *arguments, **raw)
            except NoScriptError:  # a server that was restarted or never saw it; EVAL also keeps it
                return await self._execute("EVAL", script, 1, key, *arguments, **raw)
        except UNANSWERED as exc:
            if str(exc).startswith(_MISMATCH):
                raise ConfigurationError(
                    f"the near-duplicate index holds fingerprints of scheme {str(exc)[9:]!r}, "
                    f"not {self._scheme!r}: clear it, it is rebuilt from the ledger"
                ) from exc
            raise TransientError("the near-duplicate index did not answer") from exc

    def _prefix(self, tenant_id: TenantId) -> str:
        return f"{_tenant_prefix(tenant_id)}:{self._scheme}"

    def _sought(self, fingerprint: Fingerprint, document_id: DocumentId) -> tuple[bytes, ...]:
        signature = fingerprint.signature
        if signature is not None:
            self._check(signature)
        return (
            b"" if signature is None else signature.astype("<u4").tobytes(),
            fingerprint.exact,
            _packed(fingerprint.passages),
            str(LEAST_SHARED).encode(),
            document_id.encode(),
            str(len(fingerprint.stored)).encode(),
        )

    def _check(self, signature: Signature) -> None:
        if signature.shape != (self._bands * self._rows,) or signature.dtype != np.uint32:
            raise ValueError(
                f"signature is {signature.dtype}{signature.shape}, "
                f"not uint32({self._bands * self._rows},)"
            )

    def _read(self, fingerprint: Fingerprint, reply: object) -> Resemblances:
        near, same, shared, crowd, crowded, closely = cast(
            "tuple[list[bytes], list[bytes], list[bytes | int], int, list[bytes], int]", reply
        )
        sought = fingerprint.sampled if closely else fingerprint.kept
        return Resemblances(
            candidates=self._verified(
                fingerprint.signature,
                [self._record(raw) for raw in near],
                [self._record(raw) for raw in same],
            ),
            shared=tuple(self._shared(shared, sought=sought)),
            crowd=Crowd(size=crowd, members=tuple(self._record(raw).document_id for raw in crowded))
            if crowd
            else None,
        )

    def _verified(
        self, signature: Signature | None, near: Sequence[_Record], same: Sequence[_Record]
    ) -> tuple[Candidate, ...]:
        exact = {record.document_id for record in same}
        found = [
            Candidate(
                document_id=record.document_id, similarity=1.0, exact=True, denied=record.denied
            )
            for record in same
        ]
        others = [record for record in near if record.document_id not in exact]
        if others and signature is not None:
            stored = np.frombuffer(b"".join(record.signature for record in others), "<u4")
            similar = (stored.reshape(len(others), -1) == signature).mean(axis=1)
            found += [
                Candidate(
                    document_id=record.document_id,
                    similarity=float(similarity),
                    denied=record.denied,
                )
                for record, similarity in zip(others, similar, strict=True)
                if similarity >= self._min_similarity
            ]
        return tuple(sorted(found, key=lambda each: (-each.similarity, each.document_id)))

    def _shared(self, reply: Sequence[bytes | int], *, sought: int) -> Iterator[SharedPassages]:
        for start in range(0, len(reply), 4):
            raw, sampled, stored, at = reply[start : start + 4]
            record = self._record(cast("bytes", raw))
            places = np.frombuffer(cast("bytes", at), ">u2")
            yield SharedPassages(
                document_id=record.document_id,
                at=tuple(int(place) for place in places),
                sampled=int(sampled),
                stored=int(stored),
                sought=sought,
                denied=record.denied,
            )

    def _record(self, raw: bytes) -> _Record:
        end = _HEAD + (self._bands * self._rows * _WORD_BYTES if raw[1:2] == b"1" else 0)
        return _Record(DocumentId(raw[end:].decode()), raw[_HEAD:end], raw[0] == _DENIED)


def _packed(passages: NDArray[np.uint32]) -> bytes:
    return passages.astype(">u4").tobytes()


def _tag(origin: OriginRef | None) -> bytes:
    if origin is None:
        return _NO_TAG
    return hashlib.sha256(str(origin).encode()).digest()[:4]


def _tenant_prefix(tenant_id: TenantId) -> str:
    # Quoted: a brace in a tenant's id would end the hash tag, and a colon would forge another key.
    return f"nd:{{{quote(tenant_id, safe='')}}}"
