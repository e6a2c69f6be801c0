"""Tables of PostgreSQL with vectors of pgvector."""

from __future__ import annotations

import json
import re
import uuid
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._items import VECTOR_NAMES
from ._metadata import nest
from ._pgvector_types import Types
from ._sources import PAGE, Columns, Item, errors_of, merged, not_there, package
from .errors import SemblanceWarning

PARTS = ("text_id", "vector", "text", "metadata")
TEXT_NAMES = ("text", "document", "content")
TEXT_TYPES = {"text", "varchar", "bpchar", "citext"}
JSON_TYPES = {"json", "jsonb"}
VECTOR_TYPES = {"vector", "halfvec"}
NO_METADATA = VECTOR_TYPES | {"sparsevec", "_vector", "_halfvec", "_sparsevec"}
# Durations and times as they are stored, and numbers with all their digits, whatever the database is set to.
SETTINGS = {
    **{"intervalstyle": "iso_8601", "datestyle": "ISO", "timezone": "UTC"},
    "extra_float_digits": "1",
}

FIND_TABLE = """
  SELECT c.oid, n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
    AND (c.relname = %(name)s AND pg_table_is_visible(c.oid) OR n.nspname || '.' || c.relname = %(name)s)
  ORDER BY c.relname = %(name)s DESC
"""
FIND_TABLES = """
  SELECT DISTINCT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND t.typname IN ('vector', 'halfvec')
"""
FIND_COLUMNS = """
  SELECT attname, atttypid FROM pg_attribute WHERE attrelid = %s AND attnum > 0 AND NOT attisdropped ORDER BY attnum
"""
FIND_KEY = """
  SELECT a.attname FROM pg_index i
  JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY ((i.indkey::int2[])[0:i.indnkeyatts - 1])
  WHERE i.indrelid = %s AND i.indisprimary
"""


def pgvector(url: str, table: str, columns: Columns | None = None) -> Iterator[Item]:
    """The rows of a table with vectors of pgvector, for `Project.upload`; needs `./clients/python[pgvector]`.

    `url` is pgvector://USER@HOST/DATABASE, with all that a URL of PostgreSQL has. `columns` says what columns are,
    such as {"verse": "text_id", "body": "text"}; else the text_id is the column `text_id`, the primary key or `id`,
    the vector the only one of the type vector or halfvec, the text `text`, `document` or `content`, and `metadata`
    is that, if JSON. Others become fields of the metadata, as in tables, but what `columns` names None. All rows are
    of one moment, and those without a vector are left out.
    """
    psycopg = package("psycopg", "pgvector")
    where = f"table {table!r}"
    connection, secret = _connected(psycopg, url)
    try:
        with errors_of(where, secret):
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            for setting in SETTINGS.items():
                connection.execute("SELECT set_config(%s, %s, true)", setting)
            found = connection.execute(FIND_TABLE, {"name": table}).fetchone()
            if found is None:
                tables = [name for (name,) in connection.execute(FIND_TABLES).fetchall()]
                raise not_there("table", table, tables)
            oids = dict(connection.execute(FIND_COLUMNS, [found[0]]).fetchall())
            all_types = Types(connection, found[0])
            types = {name: all_types.name_of(oid) for name, oid in oids.items()}
            keys = [name for (name,) in connection.execute(FIND_KEY, [found[0]]).fetchall()]
            parts = _parts_of(where, types, keys, columns or {})
            paths = _paths_of(types, parts, columns or {})
            sql, identifier = psycopg.sql.SQL, psycopg.sql.Identifier
            chosen = [
                # Of a vector no digit is lost.
                sql("{}::text" if types[name] in VECTOR_TYPES else "{}").format(identifier(name))
                for name in (*parts.values(), *paths)
            ]
            query = sql("SELECT {} FROM {}").format(sql(", ").join(chosen), identifier(*found[1:]))
            rows = connection.cursor("semblance_import")
            rows.execute(query)
    except BaseException:
        connection.close()
        raise
    told = ", ".join(f"{name} is the {part}" for part, name in parts.items())
    rest = ", ".join(name for name in types if name not in {*parts.values(), *paths})
    note = f"{where}: {told}; metadata: {', '.join(paths) or 'none'}; left out: {rest or 'none'}"
    only = {name: ", ".join(all_types.only_texts(oids[name])) for name in paths}
    texts = ", ".join(f"{name} ({unknown})" for name, unknown in only.items() if unknown)
    note += f"; as PostgreSQL's text: {texts}" if texts else ""
    warnings.warn(note, SemblanceWarning, stacklevel=2)
    return _Rows(where, parts, paths).read(connection, rows, secret)


