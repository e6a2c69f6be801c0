"""Vectors of texts: by a function, by a model on this machine, by the provider."""

from __future__ import annotations

import asyncio
import gc
import io
import json
import os
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import COLOURS, NAMES, TONES, Connect, User
from numpy.typing import NDArray
from proxy import Proxy
from test_search import Provider

from semblance_client import (
    AsyncClient,
    Client,
    ConflictError,
    NotFoundError,
    Project,
    Uploaded,
)

asked: list[str] = []


def colour(texts: list[str]) -> NDArray[np.float32]:
    """Of a text that ends with the name of a colour, its vector."""
    asked.extend(texts)
    last = [text.split()[-1] for text in texts]
    return np.array([COLOURS[NAMES.index(name) if name in NAMES else 0] for name in last])


TEXTS = [f"The colour {name}" for name in NAMES]


@pytest.fixture
def painted(client: Client) -> Project:
    project = client.project("colours", model="eye", embed=colour)
    asked.clear()
    return project


def test_a_function_makes_the_vectors(client: Client, painted: Project) -> None:
    assert (painted.dimensions, painted.model) == (3, "eye")
    assert painted.upload(NAMES, texts=TEXTS, metadata=TONES) == Uploaded(stored=4)
    order = sorted(range(4), key=NAMES.__getitem__)
    assert np.array_equal(painted.get().vectors, COLOURS[order])
    assert painted.search("light red", k=1).ids == ["red"]
    assert painted.search("light red", k=1)[0].query == "light red"
    assert painted.search(["a red", "a cyan"], k=1).ids == ["red", "cyan"]
    assert painted.search(np.array(["a red"]), k=1).ids == ["red"]
    assert painted.search(text="a cyan", k=1).ids == ["cyan"]
    assert painted.search("a cyan", words="violet", k=2).ids[0] in {"cyan", "violet"}
    assert painted.search(ids="red", k=1).ids == ["orange"]
    assert painted.search(ids=["red", "violet"], k=1).ids == ["orange", "red"]
    assert painted.search(COLOURS[0], k=1).ids == ["red"]
    assert painted.search([], k=1).ids == []
    assert painted.search(iter(["a red"]), k=1).ids == ["red"]
    assert painted.search(iter(COLOURS[:2].tolist()), k=1).ids == ["red", "orange"]
    assert client.project("colours", embed=colour).search("red", k=1).ids == ["red"]


def test_a_table_of_vectors_is_no_texts(painted: Project) -> None:
    painted.upload(NAMES, texts=TEXTS)
    asked.clear()
    table = pd.DataFrame(COLOURS[:2], columns=["red", "green", "blue"])
    assert [(hit.query, hit.id) for hit in painted.search(table, k=1)] == [
        (0, "red"),
        (1, "orange"),
    ]
    # As without embed.
    with pytest.raises(NotFoundError, match="'a red'"):
        painted.search({"a red": 1}, k=1)
    assert asked == []
    for texts in (
        ["a red"],
        ("a red",),
        iter(["a red"]),
        np.array(["a red"]),
        pd.Series(["a red"]),
    ):
        assert painted.search(texts, k=1).ids == ["red"]


def test_a_function_that_takes_its_texts_apart(client: Client) -> None:
    def apart(texts: list[str]) -> list[list[float]]:
        return [[len(texts.pop()), 1] for _ in range(len(texts))]

    project = client.project("apart", model="apart", embed=apart)
    assert project.upload(["a", "b"], texts=["a", "bc"]) == Uploaded(stored=2)


def test_a_function_that_makes_a_coroutine(client: Client) -> None:
    class Later:
        async def __call__(self, texts: list[str]) -> NDArray[np.float32]:
            return np.ones((len(texts), 2), np.float32)

    with pytest.raises(TypeError, match="or a function of texts"):
        client.project("later", model="later", embed=Later())
    gc.collect()


def test_texts_that_are_there_are_not_embedded_again(painted: Project) -> None:
    painted.upload(NAMES[:2], texts=TEXTS[:2], metadata=TONES[:2])
    asked.clear()
    assert painted.upload(NAMES, texts=TEXTS, metadata=TONES) == Uploaded(stored=2, unchanged=2)
    assert asked == TEXTS[2:]
    other = ["Not red", *TEXTS[1:]]
    with pytest.raises(ConflictError, match="'red' with other contents"):
        painted.upload(NAMES, texts=other, metadata=TONES)
    assert painted.upload(NAMES, texts=other, metadata=TONES, on_conflict="skip").skipped == 1
    assert asked == TEXTS[2:]
    sent = painted.upload(NAMES, texts=other, metadata=TONES, on_conflict="replace")
    assert sent == Uploaded(replaced=1, unchanged=3)
    assert (asked[2:], painted.get("red").texts) == (["Not red"], ["Not red"])
    assert painted.upload(NAMES, texts=other, on_conflict="replace").replaced == 4


