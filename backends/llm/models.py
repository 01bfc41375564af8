"""Model files on this machine: registered by name, never used unless their sha256 is as pinned.

A GGUF is parsed by native code, so a file that is not the one that was vouched for is not opened.
Downloads go to a file beside the final one and get their name only when their hash is right.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import httpx
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from domain.clock import Clock
from domain.errors import ConfigurationError, NotFoundError, PermanentError, TransientError

HUB: Final = "https://huggingface.co"
REGISTRY_NAME: Final = "models.json"

_BLOCK: Final = 1 << 20
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_SECONDS: Final = 30.0
"""To connect, and between two pieces of a download."""

_SERVER_ERROR: Final = 500
_BUSY: Final = 429


@dataclass(frozen=True, slots=True, kw_only=True)
class PinnedFile:
    """An official file of the hub. `path` is below its address."""

    path: str
    file_name: str
    sha256: str
    max_bytes: int


PINNED: Final[Mapping[str, PinnedFile]] = {
    "qwen2.5-coder-0.5b-instruct": PinnedFile(
        path="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF/resolve/main",
        file_name="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        max_bytes=600_000_000,
    ),
    "qwen2.5-coder-1.5b-instruct": PinnedFile(
        path="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/main",
        file_name="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        max_bytes=1_300_000_000,
    ),
}
"""By the name that `mithridate models pull` takes."""


class ModelFile(BaseModel):
    """A registered file, as the registry keeps it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(pattern=rf"^{_NAME.pattern}$")
    path: Path
    sha256: str = Field(pattern=rf"^{_SHA256.pattern}$")
    added_at: datetime


class _Registry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    models: tuple[ModelFile, ...] = ()


def file_sha256(path: Path) -> str:
    """Return the hash of a file of any size.

    Raises:
        ConfigurationError: It cannot be read.
    """
    digest = hashlib.sha256()
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError as exc:
        raise ConfigurationError(f"model {str(path)!r}: {exc.strerror}") from exc
    return digest.hexdigest()


def verify_file(path: Path, sha256: str) -> None:
    """Return if the file's hash is `sha256`.

    Raises:
        ConfigurationError: It is not, or the file cannot be read.
    """
    wanted = _checked(sha256)
    found = file_sha256(path)
    if found != wanted:
        raise ConfigurationError(f"model {str(path)!r} has sha256 {found}, {wanted} is pinned")


