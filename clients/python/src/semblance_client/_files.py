"""Embeddings of files, some thousand at a time."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np

from ._items import ID_NAMES, TEXT_NAMES, collect
from .results import Embeddings

AT_ONCE = 10_000


def read_items(
    path: Path,
    vectors: Path | None,
    columns: Mapping[str, str | None],
    dimensions: int | None,
) -> Iterator[Embeddings]:
    """The embeddings of a Parquet file, of lines of JSON (.ndjson, .jsonl), or of a .csv with a .npy.

    Raises ValueError that names the file and where in it something cannot be stored.
    """
    row = 0
    ids: set[str] = set()
    for table in _tables(path, vectors, columns):
        try:
            items = collect(table, None, None, None, columns, dimensions)
            if repeated := ids.intersection(items.ids):
                raise ValueError(f"{min(repeated)!r} was there before")
            ids.update(items.ids)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path}, counted from row {row + 1} on: {error}") from error
        dimensions = items.vectors.shape[1]
        row += len(items)
        yield items


def _tables(path: Path, vectors: Path | None, columns: Mapping[str, str | None]) -> Iterator[Any]:
    suffix = (Path(path.stem).suffix if path.suffix == ".gz" else path.suffix).lower()
    if suffix == ".csv" and vectors is not None:
        return _csv(path, vectors, columns)
    if suffix in {".ndjson", ".jsonl"}:
        return _lines(path)
    if suffix in {".parquet", ".pq"}:
        return _parquet(path)
    raise ValueError(f"{path} is no .parquet, .ndjson or .jsonl, nor a .csv with vectors of a .npy")


def _parquet(path: Path) -> Iterator[Any]:
    from pyarrow.parquet import ParquetFile  # noqa: PLC0415

    with ParquetFile(path) as file:
        for batch in file.iter_batches(AT_ONCE):
            yield batch.to_pandas()


def _lines(path: Path) -> Iterator[list[Any]]:
    with _open(path) as file:
        number = 0
        while lines := list(islice(file, AT_ONCE)):
            items = []
            for line in lines:
                number += 1
                if not line.strip():
                    continue
                try:
                    items.append(json.loads(line, parse_int=_whole))
                except ValueError as error:
                    raise ValueError(f"{path}:{number}: {error}") from error
            yield items


def _csv(path: Path, vectors: Path, columns: Mapping[str, str | None]) -> Iterator[Any]:
    import pandas as pd  # noqa: PLC0415

    matrix = np.load(vectors, mmap_mode="r", allow_pickle=False)
    # Nothing but an empty cell is missing: 'NA' may be a text.
    options: dict[str, Any] = {"chunksize": AT_ONCE, "keep_default_na": False, "na_values": [""]}
    # At first it is only looked at: else vectors would be stored with other rows, and a column that is of text
    # somewhere would be so in some chunks only.
    rows, names = 0, dict[str, Any]()
    with pd.read_csv(path, low_memory=False, **options) as read:
        for table in read:
            if not isinstance(table.index, pd.RangeIndex):
                raise ValueError(f"{path} has rows with more fields than its header")
            rows += len(table)
            names |= {
                name: str
                for name in table.columns
                if table[name].dtype == object
                or columns.get(name, name) in (*ID_NAMES, *TEXT_NAMES)
            }
    if rows != len(matrix):
        raise ValueError(f"{path} has {rows} rows, and {vectors} has {len(matrix)}")
    begin = 0
    with pd.read_csv(path, dtype=names, **options) as read:
        for table in read:
            end = begin + len(table)
            yield table.assign(vector=list(matrix[begin:end]))
            begin = end


def _whole(digits: str) -> float:
    """Zeros have signs in vectors, and ints of Python have not."""
    return -0.0 if digits == "-0" else int(digits)


def _open(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")
