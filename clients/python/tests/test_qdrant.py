"""Collections of the local mode of Qdrant's client. Its server is on no package registry, and not tried here."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from conftest import Terminal, User
from qdrant_client import QdrantClient, models

from semblance_client import Client, SemblanceWarning, sources

ID = "550e8400-e29b-41d4-a716-446655440000"
# Qdrant's client leaves a connection open with which it asks SQLite something.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed database:ResourceWarning")
DENSE, SPARSE = models.VectorParams, {"words": models.SparseVectorParams()}


@pytest.fixture
def store(terminal: Terminal) -> Iterator[QdrantClient]:
    """Closed before it is imported: one process at a time has such a folder."""
    client = QdrantClient(path=str(terminal.folder / "qdrant"))
    yield client
    client.close()


def point(name: Any, vector: Any, payload: dict[str, Any] | None = None) -> models.PointStruct:
    return models.PointStruct(id=name, vector=vector, payload=payload)


def imported(terminal: Terminal, collection: str, *more: str, code: int = 0) -> tuple[str, str]:
    source = ("qdrant://./qdrant", "--collection", collection, "--model", "tiny")
    found = terminal.run("import", collection, *source, *more)
    assert found.code == code, found
    return found.stdout, found.stderr


def test_points_with_payloads(
    terminal: Terminal, user: User, client: Client, store: QdrantClient
) -> None:
    vectors = np.random.default_rng(3).standard_normal((1_500, 4)).astype(np.float32)
    store.create_collection("dot", DENSE(size=4, distance=models.Distance.DOT))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        store.upload_collection(
            "dot",
            vectors=vectors,
            ids=range(1_500),
            payload=[{"page_content": f"t{n}", "metadata": {"n": n}} for n in range(1_500)],
        )
    payload: dict[str, Any] = {
        "page_content": None,
        "created_at": "1611",
        "deep": {"list": [1, None, "é"]},
    }
    store.upsert("dot", [point(ID, [1, 2, 3, 4], payload)])
    store.close()
    columns = ("--columns", "page_content=text, metadata=metadata")
    out, err = imported(terminal, "dot", *columns)
    assert out == f"1,501 embeddings uploaded to {user.handle}/dot, 0 there already\n"
    assert "ranks by Dot" in err
    found = client.project("dot").get()
    expected: dict[str, Any] = {str(n): (f"t{n}", {"n": n}) for n in range(1_500)}
    expected[ID] = (None, {name: payload[name] for name in ("created_at", "deep")})
    parts = zip(found.texts, found.metadata, strict=True)
    assert dict(zip(found.ids, parts, strict=True)) == expected
    rows = {text_id: row for row, text_id in enumerate(found.ids)}
    in_order = found.vectors[[rows[str(n)] for n in range(1_500)]]
    assert in_order.tobytes() == vectors.tobytes()
    out, _ = imported(terminal, "dot", *columns, "--on-conflict", "error")
    assert out.startswith("0 embeddings uploaded")


def test_a_text_id_in_the_payload(terminal: Terminal, client: Client, store: QdrantClient) -> None:
    store.create_collection("cosine", DENSE(size=2, distance=models.Distance.COSINE))
    store.upsert("cosine", [point(7, [3, 4], {"key": "Mt 5,3"}), point(ID, [4, 3], {"key": "b"})])
    store.close()
    out, err = imported(terminal, "cosine", "--columns", "key=text_id")
    assert (out.partition(" ")[0], err) == ("2", "")
    found = client.project("cosine").get()
    assert found.ids == ["Mt 5,3", "b"]
    assert found.metadata == [None, None]
    assert found.vectors.tolist() == [[3, 4], [4, 3]]
    out, err = imported(terminal, "cosine", "--columns", "kye=text_id")
    assert out.startswith("2 embeddings uploaded")
    assert "none has 'kye', which columns names" in err


def test_one_of_several_vectors(terminal: Terminal, client: Client, store: QdrantClient) -> None:
    store.create_collection(
        "named",
        {
            "title": DENSE(size=2, distance=models.Distance.EUCLID),
            "body": DENSE(size=3, distance=models.Distance.EUCLID),
            "late": DENSE(
                size=2,
                distance=models.Distance.DOT,
                multivector_config=models.MultiVectorConfig(
                    comparator=models.MultiVectorComparator.MAX_SIM
                ),
            ),
        },
        sparse_vectors_config=SPARSE,
    )
    store.upsert("named", [point(1, {"title": [1, 2]})])
    store.upsert("named", [point(2, {"body": [1, 2, 3]})])
    store.create_collection("sparse", {}, sparse_vectors_config=SPARSE)
    store.create_collection("empty", DENSE(size=2, distance=models.Distance.DOT))
    store.close()
    place = f"qdrant://{terminal.folder}/qdrant"
    named = "body, late, title"
    for collection, columns, problem in (
        ("named", {}, f"has the vectors {named}; choose one by columns: body=vector"),
        ("named", {"words": "vector"}, "'words' is a sparse vector, which cannot be stored"),
        ("named", {"tilte": "vector"}, "no vector 'tilte'; there are 'body', 'late', 'title'"),
        ("named", {"late": "vector"}, "has several vectors for each point"),
        ("sparse", {}, "has no vectors but sparse ones"),
        ("nothing", {}, "no collection 'nothing'; there are 'empty', 'named', 'sparse'"),
    ):
        with pytest.raises(ValueError, match=problem):
            list(sources.qdrant(place, collection, columns))
    out, _ = imported(terminal, "empty")
    assert out == "empty has no embeddings\n"
    out, err = imported(terminal, "named", "--columns", "title=vector")
    assert out.startswith("1 embedding uploaded")
    assert "the vectors body, late, words are left out" in err
    assert "1 of collection 'named' have no such vector, and are left out" in err
    assert client.project("named").get().vectors.tolist() == [[1, 2]]


def test_a_text_id_that_repeats_far_apart(
    terminal: Terminal, client: Client, store: QdrantClient
) -> None:
    store.create_collection("far", DENSE(size=2, distance=models.Distance.DOT))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        store.upload_collection(
            "far",
            vectors=np.ones((2_100, 2), np.float32),
            ids=range(2_100),
            payload=[{"verse": f"v{n % 2_099}", "n": n % 2_050} for n in range(2_100)],
        )
    store.close()
    columns = ("--columns", "verse=text_id")
    for more in ((), ("--dry-run",), ("--on-conflict", "replace")):
        out, err = imported(terminal, "far", *columns, *more, code=1)
        assert "far, id v0: text_id is 'v0', as that of one before" in err
        assert out == ""
    # In a dry run, each is told.
    _, err = imported(terminal, "far", "--columns", "n=text_id", "--dry-run", code=1)
    assert err.count("as that of one before") == 20 and "50 of them cannot be uploaded" in err


def test_columns_that_exchange_their_names(terminal: Terminal, store: QdrantClient) -> None:
    store.create_collection("swap", DENSE(size=2, distance=models.Distance.DOT))
    store.upsert("swap", [point(1, [1, 2], {"a": 1, "b": 2, "c": 3})])
    store.close()
    for columns, metadata in (
        ({"a": "b", "b": "a"}, {"a": 2, "b": 1, "c": 3}),
        ({"a": "b", "b": None}, {"b": 1, "c": 3}),
        ({"b": None, "a": "b"}, {"b": 1, "c": 3}),
        ({"a": "b", "b": "c", "c": "a"}, {"a": 3, "b": 1, "c": 2}),
    ):
        with pytest.warns(SemblanceWarning):
            [item] = sources.qdrant(f"qdrant://{terminal.folder}/qdrant", "swap", columns)
        assert item["metadata"] == metadata
    with (
        pytest.warns(SemblanceWarning),
        pytest.raises(ValueError, match="two of its fields are 'b'"),
    ):
        list(sources.qdrant(f"qdrant://{terminal.folder}/qdrant", "swap", {"a": "b"}))


def test_mistakes(terminal: Terminal, store: QdrantClient) -> None:
    def bad(source: str) -> str:
        return terminal.bad(1, "import", "a", source, "--collection", "a", "--model", "m")

    assert "is already accessed by another instance" in bad("qdrant://./qdrant")
    store.close()
    assert "is no folder of Qdrant's client" in bad("qdrant://./none")
    assert not (terminal.folder / "none").exists()
    assert "collection 'a': [Errno 111] Connection refused" in bad("qdrant://127.0.0.1:9")
    assert "secret" not in bad("qdrant://me:secret@host")
    (terminal.folder / "qdrant_client.py").write_text("raise ImportError('no qdrant_client')")
    assert "no qdrant_client: pip install './clients/python[qdrant]'" in bad("qdrant://./qdrant")
