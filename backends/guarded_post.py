"""Posts over HTTP to an address that outsiders may have named, and to allowed places only."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from typing import Final

import anyio
import httpx

from backends.guarded_addresses import Resolver, guarded_addresses, resolve_host
from backends.webhook_addresses import check_url, parse_url
from domain.errors import InputError, PermanentError, TransientError

_MAX_RESPONSE_BYTES: Final = 16_384


class GuardedPoster:
    """Guards where it connects to.

    A host is resolved once a request and the connection made to the very address that was checked,
    under the host's own name, so that a name which changes its mind gains nothing. Redirects are
    failures, proxies of the environment are not used, and no connection serves two hosts.
    """

    def __init__(
        self,
        *,
        allow_private_networks: bool = False,
        timeout_seconds: float = 10.0,
        resolve: Resolver = resolve_host,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """Keep the settings; nothing is sent yet.

        Args:
            allow_private_networks: Also send to loopback and private addresses, and by http.
            timeout_seconds: For the whole of a request, resolving included.
            resolve: Where addresses come from.
            tls: What to trust; None for the usual authorities.
        """
        if timeout_seconds <= 0:
            raise ValueError(f"timeout_seconds must be > 0, got {timeout_seconds}")
        self._allow_private = allow_private_networks
        self._timeout = timeout_seconds
        self._resolve = resolve
        self._tls = tls

    def checked(self, url: str) -> httpx.URL:
        """Return the URL.

        Raises:
            PermanentError: Nothing may be sent there.
        """
        try:
            check_url(url, allow_private_networks=self._allow_private)
        except InputError as exc:
            raise PermanentError(str(exc)) from exc
        parsed = parse_url(url)
        if parsed is None:
            raise PermanentError("the webhook URL is not one")
        return parsed

    async def post(self, url: httpx.URL, headers: Mapping[str, str], body: bytes) -> int:
        """Return the status that the first address to accept a connection answers with.

        Raises:
            TransientError: No answer, or none in time.
            PermanentError: The host stands at an address that is not allowed.
        """
        named = {"host": url.netloc.decode("ascii"), "accept-encoding": "identity", **headers}
        try:
            with anyio.fail_after(self._timeout):
                return await self._post(url, named, body)
        except TimeoutError as exc:
            raise TransientError(f"receiver took longer than {self._timeout:g} s") from exc
        except httpx.HTTPError as exc:
            raise TransientError(f"receiver cannot be reached: {type(exc).__name__}") from exc

    async def _post(self, url: httpx.URL, headers: Mapping[str, str], body: bytes) -> int:
        addresses = await guarded_addresses(
            url,
            resolve=self._resolve,
            allow_private_networks=self._allow_private,
            who="receiver",
        )
        if self._tls is None:
            self._tls = httpx.create_ssl_context(trust_env=False)
        async with httpx.AsyncClient(
            verify=self._tls,
            trust_env=False,
            follow_redirects=False,
            timeout=self._timeout,
        ) as client:
            for address in addresses[:-1]:
                try:
                    return await _post_to(client, url, address, headers, body)
                except httpx.ConnectError:
                    continue
            return await _post_to(client, url, addresses[-1], headers, body)


def accepted(status: int) -> None:
    """Return if the status says that the receiver took it.

    Raises:
        TransientError: It did not.
    """
    if not httpx.codes.is_success(status):
        raise TransientError(f"receiver answered {status}")


async def _post_to(
    client: httpx.AsyncClient,
    url: httpx.URL,
    address: str,
    headers: Mapping[str, str],
    body: bytes,
) -> int:
    request = client.build_request(
        "POST",
        url.copy_with(host=address),
        headers=headers,
        content=body,
        extensions={"sni_hostname": url.raw_host.decode("ascii")},
    )
    response = await client.send(request, stream=True)
    try:
        received = 0
        # Raw: what is compressed stays so. Nothing in it is of use to us.
        async for piece in response.aiter_raw():
            received += len(piece)
            if received >= _MAX_RESPONSE_BYTES:
                break
    finally:
        await response.aclose()
    return response.status_code
