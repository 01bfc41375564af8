"""A LangChain retriever over a gateway: `pip install 'mithridate[langchain]'`."""

from __future__ import annotations

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import SecretStr

from gateway.adapters.evidence import Passage, aretrieve, retrieve


class MithridateRetriever(BaseRetriever):
    """Documents of a gateway's guarded retrieval, established origins first.

    `metadata` says whose a document is and how far it is trusted; `family` is the same for those
    that say the same. The limits only narrow the gateway's own.
    """

    url: str
    api_key: SecretStr
    established_limit: int | None = None
    pool_limit: int | None = None
    min_trust: float | None = None
    origins: list[str] | None = None
    timeout_seconds: float = 30.0

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        del run_manager
        key, options = self.api_key.get_secret_value(), self._options()
        found = retrieve(self.url, key, query, options, timeout_seconds=self.timeout_seconds)
        return [_document(passage) for passage in found]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun
    ) -> list[Document]:
        del run_manager
        key, options = self.api_key.get_secret_value(), self._options()
        found = await aretrieve(self.url, key, query, options, timeout_seconds=self.timeout_seconds)
        return [_document(passage) for passage in found]

    def _options(self) -> dict[str, object]:
        return {
            "established_limit": self.established_limit,
            "pool_limit": self.pool_limit,
            "min_trust": self.min_trust,
            "origins": self.origins,
        }


def _document(passage: Passage) -> Document:
    metadata = {**passage.facts, "similarity": passage.similarity}
    return Document(id=passage.id, page_content=passage.text, metadata=metadata)
