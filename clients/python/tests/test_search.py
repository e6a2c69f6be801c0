"""Searches, neighbours, and what is warned of."""

from __future__ import annotations

import asyncio
import json
import os
import re
import threading
from collections.abc import Callable
from html import unescape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
import numpy as np
import pytest
from conftest import COLOURS, NAMES, Connect, User
from numpy.typing import NDArray
from proxy import Proxy

from semblance_client import (
    Client,
    NotFoundError,
    Passage,
    Project,
    SemblanceError,
    SemblanceWarning,
)


def test_by_a_vector_and_by_a_text_id(colours: Project) -> None:
    found = colours.search([1, 0.4, 0], include=["text", "metadata", "vector"])
    assert found.ids == ["orange", "red", "violet"]
    assert found[0].text == "The colour orange"
    assert found[2].metadata == {"tone": "cold", "of": {"r": 1}}
    assert found[1].vector is not None and np.array_equal(found[1].vector, [1, 0, 0])
    assert found.mode == "exact"
    # Of those that are not negative nothing is hidden; cyan has a negative similarity.
    assert found.hidden == 1
    assert colours.search("red", k=1).ids == ["orange"]
    assert colours.search("red", k=1, include_self=True).ids == ["red"]
    assert [hit.rank for hit in found] == [1, 2, 3]


def test_like_these_and_unlike_those(colours: Project) -> None:
    alone = colours.search(like=["red", [1, 1, 0]], k=2)
    assert "red" not in alone.ids
    assert colours.search(like="red").ids == colours.search(ids="red").ids
    assert colours.search(like=np.array([1, 0.4, 0]), k=1).ids == ["orange"]
    unlike = colours.search("red", unlike="violet")
    assert "violet" not in unlike.ids and unlike.ids[0] == "orange"
    with pytest.raises(NotFoundError, match="'blue' not found"):
        colours.search(like=["red", "blue"])
    with pytest.raises(SemblanceError, match="cancel each other out"):
        colours.search(like="red", unlike="red")


def test_on_the_scale_of_a_project(
    project: Project, random_vectors: Callable[[int, int], NDArray[np.float32]]
) -> None:
    vectors = random_vectors(150, 3)
    project.upload(range(150), vectors)
    found = project.search(vectors[0], include=["percentile"], min_percentile=0.9, k=100)
    shares = [hit.percentile or 0 for hit in found]
    assert shares == sorted(shares, reverse=True) and 0.9 <= shares[-1] < 1
    assert found.to_pandas()["percentile"].tolist() == shares
    near = project.search(vectors[0], k=5)
    differing = project.search(vectors[0], k=5, diversity=0.9)
    assert differing.ids[0] == near.ids[0] and differing.ids != near.ids


def test_several_projects(connect: Connect, url: str, colours: Project, user: User) -> None:
    client = connect(url, user.key)
    more = client.project("more", dimensions=3, model=colours.model)
    more.upload(["pink"], [[1, 0.1, 0]], ["The colour pink, a colour"])
    both = ["more", f"{colours.owner}/{colours.handle}"]
    found = client.search([1, 0.1, 0], projects=[more, colours], k=2, include=["text"])
    assert [(hit.project, hit.id) for hit in found] == [
        (f"{more.owner}/more", "pink"),
        (both[1], "red"),
    ]
    assert str(found).startswith(f"1.000  {more.owner}/more  pink")
    assert list(found.to_pandas()["project"]) == [f"{more.owner}/more", both[1]]
    many = client.search([[1, 0, 0], [0, 0, 1]], projects=both, k=1)
    assert many.ids == ["red", "violet"]
    assert client.search(words="colour pink", projects=both, k=1).ids == ["pink"]
    assert client.search(ids=f"{both[1]}/red", projects=both, k=1).ids == ["pink"]
    grouped = client.search([0, 1, 0], projects=both, group_by="project", k=5)
    assert [hit.group for hit in grouped] == [both[1], f"{more.owner}/more"]
    with pytest.raises(NotFoundError, match="no-such"):
        client.search(words="pink", projects=["no-such"])
    with pytest.raises(TypeError, match="no limit=: it is k="):
        client.search(words="pink", projects=both, limit=3)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda project: project.search("red", limit=3), "search has no limit=: it is k="),
        (lambda project: project.search(vector=[1, 0, 0]), "search has no vector=: it is queries="),
        (lambda project: project.search(text_id="red"), "search has no text_id=: it is ids="),
        (lambda project: project.neighbours(limit=3), "neighbours has no limit=: it is k="),
        (lambda project: project.get(text_ids=["red"]), "get has no text_ids=: it is ids="),
        (lambda project: project.delete(text_ids=["red"]), "delete has no text_ids=: it is ids="),
        (lambda project: project.upload(["a"], vector=[[1]]), "upload has no vector=: it is vect"),
        (lambda project: project.search("red", lmit=3), "unexpected keyword argument 'lmit'"),
    ],
)
def test_says_what_names_of_the_api_are_here(colours: Project, call: Any, told: str) -> None:
    with pytest.raises(TypeError, match=told):
        call(colours)


