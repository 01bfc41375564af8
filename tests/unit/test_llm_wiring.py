from __future__ import annotations

import hashlib
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Iterator
from pathlib import Path

import httpx
import pytest

from backends.embedder_hashing import HashingEmbedder
from backends.llm.openai_drafter import OpenAIDrafter
from backends.llm.openai_refiner import OpenAIRefiner
from backends.llm.openai_verifier import OpenAIVerifier, VerifierMode
from backends.memory.clock import ManualClock
from backends.memory.vectors import InMemoryVectorStore
from domain.answering import PartitionMode
from domain.errors import ConfigurationError
from domain.verification import CrossExamination
from gateway.query.evidence_verifier import EvidenceVerifier
from gateway.query.extractive import ExtractiveDrafter
from gateway.query.pipeline import QueryPipeline
from runtime.answering import build_drafter, build_query, build_refiner, build_verifier
from runtime.answering_sections import AnsweringSettings
from runtime.model_sections import (
    DrafterSettings,
    EndpointSettings,
    LocalModelSettings,
    VerifierSettings,
)
from runtime.settings import Settings
from tests.fakes.evidence import make_question, make_subset
from tests.fakes.openai_server import MODEL, Fault, Served, serving

pytestmark = pytest.mark.anyio

EMBEDDER = HashingEmbedder()


@pytest.fixture(scope="module")
def running() -> Iterator[Served]:
    with serving() as served:
        yield served


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(follow_redirects=False) as client:
        yield client


def settings_for(url: str | None, model: str | None = MODEL) -> Settings:
    endpoint = EndpointSettings(url=url, model=model)
    return Settings(
        drafter=DrafterSettings(backend="openai", endpoint=endpoint),
        verifier=VerifierSettings(backend="openai", endpoint=endpoint),
    )


async def test_the_default_needs_no_model_server(http: httpx.AsyncClient) -> None:
    drafter = build_drafter(Settings(), embedder=EMBEDDER, http=http)
    verifier = await build_verifier(Settings(), embedder=EMBEDDER, http=http)

    assert isinstance(drafter, ExtractiveDrafter)
    assert isinstance(verifier, EvidenceVerifier)


async def test_an_endpoint_drafts_and_is_probed_at_the_start(
    running: Served, http: httpx.AsyncClient
) -> None:
    running.fault = None
    settings = settings_for(running.base_url)

    drafter = build_drafter(settings, embedder=EMBEDDER, http=http)
    verifier = await build_verifier(settings, embedder=EMBEDDER, http=http)
    draft = await drafter.draft(
        make_question("How many months does the warranty last?"),
        make_subset("The warranty lasts 24 months."),
    )

    assert isinstance(drafter, OpenAIDrafter)
    assert isinstance(verifier, OpenAIVerifier)
    assert verifier.mode is VerifierMode.PROMPT_LOGPROBS
    assert "24" in draft.answer


async def test_a_server_that_is_not_up_yet_is_probed_later(
    running: Served, http: httpx.AsyncClient
) -> None:
    running.fault = Fault.BROKEN

    verifier = await build_verifier(settings_for(running.base_url), embedder=EMBEDDER, http=http)

    assert isinstance(verifier, OpenAIVerifier)
    assert verifier.mode is VerifierMode.UNPROBED


async def test_each_request_is_fenced_differently(running: Served, http: httpx.AsyncClient) -> None:
    running.fault = None
    running.bodies.clear()
    drafter = build_drafter(settings_for(running.base_url), embedder=EMBEDDER, http=http)
    subset = make_subset("The warranty lasts 24 months.")

    for _ in range(3):
        await drafter.draft(make_question("How long?"), subset)

    prompts = {body["messages"][1]["content"] for body in running.bodies}
    assert len(prompts) == 3


@pytest.mark.parametrize(("url", "model"), [(None, MODEL), ("http://127.0.0.1:1/v1", None)])
async def test_an_endpoint_that_is_not_fully_set_is_refused(
    http: httpx.AsyncClient, url: str | None, model: str | None
) -> None:
    settings = settings_for(url, model)

    with pytest.raises(ConfigurationError, match=r"drafter\.endpoint"):
        build_drafter(settings, embedder=EMBEDDER, http=http)
    with pytest.raises(ConfigurationError, match=r"verifier\.endpoint"):
        await build_verifier(settings, embedder=EMBEDDER, http=http)


@pytest.mark.parametrize("pinned", [False, True])
async def test_a_local_model_is_refused_unless_pinned_and_present(
    http: httpx.AsyncClient, tmp_path: Path, pinned: bool
) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"GGUF")
    other = hashlib.sha256(b"another").hexdigest()
    local = LocalModelSettings(path=path, sha256=other if pinned else None)
    settings = Settings(
        drafter=DrafterSettings(backend="local", local=local),
        verifier=VerifierSettings(backend="local", local=local),
    )

    with pytest.raises(ConfigurationError, match=r"local"):
        build_drafter(settings, embedder=EMBEDDER, http=http)
    with pytest.raises(ConfigurationError, match=r"local"):
        await build_verifier(settings, embedder=EMBEDDER, http=http)


def test_the_default_loads_no_code_of_language_models() -> None:
    code = "import sys, runtime.answering; print([m for m in sys.modules if 'backends.llm' in m])"

    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )

    assert loaded.stdout.strip() == "[]"


async def test_refining_is_off_unless_asked_for_and_needs_an_endpoint(
    running: Served, http: httpx.AsyncClient
) -> None:
    on = AnsweringSettings(refine=True)
    whole = settings_for(running.base_url).model_copy(update={"answering": on})

    assert build_refiner(settings_for(running.base_url), http=http) is None
    assert isinstance(build_refiner(whole, http=http), OpenAIRefiner)
    with pytest.raises(ConfigurationError, match=r"answering\.refine needs verifier\.backend"):
        build_refiner(Settings(answering=on), http=http)


@pytest.mark.parametrize("mode", list(CrossExamination))
async def test_every_mode_of_cross_examination_has_a_calibration_key_of_its_own(
    http: httpx.AsyncClient, mode: CrossExamination
) -> None:
    def keys(settings: Settings) -> Awaitable[QueryPipeline]:
        return build_query(
            settings,
            embedder=EMBEDDER,
            vectors=InMemoryVectorStore(),
            clock=ManualClock(),
            secret=b"secret",
            http=http,
            calibrators={},
        )

    chosen = Settings(answering=AnsweringSettings(cross_examination=mode))
    query, default = await keys(chosen), await keys(Settings())

    key = query.configuration(PartitionMode.ISOLATED, m=5, k=5)
    known = default.configuration(PartitionMode.ISOLATED, m=5, k=5)
    assert (key == known) is (mode is CrossExamination.ALL)
