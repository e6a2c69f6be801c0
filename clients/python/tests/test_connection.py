"""How the server is reached, and what travels to other processes."""

from __future__ import annotations

import asyncio
import multiprocessing
import pickle

import httpx
import numpy as np
import pytest
from conftest import Connect, User
from proxy import Proxy

from semblance_client import AsyncClient, Client, Project, SemblanceError, UnreachableError

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
        proxy.restart(after=2.5)
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