def test_many_at_once(colours: Project) -> None:
    found = colours.search(["red", "violet", "red"], k=2)
    assert found.queries == ["red", "violet"]
    assert {query: [hit.id for hit in hits] for query, hits in found.by_query().items()} == {
        "red": ["orange", "violet"],
        "violet": ["red", "orange"],
    }
    assert found.to_pandas().groupby("query")["similarity"].max().round(3).to_dict() == {
        "red": 0.894,
        "violet": 0.707,
    }
    by_vector = colours.search(COLOURS[:2], k=1)
    assert [(hit.query, hit.id) for hit in by_vector] == [(0, "red"), (1, "orange")]
    with pytest.raises(NotFoundError, match="'blue' not found"):
        colours.search(["red", "blue"])


def test_more_than_a_page(
    project: Project, random_vectors: Callable[[int, int], NDArray[np.float32]]
) -> None:
    vectors = np.abs(random_vectors(450, 3))
    project.upload(range(450), vectors)
    cosines = (vectors @ vectors[:3].T) / np.outer(
        np.linalg.norm(vectors, axis=1), np.linalg.norm(vectors[:3], axis=1)
    )
    for k in (200, 201, 450, 1_000):
        found = project.search(vectors[:3], k=k).by_query()
        for query, hits in found.items():
            assert len({hit.id for hit in hits}) == len(hits) == min(k, 450)
            best = np.sort(cosines[:, int(query)])[::-1][: len(hits)]
            assert np.allclose([hit.similarity for hit in hits], best, atol=1e-5)
            assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))


def test_prints_well(colours: Project) -> None:
    assert repr(colours.search("red", include=["text"])).splitlines() == [
        "0.894  orange  The colour orange",
        "0.707  violet  The colour violet",
        "(1 more are less similar than was asked for)",
    ]
    assert repr(colours.search([0, 0, -1], filter={"tone": "warm"}, k=1)) != ""


def test_filters_and_groups(colours: Project) -> None:
    assert colours.search("red", filter={"tone": {"$ne": "warm"}}).ids == ["violet"]
    table = colours.search("red", group_by="tone", include=["metadata"]).to_pandas()
    assert table[["id", "group", "tone"]].to_numpy().tolist() == [
        ["orange", "warm", "warm"],
        ["violet", "cold", "cold"],
    ]


def test_warns_of_what_may_not_be_meant(colours: Project) -> None:
    with pytest.warns(SemblanceWarning, match="2 less similar hits are below the threshold of 0.8"):
        assert colours.search("red", threshold=0.8, k=3).ids == ["orange"]
    with pytest.warns(SemblanceWarning, match='a field "tune"'):
        found = colours.search("red", filter={"tune": "warm"})
    assert re.fullmatch(
        r"\(nothing was found\)\n\(No document .* a field \"tune\".*\)", repr(found)
    )
    assert 'a field "tune"' in unescape(found._repr_html_())
    with pytest.warns(SemblanceWarning, match='a field "tune"'):
        assert len(colours.search(["red", "violet"], filter={"tune": "warm"})) == 0


def test_neighbours_whose_answer_is_lost_before_its_first_line(
    colours: Project, connect: Connect, url: str, user: User
) -> None:
    with Proxy(url) as proxy:
        through = connect(proxy.url, user.key).project("colours")
        # Counted before.
        proxy.lose("cut", every=len(proxy.heads) + 2)
        assert through.neighbours(1).to_pandas().equals(colours.neighbours(1).to_pandas())
        assert proxy.lost == 1
        proxy.lose("cut", every=1)
        with pytest.raises(httpx.RemoteProtocolError):
            through.neighbours(1, filter={})


