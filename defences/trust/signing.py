"""Ed25519 signatures of publishers over a canonical form of what they publish.

Signed is a domain separator and then each field with its length before it, so that no two
different publications have the same form: tenant, publisher, logical id, version, expiry (whole
seconds since 1970), sha256 of the bytes. The tenant is in it, so that what one tenant's publisher
signed is worth nothing to another's.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from domain.documents import TenantId
from domain.errors import InputError
from domain.publishing import Attestation, Publication

KEY_BYTES: Final = 32
SIGNATURE_BYTES: Final = 64
MOST_VERSION: Final = 2**53
"""Exact in JSON everywhere."""

_SEPARATOR: Final = b"mithridate-publication-v1\0"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,99}")
_LOGICAL_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@-]{0,199}")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_ID_DIGITS: Final = 16
_P: Final = 2**255 - 19
_D: Final = -121665 * pow(121666, -1, _P) % _P


def canonical(tenant_id: TenantId, publication: Publication) -> bytes:
    """Return the bytes that are signed.

    Raises:
        InputError: A field is not of its form.
    """
    check(publication)
    seconds = (publication.expires_at - _EPOCH) // timedelta(seconds=1)
    fields = (
        str(tenant_id),
        publication.publisher,
        publication.logical_id,
        str(publication.version),
        str(seconds),
        publication.sha256,
    )
    encoded = (field.encode() for field in fields)
    return _SEPARATOR + b"".join(len(field).to_bytes(4, "big") + field for field in encoded)


def check(publication: Publication) -> None:
    """Refuse a publication that no key may sign.

    Raises:
        InputError: Names the field.
    """
    if not _NAME.fullmatch(publication.publisher):
        raise InputError("publisher is 1 to 100 letters, digits and ._@-")
    require_logical_id(publication.logical_id)
    if not 0 <= publication.version <= MOST_VERSION:
        raise InputError(f"version must be 0 to {MOST_VERSION}, got {publication.version}")
    if publication.expires_at.tzinfo is None or publication.expires_at < _EPOCH:
        raise InputError("expiry is a moment with its time zone")
    if not _SHA256.fullmatch(publication.sha256):
        raise InputError("sha256 is 64 lower-case hexadecimal digits")


def require_logical_id(logical_id: str) -> None:
    """Raise `InputError` for a logical id that is not of its form."""
    if not _LOGICAL_ID.fullmatch(logical_id):
        raise InputError("logical_id is 1 to 200 letters, digits and ._:/@-")


def sign(tenant_id: TenantId, publication: Publication, private_key: bytes) -> Attestation:
    """Sign a publication with a private key of 32 bytes."""
    key = Ed25519PrivateKey.from_private_bytes(private_key)
    return Attestation(
        publication=publication, signature=key.sign(canonical(tenant_id, publication))
    )


def verifies(tenant_id: TenantId, attestation: Attestation, public_keys: Sequence[bytes]) -> bool:
    """Return whether one of the keys made the signature, over this publication and tenant."""
    signed = canonical(tenant_id, attestation.publication)
    for public_key in public_keys:
        try:
            Ed25519PublicKey.from_public_bytes(public_key).verify(attestation.signature, signed)
        except (InvalidSignature, ValueError):
            continue
        return True
    return False


def key_id(public_key: bytes) -> str:
    return hashlib.sha256(public_key).hexdigest()[:_ID_DIGITS]


def read_public_key(text: str) -> bytes:
    """Return the 32 bytes of a public key in PEM, hexadecimal or base64.

    Raises:
        InputError: It is none, or no Ed25519 key, or one under which strangers can sign.
    """
    raw = _public_bytes(text)
    if not _stands_for_one_signer(raw):
        raise InputError("the public key is no point of the curve, or one of small order")
    return raw


def _public_bytes(text: str) -> bytes:
    if "-----BEGIN" in text:
        try:
            key = load_pem_public_key(text.encode())
        except (ValueError, UnsupportedAlgorithm) as exc:
            raise InputError("the public key is not PEM") from exc
        if not isinstance(key, Ed25519PublicKey):
            raise InputError("the public key is not an Ed25519 key")
        return key.public_bytes(Encoding.Raw, PublicFormat.Raw)
    raw = _raw(text.strip())
    if raw is None or len(raw) != KEY_BYTES:
        raise InputError("a public key is PEM, or 32 bytes in hexadecimal or base64")
    return raw


def _stands_for_one_signer(public_key: bytes) -> bool:
    """Whether the key is a point of the curve that eight times itself is not the neutral element.

    OpenSSL takes any point. Under one of small order a signature can be made without a private key:
    under `01 00 ... 00` the same 64 bytes verify for every message (RFC 8032, section 8.9).
    """
    y = int.from_bytes(public_key, "little") % 2**255 % _P
    if pow(_x_squared(y), (_P - 1) // 2, _P) == _P - 1:
        return False
    for _ in range(3):
        x2, y2 = _x_squared(y), y * y
        y = (y2 + x2) * pow(2 - y2 + x2, _P - 2, _P) % _P
    return y != 1


def _x_squared(y: int) -> int:
    return (y * y - 1) * pow(_D * y * y + 1, _P - 2, _P) % _P


def read_private_key(text: str) -> bytes:
    """Return the 32 bytes of a private key in unencrypted PEM.

    Raises:
        InputError: It is none. The message holds nothing of it.
    """
    try:
        key = load_pem_private_key(text.encode(), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise InputError("the private key is not an unencrypted PEM key") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise InputError("the private key is not an Ed25519 key")
    return key.private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())


def new_private_key() -> str:
    """Return a new private key as PEM, as `openssl genpkey -algorithm ed25519` does."""
    key = Ed25519PrivateKey.generate()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def public_key_of(private_key: bytes) -> bytes:
    key = Ed25519PrivateKey.from_private_bytes(private_key).public_key()
    return key.public_bytes(Encoding.Raw, PublicFormat.Raw)


def encode_key(public_key: bytes) -> str:
    return base64.b64encode(public_key).decode()


def _raw(text: str) -> bytes | None:
    try:
        if len(text) == 2 * KEY_BYTES:
            return bytes.fromhex(text)
        return base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        return None
