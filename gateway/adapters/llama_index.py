"""A LlamaIndex retriever over a gateway: `pip install 'mithridate[llama-index]'`."""

from __future__ import annotations

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from gateway.adapters.evidence import Passage, aretrieve, retrieve


class MithridateRetriever(BaseRetriever):
    """Nodes of a gateway's guarded retrieval, established origins first.

    The score is the similarity. Metadata says whose a node is and how far it is trusted; it is
    kept out of what a language model or an embedder reads, which LlamaIndex would show it to:
    titles and addresses are text of strangers.
    """

    def __init__(
        self,
        *,
        url: str,
        api_key: str,
        established_limit: int | None = None,
        pool_limit: int | None = None,
        min_trust: float | None = None,
        origins: list[str] | None = None,
        timeout_seconds: float = 30.0,
    ) -> None:
        super().__init__()
        self._url = url
        self._api_key = api_key
        self._timeout_seconds = timeout_seconds
        self._options: dict[str, object] = {
            "established_limit": established_limit,
            "pool_limit": pool_limit,
            "min_trust": min_trust,
            "origins": origins,
        }

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = retrieve(
            self._url,
            self._api_key,
            query_bundle.query_str,
            self._options,
            timeout_seconds=self._timeout_seconds,
        )
        return [_node(passage) for passage in found]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = await aretrieve(
            self._url,
            self._api_key,
            query_bundle.query_str,
            self._options,
            timeout_seconds=self._timeout_seconds,
        )
        return [_node(passage) for passage in found]


def _node(passage: Passage) -> NodeWithScore:
    kept_back = list(passage.facts)
    node = TextNode(
        id_=passage.id,
        text=passage.text,
        metadata=passage.facts,
        excluded_llm_metadata_keys=kept_back,
        excluded_embed_metadata_keys=kept_back,
    )
    return NodeWithScore(node=node, score=passage.similarity)
