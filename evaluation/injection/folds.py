"""Leave-one-source-out folds of the training half: what the learned tiers find of a new source.

    .venv-train/bin/python -m evaluation.injection.folds --data ../shared/data/injection/train.jsonl \
        --benign /tmp/benign

For each fold both tiers are trained anew without the fold's rows, on a part (`SHARE`) of what the
shipped classifier is trained on, so its figures are a floor. The threshold is the one that 1% of
the held-out packages' documents pass. Texts are parsed, hardened and decoded as the product does;
rules, channels and the trust policy have no part in it.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np
from sklearn.metrics import roc_auc_score

from defences.detectors.injected_instructions.classified import WindowReader
from evaluation.export_embedder import official_weights
from evaluation.injection.benign_documents import HELD_OUT, PROMPTS, documents
from evaluation.injection.examples import Row, Sizes, read_rows
from evaluation.injection.lessons import (
    LEARNING_RATE,
    SMOOTHING,
    classifier,
    logits,
    tokenizer_of,
    train,
)
from evaluation.injection.task_prompts import task_prompts
from evaluation.injection.training_set import SEED, training_set
from evaluation.train_injection import DOCUMENTS_PER_SOURCE, MAX_TEXT, greatest_logit
from ingest.parsers.inline import InlineParser

FOLDS: Final = ("slabs", "neuralchemy", "yanis", "train_")
"""Sources by a part of their family's name; `HELD_OUT_ROWS` are left out of every fold."""

SHARE: Final = 0.16
ROWS_EACH: Final = 200
DOCUMENTS_EACH: Final = 20
FALSE_POSITIVES: Final = 0.01


class FoldClassifier:
    """An `InstructionClassifier` over the encoder as it was trained, not exported."""

    version = "fold"

    def __init__(self, model: Any, tokenizer: Any) -> None:  # noqa: ANN401
        self._model = model
        self._tokenizer = tokenizer

    def risks(self, windows: Sequence[str]) -> Sequence[float]:
        return [
            1 / (1 + math.exp(-logit)) for logit in logits(self._model, self._tokenizer, windows)
        ]


def sample(rows: Sequence[Row], *, attack: bool) -> list[str]:
    texts = [row.text for row in rows if row.attack is attack]
    return random.Random(SEED).sample(texts, min(ROWS_EACH, len(texts)))  # noqa: S311


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--benign", type=Path, required=True)
    parser.add_argument("--fold", action="append", choices=FOLDS, help="this one; all by default")
    arguments = parser.parse_args()
    import_module("torch").manual_seed(SEED)
    weights = official_weights(None)
    parser_of_texts = InlineParser(max_text_chars=MAX_TEXT)
    rows = [row for row in read_rows(arguments.data) if not row.held_out]
    found = documents(arguments.benign, seed=SEED, per_source=DOCUMENTS_PER_SOURCE)
    prompts = task_prompts(arguments.benign / PROMPTS)
    counts: dict[str, int] = {}
    unseen: list[str] = []
    for document in found:
        counts[document.source] = counts.get(document.source, 0) + 1
        if document.source in HELD_OUT and counts[document.source] <= DOCUMENTS_EACH:
            unseen.append(document.text)
    for name in arguments.fold or FOLDS:
        out = [row for row in rows if name in row.family]
        prepared = training_set(
            [row for row in rows if name not in row.family],
            found,
            prompts,
            sizes=Sizes().scaled(SHARE),
        )
        model, tokenizer = classifier(weights), tokenizer_of(weights)
        with tempfile.TemporaryDirectory() as scratch:
            train(
                model,
                tokenizer,
                prepared.examples,
                learning_rate=LEARNING_RATE,
                smoothing=SMOOTHING,
                checkpoint=Path(scratch) / "encoder.pt",
            )
        reader = WindowReader(ranker=prepared.ranker, classifier=FoldClassifier(model, tokenizer))
        attacks, benign, ordinary = (
            np.array([greatest_logit(reader, parser_of_texts, text) for text in texts])
            for texts in (sample(out, attack=True), sample(out, attack=False), unseen)
        )
        threshold = float(np.quantile(ordinary, 1 - FALSE_POSITIVES))
        labels = [1] * len(attacks) + [0] * len(ordinary)
        auroc = roc_auc_score(labels, np.concatenate((attacks, ordinary)))
        own = f"{(benign > threshold).sum()} of {len(benign)}" if len(benign) else "none"
        sys.stdout.write(
            f"{name}: {(attacks > threshold).sum()} of {len(attacks)} attacks at {threshold:.2f},"
            f" AUROC {auroc:.3f}; its own benign texts: {own};"
            f" trained on {len(prepared.examples)} windows\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
