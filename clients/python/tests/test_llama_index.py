"""The vector store for LlamaIndex."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from llama_index.core import Document, MockEmbedding, StorageContext, VectorStoreIndex
from llama_index.core.schema import (
    BaseNode,
    ImageNode,
    IndexNode,
    NodeRelationship,
    RelatedNodeInfo,
    TextNode,
)
from llama_index.core.vector_stores.types import (
    FilterCondition,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)
from llama_index.core.vector_stores.types import FilterOperator as Op

from semblance_client import Project
from semblance_client.llama_index import SemblanceVectorStore


def node(
    node_id: str, vector: list[float], metadata: dict[str, Any], document: str = "a"
) -> TextNode:
    parent = RelatedNodeInfo(node_id=document)
    return TextNode(
        id_=node_id,
        text=f"The colour {node_id}",
        embedding=vector,
        metadata=metadata,
        relationships={NodeRelationship.SOURCE: parent},
    )


NODES = [
    node("red", [1, 0, 0], {"tone": "warm", "rank": 1, "tags": ["fire", "blood"]}),
    node("orange", [1, 0.5, 0], {"tone": "warm", "rank": 2, "tags": ["fire"], "a.b": "dot"}),
    node("violet", [1, 0, 1], {"tone": "cold", "rank": 3.5, "tags": [], "text_id": "mine"}, "b"),
    node("cyan", [-1, 0, 0.25], {"tone": "cold", "none": None}, "b"),
]


@pytest.fixture
def store(project: Project) -> SemblanceVectorStore:
    made = SemblanceVectorStore(project)
    assert made.add(NODES) == ["red", "orange", "violet", "cyan"]
    return made


def found(store: SemblanceVectorStore, **query: Any) -> list[str]:
    given = {"query_embedding": [1.0, 0.0, 0.0], "similarity_top_k": 4, **query}
    return store.query(VectorStoreQuery(**given)).ids or []


def where(key: str, operator: Op, value: Any = None) -> MetadataFilter:
    return MetadataFilter(key=key, operator=operator, value=value)


def both(*filters: Any, condition: FilterCondition | None = None) -> MetadataFilters:
    return MetadataFilters(filters=list(filters), condition=condition)


def test_queries(store: SemblanceVectorStore) -> None:
    result = store.query(VectorStoreQuery(query_embedding=[1, 0.4, 0], similarity_top_k=4))
    assert result.ids == ["orange", "red", "violet"]
    assert result.similarities == sorted(result.similarities or [], reverse=True)
    assert result.nodes is not None
    first = result.nodes[0]
    assert first == NODES[1].model_copy(update={"embedding": None})
    assert first.get_content() == "The colour orange"
    assert first.ref_doc_id == "a"
    assert found(store, similarity_top_k=0) == []
    assert found(store, similarity_top_k=1) == ["red"]
    assert found(store, doc_ids=["b"]) == ["violet"]
    assert found(store, node_ids=["orange", "cyan"]) == ["orange"]
    # As an index gives them that knows no nodes.
    assert found(store, node_ids=[]) == ["red", "orange", "violet"]
    assert found(store, doc_ids=[]) == []
    query = VectorStoreQuery(query_embedding=[1, 0, 0], similarity_top_k=4)
    assert store.query(query, filter={"tone": "cold"}).ids == ["violet"]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (where("tone", Op.EQ, "warm"), "red orange"),
        (where("tone", Op.NE, "warm"), "violet cyan"),
        (where("rank", Op.GT, 2), "violet"),
        (where("rank", Op.GTE, 2), "orange violet"),
        (where("rank", Op.LT, 2), "red"),
        (where("rank", Op.LTE, 2), "red orange"),
        (where("rank", Op.EQ, 3.5), "violet"),
        (where("rank", Op.IN, [1, 2]), "red orange"),
        (where("rank", Op.NIN, [1, 2]), "violet cyan"),
        (where("tags", Op.CONTAINS, "fire"), "red orange"),
        (where("tags", Op.ANY, ["blood", "sky"]), "red"),
        (where("tags", Op.ALL, ["fire", "blood"]), "red"),
        (where("a.b", Op.EQ, "dot"), "orange"),
        (where("text_id", Op.EQ, "mine"), "violet"),
        (both(), "red orange violet cyan"),
        (both(both()), "red orange violet cyan"),
        # As in LlamaIndex: none of no filters matches.
        (both(condition=FilterCondition.NOT), "red orange violet cyan"),
        (both(where("tone", Op.EQ, "warm"), where("rank", Op.GT, 1)), "orange"),
        (
            both(where("rank", Op.EQ, 1), where("rank", Op.GT, 3), condition=FilterCondition.OR),
            "red violet",
        ),
        (
            both(where("rank", Op.EQ, 1), where("rank", Op.GT, 3), condition=FilterCondition.NOT),
            "orange cyan",
        ),
        (
            both(
                both(where("tone", Op.EQ, "cold"), condition=FilterCondition.NOT),
                both(
                    where("rank", Op.EQ, 2), where("rank", Op.EQ, 3), condition=FilterCondition.OR
                ),
                condition=FilterCondition.AND,
            ),
            "orange",
        ),
    ],
)
def test_filters(
    store: SemblanceVectorStore, condition: MetadataFilter | MetadataFilters, expected: str
) -> None:
    filters = condition if isinstance(condition, MetadataFilters) else both(condition)
    names = {each.node_id for each in store.get_nodes(filters=filters)}
    assert names == set(expected.split())
    assert set(found(store, filters=filters)) == names - {"cyan"}


@pytest.mark.parametrize("operator", [Op.IS_EMPTY, Op.TEXT_MATCH, Op.TEXT_MATCH_INSENSITIVE])
def test_names_the_operator_that_is_not_there(store: SemblanceVectorStore, operator: Op) -> None:
    with pytest.raises(NotImplementedError, match=operator.name):
        store.get_nodes(filters=both(where("tone", operator, "warm")))


@pytest.mark.parametrize("operator", [Op.IN, Op.NIN, Op.ANY])
def test_compares_with_as_many_values_as_the_service(
    store: SemblanceVectorStore, operator: Op
) -> None:
    store.get_nodes(filters=both(where("rank", operator, list(range(200)))))
    with pytest.raises(ValueError, match="'rank' has 201 values; a filter has at most 200"):
        store.get_nodes(filters=both(where("rank", operator, list(range(201)))))


def test_finds_nodes_of_as_many_documents_as_the_service(store: SemblanceVectorStore) -> None:
    assert len(found(store, doc_ids=["a", *map(str, range(199))])) == 2
    with pytest.raises(ValueError, match="'ref_doc_id' has 201 values"):
        found(store, doc_ids=["a", *map(str, range(200))])


@pytest.mark.parametrize("condition", [FilterCondition.NOT, FilterCondition.OR])
def test_refuses_an_empty_group_where_it_decides(
    store: SemblanceVectorStore, condition: FilterCondition
) -> None:
    group = both(both(), where("tone", Op.EQ, "warm"), condition=condition)
    with pytest.raises(ValueError, match=f"{condition.name} has a group without filters"):
        store.get_nodes(filters=group)
    with pytest.raises(ValueError, match=f"{condition.name} has a group without filters"):
        store.delete_nodes(filters=both(both(both()), condition=condition))


def test_chooses_what_differs(store: SemblanceVectorStore) -> None:
    store.add([node("scarlet", [1, 0.01, 0], {})])
    query = VectorStoreQuery(
        query_embedding=[1, 0, 0],
        similarity_top_k=2,
        mode=VectorStoreQueryMode.MMR,
        mmr_threshold=0.2,
    )
    result = store.query(query)
    assert result.ids == ["red", "violet"]
    assert result.similarities == pytest.approx([1, 0.5**0.5], abs=1e-6)
    assert store.query(query, mmr_threshold=1.0).ids == ["red", "scarlet"]
    assert store.query(query, mmr_prefetch_factor=1).ids == ["red", "violet"]
    assert found(store, mode=VectorStoreQueryMode.MMR, similarity_top_k=0) == []


def test_finds_words(store: SemblanceVectorStore) -> None:
    words = VectorStoreQueryMode.TEXT_SEARCH
    assert found(store, mode=words, query_str="violet cyan -cyan", query_embedding=None) == [
        "violet"
    ]
    assert found(store, mode=words, query_str="...") == []
    filters = both(where("tone", Op.EQ, "cold"))
    assert found(store, mode=words, query_str="colour", filters=filters, similarity_top_k=1) != []
    hybrid = VectorStoreQueryMode.HYBRID
    assert found(store, mode=hybrid, query_str="cyan", alpha=0.0)[0] == "cyan"
    assert found(store, mode=hybrid, query_str="cyan", alpha=1.0)[0] == "red"
    assert len(found(store, mode=hybrid, query_str="cyan", hybrid_top_k=1)) == 1
    result = store.query(VectorStoreQuery(query_str="cyan", mode=words))
    assert result.similarities is not None and result.similarities[0] > 0


def test_names_what_is_missing(store: SemblanceVectorStore) -> None:
    with pytest.raises(NotImplementedError, match="SVM"):
        found(store, mode=VectorStoreQueryMode.SVM)
    for mode, lacking in (("default", "query_embedding"), ("hybrid", "query_str")):
        with pytest.raises(ValueError, match=lacking):
            found(store, mode=VectorStoreQueryMode(mode), **{lacking: None})


def test_gets_and_deletes(store: SemblanceVectorStore, project: Project) -> None:
    def ids(nodes: Sequence[BaseNode]) -> list[str]:
        return [each.node_id for each in nodes]

    assert ids(store.get_nodes(["violet", "nowhere", "red"])) == ["violet", "red"]
    assert ids(store.get_nodes()) == ["cyan", "orange", "red", "violet"]
    warm = both(where("tone", Op.EQ, "warm"))
    store.delete_nodes(["red", "cyan", "nowhere"], warm)
    assert ids(store.get_nodes()) == ["cyan", "orange", "violet"]
    store.delete_nodes([])
    with pytest.raises(ValueError, match="clear"):
        store.delete_nodes()
    assert len(project) == 3
    store.delete("b")
    store.delete("nowhere")
    assert ids(store.get_nodes()) == ["orange"]
    store.delete_nodes(filters=both(where("tone", Op.EQ, "cold")))
    store.delete_nodes(["orange"])
    assert len(project) == 0
    store.add(NODES)
    store.clear()
    assert store.get_nodes() == []
    assert store.client is project


def test_replaces(store: SemblanceVectorStore, project: Project) -> None:
    assert store.add([]) == []
    store.add([node("red", [0, 1, 0], {}), node("red", [0, 0, 1], {"of": {"r": [1]}})])
    assert len(project) == 4
    assert store.get_nodes(["red"])[0].metadata == {"of": {"r": [1]}}
    with pytest.raises(ValueError, match=r"metadata\[0\]\.a of the document 'nul' has .* NUL"):
        store.add([node("nul", [1, 0, 0], {"a": "\0"})])
    for lost in (float("nan"), [1, {"b": float("inf")}]):
        with pytest.raises(ValueError, match=r"metadata\[1\]\.a.* of the document 'lost' is "):
            store.add([node("new", [1, 0, 0], {}), node("lost", [1, 0, 0], {"a": lost})])
    assert len(project) == 4
    with pytest.raises(ValueError, match="embedding not set"):
        store.add([TextNode(text="without")])


def test_keeps_the_kinds_of_nodes(project: Project) -> None:
    nodes: list[BaseNode] = [
        ImageNode(id_="image", image_path="a.png", embedding=[1, 0, 0]),
        IndexNode(id_="index", index_id="other", text="words", embedding=[1, 0, 1]),
    ]
    store = SemblanceVectorStore(project)
    store.add(nodes)
    for given, kept in zip(nodes, store.get_nodes(["image", "index"]), strict=True):
        assert type(kept) is type(given)
        assert kept.get_content() == given.get_content()


def test_reads_what_was_stored_otherwise(colours: Project) -> None:
    (kept,) = SemblanceVectorStore(colours).get_nodes(["violet"])
    assert kept == TextNode(
        id_="violet", text="The colour violet", metadata={"tone": "cold", "of": {"r": 1}}
    )


async def test_does_all_in_threads(project: Project) -> None:
    store = SemblanceVectorStore(project)
    await store.async_add(NODES)
    assert (await store.aquery(VectorStoreQuery(query_embedding=[1, 0, 0]))).ids == ["red"]
    await store.adelete("b")
    await store.adelete_nodes(["red"])
    assert [each.node_id for each in await store.aget_nodes()] == ["orange"]
    await store.aclear()
    assert len(project) == 0


def test_is_the_store_of_an_index(project: Project) -> None:
    store = SemblanceVectorStore(project)
    model = MockEmbedding(embed_dim=3)
    documents = [Document(text=f"Text {n}", doc_id=f"{n}", metadata={"n": n}) for n in range(3)]
    context = StorageContext.from_defaults(vector_store=store)
    VectorStoreIndex.from_documents(documents, storage_context=context, embed_model=model)
    index = VectorStoreIndex.from_vector_store(store, embed_model=model)
    filters = both(where("n", Op.EQ, 1))
    (hit,) = index.as_retriever(filters=filters).retrieve("a question")
    assert (hit.text, hit.metadata, hit.node.ref_doc_id) == ("Text 1", {"n": 1}, "1")
    index.delete_ref_doc("1")
    assert len(project) == 2
    hits = index.as_retriever(vector_store_query_mode="text_search").retrieve("text 2")
    assert hits[0].text == "Text 2"
