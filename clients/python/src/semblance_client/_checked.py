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
    only_metadata: bool = False,
) -> Iterator[Embeddings]:
    """The embeddings of these rows, of which each text_id is there once; with `embeds` vectors may be missing."""
    ids: dict[str, tuple[str, Any]] = {}
    first = 0
    for whole in parts:
        # With `tell`, halves of halves find each row that cannot be stored, however many there are.
        left = [whole]
        while left:
            part = left.pop()
            try:
                given = (part.rows, None, None, None, columns, dimensions, embeds)
                items = collect(*given, may_repeat=True, only_metadata=only_metadata)
                width = items.vectors.shape[1] if len(items) else 0
                if 0 < width != first > 0:
                    problem = f"has {width} dimensions, not {first} as the first"
                    raise NotStorable(0, "", problem, "vectors")
                ids |= _new(items.ids, ids, part)
            except NotStorable as error:
                if tell is not None and len(part.numbers) > 1:
                    middle = len(part.numbers) // 2
                    left += [_rows(part, slice(middle, None)), _rows(part, slice(middle))]
                    continue
                what = SINGULAR.get(error.what, "")
                where = f"{part.place}, {part.unit} {part.numbers[error.row]}"
                problem = f"{where}: {what}{error.path} {error.problem}".replace(":  ", ": ")
                if tell is None:
                    raise ValueError(problem) from error
                tell(problem)
                continue
            except (TypeError, ValueError) as error:
                raise ValueError(f"{part.place}: {error}") from error
            first = first or width
            if len(items) > 0:
                yield items


def _new(
    found: Sequence[str], ids: Mapping[str, tuple[str, Any]], part: Part
) -> dict[str, tuple[str, Any]]:
    """Where each of these is. Raises NotStorable for one that is there already."""
    new: dict[str, tuple[str, Any]] = {}
    for row, (text_id, own) in enumerate(zip(found, part.numbers, strict=True)):
        if known := ids.get(text_id) or new.get(text_id):
            place, number = known
            elsewhere = "" if place == part.place else f" of {place}"
            # Where numbers are ids, that of the other one says nothing.
            first = "one before" if part.unit == "id" else f"{part.unit} {number}"
            raise NotStorable(row, "", f"is {text_id!r}, as that of {first}{elsewhere}", "ids")
        new[text_id] = (part.place, own)
    return new


def _rows(part: Part, some: slice) -> Part:
    rows = part.rows
    if isinstance(rows, Table):
        rows = Table(rows.column_names, [column[some] for column in rows.columns])
    else:
        rows = rows[some]
    return replace(part, rows=rows, numbers=part.numbers[some])
