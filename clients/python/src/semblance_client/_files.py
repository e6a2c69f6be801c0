"""Embeddings of files, some thousand at a time."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np

from ._canonical import canonical
from ._convert import NotStorable, read_json
from ._items import ID_NAMES, TEXT_NAMES, collect
from .errors import SemblanceWarning
from .results import Embeddings

AT_ONCE = 2_000
# Of a cell of a .csv: what a text may have and more.
LONGEST_CELL = 16 * 2**20
# What there is of it in a file.
SINGULAR = {"ids": "text_id", "vectors": "vector", "texts": "text", "metadata": "metadata"}
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]\d\d+)?")
BYTE_ORDER_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


@dataclass
class _Table:
    """Some rows of a .csv, under the names that tables of Arrow have for it."""

    column_names: list[str]
    columns: list[Any]


@dataclass
class _Part:
    """Some rows of a file; `numbers` are theirs in it."""

    rows: Any
    numbers: Sequence[int]
    unit: str


def read_items(
    path: Path,
    vectors: Path | None,
    columns: Mapping[str, str | None],
    dimensions: int | None,
    tell: Callable[[str], None] | None = None,
    embeds: bool = False,
) -> Iterator[Embeddings]:
    """The embeddings of a Parquet file, of lines of JSON (.ndjson, .jsonl, or - for stdin), or of a .csv with a .npy.

    With `embeds` vectors may be missing.

    Raises ValueError that names the file and where in it something cannot be stored; with `tell` that is told of
    each row, and the others are read.
    """
    ids: dict[str, int] = {}
    for part in _parts(path, vectors, columns, embeds):
        while True:
            try:
                items = collect(part.rows, None, None, None, columns, dimensions, embeds)
                for row, text_id in enumerate(items.ids):
                    if ids.setdefault(text_id, part.numbers[row]) != part.numbers[row]:
                        problem = f"is {text_id!r}, as that of {part.unit} {ids[text_id]}"
                        raise NotStorable(row, "", problem, "ids")
                break
            except NotStorable as error:
                what = SINGULAR.get(error.what, "")
                where = f"{path}, {part.unit} {part.numbers[error.row]}"
                problem = f"{where}: {what}{error.path} {error.problem}".replace(":  ", ": ")
                if tell is None:
                    raise ValueError(problem) from error
                tell(problem)
                part = _without(part, error.row)  # noqa: PLW2901
            except (TypeError, ValueError) as error:
                raise ValueError(f"{path}: {error}") from error
        if len(items) > 0:
            dimensions = items.vectors.shape[1] or dimensions
            yield items


def _without(part: _Part, row: int) -> _Part:
    numbers = [*part.numbers[:row], *part.numbers[row + 1 :]]
    rows = part.rows
    if isinstance(rows, list):
        return _Part([*rows[:row], *rows[row + 1 :]], numbers, part.unit)
    if isinstance(rows, _Table):
        columns = [[*column[:row], *column[row + 1 :]] for column in rows.columns]
        return _Part(_Table(rows.column_names, columns), numbers, part.unit)
    import pyarrow as pa  # noqa: PLC0415

    return _Part(pa.concat_tables([rows.slice(0, row), rows.slice(row + 1)]), numbers, part.unit)


def _parts(
    path: Path, vectors: Path | None, columns: Mapping[str, str | None], embeds: bool
) -> Iterator[_Part]:
    suffix = (Path(path.stem).suffix if path.suffix == ".gz" else path.suffix).lower()
    if suffix in {".csv", ".tsv"} and (embeds or vectors is not None):
        return _csv(path, vectors, columns, "\t" if suffix == ".tsv" else ",")
    if vectors is not None:
        raise ValueError(f"vectors of a .npy are for a .csv or .tsv, not for {path}")
    if suffix in {".ndjson", ".jsonl"} or str(path) == "-":
        return _lines(path)
    if suffix in {".parquet", ".pq"}:
        return _parquet(path)
    raise ValueError(f"{path} is no .parquet, .ndjson or .jsonl, nor a .csv with vectors of a .npy")


def _parquet(path: Path) -> Iterator[_Part]:
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow.parquet import ParquetFile  # noqa: PLC0415

    begin = 1
    with ParquetFile(path, pre_buffer=False) as file:
        for field in file.schema_arrow:
            unknown = (field.metadata or {}).get(b"ARROW:extension:name")
            if unknown is not None and not isinstance(field.type, pa.BaseExtensionType):
                kind = unknown.decode(errors="replace")
                raise ValueError(
                    f"{path}: column {field.name!r} is of the type {kind}, unknown here"
                )
        for batch in file.iter_batches(AT_ONCE):
            numbers = range(begin, begin + batch.num_rows)
            yield _Part(pa.Table.from_batches([batch]), numbers, "row")
            begin += batch.num_rows


def _lines(path: Path) -> Iterator[_Part]:
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
            yield _Part(items, numbers, "line")


def _utf8(line: bytes, is_first: bool, where: str) -> str:
    if is_first and line[:2] in BYTE_ORDER_MARKS:
        raise ValueError(f"{where}: it is {BYTE_ORDER_MARKS[line[:2]]}; save it as UTF-8")
    try:
        return line.decode("utf-8-sig" if is_first else "utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{where}: it is no UTF-8: {error.reason} at byte {error.start}") from None


def _csv(
    path: Path, vectors: Path | None, columns: Mapping[str, str | None], delimiter: str
) -> Iterator[_Part]:
    """It is read twice: else vectors would be stored with other rows, and a column might change its type."""
    matrix = None if vectors is None else np.load(vectors, mmap_mode="r", allow_pickle=False)
    rows = _cells(path, delimiter)
    _, names = next(rows, (0, list[str]()))
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
        table = _Table([*names], [])
        for at in range(len(names)):
            given = [cells[at] or None for _, cells in some]
            table.columns.append([c and _number(c) for c in given] if at in numeric else given)
        if matrix is not None:
            table.column_names.append("vector")
            table.columns.append(matrix[begin : begin + len(some)])
        begin += len(some)
        yield _Part(table, [line for line, _ in some], "line")


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
