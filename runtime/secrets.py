"""The secret of this installation: made once, kept beside the data, never logged."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Final

from domain.errors import ConfigurationError
from runtime.settings import Settings

_BYTES: Final = 32


def instance_secret(settings: Settings) -> bytes:
    """Return the installation's 32 random bytes: as configured, else made on first use.

    Of several processes that start at once, one makes them and all read the same.

    Raises:
        ConfigurationError: It is not 32 bytes, or the folder cannot be written.
    """
    if settings.instance_secret is not None:
        return _configured(settings.instance_secret.get_secret_value())
    path = settings.home / "instance.secret"
    try:
        make_once(path, secrets.token_bytes(_BYTES))
        secret = path.read_bytes()
    except OSError as exc:
        raise ConfigurationError(f"{str(path)!r}: {exc.strerror}") from exc
    if len(secret) != _BYTES:
        raise ConfigurationError(f"{str(path)!r} has {len(secret)} bytes, should have {_BYTES}")
    return secret


def _configured(given: str) -> bytes:
    try:
        secret = bytes.fromhex(given)
    except ValueError:
        secret = b""
    if len(secret) != _BYTES:
        raise ConfigurationError(f"instance_secret is not {_BYTES} bytes in hexadecimal")
    return secret


def make_once(path: Path, content: bytes) -> None:
    """Write a private file unless it is there; of several processes one does, and whole.

    Raises:
        OSError: The folder cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if path.exists():
        return
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    try:
        with suppress(FileExistsError):  # another process was faster
            os.link(beside, path)
    finally:
        beside.unlink()
