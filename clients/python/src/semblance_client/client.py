"""A server, with the key of one user."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ._io import BlockingIo, blocking, iterate, run
from ._transport import Transport
from .async_client import AsyncClient
from .project import Project
from .results import Results


class _Core(AsyncClient):
    _io = BlockingIo


class _Requests:
    """The requests of a transport, for the commands of a terminal."""

    def __init__(self, core: Transport) -> None:
        self._core = core

    json = blocking(Transport.json)
    request = blocking(Transport.request)

    def lines(self, *path: str, **parts: Any) -> Iterator[Any]:
        """An answer in lines of JSON."""
        return iterate(self._core.lines(*path, **parts))


class Client:  # noqa: D101
    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = 120.0,
        retries: int = 5,
    ) -> None:
        self._core = _Core(url, key, timeout=timeout, retries=retries)

    __doc__ = AsyncClient.__doc__

    @property
    def url(self) -> str:
        """Where the server is."""
        return self._core.url

    @property
    def _key_source(self) -> str | None:
        return self._core._key_source

    @property
    def _transport(self) -> _Requests:
        return _Requests(self._core._transport)

    def __repr__(self) -> str:
        return f"Client({self.url!r})"

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    close = blocking(AsyncClient.close)
    me = blocking(AsyncClient.me)
    create_user = blocking(AsyncClient.create_user)
    list_keys = blocking(AsyncClient.list_keys)
    create_key = blocking(AsyncClient.create_key)
    revoke_key = blocking(AsyncClient.revoke_key)
    projects = blocking(AsyncClient.projects, lambda found: [Project(core) for core in found])
    project = blocking(AsyncClient.project, Project)

    def search(  # noqa: D102
        self, queries: Any = None, *, projects: Sequence[str | Project], **options: Any
    ) -> Results:
        cores = [each._core if isinstance(each, Project) else each for each in projects]
        return run(self._core.search(queries, projects=cores, **options))

    search.__doc__ = AsyncClient.search.__doc__
    _owner_of = blocking(AsyncClient._owner_of)
