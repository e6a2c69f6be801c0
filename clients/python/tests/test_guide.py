"""The programs in Python of the pages of the documentation, as they stand there."""

from __future__ import annotations

import gc
import re
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import ADMIN_KEY, MAIN, User
from langchain_core.embeddings import Embeddings
from llama_index.core.embeddings import BaseEmbedding

from semblance_client import Client, Project

ROOT = MAIN.parents[1]
# As in a notebook, clients are closed when they are collected.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(autouse=True)
def _collected() -> Iterator[None]:
    yield
    gc.collect()


def programs(page: str, url: str) -> list[str]:
    """What stands in blocks of Python, with the address of the test's server."""
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), re.S | re.M)
    return [block.replace("http://localhost:8880", url) for block in blocks]


def run(program: str, **given: object) -> dict[str, Any]:
    names: dict[str, Any] = dict(given)
    exec(compile(program, "guide", "exec"), names)
    return names


VERSES = {
    "john-3-16": [0.5, 0.75, -0.25],
    "luke-6-20": [0.25, -0.5, 0.5],
    "matthew-5-3": [0.25, -0.5, 0.75],
    "matthew-5-4": [0.5, -0.5, 0.75],
}


@pytest.fixture
def verses(client: Client) -> Project:
    """The project of the pages."""
    project = client.project("verses", dimensions=3, model="small")
    books = [{"ref": {"book": text_id.split("-")[0]}} for text_id in VERSES]
    project.upload(VERSES.keys(), list(VERSES.values()), metadata=books)
    return project


@pytest.mark.usefixtures("models")
def test_first_corpus(
    url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "admin.key").write_text(ADMIN_KEY)
    (program,) = programs("README.md", url)
    (provider,) = programs("docs/guide/first-corpus.md", url)
    for _ in range(2):
        run(program)
        best, *_ = capsys.readouterr().out.splitlines()
        assert best.split()[1] == "bake" and best.endswith("Bake the bread for an hour.")

    sent: list[dict[str, Any]] = []

    def post(_: str, *, headers: dict[str, str], json: dict[str, Any]) -> SimpleNamespace:
        assert headers == {"Authorization": "Bearer key"}
        sent.append(json)
        data = [{"embedding": [1.0]} for _ in json["input"]]
        return SimpleNamespace(raise_for_status=lambda: None, json=lambda: {"data": data})

    monkeypatch.setitem(sys.modules, "requests", SimpleNamespace(post=post))
    assert run(provider, provider_key="key")["encode"](["a", "b"]) == [[1.0], [1.0]]
    assert sent[0]["input"] == ["a", "b"]


