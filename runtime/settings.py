"""All configuration, in one object, read once at start-up.

Precedence: arguments, `MITHRIDATE_*` environment variables (`__` between levels), the files of the
folder named by `MITHRIDATE_SECRETS_DIR`, the TOML file named by `MITHRIDATE_CONFIG` (else
`mithridate.toml` in the working folder, if there), defaults. A key that is not known is an error,
in the files and in the environment alike.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from domain.errors import ConfigurationError
from runtime.access_sections import AccessSettings
from runtime.answering_sections import (
    AnsweringSettings,
    GuardSettings,
    RetrievalSettings,
    WebSearchSettings,
)
from runtime.ingest_sections import IngestSettings
from runtime.model_sections import (
    DrafterSettings,
    EmbedderSettings,
    RerankerSettings,
    VerifierSettings,
)
from runtime.secret_files import SECRETS_VARIABLE, SecretFilesSource, secret_files
from runtime.sections import AlertSettings, AuditSettings, Section, SinkSettings
from runtime.storage_sections import (
    BlobSettings,
    DatabaseSettings,
    QueueSettings,
    VectorSettings,
)

ENV_PREFIX: Final = "MITHRIDATE_"
CONFIG_VARIABLE: Final = "MITHRIDATE_CONFIG"
TEST_PREFIX: Final = "MITHRIDATE_TEST_"
"""Variables that only the tests read, e.g. `MITHRIDATE_TEST_WEAVIATE_URL`."""


class ServerSettings(Section):
    host: str = "127.0.0.1"
    port: int = Field(8700, ge=0, le=65535, description="0 takes a free port")
    max_body_bytes: int = Field(20_000_000, gt=0)
    workers: int = Field(1, ge=1, description="gateway processes")
    trusted_proxies: tuple[str, ...] = Field(
        (), description="addresses or networks whose X-Forwarded-For and -Proto are believed"
    )
    max_connections: int = Field(1000, ge=1, description="at once, of one process; then 503")
    body_seconds: float = Field(
        60.0, gt=0, description="for a request's body to arrive, and longer only at the least rate"
    )
    body_bytes_per_second: int = Field(
        16_384, ge=1, description="least rate of a body that takes longer than body_seconds"
    )


class RetentionSettings(Section):
    """How long the ledger keeps what has served its purpose. The journal is kept for ever."""

    claims_days: float = Field(7.0, ge=1, description="idempotency keys")
    outbox_days: float = Field(7.0, ge=1, description="jobs that were published")
    observations_days: float = Field(
        180.0, ge=60, description="what the monitors keep of a question"
    )
    deliveries_days: float = Field(90.0, ge=1, description="webhook deliveries made or given up")
    prune_seconds: float = Field(3600.0, gt=0, description="how often what is older is deleted")


class WorkerSettings(Section):
    processes: int = Field(1, ge=1, description="prefork pool size of one worker")
    queues: tuple[str, ...] = Field((), description="those that it serves; none: all")
    soft_time_limit_seconds: int = Field(120, gt=0)
    time_limit_seconds: int = Field(150, gt=0)
    lease_seconds: float = Field(
        20.0, ge=1, description="a scan without a sign of life for so long is taken for dead"
    )
    max_attempts: int = Field(
        3, ge=1, description="scans begun before a file is quarantined unread"
    )
    alive_path: Path | None = Field(
        None,
        description="touched every two seconds while the loop turns and the broker answers; for probes",
    )


class MonitorSettings(Section):
    evaluate_seconds: float = Field(5.0, gt=0)
    invariants_seconds: float = Field(
        3600.0,
        gt=0,
        description="how often ledger, index and audit log are held against each other",
    )
    verdict_seconds: float = Field(
        3600.0, gt=0, description="a document without a verdict for this long is alerted"
    )
    topic_similarity: float = Field(0.48, gt=0, lt=1, description="cosine to join a topic")
    max_topics: int = Field(256, ge=1)
    window: int = Field(
        14, ge=5, description="questions among which a repeat by one key counts once"
    )
    traceback_reruns: int = Field(
        8, ge=0, le=64, description="families and origins that a trace asks a question without"
    )
    traceback_questions: int = Field(
        3, ge=1, le=20, description="of an alert, those that are traced"
    )


class WebhookSettings(Section):
    allow_private_networks: bool = Field(
        default=False, description="deliver to loopback and private addresses, and over http"
    )
    timeout_seconds: float = Field(10.0, gt=0)
    max_attempts: int = Field(9, ge=1, description="nine take a day")
    former_secret_hours: float = Field(
        24.0, ge=0, description="a secret that was changed signs as well for so long"
    )


class ClientSettings(Section):
    """What the command line's client commands talk to."""

    url: str | None = Field(None, description="None: the server of the data folder")
    key: SecretStr | None = Field(None, description="None: the data folder's local admin key")
    timeout_seconds: float = Field(60.0, gt=0)


class TracingSettings(Section):
    """Spans by OpenTelemetry, sent by OTLP over HTTP; the extra `otel`."""

    endpoint: str | None = Field(
        None, description="e.g. http://localhost:4318/v1/traces; None: no spans"
    )
    service_name: str = "mithridate"
    content: bool = Field(default=False, description="questions' texts stand in spans")
    timeout_seconds: float = Field(5.0, gt=0, le=60)


