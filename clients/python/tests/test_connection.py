"""How the server is reached, and what travels to other processes."""

from __future__ import annotations

import asyncio
import multiprocessing
import pickle
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import httpx
import numpy as np
import pytest
from conftest import COLOURS, NAMES, Connect, User
from proxy import Proxy

from semblance_client import (
    AsyncClient,
    Client,
    Project,
    SemblanceError,
    SemblanceWarning,
    UnreachableError,
)

NOBODY = "http://127.0.0.1:9"


def search(project: Project) -> list[str]:
    return project.search("red", k=1).ids


def count(client: Client) -> int:
    return client.project("colours").count()


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_processes_get_clients_and_projects(client: Client, colours: Project, method: str) -> None:
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(search, [colours] * 4) == [["orange"]] * 4
        assert pool.map(count, [client] * 2) == [4, 4]


def test_answers_can_be_pickled(colours: Project) -> None:
    found = colours.search(words="red", include=["text", "highlights"])
    copy = pickle.loads(pickle.dumps(found))
    assert repr(copy) == repr(found) and copy.queries == found.queries
    assert copy[0].highlights == found[0].highlights != []
    stored = pickle.loads(pickle.dumps(colours.get()))
    assert np.array_equal(stored.vectors, colours.get().vectors)
    nearest = pickle.loads(pickle.dumps(colours.neighbours()))
    assert nearest.to_pandas().equals(colours.neighbours().to_pandas())


def test_clients_of_a_loop_can_be_pickled(url: str, user: User) -> None:
    client = pickle.loads(pickle.dumps(AsyncClient(url, user.key)))

    async def me() -> str | None:
        async with client:
            handle: str | None = await client.me()
            return handle

    assert asyncio.run(me()) == user.handle


def test_a_server_that_is_not_there_is_named(connect: Connect) -> None:
    with pytest.raises(UnreachableError, match=f"no server answers at {NOBODY}: ") as caught:
        connect(NOBODY, "a-secret-key").me()
    error = caught.value
    assert isinstance(error, SemblanceError) and isinstance(error, httpx.ConnectError)
    assert error.status == 0 and "authorization" not in error.request.headers
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy)) == (UnreachableError, str(error))


async def test_a_server_that_is_not_there_is_named_in_a_loop() -> None:
    async with AsyncClient(NOBODY, "key") as client:
        with pytest.raises(UnreachableError, match=f"no server answers at {NOBODY}: "):
            await client.me()


def test_waits_for_a_server_that_has_answered(connect: Connect, url: str, user: User) -> None:
    with Proxy(url) as proxy:
        client = connect(proxy.url, user.key)
        client.me()
        proxy.restart(after=5)
        with pytest.warns(SemblanceWarning, match="the connection was lost: "):
            assert client.me() == user.handle


def test_a_key_is_made_once(connect: Connect, url: str, user: User) -> None:
    with Proxy(url) as proxy:
        client = connect(proxy.url, user.key)
        assert client.me() == user.handle
        proxy.lose("after", every=2)
        with pytest.raises(httpx.RemoteProtocolError):
            client.create_key("notebook")
        assert [head for head in proxy.heads if head.startswith(b"POST")] == proxy.heads[1:]
        proxy.lose("503", every=4)
        client.list_keys()
        assert len(client.create_key("another")) > 20


@pytest.mark.parametrize("name", ["ALL_PROXY", "HTTP_PROXY", "all_proxy"])
def test_a_socks_proxy_needs_more(
    connect: Connect, url: str, user: User, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "socks5://127.0.0.1:1080")
    with pytest.raises(ValueError, match=r"SOCKS proxy.*pip install 'httpx\[socks\]'") as caught:
        connect("http://server.invalid:8880", "key")
    assert caught.value.__suppress_context__
    # Not for this machine.
    assert connect(url, user.key).me() == user.handle


async def test_a_socks_proxy_needs_more_in_a_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", "socks5://127.0.0.1:1080")
    async with AsyncClient("http://server.invalid:8880", "key") as client:
        with pytest.raises(ValueError, match="SOCKS proxy"):
            await client.me()


