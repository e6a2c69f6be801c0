"""Files in and out."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from semblance_client import Client, Project, SemblanceError, SemblanceWarning, Uploaded
from semblance_client._io import BlockingIo, run
from semblance_client._parquet import write_parquet

IO = BlockingIo("http://localhost")


@pytest.mark.parametrize("name", ["colours.parquet", "colours.ndjson", "colours.jsonl"])
def test_what_is_exported_goes_back_in(
    client: Client, colours: Project, tmp_path: Path, name: str
) -> None:
    file = colours.export(tmp_path / name)
    copy = client.project("copy", dimensions=3, model="tiny")
    assert copy.upload(file) == Uploaded(stored=4)
    assert copy.upload(str(file)) == Uploaded(unchanged=4)
    one, other = colours.get(), copy.get()
    assert (one.ids, one.texts, one.metadata) == (other.ids, other.texts, other.metadata)
    assert np.array_equal(one.vectors, other.vectors)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_table_has_the_types_that_others_expect(colours: Project, tmp_path: Path) -> None:
    colours.upload(["zoë"], [[0, 1e-30, 1]], metadata=[{"n": [1, None, "ü\n😀", 5e-324, 1e21]}])
    table = pq.read_table(colours.export(tmp_path / "a.parquet"))
    assert {field.name: (str(field.type), field.nullable) for field in table.schema} == {
        "text_id": ("string", False),
        "text": ("string", True),
        "metadata": ("string", True),
        "created_at": ("timestamp[us, tz=UTC]", False),
        "vector": ("list<element: float not null>", False),
    }
    found = colours.get()
    assert table["text_id"].to_pylist() == found.ids
    assert table["text"].to_pylist() == found.texts
    assert [json.loads(value) for value in table["metadata"].to_pylist()] == found.metadata
    assert np.array_equal(np.stack(table["vector"].to_pylist()).astype(np.float32), found.vectors)
    lines = colours.export(tmp_path / "a.ndjson").read_text().splitlines()
    times = [time.isoformat(timespec="milliseconds") for time in table["created_at"].to_pylist()]
    assert times == [json.loads(line)["created_at"].replace("Z", "+00:00") for line in lines]


def test_a_table_has_the_rows_and_columns_that_are_asked_for(
    colours: Project, tmp_path: Path
) -> None:
    path = tmp_path / "a.parquet"
    colours.export(path, filter={"tone": "cold"}, include=["text"])
    table = pq.read_table(path)
    assert table.column_names == ["text_id", "text", "created_at"]
    assert table["text"].to_pylist() == ["The colour cyan", "The colour violet"]
    colours.export(path, filter={"tone": "none"})
    assert pq.read_table(path).num_rows == 0


def test_a_table_is_written_in_groups_of_bounded_size(tmp_path: Path) -> None:
    row = {"created_at": "2026-11-21T20:25:06.123Z", "vector": "AACAPwAAAAA="}
    texts = ["x" * 2**20 if at < 20 else "short" for at in range(10_030)]

    async def lines() -> AsyncIterator[bytes]:
        for at, text in enumerate(texts):
            yield json.dumps({"text_id": str(at), "text": text, **row}).encode()

    with (tmp_path / "a.parquet").open("wb") as file:
        run(write_parquet(file, lines(), ["text", "vector"], IO))
    with pq.ParquetFile(tmp_path / "a.parquet") as table:
        groups = [table.metadata.row_group(at).num_rows for at in range(table.num_row_groups)]
        assert groups == [15, 10_000, 15]
        assert table.read()["text"].to_pylist() == texts


def test_a_table_that_breaks_off_does_not_look_whole() -> None:
    async def lines() -> AsyncIterator[bytes]:
        for _ in range(10_001):
            yield b'{"text_id":"a","created_at":"2026-11-21T20:25:06.123Z"}'
        raise ConnectionError

    file = io.BytesIO()
    with pytest.raises(ConnectionError):
        run(write_parquet(file, lines(), [], IO))
    assert file.getvalue()[:4] == b"PAR1"
    with pytest.raises(pa.ArrowInvalid):
        pq.read_table(io.BytesIO(file.getvalue()))


def test_a_refused_export_leaves_no_file(colours: Project, tmp_path: Path) -> None:
    before = tmp_path / "colours.ndjson"
    before.write_text("as it was")
    with pytest.raises(SemblanceError, match="400"):
        colours.export(before, filter={"tone": {"$like": "w"}})
    with pytest.raises(ValueError, match="format must be parquet, ndjson or semblance"):
        colours.export(tmp_path / "colours.docx")
    assert [path.read_text() for path in tmp_path.iterdir()] == ["as it was"]


def test_lines_as_pipelines_write_them(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl.gz"
    rows = [
        {"_id": row, "embedding": [row, 1, 2], "sentence": f"s{row}", "source": "hub"}
        for row in (1, 2)
    ]
    with gzip.open(file, "wt") as out:
        out.write("\n\n".join(map(json.dumps, rows)) + "\n")
    names = {"_id": "text_id", "sentence": "text"}
    assert project.upload(file, columns=names).stored == 2
    assert project.get().metadata == [{"source": "hub"}] * 2
    assert project.get().texts == ["s1", "s2"]


def test_a_table_with_an_array(
    project: Project, tmp_path: Path, random_vectors: Callable[[int, int], NDArray[np.float32]]
) -> None:
    table, array = tmp_path / "t.csv", tmp_path / "v.npy"
    vectors = random_vectors(12_345, 3)
    pd.DataFrame(
        {"id": [f"0{row}" for row in range(12_345)], "text": "NA", "n": range(12_345)}
    ).to_csv(table, index=False)
    np.save(array, vectors.astype(np.float64))
    assert project.upload(table, array).stored == 12_345
    found = project.get(["012344"])
    assert np.array_equal(found.vectors, vectors[-1:])
    assert (found.texts, found.metadata) == (["NA"], [{"n": 12_344}])
    np.save(array, vectors[:-1])
    with pytest.raises(ValueError, match=r"has 12345 rows, and .* has 12344"):
        project.upload(table, array)
    np.save(array, np.concatenate([vectors, vectors[:1]]))
    with pytest.raises(ValueError, match=r"has 12345 rows, and .* has 12346"):
        project.upload(table, array)


def test_says_where_a_file_is_wrong(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "rows.ndjson"
    line = json.dumps({"text_id": "a", "vector": [1, 2, 3]})
    file.write_text(f"{line}\n{{oops\n")
    with pytest.raises(ValueError, match=r"rows.ndjson, line 2: it is no JSON: Expecting"):
        project.upload(file)
    file.write_text(f"{line}\n" + json.dumps({"text_id": "b", "vector": [1, 2]}))
    with pytest.raises(ValueError, match=r"rows.ndjson, line 2: vector has 2 dimensions"):
        project.upload(file)
    assert len(project) == 0


def test_a_csv_is_read_as_it_is_written(project: Project, tmp_path: Path) -> None:
    table, array = tmp_path / "t.csv", tmp_path / "v.npy"
    np.save(array, np.eye(3))
    rows = [
        "\ufeffverse,words,n,code,version,x,of.book,metadata",
        '001,TRUE,1,007,3.10,1e+05,Luke,"{""k"": [null, 1.5]}"',
        "002,1.0,-2,12,3.2,1.0,Mark,",
        '003,,0.5,,3.1,,"a ""b"",\nc",{}',
    ]
    table.write_bytes("\r\n".join(rows).encode())
    project.upload(table, array, columns={"verse": "text_id", "words": "text"})
    found = project.get()
    assert (found.ids, found.texts) == (["001", "002", "003"], ["TRUE", "1.0", None])
    assert found.metadata == [
        {
            "n": 1,
            "code": "007",
            "version": "3.10",
            "x": 1e5,
            "of": {"book": "Luke"},
            "k": [None, 1.5],
        },
        {"n": -2, "code": "12", "version": "3.2", "x": 1, "of": {"book": "Mark"}},
        {"n": 0.5, "version": "3.1", "of": {"book": 'a "b",\nc'}},
    ]
    table.write_text("id,n\na,1\nb,x\nc,\n")
    with pytest.warns(SemblanceWarning, match="n is stored as texts, for 'x' in line 3"):
        project.upload(table, array)
    assert project.get(["a", "b"]).metadata == [{"n": "1"}, {"n": "x"}]


WRONG_CSV = [
    (b"id,text\na,Hello, world\nb,x,y\nc,z,\n", "line 2: it has 3 cells, not 2"),
    (b"id\ncaf\xe9\nb\nc\n", "line 2: it is no UTF-8"),
    ("id\na\n".encode("utf-16"), "line 1: it is UTF-16"),
    (b'id,text\na,"b', "unexpected end of data"),
    (b'id,text\na,"b"c\n', "line 2: .* expected after"),
    (b"id,sec,sec\na,1,2\nb,1,2\nc,1,2\n", "more than one column is 'sec'"),
    (b"key,text\na,b\nb,b\nc,c\n", "none of text_id, id among key, text"),
    (b"id,a.b,a\na,1,2\nb,1,2\nc,1,2\n", "has a value, and so has"),
    (b"id,metadata\na,x\nb,\nc,\n", "line 2: metadata is a str that is not JSON"),
]


@pytest.mark.parametrize(("content", "problem"), WRONG_CSV)
def test_refuses_a_csv_with_the_place(
    project: Project, tmp_path: Path, content: bytes, problem: str
) -> None:
    table, array = tmp_path / "t.csv", tmp_path / "v.npy"
    np.save(array, np.eye(3))
    table.write_bytes(content)
    with pytest.raises(ValueError, match=problem):
        project.upload(table, array)
    assert len(project) == 0


WRONG_LINES = [
    (b'{"text_id":"caf\xe9","vector":[1,2,3]}', "line 1: it is no UTF-8"),
    (
        b'{"text_id":"a","vector":[1,2,3],"n":1,"n":2}',
        "line 1: it is no JSON: a key is there twice",
    ),
    (b'{"text_id":"a","vector":[1,2,3],"n":NaN}', "NaN is no JSON"),
    (b'{"text_id":"a","vector":[1,NaN,3]}', "NaN is no JSON"),
    (b'{"text_id":"a","vector":[1,1e39,3]}', r"line 1: vector\[1\] is 1e\+39"),
    (b'{"text_id":"a","vector":[1,null,3]}', r"vector\[1\] is None, not a number"),
    (
        b'{"text_id":"a","vector":[1,2,3],"n":1e400}',
        r"metadata.n is 1e400, which the server would round",
    ),
    (b'{"text_id":"a","vector":[1,2,3],"n":1e-400}', r"metadata.n is 1e-400, which the server"),
    (b'{"text_id":"a","vector":[1,2,3],"n":0.123456789012345678901}', "would round"),
    (b'{"text_id":"a","vector":[1,2,3],"n":"\\ud800"}', "metadata.n has half a surrogate pair"),
    (b'{"text_id":"a\\u0000","vector":[1,2,3]}', "text_id has the character NUL"),
    (b"\xff\xfe{\x00", "line 1: it is UTF-16"),
]


@pytest.mark.parametrize(("line", "problem"), WRONG_LINES)
def test_refuses_a_line_that_would_change(
    project: Project, tmp_path: Path, line: bytes, problem: str
) -> None:
    file = tmp_path / "a.ndjson"
    file.write_bytes(line)
    with pytest.raises(ValueError, match=problem):
        project.upload(file)
    assert len(project) == 0


def test_lines_may_begin_with_a_byte_order_mark(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "a.ndjson"
    lines = ['{"text_id":"\ufeffa","vector":[1,2,3],"n":0.10000000000000001}', ""]
    file.write_bytes("\n".join(lines).encode("utf-8-sig"))
    assert project.upload(file).stored == 1
    found = project.get()
    assert (found.ids, found.metadata) == (["\ufeffa"], [{"n": 0.1}])


def test_a_file_names_each_embedding_once(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "rows.ndjson"
    rows = [{"text_id": f"{row % 10_005}", "vector": [1, row, 3]} for row in range(10_010)]
    file.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(ValueError, match=r"line 10006: text_id is '0', as that of line 1"):
        project.upload(file, on_conflict="replace")
    file.write_text("\n".join(map(json.dumps, [*rows[7:9], {}, *rows[6:8]])).replace("{}", ""))
    with pytest.raises(ValueError, match=r"line 5: text_id is '7', as that of line 1$"):
        project.upload(file)
    with pytest.raises(TypeError, match="a file has its texts"):
        project.upload(file, texts=["x"])


def test_signs_of_zeros_survive(project: Project, tmp_path: Path) -> None:
    project.upload(["a"], [[1.0, -0.0, 0.0]])
    for name in ("a.ndjson", "a.parquet"):
        assert project.upload(project.export(tmp_path / name)) == Uploaded(unchanged=1)


@pytest.mark.parametrize(
    "kind",
    [
        pa.list_(pa.float32()),
        pa.list_(pa.float32(), 3),
        pa.large_list(pa.float32()),
        pa.list_(pa.float64()),
    ],
    ids=str,
)
def test_datasets_of_hugging_face(project: Project, tmp_path: Path, kind: pa.DataType) -> None:
    folder = tmp_path / "verses" / "data"
    folder.mkdir(parents=True)
    vectors = np.random.default_rng(2).standard_normal((3_000, 3)).astype(np.float32)
    vectors[0] = [1e-45, -0.0, 0.1]
    for part in range(3):
        rows = slice(part * 1_000, part * 1_000 + 1_000)
        columns = {
            "_id": pa.array(range(rows.start, rows.stop)),
            "emb": pa.array(list(vectors[rows]), kind),
            "sentence": pa.array([f"s{row}" for row in range(rows.start, rows.stop)]),
            "raw": pa.array([b"\xff"] * 1_000),
        }
        pq.write_table(pa.table(columns), folder / f"train-{part:05}-of-00003.parquet")
    names = {"_id": "text_id", "emb": "vector", "sentence": "text", "raw": None}
    assert project.upload(tmp_path / "verses", columns=names).stored == 3_000
    assert project.upload(folder / "train-*-of-00003.parquet", columns=names).unchanged == 3_000
    found = project.get()
    order = np.array(found.ids, int)
    assert np.array_equal(found.vectors.view("u4"), vectors[order].view("u4"))
    assert found.texts == [f"s{row}" for row in order]
    assert found.metadata[0] is None


def test_what_is_wrong_with_several_files(project: Project, tmp_path: Path) -> None:
    for name, text_id in (("a", "1"), ("b", "2"), ("c[1]", "1")):
        columns = {"id": [text_id], "embedding": [[1.0, 2.0, 3.0]]}
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    first, last = tmp_path / "a.parquet", tmp_path / "c[1].parquet"
    with pytest.raises(ValueError) as told:
        project.upload(tmp_path)
    assert str(told.value) == f"{last}, row 1: text_id is '1', as that of row 1 of {first}"
    assert project.upload(last).unchanged == 1
    assert project.upload(tmp_path / "[ab].parquet").unchanged == 2
    (tmp_path / "none").mkdir()
    with pytest.raises(ValueError, match=r"none is a folder without \.parquet files"):
        project.upload(tmp_path / "none")
    with pytest.raises(ValueError, match="no file has a name as"):
        project.upload(tmp_path / "x*.parquet")
    with pytest.raises(ValueError, match="has no column 'txt' but id, embedding"):
        project.upload(first, columns={"txt": "text"})
