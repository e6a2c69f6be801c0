"""The two ways to wait for a server: in threads, or within an event loop.

Everything that a client does is written once, as coroutines over one of these two. Those over BlockingIo never
suspend, so that `run` has their result at once, without an event loop.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import cached_property, partial, wraps
from inspect import signature
from time import sleep
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, cast, overload

import httpx

from .errors import ModelError

P = ParamSpec("P")
T = TypeVar("T")
U = TypeVar("U")
Part = TypeVar("Part")
Core = TypeVar("Core")
# Of one loop, as httpx has it: connections, and those that wait for the next request.
MOST_AT_ONCE, MOST_IDLE = 100, 20
THIS_MACHINE = re.compile(r"(.+\.)?localhost|127(\.\d+){3}|::1")
SOCKS = (
    "the proxy of the environment is a SOCKS proxy, which needs more: pip install 'httpx[socks]'"
)


def run(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine over BlockingIo."""
    try:
        work.send(None)
    except StopIteration as end:
        return cast(T, end.value)
    work.close()
    raise RuntimeError("a coroutine of a blocking client was suspended")


def iterate(items: AsyncGenerator[T, None]) -> Iterator[T]:
    """The same of an asynchronous generator."""
    try:
        while True:
            try:
                yield run(items.__anext__())
            except StopAsyncIteration:
                return
    finally:
        run(items.aclose())


