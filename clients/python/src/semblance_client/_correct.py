"""What a project stores, corrected, and copied into another one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._canonical import canonical
from ._embed import Embed
from ._files import read_items
from ._items import collect
from ._progress import Progress
from ._stored import TEXTS_AT_ONCE, Stored
from ._upload import OnConflict
from .errors import warn
from .results import Embeddings

if TYPE_CHECKING:
    from .async_project import AsyncProject


@dataclass(frozen=True)
class Corrected:
    """How many embeddings got other metadata, how many had them already, and which are not there."""

    replaced: int
    unchanged: int
    missing: list[str]


class Correctable(Stored):
    """What a project stores, corrected, and copied into another one."""

    async def set_metadata(
        self,
        table: Any,
        *,
        columns: Mapping[str, str | None] | None = None,
        whole: bool = False,
        dry_run: bool = False,
        progress: bool | None = None,
    ) -> Corrected:
        """Gives embeddings other metadata, and keeps their vectors and texts.

        `table` has a `text_id` (or `id`), and metadata as for `upload`: a DataFrame, an Arrow table, a list of dicts,
        or a .parquet, .ndjson, .jsonl or .csv file. Its vectors and texts are not looked at. Fields that it has
        replace the stored ones, also within objects, and others stay; empty cells are left out. With `whole` they
        are all that is left.

        Only what differs is sent, and is replaced as a whole: it gets another `created_at`, and what others change
        in the same second may be lost. Each is deleted and uploaded in one step on the server, so that an
        interruption loses nothing; call it again, and it goes on. With `dry_run` the changes are only counted.
        """
        parts: Iterable[Embeddings]
        if isinstance(table, str | os.PathLike):
            parts = read_items(
                Path(table), None, columns or {}, None, embeds=True, only_metadata=True
            )
        else:
            given = (table, None, None, None, columns or {}, None)
            made = partial(collect, *given, embeds=True, only_metadata=True)
            parts = [await self._transport.io.call(made)]
        replaced, seen = 0, 0
        missing: list[str] = []
        with Progress(f"metadata of {self.handle}", 0, progress) as bar:
            for part in parts:
                for some in _blocks(part):
                    wanted = dict(zip(some.ids, some.metadata, strict=True))
                    stored = await self.get(some.ids, progress=False)
                    new = [
                        wanted[text_id] if whole else _merged(old, wanted[text_id])
                        for text_id, old in zip(stored.ids, stored.metadata, strict=True)
                    ]
                    changed = [
                        row
                        for row, value in enumerate(new)
                        if canonical(value) != canonical(stored.metadata[row])
                    ]
                    if changed and not dry_run:
                        sent = replace(stored, metadata=new).rows(changed)
                        await self._send([sent], "replace", 1, Progress("", 0, False))
                    replaced, seen = replaced + len(changed), seen + len(stored)
                    missing += sorted(wanted.keys() - set(stored.ids))
                    bar.advance(len(some))
        return Corrected(replaced, seen - replaced, missing)

    async def copy(
        self,
        /,
        name: str,
        *,
        embed: Embed | None = None,
        budget: int | None = None,
        on_conflict: OnConflict = "error",
        progress: bool | None = None,
        **making: Any,
    ) -> AsyncProject:
        """Copies everything into the project `name`, with its description, reading order and metadata
        scheme, and returns that.

        It is made where there is none, of the same model and with the same vectors. With `embed` (and `model`,
        `dimensions`, `endpoint` and `text_queries`, as for `Client.project`) the vectors are made anew of the texts,
        at most `budget` in this call; what has no text is left out. What is there already is neither sent nor
        embedded again, so that a second call goes on after an interruption, the next day, or with what is new.
        """
        if budget is not None and budget < 0:
            raise ValueError(f"budget is {budget}, not 0 or more")
        if embed is None:
            making = {"model": self.model, "dimensions": self.dimensions, **making}
        target: AsyncProject = await self._open(name, embed=embed, **making)
        if target._path == self._path:
            raise ValueError(f"{name!r} is this project; give the copy another name")
        left = None if embed is None else budget
        ids = (await self.get(include=(), progress=False)).ids
        done, textless = 0, 0
        with Progress(f"copy to {target.handle}", len(ids), progress) as bar:
            while done < len(ids) and left != 0:
                # Read anew for each block: an export that waits for a model would be broken off.
                some = ids[done : done + min(TEXTS_AT_ONCE, left or TEXTS_AT_ONCE)]
                block = await self.get(
                    some,
                    include=("text", "metadata", *(() if embed else ("vector",))),
                    progress=False,
                )
                if embed is not None:
                    rows = [row for row, text in enumerate(block.texts) if (text or "").strip()]
                    textless += len(block) - len(rows)
                    block = block.rows(rows)
                sent = await target._send([block], on_conflict, 1, Progress("", 0, False))
                left = None if left is None else left - sent.stored - sent.replaced
                done += len(some)
                bar.advance(len(some))
        if done < len(ids):
            warn(f"the budget is used up at {done} of {len(ids)}; call copy again to go on")
        elif textless:
            warn(f"{textless} have no text to embed, and are not in {name!r}")
        about = {name: self.info.get(name) for name in ("description", "reading_order")}
        # Last: it may be newer than some of the metadata.
        scheme = self.info.get("metadataScheme") if done == len(ids) else None
        await target.update(**about, metadata_scheme=scheme)
        await target._refresh()
        return target


def _blocks(items: Embeddings) -> Iterable[Embeddings]:
    for begin in range(0, len(items), TEXTS_AT_ONCE):
        yield items.rows(range(begin, min(begin + TEXTS_AT_ONCE, len(items))))


def _merged(old: dict[str, Any] | None, new: dict[str, Any] | None) -> dict[str, Any] | None:
    """The old fields with the new ones, also within objects."""
    if old is None or new is None:
        return old if new is None else new
    both = {
        key: _merged(old[key], value)
        if isinstance(value, dict) and isinstance(old.get(key), dict)
        else value
        for key, value in new.items()
    }
    return old | both