class ModelRegistry:
    """The models of one data folder: `models.json` and, for those that were pulled, `models/`."""

    def __init__(
        self, folder: Path, *, clock: Clock, pinned: Mapping[str, PinnedFile] = PINNED
    ) -> None:
        self._pinned = pinned
        self._file = folder / REGISTRY_NAME
        self._folder = folder / "models"
        self._clock = clock

    def models(self) -> tuple[ModelFile, ...]:
        """Return what is registered, by name.

        Raises:
            ConfigurationError: The registry is damaged.
        """
        try:
            content = self._file.read_bytes()
        except FileNotFoundError:
            return ()
        except OSError as exc:
            raise ConfigurationError(f"{str(self._file)!r}: {exc.strerror}") from exc
        try:
            return _Registry.model_validate_json(content).models
        except ValidationError as exc:
            raise ConfigurationError(
                f"{str(self._file)!r} is malformed: {exc.error_count()} faults"
            ) from exc

    def find(self, name: str) -> ModelFile:
        """Return a registered model. Whoever loads it verifies it again.

        Raises:
            NotFoundError: There is none of this name.
        """
        for model in self.models():
            if model.name == name:
                return model
        raise NotFoundError(f"no model {name!r} is registered")

    def add(self, path: Path, *, sha256: str, name: str | None = None) -> ModelFile:
        """Verify a file and register it; a name that is there already is replaced.

        Args:
            path: Of the file, which stays where it is.
            sha256: What it must hash to, in hexadecimal.
            name: None for the file's name without its suffix.

        Raises:
            ConfigurationError: The hash is another, the file cannot be read, or the name is not one.
        """
        verify_file(path, sha256)
        return self._register(path.resolve(), _checked(sha256), name or path.stem)

    async def pull(self, name: str, *, client: httpx.AsyncClient, base_url: str = HUB) -> ModelFile:
        """Download a pinned file, verify it, and register it. One that is there already stays.

        Raises:
            NotFoundError: No file of this name is pinned.
            TransientError: The hub cannot be reached, or the download broke off.
            PermanentError: The hub refuses, or what it sent is not the pinned file.
        """
        pinned = self._pinned.get(name)
        if pinned is None:
            known = ", ".join(sorted(self._pinned))
            raise NotFoundError(f"no model {name!r} is pinned; there are: {known}")
        target = self._folder / pinned.file_name
        if not (target.is_file() and file_sha256(target) == pinned.sha256):
            await self._download(client, base_url, pinned, target)
        return self._register(target.resolve(), pinned.sha256, name)

    async def _download(
        self, client: httpx.AsyncClient, base_url: str, pinned: PinnedFile, target: Path
    ) -> None:
        url = f"{base_url.rstrip('/')}/{pinned.path}/{pinned.file_name}"
        with _beside(target) as part:
            digest, size = hashlib.sha256(), 0
            with part.open("xb") as file:
                async with _streamed(client, url) as blocks:
                    async for block in blocks:
                        size += len(block)
                        if size > pinned.max_bytes:
                            raise PermanentError(
                                f"model hub sent more than {pinned.max_bytes} bytes"
                            )
                        digest.update(block)
                        file.write(block)
                file.flush()
                os.fsync(file.fileno())
            if digest.hexdigest() != pinned.sha256:
                raise PermanentError(
                    f"model hub sent sha256 {digest.hexdigest()}, {pinned.sha256} is pinned"
                )
            part.replace(target)

    def _register(self, path: Path, sha256: str, name: str) -> ModelFile:
        if not _NAME.fullmatch(name):
            raise ConfigurationError(
                f"model name {name!r} must be letters, digits, '.', '_' or '-', at most 128"
            )
        model = ModelFile(name=name, path=path, sha256=sha256, added_at=self._clock.now())
        others = [one for one in self.models() if one.name != name]
        registry = _Registry(models=tuple(sorted([*others, model], key=lambda one: one.name)))
        with _beside(self._file) as part:
            part.write_text(registry.model_dump_json(indent=2) + "\n", encoding="utf-8")
            part.replace(self._file)
        return model


def _checked(sha256: str) -> str:
    wanted = sha256.strip().lower()
    if not _SHA256.fullmatch(wanted):
        raise ConfigurationError("a sha256 is 64 hexadecimal digits")
    return wanted


@contextmanager
def _beside(target: Path) -> Iterator[Path]:
    """Give a new name beside `target`; whatever still bears it at the end is removed.

    Raises:
        ConfigurationError: The folder cannot be written, or the disk is full.
    """
    part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield part
    except OSError as exc:
        raise ConfigurationError(f"{str(target)!r}: {exc.strerror}") from exc
    finally:
        part.unlink(missing_ok=True)


@asynccontextmanager
async def _streamed(client: httpx.AsyncClient, url: str) -> AsyncIterator[AsyncIterator[bytes]]:
    """Open a download; the hub sends on to its storage, so redirects are followed."""
    try:
        async with client.stream("GET", url, follow_redirects=True, timeout=_SECONDS) as response:
            status = response.status_code
            if status == _BUSY or status >= _SERVER_ERROR:
                raise TransientError(f"model hub answered {status}")
            if not response.is_success:
                raise PermanentError(f"model hub answered {status}")
            yield response.aiter_raw(_BLOCK)
    except httpx.TransportError as exc:
        raise TransientError(
            f"model hub cannot be reached ({type(exc).__name__}): download the file elsewhere, "
            "then `mithridate models add PATH --sha256 HEX`"
        ) from exc
    except (httpx.HTTPError, httpx.InvalidURL) as exc:
        raise PermanentError(f"model download failed: {type(exc).__name__}") from exc
