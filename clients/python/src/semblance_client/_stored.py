"""What a project stores, and how that changes: uploads and deletions."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, get_args

from ._base import Filter, hinting, names_of
from ._batches import batches
from ._files import read_items
from ._items import collect
from ._progress import Progress
from ._reading import Reading
from ._transport import compact_json
from ._upload import OnConflict, Uploaded, Uploader
from .results import Embeddings

# Of one deletion.
MOST_DELETED = 10_000
MOST_BYTES = 200_000
# Of an upload without vectors.
TEXTS_AT_ONCE = 1_000


class Stored(Reading):
    """What a project stores, and how that changes."""

    @hinting
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
        if concurrency < 1:
            raise ValueError(f"concurrency is {concurrency}, not 1 or more")
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
        sent = await self._send(parts, on_conflict, concurrency, bar)
        await self._refresh()
        return sent

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

    @hinting
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
            await self._refresh()
            return int(answer["deleted_count"])
        bodies: Iterable[dict[str, Any]] = [{"filter": filter}]
        if ids is not None:
            named = [compact_json(value) for value in names_of(ids)]
            groups = batches(named, MOST_DELETED, MOST_BYTES)
            bodies = ({"text_ids": [json.loads(value) for value in group]} for group in groups)
        answers = [
            await self._json("POST", "embeddings", "delete", body=b, params=params) for b in bodies
        ]
        await self._refresh()
        return sum(int(answer["matched_count"]) for answer in answers)


def _slices(items: Embeddings) -> Iterator[Embeddings]:
    """All at once, or texts for which vectors are to be made some at a time."""
    if items.vectors.shape[1] > 0 or len(items) == 0:
        yield items
        return
    for begin in range(0, len(items), TEXTS_AT_ONCE):
        yield items.rows(range(begin, min(begin + TEXTS_AT_ONCE, len(items))))
