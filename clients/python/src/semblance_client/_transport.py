"""Requests: encoded, repeated where that is safe, and refused as exceptions."""

from __future__ import annotations

import json
import os
import random
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import httpx
import numpy as np

from ._version import __version__
from .errors import error_of, problem_of

REPEATED_STATUSES = frozenset({429, 503})
LONGEST_PAUSE = 60.0
THIS_MACHINE = re.compile(r"(.+\.)?localhost|127(\.\d+){3}|::1")


def compact_json(value: object) -> bytes:
    """JSON in UTF-8 without spaces; a NaN in it is a ValueError."""
    options: dict[str, Any] = {"separators": (",", ":"), "allow_nan": False, "default": _of_numpy}
    return json.dumps(value, ensure_ascii=False, **options).encode()


def _of_numpy(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{value!r} is a {type(value).__name__}, which JSON does not have")


class Transport:
    """One server, with one key.

    Every request that a client makes may be sent twice with the same effect, so each is repeated after a lost
    connection, a 429 or a 503: after what the server says, or 0.25, 0.5, 1, 2 ... seconds. Of a deletion whose
    first answer was lost the second one says that nothing was there.
    """

    def __init__(self, url: str, key: str | None, timeout: float, retries: int) -> None:
        headers = {"User-Agent": f"semblance-python/{__version__}"}
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        self.url = url
        self._retries = retries
        self._headers = headers
        self._timeout = httpx.Timeout(timeout, connect=10.0)
        self._http, self._process = self._connect(), os.getpid()

    def _connect(self) -> httpx.Client:
        base = httpx.URL(self.url)
        # No proxy of the environment leads to this machine, or needs to read the key.
        direct = [f"all://{base.netloc.decode()}"] if THIS_MACHINE.fullmatch(base.host) else []
        return httpx.Client(
            base_url=base,
            headers=self._headers,
            timeout=self._timeout,
            mounts=dict.fromkeys(direct),
        )

    def _client(self) -> httpx.Client:
        """That of this process: after a fork two would read the answers of one connection."""
        if self._process != os.getpid():
            # Not closed: the connections are the parent's.
            self._inherited = self._http
            self._http, self._process = self._connect(), os.getpid()
        return self._http

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def request(
        self,
        method: str,
        *path: str,
        body: object = None,
        params: Mapping[str, Any] | None = None,
    ) -> httpx.Response:
        """The answer, of which everything was read.

        `path`: segments below /v1, or one that begins with a slash. A body of bytes is JSON already.
        """
        with self.stream(method, *path, body=body, params=params, whole=True) as response:
            return response

    def json(
        self,
        method: str,
        *path: str,
        body: object = None,
        params: Mapping[str, Any] | None = None,
    ) -> Any:
        """The JSON of the answer."""
        return json.loads(self.request(method, *path, body=body, params=params).content)

    @contextmanager
    def stream(
        self,
        method: str,
        *path: str,
        body: object = None,
        params: Mapping[str, Any] | None = None,
        compressed: bool = True,
        whole: bool = False,
        gzipped: bool = False,
    ) -> Iterator[httpx.Response]:
        """An answer that is still to be read: from there on nothing is repeated.

        A body that is a file is sent as it is, once, and `gzipped` says that it is compressed.

        Not `compressed` is quicker where vectors are most of it, which hardly become smaller.
        """
        is_file = hasattr(body, "read")
        headers = {} if body is None or is_file else {"Content-Type": "application/json"}
        if not compressed:
            headers["Accept-Encoding"] = "identity"
        if gzipped:
            headers["Content-Encoding"] = "gzip"
        if not {"", ".", ".."}.isdisjoint(path):
            # In a URL these mean another path.
            raise ValueError(f"{path[-1]!r} is no name")
        is_ready = body is None or is_file or isinstance(body, bytes)
        content: Any = body if is_ready else compact_json(body)
        below = "/v1/" + "/".join(quote(segment, safe="") for segment in path)
        request = self._client().build_request(
            method,
            path[0] if path[0].startswith("/") else below,
            params={name: value for name, value in (params or {}).items() if value is not None},
            content=content,
            headers=headers,
        )
        try:
            # A file is read once.
            response = (
                self._http.send(request, stream=True) if is_file else self._send(request, whole)
            )
            try:
                if not response.is_success:
                    response.read()
                    raise error_of(response)
                yield response
            finally:
                response.close()
        except httpx.HTTPError:
            # Reports of errors show their request, with the key in it.
            request.headers.pop("Authorization", None)
            raise

    def lines(
        self,
        method: str,
        *path: str,
        body: object = None,
        params: Mapping[str, Any] | None = None,
        **options: bool,
    ) -> Iterator[Any]:
        """An answer in lines of JSON, with the options of `stream`. One with `error` is raised."""
        with self.stream(method, *path, body=body, params=params, **options) as response:
            for line in lines_of(response):
                value = json.loads(line)
                if "error" in value:
                    request_id = response.headers.get("x-request-id")
                    raise problem_of(value["error"], 500, request_id)
                yield value

    def _send(self, request: httpx.Request, whole: bool) -> httpx.Response:
        for attempt in range(self._retries):
            pause = min(LONGEST_PAUSE, 0.25 * 2**attempt) * random.uniform(0.75, 1.25)
            try:
                response = self._http.send(request, stream=not whole)
            except (httpx.NetworkError, httpx.RemoteProtocolError, httpx.ConnectTimeout):
                time.sleep(pause)
                continue
            if response.status_code not in REPEATED_STATUSES:
                return response
            response.close()
            time.sleep(_told(response) or pause)
        return self._http.send(request, stream=not whole)


def lines_of(response: httpx.Response) -> Iterator[bytes]:
    """Ended by line feeds alone: texts may have whatever else Unicode takes for the end of a line."""
    rest = b""
    for data in response.iter_bytes():
        *lines, rest = (rest + data).split(b"\n")
        yield from lines
    if rest:
        yield rest


def _told(response: httpx.Response) -> float | None:
    seconds = response.headers.get("retry-after", "")
    return min(LONGEST_PAUSE, float(seconds)) if seconds.isdigit() else None
