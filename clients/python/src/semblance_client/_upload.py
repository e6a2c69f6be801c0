"""Uploads: what is there already is not sent, and the rest goes in batches."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal, cast

import httpx

from ._batches import batches
from ._canonical import canonical, digest
from ._embed import Embedder, vectors_of
from ._io import prepared
from ._progress import Progress
from ._transport import Transport, compact_json
from ._vectors import encode
from .errors import ConflictError, warn
from .results import Embeddings

OnConflict = Literal["error", "replace", "skip"]

# Of a batch, which is stored as a whole or not at all: as many as the server suggests, in few bytes.
BATCH_ITEMS = 1_000
BATCH_BYTES = 4 * 2**20
# Texts that are embedded in one go.
EMBEDDED_ITEMS = 100
# Of those, as many as the provider first gets, and how long it should take for later ones: a large model on a small
# machine takes seconds for each.
FIRST_SERVED = 8
SERVED_SECONDS = 10.0
# Of one question about what is missing, which may have 10,000 items and 1 MiB.
ASKED_ITEMS = 10_000
ASKED_BYTES = 900_000
LONGEST_LIST = 3


@dataclass(frozen=True)
class Uploaded:
    """How many embeddings were stored or replaced, and how many were there already.

    Of those, `unchanged` have the contents that were given, and `skipped` have others.
    """

    stored: int = 0
    replaced: int = 0
    skipped: int = 0
    unchanged: int = 0

    def __add__(self, other: Uploaded) -> Uploaded:
        return Uploaded(
            self.stored + other.stored,
            self.replaced + other.replaced,
            self.skipped + other.skipped,
            self.unchanged + other.unchanged,
        )


@dataclass(frozen=True)
class Uploader:
    """Sends items to one project."""

    transport: Transport
    path: tuple[str, str, str]
    instance: str | None
    on_conflict: OnConflict
    progress: Progress
    embed: Embedder | None
    dimensions: int | None
    # Project.get
    get: Callable[..., Awaitable[Embeddings]]

    async def send(self, items: Embeddings) -> Uploaded:
        """Sends what is missing or different.

        Raises ConflictError, before anything is sent, where embeddings are there with other contents and
        `on_conflict` is "error".
        """
        missing, different = await self._compare(items, range(len(items)))
        if different and self.on_conflict == "error":
            raise self._conflict(different)
        wanted = missing | different if self.on_conflict == "replace" else missing
        found = Uploaded(
            skipped=len(different) if self.on_conflict == "skip" else 0,
            unchanged=len(items) - len(missing) - len(different),
        )
        self.progress.advance(len(items) - len(wanted))
        sent = [row for row, text_id in enumerate(items.ids) if text_id in wanted]
        if _has_vectors(items):
            return found + await self._send_rows(items, sent)
        if not callable(self.embed):
            return found + await self._send_texts(items, sent)
        for begin in range(0, len(sent), EMBEDDED_ITEMS):
            some = items.rows(sent[begin : begin + EMBEDDED_ITEMS])
            made = partial(vectors_of, self.embed, cast(list[str], some.texts), self.dimensions)
            some = replace(some, vectors=await self.transport.io.call(made))
            found += await self._send_rows(some, range(len(some)))
        return found

    async def _send_texts(self, items: Embeddings, rows: Sequence[int]) -> Uploaded:
        """Sends texts for the server to embed, as many at once as the last took their time."""
        begin, size, most, found = 0, FIRST_SERVED, EMBEDDED_ITEMS, Uploaded()
        while begin < len(rows):
            some = rows[begin : begin + size]
            began = time.monotonic()
            try:
                found += await self._send_rows(items, some)
            except httpx.ReadTimeout:
                if len(some) == 1:
                    raise
                most = size = len(some) // 2
                continue
            begin += len(some)
            fitting = len(some) * SERVED_SECONDS / max(0.001, time.monotonic() - began)
            size = max(1, min(most, 4 * size, round(fitting)))
        return found

    async def _send_rows(self, items: Embeddings, rows: Sequence[int]) -> Uploaded:
        begin, found = 0, Uploaded()
        encoded = (_json_of(items, row) for row in rows)
        rest = batches(encoded, BATCH_ITEMS, BATCH_BYTES)
        async for batch in prepared(self.transport.io, rest):
            found += await self._send_batch(items, list(rows[begin : begin + len(batch)]), batch)
            begin += len(batch)
            self.progress.advance(len(batch))
        return found

    async def _compare(self, items: Embeddings, rows: Sequence[int]) -> tuple[set[str], set[str]]:
        """Which text_ids are missing, and which are there with other contents."""
        missing: set[str] = set()
        different: set[str] = set()
        asked = (_question_of(items, row) for row in rows)
        rest = batches(asked, ASKED_ITEMS, ASKED_BYTES)
        async for batch in prepared(self.transport.io, rest):
            body = b'{"items":[' + b",".join(batch) + b"]}"
            answer = await self.transport.json("POST", *self.path, "missing", body=body)
            missing.update(answer["missing"])
            different.update(answer.get("different", ()))
        if _has_vectors(items):
            return missing, different
        there = [row for row in rows if items.ids[row] not in missing]
        return missing, await self._with_other_contents(items, there)

    async def _with_other_contents(self, items: Embeddings, rows: Sequence[int]) -> set[str]:
        """Whose texts or metadata are others: what has no vector yet is compared without."""
        if not rows:
            return set()
        ids = [items.ids[row] for row in rows]
        stored = await self.get(ids, include=("text", "metadata"), progress=False)
        found = zip(stored.ids, map(_contents, stored.texts, stored.metadata), strict=True)
        contents = dict(found)
        return {
            items.ids[row]
            for row in rows
            if contents.get(items.ids[row]) != _contents(items.texts[row], items.metadata[row])
        }

    async def _send_batch(self, items: Embeddings, rows: list[int], batch: list[bytes]) -> Uploaded:
        """Sends it, perhaps more than once: what the first attempt has stored is the same in the second."""
        on_conflict = "replace" if self.on_conflict == "replace" else "skip"
        has_vectors = _has_vectors(items)
        length = items.vectors.shape[1] if has_vectors else self.dimensions
        said = {"instance_handle": self.instance, "vector_dim": length}
        body = compact_json(said)[:-1] + b',"embeddings":[' + b",".join(batch) + b"]}"
        params = {"on_conflict": on_conflict, "embed": None if has_vectors else "true"}
        answer = await self.transport.json("POST", *self.path, body=body, params=params)
        if answer.get("ignored"):
            warn(f"the server does not know {answer['ignored']}")
        there = set(answer["skipped"])
        _, different = await self._compare(items, [row for row in rows if items.ids[row] in there])
        if different and self.on_conflict == "error":
            raise self._conflict(different)
        return Uploaded(
            stored=len(answer["uploaded"]),
            replaced=len(answer["replaced"]),
            skipped=len(different),
            unchanged=len(answer["unchanged"]) + len(there) - len(different),
        )

    def _conflict(self, different: set[str]) -> ConflictError:
        named = ", ".join(repr(text_id) for text_id in sorted(different)[:LONGEST_LIST])
        rest = len(different) - LONGEST_LIST
        more = f" and {rest} more" if rest > 0 else ""
        return ConflictError(
            409,
            "Conflict",
            f"project '{self.path[1]}/{self.path[2]}' has {named}{more} with other contents; "
            "on_conflict='replace' replaces them, 'skip' leaves them as they are",
        )


def _json_of(items: Embeddings, row: int) -> bytes:
    text, metadata = items.texts[row], items.metadata[row]
    item: dict[str, Any] = {"text_id": items.ids[row]}
    if _has_vectors(items):
        item["vector"] = encode(items.vectors[row])
    if text is not None:
        item["text"] = text
    if metadata is not None:
        item["metadata"] = metadata
    return compact_json(item)


def _has_vectors(items: Embeddings) -> bool:
    return items.vectors.shape[1] > 0


def _contents(text: str | None, metadata: dict[str, Any] | None) -> tuple[str | None, str]:
    return text, canonical(metadata)


def _question_of(items: Embeddings, row: int) -> bytes:
    try:
        if not _has_vectors(items):
            return compact_json({"text_id": items.ids[row]})
        found = digest(items.vectors[row], items.texts[row], items.metadata[row])
        return compact_json({"text_id": items.ids[row], "sha256": found})
    except UnicodeEncodeError as error:
        raise ValueError(f"of {items.ids[row]!r} something is no text: {error}") from error