def test_tables_lines_and_files_without_vectors(painted: Project, tmp_path: Path) -> None:
    table = pd.DataFrame({"id": NAMES, "text": TEXTS, "tone": ["warm", "warm", "cold", "cold"]})
    items = table.to_dict("records")
    table.to_csv(tmp_path / "a.csv", index=False)
    table.to_csv(tmp_path / "a.tsv", index=False, sep="\t")
    table.to_parquet(tmp_path / "a.parquet")
    (tmp_path / "a.ndjson").write_text("\n".join(map(json.dumps, items)))
    for given in (table, items, *sorted(tmp_path.iterdir())):
        assert painted.upload(given, concurrency=2) == Uploaded(stored=4)
        assert painted.count({"tone": "cold"}) == 2
        assert painted.search("red", k=1, include_self=True).ids == ["red"]
        painted.delete(everything=True)
    with_vectors = painted.upload([{"id": "x", "vector": [0, 0, 1]}])
    assert with_vectors.stored == 1
    with pytest.raises(ValueError, match=r"items\[1\] has none of vector, embedding"):
        painted.upload([{"id": "y", "vector": [0, 0, 1]}, {"id": "z", "text": "red"}])
    (tmp_path / "b.csv").write_text("id,text\na,red\nb,\n")
    with pytest.raises(ValueError, match=r"b\.csv, line 3: text is empty, and there is no vector"):
        painted.upload(tmp_path / "b.csv")


@pytest.mark.parametrize("empty", [None, "", " \n", float("nan")])
def test_refuses_empty_texts_before_anything_is_sent(painted: Project, empty: Any) -> None:
    with pytest.raises(ValueError, match=r"texts\[3\] is empty, and there is no vector"):
        painted.upload(NAMES, texts=[*TEXTS[:3], empty])
    assert (len(painted), asked) == (0, [])


def test_ids_are_needed(painted: Project) -> None:
    with pytest.raises(TypeError, match="ids"):
        painted.upload(texts=TEXTS)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="there are 3 ids and 4 texts"):
        painted.upload(NAMES[:3], texts=TEXTS)
    with pytest.raises(TypeError, match="one for each embedding"):
        painted.upload(["a"], texts="one")
    for nothing in ("", " ", ["a red", ""]):
        with pytest.raises(ValueError, match="there is nothing to embed"):
            painted.search(nothing)


WRONG: list[tuple[Any, str]] = [
    (lambda texts: [[1, 2, float("nan")]] * len(texts), "'The colour red' a vector that"),
    (lambda texts: np.zeros((len(texts), 3)), "is zero"),
    (lambda texts: np.ones((len(texts), 4)), "has 4 dimensions, not 3 as the project"),
    (lambda texts: np.ones((len(texts) - 1, 3)), "made 3 vectors of 4 texts"),
    (lambda texts: np.ones((len(texts) + 1, 3)), "made 5 vectors of 4 texts"),
    (lambda texts: np.ones(3), "embed made no vectors"),
    (lambda texts: None, "embed made no vectors"),
    (lambda texts: [None] * len(texts), "is None, not a vector"),
    (lambda texts: [[1, 2, 3]] * 3 + [[1, 2]], "'The colour cyan' a vector that has 2 dim"),
]


@pytest.mark.parametrize(("wrong", "message"), WRONG)
def test_refuses_what_a_function_makes_wrongly(
    client: Client, project: Project, wrong: Any, message: str
) -> None:
    painted = client.project("colours", embed=wrong)
    with pytest.raises(ValueError, match=message):
        painted.upload(NAMES, texts=TEXTS)
    assert len(project) == 0


def test_a_function_may_give_them_one_by_one(client: Client, project: Project) -> None:
    painted = client.project("colours", embed=lambda texts: iter(colour(texts)))
    assert painted.upload(NAMES, texts=TEXTS).stored == 4