class Answering(BaseHTTPRequestHandler):
    """What stands at the URL in place of Semblance."""

    status = 200
    body = b""
    headers_sent: ClassVar[dict[str, str]] = {}
    asked = 0

    def do_GET(self) -> None:
        kind = type(self)
        kind.asked += 1
        self.send_response(kind.status)
        for name, value in kind.headers_sent.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(kind.body)))
        self.end_headers()
        self.wfile.write(kind.body)

    do_POST = do_GET  # noqa: N815

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.fixture
def answering() -> Iterator[tuple[str, type[Answering]]]:
    kind = type("Kind", (Answering,), {})
    with ThreadingHTTPServer(("127.0.0.1", 0), kind) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", kind
        server.shutdown()


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"<!doctype html>", "text/html; charset=utf-8"),
        (b"<!doctype html>", "text/plain"),
        (b"null", "application/json"),
        (b"[" * 200_000, "application/json"),
        (b"", "application/json"),
    ],
)
async def test_an_answer_of_something_else(
    connect: Connect,
    answering: tuple[str, type[Answering]],
    colours: Project,
    body: bytes,
    kind: str,
) -> None:
    url, there = answering
    there.body, there.headers_sent = body, {"Content-Type": kind}
    told = rf"^200 OK: what {url}/v1/me gives is no answer of Semblance"
    with pytest.raises(SemblanceError, match=told):
        connect(url, "key").me()
    async with AsyncClient(url, "key") as client:
        with pytest.raises(SemblanceError, match=told):
            await client.me()
    colours._core._transport = connect(url, "key")._core._transport
    for call in (colours.map, colours.get, colours.neighbours, lambda: colours.search("red")):
        with pytest.raises(SemblanceError, match="is no answer of Semblance"):
            call()


def test_an_export_that_is_a_page(
    connect: Connect, answering: tuple[str, type[Answering]], colours: Project, tmp_path: Path
) -> None:
    url, there = answering
    there.body, there.headers_sent = b"<p>Log in", {"Content-Type": "text/html"}
    colours._core._transport = connect(url, "key")._core._transport
    for name in ("a.ndjson", "a.parquet", "a.semblance"):
        with pytest.raises(SemblanceError, match="is no answer of Semblance"):
            colours.export(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("status", [429, 503])
def test_what_takes_long_is_said_at_once(
    connect: Connect, answering: tuple[str, type[Answering]], status: int
) -> None:
    url, there = answering
    there.status, there.headers_sent = status, {"Retry-After": "86400"}
    with pytest.raises(SemblanceError, match=str(status)):
        connect(url, "key").me()
    assert there.asked == 1
    # Which is a digit, and no number.
    there.headers_sent = {"Retry-After": "\u00b2"}
    with pytest.raises(SemblanceError, match=str(status)):
        connect(url, "key", retries=1).me()
    assert there.asked == 3


FULL = (
    b'{"title": "Service Unavailable", "status": 503, "detail": "The disk of the database is full"}'
)


async def test_says_what_it_waits_for(
    connect: Connect, answering: tuple[str, type[Answering]], colours: Project
) -> None:
    url, there = answering
    for status, body, kind, told in (
        (503, FULL, "application/problem+json", "503 Service Unavailable: The disk of the dat"),
        (502, b"<p>Oh", "text/html", "502 Bad Gateway$"),
        (429, b"[]", "application/json", "429 Error: no reason was given$"),
    ):
        there.status, there.body = status, body
        there.headers_sent = {"Content-Type": kind, "Retry-After": "3"}
        waits = pytest.warns(SemblanceWarning, match=f"^waiting for {url}: {told}")
        with waits as seen, pytest.raises(SemblanceError, match=str(status)):
            connect(url, "key", retries=1).me()
        assert [each.filename for each in seen] == [__file__]
    colours._core._transport = connect(url, "key", retries=1)._core._transport
    with pytest.warns(SemblanceWarning, match="429"), pytest.raises(SemblanceError):
        colours.get()
    async with AsyncClient(url, "key", retries=1) as client:
        with pytest.warns(SemblanceWarning, match="429"), pytest.raises(SemblanceError):
            await client.me()


def test_a_bar_says_what_it_waits_for(
    connect: Connect, url: str, user: User, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    with Proxy(url) as proxy:
        mine = connect(proxy.url, user.key).project(project.handle)
        proxy.pause = 3
        proxy.lose("503", every=4)
        with pytest.warns(SemblanceWarning, match="503 Busy"):
            mine.upload(NAMES, COLOURS, progress=True, concurrency=2)
    first, *rest = capsys.readouterr().err.split(f"waiting for {proxy.url}: 503 Busy")
    assert "upload to colours" in first and rest
    # Not any more, when it has been stored.
    assert "4.00" in rest[-1]


def test_the_name_that_is_none_is_named(client: Client) -> None:
    with pytest.raises(ValueError, match=r"^'\.\.' is no name$"):
        client.revoke_key("key", user="..")
    with pytest.raises(ValueError, match=r"^'' is no name$"):
        client.project("/colours")
