"""What is to be uploaded, in one form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ._convert import NotStorable, is_missing, plain, read_json, storable_text, values_of
from ._metadata import nest
from ._vectors import Vectors, as_matrix, decode
from .results import Embeddings

# Of tables and lines: the first one that is there.
ID_NAMES = ("text_id", "id")
VECTOR_NAMES = ("vector", "embedding")
TEXT_NAMES = ("text",)
# Of an export, and set by the server.
IGNORED = ("created_at",)
EMBED = "client.project(…, embed=…) makes vectors of texts"


def collect(
    ids: Any,
    vectors: Any,
    texts: Any,
    metadata: Any,
    columns: Mapping[str, str | None],
    dimensions: int | None,
    embeds: bool = False,
    may_repeat: bool = False,
    only_metadata: bool = False,
) -> Embeddings:
    """The embeddings, checked, of what `Project.upload` takes; with `embeds` perhaps all without vectors.

    With `may_repeat` the caller looks for ids that are there twice. With `only_metadata` vectors are left out, and
    texts may be empty.

    Raises ValueError or TypeError that names the place of the first that cannot be stored.
    """
    if vectors is None and (texts is None or not embeds):
        if texts is not None or metadata is not None:
            problem = "give ids and vectors too, or all in one table or list of items"
            raise TypeError(f"{problem}; {EMBED}")
        ids, vectors, texts, metadata = _parts(ids, columns, embeds)
        vectors = None if only_metadata else vectors
    elif hasattr(ids, "columns"):
        raise TypeError(
            "a table has its vectors itself; give its column of ids, or the table alone"
        )
    names = [_text_id(value, row) for row, value in enumerate(_values(ids, "ids"))]
    if not may_repeat:
        _refuse_repeated(names)
    all_texts = _all(texts, len(names), "texts", _text)
    if vectors is None:
        matrix: Vectors = np.zeros((len(names), 0), np.float32)
        if not only_metadata:
            _refuse_empty(all_texts)
    else:
        matrix = as_matrix(vectors, dimensions)
    if len(matrix) != len(names):
        raise _uneven("vectors", len(matrix), len(names))
    all_metadata = _all(_rows_of(metadata), len(names), "metadata", _metadata)
    return Embeddings(names, matrix, all_texts, all_metadata)


def _parts(
    table: Any, columns: Mapping[str, str | None], embeds: bool
) -> tuple[Any, Any, Any, Any]:
    """Of a DataFrame, an Arrow table, or items as the API has them."""
    found = _columns_of(table)
    if found is not None:
        return _parts_of_table(found, columns, embeds)
    items = list(table)
    for row, item in enumerate(items):
        if not isinstance(item, Mapping):
            raise TypeError(f"items[{row}] is no dict; give ids and vectors, or a table of both")
    renamed = [_renamed(item.items(), columns) for item in items]
    has_vectors = not embeds or any(name in item for item in renamed for name in VECTOR_NAMES)
    rows = [_parts_of_item(item, row, has_vectors) for row, item in enumerate(renamed)]
    ids, vectors, texts, metadata = zip(*rows, strict=True) if rows else ((), (), (), ())
    return ids, list(vectors) if has_vectors else None, texts, metadata


def _columns_of(table: Any) -> list[tuple[str, Any]] | None:
    """The columns of a table with their names; None for what is no table."""
    if hasattr(table, "to_arrow"):
        table = table.to_arrow()
    if hasattr(table, "column_names"):
        # An index without a name is no data: pandas writes it, and takes it away when it reads.
        of_pandas = getattr(getattr(table, "schema", None), "pandas_metadata", None) or {}
        indexes = of_pandas.get("index_columns", [])
        unnamed = {name for name in indexes if str(name).startswith("__index_level_")}
        named = zip(table.column_names, table.columns, strict=True)
        return [(name, column) for name, column in named if name not in unnamed]
    if hasattr(table, "to_pandas"):
        table = table.to_pandas()
    if not hasattr(table, "iloc") or not hasattr(table, "columns"):
        return None
    if any(name is not None for name in table.index.names):
        table = table.reset_index()
    return [(str(name), table.iloc[:, at]) for at, name in enumerate(table.columns)]


def _values(column: Any, what: str) -> list[Any]:
    """As JSON has them, or as `plain` makes them so."""
    try:
        return values_of(column)
    except NotStorable as error:
        raise NotStorable(error.row, error.path, error.problem, what) from None


def _renamed(columns: Iterable[tuple[str, Any]], names: Mapping[str, str | None]) -> dict[str, Any]:
    """Under other names, without those that are named None and what the server sets."""
    named = ((names.get(name, name), value) for name, value in columns)
    kept = [(name, value) for name, value in named if name is not None and name not in IGNORED]
    if repeated := [name for name, n in Counter(name for name, _ in kept).items() if n > 1]:
        raise ValueError(
            f"more than one column is {repeated[0]!r}; name one of them None in columns"
        )
    return dict(kept)


def _parts_of_item(rest: dict[str, Any], row: int, has_vectors: bool) -> tuple[Any, Any, Any, Any]:
    text_id = _take(rest, ID_NAMES, row)
    vector = _take(rest, VECTOR_NAMES, row, needed=has_vectors)
    if isinstance(vector, str):
        try:
            vector = decode([vector])[0]
        except ValueError as error:
            raise NotStorable(row, "", "is no base64 of float32", "vectors") from error
    text = _take(rest, TEXT_NAMES, row, needed=False)
    return text_id, vector, text, _merged(rest, _metadata(rest.pop("metadata", None), row), row)


def _take(rest: dict[str, Any], names: Sequence[str], row: int | None, needed: bool = True) -> Any:
    for name in names:
        if name in rest:
            return rest.pop(name)
    if not needed:
        return None
    hint = f"; {EMBED}" if names == VECTOR_NAMES else ""
    if row is None:
        raise ValueError(f"the table has none of {', '.join(names)} among {', '.join(rest)}{hint}")
    raise NotStorable(row, "", f"has none of {', '.join(names)}{hint}", "items")


def _parts_of_table(
    table: list[tuple[str, Any]], columns: Mapping[str, str | None], embeds: bool
) -> tuple[Any, Any, Any, Any]:
    named = _renamed(table, columns)
    ids = _take(named, ID_NAMES, None)
    vectors = _take(named, VECTOR_NAMES, None, needed=not embeds)
    texts = _take(named, TEXT_NAMES, None, needed=False)
    whole = named.pop("metadata", None)
    if not named:
        return ids, vectors, texts, whole
    nested = _nested(list(named.items()))
    if whole is None:
        return ids, vectors, texts, nested
    rows = [_metadata(value, row) for row, value in enumerate(_values(whole, "metadata"))]
    both = [_merged(a or {}, b, row) for row, (a, b) in enumerate(zip(nested, rows, strict=True))]
    return ids, vectors, texts, both


def _merged(
    columns: dict[str, Any], metadata: dict[str, Any] | None, row: int
) -> dict[str, Any] | None:
    """What stands in columns of its own, and in that of metadata."""
    if metadata is None or not columns:
        return metadata if metadata is not None else columns or None
    if both := columns.keys() & metadata.keys():
        raise NotStorable(row, "", f"has {min(both)!r}, and so has another column", "metadata")
    return columns | metadata


def _rows_of(metadata: Any) -> Any:
    """A table of metadata is one dict for each row."""
    found = None if metadata is None else _columns_of(metadata)
    return metadata if found is None else _nested(found)


def _nested(columns: list[tuple[str, Any]]) -> list[dict[str, Any] | None]:
    named = []
    for name, column in columns:
        try:
            named.append((name, values_of(column)))
        except NotStorable as error:
            path = f".{name}{error.path}"
            raise NotStorable(error.row, path, error.problem, "metadata") from None
    rows = range(len(named[0][1]) if named else 0)
    return [nest((name, values[row]) for name, values in named) or None for row in rows]


def _all(values: Iterable[Any] | None, count: int, name: str, check: Any) -> list[Any]:
    if values is None:
        return [None] * count
    if isinstance(values, str | Mapping):
        raise TypeError(f"{name} must have one for each embedding, not one for all")
    checked = [check(value, row) for row, value in enumerate(_values(values, name))]
    if len(checked) != count:
        raise _uneven(name, len(checked), count)
    return checked


def _uneven(name: str, count: int, ids: int) -> ValueError:
    return ValueError(f"there are {ids} ids and {count} {name}")


def _text_id(value: Any, row: int) -> str:
    if isinstance(value, str):
        return storable_text(value, row, "", "ids")
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return str(value)
    raise NotStorable(row, "", f"is {value!r}, not a str or an int", "ids")


def _text(value: Any, row: int) -> str | None:
    if isinstance(value, str):
        return storable_text(value, row, "", "texts")
    if value is None or is_missing(value):
        return None
    raise NotStorable(row, "", f"is {value!r}, not a str", "texts")


def _metadata(value: Any, row: int) -> dict[str, Any] | None:
    if isinstance(value, str):
        try:
            value = read_json(value)
        except ValueError as error:
            problem = f"is a str that is not JSON: {error}"
            raise NotStorable(row, "", problem, "metadata") from error
    if value is None or is_missing(value):
        return None
    found = plain(value, row, "", "metadata")
    if not isinstance(found, dict):
        raise NotStorable(row, "", f"is {found!r}, not a dict", "metadata")
    return found


def _refuse_empty(texts: list[str | None]) -> None:
    for row, text in enumerate(texts):
        if text is None or not text.strip():
            raise NotStorable(row, "", "is empty, and there is no vector", "texts")


def _refuse_repeated(ids: list[str]) -> None:
    first: dict[str, int] = {}
    for row, text_id in enumerate(ids):
        if first.setdefault(text_id, row) != row:
            problem = f"is {text_id!r}, as ids[{first[text_id]}] is"
            raise NotStorable(row, "", problem, "ids")
