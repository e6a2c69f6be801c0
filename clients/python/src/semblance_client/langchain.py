"""A vector store for LangChain. It needs `pip install './clients/python[langchain]'`.

from semblance_client import Client
from semblance_client.langchain import SemblanceVectorStore

notes = Client().project("notes", dimensions=384, model="all-MiniLM-L6-v2")
store = SemblanceVectorStore.from_texts(texts, embedding, project=notes)
store.as_retriever().invoke("How long does bread bake?")
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from uuid import uuid4

from ._stores import fetch, missing, nearest, needed, put
from .project import Filter, Project
from .results import Hit

try:
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import VectorStore
except ImportError as error:
    raise missing("langchain") from error


class SemblanceVectorStore(VectorStore):
    """The texts of a project, with vectors that `embedding` makes.

    `filter` has the form of the service, such as {"ref.book": "Luke"}; a dot within a key has a backslash before it.
    Other keywords of searches are those of `Project.search`, such as `words`, `exact` or `threshold`.

    Scores are cosine similarities from 0 to 1. Documents of a negative one are never found, so a search may find
    fewer than `k`. There is no threshold unless you give one.
    """

    def __init__(self, project: Project, embedding: Embeddings) -> None:
        self.project = needed(project)
        self._embedding = embedding

    @property
    def embeddings(self) -> Embeddings:
        """What makes the vectors."""
        return self._embedding

    @classmethod
    def from_texts(  # type: ignore[override]
        cls,
        texts: list[str],
        embedding: Embeddings,
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: list[str] | None = None,
        project: Project,
        **kwargs: Any,
    ) -> SemblanceVectorStore:
        """A store of this project, to which the texts are added."""
        store = cls(project, embedding, **kwargs)
        store.add_texts(texts, metadatas, ids=ids)
        return store

    def add_texts(
        self,
        texts: Iterable[str],
        metadatas: list[dict[str, Any]] | None = None,
        *,
        ids: Sequence[str | None] | None = None,
        **kwargs: Any,
    ) -> list[str]:
        """Stores texts, in place of those with the same ids; one without an id gets a UUID.

        Raises ValueError, before anything is stored, that names the first that is not storable at all. What is
        too large for the server is refused by it, when others may be stored already.
        """
        given = list(texts)
        metadata = [{} for _ in given] if metadatas is None else metadatas
        named = [None for _ in given] if ids is None else ids
        for what, values in (("metadatas", metadata), ("ids", named)):
            if len(values) != len(given):
                raise ValueError(f"there are {len(given)} texts and {len(values)} {what}")
        if not given:
            return []
        known = [str(uuid4()) if text_id is None else text_id for text_id in named]
        put(self.project, known, self._embedding.embed_documents(given), given, metadata)
        return known

    def delete(
        self,
        ids: list[str] | None = None,
        *,
        filter: Filter | None = None,  # noqa: A002
        **kwargs: Any,
    ) -> bool:
        """Deletes the documents of these ids, those that satisfy a filter, or, without either, all.

        Ids that are not there are no error.
        """
        if kwargs:
            # One that was meant to spare documents must not be overlooked.
            raise TypeError(f"delete has no {', '.join(kwargs)}")
        self.project.delete(ids, filter=filter, everything=ids is None and filter is None)
        return True

    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        """The documents of these ids, in their order; those that are not there are left out."""
        return [_document(hit) for hit in fetch(self.project, ids)]

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        """The `k` documents that are most similar to a text."""
        return self.similarity_search_by_vector(self._embedding.embed_query(query), k, **kwargs)

    def similarity_search_by_vector(
        self, embedding: list[float], k: int = 4, **kwargs: Any
    ) -> list[Document]:
        """The `k` documents that are most similar to a vector."""
        return [document for document, _ in self._search(embedding, k, **kwargs)]

    def similarity_search_with_score(
        self, query: str, k: int = 4, **kwargs: Any
    ) -> list[tuple[Document, float]]:
        """The `k` documents that are most similar to a text, each with its cosine similarity."""
        return self._search(self._embedding.embed_query(query), k, **kwargs)

    def _search(self, vector: list[float], k: int, **options: Any) -> list[tuple[Document, float]]:
        hits = nearest(self.project, vector, k, **options)
        return [(_document(hit), hit.similarity) for hit in hits]

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        # A similarity is a score already.
        return float

    def max_marginal_relevance_search(
        self, query: str, k: int = 4, fetch_k: int = 20, lambda_mult: float = 0.5, **kwargs: Any
    ) -> list[Document]:
        """`k` documents that are similar to a text and differ from each other, as `diversity` of a search says.

        `lambda_mult` is 1 for similarity alone. The server chooses among ten times as many, whatever `fetch_k` is.
        """
        vector = self._embedding.embed_query(query)
        return self.max_marginal_relevance_search_by_vector(
            vector, k, fetch_k, lambda_mult, **kwargs
        )

    def max_marginal_relevance_search_by_vector(
        self,
        embedding: list[float],
        k: int = 4,
        fetch_k: int = 20,
        lambda_mult: float = 0.5,
        **kwargs: Any,
    ) -> list[Document]:
        """The same for a vector."""
        return self.similarity_search_by_vector(embedding, k, diversity=1 - lambda_mult, **kwargs)


def _document(hit: Hit) -> Document:
    return Document(id=hit.id, page_content=hit.text or "", metadata=hit.metadata or {})
