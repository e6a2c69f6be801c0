"""Embeddings of files, some thousand at a time."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np

from ._items import Items, collect

AT_ONCE = 10_000


def read_items(
    path: Path,
    vectors: Path | None,
    columns: Mapping[str, str | None],
    dimensions: int | None,
) -> Iterator[Items]:
    """The embeddings of a Parquet file, of lines of JSON (.ndjson, .jsonl), or of a .csv with a .npy.

    Raises ValueError that names the file and where in it something cannot be stored.
    """
    row = 0
    for table in _tables(path, vectors):
        try:
            items = collect(table, None, None, None, columns, dimensions)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path}, counted from row {row + 1} on: {error}") from error
        dimensions = items.vectors.shape[1]
        row += len(items)
        yield items


def _tables(path: Path, vectors: Path | None) -> Iterator[Any]:
    suffix = Path(path.stem).suffix if path.suffix == ".gz" else path.suffix
    if suffix == ".csv" and vectors is not None:
        return _csv(path, vectors)
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
                    items.append(json.loads(line))
                except ValueError as error:
                    raise ValueError(f"{path}:{number}: {error}") from error
            yield items


def _csv(path: Path, vectors: Path) -> Iterator[Any]:
    import pandas as pd  # noqa: PLC0415

    matrix = np.load(vectors, mmap_mode="r", allow_pickle=False)
    # Nothing but an empty cell is missing: 'NA' may be a text.
    names = dict.fromkeys(("text_id", "id", "text"), str)
    read = pd.read_csv(path, chunksize=AT_ONCE, dtype=names, keep_default_na=False, na_values=[""])
    begin = 0
    with read:
        for table in read:
            end = begin + len(table)
            if end > len(matrix):
                break
            yield table.assign(vector=list(matrix[begin:end]))
            begin = end
    if begin != len(matrix) or end != begin:
        raise ValueError(f"{path} has not as many rows as {vectors}, which has {len(matrix)}")


def _open(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8")
    return path.open(encoding="utf-8")
