"""All configuration, in one object, read once at start-up.

Precedence: arguments, `MITHRIDATE_*` environment variables (`__` between levels), the TOML file
named by `MITHRIDATE_CONFIG` (else `mithridate.toml` in the working folder, if there), defaults.
A key that is not known is an error, in the file and in the environment alike.
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
from domain.verification import CrossExamination, LatencyClass
from runtime.sections import AlertSettings, AuditSettings, Section, SinkSettings

ENV_PREFIX: Final = "MITHRIDATE_"
CONFIG_VARIABLE: Final = "MITHRIDATE_CONFIG"
TEST_PREFIX: Final = "MITHRIDATE_TEST_"
"""Variables that only the tests read, e.g. `MITHRIDATE_TEST_WEAVIATE_URL`."""


class ServerSettings(Section):
    host: str = "127.0.0.1"
    port: int = Field(8700, ge=0, le=65535, description="0 takes a free port")
    max_body_bytes: int = Field(20_000_000, gt=0)
    workers: int = Field(1, ge=1, description="gateway processes")


class DatabaseSettings(Section):
    url: SecretStr | None = Field(None, description="None: SQLite in the data folder")


class QueueSettings(Section):
    url: SecretStr | None = Field(None, description="redis:// URL; None: the embedded broker")
    visibility_timeout_seconds: int = Field(600, gt=0)
    sweep_seconds: float = Field(5.0, gt=0, description="how often the outbox is swept")
    requeue_after_seconds: float = Field(
        1200.0, gt=0, description="a document without a verdict for this long is queued again"
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
    soft_time_limit_seconds: int = Field(120, gt=0)
    time_limit_seconds: int = Field(150, gt=0)
    lease_seconds: float = Field(
        20.0, ge=1, description="a scan without a sign of life for so long is taken for dead"
    )
    max_attempts: int = Field(
        3, ge=1, description="scans begun before a file is quarantined unread"
    )


class ParserSettings(Section):
    memory_bytes: int = Field(1 << 30, gt=0, description="address space of the child process")
    cpu_seconds: int = Field(20, gt=0)
    wall_seconds: float = Field(30.0, gt=0)
    max_text_chars: int = Field(4_000_000, gt=0, description="code points a document may give")


ResolverName = Literal["crossref", "datacite", "openalex", "arxiv", "pubmed", "semantic-scholar"]


class CitationSettings(Section):
    """Who is asked whether what a document cites exists. By default nobody: no network call."""

    resolvers: tuple[ResolverName, ...] = Field((), description="asked in this order")
    catalogue_path: Path | None = Field(
        None, description="JSON lines, or Retraction Watch's CSV; asked before the resolvers"
    )
    urls: dict[ResolverName, str] = Field({}, description="other addresses, e.g. of a mirror")
    allow_private_networks: bool = Field(
        default=False, description="ask at loopback and private addresses, and over http"
    )
    contact: str | None = Field(None, description="e-mail address that resolvers may write to")
    semantic_scholar_key: SecretStr | None = None
    per_second: int = Field(3, ge=1, le=50, description="questions to each resolver")
    timeout_seconds: float = Field(5.0, gt=0, le=60)
    case_law: bool = Field(
        default=False, description="reporters beyond the built-in ones, by the case-law extra"
    )
    max_identifiers: int = Field(40, ge=1, le=500, description="asked for a document")
    document_seconds: float = Field(20.0, gt=0, le=60)


class PersonalDataSettings(Section):
    """Personal data and secrets."""

    actions: dict[str, Literal["flag", "mask", "hold"]] = Field(
        {}, description="by rule (`personal-data.iban`) or detector (`secrets.*`); else flag"
    )
    names_model: str | None = Field(
        None, description="spaCy model that finds people's names; None: patterns only"
    )


class IngestSettings(Section):
    policy_path: Path | None = Field(None, description="trust policy TOML; None: the shipped one")
    chunk_words: int = Field(120, ge=20, le=400)
    chunk_overlap_words: int = Field(20, ge=0)
    max_chunks: int = Field(
        3000, ge=1, description="of one document; with more it is quarantined unindexed"
    )
    parser: ParserSettings = ParserSettings()
    citations: CitationSettings = CitationSettings()
    personal_data: PersonalDataSettings = PersonalDataSettings()


class VectorSettings(Section):
    backend: Literal["lancedb", "weaviate", "memory"] = "lancedb"
    weaviate_url: str | None = None
    weaviate_grpc_port: int = 50051
    weaviate_api_key: SecretStr | None = None
    collection: str = "MithridateChunk"


class EndpointSettings(Section):
    """An OpenAI-compatible endpoint (vLLM, llama.cpp server, hosted)."""

    url: str | None = Field(None, description="with /v1, e.g. http://localhost:8000/v1")
    more_urls: tuple[str, ...] = Field(
        (), description="further servers of the same model; the least loaded is asked"
    )
    api_key: SecretStr | None = None
    model: str | None = None
    timeout_seconds: float = Field(30.0, gt=0)
    connect_seconds: float = Field(5.0, gt=0, description="of it, for the connection")


class LocalModelSettings(Section):
    """A GGUF on this machine; refused unless its sha256 is as pinned here."""

    path: Path | None = None
    sha256: str | None = Field(None, pattern=r"^[0-9a-f]{64}$")
    context_tokens: int = Field(4096, ge=512)


class EmbedderSettings(Section):
    backend: Literal["onnx", "openai"] = "onnx"
    threads: int = Field(1, ge=1)
    dimensions: int = Field(384, ge=1, description="of the endpoint's vectors")
    endpoint: EndpointSettings = EndpointSettings()


class DrafterSettings(Section):
    backend: Literal["extractive", "openai", "local"] = "extractive"
    endpoint: EndpointSettings = EndpointSettings()
    local: LocalModelSettings = LocalModelSettings()
    concurrency: int = Field(8, ge=1)


class VerifierSettings(Section):
    backend: Literal["evidence", "openai", "local"] = "evidence"
    endpoint: EndpointSettings = EndpointSettings()
    local: LocalModelSettings = LocalModelSettings()
    batch_milliseconds: float = Field(
        10.0, ge=0, le=1000, description="scoring jobs wait so long for those of other questions"
    )
    batch_jobs: int = Field(16, ge=1, le=256, description="with so many they go at once")


class RerankerSettings(Section):
    """A cross-encoder that orders what was retrieved: `POST /rerank` of vLLM, Cohere and others."""

    backend: Literal["none", "http"] = Field(
        "none", description="http: documents are sent to the endpoint"
    )
    endpoint: EndpointSettings = EndpointSettings()


class WebSearchSettings(Section):
    """Asked where the documents do not answer. By default nobody: no question leaves."""

    url: str | None = Field(None, description="GET with q and count; None: no web search")
    api_key: SecretStr | None = Field(None, description="sent as a bearer token")
    results: int = Field(5, ge=1, le=20, description="each is scanned before it may be evidence")
    timeout_seconds: float = Field(5.0, gt=0, le=60)
    allow_private_networks: bool = Field(
        default=False, description="ask at loopback and private addresses, and over http"
    )


class RetrievalSettings(Section):
    established_limit: int = Field(30, ge=1, description="chunks of established origins")
    pool_limit: int = Field(10, ge=1, description="chunks of the pool, all origins together")
    per_origin: int = Field(6, ge=1)
    min_trust: float = Field(0.2, ge=0, le=1)


class LatencySettings(Section):
    """What an asker of one latency class counts on."""

    budget_seconds: float = Field(gt=0, description="a p99 above it is alerted")
    deadline_seconds: float | None = Field(
        None, gt=0, description="then the question fails; None: answering.timeout_seconds"
    )


class InteractiveSettings(LatencySettings):
    budget_seconds: float = Field(2.0, gt=0, description="a p99 above it is alerted")


class FastSettings(LatencySettings):
    budget_seconds: float = Field(0.2, gt=0, description="a p99 above it is alerted")
    deadline_seconds: float | None = Field(1.0, gt=0, description="then the question fails")


class ThoroughSettings(LatencySettings):
    budget_seconds: float = Field(30.0, gt=0, description="a p99 above it is alerted")


class LatencyClasses(Section):
    interactive: InteractiveSettings = InteractiveSettings()
    fast: FastSettings = FastSettings()
    thorough: ThoroughSettings = ThoroughSettings()

    def of(self, latency_class: LatencyClass) -> LatencySettings:
        named: LatencySettings = getattr(self, latency_class.value)
        return named


class AnsweringSettings(Section):
    m: int = Field(5, ge=1, le=32, description="drafts a question")
    k: int = Field(5, ge=1, le=32, description="chunks a draft")
    calibration_path: Path | None = Field(None, description="None: the shipped artefact")
    lift_bound: float = Field(0.5, ge=0, description="nats; how far one seat's lift moves a score")
    multi_hop: Literal["auto", "rules", "off"] = Field(
        "auto",
        description="split questions that need several answers; auto: by rules, then the verifier's model",
    )
    refine: bool = Field(
        default=False,
        description="the verifier's model says the chosen answer in one; checked again",
    )
    full_rag: bool = Field(
        default=True,
        description="where drafts do not settle it the verifier's endpoint drafts, if there is one",
    )
    cross_examination: CrossExamination = Field(
        CrossExamination.ALL,
        description="score a draft by its own evidence (own), by other seats' too (all), or not (off)",
    )
    cross_examinations: dict[LatencyClass, CrossExamination] = Field(
        {}, description="by latency class; one that is not named takes cross_examination"
    )
    latency: LatencyClasses = LatencyClasses()
    cache_seconds: int | None = Field(
        None,
        ge=0,
        le=86_400,
        description="how long an answer may be given again; None: 300 where a model answers, else 0",
    )
    routes: Literal["auto", "on", "off"] = Field(
        "auto",
        description="short ways for plain facts and short contexts; auto: where a model drafts",
    )
    watch_share: float = Field(
        0.1, ge=0, le=1, description="of what could go a short way, asked the long one all the same"
    )
    timeout_seconds: float = Field(60.0, gt=0)
    partition: Literal["isolated", "multi-perspective", "round-robin", "random"] = Field(
        "isolated", description="all but isolated are for comparison and carry no tolerance"
    )
    plain_seat: bool = Field(
        default=False, description="one more draft, over the best passages of established seats"
    )


class GuardedTopicSettings(Section):
    name: str
    about: tuple[str, ...] = Field(
        min_length=1,
        description="phrases; a question belongs if it has every content word of one of them",
    )
    min_tolerance: int = Field(1, ge=1, le=31)


class GuardSettings(Section):
    min_tolerance: int = Field(
        0, ge=0, le=31, description="seats that must not be able to change an answer; else abstain"
    )
    topics: tuple[GuardedTopicSettings, ...] = Field(
        (), description="topics whose questions require a tolerance of their own"
    )
    tau: float | None = Field(
        None, gt=0, le=1, description="least confidence of an answer; None: as fitted, else 0.7"
    )
    agreement_floor: float = Field(
        0.3, ge=0, le=1, description="mean pairwise, below it the ladder"
    )


class MonitorSettings(Section):
    evaluate_seconds: float = Field(5.0, gt=0)
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
    server: ServerSettings = ServerSettings()
    database: DatabaseSettings = DatabaseSettings()
    queue: QueueSettings = QueueSettings()
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
        sources: list[PydanticBaseSettingsSource] = [init_settings, env_settings]
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


def load_settings() -> Settings:
    """Read file and environment.

    Raises:
        ConfigurationError: A key is unknown or a value out of range; the message names each key,
            never a value.
    """
    _refuse_unknown_variables(os.environ)
    try:
        return Settings()
    except ValidationError as exc:
        problems = "; ".join(
            f"{'.'.join(str(part) for part in error['loc'])}: {error['msg']}"
            for error in exc.errors(include_url=False, include_input=False)
        )
        raise ConfigurationError(f"configuration is wrong: {problems}") from exc
    except tomllib.TOMLDecodeError as exc:
        raise ConfigurationError(f"configuration file is not TOML: {exc}") from exc


def _refuse_unknown_variables(environment: Mapping[str, str]) -> None:
    """pydantic-settings ignores a misspelt top-level variable, so look for ourselves."""
    known = set(Settings.model_fields)
    unknown = sorted(
        name
        for name in environment
        if name.upper().startswith(ENV_PREFIX)
        and name.upper() != CONFIG_VARIABLE
        and not name.upper().startswith(TEST_PREFIX)
        and name[len(ENV_PREFIX) :].lower().partition("__")[0] not in known
    )
    if unknown:
        raise ConfigurationError(f"unknown environment variables: {', '.join(unknown)}")