def test_refuses_what_cannot_embed(client: Client, project: Project) -> None:
    async def later(texts: list[str]) -> Any:
        return texts

    for wrong in (7, later):
        with pytest.raises(TypeError, match="embed must be"):
            client.project("colours", embed=wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="has model 'tiny', not 'all-MiniLM-L6-v2'"):
        client.project("colours", embed="all-MiniLM-L6-v2")
    with pytest.raises(NotFoundError, match="give model to make it"):
        client.project("nowhere", embed=colour)


def test_says_how_to_search_with_a_text(colours: Project) -> None:
    for queries in ("love your enemies", ["red", "love your enemies"]):
        with pytest.raises(NotFoundError, match=r"not found.*text= or words=.*embed"):
            colours.search(queries)
    with pytest.raises(NotFoundError) as caught:
        colours.search(ids="blue")
    assert "words=" not in str(caught.value)
    with pytest.raises(TypeError, match="embed=…"):
        colours.upload(["a"], texts=["red"])
    with pytest.raises(ValueError, match="embed=…"):
        colours.upload(pd.DataFrame({"id": ["a"], "text": ["red"]}))


def copy_of(project: Project) -> Project:
    """The same as another process gets it, with connections of its own."""
    copy: Project = pickle.loads(pickle.dumps(project))
    return copy


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_projects_with_a_function_travel(painted: Project) -> None:
    painted.upload(NAMES, texts=TEXTS)
    assert copy_of(painted).search("red", k=1).ids == ["red"]
    gc.collect()


async def test_within_a_loop(url: str, user: User) -> None:
    def slow(texts: list[str]) -> NDArray[np.float32]:
        assert threading.current_thread() is not threading.main_thread()
        return colour(texts)

    async with AsyncClient(url, user.key) as client:
        project = await client.project("colours", model="eye", embed=slow)
        assert (await project.upload(NAMES, texts=TEXTS, concurrency=2)).stored == 4
        found = await asyncio.gather(*(project.search(name, k=1) for name in NAMES * 10))
        assert [results.ids for results in found] == [[name] for name in NAMES] * 10


async def test_a_function_that_stops_in_a_loop(url: str, user: User) -> None:
    async with AsyncClient(url, user.key) as client:
        none: Any = iter(())
        embed = lambda _: next(none)  # noqa: E731
        project = await client.project("none", model="none", dimensions=2, embed=embed)
        with pytest.raises(RuntimeError, match="StopIteration"):
            await project.search("red")


def test_many_texts_go_some_at_a_time(connect: Connect, url: str, user: User) -> None:
    """100,000 would be the same 50 times."""
    sizes: list[int] = []

    def ones(texts: list[str]) -> Any:
        sizes.append(len(texts))
        return np.random.default_rng(0).random((len(texts), 3)) + 1

    texts = [f"text {row}" for row in range(2_050)]
    with Proxy(url) as proxy:
        project = connect(proxy.url, user.key).project("many", model="ones", embed=ones)
        proxy.lose("after", every=7)
        sent = project.upload(range(2_050), texts=texts, concurrency=2)
        assert sent.stored + sent.unchanged == 2_050
        assert max(sizes) == 100 and sum(sizes) == 2_050 + 1


SAYINGS = {
    "luke-6-27": "But I tell you who hear: love your enemies, do good to those who hate you",
    "matthew-13-31": "The Kingdom of Heaven is like a grain of mustard seed",
    "mark-6-41": "He took the five loaves and the two fish, and he blessed and broke the loaves",
    "john-11-35": "Jesus wept.",
}


@pytest.mark.usefixtures("models")
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_model_on_this_machine(client: Client) -> None:
    project = client.project("sayings", embed="all-MiniLM-L6-v2")
    assert (project.model, project.dimensions) == ("all-MiniLM-L6-v2", 384)
    assert project.upload(SAYINGS, texts=SAYINGS.values()).stored == 4
    found = project.search(["be kind to those who wrong you", "bread for many", "he cried"], k=1)
    assert found.ids == ["luke-6-27", "mark-6-41", "john-11-35"]
    again = client.project("sayings", embed="sentence-transformers/all-MiniLM-L6-v2")
    assert copy_of(again).search("tears", k=1).ids == ["john-11-35"]
    gc.collect()


