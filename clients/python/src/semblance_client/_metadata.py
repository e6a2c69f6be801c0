"""Metadata: of NumPy and pandas to JSON, and as columns of a table and back."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np


def plain(value: Any, where: str) -> Any:
    """The same in Python's own types, as JSON has them; times become ISO 8601.

    Raises ValueError or TypeError that says where something is that JSON does not have, such as NaN.
    """
    if isinstance(value, np.datetime64 | np.ndarray) and value.dtype.kind == "M":
        value = np.datetime_as_string(value)
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, int) and abs(value) > LARGEST and not _is_kept(value):
        raise ValueError(f"{where} is {value}, which the server would round: give it as a str")
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        raise ValueError(f"{where} is {value}, which JSON does not have")
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"{where} has the key {key!r}, which is not a str")
        return {key: plain(item, f"{where}.{key}") for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, f"{where}[{index}]") for index, item in enumerate(value)]
    if is_missing(value):
        raise ValueError(f"{where} is {value}, which JSON does not have")
    if hasattr(value, "isoformat"):
        return value.isoformat()
    raise TypeError(f"{where} is a {type(value).__name__}, which JSON does not have")


LARGEST = 2**53


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
    return type(value).__name__ in {"NAType", "NaTType"}


def flatten(metadata: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Columns: a path in dot notation, as in filters, for each value that is no object."""
    columns: dict[str, Any] = {}
    for key, value in metadata.items():
        path = prefix + key.replace("\\", "\\\\").replace(".", "\\.")
        if isinstance(value, dict) and value:
            columns |= flatten(value, f"{path}.")
        else:
            columns[path] = value
    return columns


def nest(columns: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The inverse of `flatten`, but that empty cells are left out: None, and what pandas marks as missing."""
    metadata: dict[str, Any] = {}
    for path, value in columns:
        if value is None or is_missing(value):
            continue
        *parents, last = keys_of(path)
        place = metadata
        for key in parents:
            place = place.setdefault(key, {})
            if not isinstance(place, dict):
                raise ValueError(f"column {path!r} lies within another column that has a value")
        if last in place:
            raise ValueError(f"column {path!r} has a value, and so has another one within it")
        place[last] = value
    return metadata


def keys_of(path: str) -> list[str]:
    """Of a path in dot notation; a backslash takes the next character as it is."""
    keys, escaped = [""], False
    for character in path:
        if character == "." and not escaped:
            keys.append("")
        elif character == "\\" and not escaped:
            escaped = True
            continue
        else:
            keys[-1] += character
        escaped = False
    return keys
