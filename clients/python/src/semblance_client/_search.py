"""Searches as the API has them, in requests of bounded size."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ._batches import batches
from ._transport import Transport, compact_json, object_of
from ._vectors import as_matrix, encode
from .errors import problem_of
from .results import Hit, Results, hit_of

MOST_SEARCHES = 100
BUSY = 503
# A request that is no upload may have 1 MiB.
MOST_BYTES = 900_000
LARGEST_PAGE = 200


def sought(what: Any, dimensions: int | None) -> tuple[list[str | int], list[dict[str, Any]]]:
    """The name of each query, and what it searches for: of a text_id, a vector, or several of either."""
    if isinstance(what, str | int | np.integer) and not isinstance(what, bool):
        what = [str(what)]
    given = np.asarray(what) if hasattr(what, "__array__") else what
    values: Any = (
        given if isinstance(given, np.ndarray) and given.dtype.kind in "fiu" else list(given)
    )
    if all(isinstance(value, str) for value in values):
        ids = list(dict.fromkeys(map(str, values)))
        return list(ids), [{"text_id": text_id} for text_id in ids]
    matrix = as_matrix([values] if np.ndim(values[0]) == 0 else values, dimensions)
    return list(range(len(matrix))), [{"vector": encode(vector)} for vector in matrix]


def examples(given: Any, dimensions: int | None) -> list[str | list[float]] | None:
    """Text_ids and vectors, of one or of a list of either."""
    if given is None:
        return None
    is_text_id = isinstance(given, str)
    is_one = is_text_id or (len(given) > 0 and isinstance(given[0], float | int | np.number))
    return [
        each if isinstance(each, str) else as_matrix([each], dimensions)[0].tolist()
        for each in ([given] if is_one else given)
    ]


def meant(text: str | Iterable[str]) -> tuple[list[str | int], list[dict[str, Any]]]:
    """The name of each query, and what it searches for."""
    texts = list(dict.fromkeys([text] if isinstance(text, str) else text))
    return list(texts), [{"text": each} for each in texts]


async def run(
    transport: Transport,
    path: tuple[str, ...],
    queries: list[str | int],
    searches: list[dict[str, Any]],
    k: int,
) -> Results:
    """The `k` most similar of each."""
    found: list[list[Hit]] = [[] for _ in queries]
    hidden, modes, notes = 0, set(), dict[str, None]()
    # Which of them may have more behind what was found.
    going_on = list(range(len(queries)))
    for offset in range(0, k, LARGEST_PAGE):
        if not going_on:
            break
        limit = min(LARGEST_PAGE, k - offset)
        page = [{**searches[at], "limit": limit, "offset": offset} for at in going_on]
        answers = await _answers(transport, path, page)
        for at, answer in zip(going_on, answers, strict=True):
            begin = len(found[at])
            found[at] += [
                hit_of(queries[at], begin + rank, hit)
                for rank, hit in enumerate(answer["results"], start=1)
            ]
            hidden += answer.get("hidden") or 0
            modes.add(answer["mode"])
            if answer.get("note"):
                notes[answer["note"]] = None
        full = [len(answer["results"]) >= limit for answer in answers]
        going_on = [at for at, is_full in zip(going_on, full, strict=True) if is_full]
    hits = [hit for each in found for hit in each]
    mode = "approximate" if "approximate" in modes else "exact"
    return Results(hits, queries, hidden, mode, list(notes))


async def _answers(
    transport: Transport, path: tuple[str, ...], searches: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    # There are no batches of several projects.
    if len(searches) == 1 or not path:
        return [await _single(transport, path, search) for search in searches]
    found: list[dict[str, Any]] = []
    for batch in batches(map(compact_json, searches), MOST_SEARCHES, MOST_BYTES):
        body = b'{"searches":[' + b",".join(batch) + b"]}"
        answers = await transport.json("POST", "similars", *path, "batch", body=body)
        for answer in answers["answers"]:
            problem = problem_of(answer["error"], 400, None) if "error" in answer else None
            if problem is None:
                found.append(answer)
            elif problem.status == BUSY:
                # As a request of its own it is repeated until the server is ready for it.
                found.append(await _single(transport, path, searches[len(found)]))
            else:
                raise problem
    return found


async def _single(
    transport: Transport, path: tuple[str, ...], search: dict[str, Any]
) -> dict[str, Any]:
    response = await transport.request("POST", "similars", *path, body=search)
    return {
        "note": response.headers.get("x-search-note"),
        "results": object_of(response)["results"],
        "mode": response.headers["x-search-mode"],
        "hidden": int(response.headers.get("x-search-hidden", 0)),
    }
