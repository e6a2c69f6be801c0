"""What researchers have, as JSON: of Python, NumPy, pandas and Arrow, by one table.

Booleans, texts and finite numbers are what they are. As texts: decimals with the digits that they have ("3.10"),
dates ("2026-01-02"), times of day ("13:45:00.5"), times ("2026-01-02T13:45:00", of a zone as UTC with "Z"),
durations ("PT1.5S") and UUIDs. Fractions of seconds have the digits that they need, down to nanoseconds. All else
is refused: nothing is rounded, replaced or left out, but empty cells of tables.
"""

from __future__ import annotations

import json
import math
import uuid
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any

import numpy as np

# Of the units of NumPy and Arrow.
NANOSECONDS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9}
NANOSECONDS |= {"h": 3600 * 10**9, "D": 86400 * 10**9, "W": 7 * 86400 * 10**9}


class NotStorable(ValueError):  # noqa: N818
    """A value that cannot be stored as it is, with its place: `what[row]path`."""

    def __init__(self, row: int, path: str, problem: str, what: str = "values") -> None:
        super().__init__(f"{what}[{row}]{path} {problem}")
        self.row, self.path, self.problem, self.what = row, path, problem, what


@dataclass(frozen=True)
class Unstorable:
    """In place of a value of a source: why it cannot be stored."""

    problem: str


def storable_text(value: str, row: int, path: str, what: str) -> str:
    """The same, if the server can store it."""
    if "\0" in value:
        raise NotStorable(row, path, "has the character NUL, which the server does not store", what)
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            raise NotStorable(row, path, "has half a surrogate pair", what) from None
    return str.__str__(value)


def plain(value: Any, row: int, path: str, what: str) -> Any:  # noqa: PLR0911, PLR0912
    """The same as JSON has it, by the table above.

    Raises NotStorable for what JSON does not have, such as NaN.
    """

    def refuse(problem: str) -> NotStorable:
        return NotStorable(row, path, problem, what)

    if isinstance(value, str):
        return storable_text(value, row, path, what)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        if abs(value) > 2**53 and not _is_kept(value):
            raise refuse(f"is {value}, which the server would round: give it as a str")
        return int(value)
    if isinstance(value, float):
        if isinstance(value, Rounded):
            raise refuse(f"is {value.digits}, which the server would round: give it as a str")
        if math.isfinite(value):
            return float(value)
        raise refuse(f"is {value}, which JSON does not have")
    if isinstance(value, Mapping):
        return {
            _key(key, row, path, what): plain(item, row, f"{path}.{key}", what)
            for key, item in value.items()
        }
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise refuse("has masked elements")
    if isinstance(value, np.ndarray) and value.ndim > 0 and value.dtype.names is None:
        value = list(value) if value.dtype.kind in "mM" else value.tolist()
    if isinstance(value, list | tuple):
        return [plain(item, row, f"{path}[{at}]", what) for at, item in enumerate(value)]
    if isinstance(value, np.bool_ | np.number) and not isinstance(value, np.timedelta64):
        item = value.item()
        if isinstance(item, bool | int | float):
            return plain(item, row, path, what)
    if isinstance(value, Unstorable):
        raise refuse(value.problem)
    if is_missing(value):
        raise refuse(f"is {value}, which JSON does not have")
    text = _text_of(value)
    if text is None:
        raise refuse(f"is a {type(value).__name__}, which JSON does not have")
    return text


def _key(key: object, row: int, path: str, what: str) -> str:
    if isinstance(key, str):
        return storable_text(key, row, f"{path}.{key!r}", what)
    raise NotStorable(row, path, f"has the key {key!r}, which is not a str", what)


