"""What is known of a project, and how the server is asked about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from ._embed import Embedder
from ._transport import Transport, compact_json

Filter = Mapping[str, Any]
Part = Literal["text", "metadata", "vector"]
ALL_PARTS: tuple[Part, ...] = ("text", "metadata", "vector")


class Base:
    """A project: `info` is what the API says of it, and `embed` makes vectors of texts."""

    def __init__(
        self, transport: Transport, info: Mapping[str, Any], embed: Embedder | None = None
    ) -> None:
        self._transport = transport
        self._embed = embed
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
