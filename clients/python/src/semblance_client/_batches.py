"""Requests of bounded size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sized
from typing import TypeVar

Part = TypeVar("Part", bound=Sized)


def batches(parts: Iterable[Part], most: int, most_bytes: int) -> Iterator[list[Part]]:
    """The parts in lists, each of at most so many, and so long together, unless one alone is longer."""
    batch: list[Part] = []
    size = 0
    for part in parts:
        if batch and (len(batch) == most or size + len(part) > most_bytes):
            yield batch
            batch, size = [], 0
        batch.append(part)
        size += len(part) + 1
    if batch:
        yield batch
