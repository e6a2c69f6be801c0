"""Requests: encoded, repeated where that is safe, and refused as exceptions."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import Any
from urllib.parse import quote

import httpx
import numpy as np

from ._io import BlockingIo, Io, LoopIo
from ._login import key_problem
from ._progress import tell_wait
from ._version import __version__
from .errors import SemblanceError, UnreachableError, error_of, problem_of

# As far as the server, or a proxy on the way to it, is what is busy, starting or slow.
REPEATED_STATUSES = frozenset({429, 502, 503, 504})
# With these nothing was done.
REFUSING_STATUSES = frozenset({429, 503})
LOST = (httpx.NetworkError, httpx.RemoteProtocolError, httpx.ConnectTimeout)
UNREACHED = (httpx.ConnectError, httpx.ConnectTimeout)
LONGEST_PAUSE = 60.0
CONNECT_TIMEOUT = 5.0
# Of a server that never answered: it is down, rather than starting again.
FIRST_RETRIES = 3
# Seconds of waiting that need no word.
PATIENCE = 3.0


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

    Nearly every request that a client makes may be sent twice with the same effect, so each is repeated after a lost
    connection, a 429, 502, 503 or 504: after what the server says, if that is not more than a minute, or 0.25, 0.5,
    1, 2 ... seconds. Of a deletion whose first answer was lost the second one says that nothing was there. What it
    waits for is told when that takes more than a few seconds.
    """

    def __init__(
        self,
        url: str,
        key: str | None,
        timeout: float,
        retries: int,
        kind: type[BlockingIo] | type[LoopIo],
    ) -> None:
        headers = {"User-Agent": f"semblance-python/{__version__}"}
        if key is not None:
            headers["Authorization"] = f"Bearer {key}"
        self.url = url
        self._retries = retries
        # Many requests at once wait for a connection as long as it takes.
        limits = httpx.Timeout(timeout, connect=CONNECT_TIMEOUT, pool=None)
        self.io: Io = kind(url, headers=headers, timeout=limits)
        self._has_answered, self._key_problem = False, key_problem(key)
        self._told = ""
        self._made_of = (url, key, timeout, retries, kind)

    def __reduce__(self) -> tuple[type[Transport], tuple[Any, ...]]:
        return type(self), self._made_of

    async def request(
        self,
        method: str,
        *path: str,
        body: object = None,
        params: Mapping[str, Any] | None = None,
        once: bool = False,
    ) -> httpx.Response:
        """The answer, of which everything was read.

        `path`: segments below /v1, or one that begins with a slash. A body of bytes is JSON already.
        """
        async with self.stream(
            method, *path, body=body, params=params, whole=True, once=once
        ) as response:
            return response

    async def json(
        self,
        method: str,
        *path: str,
        body: object = None,
        params: Mapping[str, Any] | None = None,
        once: bool = False,
    ) -> Any:
        """The JSON of the answer."""
        response = await self.request(method, *path, body=body, params=params, once=once)
        return object_of(response)

    @asynccontextmanager
    async def stream(
        self,
        method: str,
        *path: str,
        body: object = None,
        params: Mapping[str, Any] | None = None,
        compressed: bool = True,
        whole: bool = False,
        gzipped: bool = False,
        once: bool = False,
    ) -> AsyncIterator[httpx.Response]:
        """An answer that is still to be read: from there on nothing is repeated.

        A body that is a file is sent as it is, once, and `gzipped` says that it is compressed. What shall be done
        `once` is repeated only if nothing was done.

        Not `compressed` is quicker where vectors are most of it, which hardly become smaller.
        """
        is_file = hasattr(body, "read")
        headers = {} if body is None or is_file else {"Content-Type": "application/json"}
        if not compressed:
            headers["Accept-Encoding"] = "identity"
        if gzipped:
            headers["Content-Encoding"] = "gzip"
        for segment in path:
            # In a URL these mean another path.
            if segment in {"", ".", ".."}:
                raise ValueError(f"{segment!r} is no name")
        is_ready = body is None or is_file or isinstance(body, bytes)
        below = "/v1/" + "/".join(quote(segment, safe="") for segment in path)
        parts = {
            "params": {name: value for name, value in (params or {}).items() if value is not None},
            "content": body if is_ready else compact_json(body),
            "headers": headers,
        }
        url = path[0] if path[0].startswith("/") else below
        try:
            # A file is read once.
            retries = 0 if is_file else self._retries
            response = await self._send(method, url, parts, whole, retries, once)
            try:
                if not response.is_success:
                    await self.io.read(response)
                    refused = error_of(response)
                    if refused.status == 401:
                        raise refused.because(self._key_problem)
                    raise refused
                if response.headers.get("content-type", "").startswith("text/html"):
                    raise _no_answer(response)
                yield response
            finally:
                await self.io.close(response)
        except httpx.HTTPError as error:
            # Reports of errors show their request, with the key in it.
            error.request.headers.pop("Authorization", None)
            if isinstance(error, UNREACHED):
                raise UnreachableError.of(self.url, error) from error
            raise

    async def lines(
        self,
        method: str,
        *path: str,
        body: object = None,
        params: Mapping[str, Any] | None = None,
        **options: bool,
    ) -> AsyncGenerator[Any, None]:
        """An answer in lines of JSON, with the options of `stream`. One with `error` is raised."""
        async with (
            self.stream(method, *path, body=body, params=params, **options) as response,
            aclosing(self.lines_of(response)) as lines,
        ):
            async for line in lines:
                value = object_of(response, line)
                if "error" in value:
                    request_id = response.headers.get("x-request-id")
                    raise problem_of(value["error"], 500, request_id)
                yield value

    async def lines_of(self, response: httpx.Response) -> AsyncGenerator[bytes, None]:
        """Ended by line feeds alone: texts may have whatever else Unicode takes for the end of a line."""
        rest = b""
        async for data in self.io.chunks(response):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                yield line
        if rest:
            yield rest

    async def _send(
        self, method: str, url: str, parts: dict[str, Any], whole: bool, retries: int, once: bool
    ) -> httpx.Response:
        passing = REFUSING_STATUSES if once else REPEATED_STATUSES
        attempt, waited, told_why = 0, 0.0, ""
        while True:
            pause = min(LONGEST_PAUSE, 0.25 * 2**attempt) * random.uniform(0.75, 1.25)
            try:
                response = await self.io.send(method, url, **parts)
                if whole or response.status_code in passing:
                    await self._read(response)
            except LOST as error:
                why = f"the connection was lost: {str(error) or type(error).__name__}"
                is_unknown = once and not isinstance(error, UNREACHED)
                if is_unknown or attempt >= min(retries, self._patience(error)):
                    raise
            else:
                self._has_answered = True
                told = pause_told(response) or 0
                is_passing = response.status_code in passing and told <= LONGEST_PAUSE
                if not is_passing or attempt >= retries:
                    if told_why:
                        tell_wait("")
                    return response
                await self.io.close(response)
                why, pause = _reason_of(response), told or pause
            waited += pause
            if waited >= PATIENCE:
                told_why = f"waiting for {self.url}: {why}"
                tell_wait(told_why, warns=told_why != self._told)
                self._told = told_why
            await self.io.sleep(pause)
            attempt += 1

    async def _read(self, response: httpx.Response) -> None:
        try:
            await self.io.read(response)
        except BaseException:
            await self.io.close(response)
            raise

    def _patience(self, error: httpx.TransportError) -> int:
        if self._has_answered or not isinstance(error, UNREACHED):
            return self._retries
        return 0 if isinstance(error, httpx.ConnectTimeout) else FIRST_RETRIES


def _reason_of(response: httpx.Response) -> str:
    """What a refusal says, or a page of a proxy on the way."""
    if "json" in response.headers.get("content-type", ""):
        return " ".join(str(error_of(response)).split())
    return f"{response.status_code} {response.reason_phrase}"


def pause_told(response: httpx.Response) -> float | None:
    """The seconds after which to ask again, where the answer says that."""
    seconds = response.headers.get("retry-after", "")
    return float(seconds) if seconds.isascii() and seconds.isdigit() else None


def object_of(response: httpx.Response, body: bytes | None = None) -> dict[str, Any]:
    """The JSON of an answer, or of one of its lines."""
    try:
        found = json.loads(response.content if body is None else body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise _no_answer(response)
    return found


def _no_answer(response: httpx.Response) -> SemblanceError:
    where = str(response.url).partition("?")[0]
    problem = f"what {where} gives is no answer of Semblance; is that its URL, without a proxy?"
    return SemblanceError(response.status_code, response.reason_phrase, problem)
