"""Asks catalogues over HTTP, guarding where it connects to and how much it reads."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Final

import anyio
import anyio.to_thread
import httpx

from backends.guarded_addresses import Resolver, guarded_addresses, resolve_host
from backends.webhook_addresses import check_url, parse_url
from domain.errors import ConfigurationError, InputError, PermanentError, TransientError

MAX_ANSWER_BYTES: Final = 1_000_000

_USER_AGENT: Final = "Mithridate-Citations/1"
_MAX_RETRY_AFTER: Final = 600.0
_NO_TLS: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Trusts nobody: for plain http, which needs none and is quicker without the authorities."""
_PLAIN: Final = frozenset({"", "identity"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """`retry_after_seconds` is what the server asked for, at most ten minutes; 0 if nothing."""

    status: int
    body: bytes
    retry_after_seconds: float


def base_url(url: str, *, allow_private_networks: bool) -> httpx.URL:
    """Return a configured address, checked.

    Raises:
        ConfigurationError: No URL, not https (http where private networks are allowed), a user
            name in it, or a host spelled as an address that is refused.
    """
    parsed = parse_url(url)
    try:
        check_url(url, allow_private_networks=allow_private_networks)
    except InputError as exc:
        raise ConfigurationError(f"address of a citation resolver: {exc}") from exc
    if parsed is None or parsed.query or parsed.fragment:
        raise ConfigurationError("the address of a citation resolver must have no query")
    return parsed


class GuardedClient:
    """Sends GETs to one configured host, at the address that was checked, under its own name.

    Redirects are not followed, proxies of the environment not used, compressed answers refused
    (none was asked for), and an answer over the limit is cut off unread.
    """

    def __init__(
        self,
        base: httpx.URL,
        *,
        who: str,
        allow_private_networks: bool = False,
        timeout_seconds: float = 5.0,
        max_bytes: int = MAX_ANSWER_BYTES,
        resolve: Resolver = resolve_host,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Keep the settings; nothing is sent yet.

        Args:
            base: As `base_url` returned it.
            who: Names the catalogue in messages.
            allow_private_networks: Also ask loopback and private addresses, and by http.
            timeout_seconds: For the whole of a question, resolving included.
            max_bytes: Of an answer.
            resolve: Where addresses come from.
            tls: What to trust; None for the usual authorities.
        """
        if timeout_seconds <= 0:
            raise ValueError(f"timeout_seconds must be > 0, got {timeout_seconds}")
        self._base = base
        self._who = who
        self._allow_private = allow_private_networks
        self._timeout = timeout_seconds
        self._max_bytes = max_bytes
        self._resolve = resolve
        self._tls = tls

    async def get(self, target: str, headers: Mapping[str, str]) -> Answer:
        """Ask for `target`, a quoted path and query below the base.

        Raises:
            TransientError: No answer in time, or no connection.
            PermanentError: The host is at an address that is refused, or the answer is compressed
                or too long.
        """
        if self._tls is None and self._base.scheme == "https":
            # Reading the authorities takes a good part of a second where the machine is busy: not of
            # the answer's time, and not of the loop's.
            self._tls = await anyio.to_thread.run_sync(
                lambda: httpx.create_ssl_context(trust_env=False)
            )
        try:
            with anyio.fail_after(self._timeout):
                return await self._get(target, headers)
        except TimeoutError as exc:
            raise TransientError(f"{self._who} took longer than {self._timeout:g} s") from exc
        except httpx.HTTPError as exc:
            raise TransientError(f"{self._who} cannot be reached: {type(exc).__name__}") from exc

    async def _get(self, target: str, headers: Mapping[str, str]) -> Answer:
        addresses = await guarded_addresses(
            self._base,
            resolve=self._resolve,
            allow_private_networks=self._allow_private,
            who=self._who,
        )
        async with httpx.AsyncClient(
            verify=self._tls or _NO_TLS,
            trust_env=False,
            follow_redirects=False,
            timeout=self._timeout,
        ) as client:
            for address in addresses[:-1]:
                try:
                    return await self._ask(client, address, target, headers)
                except httpx.ConnectError:
                    continue
            return await self._ask(client, addresses[-1], target, headers)

    async def _ask(
        self, client: httpx.AsyncClient, address: str, target: str, headers: Mapping[str, str]
    ) -> Answer:
        path = self._base.raw_path.decode("ascii").rstrip("/") + target
        request = client.build_request(
            "GET",
            self._base.copy_with(host=address, raw_path=path.encode("ascii")),
            headers={
                "host": self._base.netloc.decode("ascii"),
                "user-agent": _USER_AGENT,
                "accept-encoding": "identity",
                **headers,
            },
            extensions={"sni_hostname": self._base.raw_host.decode("ascii")},
        )
        response = await client.send(request, stream=True)
        try:
            if response.headers.get("content-encoding", "").lower() not in _PLAIN:
                raise PermanentError(f"{self._who} answered compressed, which was not asked for")
            body = await self._read(response.aiter_raw())
        finally:
            await response.aclose()
        return Answer(
            status=response.status_code, body=body, retry_after_seconds=_retry_after(response)
        )

    async def _read(self, pieces: AsyncIterator[bytes]) -> bytes:
        body = bytearray()
        async for piece in pieces:
            body += piece
            if len(body) > self._max_bytes:
                raise PermanentError(f"{self._who} answered more than {self._max_bytes} bytes")
        return bytes(body)


def _retry_after(response: httpx.Response) -> float:
    asked = response.headers.get("retry-after", "")
    return min(float(asked), _MAX_RETRY_AFTER) if asked.isascii() and asked.isdigit() else 0.0
