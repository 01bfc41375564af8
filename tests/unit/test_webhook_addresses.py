from __future__ import annotations

import pytest

from backends.webhook_addresses import check_url, refusal
from domain.errors import InputError

PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "172.15.255.255",
    "172.32.0.1",
    "11.0.0.1",
    "2606:4700:4700::1111",
    "2a00:1450:4001::1",
    "::ffff:8.8.8.8",
]
PRIVATE = [
    "127.0.0.1",
    "127.255.255.254",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "240.0.0.1",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "fc00::1",
    "fd12:3456::1",
    "fec0::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "2001:0:7f00:1::",
    "64:ff9b::7f00:1",
    "::7f00:1",
    "100::1",
    "4000::1",
]
SPECIAL = [
    "0.0.0.0",  # noqa: S104 - refused, not bound
    "::",
    "169.254.169.254",
    "::ffff:169.254.169.254",
    "224.0.0.1",
    "239.255.255.255",
    "ff02::1",
    "ff0e::1",
    "fe80::1",
    "fe80::1%eth0",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_may_be_connected_to(address: str) -> None:
    assert refusal(address, allow_private_networks=False) is None


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_only_where_allowed(address: str) -> None:
    assert refusal(address, allow_private_networks=False)
    assert refusal(address, allow_private_networks=True) is None


@pytest.mark.parametrize("address", SPECIAL)
def test_special_addresses_never(address: str) -> None:
    assert refusal(address, allow_private_networks=False)
    assert refusal(address, allow_private_networks=True)


@pytest.mark.parametrize("text", ["", "example.org", "1.2.3", "999.1.1.1", "127.0.0.1 "])
def test_what_is_no_address_is_refused(text: str) -> None:
    assert refusal(text, allow_private_networks=True) == "not an address"


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.example.org/",
        "https://hooks.example.org:8443/a/b?c=d",
        "https://b\u00fccher.example/",
        "https://8.8.8.8/",
        "https://[2606:4700:4700::1111]/",
        "HTTPS://Example.ORG",
    ],
)
def test_a_public_https_url_may_be_registered(url: str) -> None:
    check_url(url, allow_private_networks=False)


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.example.org/",
        "ftp://hooks.example.org/",
        "file:///etc/passwd",
        "https://",
        "https:///path",
        "hooks.example.org",
        "",
        "https://user:pass@example.org/",
        "https://user@example.org/",
        "https://exa mple.org/",
        "https://example.org:0/",
        "https://example.org:99999/",
        "https://example.org\x00/",
        "https://localhost/",
        "https://LOCALHOST./",
        "https://a.localhost/",
        "https://127.0.0.1/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f000001/",
        "https://0177.0.0.1/",
        "https://10.1.2.3/",
        "https://169.254.169.254/latest",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[fe80::1]/",
        "https://0/",
        "https://example.org/" + "a" * 2000,
    ],
)
def test_what_could_never_be_delivered_to_is_not_registered(url: str) -> None:
    with pytest.raises(InputError):
        check_url(url, allow_private_networks=False)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8080/", "http://localhost:9/", "https://10.0.0.1/", "http://[::1]:1/"]
)
def test_local_receivers_may_be_registered_where_private_networks_are_allowed(url: str) -> None:
    check_url(url, allow_private_networks=True)


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/path-token",
        "https://user:pass-token@example.org/",
        "https://127.0.0.1/path-token?query-token",
        "https://exa mple.org/path-token",
    ],
)
def test_a_refusal_repeats_neither_path_nor_password(url: str) -> None:
    with pytest.raises(InputError) as caught:
        check_url(url, allow_private_networks=False)

    assert "token" not in str(caught.value)
