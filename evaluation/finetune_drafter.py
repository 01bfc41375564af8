"""Tunes a drafter on answers that reviewers called right: `.venv-train/bin/python -m evaluation.finetune_drafter`.

    data: JSON lines, one a reviewed answer:
          {"question", "documents": [text, ...], "answer", "rationale", "quotes": [text, ...]}
    -> the instructions and the reply's form of `backends.llm.prompts`: what is learnt is what is asked
    -> SFT with plain transformers: the loss is on the reply's tokens alone
    -> before and after, on held-out rows: loss, share of replies in the format, of answers right

Needs torch and transformers, in an environment of their own (`.venv-train`), never the product's.
`--tiny` makes a randomly initialised model and a byte tokenizer, so that the whole of it runs in a
minute on a processor without a download: it shows that the recipe runs, not that it helps.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from backends.llm.prompts import DRAFT_INSTRUCTIONS

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel

MAX_TOKENS: Final = 2_048
MAX_REPLY_TOKENS: Final = 256
HELD_OUT: Final = 0.2
IGNORED: Final = -100
FEWEST: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """One answer that a reviewer called right, with the evidence that it was drafted from."""

    question: str
    documents: tuple[str, ...]
    answer: str
    rationale: str
    quotes: tuple[str, ...]

    def prompt(self) -> str:
        mark = hashlib.blake2b(self.question.encode(), digest_size=8).hexdigest()
        parts = [f"Question: {self.question}", f"Mark: {mark}"]
        for at, text in enumerate(self.documents, start=1):
            parts += [f"{mark} document {at} begins", text, f"{mark} document {at} ends"]
        return "\n".join(parts)

    def reply(self) -> str:
        said = {"answer": self.answer, "rationale": self.rationale, "quotes": list(self.quotes)}
        return json.dumps(said, ensure_ascii=False)


def read_reviewed(path: Path) -> list[Reviewed]:
    """Read the rows; one that is not whole ends the run with its line number."""
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        row = json.loads(line)
        try:
            rows.append(
                Reviewed(
                    question=row["question"],
                    documents=tuple(row["documents"]),
                    answer=row["answer"],
                    rationale=row["rationale"],
                    quotes=tuple(row["quotes"]),
                )
            )
        except (KeyError, TypeError) as exc:
            raise SystemExit(f"{path}:{number}: {exc!r} is missing or of another type") from exc
    if len(rows) < FEWEST:
        raise SystemExit(f"{path}: {len(rows)} rows, at least {FEWEST} are needed")
    return rows


def example_rows(count: int) -> list[Reviewed]:
    """Return made-up rows, for a run without a ledger."""
    parts = ("pump", "valve", "hose", "motor", "filter", "seal")
    rows = []
    for at in range(count):
        part, months = parts[at % len(parts)], 6 + at % 31
        text = f"The warranty of the {part} P{at} lasts {months} months."
        rows.append(
            Reviewed(
                question=f"How many months does the warranty of the {part} P{at} last?",
                documents=(text, "The depot opens at eight."),
                answer=f"{months} months",
                rationale=f"The document says {months} months.",
                quotes=(text,),
            )
        )
    return rows


class ByteTokenizer:
    """Bytes as tokens, with marks of roles: what `--tiny` uses in place of a model's own."""

    pad, bos, system, user, assistant, end = range(256, 262)
    size = 262

    def chat(self, prompt: str) -> list[int]:
        return [
            self.bos,
            self.system,
            *DRAFT_INSTRUCTIONS.encode(),
            self.user,
            *prompt.encode(),
            self.assistant,
        ]

    def reply(self, text: str) -> list[int]:
        return [*text.encode(), self.end]

    def text(self, ids: Sequence[int]) -> str:
        return bytes(one for one in ids if one < self.pad).decode("utf-8", "replace")


