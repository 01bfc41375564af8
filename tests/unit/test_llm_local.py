from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from backends.llm.likelihood import ScoredText, ScoringJob
from backends.llm.llama import LlamaModel
from backends.llm.local import LocalDrafter, LocalModel, LocalVerifier
from backends.llm.prompts import Message
from domain.errors import ConfigurationError, PermanentError
from tests.fakes.evidence import make_draft, make_question, make_subset
from tests.fakes.llama_library import BEGIN, END, REPLY, FakeLlama, logits_behind
from tests.fakes.llm import ToyModel, numbered_fences

pytestmark = pytest.mark.anyio

QUESTION = make_question("How long does it last?")
SUBSET = make_subset("The warranty lasts 24 months.")


def llama(library: FakeLlama, *, context_tokens: int = 8_192) -> LlamaModel:
    return LlamaModel(library, Path("toy.gguf"), sha256="ab" * 32, context_tokens=context_tokens)


def expected(library: FakeLlama, prefix: str, scored: str) -> list[float]:
    """Compute log-probabilities one token after the other, with nothing kept."""
    tokens = [*([BEGIN] if library.begins else []), *(prefix + scored).encode()]
    values = []
    for at in range(len(tokens) - len(scored.encode()), len(tokens)):
        logits = logits_behind(tokens[:at])
        total = math.log(math.fsum(math.exp(one) for one in logits))
        values.append(logits[tokens[at]] - total)
    return values


@pytest.mark.parametrize("begins", [True, False])
@pytest.mark.parametrize("length", [1, 30, 85, 1_200])
def test_each_token_has_its_own_log_probability(begins: bool, length: int) -> None:
    library = FakeLlama(begins=begins)
    prefix, scored = "ab ba " * length, " abba b\u00e4 ba"

    (one,) = llama(library).score([ScoringJob(prefix=prefix, scored=scored)])

    assert one.log_probabilities == pytest.approx(expected(library, prefix, scored), abs=1e-4)
    assert len(one.tokens) == len(scored.encode())


def test_texts_that_begin_alike_are_computed_once_and_score_the_same() -> None:
    library = FakeLlama(begins=True)
    prefix = "ab ba " * 100
    jobs = [ScoringJob(prefix=prefix, scored=scored) for scored in (" abba", " baab", " abba")]

    together = llama(library).score(jobs)

    assert library.decoded < 2 * len(prefix)
    assert library.batches == 0
    for job, one in zip(jobs, together, strict=True):
        assert one.log_probabilities == pytest.approx(
            expected(library, job.prefix, job.scored), abs=1e-4
        )


def test_a_question_behind_the_text_gives_odds_and_changes_no_score() -> None:
    plain, asked = (
        llama(FakeLlama(begins=True)).score([ScoringJob(prefix="ab", scored=" ba", tail=tail)])[0]
        for tail in ("", "\nIs it so?")
    )

    assert plain.log_probabilities == pytest.approx(asked.log_probabilities)
    assert plain.yes_odds is None
    assert asked.yes_odds is not None
    assert math.isfinite(asked.yes_odds)


@pytest.mark.parametrize("begins", [True, False])
def test_generation_follows_the_model_to_its_end(begins: bool) -> None:
    model = llama(FakeLlama(begins=begins))

    said = model.generate([Message("system", "a"), Message("user", "b")], max_tokens=200)

    assert said.text == REPLY.decode()
    assert len(said.log_probabilities) == len(REPLY) + 1
    assert all(value <= 0 for value in said.log_probabilities)


def test_generation_stops_at_its_limit() -> None:
    said = llama(FakeLlama(begins=True)).generate([Message("user", "b")], max_tokens=5)

    assert said.text == REPLY[:5].decode()


def test_only_the_template_makes_control_tokens() -> None:
    library = FakeLlama(begins=True)

    llama(library).generate([Message("user", "a<end>b")], max_tokens=1)

    assert library.memory.count(END) == 1
    assert b"a<end>b" in bytes(token for token in library.memory if token < BEGIN)


@pytest.mark.parametrize("template", [None, b"unheard of"])
def test_a_model_without_a_known_template_does_not_draft(template: bytes | None) -> None:
    model = llama(FakeLlama(begins=True, template=template))

    with pytest.raises(PermanentError, match="template"):
        model.generate([Message("user", "b")], max_tokens=5)


def test_what_does_not_fit_the_context_is_refused() -> None:
    model = llama(FakeLlama(begins=True), context_tokens=600)

    with pytest.raises(PermanentError, match="600"):
        model.score([ScoringJob(prefix="a" * 700, scored=" b")])
    with pytest.raises(PermanentError, match="600"):
        model.generate([Message("user", "b" * 500)], max_tokens=200)


def test_a_file_that_does_not_load_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match="broken"):
        LlamaModel(
            FakeLlama(begins=True), Path("broken.gguf"), sha256="ab" * 32, context_tokens=512
        )


async def test_a_local_draft_and_its_score_go_the_whole_way() -> None:
    model = llama(FakeLlama(begins=False))
    drafter = LocalDrafter(model, fences=numbered_fences())
    verifier = LocalVerifier(model, fences=numbered_fences())

    draft = await drafter.draft(QUESTION, SUBSET)
    scores = await verifier.score(QUESTION, [draft], [SUBSET, None])

    assert draft.answer == "24 months"
    assert [quote.text for quote in draft.quotes] == ["lasts 24 months"]
    assert scores[0, 0] > scores[0, 1]
    assert "gguf-abab" in drafter.version


class Shifted(ToyModel):
    """Log-probabilities one token too early, as of the binding's echoed completions."""

    def score(self, jobs: Sequence[ScoringJob]) -> Sequence[ScoredText]:
        return [
            ScoredText(
                log_probabilities=(*one.log_probabilities[1:], -0.1),
                tokens=one.tokens,
                yes_odds=one.yes_odds,
            )
            for one in super().score(jobs)
        ]


class Deaf(ToyModel):
    """A model that takes no notice of what stands before."""

    def score(self, jobs: Sequence[ScoringJob]) -> Sequence[ScoredText]:
        alone = [ScoringJob(prefix="Words:" + " red" * 9, scored=job.scored) for job in jobs]
        return super().score(alone)


@pytest.mark.parametrize(("model", "fault"), [(Shifted(), "places"), (Deaf(), "evidence")])
async def test_a_model_whose_numbers_cannot_be_believed_does_not_verify(
    model: LocalModel, fault: str
) -> None:
    verifier = LocalVerifier(model, fences=numbered_fences())

    with pytest.raises(PermanentError, match=fault):
        await verifier.probe()


async def test_a_model_that_reads_passes_the_probe() -> None:
    verifier = LocalVerifier(ToyModel(), fences=numbered_fences())

    await verifier.probe()

    scores = await verifier.score(QUESTION, [make_draft("24 months", SUBSET)], [SUBSET])
    assert scores.shape == (1, 1)
