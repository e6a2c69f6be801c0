"""Which database the source of an import is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from . import sources
from ._sources import Columns, Item

DATABASES: dict[str, Callable[[str, str, Columns], Iterator[Item]]] = {
    "chroma": sources.chroma,
    "qdrant": sources.qdrant,
    "pgvector": sources.pgvector,
}
OTHER_NAMES = {"postgres": "pgvector", "postgresql": "pgvector"}


def database_of(source: str) -> str | None:
    """Its name, if the source is a URL; None for a file. ValueError, without its password, for another URL."""
    url = re.match(r"\s*([A-Za-z][\w.-]*)(?:\+[\w-]+)?://", source)
    if url is None:
        return None
    name = OTHER_NAMES.get(url[1], url[1])
    if name in DATABASES:
        return name
    raise ValueError(f"{url[1]}:// is no source; databases are {', '.join(DATABASES)}")


def read_database(source: str, collection: str, columns: Columns) -> Iterator[Item]:
    """Its items."""
    name = database_of(source) or ""
    try:
        return DATABASES[name](source, collection, columns)
    except ImportError as error:
        # It says what to install, and not what the command lacks.
        raise ValueError(str(error)) from error
