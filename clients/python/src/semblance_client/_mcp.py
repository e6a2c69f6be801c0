"""An MCP server for clients that start a process: it passes on what a Semblance server says at /mcp."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

import httpx

from ._embed import LocalModel, is_same_model, vectors_of
from ._io import run
from ._transport import compact_json, object_of
from ._vectors import encode
from .client import Client
from .errors import SemblanceError, error_of

PATH = "/mcp"
FAILED = -32000
# What one message may raise: the next ones are answered all the same.
FAILURES = (SemblanceError, httpx.HTTPError, ValueError, TypeError, ImportError, RecursionError)
VERSION_FIELD = "io.modelcontextprotocol/protocolVersion"


def serve(client: Client, embed: str | None, lines: Iterable[str]) -> Iterator[str]:
    """The answers to these lines, each a message of JSON-RPC.

    With the name of a model, `meaning` is searched for with vectors that this machine makes, in projects of it.
    """
    local = None if embed is None else LocalModel(embed)
    for line in lines:
        if not line.strip():
            continue
        message: Any = None
        try:
            message = json.loads(line)
            if not isinstance(message, dict):
                raise ValueError("a message is a JSON object")
            if local is not None:
                _embed_meaning(client, local, message)
            yield from _passed_on(client, message)
        except FAILURES as error:
            number = _object(message).get("id")
            if number is not None or not isinstance(message, dict):
                failed = {"code": FAILED, "message": str(error) or type(error).__name__}
                yield json.dumps({"jsonrpc": "2.0", "id": number, "error": failed})


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _passed_on(client: Client, message: dict[str, Any]) -> Iterator[str]:
    params = _object(message.get("params"))
    headers = {"Accept": "application/json, text/event-stream", "Mcp-Method": message.get("method")}
    headers["Mcp-Name"] = params.get("name") or params.get("uri")
    headers["MCP-Protocol-Version"] = _object(params.get("_meta")).get(VERSION_FIELD)
    given = {name: value for name, value in headers.items() if value is not None}
    given["Content-Type"] = "application/json"
    io = client._core._transport.io
    answer = run(io.send("POST", PATH, content=compact_json(message), headers=given))
    try:
        run(io.read(answer))
    finally:
        run(io.close(answer))
    if answer.headers.get("content-type", "").startswith("text/event-stream"):
        events = (line for line in answer.text.split("\n") if line.startswith("data: "))
        yield from (event.removeprefix("data: ") for event in events)
    elif answer.content:
        # Refusals of the protocol have other statuses than 200, and go to the client as they are.
        found = object_of(answer)
        if "jsonrpc" not in found:
            raise error_of(answer)
        yield json.dumps(found)


def _embed_meaning(client: Client, model: LocalModel, message: dict[str, Any]) -> None:
    """Searches for a vector in place of a phrase, where the project has this model."""
    params = _object(message.get("params"))
    given = _object(params.get("arguments"))
    is_search = (message.get("method"), params.get("name")) == ("tools/call", "search")
    projects = given.get("projects")
    if not is_search or "meaning" not in given or not isinstance(projects, list) or not projects:
        return
    # All have one model, or the server says which one has not.
    project = client.project(projects[0])
    if project.model is None or not is_same_model(project.model, model.name):
        return
    vector = vectors_of(model, [given.pop("meaning")], project.dimensions, are_queries=True)[0]
    given["vector"] = encode(vector)
