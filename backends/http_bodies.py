"""Bodies of replies, read no further than is allowed."""

from __future__ import annotations

import httpx


async def body_within(response: httpx.Response, max_bytes: int) -> bytes | None:
    """Return the body of a streamed reply; None where it is longer than `max_bytes`, the rest unread."""
    content = bytearray()
    async for piece in response.aiter_bytes():
        content += piece
        if len(content) > max_bytes:
            return None
    return bytes(content)
