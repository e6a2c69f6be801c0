"""Requests: encoded, repeated where that is safe, and refused as exceptions."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import httpx

from ._version import __version__
from .errors import error_of, problem_of

REPEATED_STATUSES = frozenset({429, 503})
LONGEST_PAUSE = 60.0


def compact_json(value: object) -> bytes:
    """JSON in UTF-8 without spaces; a NaN in it is a ValueError."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode()


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
        self._http = httpx.Client(
            base_url=url, headers=headers, timeout=httpx.Timeout(timeout, connect=10.0)
        )

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
        """The answer, of which everything was read. `path`: segments below /v1; bytes are JSON already."""
        with self.stream(method, *path, body=body, params=params) as response:
            response.read()
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
    ) -> Iterator[httpx.Response]:
        """An answer that is still to be read: from there on nothing is repeated."""
        request = self._http.build_request(
            method,
            "/v1/" + "/".join(quote(segment, safe="") for segment in path),
            params={name: value for name, value in (params or {}).items() if value is not None},
            content=body if body is None or isinstance(body, bytes) else compact_json(body),
            headers=None if body is None else {"Content-Type": "application/json"},
        )
        response = self._send(request)
        try:
            if not response.is_success:
                response.read()
                raise error_of(response)
            yield response
        finally:
            response.close()

    def lines(
        self,
        method: str,
        *path: str,
        body: object = None,
        params: Mapping[str, Any] | None = None,
    ) -> Iterator[Any]:
        """An answer in lines of JSON. One with `error` is raised."""
        with self.stream(method, *path, body=body, params=params) as response:
            for line in _lines_of(response):
                value = json.loads(line)
                if "error" in value:
                    request_id = response.headers.get("x-request-id")
                    raise problem_of(value["error"], 500, request_id)
                yield value

    def _send(self, request: httpx.Request) -> httpx.Response:
        for attempt in range(self._retries):
            pause = min(LONGEST_PAUSE, 0.25 * 2**attempt) * random.uniform(0.75, 1.25)
            try:
                response = self._http.send(request, stream=True)
            except (httpx.NetworkError, httpx.RemoteProtocolError, httpx.ConnectTimeout):
                time.sleep(pause)
                continue
            if response.status_code not in REPEATED_STATUSES:
                return response
            response.close()
            time.sleep(_told(response) or pause)
        return self._http.send(request, stream=True)


def _lines_of(response: httpx.Response) -> Iterator[bytes]:
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
