"""Asks a configured search endpoint: `GET <url>?q=...&count=...` answers JSON.

    {"results": [{"title": "...", "url": "https://...", "text": "what stands there"}, ...]}

Any engine can stand behind it with a few lines; nothing else is assumed of it.
"""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from typing import Final
from urllib.parse import urlencode

from pydantic import BaseModel, SecretStr, ValidationError

from backends.citations.client import GuardedClient
from backends.guarded_addresses import Resolver, resolve_host
from backends.webhook_addresses import check_url, parse_url
from domain.errors import ConfigurationError, InputError, PermanentError, TransientError
from domain.web import WebResult

MAX_ANSWER_BYTES: Final = 2_000_000

_WHO: Final = "web search"
_OK: Final = 200
_BUSY: Final = frozenset({408, 425, 429})
_SERVER_ERROR: Final = 500
_MAX_TITLE: Final = 300
_MAX_URL: Final = 2_000


class _Result(BaseModel):
    title: str = ""
    url: str
    text: str


class _Results(BaseModel):
    results: list[_Result]


class HttpWebSearch:
    """Connects to the endpoint alone, at addresses that were checked; follows no link."""

    def __init__(
        self,
        url: str,
        *,
        api_key: SecretStr | None = None,
        allow_private_networks: bool = False,
        timeout_seconds: float = 5.0,
        resolve: Resolver = resolve_host,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Check the address; nothing is sent yet.

        Args:
            url: https (http where private networks are allowed), without a query.
            api_key: Sent as a bearer token, if given.
            allow_private_networks: Also ask loopback and private addresses.
            timeout_seconds: For the whole of a search.
            resolve: Where addresses come from.
            tls: What to trust; None for the usual authorities.

        Raises:
            ConfigurationError: The address is not usable.
        """
        try:
            check_url(url, allow_private_networks=allow_private_networks)
        except InputError as exc:
            raise ConfigurationError(f"web_search.url: {exc}") from exc
        base = parse_url(url)
        if base is None or base.query or base.fragment:
            raise ConfigurationError("web_search.url must have no query")
        self._headers = {"accept": "application/json"}
        if api_key is not None:
            self._headers["authorization"] = f"Bearer {api_key.get_secret_value()}"
        self._client = GuardedClient(
            base,
            who=_WHO,
            allow_private_networks=allow_private_networks,
            timeout_seconds=timeout_seconds,
            max_bytes=MAX_ANSWER_BYTES,
            resolve=resolve,
            tls=tls,
        )

    async def search(self, question: str, *, count: int) -> Sequence[WebResult]:
        """Return at most `count` results; see the Protocol."""
        target = f"?{urlencode({'q': question, 'count': count})}"
        answer = await self._client.get(target, self._headers)
        if answer.status in _BUSY or answer.status >= _SERVER_ERROR:
            raise TransientError(f"{_WHO} answered {answer.status}")
        if answer.status != _OK:
            raise PermanentError(f"{_WHO} answered {answer.status}")
        try:
            found = _Results.model_validate_json(answer.body).results
        except ValidationError as exc:
            raise PermanentError(f"{_WHO} answered something else than results") from exc
        return [
            WebResult(url=one.url[:_MAX_URL], title=one.title[:_MAX_TITLE], text=one.text)
            for one in found[:count]
            if one.text.strip()
        ]
