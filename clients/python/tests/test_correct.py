"""Metadata that are corrected, and projects that are copied with other vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import COLOURS, NAMES, TONES, Connect, Terminal, User
from numpy.typing import NDArray
from proxy import Proxy

from semblance_client import (
    Client,
    ConflictError,
    Corrected,
    Project,
    SemblanceError,
    SemblanceWarning,
)


def test_replaces_only_what_differs(colours: Project) -> None:
    before = {text_id: row for text_id, *row in _rows(colours)}
    table = pd.DataFrame(
        {
            "text_id": ["red", "violet", "cyan", "gold"],
            "tone": ["warm", "cool", None, "warm"],
            "of.b": [None, 1, None, None],
        }
    )
    assert colours.set_metadata(table, dry_run=True) == Corrected(1, 2, ["gold"])
    assert {text_id: row for text_id, *row in _rows(colours)} == before
    assert colours.set_metadata(table) == Corrected(1, 2, ["gold"])
    before["violet"][1] = {"tone": "cool", "of": {"r": 1, "b": 1}}
    assert {text_id: row for text_id, *row in _rows(colours)} == before
    assert colours.set_metadata(table) == Corrected(0, 3, ["gold"])


def test_takes_items_and_can_leave_nothing_else(colours: Project) -> None:
    items = [{"id": "violet", "metadata": {"hue": None}}, {"id": "red"}]
    assert colours.set_metadata(items, whole=True) == Corrected(2, 0, [])
    found = colours.get(["red", "violet"])
    assert found.metadata == [None, {"hue": None}]
    with pytest.raises(ValueError, match="as ids"):
        colours.set_metadata([{"id": "red"}, {"id": "red"}])


def test_goes_on_after_an_interruption(
    connect: Connect, url: str, user: User, project: Project
) -> None:
    ids = [f"{at:04}" for at in range(1200)]
    vectors = np.ones((1200, 3), np.float32)
    project.upload(ids, vectors, ids, [{"n": at} for at in range(1200)])
    items = [{"id": text_id, "m": text_id} for text_id in ids]
    with Proxy(url) as proxy:
        broken = connect(proxy.url, user.key, retries=0).project(project.handle)
        proxy.lose("502", 7)
        with pytest.raises(SemblanceError):
            broken.set_metadata(items)
    assert project.count() == 1200
    done = project.count({"m": {"$exists": True}})
    assert 0 < done < 1200
    assert project.set_metadata(items) == Corrected(1200 - done, done, [])


def _rows(project: Project) -> list[tuple[object, ...]]:
    found = project.get()
    vectors = [vector.tolist() for vector in found.vectors]
    return list(zip(found.ids, found.texts, found.metadata, vectors, strict=True))


def _lengths(texts: list[str]) -> NDArray[np.float32]:
    return np.array([[len(text), 1] for text in texts], np.float32)


def test_copies_everything(client: Client, colours: Project) -> None:
    colours.update(
        description="Of the rainbow", metadata_scheme={"required": ["tone"]}, reading_order=["tone"]
    )
    copied = colours.copy("again")
    assert _rows(copied) == _rows(colours)
    assert (copied.model, copied.info["description"]) == ("tiny", "Of the rainbow")
    assert copied.info["reading_order"] == ["tone"]
    assert copied.info["metadataScheme"] == colours.info["metadataScheme"]
    colours.upload(["gold"], [[1, 2, 3]], metadata=[{"tone": "warm"}])
    assert len(colours.copy("again")) == 5
    with pytest.raises(ValueError, match="another name"):
        colours.copy("colours")
    client.project("other", dimensions=3, model="tiny").upload(["red"], [[9, 9, 9]])
    with pytest.raises(ConflictError, match="red"):
        colours.copy("other")


def test_copies_texts_to_another_model_within_a_budget(colours: Project) -> None:
    asked: list[str] = []

    def embed(texts: list[str]) -> NDArray[np.float32]:
        asked.extend(texts)
        return _lengths(texts)

    colours.upload(["mute"], [[1, 2, 3]])
    with pytest.raises(ValueError, match="budget is -1"):
        colours.copy("long", embed=embed, model="lengths", budget=-1)
    with pytest.warns(SemblanceWarning, match="budget is used up at 3 of 5"):
        copied = colours.copy("long", embed=embed, model="lengths", budget=2)
    assert len(copied) == 2
    with pytest.warns(SemblanceWarning, match="1 have no text"):
        copied = colours.copy("long", embed=embed, model="lengths")
    # The first is that which says how many dimensions there are.
    assert sorted(asked[1:]) == sorted(f"The colour {name}" for name in NAMES)
    found = copied.get()
    assert found.metadata == [TONES[NAMES.index(text_id)] for text_id in found.ids]
    assert np.array_equal(found.vectors, _lengths([f"The colour {name}" for name in found.ids]))


def test_in_a_terminal(terminal: Terminal, colours: Project, tmp_path: Path) -> None:
    assert len(colours) == len(COLOURS)
    (tmp_path / "tones.csv").write_text("text_id,tone\nred,hot\norange,warm\n")
    told = terminal.good("set-metadata", "colours", "tones.csv")
    assert "1 embedding of" in told
    assert "1 had them already" in told
    (tmp_path / "more.csv").write_text("text_id,tone\ngold,hot\n")
    assert "not there: 'gold'" in terminal.bad(1, "set-metadata", "colours", "more.csv")
    assert "has 4 embeddings" in terminal.good("copy", "colours", "same")
