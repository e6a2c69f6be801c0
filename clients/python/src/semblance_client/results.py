"""What searches answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import nan
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ._html import html_table
from ._metadata import flatten
from ._vectors import Vectors, decode

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 20
SHOWN_TEXT = 60


@dataclass(frozen=True)
class Passage:
    """A text that stands before or after another one."""

    id: str
    text: str | None = None
    metadata: dict[str, Any] | None = None


@dataclass(frozen=True)
class Around:
    """The texts before and after another one, in the order of reading."""

    before: list[Passage]
    after: list[Passage]


@dataclass(frozen=True, eq=False)
class Hit:
    """A stored embedding that is similar to what was searched for.

    `query` is what was searched for: a text_id, words, or the number of the vector; `rank` begins at 1. `project`
    is where it is (`owner/handle`), in a search of several.
    `similarity` is the cosine, from 0 to 1, and NaN in a search by words alone; `score` is what a search with
    words ranks by. `highlights` are the parts of the text that have the words, each as `slice(start, end)`, so that
    `hit.text[part]` is what was found. `around` has the text before and the text after it, and `percentile` is the
    share of random pairs of texts that are less similar. The rest is None unless `include` or `group_by` asks for it.
    """

    query: str | int
    rank: int
    id: str
    similarity: float
    text: str | None = None
    metadata: dict[str, Any] | None = None
    vector: Vectors | None = None
    group: Any = None
    score: float | None = None
    highlights: list[slice] | None = None
    around: Around | None = None
    percentile: float | None = None
    project: str | None = None


class Results(Sequence[Hit]):
    """The hits of one search or of many, in the order of the queries, the most similar first.

    `hidden` is how many places, of one page of 200 at least, the threshold left empty: documents that were there,
    but less similar. `mode` is "exact", or "approximate" where an index chose what was compared. `notes` are what
    the server had to say, such as that no document has a field of the filter.
    """

    def __init__(
        self,
        hits: list[Hit],
        queries: list[str | int],
        hidden: int,
        mode: str,
        notes: Sequence[str] = (),
    ) -> None:
        self._hits = hits
        self.queries = queries
        self.hidden = hidden
        self.mode = mode
        self.notes = list(notes)

    @overload
    def __getitem__(self, index: int) -> Hit: ...
    @overload
    def __getitem__(self, index: slice) -> list[Hit]: ...
    def __getitem__(self, index: int | slice) -> Hit | list[Hit]:
        return self._hits[index]

    def __len__(self) -> int:
        return len(self._hits)

    def __iter__(self) -> Iterator[Hit]:
        return iter(self._hits)

    @property
    def ids(self) -> list[str]:
        """The text_ids of all hits."""
        return [hit.id for hit in self._hits]

    @property
    def similarities(self) -> Vectors:
        """The similarities of all hits."""
        return np.array([hit.similarity for hit in self._hits], dtype=np.float32)

    def by_query(self) -> dict[str | int, list[Hit]]:
        """The hits of each query, also of those that have none."""
        found: dict[str | int, list[Hit]] = {query: [] for query in self.queries}
        for hit in self._hits:
            found[hit.query].append(hit)
        return found

    def to_pandas(self) -> pd.DataFrame:
        """A row for each hit: query, rank, id, similarity, and what was included.

        Each value of the metadata has a column, named by its path as in filters, such as `ref.book`.
        """
        import pandas as pd  # noqa: PLC0415

        names = ["query", "rank", "id", "similarity"]
        names += [
            name
            for name in ("project", "percentile", "score", "group", "text", "highlights", "vector")
            if any(getattr(hit, name) is not None for hit in self._hits)
        ]
        columns = {name: [getattr(hit, name) for hit in self._hits] for name in names}
        return with_metadata(pd.DataFrame(columns), [hit.metadata for hit in self._hits])

    def __repr__(self) -> str:
        many = len(self.queries) > 1
        lines = [_line(hit, many) for hit in self._hits[:SHOWN]]
        if len(self) > SHOWN:
            lines.append(f"... {len(self) - SHOWN} more")
        if self.hidden:
            lines.append(f"({self.hidden} more are less similar than was asked for)")
        if not self._hits:
            # The notes may say why.
            lines = [*(lines or ["(nothing was found)"]), *(f"({note})" for note in self.notes)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        shown = self._hits[:SHOWN]
        names = [
            name
            for name in (
                "query",
                "rank",
                "project",
                "id",
                "similarity",
                "score",
                "group",
                "text",
                "metadata",
            )
            if any(getattr(hit, name) is not None for hit in shown)
        ]
        if len(self.queries) == 1 and "query" in names:
            names.remove("query")
        rows = [[getattr(hit, name) for name in names] for hit in shown]
        more = [f"{len(self) - SHOWN} more"] if len(self) > SHOWN else []
        if self.hidden:
            more.append(f"{self.hidden} more are less similar than was asked for")
        return html_table(names, rows, more if shown else ["nothing was found", *self.notes])


def _line(hit: Hit, many: bool) -> str:
    query = f"{hit.query}  " if many else ""
    text = "" if hit.text is None else "  " + _short(hit.text)
    ranked = hit.similarity if hit.score is None else hit.score
    project = "" if hit.project is None else f"{hit.project}  "
    return f"{query}{ranked:.3f}  {project}{hit.id}{text}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_TEXT else line[: SHOWN_TEXT - 1] + "…"


def with_metadata(frame: pd.DataFrame, metadata: Sequence[dict[str, Any] | None]) -> pd.DataFrame:
    """The table with a column for each value of the metadata; one whose name is taken is `metadata.name`."""
    import pandas as pd  # noqa: PLC0415

    if all(value is None for value in metadata):
        return frame
    rows = [flatten(value or {}) for value in metadata]
    columns = pd.DataFrame(rows, index=frame.index)
    taken = {name: f"metadata.{name}" for name in columns.columns if name in frame.columns}
    return pd.concat([frame, columns.rename(columns=taken)], axis=1)


def hit_of(query: str | int, rank: int, found: dict[str, Any]) -> Hit:
    """A hit of a result as the API has it."""
    vector = found.get("vector")
    return Hit(
        query,
        rank,
        found["id"],
        found.get("similarity", nan),
        found.get("text"),
        found.get("metadata"),
        None if vector is None else decode([vector])[0],
        found.get("group"),
        found.get("score"),
        _slices(found.get("highlights")),
        around_of(found["around"]) if "around" in found else None,
        found.get("percentile"),
        found.get("project"),
    )


def around_of(found: dict[str, Any]) -> Around:
    """What stands around a text, as the API has it."""
    before, after = (
        [Passage(each["id"], each.get("text"), each.get("metadata")) for each in found[side]]
        for side in ("before", "after")
    )
    return Around(before, after)


def _slices(highlights: list[dict[str, int]] | None) -> list[slice] | None:
    if highlights is None:
        return None
    return [slice(part["start"], part["end"]) for part in highlights]


class Neighbours(Sequence[tuple[str, list[Hit]]]):
    """The nearest embeddings of each embedding, in the order of their text_ids."""

    def __init__(self, found: list[tuple[str, list[Hit]]], mode: str) -> None:
        self._found = found
        self.mode = mode

    @overload
    def __getitem__(self, index: int) -> tuple[str, list[Hit]]: ...
    @overload
    def __getitem__(self, index: slice) -> list[tuple[str, list[Hit]]]: ...
    def __getitem__(
        self, index: int | slice
    ) -> tuple[str, list[Hit]] | list[tuple[str, list[Hit]]]:
        return self._found[index]

    def __len__(self) -> int:
        return len(self._found)

    def to_pandas(self) -> pd.DataFrame:
        """A row for each pair: id, rank, neighbour, similarity."""
        import pandas as pd  # noqa: PLC0415

        rows = [(hit.query, hit.rank, hit.id, hit.similarity) for _, hits in self for hit in hits]
        return pd.DataFrame(rows, columns=["id", "rank", "neighbour", "similarity"])

    def __repr__(self) -> str:
        pairs = sum(len(hits) for _, hits in self._found)
        return f"Neighbours({len(self)} embeddings, {pairs} neighbours, {self.mode})"


@dataclass(frozen=True, repr=False, eq=False)
class Embeddings:
    """Embeddings of a project, in the order of their text_ids.

    All are of one length; `vectors` has the shape (n, dimensions), and (n, 0) where they were not asked for.
    """

    ids: list[str]
    vectors: Vectors
    texts: list[str | None]
    metadata: list[dict[str, Any] | None]

    def __len__(self) -> int:
        return len(self.ids)

    def rows(self, rows: Sequence[int]) -> Embeddings:
        """Those at these places."""
        chosen = (self.ids, self.texts, self.metadata)
        ids, texts, metadata = ([values[row] for row in rows] for values in chosen)
        return Embeddings(ids, self.vectors[list(rows)], texts, metadata)  # type: ignore[arg-type]

    def to_pandas(self) -> pd.DataFrame:
        """Columns text_id, text, vector (rows of `vectors`), and one for each value of the metadata.

        `Project.upload` takes such a table, unless fields of the metadata have the names of these columns.
        """
        import pandas as pd  # noqa: PLC0415

        columns: dict[str, Any] = {"text_id": self.ids, "text": self.texts}
        if self.vectors.shape[1] > 0:
            columns["vector"] = list(self.vectors)
        return with_metadata(pd.DataFrame(columns), self.metadata)

    def __repr__(self) -> str:
        return f"Embeddings({len(self)} of {self.vectors.shape[1]} dimensions)"

    def _repr_html_(self) -> str:
        rows = list(zip(self.ids, self.texts, self.metadata, strict=True))[:SHOWN]
        more = [f"{len(self) - SHOWN} more"] if len(self) > SHOWN else []
        dimensions = [f"{self.vectors.shape[1]} dimensions"] if self.vectors.shape[1] else []
        return html_table(("text_id", "text", "metadata"), rows, more + dimensions)


@dataclass(frozen=True)
class Comparison:
    """How far the neighbours of the same text_ids agree in two projects.

    `overlap` is the mean share of the `k` nearest that both have, from 0 to 1; `of` has that of each text_id.
    """

    k: int
    overlap: float
    of: dict[str, float]
