"""Vectors: as arrays, and as they travel."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
        raise ValueError(f"the project has {dimensions} dimensions, the vectors {given.shape[1]}")
    with np.errstate(over="ignore"):
        matrix = np.ascontiguousarray(given, dtype=np.float32)
    finite = np.isfinite(matrix)
    if not finite.all():
        row, column = np.argwhere(~finite)[0]
        raise ValueError(f"vectors[{row}][{column}] is {given[row, column]}, not a finite float32")
    empty = ~matrix.any(axis=1)
    if empty.any():
        raise ValueError(
            f"vectors[{empty.argmax()}] is zero: it has no direction, so none is similar"
        )
    return matrix


def _is_of_objects(vectors: Any) -> bool:
    return isinstance(vectors, np.ndarray) and vectors.dtype.kind == "O"


def _check_lengths(vectors: Sequence[Any]) -> None:
    if len(vectors) == 0:
        return
    for row, vector in enumerate(vectors):
        if not hasattr(vector, "__len__"):
            raise ValueError(f"vectors[{row}] is {vector!r}, not a vector")
        if len(vector) != len(vectors[0]):
            raise ValueError(
                f"vectors[{row}] has {len(vector)} dimensions, vectors[0] has {len(vectors[0])}"
            )
