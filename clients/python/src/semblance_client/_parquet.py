"""Exports as Parquet."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, Collection
from functools import partial
from typing import IO, Any

import numpy as np

from ._batches import batches_of
from ._io import Io
from ._transport import compact_json
from ._vectors import decode

# Of a row group: it is in memory as a whole.
MOST_ROWS = 10_000
MOST_BYTES = 16 * 2**20


async def write_parquet(
    file: IO[bytes], lines: AsyncIterable[bytes], parts: Collection[str], io: Io
) -> None:
    """Writes the lines of an export, with vectors as base64, as a table that can be uploaded again.

    Its columns are text_id, text, metadata (as JSON), created_at and vector (a list of float32); the `parts` say
    which of text, metadata and vector.
    """
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow.parquet import ParquetWriter  # noqa: PLC0415

    element = pa.field("element", pa.float32(), nullable=False)
    fields = [
        pa.field("text_id", pa.string(), nullable=False),
        pa.field("text", pa.string()),
        pa.field("metadata", pa.string()),
        pa.field("created_at", pa.timestamp("us", "UTC"), nullable=False),
        pa.field("vector", pa.list_(element), nullable=False),
    ]
    wanted = {"text_id", "created_at", *parts}
    schema = pa.schema([field for field in fields if field.name in wanted])
    repeating = [name for name in ("text", "metadata", "created_at") if name in wanted]
    sink = _Sink(file)
    with ParquetWriter(sink, schema, use_dictionary=repeating) as writer:
        try:
            async for group in batches_of(lines, MOST_ROWS, MOST_BYTES):
                await io.call(partial(_write, writer, schema, group))
        except BaseException:
            sink.has_failed = True
            raise


def _write(writer: Any, schema: Any, group: list[bytes]) -> None:
    import pyarrow as pa  # noqa: PLC0415

    rows = [json.loads(line) for line in group]
    writer.write_table(pa.table([_column(field, rows) for field in schema], schema=schema))


def _column(field: Any, rows: list[dict[str, Any]]) -> Any:
    import pyarrow as pa  # noqa: PLC0415

    values: Any = [row.get(field.name) for row in rows]
    if field.name == "metadata":
        values = [None if value is None else compact_json(value).decode() for value in values]
    if field.name == "created_at":
        values = np.array([time.removesuffix("Z") for time in values], "M8[us]")
    if field.name == "vector":
        matrix = decode(values)
        ends = np.arange(len(matrix) + 1, dtype=np.int32) * matrix.shape[1]
        return pa.ListArray.from_arrays(ends, pa.array(matrix.reshape(-1)), type=field.type)
    return pa.array(values, type=field.type)


class _Sink:
    """A file that gets nothing after a failure: else its end would make a part of the table look whole."""

    closed = False

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.has_failed = False

    def write(self, data: bytes) -> None:
        if not self.has_failed:
            self._file.write(data)

    def flush(self) -> None:
        self._file.flush()
