"""One broker URL, spelt for redis-py and for kombu."""

from __future__ import annotations

from domain.errors import ConfigurationError

_SOCKET = "unix://"


def celery_url(url: str) -> str:
    """Return the URL as kombu spells it.

    Raises:
        ConfigurationError: Not a `redis://`, `rediss://` or `unix://` URL.
    """
    if url.startswith(_SOCKET):
        return "redis+socket://" + url.removeprefix(_SOCKET)
    if url.startswith(("redis://", "rediss://")):
        return url
    scheme = url.partition(":")[0]
    raise ConfigurationError(f"broker URL must be redis://, rediss:// or unix://, not {scheme!r}")
