from __future__ import annotations

import anyio.to_thread
import pytest

from tests.adapters.conftest import Stocked

pytest.importorskip(
    "llama_index.core",
    reason="needs the extra llama-index: `make test-adapters` installs and runs it",
)

from llama_index.core.schema import MetadataMode

from gateway.adapters.evidence import RetrievalError
from gateway.adapters.llama_index import MithridateRetriever

pytestmark = pytest.mark.anyio
QUESTION = "When does the quarry road close?"


async def test_nodes_carry_text_and_provenance_that_no_model_reads(stocked: Stocked) -> None:
    retriever = MithridateRetriever(url=stocked.url, api_key=stocked.key)

    found = await retriever.aretrieve(QUESTION)

    assert [hit.node.metadata["tier"] for hit in found] == ["established", "pool"]
    assert found[0].node.get_content(MetadataMode.LLM) == found[0].node.get_content()
    assert found[0].node.get_content().endswith("closes at 16:20 in winter.")
    assert found[0].score is not None
    assert -1 <= found[0].score <= 1


async def test_the_waiting_form_finds_the_same_and_limits_narrow(stocked: Stocked) -> None:
    retriever = MithridateRetriever(url=stocked.url, api_key=stocked.key, origins=["uploader:blog"])

    found = await anyio.to_thread.run_sync(retriever.retrieve, QUESTION)

    assert [hit.node.metadata["origin"] for hit in found] == ["uploader:blog"]


async def test_a_gateway_that_is_not_there_is_an_error(stocked: Stocked) -> None:
    retriever = MithridateRetriever(url="http://127.0.0.1:1", api_key=stocked.key)

    with pytest.raises(RetrievalError, match="ConnectError"):
        await retriever.aretrieve(QUESTION)
