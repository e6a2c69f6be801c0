"""A model of this machine as a provider of embeddings, in OpenAI's form, for servers on the same machine."""

from __future__ import annotations

import base64
import json
import os
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from socket import gethostname
from threading import Lock
from typing import Any

from ._embed import LocalModel, is_same_model, vectors_of
from ._vectors import Vectors

PORT = 8890
# Ports that are tried if that one is taken.
PORTS = 20
MAX_BODY = 16 * 2**20
MAX_TEXTS = 2048
# What providers call a text that is searched for.
QUERY_TYPES = {"query", "search_query"}


class RefusedError(Exception):
    """What a request gets instead of vectors."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class ModelServer(ThreadingHTTPServer):
    """Serves one model, which embeds the texts of one request at a time."""

    daemon_threads = True
    # Else Windows would let two servers have one port.
    allow_reuse_address = os.name != "nt"

    def __init__(self, name: str, host: str, port: int | None) -> None:
        self.name = name
        self.model = LocalModel(name)
        self.dimensions = vectors_of(self.model, ["test"], None).shape[1]
        self._turn = Lock()
        ports = [port] if port is not None else range(PORT, PORT + PORTS)
        for each in ports:
            try:
                super().__init__((host, each), _Handler)
                break
            except OSError as error:
                if each == ports[-1]:
                    raise OSError(f"{host}:{each} cannot be used: {error.strerror}") from None

    @property
    def place(self) -> str:
        """Host and port, as others reach them."""
        host = str(self.server_address[0])
        return f"{gethostname() if host == '0.0.0.0' else host}:{self.server_port}"

    @property
    def endpoint(self) -> str:
        """Where texts are sent."""
        return f"http://{self.place}/v1/embeddings"

    def embed(self, texts: list[str], are_queries: bool) -> Vectors:
        """The vectors of texts."""
        with self._turn:
            return vectors_of(self.model, texts, self.dimensions, are_queries=are_queries)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches it."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer
    protocol_version = "HTTP/1.1"
    # Longer than Semblance keeps a connection that it does not use.
    timeout = 120

    def do_GET(self) -> None:
        self._answer_with(self._models)

    def do_POST(self) -> None:
        self._answer_with(self._embeddings)

    def _answer_with(self, make: Any) -> None:
        try:
            self._send(HTTPStatus.OK, make())
        except RefusedError as refused:
            self._send(refused.status, {"error": {"message": str(refused)}})

    def _models(self) -> dict[str, Any]:
        if self.path != "/v1/models":
            raise RefusedError(HTTPStatus.NOT_FOUND, "there are /v1/embeddings and /v1/models")
        return {"object": "list", "data": [{"object": "model", "id": self.server.name}]}

    def _embeddings(self) -> dict[str, Any]:
        body = self._body()
        if self.path != "/v1/embeddings":
            raise RefusedError(HTTPStatus.NOT_FOUND, "texts are sent to /v1/embeddings")
        model, wanted = body.get("model"), body.get("dimensions")
        if not isinstance(model, str) or not is_same_model(model, self.server.name):
            raise RefusedError(
                HTTPStatus.NOT_FOUND, f"the model is {self.server.name}, not {model!r}"
            )
        if wanted not in {None, self.server.dimensions}:
            message = f"the vectors have {self.server.dimensions} dimensions, not {wanted!r}"
            raise RefusedError(HTTPStatus.BAD_REQUEST, message)
        given = body.get("input")
        texts = [given] if isinstance(given, str) else given
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise RefusedError(HTTPStatus.BAD_REQUEST, "input must be a text, or a list of texts")
        if not 0 < len(texts) <= MAX_TEXTS:
            raise RefusedError(HTTPStatus.BAD_REQUEST, f"input must have 1 to {MAX_TEXTS} texts")
        try:
            vectors = self.server.embed(texts, body.get("input_type") in QUERY_TYPES)
        except ValueError as error:
            raise RefusedError(HTTPStatus.BAD_REQUEST, str(error)) from None
        is_packed = body.get("encoding_format") == "base64"
        data = [
            {"object": "embedding", "index": at, "embedding": _shown(vector, is_packed)}
            for at, vector in enumerate(vectors)
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        return {"object": "list", "model": self.server.name, "data": data, "usage": usage}

    def _body(self) -> dict[str, Any]:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > MAX_BODY:
            # It stays unread.
            self.close_connection = True
            message = f"a body needs a Content-Length of at most {MAX_BODY} bytes"
            raise RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, message)
        try:
            body = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            body = None
        if not isinstance(body, dict):
            raise RefusedError(HTTPStatus.BAD_REQUEST, "the body is no JSON object")
        return body

    def _send(self, status: HTTPStatus, answer: dict[str, Any]) -> None:
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Says nothing of each request."""


def _shown(vector: Any, is_packed: bool) -> list[float] | str:
    if is_packed:
        return base64.b64encode(vector.astype("<f4").tobytes()).decode()
    # The shortest digits of float32: those of float64 are twice as many.
    return [float(str(component)) for component in vector]
