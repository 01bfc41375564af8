"""`cost`: what drafts by a small model save, and from how much evidence on."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from domain.verification import CrossExamination
from gateway.cli.output import Json, emit, facts, table

_WORDS_TO_TOKENS = 4 / 3


def register(app: typer.Typer) -> None:
    app.command("cost")(cost)


def cost(
    passages: Annotated[int, typer.Option(help="What standard RAG would read.")] = 10,
    passage_tokens: Annotated[
        int | None, typer.Option(help="Default: by ingest.chunk_words.")
    ] = None,
    m: Annotated[int | None, typer.Option(help="Drafts. Default: as configured.")] = None,
    subset_passages: Annotated[int, typer.Option(help="What one draft reads.")] = 2,
    draft_tokens: Annotated[int, typer.Option(help="Of an answer and its rationale.")] = 120,
    mode: Annotated[CrossExamination | None, typer.Option(help="Default: as configured.")] = None,
    price_ratio: Annotated[float, typer.Option(help="A token of the small model's.")] = 0.15,
    drafters: Annotated[int | None, typer.Option(help="At once. Default: m.")] = None,
    small_prefill: Annotated[float, typer.Option(help="Tokens a second.")] = 8000.0,
    small_decode: Annotated[float, typer.Option(help="Tokens a second.")] = 80.0,
    large_prefill: Annotated[float, typer.Option(help="Tokens a second.")] = 3000.0,
    large_decode: Annotated[float, typer.Option(help="Tokens a second.")] = 30.0,
    json_: Json = False,
) -> None:
    """Estimate cost, latency and throughput of speculative and of standard RAG."""
    from defences.answering.cost import Deployment, crossover_passages, speculative, standard
    from domain.errors import InputError
    from runtime.settings import load_settings

    settings = load_settings()
    drafts = m or settings.answering.m
    try:
        deployment = Deployment(
            passages=passages,
            passage_tokens=passage_tokens or round(settings.ingest.chunk_words * _WORDS_TO_TOKENS),
            m=drafts,
            subset_passages=subset_passages,
            draft_tokens=draft_tokens,
            mode=mode or settings.answering.cross_examination,
            price_ratio=price_ratio,
            drafters=drafters or drafts,
            small_prefill=small_prefill,
            small_decode=small_decode,
            large_prefill=large_prefill,
            large_decode=large_decode,
        )
    except ValueError as exc:
        raise InputError(str(exc)) from exc
    found = {"standard": standard(deployment), "speculative": speculative(deployment)}
    crossover = crossover_passages(deployment)
    if json_:
        emit(
            {
                "deployment": asdict(deployment),
                "crossover_passages": crossover,
                **{name: asdict(estimate) for name, estimate in found.items()},
            }
        )
        return
    facts(
        {
            "drafts": deployment.m,
            "cross-examination": deployment.mode.value,
            "tokens a passage": deployment.passage_tokens,
            "speculative is cheaper from": f"{crossover:.1f} passages",
        }
    )
    table(
        ("way", "tokens of the large model", "cost", "seconds", "questions a second"),
        (
            (
                name,
                estimate.large_tokens,
                round(estimate.cost),
                f"{estimate.seconds:.2f}",
                f"{estimate.per_second:.2f}",
            )
            for name, estimate in found.items()
        ),
    )
