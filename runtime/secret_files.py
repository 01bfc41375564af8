"""Settings out of files, one a setting: how Docker, Kubernetes and systemd hand secrets over."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from pydantic_settings import BaseSettings, EnvSettingsSource

from domain.errors import ConfigurationError

SECRETS_VARIABLE: Final = "MITHRIDATE_SECRETS_DIR"


def secret_files(environment: Mapping[str, str]) -> Mapping[str, str]:
    """Return what the files of the secrets folder hold, by file name; a last newline is dropped.

    Each is named as the environment variable it stands for. Hidden entries are passed over:
    Kubernetes keeps its own beside the secrets.

    Raises:
        ConfigurationError: The folder is not there, or a file cannot be read as text.
    """
    named = environment.get(SECRETS_VARIABLE)
    if named is None:
        return {}
    held: dict[str, str] = {}
    path = Path(named)
    try:
        for path in sorted(Path(named).iterdir()):
            if not path.name.startswith(".") and path.is_file():
                held[path.name] = path.read_text(encoding="utf-8").removesuffix("\n")
    except (OSError, UnicodeError) as exc:
        raise ConfigurationError(
            f"{SECRETS_VARIABLE}: {str(path)!r} cannot be read ({type(exc).__name__})"
        ) from exc
    return held


class SecretFilesSource(EnvSettingsSource):
    """Reads the files as environment variables are read."""

    def __init__(self, settings_cls: type[BaseSettings]) -> None:
        super().__init__(settings_cls)

    def _load_env_vars(self) -> Mapping[str, str | None]:
        return {name.lower(): value for name, value in secret_files(os.environ).items()}
