"""One project: what it stores, and what is similar in it."""

from __future__ import annotations

import json
import os
import secrets
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, get_args
from urllib.parse import quote, unquote

import httpx
import numpy as np

from . import _search
from ._batches import batches
from ._files import read_items
from ._items import collect
from ._parquet import write_parquet
from ._progress import Progress
from ._transport import Transport, compact_json, lines_of
from ._upload import OnConflict, Uploaded, Uploader, send_all
from ._vectors import decode
from .errors import ConflictError, SemblanceError, SemblanceWarning
from .results import Comparison, Embeddings, Hit, Neighbours, Results

if TYPE_CHECKING:
    import pandas as pd

Filter = Mapping[str, Any]
Part = Literal["text", "metadata", "vector"]
ALL_PARTS: tuple[Part, ...] = ("text", "metadata", "vector")

# Of one filter, and of one deletion.
MOST_VALUES = 1_000
MOST_DELETED = 10_000
MOST_BYTES = 200_000
MOST_IN_URL = 10_000


class Project:
    """A project of a server, as `Client.project` gives it.

    Everything may raise SemblanceError, where the server refuses it, and httpx.HTTPError, where it cannot be
    reached.
    """

    def __init__(self, transport: Transport, info: Mapping[str, Any]) -> None:
        self._transport = transport
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
        return (
            f"Project('{self.owner}/{self.handle}', {self.dimensions} dimensions of {self.model})"
        )

    def __len__(self) -> int:
        return self.count()

    def __bool__(self) -> bool:
        return True

    def upload(
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
        names = columns or {}
        parts: Iterable[Embeddings]
        if isinstance(ids, str | os.PathLike):
            if texts is not None or metadata is not None:
                raise TypeError("a file has its texts and metadata itself")
            npy = None if vectors is None else Path(vectors)
            parts, total = read_items(Path(ids), npy, names, self.dimensions), 0
        else:
            items = collect(ids, vectors, texts, metadata, names, self.dimensions)
            parts, total = [items], len(items)
        return self._send(
            parts, on_conflict, concurrency, Progress(self._uploading, total, progress)
        )

    @property
    def _uploading(self) -> str:
        return f"upload to {self.handle}"

    def _send(
        self,
        parts: Iterable[Embeddings],
        on_conflict: OnConflict,
        concurrency: int,
        progress: Progress,
    ) -> Uploaded:
        path = ("embeddings", *self._path)
        with progress as bar:
            instance = self.info.get("instance_handle")
            uploader = Uploader(self._transport, path, instance, on_conflict, bar)
            return send_all(uploader.send, parts, concurrency)

    def search(
        self,
        queries: Any = None,
        *,
        text: str | Iterable[str] | None = None,
        words: str | None = None,
        weights: Mapping[str, float] | None = None,
        k: int = 10,
        threshold: float | None = None,
        filter: Filter | None = None,  # noqa: A002
        include: Iterable[Part | Literal["highlights"]] = (),
        group_by: str | None = None,
        group_size: int | None = None,
        exact: bool | None = None,
        min_recall: float | None = None,
        include_self: bool | None = None,
    ) -> Results:
        """The `k` most similar embeddings of each query, which is a vector or the text_id of a stored embedding.

        `queries` is one of these, or a list or array of them (vectors: of shape (n, dimensions)). In its place,
        `text` is words, or a list of them, for which the provider of the project's instance makes the vectors
        where `text_queries` of the project allows it. `words` are found in the texts themselves: alone, or with
        one of these, which ranks by both: `weights`, such as {"vector": 1, "words": 2}, say how much each counts.
        `"Words in quotes"` stand together, `-word` is left out, and `beginn*` is the beginning of words.
        `threshold` is the least cosine similarity, from 0 to 1; None means all that are not negative. `include`
        adds "text", "metadata" and "vector" to each hit, and with `words` "highlights". With `group_by`, a path in
        the metadata, `k` counts groups.

        Warns of hits that a threshold hid, and of a field in `filter` that no embedding has.
        """
        parts = list(include)
        if queries is not None and text is not None:
            raise TypeError("search for queries or for text, one of them")
        if queries is not None:
            names, searches = _search.sought(queries, self.dimensions)
        elif text is not None:
            names, searches = _search.meant(text)
        elif words is not None:
            names, searches = [words], [{}]
        else:
            raise TypeError("search for queries, text or words")
        options = {
            "words": words,
            "weights": weights,
            "threshold": threshold or 0,
            "filter": filter,
            "include": parts or None,
            "vector_format": "base64" if "vector" in parts else None,
            "group_by": group_by,
            "group_size": group_size,
            "exact": exact,
            "min_recall": min_recall,
            "include_self": include_self,
        }
        given = {name: value for name, value in options.items() if value is not None}
        wanted = [{**search, **given} for search in searches]
        results = _search.run(self._transport, self._path, names, wanted, k)
        for note in results.notes:
            warnings.warn(note, SemblanceWarning, stacklevel=2)
        if threshold is not None and results.hidden > 0:
            hidden = f"{results.hidden} less similar hits are below the threshold of {threshold}"
            warnings.warn(hidden, SemblanceWarning, stacklevel=2)
        return results

    def neighbours(
        self,
        k: int = 10,
        *,
        threshold: float | None = None,
        filter: Filter | None = None,  # noqa: A002
        different: str | None = None,
        exact: bool = False,
        progress: bool | None = None,
    ) -> Neighbours:
        """The `k` nearest embeddings of every embedding, itself left out.

        `different` is a path in the metadata: only embeddings with another value there are neighbours. With
        `exact` an approximate answer, as large projects have it, is refused.
        """
        options = {"filter": filter, "different": different, "exact": exact or None}
        given = {name: value for name, value in options.items() if value is not None}
        body = {"k": k, "threshold": threshold or 0, **given}
        found: list[tuple[str, list[Hit]]] = []
        total = self.count() if filter is None else 0
        with Progress(f"neighbours in {self.handle}", total, progress) as bar:
            for line in self._neighbour_lines(body, lambda: found[-1][0] if found else None):
                if "done" in line:
                    return Neighbours(found, line["mode"])
                if "id" in line:
                    hits = enumerate(line["neighbours"], start=1)
                    name = line["id"]
                    found.append(
                        (
                            name,
                            [Hit(name, rank, hit["id"], hit["similarity"]) for rank, hit in hits],
                        )
                    )
                    bar.advance(1)
        raise SemblanceError(500, "Incomplete", "the answer has no end")

    def _neighbour_lines(
        self, body: dict[str, Any], last: Callable[[], str | None]
    ) -> Iterator[dict[str, Any]]:
        """Goes on behind the last one where the connection was lost."""
        path = ("similars", *self._path, "neighbours")
        lost_at, patience = None, 10
        while True:
            after = last()
            try:
                yield from self._transport.lines(
                    "POST", *path, body=body if after is None else {**body, "after": after}
                )
            except ConflictError:
                # The server may not know yet that nobody reads its last answer.
                if patience == 0:
                    raise
                patience -= 1
                time.sleep(1)
            except (httpx.NetworkError, httpx.RemoteProtocolError):
                if last() == lost_at:
                    raise
                lost_at = last()
            else:
                return

    def get(
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
        total = self.count() if ids is None and filter is None else 0
        with Progress(f"read {self.handle}", total, progress) as bar:
            for condition in _conditions(ids, filter):
                for row in self._exported(condition, parts):
                    rows.append(row)
                    bar.advance(1)
        rows = rows if ids is None else sorted(rows, key=lambda row: row["text_id"].encode())
        return Embeddings(
            [row["text_id"] for row in rows],
            decode([row["vector"] for row in rows if "vector" in row]).reshape(len(rows), -1)
            if rows
            else np.zeros((0, self.dimensions or 0), np.float32),
            [row.get("text") for row in rows],
            [row.get("metadata") for row in rows],
        )

    def to_pandas(self, **options: Any) -> pd.DataFrame:
        """As `get` with the same options, as a table: see `Embeddings.to_pandas`."""
        return self.get(**options).to_pandas()

    def _exported(self, condition: Filter | None, parts: list[Part]) -> Iterator[dict[str, Any]]:
        params = {
            "format": "ndjson",
            "vector_format": "base64",
            "include": ",".join(parts),
            "filter": _in_url(condition),
        }
        path = ("projects", *self._path, "export")
        return self._transport.lines("GET", *path, params=params, compressed=False)

    def export(
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
                self._export_into(device, format, filter, include)
            return target
        part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
        try:
            with part.open("wb") as file:
                self._export_into(file, format, filter, include)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
        return target

    def _export_into(
        self, file: IO[bytes], form: str, condition: Filter | None, include: Iterable[Part] | None
    ) -> None:
        parts = None if include is None else list(include)
        params = {
            "format": form,
            "filter": _in_url(condition),
            "include": None if parts is None else ",".join(parts),
        }
        path = ("projects", *self._path, "export")
        if form == "parquet":
            params |= {"format": "ndjson", "vector_format": "base64"}
            with self._transport.stream("GET", *path, params=params, compressed=False) as response:
                write_parquet(file, lines_of(response), ALL_PARTS if parts is None else parts)
            return
        with self._transport.stream("GET", *path, params=params) as response:
            for data in response.iter_bytes():
                file.write(data)

    def delete(
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
            answer = self._json("DELETE", "embeddings", params=params)
            return int(answer["deleted_count"])
        bodies: Iterable[dict[str, Any]] = [{"filter": filter}]
        if ids is not None:
            named = [compact_json(value) for value in _names(ids)]
            groups = batches(named, MOST_DELETED, MOST_BYTES)
            bodies = ({"text_ids": [json.loads(value) for value in group]} for group in groups)
        answers = [
            self._json("POST", "embeddings", "delete", body=b, params=params) for b in bodies
        ]
        return sum(int(answer["matched_count"]) for answer in answers)

    def count(self, filter: Filter | None = None) -> int:  # noqa: A002
        """How many embeddings there are, or satisfy a filter."""
        if filter is None:
            return int(self._json("GET", "projects")["embedding_count"])
        params = {"filter": _in_url(filter)}
        return int(self._json("GET", "projects", "count", params=params)["count"])

    def fields(self) -> pd.DataFrame:
        """The fields of the metadata: path, documents, share, types, and the most frequent values."""
        import pandas as pd  # noqa: PLC0415

        return pd.DataFrame(self._json("GET", "projects", "fields")["fields"])

    def statistics(self) -> dict[str, Any]:
        """Number, bytes, index, first and last upload, as the API has them."""
        found: dict[str, Any] = self._json("GET", "projects", "statistics")
        return found

    def share(self, user: str, role: Literal["reader", "editor"] = "reader") -> None:
        """Lets another user read, or also upload and delete."""
        body = {"share_with_handle": user, "role": role}
        self._json("POST", "projects", "share", body=body)

    def unshare(self, user: str) -> None:
        """Takes that back."""
        self._json("DELETE", "projects", "share", user)

    def publish(self, public: bool = True) -> None:
        """Lets everybody read and search without a key, or nobody any more."""
        self.info |= self._json("PATCH", "projects", body={"public_read": public})

    def drop(self) -> None:
        """Deletes the project with everything in it."""
        self._json("DELETE", "projects")

    def compare(self, other: Project, k: int = 10) -> Comparison:
        """How far the `k` nearest of each embedding agree with those in another project.

        For two models that embedded the same texts under the same text_ids. Text_ids that only one of them has
        count as neighbours that the other lacks; a warning says so.
        """
        mine, others = dict(self.neighbours(k)), dict(other.neighbours(k))
        shared = mine.keys() & others.keys()
        if len(shared) < max(len(mine), len(others)):
            lacking = len(mine.keys() ^ others.keys())
            warnings.warn(
                f"{lacking} text_ids are in one project only", SemblanceWarning, stacklevel=2
            )
        of = {name: _overlap(mine[name], others[name]) for name in sorted(shared)}
        return Comparison(k, float(np.mean(list(of.values()))) if of else float("nan"), of)

    def _json(
        self,
        method: str,
        kind: str,
        *below: str,
        body: object = None,
        params: Mapping[str, Any] | None = None,
    ) -> Any:
        return self._transport.json(method, kind, *self._path, *below, body=body, params=params)


def _overlap(one: list[Hit], other: list[Hit]) -> float:
    most = max(len(one), len(other))
    shared = {hit.id for hit in one} & {hit.id for hit in other}
    return len(shared) / most if most > 0 else 1.0


def _in_url(condition: Filter | None) -> str | None:
    return None if condition is None else compact_json(condition).decode()


def _names(ids: str | Iterable[str | int]) -> list[str]:
    """The text_ids of one or several, each once."""
    return list(dict.fromkeys([ids] if isinstance(ids, str) else map(str, ids)))


def _conditions(
    ids: str | Iterable[str | int] | None, condition: Filter | None
) -> Iterator[Filter | None]:
    if ids is None:
        yield condition
        return
    # As they stand in a URL, of which the server takes 16 KiB.
    named = [quote(compact_json(text_id)) for text_id in _names(ids)]
    room = MOST_IN_URL - len(quote(_in_url(condition) or ""))
    for group in batches(named, MOST_VALUES, max(room, 1)):
        among: Filter = {"text_id": {"$in": [json.loads(unquote(text_id)) for text_id in group]}}
        yield among if condition is None else {"$and": [among, condition]}
