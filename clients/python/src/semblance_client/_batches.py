"""Requests of bounded size."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Sized
from typing import Generic, TypeVar

Part = TypeVar("Part", bound=Sized)


class _Batch(Generic[Part]):
    """The list that is being filled."""

    def __init__(self, most: int, most_bytes: int) -> None:
        self._most, self._most_bytes = most, most_bytes
        self.parts: list[Part] = []
        self._size = 0

    def add(self, part: Part) -> list[Part]:
        """Takes one more, and gives those before it when they are enough."""
        full: list[Part] = []
        if self.parts and (
            len(self.parts) == self._most or self._size + len(part) > self._most_bytes
        ):
            full, self.parts, self._size = self.parts, [], 0
        self.parts.append(part)
        self._size += len(part) + 1
        return full


def batches(parts: Iterable[Part], most: int, most_bytes: int) -> Iterator[list[Part]]:
    """The parts in lists, each of at most so many, and so long together, unless one alone is longer."""
    batch = _Batch[Part](most, most_bytes)
    for part in parts:
        if full := batch.add(part):
            yield full
    if batch.parts:
        yield batch.parts


async def batches_of(
    parts: AsyncIterable[Part], most: int, most_bytes: int
) -> AsyncIterator[list[Part]]:
    """The same of what comes one after the other."""
    batch = _Batch[Part](most, most_bytes)
    async for part in parts:
        if full := batch.add(part):
            yield full
    if batch.parts:
        yield batch.parts