def test_neighbours(
    url: str, user: User, client: Client, verses: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    verses.upload(
        ["matthew-5-3-copy"], [VERSES["matthew-5-3"]], metadata=[{"ref": {"book": "matthew"}}]
    )
    first, second, third = programs("docs/guide/neighbours.md", url)
    names = run(first.replace("alice", user.handle), api_key=user.key)
    assert capsys.readouterr().out == "{'matthew-5-3-copy'}\n"
    verses.delete(names["doubles"])
    run(second, **names)
    *_, luke, matthew = capsys.readouterr().out.splitlines()
    assert luke.split() == ["luke", "0", "1"]
    assert matthew.split() == ["matthew", "2", "0"]
    found = verses.get()
    other = client.project("verses-e5", dimensions=verses.dimensions, model="e5")
    other.upload(found.ids, found.vectors)
    run(third.replace("alice", user.handle), **names)
    assert "% of the ten nearest are the same\n" in capsys.readouterr().out


def test_digest(url: str) -> None:
    (program,) = programs("docs/guide/bulk.md", url)
    metadata = {"ref": {"book": "Matthew", "chapter": 5, "verse": 3}}
    found = run(program)["digest"]([0.25, -0.5, 0.75], "Blessed are the poor in spirit", metadata)
    assert found in (ROOT / "docs/guide/bulk.md").read_text()


def counted(text: str) -> list[float]:
    """In place of a model, which would be gigabytes: how often words stand in a text."""
    vector = [0.0] * 384
    for word in re.findall(r"\w+", text.lower()):
        vector[zlib.crc32(word.encode()) % 384] += 1
    return vector


class HuggingFaceEmbeddings(Embeddings):
    def __init__(self, model_name: str) -> None:
        assert model_name == "all-MiniLM-L6-v2"

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [counted(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return counted(text)


class HuggingFaceEmbedding(BaseEmbedding):
    def _get_text_embedding(self, text: str) -> list[float]:
        return counted(text)

    def _get_query_embedding(self, query: str) -> list[float]:
        return counted(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return counted(query)


def test_frameworks(
    url: str, user: User, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SEMBLANCE_URL", url)
    monkeypatch.setenv("SEMBLANCE_KEY", user.key)
    for name in ("langchain_huggingface", "llama_index.embeddings.huggingface"):
        package = ModuleType(name)
        for model in (HuggingFaceEmbeddings, HuggingFaceEmbedding):
            setattr(package, model.__name__, model)
        monkeypatch.setitem(sys.modules, name, package)
    monkeypatch.setitem(sys.modules, "llama_index.embeddings", ModuleType("llama_index.embeddings"))
    for program in programs("docs/guide/frameworks.md", url):
        run(program)
        shown = capsys.readouterr().out
        assert "Bake the bread for an hour." in shown
        assert "train" not in shown


def test_coming_from_chroma(
    url: str,
    user: User,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SEMBLANCE_URL", url)
    monkeypatch.setenv("SEMBLANCE_KEY", user.key)
    monkeypatch.setenv("ANONYMIZED_TELEMETRY", "False")
    monkeypatch.chdir(tmp_path)
    given, *pairs, moved, back = programs("docs/guide/coming-from-chroma.md", url)
    data = run(given)
    theirs, ours = dict(data), dict(data)
    shown = []
    for in_chroma, in_semblance in zip(pairs[::2], pairs[1::2], strict=True):
        theirs = run(in_chroma, **theirs)
        before = capsys.readouterr().out
        ours = run(in_semblance, **ours)
        assert shown_rounded(capsys.readouterr().out) == shown_rounded(before)
        shown.append(before)
    assert "['bread'] ['Bake the bread for an hour.']\n" in shown
    assert shown[-1] == "2\n"
    ours["recipes"].drop()
    empty = Client().project("recipes", dimensions=3, model="my-model")
    ours = run(moved, **{**ours, "recipes": empty})
    assert ours["recipes"].get().texts == ["Bake the bread for an hour.", "Let it rise."]
    again = run(back, **{**theirs, **ours})["back"].get(include=["documents", "metadatas"])
    there = theirs["recipes"].get(include=["documents", "metadatas"])
    assert [again[part] for part in ("ids", "documents", "metadatas")] == [
        there[part] for part in ("ids", "documents", "metadatas")
    ]


def shown_rounded(shown: str) -> str:
    return re.sub(r"\d\.\d+", lambda number: f"{float(number[0]):.5f}", shown)


@pytest.mark.usefixtures("models")
def test_readme_of_the_client(
    url: str, user: User, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SEMBLANCE_URL", url)
    monkeypatch.setenv("SEMBLANCE_KEY", user.key)
    first, texts, spelling, loop = programs("clients/python/README.md", url)
    vectors = np.abs(np.eye(4, 384, dtype=np.float32) + 0.1)
    metadata = [{"ref": {"book": book}} for book in ("Luke", "Luke", "John", "Mark")]
    names = run(first, ids=range(4), vectors=vectors, texts=list("abcd"), metadata=metadata)
    assert names["kjv"].count() == 4
    run(texts)
    assert capsys.readouterr().out.splitlines()[0].split()[1] == "luke-6-27"
    run(spelling)
    assert capsys.readouterr().out.splitlines()[0].split()[1] == "bake"
    run(loop)
    assert capsys.readouterr().out == "[(nothing was found), (nothing was found)]\n"


@pytest.mark.usefixtures("models")
def test_clients(url: str, user: User, capsys: pytest.CaptureFixture[str]) -> None:
    texts, loop = programs("docs/clients.md", url)
    run(texts, api_key=user.key)
    assert capsys.readouterr().out.split()[1] == "bread"
    run(loop, api_key=user.key)
    assert [line.split()[1] for line in capsys.readouterr().out.split(",")] == ["bread", "train]"]
