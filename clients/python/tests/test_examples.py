"""The examples of the repository, as they are shown."""

from __future__ import annotations

import os
import subprocess
import sys

import nbformat
import pytest
from conftest import MAIN, User
from nbclient import NotebookClient

EXAMPLES = MAIN.parents[1] / "examples"


def test_tasks(url: str, user: User) -> None:
    program = EXAMPLES / "tasks" / "tasks.py"
    settings = {**os.environ, "SEMBLANCE_URL": url, "SEMBLANCE_KEY": user.key}
    done = subprocess.run(
        [sys.executable, program], env=settings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    shapes, *heat = done.stdout.splitlines()
    assert shapes.startswith("(2000, 8) ['matthew-1-1', ")
    assert "['mark-4-31', 'matthew-13-31', 'luke-13-19'] (3779" in shapes
    assert shapes.endswith("(3779, 6) (3779, 384)")
    assert len(heat) == 6


@pytest.mark.filterwarnings("ignore")
def test_the_notebook_answers_what_it_shows(
    url: str, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = EXAMPLES / "notebook"
    monkeypatch.setenv("SEMBLANCE_URL", url)
    monkeypatch.setenv("SEMBLANCE_KEY", user.key)
    shown = nbformat.read(folder / "gospels.ipynb", as_version=4)
    run = nbformat.read(folder / "gospels.ipynb", as_version=4)
    NotebookClient(run, timeout=300, resources={"metadata": {"path": str(folder)}}).execute()
    assert list(map(texts_of, run.cells)) == list(map(texts_of, shown.cells))
    lines = [
        line for cell in run.cells if cell.cell_type == "code" for line in cell.source.split("\n")
    ]
    assert len([line for line in lines if line.strip()]) <= 40


def texts_of(cell: nbformat.NotebookNode) -> list[str]:
    """What a cell answers as text: neither pictures nor the bars of what takes long."""
    data = [output.get("data", {}) for output in cell.get("outputs", [])]
    return [shown["text/plain"] for shown in data if "image/png" not in shown and shown]