def test_says_at_once_that_a_model_cannot_be_downloaded(
    url: str, user: User, tmp_path: Path
) -> None:
    program = f"""
from semblance_client import Client
Client({url!r}, {user.key!r}).project('sayings', embed='all-MiniLM-L6-v2')
"""
    env = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": os.pathsep.join(sys.path),
        "HOME": str(tmp_path),
    }
    env |= {"FASTEMBED_CACHE_PATH": str(tmp_path), "HF_ENDPOINT": "http://127.0.0.1:9"}
    done = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=False
    )
    told = done.stderr.splitlines()
    assert told[-2:] == [
        "semblance_client.errors.ModelError: 'all-MiniLM-L6-v2' is not on this machine, and "
        "http://127.0.0.1:9 does not answer",
        "Without Internet, give a function: clients/python/README.md has one, under Without a model",
    ]
    # None of what goes wrong below, but where it was called.
    assert [line.split(",")[0] for line in told if "File" in line][:1] == ['  File "<string>"']
    assert len([line for line in told if "File" in line]) == 2 and len(told) < 10, done.stderr


@pytest.mark.parametrize("is_there", [True, False])
def test_a_model_of_sentence_transformers_without_internet(
    client: Client,
    provider: str,
    monkeypatch: pytest.MonkeyPatch,
    is_there: bool,
) -> None:
    asked: list[dict[str, Any]] = []

    class SentenceTransformer:
        def __init__(self, name: str, **options: Any) -> None:
            asked.append(options)
            raise OSError(f"We couldn't load {name}.\nIs it there?")

    package = ModuleType("sentence_transformers")
    monkeypatch.setattr(package, "SentenceTransformer", SentenceTransformer, raising=False)
    monkeypatch.setitem(sys.modules, "sentence_transformers", package)
    monkeypatch.setitem(sys.modules, "fastembed", None)
    monkeypatch.setenv("HF_ENDPOINT", provider if is_there else "http://127.0.0.1:9")
    told = "cannot be loaded: We couldn't load m. Is it there\n" if is_there else "not on this mach"
    for _ in range(2):
        with pytest.raises(ValueError, match=told):
            client.project("sayings", embed="m")
    local: list[dict[str, Any]] = [{"local_files_only": True}]
    assert asked == ([*local, {}] if is_there else local) * 2
    if is_there:
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
        with pytest.raises(ValueError, match="HF_HUB_OFFLINE"):
            client.project("sayings", embed="m")


def test_says_what_to_install(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ImportError, match=r"pip install './clients/python\[embed\]'"):
        client.project("sayings", embed="all-MiniLM-L6-v2")


@contextmanager
def serving(handler: type[Provider]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.fixture
def provider() -> Iterator[str]:
    with serving(Provider) as url:
        yield url


def test_a_provider_that_takes_long_gets_fewer_texts(
    connect: Connect, url: str, user: User
) -> None:
    sizes: list[int] = []

    class Slow(Provider):
        def do_POST(self) -> None:  # noqa: N802
            body = self.rfile.read(int(self.headers["Content-Length"]))
            sizes.append(len(json.loads(body)["input"]))
            time.sleep(2.5 if sizes[-1] > 2 else 0)
            self.rfile = io.BytesIO(body)
            # Nobody may wait any more.
            with suppress(OSError):
                super().do_POST()

    with serving(Slow) as endpoint:
        project = connect(url, user.key, timeout=1.0).project(
            "slow", dimensions=3, model="tiny", endpoint=endpoint, embed="server"
        )
        ids = [f"{at}" for at in range(10)]
        assert project.upload(ids, texts=["red"] * 10) == Uploaded(stored=10)
    assert sizes == [8, 4, 2, 2, 2, 2, 2]


def test_the_provider_makes_the_vectors(client: Client, provider: str) -> None:
    project = client.project(
        "served", dimensions=3, model="tiny", endpoint=provider, embed="server"
    )
    assert project.upload(NAMES, texts=NAMES) == Uploaded(stored=4)
    assert project.upload(NAMES, texts=NAMES) == Uploaded(unchanged=4)
    with pytest.raises(ConflictError, match="'red'"):
        project.upload(["red"], texts=["cyan"])
    sent = project.upload(["red"], texts=["cyan"], on_conflict="replace")
    assert sent == Uploaded(replaced=1)
    assert np.array_equal(project.get("red").vectors, COLOURS[3:])
    assert project.search("violet", k=1).ids == ["violet"]
    assert project.search(["violet", "orange"], k=1).ids == ["violet", "orange"]
    assert project.search(ids="orange", k=1).ids == ["violet"]