class ModelTokenizer:
    """A model's own tokenizer and chat template, with the same three calls."""

    def __init__(self, name: str) -> None:
        from transformers import AutoTokenizer

        self._tokenizer = AutoTokenizer.from_pretrained(name)
        self.end = self._tokenizer.eos_token_id
        self.pad = self._tokenizer.pad_token_id or self.end

    def chat(self, prompt: str) -> list[int]:
        messages = [
            {"role": "system", "content": DRAFT_INSTRUCTIONS},
            {"role": "user", "content": prompt},
        ]
        text = self._tokenizer.apply_chat_template(
            messages, tokenize=False, add_generation_prompt=True
        )
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return ids

    def reply(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer(text, add_special_tokens=False)["input_ids"]
        return [*ids, self.end]

    def text(self, ids: Sequence[int]) -> str:
        shown: str = self._tokenizer.decode(ids, skip_special_tokens=True)
        return shown


def load(name: str | None) -> tuple[PreTrainedModel, ByteTokenizer | ModelTokenizer]:
    """Return model and tokenizer; `None`: tiny and random, of a Llama's shape."""
    from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM

    if name is not None:
        return AutoModelForCausalLM.from_pretrained(name), ModelTokenizer(name)
    config = LlamaConfig(
        vocab_size=ByteTokenizer.size,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=MAX_TOKENS,
    )
    return LlamaForCausalLM(config), ByteTokenizer()


def batch_of(
    rows: Sequence[Reviewed], tokenizer: ByteTokenizer | ModelTokenizer
) -> Mapping[str, torch.Tensor]:
    """Return ids and labels, padded on the right; what the prompt says is not learnt."""
    import torch

    pairs = [(tokenizer.chat(row.prompt()), tokenizer.reply(row.reply())) for row in rows]
    whole = [(prompt + reply)[-MAX_TOKENS:] for prompt, reply in pairs]
    labels = [([IGNORED] * len(p) + r)[-MAX_TOKENS:] for p, r in pairs]
    longest = max(map(len, whole))
    ids = torch.tensor([one + [tokenizer.pad] * (longest - len(one)) for one in whole])
    wanted = torch.tensor([one + [IGNORED] * (longest - len(one)) for one in labels])
    mask = torch.tensor([[1] * len(one) + [0] * (longest - len(one)) for one in whole])
    return {"input_ids": ids, "labels": wanted, "attention_mask": mask}


def measure(
    model: PreTrainedModel, rows: Sequence[Reviewed], tokenizer: ByteTokenizer | ModelTokenizer
) -> Mapping[str, float]:
    """Return the loss, and of greedy replies the shares in the format and with the right answer."""
    import torch

    model.eval()
    shaped = right = 0
    with torch.no_grad():
        losses = [float(model(**batch_of([row], tokenizer)).loss) for row in rows]
        for row in rows:
            ids = torch.tensor([tokenizer.chat(row.prompt())[-MAX_TOKENS + MAX_REPLY_TOKENS :]])
            made = model.generate(
                ids,
                attention_mask=torch.ones_like(ids),
                max_new_tokens=MAX_REPLY_TOKENS,
                do_sample=False,
                eos_token_id=tokenizer.end,
                pad_token_id=tokenizer.pad,
            )[0, ids.shape[1] :].tolist()
            answer = answer_in(tokenizer.text(made))
            shaped += answer is not None
            right += answer is not None and row.answer.casefold() in answer.casefold()
    return {
        "loss": round(sum(losses) / len(losses), 4),
        "in_format": round(shaped / len(rows), 3),
        "right": round(right / len(rows), 3),
    }


def answer_in(reply: str) -> str | None:
    """Return the answer of a reply that is one JSON object as asked for; else None."""
    try:
        said = json.loads(reply)
    except ValueError:
        return None
    whole = isinstance(said, dict) and {"answer", "rationale", "quotes"} <= said.keys()
    return said["answer"] if whole and isinstance(said["answer"], str) else None


def train(
    model: PreTrainedModel,
    rows: Sequence[Reviewed],
    tokenizer: ByteTokenizer | ModelTokenizer,
    *,
    epochs: int,
    rate: float,
    batch: int,
    seed: int,
) -> None:
    """Run AdamW over shuffled batches, the rate falling to nothing in a line."""
    import torch

    order = random.Random(seed)  # noqa: S311 - a shuffle, not a secret
    optimiser = torch.optim.AdamW(model.parameters(), lr=rate)
    steps = epochs * -(-len(rows) // batch)
    schedule = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.0, total_iters=steps)
    model.train()
    for _ in range(epochs):
        shuffled = order.sample(list(rows), len(rows))
        for at in range(0, len(rows), batch):
            loss = model(**batch_of(shuffled[at : at + batch], tokenizer)).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            optimiser.zero_grad()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    chosen = parser.add_mutually_exclusive_group(required=True)
    chosen.add_argument("--model", help="folder or name of a causal model with a chat template")
    chosen.add_argument("--tiny", action="store_true", help="a random model, to see it run")
    parser.add_argument("--data", type=Path, help="reviewed answers; default: made-up rows")
    parser.add_argument("--out", type=Path, help="folder for the tuned model (safetensors)")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--rate", type=float, default=2e-5)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    import torch

    torch.manual_seed(args.seed)
    rows = read_reviewed(args.data) if args.data else example_rows(60)
    random.Random(args.seed).shuffle(rows)  # noqa: S311 - a split, not a secret
    held = max(1, round(len(rows) * HELD_OUT))
    model, tokenizer = load(None if args.tiny else args.model)
    before = measure(model, rows[:held], tokenizer)
    train(
        model,
        rows[held:],
        tokenizer,
        epochs=args.epochs,
        rate=args.rate,
        batch=args.batch,
        seed=args.seed,
    )
    after = measure(model, rows[:held], tokenizer)
    if args.out:
        model.save_pretrained(args.out, safe_serialization=True)
    found = {"rows": len(rows), "held_out": held, "before": before, "after": after}
    sys.stdout.write(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
