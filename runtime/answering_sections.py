"""Sections of the settings: how questions are answered, and what is guarded."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

from domain.verification import CrossExamination, LatencyClass
from runtime.sections import Section


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
    pool_alone: bool = Field(
        default=False, description="whether uploads answer where established sources are silent"
    )
