"""What is similar in a project."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
from contextlib import aclosing
from functools import partial
from typing import Any, Literal

import httpx
import numpy as np

from . import _search
from ._base import Base, Filter, Part, hinting, names_of
from ._embed import as_texts, vectors_of
from ._progress import Progress
from ._vectors import encode
from .errors import ConflictError, NotFoundError, SemblanceError, warn
from .results import Around, Comparison, Hit, Neighbours, Results, around_of


class Similar(Base):
    """What is similar in a project."""

    @hinting
    async def search(
        self,
        queries: Any = None,
        *,
        ids: str | Iterable[str | int] | None = None,
        text: str | Iterable[str] | None = None,
        words: str | None = None,
        weights: Mapping[str, float] | None = None,
        k: int = 10,
        threshold: float | None = None,
        filter: Filter | None = None,  # noqa: A002
        min_percentile: float | None = None,
        like: Any = None,
        unlike: Any = None,
        diversity: float | None = None,
        include: Iterable[Part | Literal["highlights", "around", "percentile"]] = (),
        group_by: str | None = None,
        group_size: int | None = None,
        exact: bool | None = None,
        min_recall: float | None = None,
        include_self: bool | None = None,
    ) -> Results:
        """The `k` most similar embeddings of each query, which is a vector or the text_id of a stored embedding.

        `queries` is one of these, or a list or array of them (vectors: of shape (n, dimensions)). If the project was
        given `embed`, a str is a text to embed instead. `ids` are text_ids in any case, and `text` is one or more
        texts to embed: by `embed`, or else by the provider of the project's instance, where `text_queries` of the
        project allows it. `words` are found in the texts themselves: alone, or with
        one of these, which ranks by both: `weights`, such as {"vector": 1, "words": 2}, say how much each counts.
        `"Words in quotes"` stand together, `-word` is left out, and `beginn*` is the beginning of words.
        `threshold` is the least cosine similarity, from 0 to 1; None means all that are not negative. `include`
        adds "text", "metadata" and "vector" to each hit, "around", the text before and the text after it, with
        `words` "highlights", and "percentile", the share of random pairs of texts that are less similar, which may
        be at least `min_percentile`. With `group_by`, a path in the metadata, `k` counts groups.

        `like` and `unlike` are text_ids and vectors, one or several, alone or beside the query: what is searched for
        is the mean of the liked minus that of the unliked. With `diversity`, from 0 to 1, near-duplicates make room
        for others, among at most 200 hits.

        Warns of hits that a threshold hid, and of a field in `filter` that no embedding has.
        """
        parts = list(include)
        if [queries is None, ids is None, text is None].count(False) > 1:
            raise TypeError("search for queries, for ids or for text, one of them")
        if isinstance(queries, Iterator):
            queries = list(queries)
        if self._embed is not None and (texts := as_texts(queries)):
            queries, text = None, texts
        if text is not None:
            names, searches = await self._meant(text)
        elif queries is not None or ids is not None:
            given_ids = None if ids is None else names_of(ids)
            names, searches = _search.sought(queries if ids is None else given_ids, self.dimensions)
        elif words is not None or like is not None:
            names, searches = [0 if words is None else words], [{}]
        else:
            raise TypeError("search for queries, ids, text, like or words")
        options = {
            "words": words,
            "weights": weights,
            "threshold": threshold or 0,
            "min_percentile": min_percentile,
            "like": _search.examples(like, self.dimensions),
            "unlike": _search.examples(unlike, self.dimensions),
            "diversity": diversity or None,
            "filter": filter,
            "include": parts or None,
            "vector_format": "base64" if "vector" in parts else None,
            "group_by": group_by,
            "group_size": group_size,
            "exact": exact,
            "min_recall": min_recall,
            "include_self": include_self,
        }
        given = {name: value for name, value in options.items() if value is not None}
        path, wanted = self._asked([{**search, **given} for search in searches])
        try:
            results = await _search.run(self._transport, path, names, wanted, k)
        except NotFoundError as error:
            if queries is None or not error.detail.startswith("Embedding "):
                raise
            hint = "a text that is not stored is searched by text= or words=, or with project(…, embed=…)"
            raise error.because(hint) from None
        for note in results.notes:
            warn(note)
        if threshold is not None and results.hidden > 0:
            hidden = f"{results.hidden} less similar hits are below the threshold of {threshold}"
            warn(hidden)
        return results

    async def around(
        self,
        text_id: str | int,
        before: int = 2,
        after: int = 2,
        include: Iterable[Literal["text", "metadata"]] = ("text", "metadata"),
    ) -> Around:
        """What stands before and after a text, up to 20 of each.

        In the project's `reading_order`, or else by the last number of the text_id.
        """
        params = {"before": before, "after": after, "include": ",".join(include)}
        found = await self._json("GET", "embeddings", str(text_id), "around", params=params)
        return around_of(found)

    def _asked(
        self, searches: list[dict[str, Any]]
    ) -> tuple[tuple[str, ...], list[dict[str, Any]]]:
        return self._path, searches

    async def _meant(
        self, text: str | Iterable[str]
    ) -> tuple[list[str | int], list[dict[str, Any]]]:
        names, searches = _search.meant(text)
        if not callable(self._embed):
            return names, searches
        texts = [search["text"] for search in searches]
        made = partial(vectors_of, self._embed, texts, self.dimensions, are_queries=True)
        if not texts:
            return [], []
        vectors = await self._transport.io.call(made)
        return names, [{"vector": encode(vector)} for vector in vectors]

    @hinting
    async def neighbours(
        self,
        k: int = 10,
        *,
        threshold: float | None = None,
        filter: Filter | None = None,  # noqa: A002
        different: str | None = None,
        exact: bool = False,
        progress: bool | None = None,
    ) -> Neighbours:
        """The `k` nearest embeddings of every embedding, itself left out.

        `different` is a path in the metadata: only embeddings with another value there are neighbours. With
        `exact` an approximate answer, as large projects have it, is refused.
        """
        options = {"filter": filter, "different": different, "exact": exact or None}
        given = {name: value for name, value in options.items() if value is not None}
        body = {"k": k, "threshold": threshold or 0, **given}
        found: list[tuple[str, list[Hit]]] = []
        total = await self.count() if filter is None else 0
        lines = self._neighbour_lines(body, lambda: found[-1][0] if found else None)
        with Progress(f"neighbours in {self.handle}", total, progress) as bar:
            async with aclosing(lines):
                async for line in lines:
                    if "done" in line:
                        return Neighbours(found, line["mode"])
                    if "id" in line:
                        hits = enumerate(line["neighbours"], start=1)
                        name = line["id"]
                        found.append(
                            (
                                name,
                                [
                                    Hit(name, rank, hit["id"], hit["similarity"])
                                    for rank, hit in hits
                                ],
                            )
                        )
                        bar.advance(1)
        raise SemblanceError(500, "Incomplete", "the answer has no end")

    async def _neighbour_lines(
        self, body: dict[str, Any], last: Callable[[], str | None]
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Goes on behind the last one where the connection was lost."""
        path = ("similars", *self._path, "neighbours")
        lost_at: object = self  # which is no text_id
        patience = 10
        while True:
            after = last()
            try:
                lines = self._transport.lines(
                    "POST", *path, body=body if after is None else {**body, "after": after}
                )
                async with aclosing(lines):
                    async for line in lines:
                        yield line
            except ConflictError:
                # The server may not know yet that nobody reads its last answer.
                if patience == 0:
                    raise
                patience -= 1
                await self._transport.io.sleep(1)
            except (httpx.NetworkError, httpx.RemoteProtocolError):
                if last() == lost_at:
                    raise
                lost_at = last()
            else:
                return

    async def compare(self, other: Similar, k: int = 10) -> Comparison:
        """How far the `k` nearest of each embedding agree with those in another project.

        For two models that embedded the same texts under the same text_ids. Text_ids that only one of them has
        count as neighbours that the other lacks; a warning says so.
        """
        if not isinstance(other, Similar):
            raise TypeError("other must be an AsyncProject, as this is one")
        mine, others = dict(await self.neighbours(k)), dict(await other.neighbours(k))
        shared = mine.keys() & others.keys()
        if len(shared) < max(len(mine), len(others)):
            lacking = len(mine.keys() ^ others.keys())
            warn(f"{lacking} text_ids are in one project only")
        of = {name: _overlap(mine[name], others[name]) for name in sorted(shared)}
        return Comparison(k, float(np.mean(list(of.values()))) if of else float("nan"), of)


def _overlap(one: list[Hit], other: list[Hit]) -> float:
    most = max(len(one), len(other))
    shared = {hit.id for hit in one} & {hit.id for hit in other}
    return len(shared) / most if most > 0 else 1.0
