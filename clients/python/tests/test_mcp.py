"""The tools of the server for an agent that starts a process."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import numpy as np
import pytest
from conftest import Connect, Terminal
from numpy.typing import NDArray

from semblance_client import Client, Project
from semblance_client._embed import LocalModel
from semblance_client._mcp import serve

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def message(method: str, number: int | None = 1, **params: Any) -> str:
    named = {} if number is None else {"id": number}
    return json.dumps({"jsonrpc": "2.0", **named, "method": method, "params": params})


def call(tool: str, meta: dict[str, Any] | None = None, **given: Any) -> str:
    extra: dict[str, Any] = {} if meta is None else {"_meta": meta}
    return message("tools/call", 1, name=tool, arguments=given, **extra)


def told(line: str) -> Any:
    result = json.loads(line)["result"]
    return json.loads(result["content"][0]["text"])


@pytest.mark.parametrize("meta", [None, META])
def test_passes_on_calls_and_answers(
    client: Client, colours: Project, meta: dict[str, Any] | None
) -> None:
    name = f"{colours.owner}/{colours.handle}"
    asked = [
        call("search", meta, projects=[name], words="red"),
        "",
        call("facets", meta, project=name),
    ]
    found, facets = map(told, serve(client, None, asked))
    assert [hit["text_id"] for hit in found["results"]] == ["red"]
    assert facets["fields"][0]["path"] == "tone"


def test_makes_vectors_of_what_is_meant(
    client: Client, monkeypatch: pytest.MonkeyPatch, colours: Project
) -> None:
    def queries(_: LocalModel, texts: list[str]) -> NDArray[np.float32]:
        assert texts == ["warm"]
        return np.array([[1, 0.5, 0]], np.float32)

    monkeypatch.setattr(LocalModel, "queries", queries)
    asked = [call("search", projects=[f"{colours.owner}/colours"], meaning="warm", limit=1)]
    (found,) = map(told, serve(client, "tiny", asked))
    assert [hit["text_id"] for hit in found["results"]] == ["orange"]
    # Vectors of another model would find anything.
    (other,) = serve(client, "another", asked)
    assert json.loads(other)["result"]["isError"] is True


def test_answers_whatever_comes(client: Client, connect: Connect) -> None:
    lines = [
        "{",
        "[]",
        "1",
        "[" * 200_000,
        message("nothing/here"),
        message("notifications/initialized", None),
    ]
    answers = [json.loads(line) for line in serve(client, None, lines)]
    assert [answer["error"]["code"] for answer in answers][-1] == -32601
    (lost,) = serve(connect("http://127.0.0.1:9"), None, [message("tools/list")])
    assert json.loads(lost)["id"] == 1


def test_as_a_process(terminal: Terminal) -> None:
    info = {"name": "test", "version": "1"}
    hello = message("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=info)
    with terminal.start("mcp", stderr=subprocess.STDOUT) as process:
        out, _ = process.communicate(f"{hello}\n{message('tools/list', 2)}\n", 60)
    first, second = map(json.loads, out.splitlines())
    assert first["result"]["serverInfo"]["name"] == "semblance"
    assert [tool["name"] for tool in second["result"]["tools"]][:2] == ["projects", "search"]