def test_neighbours(colours: Project) -> None:
    found = colours.neighbours(1)
    assert [(name, [hit.id for hit in hits]) for name, hits in found] == [
        ("cyan", []),
        ("orange", ["red"]),
        ("red", ["orange"]),
        ("violet", ["red"]),
    ]
    different = colours.neighbours(1, different="tone").to_pandas()
    assert different[["id", "neighbour"]].to_numpy().tolist() == [
        ["orange", "violet"],
        ["red", "violet"],
        ["violet", "red"],
    ]


def test_compares_two_models(client: Client, colours: Project) -> None:
    other = client.project("again", dimensions=2, model="smaller")
    other.upload(NAMES, COLOURS[:, :2])
    assert colours.compare(colours, k=2).overlap == 1
    found = colours.compare(other, k=1)
    assert found.of == {"cyan": 1, "orange": 1, "red": 0, "violet": 1}
    other.delete("cyan")
    with pytest.warns(SemblanceWarning, match="1 text_ids are in one project only"):
        colours.compare(other)


def test_gets_some(colours: Project) -> None:
    assert colours.get("red").ids == ["red"]
    assert colours.get(["violet", "red", "blue"]).ids == ["red", "violet"]
    assert colours.get(["violet", "red"], filter={"tone": "cold"}).ids == ["violet"]
    some = colours.get(filter={"tone": "warm"}, include=["text"])
    assert (some.ids, some.vectors.shape, some.metadata) == (
        ["orange", "red"],
        (2, 0),
        [None, None],
    )


def test_deletes(colours: Project) -> None:
    assert colours.delete(filter={"tone": "warm"}, dry_run=True) == 2
    assert colours.delete(filter={"tone": "warm"}) == 2
    assert colours.delete(["violet", "blue"]) == 1
    with pytest.raises(TypeError, match="one of them"):
        colours.delete()
    assert colours.delete(everything=True) == 1
    colours.drop()
    with pytest.raises(SemblanceError, match="404"):
        colours.search("red")


def test_fields_and_statistics(colours: Project) -> None:
    assert set(colours.fields()["path"]) == {"tone", "of", "of.r"}
    assert colours.statistics()["total_count"] == 4


def test_facets_follow_a_filter(colours: Project) -> None:
    tones = colours.facets("tone")
    assert list(tones.columns) == ["value", "count"]
    assert dict(zip(tones["value"], tones["count"], strict=True)) == {"warm": 2, "cold": 2}
    assert list(colours.facets("tone", {"tone": "cold"})["value"]) == ["cold"]
    assert colours.facets("tone", {"tone": "none"}).empty
    with pytest.raises(SemblanceError, match="field must not be empty"):
        colours.facets("")


def test_what_stands_around(project: Project) -> None:
    ids = [f"psalm/{psalm}-{verse}" for psalm in (9, 10) for verse in range(1, 12)]
    lines = [{"line": line} for line in range(len(ids))]
    project.upload(ids, np.ones((len(ids), 3)), ids, lines)
    found = project.around("psalm/10-9", after=1)
    assert [each.id for each in found.before] == ["psalm/10-7", "psalm/10-8"]
    assert found.after == [Passage("psalm/10-10", "psalm/10-10", {"line": 20})]
    assert project.around("psalm/9-11", include=[]).after == []
    project.update(reading_order=["line"])
    assert project.info["reading_order"] == ["line"]
    assert [each.id for each in project.around("psalm/9-11").after] == ["psalm/10-1", "psalm/10-2"]
    [hit] = project.search(ids="psalm/9-2", k=1, include=["around"], filter={"line": 10})
    assert hit.around is not None and [each.text for each in hit.around.before] == ["psalm/9-10"]
    project.update(reading_order=[])
    assert "reading_order" not in project.info
    with pytest.raises(NotFoundError, match="'none' not found"):
        project.around("none")


def test_gets_more_than_fits_in_a_url(project: Project) -> None:
    ids = [f"{'ü' * 100}{row}" for row in range(700)]
    project.upload(ids, np.ones((700, 3)))
    assert len(project.get(ids, filter={"text_id": {"$prefix": "ü"}})) == 700


def test_names_that_mean_another_path(colours: Project) -> None:
    for name in ("..", ".", ""):
        with pytest.raises(ValueError, match="is no name"):
            colours.unshare(name)
    assert len(colours) == 4


def test_numbers_of_numpy(colours: Project) -> None:
    options: dict[str, Any] = {
        "k": np.int64(2),
        "threshold": np.float32(0.25),
        "include": iter(["vector"]),
    }
    found = colours.search(COLOURS[0], **options)
    assert found.ids == ["red", "orange"]
    assert found[0].vector is not None
    assert colours.count({"tone": {"$in": np.array(["cold"])}}) == 2


