"""How the encoder of the classifier is taught: whole passes, later passes and a streamed one.

PyTorch is no dependency of the product, so it is imported where it is used.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

from evaluation.injection.examples import Example, Sizes
from evaluation.injection.training_set import SEED, TrainingSet

MAX_TOKENS: Final = 128
BATCH: Final = 32
THREADS: Final = 2  # fixed: sums depend on it
LEARNING_RATE: Final = 6e-5
LATER_LEARNING_RATE: Final = 5e-5
CLOSING_LEARNING_RATE: Final = 3e-5
WARM_UP: Final = 0.06
FROZEN_LAYERS: Final = 2
SMOOTHING: Final = 0.005
LEARNT: Final = 0.12  # loss under which an example of the streamed pass is left out
REPEATED: Final = 0.1  # of those that are, the share kept
LOOKED_AT: Final = 640
CLOSING_LOOKED_AT: Final = 320
REPORT_EVERY: Final = 25


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
    looked_at: int = LOOKED_AT,
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
    for at in range(0, len(examples), looked_at):
        looked = examples[at : at + looked_at]
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
        if at // looked_at % 8 == 0:
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
