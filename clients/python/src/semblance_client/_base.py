"""What is known of a project, and how the server is asked about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import signature
from typing import Any, Literal, ParamSpec, TypeVar

from ._embed import Embedder
from ._transport import Transport, compact_json

Filter = Mapping[str, Any]
Part = Literal["text", "metadata", "vector"]
ALL_PARTS: tuple[Part, ...] = ("text", "metadata", "vector")
P = ParamSpec("P")
T = TypeVar("T")
# What the API and other stores call the parameters of methods.
OTHER_NAMES = {
    **dict.fromkeys(("limit", "count", "top_k", "n_results"), ("k",)),
    **dict.fromkeys(("text_id", "text_ids"), ("ids",)),
    **{"vector": ("queries", "vectors"), "query": ("queries",), "where": ("filter",)},
}


def hinting(method: Callable[P, T]) -> Callable[P, T]:
    """The same method, with a TypeError for other names that says the right one."""
    names = signature(method).parameters

    @wraps(method)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        for other in kwargs.keys() & OTHER_NAMES.keys() - names:
            for name in OTHER_NAMES[other]:
                if name in names:
                    raise TypeError(f"{method.__name__} has no {other}=: it is {name}=")
        return method(*args, **kwargs)

    return call


class Base:
    """A project: `info` is what the API says of it, and `embed` makes vectors of texts."""

    def __init__(
        self,
        transport: Transport,
        info: Mapping[str, Any],
        open_project: Callable[..., Any],
        embed: Embedder | None = None,
    ) -> None:
        self._transport = transport
        self._embed = embed
        # That of the client.
        self._open = open_project
        self.info = dict(info)
        self.owner = str(info["owner"])
        self.handle = str(info["project_handle"])
        self._path = (self.owner, self.handle)

    @property
    def dimensions(self) -> int | None:
        """Of every vector; None where the project has no instance any more."""
        return self.info.get("dimensions")

    @property
    def model(self) -> str | None:
        """The model that makes the vectors."""
        return self.info.get("model")

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"{name}('{self.owner}/{self.handle}', {self.dimensions} dimensions of {self.model})"

    async def count(self, filter: Filter | None = None) -> int:  # noqa: A002
        """How many embeddings there are, or satisfy a filter."""
        if filter is None:
            return int((await self._json("GET", "projects"))["embedding_count"])
        params = {"filter": in_url(filter)}
        return int((await self._json("GET", "projects", "count", params=params))["count"])

    async def _refresh(self) -> None:
        self.info |= await self._json("GET", "projects")

    async def _json(
        self,
        method: str,
        kind: str,
        *below: str,
        body: object = None,
        params: Mapping[str, Any] | None = None,
    ) -> Any:
        return await self._transport.json(
            method, kind, *self._path, *below, body=body, params=params
        )


def in_url(condition: Filter | None) -> str | None:
    """A filter as a query parameter."""
    return None if condition is None else compact_json(condition).decode()


def names_of(ids: str | Iterable[str | int]) -> list[str]:
    """The text_ids of one or several, each once."""
    return list(dict.fromkeys([ids] if isinstance(ids, str) else map(str, ids)))
