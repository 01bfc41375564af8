"""A bounded set of expiring values over the Redis protocol: its keys, and the script that keeps it.

<prefix>:due    sorted set: key of a value -> when it expires
<prefix>:<...>  a value
"""

from __future__ import annotations

from urllib.parse import quote

from backends.redis_clients import RedisClient
from domain.documents import TenantId

_PUT = """
redis.call('SET', KEYS[2], ARGV[1], 'EX', ARGV[2])
redis.call('ZADD', KEYS[1], ARGV[3], KEYS[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[4])
local over = redis.call('ZCARD', KEYS[1]) - tonumber(ARGV[5])
if over > 0 then
  local gone = redis.call('ZPOPMIN', KEYS[1], over)
  for i = 1, #gone, 2 do redis.call('DEL', gone[i]) end
end
redis.call('EXPIRE', KEYS[1], 31536000)
return over
"""


async def put_expiring(
    client: RedisClient,
    prefix: str,
    key: str,
    value: bytes | str,
    *,
    lifetime_seconds: int,
    now: int,
    most: int,
) -> None:
    """Write a value; with more than `most`, those soonest to expire go."""
    await client.eval(
        _PUT,
        2,
        f"{prefix}:due",
        key,
        value,
        str(lifetime_seconds),
        str(now + lifetime_seconds),
        str(now),
        str(most),
    )


def tenant_prefix(kind: str, tenant_id: TenantId) -> str:
    """Return `<kind>:{<tenant>}`, one slot of a cluster a tenant.

    Quoted: a brace in a tenant's id would end the hash tag, and a colon would forge another key.
    """
    return f"{kind}:{{{quote(tenant_id, safe='')}}}"
