"""Files in and out."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from semblance_client import Client, Project, SemblanceError, Uploaded


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


def test_a_refused_export_leaves_no_file(colours: Project, tmp_path: Path) -> None:
    before = tmp_path / "colours.ndjson"
    before.write_text("as it was")
    with pytest.raises(SemblanceError, match="400"):
        colours.export(before, filter={"tone": {"$like": "w"}})
    with pytest.raises(SemblanceError, match="400"):
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
    with pytest.raises(ValueError, match=r"rows.ndjson:2: Expecting"):
        project.upload(file)
    file.write_text(f"{line}\n" + json.dumps({"text_id": "b", "vector": [1, 2]}))
    with pytest.raises(ValueError, match=r"from row 1 on: vectors\[1\] has 2 dimensions"):
        project.upload(file)
    assert len(project) == 0


def test_a_csv_is_read_as_it_is_written(project: Project, tmp_path: Path) -> None:
    table, array = tmp_path / "t.csv", tmp_path / "v.npy"
    np.save(array, np.eye(3))
    table.write_text("verse,words,n\n001,TRUE,1\n002,1.0,2\n003,,x\n")
    project.upload(table, array, columns={"verse": "text_id", "words": "text"})
    found = project.get()
    assert (found.ids, found.texts) == (["001", "002", "003"], ["TRUE", "1.0", None])
    assert found.metadata == [{"n": "1"}, {"n": "2"}, {"n": "x"}]
    table.write_text("id,text\na,Hello, world\nb,x,y\nc,z,\n")
    with pytest.raises(ValueError, match="more fields than its header"):
        project.upload(table, array)


def test_a_file_names_each_embedding_once(project: Project, tmp_path: Path) -> None:
    file = tmp_path / "rows.ndjson"
    rows = [{"text_id": f"{row % 10_005}", "vector": [1, row, 3]} for row in range(10_010)]
    file.write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(ValueError, match=r"from row 10001 on: '0' was there before"):
        project.upload(file, on_conflict="replace")
    with pytest.raises(TypeError, match="a file has its texts"):
        project.upload(file, texts=["x"])


def test_signs_of_zeros_survive(project: Project, tmp_path: Path) -> None:
    project.upload(["a"], [[1.0, -0.0, 0.0]])
    for name in ("a.ndjson", "a.parquet"):
        assert project.upload(project.export(tmp_path / name)) == Uploaded(unchanged=1)
