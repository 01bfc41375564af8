from __future__ import annotations

import json
import multiprocessing
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from backends.embedder_onnx import SHIPPED_MANIFEST_SHA256, SHIPPED_MODEL_DIR, OnnxEmbedder
from backends.onnx_model import MANIFEST_NAME, MODEL_NAME, TOKENIZER_NAME
from domain.errors import PermanentError

pytestmark = pytest.mark.models

FILES = (MODEL_NAME, TOKENIZER_NAME)


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder(manifest_sha256=SHIPPED_MANIFEST_SHA256)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SHIPPED_MODEL_DIR, tmp_path / "model"))


def flip_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def restate(model_dir: Path, **changes: object) -> None:
    path = model_dir / MANIFEST_NAME
    manifest = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(manifest | changes), encoding="utf-8")


@pytest.mark.parametrize("name", FILES)
def test_a_file_with_one_flipped_bit_is_refused_by_name(copied: Path, name: str) -> None:
    flip_bit(copied / name)

    with pytest.raises(PermanentError, match=name):
        OnnxEmbedder(model_dir=copied).embed_sync(["text"])


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_refused_by_name(copied: Path, name: str) -> None:
    (copied / name).unlink()

    with pytest.raises(PermanentError, match=name):
        OnnxEmbedder(model_dir=copied).embed_sync(["text"])


def test_a_missing_folder_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(PermanentError, match=MANIFEST_NAME):
        OnnxEmbedder(model_dir=tmp_path / "nowhere")


def test_files_that_fit_another_manifest_than_the_pinned_one_are_refused(copied: Path) -> None:
    flip_bit(copied / TOKENIZER_NAME)
    content = (copied / TOKENIZER_NAME).read_bytes()
    manifest = json.loads((copied / MANIFEST_NAME).read_text(encoding="utf-8"))
    manifest["files"][TOKENIZER_NAME]["sha256"] = sha256(content).hexdigest()
    (copied / MANIFEST_NAME).write_text(json.dumps(manifest), encoding="utf-8")

    with pytest.raises(PermanentError, match=MANIFEST_NAME):
        OnnxEmbedder(model_dir=copied, manifest_sha256=SHIPPED_MANIFEST_SHA256)


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"dimensions": 0}, id="no dimensions"),
        pytest.param({"dimensions": "many"}, id="dimensions in words"),
        pytest.param({"max_tokens": -1}, id="negative length"),
        pytest.param({"name": "../x"}, id="path as a name"),
        pytest.param({"files": {}}, id="no files"),
        pytest.param({"files": {MODEL_NAME: {"bytes": 1, "sha256": "0"}}}, id="short hash"),
    ],
)
def test_a_malformed_manifest_is_refused(copied: Path, changes: dict[str, object]) -> None:
    restate(copied, **changes)

    with pytest.raises(PermanentError, match=MANIFEST_NAME):
        OnnxEmbedder(model_dir=copied)


@pytest.mark.parametrize("wrong", FILES)
@pytest.mark.parametrize("content", [b"", b"neither", b"{}"])
def test_a_file_of_another_kind_is_refused_even_if_its_hash_is_stated(
    copied: Path, wrong: str, content: bytes
) -> None:
    (copied / wrong).write_bytes(content)
    stated = {
        name: {"bytes": 1, "sha256": sha256((copied / name).read_bytes()).hexdigest()}
        for name in FILES
    }
    restate(copied, files=stated)

    with pytest.raises(PermanentError, match=wrong):
        OnnxEmbedder(model_dir=copied).embed_sync(["text"])


def test_the_model_is_not_read_before_it_is_used(copied: Path) -> None:
    (copied / MODEL_NAME).unlink()

    assert OnnxEmbedder(model_dir=copied).dimensions == 384


def test_the_version_starts_the_model_s_hash(embedder: OnnxEmbedder) -> None:
    digest = sha256((SHIPPED_MODEL_DIR / MODEL_NAME).read_bytes()).hexdigest()

    assert embedder.version == f"minilm-l6-int8:{digest[:12]}"


@pytest.mark.parametrize(
    ("question", "passage", "unrelated"),
    [
        (
            "How long do I have to return an item?",
            "Goods may be sent back up to 30 days after delivery for a refund.",
            "Our offices are closed on public holidays.",
        ),
        (
            "Who approves expense claims?",
            "A line manager must sign off all business travel costs.",
            "The pump must be primed before the first use.",
        ),
        (
            "The router does not connect to the internet.",
            "If your network device is offline, restart it and check the cable.",
            "Preheat the oven and grease a baking tin.",
        ),
        (
            "Can I change my password?",
            "Open the account page to set new login credentials.",
            "Whales are the largest mammals that have ever lived.",
        ),
    ],
)
def test_meaning_brings_texts_closer_than_chance(
    embedder: OnnxEmbedder, question: str, passage: str, unrelated: str
) -> None:
    vectors = embedder.embed_sync([question, passage, unrelated])

    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.15


def test_vectors_are_those_of_the_official_model(embedder: OnnxEmbedder) -> None:
    # the first values of the fp32 weights in PyTorch, by evaluation/export_embedder.py
    official = json.loads(Path(__file__).with_name("minilm_official.json").read_text("utf-8"))

    vectors = embedder.embed_sync([row["text"] for row in official])

    cosines = [vectors[i] @ np.asarray(row["vector"]) for i, row in enumerate(official)]
    assert min(cosines) > 0.999


def test_special_tokens_spelled_out_in_a_text_are_plain_text(embedder: OnnxEmbedder) -> None:
    spelled, apart = embedder.embed_sync(["refund [SEP] policy", "refund [ sep ] policy"])

    np.testing.assert_allclose(spelled, apart, atol=1e-5)


def test_what_lies_beyond_the_token_limit_does_not_count(embedder: OnnxEmbedder) -> None:
    short, long = embedder.embed_sync(["word " * 254, "word " * 254 + "elephant " * 9_000])

    np.testing.assert_allclose(short, long, atol=1e-5)


def test_threads_that_start_together_get_the_same_vectors() -> None:
    embedder = OnnxEmbedder()
    start = threading.Barrier(4)

    def embed(_: int) -> np.ndarray:
        start.wait()
        return embedder.embed_sync(["one text", "and another"])

    with ThreadPoolExecutor(4) as pool:
        first, *others = pool.map(embed, range(4))

    for other in others:
        np.testing.assert_array_equal(first, other)


def embed_into(embedder: OnnxEmbedder, queue: multiprocessing.SimpleQueue[bytes]) -> None:
    queue.put(embedder.embed_sync(["text"]).tobytes())


# from Python 3.12 on, forking a process that has threads warns; Celery does it all the same
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("used_before", [False, True])
def test_a_forked_child_embeds_as_its_parent(threads: int, *, used_before: bool) -> None:
    embedder = OnnxEmbedder(threads=threads)
    if used_before:
        embedder.embed_sync(["warm"])
    context = multiprocessing.get_context("fork")
    queue: multiprocessing.SimpleQueue[bytes] = context.SimpleQueue()

    child = context.Process(target=embed_into, args=(embedder, queue))
    child.start()
    child.join(60)
    if child.is_alive():
        child.kill()

    assert child.exitcode == 0
    vectors = np.frombuffer(queue.get(), np.float32)
    np.testing.assert_allclose(vectors, embedder.embed_sync(["text"])[0], atol=1e-5)


@pytest.mark.parametrize("wrong", [{"threads": 0}, {"batch_size": 0}])
def test_settings_below_one_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=">= 1"):
        OnnxEmbedder(**wrong)  # type: ignore[arg-type]
