"""Embeddings of files, some thousand at a time."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from glob import glob, has_magic
from itertools import chain, islice
from pathlib import Path
from typing import IO

import numpy as np

from ._canonical import canonical
from ._checked import AT_ONCE, Part, Table, checked
from ._convert import read_json
from ._items import ID_NAMES, TEXT_NAMES, collect
from .errors import SemblanceWarning
from .results import Embeddings

# Of a cell of a .csv: what a text may have and more.
LONGEST_CELL = 16 * 2**20
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]\d\d+)?")
# What may be meant as a database, and have a password that no message shall have. One letter is a drive of Windows.
ADDRESS = re.compile(r"^\s*[a-z][\w.+-]+:|@|\b(host|dbname|user|password)\s*=", re.IGNORECASE)
BYTE_ORDER_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


def read_items(
    path: Path,
    vectors: Path | None,
    columns: Mapping[str, str | None],
    dimensions: int | None,
    tell: Callable[[str], None] | None = None,
    embeds: bool = False,
    only_metadata: bool = False,
) -> Iterator[Embeddings]:
    """The embeddings of Parquet files (one, those in a folder, or of a pattern such as data/*.parquet), of lines of
    JSON (.ndjson, .jsonl, or - for stdin), or of a .csv with a .npy.

    With `embeds` vectors may be missing, with `only_metadata` texts too.

    Raises ValueError that names the file and where in it something cannot be stored; with `tell` that is told of
    each row, and the others are read.
    """
    parts = _parts(path, vectors, columns, embeds)
    return checked(parts, columns, dimensions, tell, embeds, only_metadata)


def _parts(
    path: Path, vectors: Path | None, columns: Mapping[str, str | None], embeds: bool
) -> Iterator[Part]:
    suffix = (Path(path.stem).suffix if path.suffix == ".gz" else path.suffix).lower()
    if suffix in {".csv", ".tsv"} and (embeds or vectors is not None):
        return _csv(path, vectors, columns, "\t" if suffix == ".tsv" else ",")
    shown = "this" if ADDRESS.search(str(path)) else path
    if vectors is not None:
        raise ValueError(f"vectors of a .npy are for a .csv or .tsv, not for {shown}")
    if suffix in {".ndjson", ".jsonl"} or str(path) == "-":
        return _lines(path)
    files = _parquet_files(path)
    if files:
        return chain.from_iterable(_parquet(file, columns) for file in files)
    raise ValueError(
        f"{shown} is no .parquet, .ndjson or .jsonl, nor a .csv with vectors of a .npy"
    )


def _parquet_files(path: Path) -> list[Path]:
    """One, those below a folder, or those of a pattern: datasets of Hugging Face have data-00000-of-00005.parquet."""
    if path.is_dir():
        found = sorted(path.rglob("*.parquet"))
        if not found:
            raise ValueError(f"{path} is a folder without .parquet files")
        return found
    if path.suffix.lower() not in {".parquet", ".pq"}:
        return []
    if path.exists() or not has_magic(str(path)):
        return [path]
    matches = sorted(map(Path, glob(str(path), recursive=True)))  # noqa: PTH207
    if not matches:
        raise ValueError(f"no file has a name as {path}")
    return matches


def _parquet(path: Path, columns: Mapping[str, str | None]) -> Iterator[Part]:
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow.parquet import ParquetFile  # noqa: PLC0415

    begin = 1
    with ParquetFile(path, pre_buffer=False) as file:
        _check_names(path, file.schema_arrow.names, columns)
        for field in file.schema_arrow:
            unknown = (field.metadata or {}).get(b"ARROW:extension:name")
            if unknown is not None and not isinstance(field.type, pa.BaseExtensionType):
                kind = unknown.decode(errors="replace")
                raise ValueError(
                    f"{path}: column {field.name!r} is of the type {kind}, unknown here"
                )
        for batch in file.iter_batches(AT_ONCE):
            numbers = range(begin, begin + batch.num_rows)
            yield Part(pa.Table.from_batches([batch]), numbers, "row", str(path))
            begin += batch.num_rows


def _check_names(path: Path, names: list[str], columns: Mapping[str, str | None]) -> None:
    for name in columns:
        if name not in names:
            raise ValueError(f"{path} has no column {name!r} but {', '.join(names)}")


def _lines(path: Path) -> Iterator[Part]:
    """Lines end with line feeds alone: texts may have whatever else Unicode takes for the end of one."""
    number = 0
    with _open(path) as file:
        while lines := list(islice(file, AT_ONCE)):
            items, numbers = [], []
            for line in lines:
                number += 1
                content = _utf8(line, number == 1, f"{path}, line {number}")
                if not content.strip():
                    continue
                try:
                    items.append(read_json(content))
                except ValueError as error:
                    raise ValueError(f"{path}, line {number}: it is no JSON: {error}") from error
                numbers.append(number)
            yield Part(items, numbers, "line", str(path))


def _utf8(line: bytes, is_first: bool, where: str) -> str:
    if is_first and line[:2] in BYTE_ORDER_MARKS:
        raise ValueError(f"{where}: it is {BYTE_ORDER_MARKS[line[:2]]}; save it as UTF-8")
    try:
        return line.decode("utf-8-sig" if is_first else "utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{where}: it is no UTF-8: {error.reason} at byte {error.start}") from None


def _csv(
    path: Path, vectors: Path | None, columns: Mapping[str, str | None], delimiter: str
) -> Iterator[Part]:
    """It is read twice: else vectors would be stored with other rows, and a column might change its type."""
    matrix = None if vectors is None else np.load(vectors, mmap_mode="r", allow_pickle=False)
    rows = _cells(path, delimiter)
    _, names = next(rows, (0, list[str]()))
    _check_names(path, names, columns)
    as_they_are = (*ID_NAMES, *TEXT_NAMES, "metadata")
    numeric = {at for at, name in enumerate(names) if columns.get(name, name) not in as_they_are}
    some_numbers: set[int] = set()
    count = 0
    for line, cells in rows:
        count += 1
        for at in [at for at in numeric if cells[at]]:
            if _number(cells[at]) is not None:
                some_numbers.add(at)
                continue
            numeric.discard(at)
            if at in some_numbers:
                reason = f"for {cells[at]!r} in line {line} is not how JSON writes a number"
                warnings.warn(
                    f"{names[at]} is stored as texts, {reason}", SemblanceWarning, stacklevel=2
                )
    if matrix is not None and (matrix.ndim != 2 or count != len(matrix)):
        raise ValueError(f"{path} has {count} rows, and {vectors} has {matrix.shape[0]}")
    rows, begin = _cells(path, delimiter), 0
    next(rows, None)
    while some := list(islice(rows, AT_ONCE)):
        table = Table([*names], [])
        for at in range(len(names)):
            given = [cells[at] or None for _, cells in some]
            table.columns.append([c and _number(c) for c in given] if at in numeric else given)
        if matrix is not None:
            table.column_names.append("vector")
            table.columns.append(matrix[begin : begin + len(some)])
        begin += len(some)
        yield Part(table, [line for line, _ in some], "line", str(path))


def _cells(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The rows with the lines in which they end; the first one has the names."""
    csv.field_size_limit(LONGEST_CELL)
    width = None
    with _open(path) as file:
        lines = (_utf8(line, at == 1, f"{path}, line {at}") for at, line in enumerate(file, 1))
        reader = csv.reader(lines, delimiter=delimiter, strict=True)
        try:
            for cells in reader:
                width = width or len(cells)
                if len(cells) not in {0, width}:
                    problem = f"it has {len(cells)} cells, not {width} as the first"
                    raise ValueError(f"{path}, line {reader.line_num}: {problem}")
                if cells:
                    yield reader.line_num, cells
        except csv.Error as error:
            raise ValueError(f"{path}, line {reader.line_num}: {error}") from error


def _number(cell: str) -> int | float | None:
    """The number that is written so by JSON, Python or R: 3.1, 1.0 and 1e+05, but not 3.10, 007 and 12e4."""
    if NUMBER.fullmatch(cell) is None:
        return None
    if cell.lstrip("-").isdigit():
        whole = int(cell)
        return whole if abs(whole) <= 2**53 and str(whole) == cell else None
    value = float(cell)
    if cell in {repr(value), canonical(value)}:
        return value
    is_short = "e" in cell and Decimal(cell) == Decimal(repr(value))
    return value if is_short and not cell.partition("e")[0].endswith("0") else None


def check_whole(path: Path) -> int:
    """How many embeddings a semblance file has, if it is whole, and everything in it can be stored."""
    digest, count, dimensions, last = hashlib.sha256(), 0, None, b""
    with _open(path) as file:
        first = file.readline()
        instance = (read_json(first) or {}).get("instance") or {}
        digest.update(first)
        while lines := list(islice(file, AT_ONCE)):
            *lines, held = [last, *lines] if last else lines
            last = held
            digest.update(b"".join(lines))
            items = collect([read_json(line) for line in lines], None, None, None, {}, None)
            if len(items) > 0:
                dimensions = items.vectors.shape[1]
                count += len(items)
                if dimensions != instance.get("dimensions", dimensions):
                    raise ValueError(f"{path} has vectors of {dimensions} dimensions")
    if json.loads(last or "{}") != {"embeddings": count, "sha256": digest.hexdigest()}:
        raise ValueError(f"{path}: its SHA-256 is not the one that its last line says")
    return count


@contextmanager
def _open(path: Path) -> Iterator[IO[bytes]]:
    if str(path) == "-":
        yield sys.stdin.buffer
    elif path.suffix.lower() == ".gz":
        with gzip.open(path) as file:
            try:
                yield file  # type: ignore[misc]
            except EOFError as error:
                raise ValueError(f"{path}: {error}") from error
    else:
        with path.open("rb") as plain_file:
            yield plain_file
