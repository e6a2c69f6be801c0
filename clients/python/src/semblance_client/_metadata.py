"""Metadata as columns of a table and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any


def flatten(metadata: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Columns: a path in dot notation, as in filters, for each value that is no object."""
    columns: dict[str, Any] = {}
    for key, value in metadata.items():
        path = prefix + escaped(key)
        if isinstance(value, dict) and value:
            columns |= flatten(value, f"{path}.")
        else:
            columns[path] = value
    return columns


def escaped(key: str) -> str:
    """The path of one key."""
    return key.replace("\\", "\\\\").replace(".", "\\.")


def nest(columns: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """The inverse of `flatten`, but that empty cells, which are None, are left out."""
    metadata: dict[str, Any] = {}
    for path, value in columns:
        if value is None:
            continue
        *parents, last = keys_of(path)
        place = metadata
        for key in parents:
            place = place.setdefault(key, {})
            if not isinstance(place, dict):
                raise ValueError(f"column {path!r} lies within another column that has a value")
        if last in place:
            raise ValueError(f"column {path!r} has a value, and so has another one within it")
        # A copy: other columns may lie within it, and rows may share one object.
        place[last] = deepcopy(value)
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
