"""Publishers' signatures: what they cover, and every way in which one is not theirs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from hypothesis import given
from hypothesis import strategies as st

from defences.trust.signing import (
    canonical,
    encode_key,
    key_id,
    new_private_key,
    public_key_of,
    read_private_key,
    read_public_key,
    sign,
    verifies,
)
from domain.documents import TenantId
from domain.errors import InputError
from domain.publishing import Attestation, Publication

TENANT = TenantId("default")
PRIVATE = bytes(range(32))
PUBLIC = public_key_of(PRIVATE)
OTHER = public_key_of(bytes(32))
SAID = Publication(
    publisher="press",
    logical_id="returns/policy",
    version=7,
    expires_at=datetime(2027, 1, 31, tzinfo=UTC),
    sha256="ab" * 32,
)
SIGNED = sign(TENANT, SAID, PRIVATE)

names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,9}", fullmatch=True)
publications = st.builds(
    Publication,
    publisher=names,
    logical_id=names,
    version=st.integers(0, 2**53),
    expires_at=st.integers(0, 4_000_000_000).map(lambda s: datetime.fromtimestamp(s, UTC)),
    sha256=st.text("0123456789abcdef", min_size=64, max_size=64),
)


def test_the_key_that_signed_verifies_among_others() -> None:
    assert verifies(TENANT, SIGNED, [OTHER, PUBLIC])


@pytest.mark.parametrize(
    "changed",
    [
        replace(SAID, publisher="pres"),
        replace(SAID, logical_id="returns/polic"),
        replace(SAID, version=8),
        replace(SAID, version=70),
        replace(SAID, expires_at=SAID.expires_at + timedelta(seconds=1)),
        replace(SAID, sha256="ab" * 31 + "ac"),
        # One character moved over a border of two fields.
        replace(SAID, publisher="pressr", logical_id="eturns/policy"),
    ],
    ids=lambda said: f"{said.publisher}-{said.logical_id}-{said.version}",
)
def test_every_field_is_signed(changed: Publication) -> None:
    assert not verifies(TENANT, replace(SIGNED, publication=changed), [PUBLIC])


@pytest.mark.parametrize(
    ("tenant", "keys", "signature"),
    [
        ("other", [PUBLIC], SIGNED.signature),
        ("default", [OTHER], SIGNED.signature),
        ("default", [], SIGNED.signature),
        ("default", [b"short"], SIGNED.signature),
        ("default", [PUBLIC], bytes(64)),
        ("default", [PUBLIC], SIGNED.signature[:-1]),
        ("default", [PUBLIC], b""),
        ("default", [PUBLIC], SIGNED.signature[::-1]),
    ],
)
def test_a_signature_of_somebody_or_something_else_does_not_verify(
    tenant: str, keys: list[bytes], signature: bytes
) -> None:
    attestation = Attestation(publication=SAID, signature=signature)

    assert not verifies(TenantId(tenant), attestation, keys)


@given(one=publications, other=publications)
def test_different_publications_have_different_forms(one: Publication, other: Publication) -> None:
    assert (canonical(TENANT, one) == canonical(TENANT, other)) == (one == other)


def test_the_canonical_form_stays_as_it_was_published() -> None:
    assert (
        canonical(TENANT, SAID).hex()
        == (
            b"mithridate-publication-v1\0"
            b"\0\0\0\x07default\0\0\0\x05press\0\0\0\x0ereturns/policy"
            b"\0\0\0\x017\0\0\0\x0a1801353600\0\0\0\x40" + b"ab" * 32
        ).hex()
    )


@pytest.mark.parametrize(
    "said",
    [
        replace(SAID, publisher=""),
        replace(SAID, publisher="a b"),
        replace(SAID, publisher="x" * 101),
        replace(SAID, logical_id=""),
        replace(SAID, logical_id="a\nb"),
        replace(SAID, logical_id="x" * 201),
        replace(SAID, version=-1),
        replace(SAID, version=2**53 + 1),
        replace(SAID, expires_at=datetime(2027, 1, 31)),  # noqa: DTZ001 - what is refused
        replace(SAID, expires_at=datetime(1969, 1, 1, tzinfo=UTC)),
        replace(SAID, sha256="AB" * 32),
        replace(SAID, sha256="ab"),
    ],
)
def test_what_is_not_of_its_form_is_neither_signed_nor_verified(said: Publication) -> None:
    with pytest.raises(InputError):
        sign(TENANT, said, PRIVATE)
    with pytest.raises(InputError):
        verifies(TENANT, replace(SIGNED, publication=said), [PUBLIC])


def test_a_public_key_is_read_in_every_form() -> None:
    pem = new_private_key()
    public = public_key_of(read_private_key(pem))

    assert read_public_key(encode_key(public)) == public
    assert read_public_key(public.hex() + "\n") == public
    assert len(key_id(public)) == 16


@pytest.mark.parametrize(
    "text", ["", "none", "ab" * 31, "!" * 44, "-----BEGIN PUBLIC KEY-----\nx\n", "é" * 64]
)
def test_what_is_no_public_key_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        read_public_key(text)


def test_a_private_key_of_another_kind_is_refused() -> None:
    rsa = generate_private_key(public_exponent=65537, key_size=2048)
    pem = rsa.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()

    with pytest.raises(InputError, match="Ed25519"):
        read_private_key(pem)
    with pytest.raises(InputError, match="PEM"):
        read_private_key("secret")


@pytest.mark.parametrize(
    "weak",
    [
        "0100000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "0200000000000000000000000000000000000000000000000000000000000000",
    ],
)
def test_a_key_under_which_strangers_can_sign_is_refused(weak: str) -> None:
    with pytest.raises(InputError, match="small order"):
        read_public_key(weak)


def test_without_the_check_a_stranger_signs_under_such_a_key() -> None:
    neutral = bytes([1]) + bytes(31)

    forged = Attestation(publication=SAID, signature=neutral + bytes(32))

    assert verifies(TENANT, forged, [neutral])


@given(st.binary(min_size=32, max_size=32))
def test_every_honest_key_is_read(private: bytes) -> None:
    public = public_key_of(private)

    assert read_public_key(public.hex()) == public
