"""Embeddings of files and other stores, some thousand at a time, each of which can be stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from ._convert import NotStorable
from ._items import collect
from .results import Embeddings

AT_ONCE = 2_000
# What there is of it in a file.
SINGULAR = {"ids": "text_id", "vectors": "vector", "texts": "text", "metadata": "metadata"}


@dataclass
class Table:
    """Some rows of a .csv, under the names that tables of Arrow have for it."""

    column_names: list[str]
    columns: list[Any]


@dataclass
class Part:
    """Some rows of a place, which is a file or another store; `numbers` are theirs in it, or ids."""

    rows: Any
    numbers: Sequence[Any]
    unit: str
    place: str


def check_items(
    place: str,
    items: Iterable[dict[str, Any]],
    dimensions: int | None,
    tell: Callable[[str], None] | None = None,
) -> Iterator[Embeddings]:
    """The embeddings of another store, whose items have ids; errors are as those of files."""

    def parts() -> Iterator[Part]:
        each = iter(items)
        while some := list(islice(each, AT_ONCE)):
            yield Part(some, [item["text_id"] for item in some], "id", place)

    return checked(parts(), {}, dimensions, tell)


def checked(
    parts: Iterator[Part],
    columns: Mapping[str, str | None],
    dimensions: int | None,
    tell: Callable[[str], None] | None,
    embeds: bool = False,
) -> Iterator[Embeddings]:
    """The embeddings of these rows, of which each text_id is there once; with `embeds` vectors may be missing."""
    ids: dict[str, tuple[str, Any]] = {}
    for part in parts:
        while True:
            try:
                items = collect(part.rows, None, None, None, columns, dimensions, embeds)
                for row, text_id in enumerate(items.ids):
                    if text_id in ids:
                        place, number = ids[text_id]
                        elsewhere = "" if place == part.place else f" of {place}"
                        # Where numbers are ids, that of the other one says nothing.
                        first = "one before" if part.unit == "id" else f"{part.unit} {number}"
                        problem = f"is {text_id!r}, as that of {first}{elsewhere}"
                        raise NotStorable(row, "", problem, "ids")
                break
            except NotStorable as error:
                what = SINGULAR.get(error.what, "")
                where = f"{part.place}, {part.unit} {part.numbers[error.row]}"
                problem = f"{where}: {what}{error.path} {error.problem}".replace(":  ", ": ")
                if tell is None:
                    raise ValueError(problem) from error
                tell(problem)
                part = _without(part, error.row)  # noqa: PLW2901
            except (TypeError, ValueError) as error:
                raise ValueError(f"{part.place}: {error}") from error
        numbers = zip(items.ids, part.numbers, strict=True)
        ids.update((text_id, (part.place, number)) for text_id, number in numbers)
        if len(items) > 0:
            dimensions = items.vectors.shape[1] or dimensions
            yield items


def _without(part: Part, row: int) -> Part:
    numbers = [*part.numbers[:row], *part.numbers[row + 1 :]]
    rows = part.rows
    if isinstance(rows, list):
        return replace(part, rows=[*rows[:row], *rows[row + 1 :]], numbers=numbers)
    if isinstance(rows, Table):
        columns = [[*column[:row], *column[row + 1 :]] for column in rows.columns]
        return replace(part, rows=Table(rows.column_names, columns), numbers=numbers)
    import pyarrow as pa  # noqa: PLC0415

    others = pa.concat_tables([rows.slice(0, row), rows.slice(row + 1)])
    return replace(part, rows=others, numbers=numbers)
