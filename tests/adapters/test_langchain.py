from __future__ import annotations

import anyio.to_thread
import pytest

from tests.adapters.conftest import Stocked

pytest.importorskip(
    "langchain_core", reason="needs the extra langchain: `make test-adapters` installs and runs it"
)

from gateway.adapters.evidence import RetrievalError
from gateway.adapters.langchain import MithridateRetriever

pytestmark = pytest.mark.anyio
QUESTION = "When does the quarry road close?"


async def test_documents_carry_text_and_provenance(stocked: Stocked) -> None:
    retriever = MithridateRetriever(url=stocked.url, api_key=stocked.key)

    found = await retriever.ainvoke(QUESTION)

    assert [document.metadata["tier"] for document in found] == ["established", "pool"]
    assert found[0].metadata["origin"] == "publisher:press"
    assert found[0].page_content.endswith("closes at 16:20 in winter.")
    assert "https[:]//evil[.]com" in found[1].page_content
    assert 0 < found[0].metadata["trust"] <= 1


async def test_the_waiting_form_finds_the_same_and_limits_narrow(stocked: Stocked) -> None:
    retriever = MithridateRetriever(url=stocked.url, api_key=stocked.key, pool_limit=0)

    found = await anyio.to_thread.run_sync(retriever.invoke, QUESTION)

    assert [document.metadata["tier"] for document in found] == ["established"]


async def test_a_refusal_is_an_error_that_says_why_and_no_key(stocked: Stocked) -> None:
    retriever = MithridateRetriever(url=stocked.url, api_key="mithridate_wrong")

    with pytest.raises(RetrievalError, match="401") as raised:
        await retriever.ainvoke(QUESTION)

    assert "mithridate_wrong" not in str(raised.value) + repr(retriever)