def _text_of(value: Any) -> str | None:  # noqa: PLR0911
    """What is a text in JSON; None for what is nothing there."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, Decimal) and value.is_finite():
        return format(value, "f")
    if isinstance(value, np.datetime64):
        is_coarse = np.datetime_data(value.dtype)[0] in {"h", "m"}
        return short(str(np.datetime_as_string(value.astype("M8[s]") if is_coarse else value)))
    if isinstance(value, np.timedelta64):
        unit, count = np.datetime_data(value.dtype)
        if unit not in NANOSECONDS:
            return None
        return _duration(int(value.astype(np.int64)) * count * NANOSECONDS[unit])
    if isinstance(value, timedelta):
        seconds = value.days * 86400 + value.seconds
        nanoseconds = value.microseconds * 1000 + int(getattr(value, "nanoseconds", 0))
        return _duration(seconds * 10**9 + nanoseconds)
    if isinstance(value, datetime):
        if value.tzinfo is None:
            return short(value.isoformat())
        try:
            return short(value.astimezone(timezone.utc).isoformat()[: -len("+00:00")]) + "Z"
        except OverflowError:
            # In UTC it is of the year 0 or 10000.
            return None
    if isinstance(value, time) and value.tzinfo is None:
        return short(value.isoformat())
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, uuid.UUID) else None


def short(time_text: str) -> str:
    """Without zeros at the end of the fraction of a second."""
    return time_text.rstrip("0").rstrip(".") if "." in time_text else time_text


def _duration(nanoseconds: int) -> str:
    seconds, rest = divmod(abs(nanoseconds), 10**9)
    return short(f"{'-' if nanoseconds < 0 else ''}PT{seconds}.{rest:09}") + "S"


def _is_kept(value: int) -> bool:
    """The server reads numbers as double, and shows the shortest decimal of one, which is what its files hold."""
    try:
        return int(Decimal(repr(float(value)))) == value
    except OverflowError:
        return False


def is_missing(value: Any) -> bool:
    """Whether this is how pandas marks an empty cell: NaN, NaT or NA; None is a value of JSON."""
    if isinstance(value, float):
        return math.isnan(value)
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return type(value).__name__ in {"NAType", "NaTType"}


class Rounded(float):
    """A number of which the double that is nearest is another one."""

    def __new__(cls, digits: str) -> Rounded:
        """It remembers its digits."""
        made = super().__new__(cls, digits)
        made.digits = digits
        return made

    digits: str


def read_json(text: str | bytes) -> Any:
    """A value of JSON. ValueError for what has no meaning there, or has two."""
    return json.loads(
        text,
        parse_int=lambda digits: -0.0 if digits == "-0" else int(digits),
        parse_float=_real,
        parse_constant=_constant,
        object_pairs_hook=_object,
    )


def _real(digits: str) -> float:
    value = float(digits)
    if len(digits) < 17 and value != 0 and math.isfinite(value):
        return value
    exact = Decimal(digits)
    # 17 digits are how programs print a double.
    is_printed = len(exact.as_tuple().digits) <= 17 and value != 0 and math.isfinite(value)
    return value if is_printed or exact == Decimal(value) else Rounded(digits)


def _constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def values_of(column: Any) -> list[Any]:
    """The values of a column of Arrow or pandas, or of anything else; what is missing is None."""
    if is_arrow(column):
        return _of_arrow(column)
    if hasattr(getattr(column, "dtype", None), "pyarrow_dtype"):
        return _of_arrow(column.array.__arrow_array__())
    if hasattr(column, "iloc"):
        return [None if is_missing(value) else value for value in column.tolist()]
    return list(column)


def is_arrow(column: Any) -> bool:
    """Whether it is an array of Arrow."""
    return type(column).__module__.startswith("pyarrow") and hasattr(column, "type")


def _of_arrow(array: Any) -> list[Any]:  # noqa: PLR0911, PLR0912
    """By the type: Python's own values would have lost nanoseconds, zones, and which keys a row lacks."""
    import pyarrow as pa  # noqa: PLC0415

    if isinstance(array, pa.ChunkedArray):
        found: list[Any] = []
        for chunk in array.chunks:
            try:
                found += _of_arrow(chunk)
            except NotStorable as error:
                raise NotStorable(len(found) + error.row, error.path, error.problem) from None
        return found
    kind, types = array.type, pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return _of_extension(array)
    if types.is_dictionary(kind):
        return _of_arrow(array.dictionary_decode())
    if types.is_run_end_encoded(kind):
        return _of_arrow(pa.compute.run_end_decode(array))
    if types.is_null(kind) or types.is_boolean(kind) or types.is_integer(kind):
        return list(array.to_pylist())
    if types.is_floating(kind):
        return list(array.cast(pa.float64()).to_pylist())
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return _texts(array)
    if types.is_decimal(kind):
        return [None if value is None else _text_of(value) for value in array.to_pylist()]
    if types.is_temporal(kind) and not types.is_interval(kind):
        return _times(array)
    if types.is_struct(kind):
        return _objects(array)
    if types.is_map(kind):
        return _mappings(array)
    if hasattr(kind, "value_type"):
        return _lists(as_lists(array))
    return _none_of(array, f"is of the type {kind}, which JSON does not have: give it as a text")


def _none_of(array: Any, problem: str) -> list[None]:
    for row, value in enumerate(array.is_valid().to_pylist()):
        if value:
            raise NotStorable(row, "", problem)
    return [None] * len(array)


def _of_extension(array: Any) -> list[Any]:
    name, values = array.type.extension_name, array.storage
    if name == "arrow.uuid":
        return [None if v is None else str(uuid.UUID(bytes=v)) for v in values.to_pylist()]
    if name == "arrow.json":
        texts = _texts(values)
        try:
            return [None if text is None else read_json(text) for text in texts]
        except ValueError as error:
            raise ValueError(f"a column of JSON has something else: {error}") from error
    if name == "arrow.bool8":
        return [None if value is None else value != 0 for value in values.to_pylist()]
    return _none_of(array, f"is of the type {name}, which JSON does not have: give it as a text")


