"""What is to be uploaded, in one form."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ._metadata import is_missing, nest, plain
from ._vectors import as_matrix, decode
from .results import Embeddings

# Of tables and lines: the first one that is there.
ID_NAMES = ("text_id", "id")
VECTOR_NAMES = ("vector", "embedding")
TEXT_NAMES = ("text",)
# Of an export, and set by the server.
IGNORED = ("created_at",)


def collect(
    ids: Any,
    vectors: Any,
    texts: Any,
    metadata: Any,
    columns: Mapping[str, str | None],
    dimensions: int | None,
) -> Embeddings:
    """The embeddings, checked, of what `Project.upload` takes.

    Raises ValueError or TypeError that names the place of the first that cannot be stored.
    """
    if vectors is None:
        if texts is not None or metadata is not None:
            raise TypeError("give ids and vectors too, or all in one table or list of items")
        ids, vectors, texts, metadata = _parts(ids, columns)
    elif hasattr(ids, "columns"):
        raise TypeError(
            "a table has its vectors itself; give its column of ids, or the table alone"
        )
    names = [_text_id(value, row) for row, value in enumerate(ids)]
    _refuse_repeated(names)
    matrix = as_matrix(vectors, dimensions)
    if len(matrix) != len(names):
        raise _uneven("vectors", len(matrix), len(names))
    return Embeddings(
        names,
        matrix,
        _all(texts, len(names), "texts", _text),
        _all(_rows_of(metadata), len(names), "metadata", _metadata),
    )


def _parts(table: Any, columns: Mapping[str, str | None]) -> tuple[Any, Any, Any, Any]:
    """Of a DataFrame, an Arrow table, or items as the API has them."""
    if hasattr(table, "to_pandas"):
        table = table.to_pandas()
    if hasattr(table, "iloc"):
        return _parts_of_frame(table, columns)
    items = list(table)
    for row, item in enumerate(items):
        if not isinstance(item, Mapping):
            raise TypeError(f"items[{row}] is no dict; give ids and vectors, or a table of both")
    rows = [_parts_of_item(_renamed(item.items(), columns), row) for row, item in enumerate(items)]
    ids, vectors, texts, metadata = zip(*rows, strict=True) if rows else ((), (), (), ())
    return ids, list(vectors), texts, metadata


def _renamed(columns: Iterable[tuple[str, Any]], names: Mapping[str, str | None]) -> dict[str, Any]:
    """Under other names, without those that are named None and what the server sets."""
    named = ((names.get(name, name), value) for name, value in columns)
    kept = [(name, value) for name, value in named if name is not None and name not in IGNORED]
    if repeated := [name for name, n in Counter(name for name, _ in kept).items() if n > 1]:
        raise ValueError(
            f"more than one column is {repeated[0]!r}; name one of them None in columns"
        )
    return dict(kept)


def _parts_of_item(rest: dict[str, Any], row: int) -> tuple[Any, Any, Any, Any]:
    text_id = _take(rest, ID_NAMES, f"items[{row}]")
    vector = _take(rest, VECTOR_NAMES, f"items[{row}]")
    if isinstance(vector, str):
        try:
            vector = decode([vector])[0]
        except ValueError as error:
            raise ValueError(f"items[{row}].{VECTOR_NAMES[0]} is no base64 of float32") from error
    text = _take(rest, TEXT_NAMES, None)
    return text_id, vector, text, _merged(rest, _metadata(rest.pop("metadata", None), row), row)


def _take(rest: dict[str, Any], names: Sequence[str], where: str | None) -> Any:
    for name in names:
        if name in rest:
            return rest.pop(name)
    if where is None:
        return None
    raise ValueError(f"{where} has none of {', '.join(names)}")


def _parts_of_frame(frame: Any, columns: Mapping[str, str | None]) -> tuple[Any, Any, Any, Any]:
    if any(name is not None for name in frame.index.names):
        frame = frame.reset_index()
    of = [(str(name), frame.iloc[:, at]) for at, name in enumerate(frame.columns)]
    named = _renamed(of, columns)
    ids = _take(named, ID_NAMES, "the table")
    vectors = _take(named, VECTOR_NAMES, "the table")
    texts = _take(named, TEXT_NAMES, None)
    whole = named.pop("metadata", None)
    rest = [(name, column.tolist()) for name, column in named.items()]
    if not rest:
        return ids, vectors, texts, whole
    nested = _nested(rest, len(frame))
    if whole is None:
        return ids, vectors, texts, nested
    rows = [_metadata(value, row) for row, value in enumerate(whole)]
    both = [_merged(a or {}, b, row) for row, (a, b) in enumerate(zip(nested, rows, strict=True))]
    return ids, vectors, texts, both


def _merged(
    columns: dict[str, Any], metadata: dict[str, Any] | None, row: int
) -> dict[str, Any] | None:
    """What stands in columns of its own, and in that of metadata."""
    if metadata is None or not columns:
        return metadata if metadata is not None else columns or None
    if both := columns.keys() & metadata.keys():
        raise ValueError(f"metadata[{row}] has {min(both)!r}, and so has another column")
    return columns | metadata


def _rows_of(metadata: Any) -> Any:
    """A table of metadata is one dict for each row."""
    if metadata is None or not hasattr(metadata, "columns"):
        return metadata
    columns = [(str(name), metadata[name].tolist()) for name in metadata.columns]
    return _nested(columns, len(metadata))


def _nested(columns: list[tuple[str, list[Any]]], count: int) -> list[dict[str, Any] | None]:
    rows = range(count)
    return [nest((name, values[row]) for name, values in columns) or None for row in rows]


def _all(values: Iterable[Any] | None, count: int, name: str, check: Any) -> list[Any]:
    if values is None:
        return [None] * count
    if isinstance(values, str | Mapping):
        raise TypeError(f"{name} must have one for each embedding, not one for all")
    checked = [check(value, row) for row, value in enumerate(values)]
    if len(checked) != count:
        raise _uneven(name, len(checked), count)
    return checked


def _uneven(name: str, count: int, ids: int) -> ValueError:
    return ValueError(f"there are {ids} ids and {count} {name}")


def _text_id(value: Any, row: int) -> str:
    if isinstance(value, str):
        return _without_nul(value, f"ids[{row}]")
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return str(value)
    raise TypeError(f"ids[{row}] is {value!r}, not a str or an int")


def _text(value: Any, row: int) -> str | None:
    if isinstance(value, str):
        return _without_nul(value, f"texts[{row}]")
    if value is None or is_missing(value):
        return None
    raise TypeError(f"texts[{row}] is {value!r}, not a str")


def _metadata(value: Any, row: int) -> dict[str, Any] | None:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError as error:
            raise ValueError(f"metadata[{row}] is a str that is not JSON") from error
    if value is None or is_missing(value):
        return None
    found = plain(value, f"metadata[{row}]")
    if not isinstance(found, dict):
        raise TypeError(f"metadata[{row}] is {found!r}, not a dict")
    return found


def _without_nul(value: str, where: str) -> str:
    if "\0" in value:
        raise ValueError(f"{where} has the character NUL, which the server does not store")
    return value


def _refuse_repeated(ids: list[str]) -> None:
    first: dict[str, int] = {}
    for row, text_id in enumerate(ids):
        if first.setdefault(text_id, row) != row:
            raise ValueError(f"ids[{row}] is {text_id!r}, as ids[{first[text_id]}] is")
