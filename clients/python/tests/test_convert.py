"""What researchers have, and what becomes of it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import User
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from semblance_client import Client, Project, Uploaded
from semblance_client._convert import NotStorable, plain, values_of
from semblance_client._files import read_items
from semblance_client._items import collect
from semblance_client._metadata import nest


class Colour(str, Enum):
    RED = "red"


TIME = datetime(2026, 1, 2, 13, 45, 0, 120000)
BERLIN = timezone(timedelta(hours=1))

PLAIN: list[tuple[Any, Any]] = [
    (True, True),
    (np.bool_(False), False),
    (np.int8(-3), -3),
    (np.uint64(2**53), 2**53),
    (np.float16(0.5), 0.5),
    (np.float32(0.1), float(np.float32(0.1))),
    (2.5, 2.5),
    (np.str_("x"), "x"),
    (Colour.RED, "red"),
    (Decimal("3.10"), "3.10"),
    (Decimal("1E+3"), "1000"),
    (Decimal("0E-10"), "0.0000000000"),
    (date(2026, 1, 2), "2026-01-02"),
    (TIME, "2026-01-02T13:45:00.12"),
    (TIME.replace(tzinfo=BERLIN), "2026-01-02T12:45:00.12Z"),
    (time(13, 45), "13:45:00"),
    (time(13, 45, 0, 5), "13:45:00.000005"),
    (timedelta(days=1, milliseconds=1500), "PT86401.5S"),
    (timedelta(microseconds=-1), "-PT0.000001S"),
    (pd.Timestamp("2026-01-02T03:04:05.123456789"), "2026-01-02T03:04:05.123456789"),
    (pd.Timestamp("2026-01-02", tz="Europe/Berlin"), "2026-01-01T23:00:00Z"),
    (pd.Timedelta(1, "ns"), "PT0.000000001S"),
    (np.datetime64("2026-01-02"), "2026-01-02"),
    (np.datetime64("2026-01-02T03:04"), "2026-01-02T03:04:00"),
    (np.datetime64("2026-01-02T03:04:05.000000001"), "2026-01-02T03:04:05.000000001"),
    (np.array("2026-01-02", "M8[D]"), "2026-01-02"),
    (np.timedelta64(90, "m"), "PT5400S"),
    (np.array([1, 2], "m8[s]"), ["PT1S", "PT2S"]),
    (np.array([[1.5, 2]]), [[1.5, 2.0]]),
    (np.array([True]), [True]),
    (np.array(["a"]), ["a"]),
    (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    ({"a": (None, {"b": []})}, {"a": [None, {"b": []}]}),
]


@pytest.mark.parametrize(("value", "expected"), PLAIN, ids=[repr(value) for value, _ in PLAIN])
def test_has_one_form_for_each_value(value: Any, expected: Any) -> None:
    found = plain(value, 0, "", "metadata")
    assert (found, type(found)) == (expected, type(expected))
    assert json.loads(json.dumps(found)) == expected


REFUSED = [
    float("nan"),
    float("inf"),
    np.float32("nan"),
    Decimal("NaN"),
    2**53 + 1,
    np.int64(2**53 + 1),
    b"bytes",
    bytearray(b"x"),
    {1, 2},
    1 + 2j,
    np.complex64(1),
    pd.NA,
    pd.NaT,
    np.datetime64("NaT"),
    np.timedelta64("NaT"),
    np.timedelta64(3, "M"),
    np.array([b"x"]),
    np.array([(1, 2)], dtype=[("a", "i4"), ("b", "i4")]),
    np.ma.masked_equal([1, 2], 2),
    np.array(["NaT"], "M8[ns]"),
    pd.Period("2026Q1"),
    pd.Interval(0, 1),
    time(1, tzinfo=BERLIN),
    datetime.min.replace(tzinfo=BERLIN),
    "\ud800",
    "a\0",
    {"\ud800": 1},
    {1: 2},
    object(),
    Path(),
]


@pytest.mark.parametrize("value", REFUSED, ids=[ascii(value) for value in REFUSED])
def test_refuses_what_json_does_not_have(value: Any) -> None:
    with pytest.raises(NotStorable, match=r"metadata\[7\]\.x\[1\]"):
        plain([0, value], 7, ".x", "metadata")


def zoned(unit: str) -> pa.DataType:
    return pa.timestamp(unit, "Europe/Berlin")


ARROW: list[tuple[pa.DataType, list[Any], list[Any]]] = [
    (pa.null(), [None], [None]),
    (pa.bool_(), [True, None], [True, None]),
    (pa.int8(), [-1, None], [-1, None]),
    (pa.uint64(), [2**53, None], [2**53, None]),
    (pa.float16(), [np.float16(0.5), None], [0.5, None]),
    (pa.float32(), [0.5, None], [0.5, None]),
    (pa.float64(), [0.1], [0.1]),
    *[
        (kind, ["é", None], ["é", None])
        for kind in (pa.string(), pa.large_string(), pa.string_view())
    ],
    (pa.decimal128(5, 2), [Decimal("3.10"), None], ["3.10", None]),
    (pa.decimal256(40, -2), [Decimal("1200"), None], ["1200", None]),
    (pa.date32(), [date(2026, 1, 2), None], ["2026-01-02", None]),
    (pa.date64(), [date(2026, 1, 2), None], ["2026-01-02", None]),
    (pa.time32("s"), [time(13, 45), None], ["13:45:00", None]),
    (pa.time64("ns"), [1, None], ["00:00:00.000000001", None]),
    (pa.timestamp("s"), [0, None], ["1970-01-01T00:00:00", None]),
    (pa.timestamp("us"), [-1, None], ["1969-12-31T23:59:59.999999", None]),
    (zoned("ns"), [1, None], ["1970-01-01T00:00:00.000000001Z", None]),
    (pa.duration("us"), [-1500000, None], ["-PT1.5S", None]),
    (pa.list_(pa.int32()), [[1, None], None, []], [[1, None], None, []]),
    (pa.large_list(pa.date32()), [[date(2026, 1, 2)], None], [["2026-01-02"], None]),
    (pa.list_(pa.int8(), 2), [[1, 2], None, [3, 4]], [[1, 2], None, [3, 4]]),
    (pa.list_view(pa.int8()), [[1], None, [2, 3]], [[1], None, [2, 3]]),
    (pa.large_list_view(pa.string()), [["x"], None, ["y", None]], [["x"], None, ["y", None]]),
    (
        pa.struct({"a": pa.int8(), "t": pa.time64("ns")}),
        [{"a": 1, "t": 1}, {"a": None, "t": None}, None],
        [{"a": 1, "t": "00:00:00.000000001"}, {}, None],
    ),
    (
        pa.map_(pa.string(), pa.decimal128(3, 1)),
        [[("a", Decimal("1.0"))], [("b", None)], None, []],
        [{"a": "1.0"}, {"b": None}, None, {}],
    ),
    (
        pa.list_(pa.struct({"m": pa.map_(pa.string(), pa.list_(pa.date32()))})),
        [[{"m": [("k", [date(2026, 1, 2), None])]}, None], [{"m": None}]],
        [[{"m": {"k": ["2026-01-02", None]}}, None], [{}]],
    ),
    (pa.dictionary(pa.int8(), pa.string()), ["x", None, "x"], ["x", None, "x"]),
    (pa.list_(pa.dictionary(pa.int8(), pa.string())), [["x", "y"], None], [["x", "y"], None]),
]


@pytest.mark.parametrize(("kind", "values", "expected"), ARROW, ids=[str(row[0]) for row in ARROW])
def test_every_type_of_arrow(kind: pa.DataType, values: list[Any], expected: list[Any]) -> None:
    array = pa.array(values, kind)
    assert values_of(array) == expected
    # As what files have: several chunks, and parts of longer columns.
    longer = pa.chunked_array([pa.concat_arrays([array, array]), array])
    assert values_of(longer.slice(1)) == (expected * 3)[1:]
    assert values_of(pd.Series(array, dtype=pd.ArrowDtype(kind))) == expected


def test_types_of_arrow_that_extend_others() -> None:
    ids = pa.array([uuid.UUID(int=1).bytes, None], pa.uuid())
    assert values_of(ids) == ["00000000-0000-0000-0000-000000000001", None]
    assert values_of(pa.array(['{"a": [null]}', None], pa.json_())) == [{"a": [None]}, None]
    assert values_of(pa.RunEndEncodedArray.from_arrays([2, 3], ["x", "y"])) == ["x", "x", "y"]


invalid = pa.Array.from_buffers(pa.string(), 2, pa.array([b"ok", b"caf\xe9"]).buffers())
WRONG_ARROW: list[tuple[pa.Array, str]] = [
    (invalid, r"x is no UTF-8"),
    (pa.ListArray.from_arrays([0, 0, 2], invalid), r"x\[1\] is no UTF-8"),
    (pa.StructArray.from_arrays([invalid], ["y"]), r"x\.y is no UTF-8"),
    (pa.array([1.0, float("nan")]), "x is nan"),
    (pa.array([[1.0], [0.5, float("inf")]]), r"x\[1\] is inf"),
    (pa.array([{"y": 1.0}, {"y": float("nan")}]), r"x\.y is nan"),
    (pa.array([1, 2**53 + 1]), "x is 9007199254740993, which the server would round"),
    (pa.array([None, b"x"]), "x is of the type binary"),
    (pa.array([None, b"x"], pa.binary(1)), r"x is of the type fixed_size_binary"),
    (pa.array([[], [b"x"]]), r"x\[0\] is of the type binary"),
    (pa.array([None, (1, 2, 3)], pa.month_day_nano_interval()), "x is of the type month_day_nano"),
    (
        pa.array([[], [(1, 2)]], pa.map_(pa.int8(), pa.int8())),
        "x has the key 1, which is not a str",
    ),
    (pa.array([[], [("a", 2), ("a", 3)]], pa.map_(pa.string(), pa.int8())), "x has a key twice"),
]


@pytest.mark.parametrize(("array", "problem"), WRONG_ARROW, ids=[row[1] for row in WRONG_ARROW])
def test_refuses_cells_with_file_row_and_column(
    tmp_path: Path, array: pa.Array, problem: str
) -> None:
    table = pa.table({"id": ["a", "b"], "vector": [[1.0, 2], [3, 4]], "x": array})
    with pytest.raises(NotStorable, match=rf"metadata\[1\]\.{problem}"):
        collect(table, None, None, None, {}, None)
    if not pa.types.is_interval(array.type):
        pq.write_table(table, tmp_path / "a.parquet")
        with pytest.raises(ValueError, match=rf"a\.parquet, row 2: metadata\.{problem}"):
            list(read_items(tmp_path / "a.parquet", None, {}, None))


def test_refuses_ids_and_texts_that_would_change() -> None:
    vectors = [[1.0, 2], [3, 4]]
    for name, what in (("id", "ids"), ("text", "texts")):
        columns = {"id": ["a", "b"], "vector": vectors} | {name: invalid}
        with pytest.raises(NotStorable, match=rf"{what}\[1\] is no UTF-8"):
            collect(pa.table(columns), None, None, None, {}, None)
    for odd in ([None, [1.0, 2]], [[1.0, 2], [1.0]], [[1.0, None], [1.0, 2]], ["x", "y"]):
        with pytest.raises((TypeError, ValueError), match="vector"):
            collect(pa.table({"id": ["a", "b"], "vector": odd}), None, None, None, {}, None)


def test_cells_of_pandas() -> None:
    frame = pd.DataFrame(
        {
            "id": ["a", "b"],
            "vector": [np.array([1, 2]), np.array([3, 4])],
            "when": pd.to_datetime(["2026-01-02T03:04:05.000000001", None]),
            "zoned": pd.to_datetime(["2026-01-02", None]).tz_localize("Europe/Berlin"),
            "lasts": pd.to_timedelta(["1ns", None]),
            "kind": pd.Categorical(["x", None]),
            "whole": pd.array([2**53, None], dtype="Int64"),
            "flag": pd.array([True, None], dtype="boolean"),
            "word": pd.array(["x", None], dtype="string"),
            "cost": [Decimal("3.10"), None],
            "real": [0.5, None],
            "some": [[1, None], np.nan],
        }
    )
    found = collect(frame, None, None, None, {}, None)
    assert found.metadata == [
        {
            "when": "2026-01-02T03:04:05.000000001",
            "zoned": "2026-01-01T23:00:00Z",
            "lasts": "PT0.000000001S",
            "kind": "x",
            "whole": 2**53,
            "flag": True,
            "word": "x",
            "cost": "3.10",
            "real": 0.5,
            "some": [1, None],
        },
        None,
    ]
    same = collect(pa.Table.from_pandas(frame), None, None, None, {}, None)
    assert (same.metadata, same.ids) == (found.metadata, found.ids)
    for wrong in (pd.period_range("2026", periods=2), pd.arrays.SparseArray([1 + 1j, 2])):
        with pytest.raises(ValueError, match=r"metadata\[0\]\.when is"):
            collect(frame.assign(when=wrong), None, None, None, {}, None)


def test_only_those_that_have_a_key_are_found_by_it(project: Project, tmp_path: Path) -> None:
    metadata = [{"a": 1}, {"b": {"c": None}}, {"b": {"c": 2}}]
    table = pa.table({"id": ["1", "2", "3"], "vector": [[1.0, 2, 3]] * 3, "metadata": metadata})
    pq.write_table(table, tmp_path / "a.parquet")
    project.upload(tmp_path / "a.parquet")
    assert project.get().metadata == [{"a": 1}, {"b": {}}, {"b": {"c": 2}}]
    assert project.count({"a": {"$exists": True}}) == 1
    assert project.count({"b.c": {"$exists": True}}) == 1


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
NUMBER = st.one_of(
    st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False, width=64)
)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBER, TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)),
    max_leaves=8,
)
ELEMENT = st.floats(-1024, 1024, width=32).filter(lambda value: value == 0 or abs(value) > 1e-6)
VECTOR = st.lists(ELEMENT, min_size=2, max_size=2).filter(any)
ROW = st.tuples(VECTOR, st.none() | TEXT, st.none() | st.dictionaries(TEXT, JSON, max_size=4))
TABLE = st.dictionaries(TEXT.filter(bool), ROW, min_size=1, max_size=30)


@settings(
    max_examples=5,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
    derandomize=True,
)
@given(table=TABLE)
def test_what_was_accepted_reads_back_equal(
    client: Client, user: User, tmp_path_factory: pytest.TempPathFactory, table: dict[str, Any]
) -> None:
    folder = tmp_path_factory.mktemp("tables")
    ids = list(table)
    vectors = np.array([row[0] for row in table.values()], np.float32)
    texts, metadata = [row[1] for row in table.values()], [row[2] for row in table.values()]
    project = client.project("first", dimensions=2, model="m")
    project.upload(ids, vectors, texts, metadata)
    try:
        found = project.get()
        order = sorted(range(len(ids)), key=lambda at: ids[at].encode())
        assert found.ids == [ids[at] for at in order]
        assert found.texts == [texts[at] for at in order]
        assert np.array_equal(found.vectors, vectors[order])
        assert _doubles(found.metadata) == _doubles([metadata[at] for at in order])
        first = project.export(folder / "first.semblance").read_bytes()
        lines = _without_times(first)
        for name in ("a.ndjson", "a.parquet"):
            copy = client.project("copy", dimensions=2, model="m")
            assert copy.upload(project.export(folder / name)) == Uploaded(stored=len(ids))
            assert _without_times(copy.export(folder / "copy.semblance").read_bytes()) == lines
            copy.drop()
    finally:
        project.drop()


def _doubles(value: Any) -> Any:
    """Numbers as the server has them: it may print 64434852534433050 for 6.443485253443305e+16."""
    if isinstance(value, dict):
        return {key: _doubles(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_doubles(item) for item in value]
    return float(value) if type(value) is int else value


def _without_times(file: bytes) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in file.split(b"\n")[1:-2]]
    return [{name: row[name] for name in row if name != "created_at"} for row in rows]


CELLS: dict[str, tuple[pa.DataType, Any]] = {
    "whole": (pa.int64(), st.integers(-(2**53), 2**53)),
    "real": (pa.float64(), st.floats(allow_nan=False, allow_infinity=False)),
    "word": (pa.dictionary(pa.int8(), pa.string()), TEXT),
    "when": (pa.timestamp("us"), st.datetimes()),
    "day": (pa.date32(), st.dates()),
    "clock": (pa.time64("us"), st.times()),
    "cost": (pa.decimal128(12, 2), st.decimals(-(10**9), 10**9, places=2)),
    "many": (pa.list_(pa.bool_()), st.lists(st.none() | st.booleans(), max_size=3)),
}
CELL_ROW = st.fixed_dictionaries({name: st.none() | cell for name, (_, cell) in CELLS.items()})
BACK: dict[str, Callable[[Any], Any]] = {
    "when": datetime.fromisoformat,
    "day": date.fromisoformat,
    "clock": time.fromisoformat,
    "cost": Decimal,
}


@settings(max_examples=60, deadline=None, derandomize=True)
@given(rows=st.lists(CELL_ROW, min_size=1, max_size=5))
def test_cells_of_arrow_say_what_they_were(rows: list[dict[str, Any]]) -> None:
    columns = {n: pa.array([row[n] for row in rows], kind) for n, (kind, _) in CELLS.items()}
    ids = list(range(len(rows)))
    table = pa.table({"id": ids, "vector": [[1.0]] * len(rows), **columns})
    found = collect(table, None, None, None, {}, None).metadata
    for row, metadata in zip(rows, found, strict=True):
        back = {n: BACK.get(n, lambda v: v)(_six(value)) for n, value in (metadata or {}).items()}
        assert back == {name: value for name, value in row.items() if value is not None}


def _six(value: Any) -> Any:
    """Python 3.10 reads fractions of six digits only."""
    if not isinstance(value, str) or ":" not in value or "." not in value:
        return value
    whole, _, fraction = value.partition(".")
    return f"{whole}.{fraction:0<6}" if fraction.isdigit() else value


def test_leaves_out_an_index_without_a_name() -> None:
    frame = pd.DataFrame({"id": ["a", "b"], "n": [1, 2], "vector": [[1.0, 0.0], [0.0, 1.0]]})
    found = collect(pa.Table.from_pandas(frame[frame.n > 1]), None, None, None, {}, None)
    assert found.metadata == [{"n": 2}]


def test_rows_that_share_an_object_stay_apart() -> None:
    shared = {"x": 1}
    assert nest([("m", shared), ("m.y", 2)]) == {"m": {"x": 1, "y": 2}}
    assert shared == {"x": 1}


def test_names_the_row_of_a_value_in_a_map() -> None:
    kind = pa.map_(pa.string(), pa.binary())
    array = pa.array([[("a", None), ("c", None)], [("b", None)], [("d", b"bytes")]], kind)
    assert values_of(array.slice(1, 1)) == [{"b": None}]
    for rows in (array, array.slice(1)):
        with pytest.raises(NotStorable) as refused:
            values_of(rows)
        assert refused.value.row == len(rows) - 1
