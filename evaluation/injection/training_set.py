"""What the two learned tiers are trained on, put together."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from defences.detectors.injected_instructions.ranker import WindowRanker
from evaluation.injection.benign_documents import BenignDocument
from evaluation.injection.examples import (
    Example,
    Row,
    Sizes,
    attack_windows,
    benign_windows,
    cut,
    first_windows,
    fit_ranker,
    likeliest_windows,
    lines_and_fragments,
    mined,
    passages,
    ranking_examples,
    short_benign,
    spliced,
    written,
)
from evaluation.injection.ordinary import ordinary
from evaluation.injection.ordinary_passages import passage

SEED: Final = 20261129
WINDOWS_PER_DOCUMENT: Final = 14
_CARRIERS: Final = 20_000
_EASY: Final = 9_000
LATER_PASSES: Final = 2
BETWEEN_PEOPLE: Final = (
    *("private-letter", "formal-letter", "note-on-the-door") * 6,
    *("parents-letter", "mail-request", "mail-thread", "letter", "invitation", "forum-question"),
    *("forum-answer", "minutes", "ticket", "review", "action-items", "newsletter-call"),
)
"""Kinds of passages of the closing pass, the first three six times as often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    benign: Sequence[str]
    attacks: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingSet:
    """What `training_set` collects.

    Attributes:
        ranker: The linear tier.
        examples: What the encoder passes over first.
        pools: What it has not seen, one for each later pass: of the benign windows those come that
            it likes best, of the attacks those that it likes least.
    """

    ranker: WindowRanker
    examples: Sequence[Example]
    pools: Sequence[Pool]


def training_set(
    rows: Sequence[Row],
    documents: Sequence[BenignDocument],
    prompts: Sequence[str],
    *,
    sizes: Sizes,
) -> TrainingSet:
    """Collect windows, fit the ranker on easy ones, and let it choose the hard ones."""
    rng = random.Random(SEED)  # noqa: S311
    by_source = benign_windows(documents, rows, rng, each=WINDOWS_PER_DOCUMENT)
    by_source["passages"] = passages(rng, 3 * sizes.passages)
    manuals = [text for name, texts in by_source.items() if name != "passages" for text in texts]
    carriers = [*rng.sample(manuals, min(_CARRIERS, len(manuals))), *by_source["passages"]]
    attacks = attack_windows(rows, prompts, carriers, rng, sizes)
    short = [*short_benign(rows, prompts, rng, sizes), *lines_and_fragments(by_source, rng, sizes)]
    seams = spliced(by_source, carriers, rng, sizes)
    easy = [
        Example(text=text, attack=False) for text in rng.sample(carriers, min(_EASY, len(carriers)))
    ]
    first = fit_ranker([*attacks, *short, *seams, *easy])
    hard = mined(by_source, first, rng, sizes)
    long = likeliest_windows(rows, first, rng, sizes)
    told = [Example(text=text, attack=False) for text in by_source["passages"][: sizes.passages]]
    every = [*attacks, *long, *short, *seams, *hard, *told]
    sys.stdout.write(
        f"windows: {len(attacks)} attacks, {len(long)} of long ones, {len(short)} short benign,"
        f" {len(seams)} spliced, {len(told)} of passages,"
        f" {len(hard)} mined of {sum(map(len, by_source.values()))} in {len(by_source)} sources\n"
    )
    sys.stdout.flush()
    ranker = fit_ranker([*every, *ranking_examples(by_source, every, rng, sizes.ranked)])
    every += first_windows(documents, ranker, rng, sizes)
    rng.shuffle(every)
    seen = {example.text for example in every}
    pools = []
    for _ in range(LATER_PASSES):
        unseen = [text for text in (*manuals, *by_source["passages"]) if text not in seen]
        drawn = rng.sample(unseen, min(sizes.mined, len(unseen)))
        seen.update(drawn)
        more = replace(sizes, spliced=sizes.mined // 8)
        benign = [
            *drawn,
            *(example.text for example in spliced(by_source, carriers, rng, more)),
            *(ordinary(rng, sentences=rng.randint(1, 3)) for _ in range(sizes.mined // 12)),
        ]
        attacks_of_pool = [written(carriers, rng) for _ in range(2 * sizes.again_written)]
        pools.append(Pool(benign=benign, attacks=attacks_of_pool))
    return TrainingSet(ranker=ranker, examples=every, pools=pools)


def closing(prepared: TrainingSet, sizes: Sizes) -> list[Example]:
    """Return what the last pass looks at: what people ask of one another, and orders unseen so far.

    Held-out letters were what the encoder erred on most after the streamed pass.
    """
    rng = random.Random(SEED + 1)  # noqa: S311
    kinds = rng.choices(BETWEEN_PEOPLE, k=sizes.closing_passages)
    told = [rng.choice(cut(passage(rng, kind))) for kind in kinds]
    unseen = prepared.examples[sizes.streamed :]
    every = [Example(text=text, attack=False) for text in told]
    every += [example for example in unseen if example.attack][: sizes.closing_attacks]
    every += [example for example in unseen if not example.attack][: sizes.closing_benign]
    rng.shuffle(every)
    return every