def _connected(psycopg: Any, url: str) -> tuple[Any, str | None]:
    """A connection, and its password. No message has a part of the URL: of a bad one, any may be the password."""
    _, _, rest = url.partition("://")
    after_host = re.split(r"[/?#]", rest, maxsplit=1)[1:]
    problem = (
        "the URL of the database is pgvector://USER:PASSWORD@HOST/DATABASE; in user and password, characters"
        " other than letters and digits are percent-encoded"
    )
    if rest.count("@") > 1 or "@" in "".join(after_host):
        raise ValueError(problem)
    try:
        given = psycopg.conninfo.conninfo_to_dict(f"postgresql://{rest}")
    except psycopg.Error:
        raise ValueError(problem) from None
    secret = given.get("password")
    with errors_of("the database", secret):
        return psycopg.connect(f"postgresql://{rest}", client_encoding="utf8"), secret


def _parts_of(
    where: str, types: Mapping[str, str], keys: list[str], columns: Columns
) -> dict[str, str]:
    """The column of each part of an embedding."""
    for name in columns:
        if name not in types:
            raise ValueError(f"{where}: {not_there('column', name, list(types))}")
    free = {name: kind for name, kind in types.items() if name not in columns}
    vectors = [name for name, kind in free.items() if kind in VECTOR_TYPES]
    usual = {
        "text_id": ["text_id", *(keys if len(keys) == 1 else ()), "id"],
        "vector": vectors if len(vectors) == 1 else VECTOR_NAMES,
        "text": [name for name in TEXT_NAMES if free.get(name) in TEXT_TYPES],
        "metadata": ["metadata"] if free.get("metadata") in JSON_TYPES else [],
    }
    found: dict[str, str] = {}
    for part, names in usual.items():
        chosen = [name for name, target in columns.items() if target == part]
        if len(chosen) > 1:
            raise ValueError(f"{where}: columns says of {chosen} that each is the {part}")
        if there := [*chosen, *filter(free.get, names)]:
            found[part] = there[0]
    for part in ("text_id", "vector"):
        if part not in found:
            hint = f"say by columns which it is of {', '.join(types)}: NAME={part}"
            raise ValueError(f"{where}: it is not clear which column is the {part}; {hint}")
    if (kind := types[found["vector"]]) not in VECTOR_TYPES:
        problem = f"{found['vector']!r} is of the type {kind}, not vector or halfvec"
        raise ValueError(f"{where}: {problem}")
    return found


def _paths_of(
    types: Mapping[str, str], parts: Mapping[str, str], columns: Columns
) -> dict[str, str]:
    """The columns that become metadata, with their paths there. A second vector is none."""
    paths = {name: columns.get(name, name) for name in types if name not in parts.values()}
    return {
        name: path
        for name, path in paths.items()
        if path is not None and types[name] not in NO_METADATA
    }


@dataclass(frozen=True)
class _Rows:
    """How rows become items."""

    where: str
    parts: Mapping[str, str]
    paths: Mapping[str, str]

    def read(self, connection: Any, rows: Any, secret: str | None) -> Iterator[Item]:
        """The items of those that have a vector."""
        without = 0
        try:
            while True:
                with errors_of(self.where, secret):
                    page = rows.fetchmany(PAGE)
                if not page:
                    break
                for row in page:
                    item = self._item(row)
                    without += item is None
                    if item is not None:
                        yield item
        finally:
            connection.close()
            rows.close()
        if without:
            problem = f"{without:,} of {self.where} have no vector, and are left out"
            warnings.warn(problem, SemblanceWarning, stacklevel=2)

    def _item(self, row: Sequence[Any]) -> Item | None:
        own = dict(zip(self.parts, row, strict=False))
        if own["vector"] is None:
            return None
        text_id = own["text_id"]
        try:
            fields = nest(zip(self.paths.values(), row[len(own) :], strict=True))
        except ValueError as error:
            raise ValueError(f"{self.where}, id {text_id}: {error}") from None
        return {
            "text_id": str(text_id) if isinstance(text_id, uuid.UUID) else text_id,
            # A vector is written with as many digits as tell it from all others.
            "vector": np.array(json.loads(own["vector"]), np.float32),
            "text": own.get("text"),
            "metadata": merged(self.where, text_id, fields, own.get("metadata")),
        }
