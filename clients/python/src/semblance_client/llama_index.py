"""A vector store for LlamaIndex. It needs `pip install './clients/python[llama-index]'`.

from semblance_client import Client
from semblance_client.llama_index import SemblanceVectorStore

notes = Client().project("notes", dimensions=384, model="all-MiniLM-L6-v2")
context = StorageContext.from_defaults(vector_store=SemblanceVectorStore(notes))
index = VectorStoreIndex.from_documents(documents, storage_context=context, embed_model=model)
index.as_retriever().retrieve("How long does bread bake?")
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from ._convert import NotStorable
from ._stores import fetch, missing, nearest, needed, put
from .project import Project
from .results import Hit

try:
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.schema import BaseNode, MetadataMode, TextNode
    from llama_index.core.vector_stores.types import (
        BasePydanticVectorStore,
        MetadataFilters,
        VectorStoreQuery,
        VectorStoreQueryMode,
        VectorStoreQueryResult,
    )
    from llama_index.core.vector_stores.utils import metadata_dict_to_node, node_to_metadata_dict

    from ._llama_filters import all_of, few_enough, filter_of
except ImportError as error:
    raise missing("llama-index") from error

NEEDED = {
    VectorStoreQueryMode.DEFAULT: ("query_embedding",),
    VectorStoreQueryMode.MMR: ("query_embedding",),
    VectorStoreQueryMode.TEXT_SEARCH: ("query_str",),
    VectorStoreQueryMode.SPARSE: ("query_str",),
    VectorStoreQueryMode.HYBRID: ("query_embedding", "query_str"),
}


class SemblanceVectorStore(BasePydanticVectorStore):
    """The nodes of a project, with their texts. Embeddings of another origin are nodes without relations.

    A key of a filter is one key of the metadata, also where it has dots. The operators IS_EMPTY, TEXT_MATCH and
    TEXT_MATCH_INSENSITIVE raise NotImplementedError. Modes of queries are DEFAULT, MMR, TEXT_SEARCH (or SPARSE) for
    the words of the question, and HYBRID for both, where `alpha` is the share of the vector.

    Similarities are cosines from 0 to 1; nodes of a negative one are never found, so a query may find fewer than
    it asks for. Those of the modes with words are what the service ranks by.
    """

    stores_text: bool = True
    _project: Project = PrivateAttr()

    def __init__(self, project: Project) -> None:
        super().__init__(stores_text=True)
        self._project = needed(project)

    @classmethod
    def class_name(cls) -> str:
        """The name of this class."""
        return "SemblanceVectorStore"

    @property
    def client(self) -> Project:
        """The project."""
        return self._project

    def add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        """Stores nodes, which have embeddings, in place of those with the same ids.

        Raises ValueError, before anything is stored, that names the first that is not storable at all. What is
        too large for the server is refused by it, when others may be stored already.
        """
        for row, node in enumerate(nodes):
            _refuse_changed(node.metadata, row, "", node.node_id)
        ids = [node.node_id for node in nodes]
        vectors = [node.get_embedding() for node in nodes]
        texts = [node.get_content(metadata_mode=MetadataMode.NONE) for node in nodes]
        metadata = [node_to_metadata_dict(node, remove_text=True) for node in nodes]
        put(self._project, ids, vectors, texts, metadata)
        return ids

    def delete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """Deletes the nodes of a document."""
        self._project.delete(filter={"ref_doc_id": ref_doc_id})

    def delete_nodes(
        self,
        node_ids: list[str] | None = None,
        filters: MetadataFilters | None = None,
        **delete_kwargs: Any,
    ) -> None:
        """Deletes the nodes of these ids, those that satisfy filters, or those that do both."""
        condition = filter_of(filters)
        if node_ids is None and condition is None:
            raise ValueError("give node_ids or filters; clear() deletes all nodes")
        if node_ids is None:
            self._project.delete(filter=condition)
            return
        if condition is not None:
            found = self._project.get(node_ids, filter=condition, include=(), progress=False)
            node_ids = found.ids
        self._project.delete(node_ids)

    def get_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None
    ) -> list[BaseNode]:
        """The nodes of these ids, in their order, those that satisfy filters, or all; without embeddings."""
        return [_node(hit) for hit in fetch(self._project, node_ids, filter_of(filters))]

    def clear(self) -> None:
        """Deletes all nodes, and whatever else the project has."""
        self._project.delete(everything=True)

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """The most similar nodes.

        Beside `query.filters`, `filter` is one in the form of the service. With the mode MMR, `mmr_threshold` is 1
        for similarity alone; the server chooses among ten times as many, whatever `mmr_prefetch_factor` is. Other
        keywords are those of `Project.search`.
        """
        # An index whose store has the texts knows no nodes, and gives an empty list for all.
        documents = few_enough("ref_doc_id", query.doc_ids)
        among = {"ref_doc_id": documents, "text_id": query.node_ids or None}
        chosen = [{field: {"$in": ids}} for field, ids in among.items() if ids is not None]
        condition = all_of(filter_of(query.filters), *chosen, kwargs.pop("filter", None))
        options = {"filter": condition, **kwargs}
        hits = self._hits(query, options)
        return VectorStoreQueryResult(
            nodes=[_node(hit) for hit in hits],
            similarities=[hit.similarity if hit.score is None else hit.score for hit in hits],
            ids=[hit.id for hit in hits],
        )

    def _hits(self, query: VectorStoreQuery, options: dict[str, Any]) -> list[Hit]:
        mode, k = VectorStoreQueryMode(query.mode), query.similarity_top_k
        if mode not in NEEDED:
            raise NotImplementedError(f"Semblance has no queries of the mode {mode.name}")
        needed = {name: getattr(query, name) for name in NEEDED[mode]}
        if absent := [name for name, value in needed.items() if value is None]:
            raise ValueError(f"a query of the mode {mode.name} needs {absent[0]}")
        options.pop("mmr_prefetch_factor", None)
        relevance = options.pop("mmr_threshold", query.mmr_threshold)
        if mode == VectorStoreQueryMode.MMR:
            options["diversity"] = 1 - (0.5 if relevance is None else relevance)
        if mode == VectorStoreQueryMode.HYBRID:
            k = query.hybrid_top_k or k
            if query.alpha is not None:
                options["weights"] = {"vector": query.alpha, "words": 1 - query.alpha}
        vector, words = needed.get("query_embedding"), needed.get("query_str")
        return nearest(self._project, vector, k, words=words, **options)

    async def async_add(self, nodes: Sequence[BaseNode], **kwargs: Any) -> list[str]:
        """`add` in a thread."""
        return await asyncio.to_thread(self.add, nodes, **kwargs)

    async def adelete(self, ref_doc_id: str, **delete_kwargs: Any) -> None:
        """`delete` in a thread."""
        await asyncio.to_thread(self.delete, ref_doc_id, **delete_kwargs)

    async def adelete_nodes(
        self,
        node_ids: list[str] | None = None,
        filters: MetadataFilters | None = None,
        **delete_kwargs: Any,
    ) -> None:
        """`delete_nodes` in a thread."""
        await asyncio.to_thread(self.delete_nodes, node_ids, filters, **delete_kwargs)

    async def aget_nodes(
        self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None
    ) -> list[BaseNode]:
        """`get_nodes` in a thread."""
        return await asyncio.to_thread(self.get_nodes, node_ids, filters)

    async def aclear(self) -> None:
        """`clear` in a thread."""
        await asyncio.to_thread(self.clear)

    async def aquery(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """`query` in a thread."""
        return await asyncio.to_thread(self.query, query, **kwargs)


def _node(hit: Hit) -> BaseNode:
    metadata, text = hit.metadata or {}, hit.text or ""
    if "_node_content" in metadata:
        return metadata_dict_to_node(metadata, text=text)
    return TextNode(id_=hit.id, text=text, metadata=metadata)


def _refuse_changed(value: Any, row: int, path: str, node_id: str) -> None:
    """Raises NotStorable for numbers of which LlamaIndex would make null."""
    if isinstance(value, float) and not isfinite(value):
        problem = f"of the document {node_id!r} is {value}, which JSON does not have"
        raise NotStorable(row, path, problem, "metadata")
    if isinstance(value, Mapping):
        for key, item in value.items():
            _refuse_changed(item, row, f"{path}.{key}", node_id)
    elif isinstance(value, list | tuple | set | frozenset):
        for at, item in enumerate(value):
            _refuse_changed(item, row, f"{path}[{at}]", node_id)
