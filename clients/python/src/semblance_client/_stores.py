"""What the vector stores of frameworks have in common: how each reads and writes a project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import nan
from typing import Any

from ._convert import NotStorable
from .errors import install
from .project import Filter, Part, Project
from .results import Hit

SHOWN: tuple[Part, ...] = ("text", "metadata")


def missing(extra: str) -> ImportError:
    """What to say where the framework is not installed."""
    return ImportError(f"this needs more: {install(extra)}")


def needed(project: Project) -> Project:
    """The same; a TypeError for what has no methods to call in threads."""
    if not isinstance(project, Project):
        raise TypeError(f"project is {type(project).__name__}, not a project of Client")
    return project


def put(
    project: Project,
    ids: Sequence[str],
    vectors: Sequence[Sequence[float]],
    texts: Sequence[str],
    metadata: Sequence[Mapping[str, Any]],
) -> None:
    """Stores documents, and replaces those that have these ids. Of equal ids the last one counts.

    Raises ValueError, before anything is sent, that names the first document that cannot be stored.
    """
    # The server refuses a batch that has an id twice.
    rows = list({text_id: row for row, text_id in enumerate(ids)}.values())
    try:
        project.upload(
            [ids[row] for row in rows],
            [vectors[row] for row in rows],
            [texts[row] for row in rows],
            [metadata[row] for row in rows],
            on_conflict="replace",
            progress=False,
        )
    except NotStorable as error:
        row = rows[error.row]
        problem = f"of the document {ids[row]!r} {error.problem}"
        raise NotStorable(row, error.path, problem, error.what) from None


def nearest(project: Project, vector: Any, k: int, **options: Any) -> list[Hit]:
    """At most `k` hits with text and metadata; `options` are those of `Project.search`."""
    return list(project.search(vector, k=k, include=SHOWN, **options)) if k > 0 else []


def fetch(
    project: Project, ids: Sequence[str] | None = None, condition: Filter | None = None
) -> list[Hit]:
    """What has these ids, in their order, or satisfies a filter, as hits; what is not there is left out."""
    found = project.get(ids, filter=condition, include=SHOWN, progress=False)
    rows = zip(found.ids, found.texts, found.metadata, strict=True)
    there = {row[0]: Hit(row[0], 1, row[0], nan, row[1], row[2]) for row in rows}
    return [there[text_id] for text_id in (there if ids is None else ids) if text_id in there]
