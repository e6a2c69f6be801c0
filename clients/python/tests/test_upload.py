"""What is stored, what is sent, and what is refused before anything is sent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from conftest import COLOURS, NAMES, TONES, Connect, User
from numpy.typing import NDArray
from proxy import Proxy

from semblance_client import Client, ConflictError, Project, SemblanceError, Uploaded


def test_stores_everything_as_it_was(colours: Project) -> None:
    found = colours.get()
    order = sorted(range(4), key=NAMES.__getitem__)
    assert found.ids == sorted(NAMES)
    assert np.array_equal(found.vectors, COLOURS[order])
    assert found.texts == [f"The colour {name}" for name in sorted(NAMES)]
    assert found.metadata == [TONES[row] for row in order]


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "f8", "f2", "i4", "u1"])
def test_takes_any_numbers(project: Project, dtype: str) -> None:
    vectors = np.array([[1, 2, 3], [4, 5, 6]], dtype=dtype)
    assert project.upload([7, np.int64(8)], vectors).stored == 2
    assert project.get().ids == ["7", "8"]
    assert np.array_equal(project.get().vectors, [[1, 2, 3], [4, 5, 6]])


def test_running_it_again_sends_nothing(
    connect: Connect, url: str, user: User, colours: Project
) -> None:
    texts = [f"The colour {name}" for name in NAMES]
    with Proxy(url) as proxy:
        project = connect(proxy.url, user.key).project("colours")
        assert project.upload(NAMES, COLOURS, texts, TONES) == Uploaded(unchanged=4)
        posts = [head.split()[1] for head in proxy.heads if head.startswith(b"POST")]
        assert posts == [f"/v1/embeddings/{user.handle}/colours/missing".encode()]


def test_compares_what_json_may_write_in_many_ways(project: Project) -> None:
    numbers = [
        0.0,
        -0.0,
        1.0,
        1e-7,
        1.5e-7,
        123456789012345.6,
        1e20,
        1e21,
        1.25e22,
        5e-324,
        0.000001,
    ]
    metadata = [
        {
            "n": numbers,
            "ключ": '\u2028\x7f\U0001f600"\\\n',
            "z": None,
            "a": [True, {}],
            "\U0001f600": 1,
            "\uffff": 2,
        }
    ]
    assert project.upload(["odd"], [[1, 2, 3]], ["\t\x01é"], metadata).stored == 1
    assert project.upload(["odd"], [[1, 2, 3]], ["\t\x01é"], metadata) == Uploaded(unchanged=1)


def test_texts_may_have_any_characters(project: Project) -> None:
    odd = "a\u2028b\u2029c\x85d\x0be\x0cf\rg\nh\x1ci"
    project.upload([odd], [[1, 2, 3]], [odd], [{odd: odd}])
    found = project.get()
    assert (found.ids, found.texts, found.metadata) == ([odd], [odd], [{odd: odd}])
    assert project.neighbours()[0][0] == odd
    assert project.get([odd]).ids == [odd]


def test_what_differs_is_a_conflict_unless_told(colours: Project) -> None:
    new = (["red", "blue"], [[0, 1, 0], [0, 0, 1]])
    with pytest.raises(ConflictError, match="'red' with other contents; on_conflict='replace'"):
        colours.upload(*new)
    assert len(colours) == 4
    assert colours.upload(*new, on_conflict="skip") == Uploaded(stored=1, skipped=1)
    assert np.array_equal(colours.get(["red"]).vectors, [[1, 0, 0]])
    assert colours.upload(*new, on_conflict="replace") == Uploaded(replaced=1, unchanged=1)
    assert np.array_equal(colours.get(["red"]).vectors, [[0, 1, 0]])


def test_numpy_and_pandas_in_metadata(project: Project) -> None:
    given = {
        "i": np.int32(3),
        "f": np.float32(0.5),
        "a": np.array([1, 2]),
        "b": np.bool_(True),
        "t": pd.Timestamp("2026-01-02"),
        "n": None,
        "l": ("x", [np.str_("y")]),
    }
    project.upload(["a"], [[1, 2, 3]], metadata=[given])
    stored = {
        "i": 3,
        "f": 0.5,
        "a": [1, 2],
        "b": True,
        "t": "2026-01-02T00:00:00",
        "n": None,
        "l": ["x", ["y"]],
    }
    assert project.get().metadata == [stored]


def test_a_table_there_and_back(colours: Project) -> None:
    table = colours.to_pandas()
    assert list(table.columns) == ["text_id", "text", "vector", "tone", "of.r"]
    copy = table.assign(**{"a\\.b": ["x", None, np.nan, pd.NaT]}).rename(columns={"text_id": "doc"})
    colours.delete(everything=True)
    assert colours.upload(copy, columns={"doc": "text_id", "text": None}).stored == 4
    found = colours.get()
    assert found.metadata == [
        {"tone": "cold", "a.b": "x"},
        {"tone": "warm"},
        {"tone": "warm"},
        {"tone": "cold", "of": {"r": 1}},
    ]
    assert found.texts == [None] * 4
    metadata = pd.DataFrame({"n": [1, 2, 3, 4]})
    assert (
        colours.upload(found.ids, found.vectors, metadata=metadata, on_conflict="replace").replaced
        == 4
    )
    assert colours.count({"n": {"$gte": 3}}) == 2


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"ids": ["a", "b"], "vectors": [[1, 2, 3], [1, float("nan"), 3]]}, r"vectors\[1\]\[1\] is nan"),
    ({"ids": ["a"], "vectors": np.array([[1, 1e39, 3]])}, r"vectors\[0\]\[1\] is 1e\+39, not a finite float32"),
    ({"ids": ["a"], "vectors": [[1, 2]]}, "has 2 dimensions, not 3 as the project"),
    ({"ids": ["a", "b"], "vectors": [[1, 2, 3], [1, 2]]}, r"vectors\[1\] has 2 dimensions, not 3 as the first"),
    ({"ids": ["a"], "vectors": [1, 2, 3]}, r"vectors\[0\] is 1, not a vector"),
    ({"ids": ["a", "b"], "vectors": [[1, 2, 3]]}, "there are 2 ids and 1 vectors"),
    ({"ids": ["a"], "vectors": [[1, 2, 3]], "texts": []}, "there are 1 ids and 0 texts"),
    ({"ids": ["a", "a"], "vectors": [[1, 2, 3]] * 2}, r"ids\[1\] is 'a', as ids\[0\] is"),
    ({"ids": [None], "vectors": [[1, 2, 3]]}, r"ids\[0\] is None, not a str or an int"),
    ({"ids": ["a"], "vectors": [[1, 2, 3]], "texts": "abc"}, "one for each embedding"),
    ({"ids": ["a"], "vectors": [["x", "y", "z"]]}, r"vectors\[0\]\[0\] is 'x', not a number"),
    ({"ids": ["a"], "vectors": [[1, 2, 3]], "metadata": [{"x": [1, float("nan")]}]}, r"metadata\[0\]\.x\[1\] is nan"),
    ({"ids": ["a"], "vectors": [[1, 2, 3]], "metadata": [{"x": {1: 2}}]}, "the key 1, which is not a str"),
    ({"ids": ["a"], "vectors": [[1, 2, 3]], "metadata": [{"x": object()}]}, "is a object"),
    ({"ids": [{"text_id": "a"}]}, r"items\[0\] has none of vector, embedding"),
    ({"ids": pd.DataFrame({"text": ["a"]})}, "the table has none of text_id"),
    ({"ids": ["a"]}, r"items\[0\] is no dict"),
    ({"ids": "verses.txt"}, "verses.txt is no .parquet"),
    ({"ids": ["a"], "vectors": [[0, 0, 0]]}, r"vectors\[0\] is zero"),
    ({"ids": ["a"], "vectors": np.ma.masked_equal([[1, 2, 3]], 2)}, "masked"),
    ({"ids": ["a"], "vectors": [[1, 2, 3]], "texts": ["a\0b"]}, r"texts\[0\] has the character NUL"),
    ({"ids": ["a"], "vectors": [[1, 2, 3]], "metadata": [{"x": 2**53 + 1}]},
        r"metadata\[0\]\.x is 9007199254740993"),
    ({"ids": ["a"], "vectors": [[1, 2, 3]], "metadata": [{"x": 10**400}]}, "the server would round"),
    ({"ids": ["a"], "vectors": [[1, 2, 3]], "on_conflict": "overwrite"}, "on_conflict is 'overwrite'"),
    ({"ids": pd.DataFrame({"id": ["a"], "vector": [[1, 2, 3]]}), "vectors": [[1, 2, 3]]},
        "a table has its vectors"),
    ({"ids": pd.DataFrame([["a", [1, 2, 3], 1, 2]], columns=["id", "vector", 1, "1"])},
        "more than one column is '1'"),
    ({"ids": pd.DataFrame([["a", [1, 2, 3], 1, 2]], columns=["id", "vector", "a.b", "a"])}, "within it"),
    ({"ids": pd.DataFrame([["a", [1, 2, 3], "x", "y"]], columns=["id", "vector", "text", "t"]),
        "columns": {"t": "text"}},
        "more than one column is 'text'"),
    ({"ids": [{"id": "a", "vector": [1, 2, 3], "x": 1, "metadata": {"x": 2}}]}, r"metadata\[0\] has 'x'"),
    ({"ids": [{"id": "a", "vector": "AAAA"}]}, "no base64 of float32"),
]  # fmt: skip


@pytest.mark.parametrize(("wrong", "message"), WRONG)
def test_refuses_with_the_place(colours: Project, wrong: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        colours.upload(**wrong)
    assert len(colours) == 4


def test_the_server_has_the_last_word(project: Project) -> None:
    with pytest.raises(SemblanceError, match=r"text_id") as caught:
        project.upload(["x" * 301], [[1, 2, 3]])
    assert (caught.value.status, len(project)) == (400, 0)


def test_nothing_at_all_is_no_error(project: Project) -> None:
    assert project.upload([], []) == Uploaded()
    assert project.upload([]) == Uploaded()
    assert project.search([]).to_pandas().empty
    assert project.get().to_pandas().empty
    assert len(project.neighbours()) == 0


@pytest.mark.parametrize("lost", ["before", "after", "502", "503", "504"])
def test_goes_on_when_connections_are_lost(
    connect: Connect,
    url: str,
    user: User,
    project: Project,
    random_vectors: Callable[[int, int], NDArray[np.float32]],
    lost: str,
) -> None:
    ids, vectors = [f"n{row}" for row in range(2_500)], random_vectors(2_500, 3)
    with Proxy(url) as proxy:
        through = connect(proxy.url, user.key).project("colours")
        # Every third request: some before they reach the server, some whose answers are lost after the commit.
        proxy.lose(lost, every=3)
        assert sum(vars(through.upload(ids, vectors)).values()) == 2_500
        results = through.search(vectors[:250], k=1)
        assert (results.similarities > 0.999999).all() and len(results) == 250
        assert proxy.lost > 1
    assert len(project) == 2_500


def test_no_error_shows_a_key(connect: Connect, url: str) -> None:
    for key in ("smb_secret\n#comment", "smb_sécret"):
        with pytest.raises(ValueError, match="the key must be one word") as caught:
            connect(url, key)
        assert "cret" not in repr(caught.value)


def test_a_whole_answer_that_is_cut_is_asked_for_again(
    connect: Connect, url: str, user: User, colours: Project
) -> None:
    with Proxy(url) as proxy:
        through = connect(proxy.url, user.key).project("colours")
        proxy.lose("cut", every=2)
        assert through.search(["red", "violet"], k=1).ids == ["orange", "red"]
        through.upload(["red"], [[1, 0, 0]], on_conflict="replace")
        assert proxy.lost > 0
    assert colours.get("red").texts == [None]


def test_knows_how_many_there_are_now(client: Client, colours: Project) -> None:
    assert colours.info["embedding_count"] == 4
    client.project("colours").upload(["blue"], [[0, 0, 1]])
    colours.upload(["green"], [[0, 1, 0]])
    assert colours.info["embedding_count"] == 6
    colours.delete(["green"], dry_run=True)
    assert colours.delete(["green", "blue"]) == 2
    assert colours.info["embedding_count"] == 4
    colours.delete(everything=True)
    assert colours.info["embedding_count"] == 0


def test_gives_up_when_nobody_answers(connect: Connect, url: str) -> None:
    with Proxy(url) as proxy:
        proxy.lose("503", every=1)
        with pytest.raises(SemblanceError, match="503"):
            connect(proxy.url, "key", retries=1).me()
