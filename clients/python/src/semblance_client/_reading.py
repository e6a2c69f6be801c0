"""What a project stores, read."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import AsyncGenerator, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import quote, unquote

import numpy as np

from ._base import ALL_PARTS, Base, Filter, Part, hinting, in_url, names_of
from ._batches import batches
from ._parquet import write_parquet
from ._progress import Progress
from ._transport import compact_json
from ._vectors import decode
from .results import Embeddings

if TYPE_CHECKING:
    import pandas as pd

# Of one filter.
MOST_VALUES = 1_000
MOST_IN_URL = 10_000


class Reading(Base):
    """What a project stores, read."""

    @hinting
    async def get(
        self,
        ids: str | Iterable[str | int] | None = None,
        *,
        filter: Filter | None = None,  # noqa: A002
        include: Iterable[Part] = ALL_PARTS,
        progress: bool | None = None,
    ) -> Embeddings:
        """The embeddings of these text_ids, of those that satisfy a filter, or all, in the order of text_ids.

        All are of one moment where no `ids` are given. Text_ids that are not there are left out.
        """
        parts = list(include)
        rows: list[dict[str, Any]] = []
        total = await self.count() if ids is None and filter is None else 0
        with Progress(f"read {self.handle}", total, progress) as bar:
            for condition in _conditions(ids, filter):
                async for row in self._exported(condition, parts):
                    rows.append(row)
                    bar.advance(1)
        rows = rows if ids is None else sorted(rows, key=lambda row: row["text_id"].encode())
        return await self._transport.io.call(lambda: _embeddings(rows, self.dimensions))

    async def to_pandas(self, /, **options: Any) -> pd.DataFrame:
        """As `get` with the same options, as a table: see `Embeddings.to_pandas`."""
        return (await self.get(**options)).to_pandas()

    def _exported(
        self, condition: Filter | None, parts: list[Part]
    ) -> AsyncGenerator[dict[str, Any], None]:
        params = {
            "format": "ndjson",
            "vector_format": "base64",
            "include": ",".join(parts),
            "filter": in_url(condition),
        }
        path = ("projects", *self._path, "export")
        return self._transport.lines("GET", *path, params=params, compressed=False)

    async def export(
        self,
        path: str | os.PathLike[str],
        *,
        filter: Filter | None = None,  # noqa: A002
        include: Iterable[Part] | None = None,
        format: str | None = None,  # noqa: A002
    ) -> Path:
        """Writes the project to a .parquet, .ndjson (or .jsonl) or .semblance file, as it is at one moment.

        `format` says which of the three a file of another name is. Parquet needs pyarrow. The file is there when it
        is complete, and replaces one that was there; a device or a pipe is written into. Returns its path.
        """
        target = Path(path)
        ending = target.suffix.lower().removeprefix(".")
        format = format or {"jsonl": "ndjson", "pq": "parquet"}.get(ending, ending)  # noqa: A001
        if format not in {"parquet", "ndjson", "semblance"}:
            raise ValueError(f"{target}: format must be parquet, ndjson or semblance")
        if target.exists() and not target.is_file():
            # A pipe is open when somebody reads it, and closed when all was taken.
            io = self._transport.io
            device = await io.call(lambda: target.open("wb"))
            try:
                await self._export_into(device, format, filter, include)
            finally:
                await io.call(device.close)
            return target
        part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
        try:
            with part.open("wb") as file:
                await self._export_into(file, format, filter, include)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
        return target

    async def _export_into(
        self, file: IO[bytes], form: str, condition: Filter | None, include: Iterable[Part] | None
    ) -> None:
        parts = None if include is None else list(include)
        params = {
            "format": form,
            "filter": in_url(condition),
            "include": None if parts is None else ",".join(parts),
        }
        io = self._transport.io
        path = ("projects", *self._path, "export")
        if form == "parquet":
            params |= {"format": "ndjson", "vector_format": "base64"}
            async with self._transport.stream(
                "GET", *path, params=params, compressed=False
            ) as response:
                lines = self._transport.lines_of(response)
                await write_parquet(file, lines, ALL_PARTS if parts is None else parts, io)
            return
        async with self._transport.stream("GET", *path, params=params) as response:
            async for data in io.chunks(response):
                await io.call(partial(file.write, data))


def _embeddings(rows: list[dict[str, Any]], dimensions: int | None) -> Embeddings:
    return Embeddings(
        [row["text_id"] for row in rows],
        decode([row["vector"] for row in rows if "vector" in row]).reshape(len(rows), -1)
        if rows
        else np.zeros((0, dimensions or 0), np.float32),
        [row.get("text") for row in rows],
        [row.get("metadata") for row in rows],
    )


def _conditions(
    ids: str | Iterable[str | int] | None, condition: Filter | None
) -> Iterator[Filter | None]:
    if ids is None:
        yield condition
        return
    # As they stand in a URL, of which the server takes 16 KiB.
    named = [quote(compact_json(text_id)) for text_id in names_of(ids)]
    room = MOST_IN_URL - len(quote(in_url(condition) or ""))
    for group in batches(named, MOST_VALUES, max(room, 1)):
        among: Filter = {"text_id": {"$in": [json.loads(unquote(text_id)) for text_id in group]}}
        yield among if condition is None else {"$and": [among, condition]}
