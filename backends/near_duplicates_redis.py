"""Near-duplicate index over the Redis protocol: locality-sensitive hashing in one script a call.

Query and insert are one step: of two workers that bring the same text at once, one sees the
other. Every write is a ZADD or HSET of the same value, so that a retry changes nothing, and a
removal leaves nothing behind. Of a tenant there are, under one hash tag (one slot in a cluster):

    nd:{tenant}:meta      hash: `scheme`, `seq` (the last number given out)
    nd:{tenant}:ids       hash: document id -> number
    nd:{tenant}:docs      hash: number -> signature, then document id
    nd:{tenant}:b<i>:...  sorted set of numbers, for each band i: documents that share its rows
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, cast
from urllib.parse import quote

import numpy as np
from redis.asyncio import Redis
from redis.client import NEVER_DECODE
from redis.exceptions import NoScriptError, RedisError

from domain.documents import DocumentId, TenantId
from domain.errors import ConfigurationError, TransientError
from domain.retrieval import Candidate, Signature

BUCKET_CAP: Final = 50
_LAYOUT: Final = "1"
_MISMATCH: Final = "NDSCHEME"
_WORD_BYTES: Final = 4

# KEYS: meta, ids, docs. Buckets are named in the script: a replaced signature is known only there.
# ARGV: scheme, prefix, bands, bytes a band, bucket cap, then what the command needs.
_PRELUDE: Final = """
local meta, ids, docs = KEYS[1], KEYS[2], KEYS[3]
local scheme, prefix = ARGV[1], ARGV[2]
local bands, width, cap = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local known = redis.call('HGET', meta, 'scheme')
if known and known ~= scheme then return redis.error_reply('NDSCHEME ' .. known) end
local function bucket(signature, band)
  return prefix .. ':b' .. band .. ':' .. string.sub(signature, band * width + 1, (band + 1) * width)
end
local function forget(number, record)
  for band = 0, bands - 1 do redis.call('ZREM', bucket(record, band), number) end
