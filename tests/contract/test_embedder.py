"""What every `Embedder` must do. Add an embedder by adding a parameter, not a test file."""

from __future__ import annotations

import json
from collections.abc import Callable

import httpx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from backends.embedder_hashing import HashingEmbedder
from backends.embedder_onnx import SHIPPED_MANIFEST_SHA256, OnnxEmbedder
from backends.embedder_openai import OpenAIEmbedder
from domain.retrieval import Embedder

pytestmark = pytest.mark.anyio


def endpoint(request: httpx.Request) -> httpx.Response:
    """Answer as OpenAI does: refuses an empty text; vectors numbered, in no order, of any length."""
    body = json.loads(request.content)
    if not all(body["input"]):
        return httpx.Response(400, json={"error": {"message": "input cannot be an empty string"}})
    vectors = HashingEmbedder().embed_sync(body["input"]) * 3
    data = [
        {"object": "embedding", "index": index, "embedding": vector.tolist()}
        for index, vector in enumerate(vectors)
    ]
    reply = {"object": "list", "data": data[::-1], "model": body["model"], "usage": {}}
    return httpx.Response(200, json=reply)


def over_http() -> OpenAIEmbedder:
    return OpenAIEmbedder(
        client=httpx.AsyncClient(transport=httpx.MockTransport(endpoint)),
        base_url="http://embeddings.test/v1",
        model="m",
        dimensions=384,
        api_key=SecretStr("k"),
        batch_size=4,
    )


def onnx() -> OnnxEmbedder:
    return OnnxEmbedder(manifest_sha256=SHIPPED_MANIFEST_SHA256, batch_size=4)


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(onnx, id="onnx", marks=pytest.mark.models),
        pytest.param(HashingEmbedder, id="hashing"),
        pytest.param(over_http, id="openai"),
    ],
)
def embedder(request: pytest.FixtureRequest) -> Embedder:
    make: Callable[[], Embedder] = request.param
    return make()


TEXTS = (
    "How do I return a broken kettle?",
    "Kettles can be returned within 30 days of delivery.",
    "The board met on 3 March and approved the accounts.",
    "Wie kann ich mein Passwort zurücksetzen?",
    "x",
    "The warranty covers manufacturing faults, not wear. " * 12,
    "SELECT name FROM users WHERE id = 7;",
)

ODD = (
    pytest.param("", id="empty"),
    pytest.param(" \n\t ", id="white space"),
    pytest.param("\x00\x07", id="control characters"),
    pytest.param("\u200b\u2060\ufeff", id="zero width"),
    pytest.param("a\ud800b", id="lone surrogate"),
    pytest.param("\U000e0041\U000e0042", id="tag characters"),
    pytest.param("e" + "\u0301" * 500, id="stacked accents"),
    pytest.param("\u202eabc\u202c", id="bidirectional override"),
    pytest.param("日本語のテキスト", id="Japanese"),
    pytest.param("مرحبا بالعالم", id="Arabic"),
    pytest.param("👩‍👩‍👧‍👦🏴‍☠️", id="emoji sequences"),
    pytest.param("[CLS] [SEP] [PAD] [MASK] [UNK]", id="special tokens"),
    pytest.param("<|endoftext|>", id="end of text"),
    pytest.param("a" * 5_000, id="one long word"),
    pytest.param("word " * 20_000, id="very long"),
)


async def test_a_vector_a_text_of_the_stated_dimensions(embedder: Embedder) -> None:
    vectors = await embedder.embed(TEXTS)

    assert vectors.shape == (len(TEXTS), embedder.dimensions)
    assert vectors.dtype == np.float32


async def test_no_texts_give_no_vectors(embedder: Embedder) -> None:
    vectors = await embedder.embed([])

    assert vectors.shape == (0, embedder.dimensions)
    assert vectors.dtype == np.float32


async def test_vectors_have_unit_length(embedder: Embedder) -> None:
    vectors = await embedder.embed(TEXTS)

    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


async def test_vectors_come_in_the_order_of_the_texts(embedder: Embedder) -> None:
    forward = await embedder.embed(TEXTS)
    backward = await embedder.embed(TEXTS[::-1])

    np.testing.assert_allclose(backward[::-1], forward, atol=1e-3)
    assert len({tuple(row.round(3)) for row in forward}) == len(TEXTS)


async def test_the_same_texts_give_the_same_vectors(embedder: Embedder) -> None:
    first, second = await embedder.embed(TEXTS), await embedder.embed(TEXTS)

    np.testing.assert_array_equal(first, second)


async def test_a_text_s_vector_does_not_depend_on_its_neighbours(embedder: Embedder) -> None:
    together = await embedder.embed([*TEXTS, "!" * 400, "Ignore all that. " * 90])
    alone = [(await embedder.embed([text]))[0] for text in TEXTS]

    np.testing.assert_allclose(together[: len(TEXTS)], alone, atol=1e-4)


async def test_repeated_texts_all_get_their_vector(embedder: Embedder) -> None:
    vectors = await embedder.embed(["same"] * 9)

    np.testing.assert_allclose(vectors, np.tile(vectors[0], (9, 1)), atol=1e-4)


@pytest.mark.parametrize("text", ODD)
async def test_odd_texts_have_unit_vectors_too(embedder: Embedder, text: str) -> None:
    vectors = await embedder.embed([text, "plain"])

    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


@given(texts=st.lists(st.text(st.characters(), max_size=30), max_size=4))
@settings(max_examples=25, deadline=None)
async def test_any_texts_have_finite_unit_vectors(embedder: Embedder, texts: list[str]) -> None:
    vectors = await embedder.embed(texts)

    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), np.ones(len(texts)), atol=1e-5)


async def test_the_version_names_the_model(embedder: Embedder) -> None:
    name, _, weights = embedder.version.partition(":")

    assert name
    assert weights
