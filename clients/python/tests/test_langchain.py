"""The vector store for LangChain: the standard suite of vector stores, and what is particular to this one."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_tests.integration_tests import VectorStoreIntegrationTests

from semblance_client import Client, Project
from semblance_client.langchain import SemblanceVectorStore


class Positive(DeterministicFakeEmbedding):
    """Of any two texts the similarity is positive: the service finds no others."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [abs(value) for value in super().embed_query(text)]


class Colours(Embeddings):
    """Of a text with numbers, these: "red 1 0 0"."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [float(word) for word in text.split()[1:]]


class TestStandard(VectorStoreIntegrationTests):
    @staticmethod
    def get_embeddings() -> Embeddings:
        return Positive(size=6)

    @pytest.fixture
    def vectorstore(self, client: Client) -> SemblanceVectorStore:
        project = client.project("standard", dimensions=6, model="fake")
        return SemblanceVectorStore(project, self.get_embeddings())


TEXTS = ["red 1 0 0", "orange 1 0.5 0", "violet 1 0 1", "cyan -1 0 0.25"]
IDS = ["red", "orange", "violet", "cyan"]
TONES: list[dict[str, Any]] = [
    {"tone": "warm"},
    {"tone": "warm", "a.b": 1},
    {"tone": "cold", "of": {"r": 1}},
    {"tone": "cold"},
]


@pytest.fixture
def store(project: Project) -> SemblanceVectorStore:
    return SemblanceVectorStore.from_texts(TEXTS, Colours(), TONES, ids=IDS, project=project)


def ids_of(documents: list[Document]) -> list[str | None]:
    return [document.id for document in documents]


def test_searches(store: SemblanceVectorStore) -> None:
    found = store.similarity_search_with_score("? 1 0.4 0")
    assert [document.id for document, _ in found] == ["orange", "red", "violet"]
    assert found[1][1] == pytest.approx(1 / np.sqrt(1.16), abs=1e-6)
    assert store.similarity_search_with_relevance_scores("? 1 0.4 0") == found
    assert found[0][0] == Document(id="orange", page_content=TEXTS[1], metadata=TONES[1])
    assert ids_of(store.similarity_search_by_vector([1, 0.4, 0], k=1)) == ["orange"]
    assert store.similarity_search("? 1 0 0", k=0) == []
    assert store.max_marginal_relevance_search("? 1 0 0", k=0, fetch_k=0) == []
    assert ids_of(store.similarity_search("? 1 0 0", filter={"tone": "cold"})) == ["violet"]
    assert ids_of(store.similarity_search("? 1 0 0", filter={"a\\.b": 1})) == ["orange"]
    assert ids_of(store.similarity_search("? 1 0 0", filter={"of.r": 1})) == ["violet"]
    assert ids_of(store.similarity_search("? 1 0 0", k=1, words="violet")) == ["violet"]


def test_finds_nothing_of_negative_similarity(store: SemblanceVectorStore) -> None:
    assert ids_of(store.similarity_search("? 1 0 0")) == ["red", "orange", "violet"]
    assert "negative" in str(SemblanceVectorStore.__doc__)
    # Nor are the others hidden by the threshold that is usual elsewhere in the service.
    assert store.similarity_search_with_score("? 0 1 0", k=3)[-1][1] == 0


def test_chooses_what_differs(store: SemblanceVectorStore) -> None:
    store.add_texts(["scarlet 1 0.01 0"], ids=["scarlet"])
    near = store.similarity_search("? 1 0 0", k=2)
    assert ids_of(near) == ["red", "scarlet"]
    differing = store.max_marginal_relevance_search("? 1 0 0", k=2, lambda_mult=0.2)
    assert ids_of(differing) == ["red", "violet"]
    by_vector = store.max_marginal_relevance_search_by_vector([1, 0, 0], k=2, lambda_mult=1)
    assert ids_of(by_vector) == ["red", "scarlet"]


async def test_retrievers(store: SemblanceVectorStore) -> None:
    def found(**options: Any) -> list[str | None]:
        return ids_of(store.as_retriever(**options).invoke("? 1 0 0"))

    assert found(search_kwargs={"k": 1, "filter": {"tone": "cold"}}) == ["violet"]
    assert found(search_type="mmr", search_kwargs={"k": 1}) == ["red"]
    threshold = {"score_threshold": 0.8}
    kind = "similarity_score_threshold"
    assert found(search_type=kind, search_kwargs=threshold) == ["red", "orange"]
    assert ids_of(await store.as_retriever().ainvoke("? 1 0 0")) == ["red", "orange", "violet"]
    documents = [Document(id="pink", page_content="pink 1 0 0.5")]
    made = await SemblanceVectorStore.afrom_documents(documents, Colours(), project=store.project)
    assert ids_of(await made.amax_marginal_relevance_search("? 1 0 0.5", k=1)) == ["pink"]


def test_many_at_once(project: Project) -> None:
    store = SemblanceVectorStore(project, Positive(size=3))
    ids = store.add_texts([f"text {number}" for number in range(2_500)])
    assert len(set(ids)) == len(project) == 2_500
    assert len(ids_of(store.similarity_search("text 7", k=450))) == 450
    assert ids_of(store.get_by_ids(ids[::-1])) == ids[::-1]
    assert store.delete(ids[1:]) is True
    assert len(project) == 1


def test_of_equal_ids_the_last_one_counts(store: SemblanceVectorStore) -> None:
    texts = ["first 1 0 0", "other 0 1 0", "last 0 0 1"]
    assert store.add_texts(texts, ids=["same", "other", "same"]) == ["same", "other", "same"]
    assert [each.page_content for each in store.get_by_ids(["same", "nowhere", "other"])] == [
        "last 0 0 1",
        "other 0 1 0",
    ]


@pytest.mark.parametrize(
    ("text", "metadata", "message"),
    [
        ("nul\0 1 0 0", {}, r"texts\[2\] of the document 'b' has the character NUL"),
        ("nul 1 0 0", {"of": ["\0"]}, r"metadata\[2\]\.of\[0\] of the document 'b' has the .* NUL"),
        ("nan 1 0 0", {"of": float("nan")}, r"metadata\[2\]\.of of the document 'b' is nan"),
        ("zero 0 0 0", {}, r"vectors\[2\] of the document 'b' is zero"),
    ],
)
def test_says_what_cannot_be_stored(
    store: SemblanceVectorStore, text: str, metadata: dict[str, Any], message: str
) -> None:
    texts = ["first 1 0 0", "last 1 0 0", text]
    with pytest.raises(ValueError, match=message):
        store.add_texts(texts, [{}, {}, metadata], ids=["a", "a", "b"])
    assert store.get_by_ids(["a", "b"]) == []


def test_refuses_what_does_not_fit(store: SemblanceVectorStore) -> None:
    assert store.add_texts([]) == []
    with pytest.raises(ValueError, match="2 texts and 1 ids"):
        store.add_texts(TEXTS[:2], ids=["one"])
    with pytest.raises(ValueError, match="1 texts and 2 metadatas"):
        store.add_texts(TEXTS[:1], [{}, {}])
    with pytest.raises(TypeError, match="where"):
        store.delete(where={"tone": "warm"})
    with pytest.raises(TypeError, match="project is str, not a project of Client"):
        SemblanceVectorStore.from_texts(TEXTS, Colours(), project="notes")  # type: ignore[arg-type]
    assert len(store.project) == 4


def test_deletes(store: SemblanceVectorStore) -> None:
    store.delete([])
    assert len(store.project) == 4
    store.delete(filter={"tone": "warm"})
    assert ids_of(store.get_by_ids(IDS)) == ["violet", "cyan"]
    store.delete()
    assert len(store.project) == 0


def test_reads_what_was_stored_otherwise(colours: Project) -> None:
    colours.upload(["bare"], [[0, 1, 0]])
    store = SemblanceVectorStore(colours, Colours())
    assert store.similarity_search("? 0 1 0", k=1) == [Document(id="bare", page_content="")]
    assert store.get_by_ids(["red"])[0].metadata == {"tone": "warm"}


def test_is_indexed(project: Project) -> None:
    store = SemblanceVectorStore(project, Positive(size=3))
    records = InMemoryRecordManager("tests")
    records.create_schema()
    documents = [
        Document(page_content=f"text {n}", metadata={"source": f"{n % 2}"}) for n in range(6)
    ]

    def indexed(given: list[Document]) -> tuple[int, int]:
        options: dict[str, Any] = {"cleanup": "full", "source_id_key": "source"}
        done = index(given, records, store, key_encoder="sha256", **options)
        return done["num_added"], done["num_deleted"]

    assert indexed(documents) == (6, 0)
    assert indexed(documents[:4]) == (0, 2)
    assert len(project) == 4


def test_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith("semblance_client")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("langchain_core.documents", "llama_index.core.schema"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"pip install './clients/python\[langchain\]'"):
        __import__("semblance_client.langchain")
    with pytest.raises(ImportError, match=r"pip install './clients/python\[llama-index\]'"):
        __import__("semblance_client.llama_index")
