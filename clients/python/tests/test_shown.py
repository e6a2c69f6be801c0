"""Maps, tables in a notebook, and changes of a project."""

from __future__ import annotations

import pickle
from html.parser import HTMLParser

import numpy as np
import pytest
from conftest import NAMES, Connect

from semblance_client import Client, Project, SemblanceError


class Tags(HTMLParser):
    """What a browser would make of a page: names of tags, and texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.texts: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


TABLE = {"table", "thead", "tbody", "tr", "th", "td", "p"}
HOSTILE = ["</td><script>alert(1)</script>", "<img src=x onerror='alert(2)'>", "\"&amp;'`", "<!--"]


def test_tables_in_a_notebook(colours: Project) -> None:
    found = Tags(colours.search("red", include=["text"])._repr_html_())
    head = ["rank", "id", "similarity", "text"]
    first = ["1", "orange", "0.894", "The colour orange"]
    assert found.texts[:8] == [*head, *first]
    assert found.texts[-1] == "1 more are less similar than was asked for"
    many = Tags(colours.search(["red", "violet"], k=1)._repr_html_())
    assert many.texts[:8] == ["query", "rank", "id", "similarity", "red", "1", "orange", "0.894"]
    assert "nothing was found" in colours.search(words="nowhere")._repr_html_()
    stored = Tags(colours.get()._repr_html_())
    assert stored.texts[:5] == ["text_id", "text", "metadata", "cyan", "The colour cyan"]
    assert stored.texts[-1] == "3 dimensions"


def test_what_others_wrote_is_text_in_a_table(project: Project) -> None:
    project.upload(HOSTILE, np.ones((4, 3)), HOSTILE, [{text: text} for text in HOSTILE])
    found = project.search([1, 1, 1], include=["text", "metadata"], group_by=HOSTILE[0])
    for page in (found._repr_html_(), project.get()._repr_html_()):
        shown = Tags(page)
        assert shown.tags <= TABLE
    shown = Tags(project.search(HOSTILE, k=1, include=["text"])._repr_html_())
    assert shown.tags <= TABLE
    assert set(HOSTILE) <= set(shown.texts)


def test_a_map(client: Client, colours: Project) -> None:
    found = colours.map("tone")
    assert found.ids == sorted(NAMES)
    assert found.points.shape == (4, 2) and np.abs(found.points).max() <= 1
    assert found.values == ["cold", "warm", "warm", "cold"]
    table = pickle.loads(pickle.dumps(found)).to_pandas()
    assert list(table.columns) == ["id", "x", "y", "tone"]
    assert repr(found) == "ProjectMap(4 embeddings, 0 missing)"
    some = colours.map("of.r")
    assert some.values == [None, None, None, 1]
    assert some.to_pandas()["of.r"].tolist() == [None, None, None, 1]
    colours.upload(["blue"], [[0, 0, 1]])
    assert "blue" in colours.map(current=True).ids
    empty = client.project("empty", dimensions=3, model="tiny").map()
    assert (len(empty), empty.points.shape, empty.to_pandas().shape) == (0, (0, 2), (0, 3))


def test_changes_what_is_given(client: Client, connect: Connect, colours: Project) -> None:
    colours.update(description="Four colours", text_queries="members")
    colours.update(text_query_budget={"requests": 7}, metadata_scheme={"required": ["tone"]})
    again = client.project("colours").info
    assert again["description"] == "Four colours" == colours.info["description"]
    assert (again["text_queries"], again["public_read"]) == ("members", False)
    assert again["text_query_budget"]["requests"] == 7
    with pytest.raises(SemblanceError, match="tone"):
        colours.upload(["blue"], [[0, 0, 1]], metadata=[{}])
    colours.update(metadata_scheme={}, public_read=True, description="")
    assert colours.upload(["blue"], [[0, 0, 1]], metadata=[{}]).stored == 1
    everybody = connect(client.url).project(f"{colours.owner}/colours")
    assert everybody.info.get("description") in {None, ""}
    # Other tests list what everybody sees.
    colours.publish(False)
    with pytest.raises(SemblanceError, match="text_queries"):
        colours.update(text_queries="nobody")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="model"):
        colours.update(model="other")  # type: ignore[call-arg]
