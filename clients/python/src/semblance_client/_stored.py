"""What a project stores: uploads, exports and deletions."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, get_args
from urllib.parse import quote, unquote

import numpy as np

from ._base import ALL_PARTS, Base, Filter, Part, in_url, names_of
from ._batches import batches
from ._files import read_items
from ._items import collect
from ._parquet import write_parquet
from ._progress import Progress
from ._transport import compact_json
from ._upload import OnConflict, Uploaded, Uploader
from ._vectors import decode
from .results import Embeddings

if TYPE_CHECKING:
    import pandas as pd

# Of one filter, and of one deletion.
MOST_VALUES = 1_000
MOST_DELETED = 10_000
MOST_BYTES = 200_000
MOST_IN_URL = 10_000


class Stored(Base):
    """What a project stores."""

    async def upload(
        self,
        ids: Any,
        vectors: Any = None,
        texts: Iterable[str | None] | None = None,
        metadata: Any = None,
        *,
        columns: Mapping[str, str | None] | None = None,
        on_conflict: OnConflict = "error",
        progress: bool | None = None,
        concurrency: int = 1,
    ) -> Uploaded:
        """Uploads embeddings, in batches. What is there already with the same contents is not sent.

        Either `ids` (str or int) and `vectors` (of shape (n, dimensions), any numeric type, finite as float32),
        with `texts` and `metadata` (dicts, or a DataFrame) for each where there are any. Or all in one: a
        DataFrame, an Arrow table, a list of dicts, or the path of a .parquet, .ndjson or .jsonl file, or of a
        .csv whose `vectors` are the path of a .npy (lines and .csv also as .gz). There `text_id` or `id`,
        `vector` or `embedding`, `text` and `metadata` are what they say, `created_at` is left out, and
        everything else becomes metadata. In tables such columns are named by paths (`ref.book` becomes
        {"ref": {"book": …}}), and empty cells are left out. `columns` renames what has other names, such as
        {"doc": "text_id"}, and leaves out what it names None.

        Of a project with `embed` the vectors may be left out, of all: then they are made of the texts, if these are
        not there already with the same text and metadata. This goes a thousand texts at a time, which are compared,
        embedded and sent before the next ones; no text may be empty then.

        `on_conflict` says what becomes of embeddings that are there with other contents: "error" raises
        ConflictError before anything is sent, "replace" replaces them as a whole, "skip" leaves them.
        `concurrency` parts of a file are sent at the same time.

        Raises ValueError or TypeError, before anything is sent, that names the first place that cannot be
        stored; of a file, before anything of its next 2,000 rows is sent. What the server alone refuses, such
        as metadata against the project's scheme, is a SemblanceError after the batches before. After an
        interruption call it again: it goes on where it was.
        """
        if on_conflict not in get_args(OnConflict):
            raise ValueError(f"on_conflict is {on_conflict!r}, not one of {get_args(OnConflict)}")
        names, embeds = columns or {}, self._embed is not None
        parts: Iterable[Embeddings]
        if isinstance(ids, str | os.PathLike):
            if texts is not None or metadata is not None:
                raise TypeError("a file has its texts and metadata itself")
            npy = None if vectors is None else Path(vectors)
            parts, total = read_items(Path(ids), npy, names, self.dimensions, None, embeds), 0
        else:
            items = await self._transport.io.call(
                partial(collect, ids, vectors, texts, metadata, names, self.dimensions, embeds)
            )
            parts, total = _slices(items), len(items)
        bar = Progress(f"upload to {self.handle}", total, progress)
        return await self._send(parts, on_conflict, concurrency, bar)

    async def _send(
        self,
        parts: Iterable[Embeddings],
        on_conflict: OnConflict,
        concurrency: int,
        progress: Progress,
    ) -> Uploaded:
        path = ("embeddings", *self._path)
        with progress as bar:
            instance = self.info.get("instance_handle")
            uploader = Uploader(
                self._transport,
                path,
                instance,
                on_conflict,
                bar,
                self._embed,
                self.dimensions,
                self.get,
            )
            sent = await self._transport.io.each(uploader.send, parts, concurrency)
            return sum(sent, start=Uploaded())

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
            with target.open("wb") as device:
                await self._export_into(device, format, filter, include)
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

    async def delete(
        self,
        ids: str | Iterable[str | int] | None = None,
        *,
        filter: Filter | None = None,  # noqa: A002
        everything: bool = False,
        dry_run: bool = False,
    ) -> int:
        """Deletes the embeddings of these text_ids, those that satisfy a filter, or everything.

        Returns how many there were; with `dry_run` they are only counted.
        """
        if [ids is not None, filter is not None, everything].count(True) != 1:
            raise TypeError("give ids, filter or everything=True, and one of them")
        params = {"dry_run": "true" if dry_run else None}
        if everything:
            answer = await self._json("DELETE", "embeddings", params=params)
            return int(answer["deleted_count"])
        bodies: Iterable[dict[str, Any]] = [{"filter": filter}]
        if ids is not None:
            named = [compact_json(value) for value in names_of(ids)]
            groups = batches(named, MOST_DELETED, MOST_BYTES)
            bodies = ({"text_ids": [json.loads(value) for value in group]} for group in groups)
        answers = [
            await self._json("POST", "embeddings", "delete", body=b, params=params) for b in bodies
        ]
        return sum(int(answer["matched_count"]) for answer in answers)


def _slices(items: Embeddings) -> Iterator[Embeddings]:
    """All at once, or texts for which vectors are to be made some at a time."""
    if items.vectors.shape[1] > 0 or len(items) == 0:
        yield items
        return
    for begin in range(0, len(items), MOST_VALUES):
        yield items.rows(range(begin, min(begin + MOST_VALUES, len(items))))


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
