"""Signed checkpoints of the audit log: Ed25519, kept in a file and posted to a URL."""

from __future__ import annotations

import asyncio
import base64
import binascii
import fcntl
import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from backends.guarded_post import GuardedPoster, accepted
from domain.audit import ChainHead, Checkpoint
from domain.errors import ConfigurationError, InputError, TransientError

_MAX_FILE: Final = 256 << 20
_TAIL: Final = 4_096
"""More than a line takes."""


class Ed25519Signer:
    """Signs; its name is a digest of its public key."""

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key

    @classmethod
    def from_pem(cls, pem: bytes, *, source: str) -> Ed25519Signer:
        """Read a private key without a passphrase.

        Raises:
            ConfigurationError: It is none of Ed25519. The message names the source alone.
        """
        try:
            key = load_pem_private_key(pem, password=None)
        except (ValueError, TypeError, UnsupportedAlgorithm) as exc:
            raise ConfigurationError(f"{source!r} holds no private key in PEM") from exc
        if not isinstance(key, Ed25519PrivateKey):
            raise ConfigurationError(f"{source!r} holds no Ed25519 key")
        return cls(key)

    @property
    def name(self) -> str:
        return _name(self._key.public_key())

    @property
    def public_key(self) -> Ed25519PublicKey:
        return self._key.public_key()

    def sign(self, message: bytes) -> str:
        return base64.b64encode(self._key.sign(message)).decode()


class Ed25519Verifier:
    """Trusts the public keys that it was given."""

    def __init__(self, keys: Sequence[Ed25519PublicKey]) -> None:
        self._keys: Mapping[str, Ed25519PublicKey] = {_name(key): key for key in keys}

    def verify(self, signer: str, message: bytes, signature: str) -> bool:
        key = self._keys.get(signer)
        if key is None:
            return False
        try:
            key.verify(base64.b64decode(signature, validate=True), message)
        except (InvalidSignature, binascii.Error, ValueError):
            return False
        return True


def read_public_key(path: Path) -> Ed25519PublicKey:
    """Return the public key in a PEM file.

    Raises:
        InputError: The file holds none of Ed25519, or cannot be read.
    """
    try:
        key = load_pem_public_key(path.read_bytes())
    except (OSError, ValueError, UnsupportedAlgorithm) as exc:
        raise InputError(f"{str(path)!r} holds no public key in PEM") from exc
    if not isinstance(key, Ed25519PublicKey):
        raise InputError(f"{str(path)!r} holds no Ed25519 key")
    return key


class FileCheckpoints:
    """Appends to a file, one JSON object a line, on disk before it returns.

    A checkpoint that says what the last line says already is kept as it is.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    async def keep(self, checkpoint: Checkpoint) -> None:
        await asyncio.to_thread(self._append, checkpoint)

    def _append(self, checkpoint: Checkpoint) -> None:
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
            with os.fdopen(descriptor, "rb+") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                file.seek(-min(_TAIL, file.seek(0, os.SEEK_END)), os.SEEK_END)
                *_, last, end = (b"\n" + file.read()).rsplit(b"\n", 2)
                if not end and f'"hash":"{checkpoint.head.hash}"'.encode() in last:
                    return
                file.write(b"\n" * bool(end) + to_json(checkpoint).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as exc:
            raise TransientError(f"checkpoint file cannot be written: {exc.strerror}") from exc


class HttpCheckpoints:
    """Posts each as JSON; any 2xx is a receipt."""

    def __init__(self, url: str, poster: GuardedPoster) -> None:
        self._url = url
        self._poster = poster

    async def keep(self, checkpoint: Checkpoint) -> None:
        url = self._poster.checked(self._url)
        headers = {"content-type": "application/json", "user-agent": "Mithridate-Audit/1"}
        accepted(await self._poster.post(url, headers, to_json(checkpoint).encode()))


def to_json(checkpoint: Checkpoint) -> str:
    head = checkpoint.head
    return json.dumps(
        {
            "seq": head.seq,
            "count": head.count,
            "hash": head.hash,
            "at": checkpoint.at.astimezone(UTC).isoformat(timespec="microseconds"),
            "signer": checkpoint.signer,
            "signature": checkpoint.signature,
        },
        separators=(",", ":"),
    )


def read_checkpoints(path: Path) -> Sequence[Checkpoint]:
    """Return the checkpoints in a file; a last line without its end is being written.

    Raises:
        InputError: A line is no checkpoint; the message says which. The file cannot be read.
    """
    try:
        if path.stat().st_size > _MAX_FILE:
            raise InputError(f"{str(path)!r} is larger than {_MAX_FILE} bytes")
        lines = path.read_bytes().split(b"\n")[:-1]
    except OSError as exc:
        raise InputError(f"{str(path)!r}: {exc.strerror}") from exc
    return [_checkpoint(line, f"{path.name}, line {n}") for n, line in enumerate(lines, 1) if line]


def _checkpoint(line: bytes, place: str) -> Checkpoint:
    try:
        said = json.loads(line)
        return Checkpoint(
            head=ChainHead(seq=int(said["seq"]), count=int(said["count"]), hash=str(said["hash"])),
            at=datetime.fromisoformat(said["at"]),
            signer=str(said["signer"]),
            signature=str(said["signature"]),
        )
    except (ValueError, KeyError, TypeError, RecursionError) as exc:
        raise InputError(f"{place}: not a checkpoint") from exc


def _name(key: Ed25519PublicKey) -> str:
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()[:16]
