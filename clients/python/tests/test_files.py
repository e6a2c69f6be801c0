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

from semblance import Client, Project, SemblanceError, Uploaded


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
    assert project.upload(file).stored == 2
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
    with pytest.raises(ValueError, match="not as many rows"):
        project.upload(table, array)
    np.save(array, np.concatenate([vectors, vectors[:1]]))
    with pytest.raises(ValueError, match="not as many rows"):
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
