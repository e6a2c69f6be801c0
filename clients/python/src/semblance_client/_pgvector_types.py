"""The types of a table of PostgreSQL, and what psycopg shall make of their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ._convert import Unstorable, read_json

TIMES = {
    **{"date": "DateLoader", "timestamp": "TimestampLoader", "timestamptz": "TimestamptzLoader"},
    **{"time": "TimeLoader", "timetz": "TimetzLoader"},
}
NO_TIME = "not a time within the years 1 to 9999 and the hours 0 to 23"
# The typtype of ranges, multiranges and pseudo-types.
NO_JSON = "rmp"

FIND_TYPES = """
  WITH RECURSIVE used(oid) AS (
    SELECT atttypid FROM pg_attribute WHERE attrelid = %(table)s AND attnum > 0 AND NOT attisdropped
    UNION
    SELECT part FROM used JOIN pg_type t USING (oid) CROSS JOIN LATERAL (
      SELECT typbasetype FROM pg_type WHERE oid = t.oid
      UNION ALL SELECT oid FROM pg_type WHERE typarray = t.oid
      UNION ALL SELECT atttypid FROM pg_attribute WHERE attrelid = t.typrelid AND attnum > 0 AND NOT attisdropped
    ) parts(part) WHERE part <> 0
  )
  SELECT t.oid, t.typname, t.typtype, t.typbasetype, t.typdelim, e.oid,
    ARRAY(SELECT (a.attname::text, a.atttypid::text) FROM pg_attribute a
      WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum)
  FROM used JOIN pg_type t USING (oid) LEFT JOIN pg_type e ON e.typarray = t.oid
"""


@dataclass(frozen=True)
class Type:
    """One of pg_type, with what it has within: `base` of a domain, `element` of an array, `fields` of a composite."""

    oid: int
    name: str
    kind: str
    base: int
    delimiter: str
    element: int | None
    fields: list[tuple[str, str]]


class Types:
    """Those of a table's columns, and all within them."""

    def __init__(self, connection: Any, table: int) -> None:
        rows = connection.execute(FIND_TYPES, {"table": table}).fetchall()
        self._all = {row[0]: Type(*row) for row in rows}
        self._register(connection)

    def name_of(self, oid: int) -> str:
        """The name, of a domain that of what is below it, and with "_" before it of an array of these."""
        found = self._below(oid)
        return f"_{self.name_of(found.element)}" if found.element else found.name

    def only_texts(self, oid: int) -> list[str]:
        """The types of this one, or within it, whose values are read as the text that PostgreSQL has for them."""
        return sorted({name for name in self._leaves(oid, set()) if name in self._unknown})

    def _below(self, oid: int) -> Type:
        found = self._all[oid]
        return self._below(found.base) if found.base else found

    def _leaves(self, oid: int, seen: set[int]) -> Iterator[str]:
        found = self._below(oid)
        parts = [found.element] if found.element else [int(kind) for _, kind in found.fields]
        for part in parts if found.oid not in seen else []:
            yield from self._leaves(part, {*seen, found.oid})
        if not parts:
            yield found.name

    def _register(self, connection: Any) -> None:
        """On the connection alone. An array, a composite or a domain finds the loaders of its parts by their oids."""
        from psycopg.pq import Format  # noqa: PLC0415
        from psycopg.types import TypeInfo, array, composite, datetime, hstore, json  # noqa: PLC0415

        adapters = connection.adapters
        self._unknown = {
            each.name
            for each in self._all.values()
            if each.kind == "b"
            and not each.element
            and not adapters.get_loader(each.oid, Format.TEXT)
        } - {"citext", "hstore"}
        json.set_json_loads(_json, connection)
        adapters.register_loader("interval", _reading(_duration))
        for name, loader in TIMES.items():
            adapters.register_loader(name, _strict(getattr(datetime, loader)))
        for each in self._all.values():
            if each.element:
                of = self._all[each.element]
                info = TypeInfo(of.name, of.oid, each.oid, delimiter=of.delimiter)
                array.register_array(info, connection)
            elif each.kind == "c":
                names = [name for name, _ in each.fields]
                kinds = [int(kind) for _, kind in each.fields]
                made_of = composite.CompositeInfo(
                    each.name, each.oid, 0, field_names=names, field_types=kinds
                )
                composite.register_composite(made_of, connection, _making(names))
            elif each.name == "hstore" and each.kind == "b":
                hstore.register_hstore(TypeInfo(each.name, each.oid, 0), connection)
            elif each.kind in NO_JSON:
                adapters.register_loader(each.oid, _reading(_no_json))
        for each in self._all.values():
            if each.base and (below := adapters.get_loader(self._below(each.oid).oid, Format.TEXT)):
                adapters.register_loader(each.oid, below)


def _json(data: str | bytes) -> Any:
    try:
        return read_json(data)
    except ValueError as error:
        return Unstorable(f"is JSON that cannot be read: {error}")


def _duration(text: str) -> str | Unstorable:
    # In ISO 8601, since months are no number of seconds.
    return text if text.startswith("P") else Unstorable(f"is {text}, not a duration")


def _no_json(text: str) -> Unstorable:
    return Unstorable(f"is {text}, which JSON does not have")


def _making(names: list[str]) -> Callable[..., dict[str, Any]]:
    """As of groups of columns, without the keys that have no value."""

    def make(*values: Any) -> dict[str, Any]:
        named = zip(names, values, strict=True)
        return {name: value for name, value in named if value is not None}

    return make


def _reading(read: Callable[[str], Any]) -> Any:
    from psycopg.adapt import Loader  # noqa: PLC0415

    class Reading(Loader):
        def load(self, data: Any) -> Any:
            return read(bytes(data).decode())

    return Reading


def _strict(loader: Any) -> Any:
    from psycopg import DataError  # noqa: PLC0415

    class Strict(loader):  # type: ignore[misc]
        def load(self, data: Any) -> Any:
            try:
                return super().load(data)
            except DataError:
                return Unstorable(f"is {bytes(data).decode()}, {NO_TIME}")

    return Strict