@overload
def blocking(
    method: Callable[Concatenate[Core, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Any, P], T]: ...
@overload
def blocking(
    method: Callable[Concatenate[Core, P], Coroutine[Any, Any, T]], of: Callable[[T], U]
) -> Callable[Concatenate[Any, P], U]: ...
def blocking(method: Callable[..., Any], of: Callable[[Any], Any] | None = None) -> Any:
    """The same method, with arguments and documentation, of a class that has the other one as `_core`.

    `of` makes its results of those of the other one.
    """

    @wraps(method)
    def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        try:
            found = run(method(self._core, *args, **kwargs))
        except ModelError as error:
            # It is about this machine: the lines of this package would hide what it says.
            raise error.with_traceback(None) from None
        return found if of is None else of(found)

    told = signature(method)
    returned = str(told.return_annotation).replace("Async", "")
    call.__signature__ = told.replace(return_annotation=returned)  # type: ignore[attr-defined]
    return call


class Io(Protocol):
    """What coroutines wait for. `options` are how to connect: those of httpx.Client."""

    def __init__(self, url: str, **options: Any) -> None: ...

    async def send(self, method: str, url: str, **parts: Any) -> httpx.Response:
        """The answer, of which nothing is read yet; `parts` as those of httpx.Client.build_request."""

    async def read(self, response: httpx.Response) -> None:
        """Reads everything."""

    def chunks(self, response: httpx.Response) -> AsyncIterator[bytes]:
        """What comes, decompressed."""

    async def close(self, response: httpx.Response | None = None) -> None:
        """Closes an answer, or all connections."""

    async def sleep(self, seconds: float) -> None:
        """Waits."""

    async def call(self, work: Callable[[], T]) -> T:
        """What takes long without a server."""

    async def each(
        self, work: Callable[[Part], Coroutine[Any, Any, T]], parts: Iterable[Part], at_once: int
    ) -> list[T]:
        """Work on parts, so many at the same time, of which no more are held; after the first that fails no more."""


async def prepared(io: Io, items: Iterable[T]) -> AsyncIterator[T]:
    """The items, each of which takes long to make: a loop is free meanwhile."""
    rest = iter(items)
    while (item := await io.call(lambda: next(rest, None))) is not None:
        yield item


def _connect(kind: Any, transport: Any, url: str, options: dict[str, Any], **how: Any) -> Any:
    base = httpx.URL(url)
    if THIS_MACHINE.fullmatch(base.host):
        # No proxy of the environment leads to this machine, or needs to read the key.
        return kind(base_url=base, transport=transport(**how), **options)
    try:
        return kind(base_url=base, **how, **options)
    except ImportError:
        raise ValueError(SOCKS) from None


class BlockingIo:
    """See Io."""

    def __init__(self, url: str, **options: Any) -> None:
        self._connect = partial(_connect, httpx.Client, httpx.HTTPTransport, url, options)
        self._http: httpx.Client = self._connect()
        self._process = os.getpid()

    async def send(self, method: str, url: str, **parts: Any) -> httpx.Response:
        if self._process != os.getpid():
            # After a fork two would read the answers of one connection. Not closed: the connections are the parent's.
            self._inherited = self._http
            self._http, self._process = self._connect(), os.getpid()
        return self._http.send(self._http.build_request(method, url, **parts), stream=True)

    async def read(self, response: httpx.Response) -> None:
        response.read()

    async def chunks(self, response: httpx.Response) -> AsyncIterator[bytes]:
        for data in response.iter_bytes():
            yield data

    async def close(self, response: httpx.Response | None = None) -> None:
        (response or self._http).close()

    async def sleep(self, seconds: float) -> None:
        sleep(seconds)

    async def call(self, work: Callable[[], T]) -> T:
        return work()

    async def each(
        self, work: Callable[[Part], Coroutine[Any, Any, T]], parts: Iterable[Part], at_once: int
    ) -> list[T]:
        if at_once == 1:
            return [await work(part) for part in parts]
        done, running = list[Future[T]](), set[Future[T]]()
        with ThreadPoolExecutor(at_once) as threads:
            for part in parts:
                context = copy_context()
                running.add(threads.submit(context.run, lambda each: run(work(each)), part))
                if len(running) >= at_once:
                    ended, running = wait(running, return_when=FIRST_COMPLETED)
                    done += ended
                    for future in ended:
                        future.result()
        return [future.result() for future in (*done, *running)]


@dataclass(eq=False)
class _Pool:
    """Connections, and how many exchanges over them have not ended."""

    http: httpx.AsyncClient
    exchanges: int = 0


@dataclass(eq=False)
class _Loop:
    """What belongs to one loop: room for exchanges, the connections of the next ones, and what is being closed."""

    room: asyncio.Semaphore
    pool: _Pool
    closing: set[asyncio.Task[None]] = field(default_factory=set)


class LoopIo:
    """See Io.

    What httpx does when an exchange ends is not safe from Task.cancel(): the connection may count as taken for ever.
    So after an exchange that was cancelled the next ones get connections of their own, and those of before are closed
    when the last exchange over them has ended.
    """

    def __init__(self, url: str, **options: Any) -> None:
        self._connect = partial(_connect, httpx.AsyncClient, httpx.AsyncHTTPTransport, url, options)
        self._loops: dict[asyncio.AbstractEventLoop, _Loop] = {}

    @cached_property
    def _how(self) -> dict[str, Any]:
        # Nothing waits within httpx for a connection that may never be given back. The context is slow to make.
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=MOST_IDLE)
        return {"limits": limits, "verify": httpx.create_ssl_context()}

    def _new_pool(self) -> _Pool:
        return _Pool(self._connect(**self._how))

    def _here(self) -> _Loop:
        # A connection belongs to the loop that made it.
        loop = asyncio.get_running_loop()
        here = self._loops.get(loop)
        if here is None:
            for each in [*self._loops]:
                if each.is_closed():
                    self._loops.pop(each, None)
            here = self._loops[loop] = _Loop(asyncio.Semaphore(MOST_AT_ONCE), self._new_pool())
        return here

    async def send(self, method: str, url: str, **parts: Any) -> httpx.Response:
        here = self._here()
        await here.room.acquire()
        pool = here.pool
        pool.exchanges += 1
        try:
            with self._replaced_if_cancelled(here, pool):
                request = pool.http.build_request(method, url, **parts)
                response = await pool.http.send(request, stream=True)
        except BaseException:
            await self._end(here, pool)
            raise
        response.extensions["semblance"] = here, pool
        return response

    @contextmanager
    def _replaced_if_cancelled(self, here: _Loop, pool: _Pool) -> Iterator[None]:
        try:
            yield
        except asyncio.CancelledError:
            if here.pool is pool:
                here.pool = self._new_pool()
            raise

    async def _end(self, here: _Loop, pool: _Pool) -> None:
        here.room.release()
        pool.exchanges -= 1
        if pool.exchanges == 0 and pool is not here.pool:
            closing = asyncio.create_task(pool.http.aclose())
            here.closing.add(closing)
            closing.add_done_callback(here.closing.discard)
            await asyncio.shield(closing)

    async def read(self, response: httpx.Response) -> None:
        with self._replaced_if_cancelled(*response.extensions["semblance"]):
            await response.aread()

    async def chunks(self, response: httpx.Response) -> AsyncIterator[bytes]:
        with self._replaced_if_cancelled(*response.extensions["semblance"]):
            async for data in response.aiter_bytes():
                yield data

    async def close(self, response: httpx.Response | None = None) -> None:
        if response is None:
            here = self._loops.pop(asyncio.get_running_loop(), None)
            if here is not None:
                await asyncio.gather(here.pool.http.aclose(), *here.closing)
        elif ended := response.extensions.pop("semblance", None):
            try:
                with self._replaced_if_cancelled(*ended):
                    await response.aclose()
            finally:
                await self._end(*ended)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def call(self, work: Callable[[], T]) -> T:
        thread = asyncio.ensure_future(asyncio.to_thread(work))
        try:
            return await asyncio.shield(thread)
        except asyncio.CancelledError:
            # Else it would go on with what is closed meanwhile.
            await asyncio.gather(thread, return_exceptions=True)
            raise

    async def each(
        self, work: Callable[[Part], Coroutine[Any, Any, T]], parts: Iterable[Part], at_once: int
    ) -> list[T]:
        tasks, running = list[asyncio.Task[T]](), set[asyncio.Task[T]]()
        try:
            async for part in prepared(self, parts):
                tasks.append(asyncio.create_task(work(part)))
                running.add(tasks[-1])
                if len(running) >= at_once:
                    ended, running = await asyncio.wait(
                        running, return_when=asyncio.FIRST_COMPLETED
                    )
                    for task in ended:
                        task.result()
            return await asyncio.gather(*tasks)
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
