"""Collections of the real Chroma, of a folder and of its server, to Semblance and back."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
import pandas as pd
import pytest
from conftest import TIMEOUT, Terminal, User
from numpy.typing import NDArray

from semblance_client import Client, SemblanceWarning, sources

COUNT = 2_300


def in_folder(folder: Path) -> Any:
    return chromadb.PersistentClient(str(folder))


@pytest.fixture
def store(terminal: Terminal) -> Any:
    return in_folder(terminal.folder / "chroma")


def new_collection(store: Any, name: str, space: str = "cosine") -> Any:
    configuration = {"hnsw": {"space": space}}
    return store.create_collection(name, embedding_function=None, configuration=configuration)


def all_bits(count: int, dimensions: int) -> NDArray[np.float32]:
    """Of any size, from the smallest float32 to large ones."""
    generator = np.random.default_rng(5)
    made = generator.standard_normal((count, dimensions)).astype(np.float32)
    made *= np.float32(10) ** generator.integers(-12, 12, (count, 1)).astype(np.float32)
    made[0] = [1e-45, -0.0, 0.1, 1.17549435e-38, *made[0, 4:]]
    return made


def contents_of(collection: Any) -> dict[str, tuple[bytes, Any, Any]]:
    found = collection.get(include=["embeddings", "documents", "metadatas"])
    # Chroma widens float32.
    vectors = np.asarray(found["embeddings"], "<f4")
    parts = zip(vectors, found["documents"], found["metadatas"], strict=True)
    return {
        text_id: (vector.tobytes(), text, metadata)
        for text_id, (vector, text, metadata) in zip(found["ids"], parts, strict=True)
    }


def contents_here(client: Client, name: str) -> dict[str, tuple[bytes, Any, Any]]:
    found = client.project(name).get()
    parts = zip(found.vectors.astype("<f4"), found.texts, found.metadata, strict=True)
    return {
        text_id: (vector.tobytes(), text, metadata)
        for text_id, (vector, text, metadata) in zip(found.ids, parts, strict=True)
    }


def fill(collection: Any, count: int = COUNT) -> None:
    for begin in range(0, count, 1_000):
        rows = range(begin, min(begin + 1_000, count))
        collection.add(
            ids=[f"Mt 5,{row} é" for row in rows],
            embeddings=all_bits(count, 8)[rows.start : rows.stop],
            documents=[f"Blessed\n{row}" for row in rows],
            metadatas=[
                {"n": row, "f": row / 7, "b": row % 2 == 0, "tags": ["a", "b"], "ref.book": "Mt"}
                for row in rows
            ],
        )
    collection.add(ids=["bare"], embeddings=[[1.0] * 8])


@pytest.mark.parametrize("space", ["l2", "cosine"])
def test_a_folder_to_semblance_and_back(
    terminal: Terminal, user: User, client: Client, store: Any, space: str
) -> None:
    collection = new_collection(store, "bible", space)
    fill(collection)
    before = contents_of(collection)
    command = ("import", "bible", "chroma://./chroma", "--collection", "bible", "--model", "tiny")
    dry = terminal.run(*command, "--dry-run")
    assert dry.stdout == "2,301 embeddings of bible would be uploaded; nothing was sent\n"
    first = terminal.run(*command)
    assert first.stdout == f"2,301 embeddings uploaded to {user.handle}/bible, 0 there already\n"
    assert ("ranks by l2" in first.stderr) == (space == "l2"), first
    assert contents_here(client, "bible") == before
    again = terminal.run(*command, "--on-conflict", "error")
    assert again.stdout == f"0 embeddings uploaded to {user.handle}/bible, 2,301 there already\n"

    terminal.good("export", "bible", "-o", "bible.parquet")
    table = pd.read_parquet(terminal.folder / "bible.parquet")
    back = new_collection(in_folder(terminal.folder / "back"), "bible", "l2")
    for begin in range(0, len(table), 1_000):
        rows = table[begin : begin + 1_000]
        back.add(
            ids=rows["text_id"].tolist(),
            embeddings=np.stack(rows["vector"].tolist()),
            documents=rows["text"].tolist(),
            metadatas=[each and json.loads(each) for each in rows["metadata"]],
        )
    assert contents_of(back) == before


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@pytest.fixture
def server(tmp_path: Path) -> Iterator[int]:
    """The port of a server of Chroma."""
    port = free_port()
    program = Path(sys.executable).parent / "chroma"
    command = [str(program), "run", "--host", "127.0.0.1", "--port", str(port)]
    (tmp_path / "served").mkdir()
    with (
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen(command, cwd=tmp_path / "served", stdout=log, stderr=log) as running,
    ):
        until = time.monotonic() + TIMEOUT
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert running.poll() is None and time.monotonic() < until
            time.sleep(0.1)
        yield port
        running.terminate()


def test_a_server(terminal: Terminal, client: Client, server: int) -> None:
    collection = new_collection(chromadb.HttpClient("127.0.0.1", server), "bible", "l2")
    fill(collection, 1_200)
    url = f"chroma://127.0.0.1:{server}"
    found = terminal.run("import", "a", url, "--collection", "bible", "--model", "tiny")
    assert "1,201 embeddings uploaded" in found.stdout, found
    assert contents_here(client, "a") == contents_of(collection)
    wrong = terminal.run("import", "a", url, "--collection", "bibel")
    assert "there is no collection 'bibel'; there are 'bible'" in wrong.stderr


def test_uris_and_fields_with_other_meanings(client: Client, tmp_path: Path) -> None:
    collection = new_collection(in_folder(tmp_path), "images")
    collection.add(ids=["a"], embeddings=[[1, 2]], uris=["file:///a.png"])
    fields = {"title": "A", "n": 1, "raw": "x", "created_at": "1611", "text": "t"}
    collection.add(ids=["b"], embeddings=[[2, 1]], metadatas=[fields])
    columns = {"title": "text", "n": "number", "raw": None}
    items = list(sources.chroma(f"chroma://{tmp_path}", "images", columns))
    images = client.project("images", dimensions=2, model="m")
    assert images.upload(items).stored == 2
    found = images.get()
    assert found.texts == [None, "A"]
    rest = {"number": 1, "created_at": "1611", "text": "t"}
    assert found.metadata == [{"uri": "file:///a.png"}, rest]
    with pytest.warns(SemblanceWarning, match="none has 'titel', which columns names"):
        list(sources.chroma(f"chroma://{tmp_path}", "images", {"titel": "text"}))
    with pytest.raises(ValueError, match="id b: two of its fields are 'text'"):
        list(sources.chroma(f"chroma://{tmp_path}", "images", {"title": "text", "n": "text"}))
    collection.add(
        ids=["c"], embeddings=[[1, 1]], uris=["file:///c"], metadatas=[{"uri": "another"}]
    )
    with pytest.raises(ValueError, match="id c: it has a URI, and 'uri' in its metadata"):
        list(sources.chroma(f"chroma://{tmp_path}", "images"))


def test_a_collection_that_changes_meanwhile(tmp_path: Path) -> None:
    collection = new_collection(in_folder(tmp_path), "bible")
    fill(collection)
    items = sources.chroma(f"chroma://{tmp_path}", "bible")
    first = [next(items) for _ in range(1_000)]
    collection.delete([item["text_id"] for item in first[:500]])
    collection.delete(["bare"])
    collection.add(ids=["new"], embeddings=[[1] * 8])
    with pytest.warns(SemblanceWarning, match="^1 of collection 'bible' were deleted"):
        rest = list(items)
    ids = [item["text_id"] for item in (*first, *rest)]
    assert len(ids) == len(set(ids)) == COUNT


def test_a_folder_that_the_program_has_open(tmp_path: Path) -> None:
    fill(new_collection(in_folder(tmp_path / "before"), "bible"))
    assert next(sources.chroma(f"chroma://{tmp_path}/before", "bible"))
    in_folder(tmp_path / "before")


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"n": 2**53 + 1}, "metadata.n is 9007199254740993, which the server would round"),
        ({"n\0": 1}, "has the character NUL"),
        ({"long": "x" * 2**18}, "metadata: must have at most 262144 bytes"),
    ],
    ids=["integer", "key", "large"],
)
def test_what_cannot_be_stored(
    terminal: Terminal, client: Client, store: Any, fields: dict[str, Any], told: str
) -> None:
    collection = new_collection(store, "bible")
    collection.add(ids=["a", "b"], embeddings=[[1, 2], [2, 1]], metadatas=[{"n": 1}, fields])
    command = ("import", "a", "chroma://./chroma", "--collection", "bible", "--model", "m")
    problem = terminal.bad(1, *command)
    assert told in problem
    assert "b" in problem
    assert sum(len(project) for project in client.projects()) == 0
    if "long" not in fields:
        (name,) = fields
        left_out = terminal.run(*command, "--columns", f"{name}=".replace("\0", "")).stdout
        assert ("2 embeddings" in left_out) == ("\0" not in name)


@pytest.mark.parametrize(
    ("text_id", "text", "told"),
    [("x" * 301, "t", "text_id: must have at most 300"), ("b", "a\0b", "b: text has the char")],
    ids=["id", "text"],
)
def test_ids_and_texts_that_cannot_be_stored(
    terminal: Terminal, client: Client, store: Any, text_id: str, text: str, told: str
) -> None:
    collection = new_collection(store, "bible")
    collection.add(ids=["a", text_id], embeddings=[[1, 2], [2, 1]], documents=["t", text])
    command = ("import", "a", "chroma://./chroma", "--collection", "bible", "--model", "m")
    problem = terminal.bad(1, *command)
    assert told in problem
    assert text_id[:100] in problem
    assert sum(len(project) for project in client.projects()) == 0


def test_mistakes(terminal: Terminal, store: Any) -> None:
    new_collection(store, "empty")
    (terminal.folder / "chroma.py").touch()

    def bad(source: str, *more: str, code: int = 1) -> str:
        return terminal.bad(code, "import", "a", source, *more, "--model", "m")

    asked = ("--collection", "empty")
    assert "none is no folder of Chroma" in bad("chroma://./none", *asked)
    assert not (terminal.folder / "none").exists()
    known = "there is no collection 'bible'; there are 'empty'"
    assert known in bad("chroma://./chroma", "--collection", "bible")
    nothing = terminal.good("import", "a", "chroma://./chroma", *asked, "--model", "m")
    assert nothing == "empty has no embeddings\n"
    assert "Could not connect to a Chroma server" in bad(
        f"chroma://127.0.0.1:{free_port()}", *asked
    )
    for url in ("chroma://host:x", "chroma://host/bible", "chroma://", "chroma+https:///folder"):
        with pytest.raises(ValueError, match="chroma://HOST:PORT"):
            sources.chroma(url, "empty")
    assert "chroma://HOST:PORT" in bad("chroma://me:secret@host", *asked)
    bad("chroma://./chroma", code=2)
    bad("a.ndjson", *asked, code=2)
    bad("chroma://./chroma", *asked, "--vectors", "a.npy", code=2)
    bad("chroma://./chroma", *asked, "--columns", "a", code=2)
    bad("a.semblance", "--columns", "a=text", code=2)
    unknown = bad("redis://me:secret@host/1", *asked, code=2)
    assert "redis:// is no source; databases are chroma, qdrant, pgvector" in unknown
    assert "secret" not in unknown
    assert "there is none" not in terminal.good("projects")
    (terminal.folder / "chromadb.py").write_text("raise ImportError('no chromadb')")
    lacks = bad("chroma://./chroma", *asked)
    assert (
        lacks
        == "semblance-client: no chromadb: pip install './clients/python[chroma]' in the repository of Semblance\n"
    )
