"""Which addresses a webhook may be delivered to, and which URLs may be registered."""

from __future__ import annotations

import ipaddress
import re
import socket
from typing import Final, TypeAlias

import httpx

from domain.errors import InputError

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

_MAX_URL: Final = 2_000
_MAX_PORT: Final = 65_535
_HOST: Final = re.compile(r"[A-Za-z0-9._:-]+")
_GLOBAL_UNICAST: Final = ipaddress.ip_network("2000::/3")
_TUNNELS: Final = (ipaddress.ip_network("2002::/16"), ipaddress.ip_network("2001::/32"))
"""6to4 and Teredo: an IPv4 address in another's clothes."""


def refusal(text: str, *, allow_private_networks: bool) -> str | None:
    """Return why an address must not be connected to; None where it may be.

    Link-local addresses (where clouds keep their metadata), multicast and unspecified ones are
    refused even where private networks are allowed.
    """
    try:
        address = _unmapped(ipaddress.ip_address(text.partition("%")[0]))
    except ValueError:
        return "not an address"
    if address.is_unspecified or address.is_multicast or address.is_link_local:
        return "a special address"
    if allow_private_networks:
        return None
    if address.is_loopback:
        return "a loopback address"
    if isinstance(address, ipaddress.IPv6Address):
        usable = address in _GLOBAL_UNICAST and not any(address in net for net in _TUNNELS)
        return None if usable and address.is_global else "a private or reserved address"
    return None if address.is_global else "a private or reserved address"


def _unmapped(address: Address) -> Address:
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def check_url(url: str, *, allow_private_networks: bool) -> None:
    """Refuse a receiver that could never be delivered to; names are resolved only on delivery.

    Raises:
        InputError: No URL, not https (http where private networks are allowed), a user name or a
            password in it, no host, or a host that is spelled as an address not allowed. The
            message never repeats the path or the query: receivers keep secrets there.
    """
    parsed = parse_url(url)
    if parsed is None:
        raise InputError(f"the webhook URL is not one, or longer than {_MAX_URL} characters")
    schemes = ("https", "http") if allow_private_networks else ("https",)
    if parsed.scheme not in schemes:
        raise InputError(f"webhook URLs must be {' or '.join(schemes)}, got {parsed.scheme!r}")
    if parsed.userinfo:
        raise InputError("a webhook URL must not hold a user name or password")
    host = parsed.raw_host.decode("ascii").rstrip(".")
    port = 1 if parsed.port is None else parsed.port
    if not _HOST.fullmatch(host) or not 1 <= port <= _MAX_PORT:
        raise InputError("the webhook URL has no usable host or port")
    if not allow_private_networks and (host == "localhost" or host.endswith(".localhost")):
        raise InputError(f"webhook host {host!r} is a loopback address")
    literal = _literal(host)
    reason = literal and refusal(literal, allow_private_networks=allow_private_networks)
    if reason:
        raise InputError(f"webhook host {host!r} is {reason}")


def parse_url(url: str) -> httpx.URL | None:
    """Return the URL, or None where it is none."""
    if len(url) > _MAX_URL:
        return None
    try:
        return httpx.URL(url)
    except (httpx.InvalidURL, UnicodeError):
        return None


def _literal(host: str) -> str | None:
    """Return the address that a host spells, in any of the ways that resolvers accept.

    `127.1`, `0x7f000001` and `2130706433` are all 127.0.0.1 to `inet_aton`.
    """
    try:
        return str(ipaddress.ip_address(host.partition("%")[0]))
    except ValueError:
        pass
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except (OSError, UnicodeError):
        return None