def _texts(array: Any) -> list[str | None]:
    try:
        return list(array.to_pylist())
    except UnicodeDecodeError:
        for row, value in enumerate(array):
            try:
                value.as_py()
            except UnicodeDecodeError:
                raise NotStorable(row, "", "is no UTF-8") from None
        raise


def _times(array: Any) -> list[str | None]:
    import pyarrow as pa  # noqa: PLC0415

    kind, types = array.type, pa.types
    is_day = types.is_date32(kind)
    unit = "D" if is_day else "ms" if types.is_date64(kind) else kind.unit
    counts = array.view(pa.int32() if kind.bit_width == 32 else pa.int64()).to_pylist()
    if types.is_duration(kind):
        return [None if n is None else _duration(n * NANOSECONDS[unit]) for n in counts]
    numbers = np.array([n or 0 for n in counts], np.int64)
    texts = np.datetime_as_string(numbers.view(f"M8[{unit}]")).tolist()
    if types.is_time(kind):
        texts = [text.partition("T")[2] for text in texts]
    end = "Z" if types.is_timestamp(kind) and kind.tz is not None else ""
    shown = [None if n is None else short(t) + end for n, t in zip(counts, texts, strict=True)]
    if types.is_date64(kind):
        return [None if text is None else text.removesuffix("T00:00:00") for text in shown]
    return shown


def _objects(array: Any) -> list[dict[str, Any] | None]:
    """Without the keys that a row has no value for: Arrow cannot tell these from null."""
    names = [field.name for field in array.type]
    if len(set(names)) < len(names):
        raise ValueError(f"a group of columns has two of one name: {', '.join(names)}")
    found: list[dict[str, Any] | None]
    found = [{} if is_valid else None for is_valid in array.is_valid().to_pylist()]
    for name, child in zip(names, array.flatten(), strict=True):
        try:
            values = _of_arrow(child)
        except NotStorable as error:
            raise NotStorable(error.row, f".{name}{error.path}", error.problem) from None
        for row, value in zip(found, values, strict=True):
            if row is not None and value is not None:
                row[name] = value
    return found


def as_lists(array: Any) -> Any:
    """A column of lists of any kind as one of large lists."""
    import pyarrow as pa  # noqa: PLC0415

    kind = array.type
    if not (pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind)):
        return array.cast(pa.large_list(kind.value_type))
    # Arrow's own cast loses rows behind a null.
    empty = ~np.array(array.is_valid(), bool)
    sizes = np.where(empty, 0, np.array(array.sizes, np.int64))
    begins = np.array(array.offsets, np.int64)
    places = [np.arange(begin, begin + size) for begin, size in zip(begins, sizes, strict=True)]
    values = array.values.take(pa.array(np.concatenate([[], *places]).astype(np.int64)))
    ends = pa.array(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))
    return pa.LargeListArray.from_arrays(ends, values, mask=pa.array(empty))


def _mappings(array: Any) -> list[dict[Any, Any] | None]:
    begins = array.offsets.to_pylist()
    begin, end = (begins[0], begins[-1]) if begins else (0, 0)
    try:
        keys, values = (
            _of_arrow(child.slice(begin, end - begin)) for child in (array.keys, array.items)
        )
    except NotStorable as error:
        row = bisect_right(begins, error.row + begin) - 1
        raise NotStorable(row, error.path, error.problem) from None
    parts = _parts(array, list(zip(keys, values, strict=True)), begin)
    return [_mapping(part, row) for row, part in enumerate(parts)]


def _lists(array: Any) -> list[list[Any] | None]:
    begins = array.offsets.to_pylist()
    begin = begins[0] if begins else 0
    try:
        values = _of_arrow(array.values.slice(begin, (begins[-1] if begins else 0) - begin))
    except NotStorable as error:
        at = error.row + begin
        row = bisect_right(begins, at) - 1
        path = f"[{at - begins[row]}]{error.path}"
        raise NotStorable(row, path, error.problem) from None
    return _parts(array, values, begin)


def _parts(array: Any, values: list[Any], begin: int = 0) -> list[list[Any] | None]:
    """Of a column of lists what each row has of their elements."""
    begins = [at - begin for at in array.offsets.to_pylist()]
    valid = array.is_valid().to_pylist()
    return [
        values[begins[row] : begins[row + 1]] if valid[row] else None for row in range(len(array))
    ]


def _mapping(items: Iterable[tuple[Any, Any]] | None, row: int) -> dict[Any, Any] | None:
    if items is None:
        return None
    pairs = list(items)
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotStorable(row, "", "has a key twice")
    return found