def test_each_process_has_its_own_connection(colours: Project) -> None:
    colours.count()
    readers = [os.pipe() for _ in range(4)]
    for number, (_, write) in enumerate(readers):
        if os.fork() == 0:
            name = NAMES[number % 3]
            found = [colours.search(name, k=1, include_self=True).ids for _ in range(30)]
            os.write(write, b"right" if found == [[name]] * 30 else b"wrong")
            os._exit(0)
    assert [os.read(read, 5) for read, _ in readers] == [b"right"] * 4
    for number in [number for pair in readers for number in pair]:
        os.close(number)
    for _ in readers:
        os.wait()


def test_threads_share_a_client(colours: Project) -> None:
    async def search() -> list[str]:
        searches = (
            asyncio.to_thread(colours.search, name, k=1, include_self=True) for name in NAMES * 8
        )
        return [hit.id for results in await asyncio.gather(*searches) for hit in results]

    assert asyncio.run(search()) == NAMES * 8


def test_by_words(colours: Project) -> None:
    found = colours.search(words="red", include=["text"])
    assert found.ids == ["red"]
    assert found[0].score is not None and found[0].score > 0
    assert np.isnan(found[0].similarity) and np.isnan(found.similarities).all()
    assert "red" in repr(found)
    table = found.to_pandas()
    assert list(table.columns) == ["query", "rank", "id", "similarity", "score", "text"]
    both = colours.search("red", words="cyan", k=1)
    assert both.ids == ["cyan"] and both[0].similarity >= 0
    assert len(colours.search(words="nowhere")) == 0
    with pytest.raises(TypeError, match="or words"):
        colours.search()


def test_repeats_what_a_batch_says_is_not_ready(
    colours: Project, connect: Connect, url: str, user: User
) -> None:
    class NotReady(BaseHTTPRequestHandler):
        """Forwards searches, and says of the first one of a batch that it is not ready."""

        def do_GET(self) -> None:
            self.answer(httpx.get(url + self.path, headers=self.sent()))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            self.answer(httpx.post(url + self.path, headers=self.sent(), content=body))

        def sent(self) -> dict[str, str]:
            return {name: self.headers[name] or "" for name in ("Authorization", "Content-Type")}

        def answer(self, response: httpx.Response) -> None:
            body = response.content
            if self.path.endswith("batch"):
                problem = {"title": "Service Unavailable", "status": 503, "detail": "not yet"}
                answers = response.json()["answers"]
                body = json.dumps({"answers": [{"error": problem}, *answers[1:]]}).encode()
            self.send_response(response.status_code)
            self.send_header("X-Search-Mode", response.headers.get("X-Search-Mode", ""))
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), NotReady)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        through = connect(f"http://127.0.0.1:{server.server_port}", user.key).project("colours")
        found = through.search(["red", "violet"], k=2)
        assert found.to_pandas().equals(colours.search(["red", "violet"], k=2).to_pandas())
    finally:
        server.shutdown()
        server.server_close()


class Provider(BaseHTTPRequestHandler):
    """Of embeddings: of the names of colours, their vectors."""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        vectors = [COLOURS[NAMES.index(text)].tolist() for text in request["input"]]
        body = json.dumps({"data": [{"embedding": vector} for vector in vectors]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


def test_for_words(colours: Project, user: User, url: str) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        endpoint = f"http://127.0.0.1:{server.server_port}/"
        with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {user.key}"}) as http:
            [instance] = http.get(f"/v1/llm-services/{user.handle}").json()["instances"]
            path = f"/v1/llm-services/{user.handle}/{instance['instance_handle']}"
            params = {"force": "true"}
            http.patch(path, json={"endpoint": endpoint}, params=params).raise_for_status()
            with pytest.raises(SemblanceError, match="No texts are embedded"):
                colours.search(text="red")
            path = f"/v1/projects/{user.handle}/colours"
            http.patch(path, json={"text_queries": "members"}).raise_for_status()
        assert colours.search(text="red", k=1).ids == ["red"]
        found = colours.search(text=["violet", "cyan"], k=1)
        assert [(hit.query, hit.id) for hit in found] == [("violet", "violet"), ("cyan", "cyan")]
        with pytest.raises(TypeError, match="one of them"):
            colours.search("red", text="red")
    finally:
        server.shutdown()
        server.server_close()