end
"""

# An over-full bucket is looked at in two halves: the oldest, among whom an original stands that a
# flood has copied, and a run of the others, beginning elsewhere in each band.
_FIND: Final = """
local function find(signature, own)
  local seen, found = {}, {}
  for band = 0, bands - 1 do
    local key = bucket(signature, band)
    local size = redis.call('ZCARD', key)
    local numbers
    if size <= cap then
      numbers = redis.call('ZRANGE', key, 0, -1)
    else
      local half = math.floor(cap / 2)
      local high, low = string.byte(signature, band * width + 1, band * width + 2)
      local start = half + (high * 256 + low) % (size - cap + 1)
      numbers = redis.call('ZRANGE', key, 0, half - 1)
      for _, number in ipairs(redis.call('ZRANGE', key, start, start + cap - half - 1)) do
        numbers[#numbers + 1] = number
      end
    end
    for _, number in ipairs(numbers) do
      if number ~= own and not seen[number] then
        seen[number] = true
        local record = redis.call('HGET', docs, number)
        if record then found[#found + 1] = record end
      end
    end
  end
  return found
end
"""

_QUERY: Final = f"{_PRELUDE}{_FIND} return find(ARGV[6], false)"

_QUERY_AND_INSERT: Final = f"""{_PRELUDE}{_FIND}
local signature, id = ARGV[6], ARGV[7]
local number = redis.call('HGET', ids, id)
local found = find(signature, number)
if number then
  forget(number, redis.call('HGET', docs, number))
else
  number = string.format('%d', redis.call('HINCRBY', meta, 'seq', 1))
end
redis.call('HSET', meta, 'scheme', scheme)
redis.call('HSET', ids, id, number)
redis.call('HSET', docs, number, signature .. id)
for band = 0, bands - 1 do redis.call('ZADD', bucket(signature, band), number, number) end
return found
"""

_REMOVE: Final = f"""{_PRELUDE}
local number = redis.call('HGET', ids, ARGV[6])
if not number then return 0 end
forget(number, redis.call('HGET', docs, number))
redis.call('HDEL', ids, ARGV[6])
redis.call('HDEL', docs, number)
if redis.call('EXISTS', ids) == 0 then redis.call('DEL', meta) end
return 1
"""


class RedisNearDuplicateIndex:
    """Candidates by shared bands, each verified against its stored signature."""

    def __init__(
        self,
        client: Redis,
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
            scheme: Names how signatures are made; an index made with another is refused.
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
        self, tenant_id: TenantId, document_id: DocumentId, signature: Signature
    ) -> Sequence[Candidate]:
        packed = self._packed(signature)
        found = await self._run(_QUERY_AND_INSERT, tenant_id, packed, document_id.encode())
        return self._verified(signature, cast("list[bytes]", found))

    async def query(self, tenant_id: TenantId, signature: Signature) -> Sequence[Candidate]:
        found = await self._run(_QUERY, tenant_id, self._packed(signature))
        return self._verified(signature, cast("list[bytes]", found))

    async def remove(self, tenant_id: TenantId, document_id: DocumentId) -> None:
        await self._run(_REMOVE, tenant_id, document_id.encode())

    async def count(self, tenant_id: TenantId) -> int:
        try:
            return int(await self._client.hlen(f"{_prefix(tenant_id)}:ids"))
        except (RedisError, OSError) as exc:
            raise TransientError("the near-duplicate index did not answer") from exc

    async def _run(self, script: str, tenant_id: TenantId, *facts: bytes) -> object:
        prefix = _prefix(tenant_id)
        keys = [f"{prefix}:{name}" for name in ("meta", "ids", "docs")]
        width = self._rows * _WORD_BYTES
        arguments = [self._scheme, prefix, self._bands, width, self._bucket_cap, *facts]
        digest = hashlib.sha1(script.encode(), usedforsecurity=False).hexdigest()
        # Signatures are bytes, also from a client made with decode_responses.
        raw: dict[str, list[object]] = {NEVER_DECODE: []}
        try:
            try:
                return await self._execute("EVALSHA", digest, len(keys), *keys, *arguments, **raw)
            except NoScriptError:  # a server that was restarted or never saw it; EVAL also keeps it
                return await self._execute("EVAL", script, len(keys), *keys, *arguments, **raw)
        except (RedisError, OSError) as exc:
            if str(exc).startswith(_MISMATCH):
                raise ConfigurationError(
                    f"the near-duplicate index holds signatures of scheme {str(exc)[9:]!r}, "
                    f"not {self._scheme!r}: clear it, it is rebuilt from the ledger"
                ) from exc
            raise TransientError("the near-duplicate index did not answer") from exc

    def _packed(self, signature: Signature) -> bytes:
        if signature.shape != (self._bands * self._rows,) or signature.dtype != np.uint32:
            raise ValueError(
                f"signature is {signature.dtype}{signature.shape}, "
                f"not uint32({self._bands * self._rows},)"
            )
        return signature.astype("<u4").tobytes()

    def _verified(self, signature: Signature, records: Sequence[bytes]) -> tuple[Candidate, ...]:
        if not records:
            return ()
        size = self._bands * self._rows * _WORD_BYTES
        stored = np.frombuffer(b"".join(record[:size] for record in records), "<u4")
        similar = (stored.reshape(len(records), -1) == signature).mean(axis=1)
        found = [
            Candidate(document_id=DocumentId(record[size:].decode()), similarity=float(similarity))
            for record, similarity in zip(records, similar, strict=True)
            if similarity >= self._min_similarity
        ]
        return tuple(sorted(found, key=lambda each: (-each.similarity, each.document_id)))


def _prefix(tenant_id: TenantId) -> str:
    # Quoted: a brace in a tenant's id would end the hash tag, and a colon would forge another key.
    return f"nd:{{{quote(tenant_id, safe='')}}}"
