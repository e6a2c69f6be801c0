"""A model of this machine as the provider of a server."""

from __future__ import annotations

import base64
import re
import signal
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import numpy as np
import pytest
from conftest import Terminal

from semblance_client import Client

MODEL = "all-MiniLM-L6-v2"


@contextmanager
def served(terminal: Terminal, *options: str) -> Iterator[tuple[str, str]]:
    """Endpoint, and what was printed."""
    process = terminal.start("serve-model", MODEL, *options)
    assert process.stdout is not None
    printed = ""
    try:
        while (found := re.search(r"^ +(http://\S+)$", printed, re.MULTILINE)) is None:
            line = process.stdout.readline()
            assert line, printed + (process.stderr.read() if process.stderr else "")
            printed += line
        yield found[1], printed
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def at_home(terminal: Terminal, models: Path) -> Terminal:
    terminal.env |= {"FASTEMBED_CACHE_PATH": str(models), "HF_HUB_OFFLINE": "1"}
    return terminal


def test_makes_the_vectors_of_a_project(client: Client, at_home: Terminal) -> None:
    texts = ["Love your enemies, do good to those who hate you", "Jesus wept."]
    with served(at_home) as (endpoint, printed):
        place = endpoint.removeprefix("http://").removesuffix("/v1/embeddings")
        assert f"   SERVICE_EMBEDDINGHOSTS={place}\n" in printed
        assert place.startswith("127.0.0.1:") and "384 dimensions" in printed
        project = client.project(
            "served", embed="server", model=MODEL, dimensions=384, endpoint=endpoint
        )
        assert project.upload(["luke", "john"], texts=texts).stored == 2
        assert project.search("be kind to those who wrong you", k=1).ids == ["luke"]
        local = client.project("local", embed=MODEL)
        local.upload(["luke", "john"], texts=texts)
        assert np.allclose(project.get().vectors, local.get().vectors, atol=1e-5)


def test_takes_what_clients_of_openai_send(at_home: Terminal) -> None:
    with served(at_home, "--port", "0") as (endpoint, _), httpx.Client() as http:
        one = http.post(endpoint, json={"model": MODEL, "input": "Jesus wept."})
        assert len(one.json()["data"][0]["embedding"]) == 384
        body = {"model": f"sentence-transformers/{MODEL}", "input": ["Jesus wept.", "Rejoice."]}
        packed = http.post(endpoint, json={**body, "encoding_format": "base64"}).json()["data"]
        assert [each["index"] for each in packed] == [0, 1]
        first = np.frombuffer(base64.b64decode(packed[0]["embedding"]), "<f4")
        assert np.allclose(first, one.json()["data"][0]["embedding"], atol=1e-5)
        models = http.get(endpoint.replace("embeddings", "models")).json()["data"]
        assert [each["id"] for each in models] == [MODEL]
        for sent, status, message in (
            ({"model": "another", "input": "x"}, 404, "the model is all-MiniLM-L6-v2"),
            ({"model": MODEL, "input": "x", "dimensions": 8}, 400, "384 dimensions, not 8"),
            ({"model": MODEL, "input": [1]}, 400, "a list of texts"),
            ({"model": MODEL, "input": []}, 400, "1 to 2048 texts"),
            ({"model": MODEL, "input": " "}, 400, "nothing to embed"),
            (["x"], 400, "no JSON object"),
        ):
            answer = http.post(endpoint, json=sent)
            assert (answer.status_code, message in answer.json()["error"]["message"]) == (
                status,
                True,
            ), answer.text
        assert http.get(endpoint).status_code == 404
        assert http.post(f"{endpoint}/x", json={}).status_code == 404
        huge = http.post(endpoint, content=iter([b"{}"]))
        assert huge.status_code == 413


def test_takes_the_next_free_port(at_home: Terminal) -> None:
    with served(at_home) as (first, _), served(at_home) as (second, _):
        assert first != second
        port = first.split(":")[2].split("/")[0]
        told = at_home.bad(1, "serve-model", MODEL, "--port", port)
        assert f"127.0.0.1:{port} cannot be used" in told


def test_listens_for_others_only_if_told(at_home: Terminal) -> None:
    assert "--for-others" in at_home.bad(2, "serve-model", MODEL, "--host", "0.0.0.0")
    with served(at_home, "--host", "0.0.0.0", "--port", "0", "--for-others") as (endpoint, _):
        host, port = endpoint.removeprefix("http://").split("/")[0].split(":")
        assert host == socket.gethostname()
        with closing(socket.create_connection(("127.0.0.1", int(port)), 5)):
            pass
