"""Vectors: as arrays, and as they travel."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._convert import NotStorable, as_lists, is_arrow

Vectors = NDArray[np.float32]


def encode(vector: Vectors) -> str:
    """Base64 of the elements as little-endian float32."""
    return base64.b64encode(vector.astype("<f4", copy=False).tobytes()).decode("ascii")


def decode(texts: Sequence[str]) -> Vectors:
    """The inverse of `encode`: an array of shape (len(texts), dimensions)."""
    data = b"".join(base64.b64decode(text, validate=True) for text in texts)
    found = np.frombuffer(data, dtype="<f4").astype(np.float32, copy=True)
    return found.reshape(len(texts), -1) if texts else found.reshape(0, 0)


def as_matrix(vectors: Any, dimensions: int | None = None) -> Vectors:
    """Vectors as an array of shape (n, dimensions), checked.

    Takes arrays of any float or integer type, lists of lists, a Series of arrays, and tensors in the memory of
    the CPU.

    Raises ValueError that names row and column of what is not finite as float32, and rows of other lengths.
    """
    if isinstance(vectors, np.ma.MaskedArray) and np.ma.is_masked(vectors):
        raise ValueError("vectors have masked elements")
    if hasattr(vectors, "columns"):
        vectors = vectors.to_numpy()
    if is_arrow(vectors):
        vectors = _of_arrow(vectors)
    if hasattr(getattr(vectors, "dtype", None), "pyarrow_dtype"):
        vectors = _of_arrow(vectors.array.__arrow_array__())
    if type(vectors).__module__.startswith("pandas") or _is_of_objects(vectors):
        vectors = list(vectors)
    if isinstance(vectors, list | tuple):
        _check_lengths(vectors)
    given = np.asarray(vectors)
    if given.ndim == 1 and given.size == 0:
        given = given.reshape(0, dimensions or 0)
    if given.ndim != 2 or given.dtype.kind not in "fiu":
        raise ValueError(
            f"vectors must be numbers in an array of shape (n, dimensions), not {given.dtype} of shape {given.shape}"
        )
    if dimensions is not None and len(given) > 0 and given.shape[1] != dimensions:
        problem = f"has {given.shape[1]} dimensions, not {dimensions} as the project"
        raise NotStorable(0, "", problem, "vectors")
    with np.errstate(over="ignore"):
        matrix = np.ascontiguousarray(given, dtype=np.float32)
    finite = np.isfinite(matrix)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        problem = f"is {given[row, column]}, not a finite float32"
        raise NotStorable(int(row), f"[{column}]", problem, "vectors")
    empty = ~matrix.any(axis=1)
    if empty.any():
        problem = "is zero: it has no direction, so none is similar"
        raise NotStorable(int(empty.argmax()), "", problem, "vectors")
    return matrix


def _is_of_objects(vectors: Any) -> bool:
    return isinstance(vectors, np.ndarray) and vectors.dtype.kind == "O"


def _check_lengths(vectors: Sequence[Any]) -> None:
    if len(vectors) == 0:
        return
    for row, vector in enumerate(vectors):
        if not hasattr(vector, "__len__"):
            raise NotStorable(row, "", f"is {vector!r}, not a vector", "vectors")
        if len(vector) != len(vectors[0]):
            problem = f"has {len(vector)} dimensions, not {len(vectors[0])} as the first"
            raise NotStorable(row, "", problem, "vectors")
        if isinstance(vector, list | tuple):
            for column, element in enumerate(vector):
                if isinstance(element, bool) or not isinstance(element, int | float | np.number):
                    raise NotStorable(
                        row, f"[{column}]", f"is {element!r}, not a number", "vectors"
                    )


def _of_arrow(array: Any) -> Any:
    """A column of lists as an array, if they are of one length; row by row if not."""
    import pyarrow as pa  # noqa: PLC0415

    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if isinstance(array.type, pa.BaseExtensionType):
        array = array.storage
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if not hasattr(array.type, "value_type"):
        raise ValueError(f"vectors must be lists of numbers, not of the type {array.type}")
    rows = as_lists(array)
    lengths = np.diff(rows.offsets.to_numpy())
    if len(rows) == 0 or rows.null_count or rows.flatten().null_count or len(set(lengths)) > 1:
        return rows.to_pylist()
    if pa.types.is_floating(rows.type.value_type) or pa.types.is_integer(rows.type.value_type):
        return rows.flatten().to_numpy(zero_copy_only=False).reshape(len(rows), -1)
    return rows.to_pylist()