class LoggingSettings(Section):
    level: Literal["debug", "info", "warning", "error"] = "info"
    format: Literal["json", "console"] = "json"


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix=ENV_PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True
    )

    data_dir: Path = Field(Path("~/.local/share/mithridate"), description="embedded state")
    instance_secret: SecretStr | None = Field(
        None,
        description="hex, 32 bytes, one for all hosts; None: instance.secret of the data folder",
    )
    local_admin_key: bool = Field(
        default=True,
        description="a new data folder gets an administrator's key; off where hosts share a ledger",
    )
    server: ServerSettings = ServerSettings()
    access: AccessSettings = AccessSettings()
    database: DatabaseSettings = DatabaseSettings()
    queue: QueueSettings = QueueSettings()
    blobs: BlobSettings = BlobSettings()
    retention: RetentionSettings = RetentionSettings()
    worker: WorkerSettings = WorkerSettings()
    ingest: IngestSettings = IngestSettings()
    vectors: VectorSettings = VectorSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    drafter: DrafterSettings = DrafterSettings()
    verifier: VerifierSettings = VerifierSettings()
    reranker: RerankerSettings = RerankerSettings()
    retrieval: RetrievalSettings = RetrievalSettings()
    web_search: WebSearchSettings = WebSearchSettings()
    answering: AnsweringSettings = AnsweringSettings()
    guard: GuardSettings = GuardSettings()
    monitors: MonitorSettings = MonitorSettings()
    webhooks: WebhookSettings = WebhookSettings()
    alerts: AlertSettings = AlertSettings()
    sinks: tuple[SinkSettings, ...] = Field(
        (), description="tables of the operator's own receivers"
    )
    audit: AuditSettings = AuditSettings()
    client: ClientSettings = ClientSettings()
    logging: LoggingSettings = LoggingSettings()
    tracing: TracingSettings = TracingSettings()

    @property
    def home(self) -> Path:
        """The data folder, `~` expanded."""
        return self.data_dir.expanduser()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        del dotenv_settings, file_secret_settings
        sources: list[PydanticBaseSettingsSource] = [
            init_settings,
            env_settings,
            SecretFilesSource(settings_cls),
        ]
        path = config_path(os.environ)
        if path is not None:
            sources.append(TomlConfigSettingsSource(settings_cls, toml_file=path))
        return tuple(sources)


def config_path(environment: Mapping[str, str]) -> Path | None:
    """Return the configuration file in force; None where there is none.

    Raises:
        ConfigurationError: `MITHRIDATE_CONFIG` names a file that is not there.
    """
    named = environment.get(CONFIG_VARIABLE)
    if named is not None:
        path = Path(named)
        if not path.is_file():
            raise ConfigurationError(f"{CONFIG_VARIABLE} names {named!r}, which is not a file")
        return path
    path = Path("mithridate.toml")
    return path if path.is_file() else None


class _FileSettings(Settings):
    """Settings of one file and of nothing else."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        del settings_cls, env_settings, dotenv_settings, file_secret_settings
        return (init_settings,)


def load_settings_of(path: Path) -> Settings:
    """Read one file; the environment says nothing.

    Raises:
        ConfigurationError: As `load_settings`, or the file cannot be read.
    """
    try:
        return _FileSettings(**tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeError) as exc:
        raise ConfigurationError(f"{str(path)!r} cannot be read: {type(exc).__name__}") from exc
    except ValidationError as exc:
        raise _wrong(exc) from exc
    except tomllib.TOMLDecodeError as exc:
        raise ConfigurationError(f"configuration file is not TOML: {exc}") from exc


def load_settings() -> Settings:
    """Read files and environment.

    Raises:
        ConfigurationError: A key is unknown or a value out of range; the message names each key,
            never a value.
    """
    _refuse_unknown_variables({**os.environ, **secret_files(os.environ)})
    try:
        return Settings()
    except ValidationError as exc:
        raise _wrong(exc) from exc
    except tomllib.TOMLDecodeError as exc:
        raise ConfigurationError(f"configuration file is not TOML: {exc}") from exc


def _wrong(error: ValidationError) -> ConfigurationError:
    problems = "; ".join(
        f"{'.'.join(str(part) for part in each['loc'])}: {each['msg']}"
        for each in error.errors(include_url=False, include_input=False)
    )
    return ConfigurationError(f"configuration is wrong: {problems}")


def _refuse_unknown_variables(environment: Mapping[str, str]) -> None:
    """pydantic-settings ignores a misspelt top-level variable, so look for ourselves."""
    known = set(Settings.model_fields)
    unknown = sorted(
        name
        for name in environment
        if name.upper().startswith(ENV_PREFIX)
        and name.upper() not in (CONFIG_VARIABLE, SECRETS_VARIABLE)
        and not name.upper().startswith(TEST_PREFIX)
        and name[len(ENV_PREFIX) :].lower().partition("__")[0] not in known
    )
    if unknown:
        raise ConfigurationError(f"unknown environment variables: {', '.join(unknown)}")
