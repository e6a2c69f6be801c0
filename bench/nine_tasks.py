"""Nine of the tasks of examples/tasks, timed beside Chroma, both over HTTP and each with its own client.

    bench/nine-tasks [--rounds 5]

Both servers run at once with new databases; each task is done by one after the other, round after round. Prints
the median of each in seconds and their ratio, and fails where a task gives another number of results.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
import pandas as pd

from semblance_client import Client

ROOT = Path(__file__).parents[1]
MODEL = {"dimensions": 384, "model": "all-MiniLM-L6-v2"}
VERSES = [
    json.loads(line) for line in gzip.open(ROOT / "examples" / "parallels" / "gospels.ndjson.gz")
]
IDS = [verse["text_id"] for verse in VERSES]
TEXTS = [verse["text"] for verse in VERSES]
PLACES = [verse["metadata"]["ref"] for verse in VERSES]
VECTORS = np.array([verse["vector"] for verse in VERSES], dtype=np.float32)
BOOKS = sorted({place["book"] for place in PLACES})

Task = Callable[[], int]


def of_semblance(client: Client) -> Iterator[tuple[str, Task]]:
    """Each task, which returns how many results it had."""
    project = client.project("kjv", **MODEL)

    def upload() -> int:
        metadata = [{"ref": place} for place in PLACES]
        project.upload(IDS, VECTORS, TEXTS, metadata, progress=False)
        return len(project)

    def queries() -> int:
        found = project.search(VECTORS[:200], include=["text", "metadata"])
        return len(found.to_pandas())

    def everything() -> int:
        found = project.get(progress=False)
        return len(found.to_pandas()) + len(found.vectors)

    def parallels() -> int:
        return len(project.neighbours(1, different="ref.book", progress=False).to_pandas())

    luke = {"ref.book": "Luke", "ref.chapter": {"$lte": 2}}
    others = {"ref.book": {"$nin": ["Luke", "Mark"]}}
    yield "connect, and find the project", lambda: len(client.project("kjv", **MODEL)) * 0
    yield "upload 3,779 verses", upload
    yield "run the cell again", upload
    yield "200 queries with their texts, as a table", queries
    yield "only Luke, chapters 1 and 2", lambda: len(project.search(VECTORS[0], filter=luke))
    yield "neither Luke nor Mark", lambda: len(project.search(VECTORS[0], filter=others))
    yield "everything, with the matrix", everything
    yield "parallels between the books", parallels
    yield "delete John", lambda: project.delete(filter={"ref.book": "John"}) * 0 + len(project)
    # What the next round begins with.
    yield "", lambda: project.delete(everything=True) * 0


def of_chroma(client: Any) -> Iterator[tuple[str, Task]]:
    """The same with Chroma, whose metadata are flat."""
    cosine = {"hnsw:space": "cosine"}
    collection = client.get_or_create_collection("kjv", metadata=cosine)

    def upload() -> int:
        collection.upsert(IDS, VECTORS, PLACES, TEXTS)
        return int(collection.count())

    def table(found: Any) -> pd.DataFrame:
        rows = [
            (query, *row)
            for query, rows in enumerate(
                zip(found["ids"], found["distances"], found["documents"], found["metadatas"], strict=True)
            )
            for row in zip(*rows, strict=True)
        ]
        frame = pd.DataFrame(rows, columns=["query", "id", "distance", "text", "metadata"])
        return frame.drop(columns="metadata").join(pd.DataFrame(list(frame["metadata"])))

    def search(where: dict[str, Any]) -> int:
        return len(collection.query(VECTORS[:1], n_results=10, where=where)["ids"][0])

    def everything() -> int:
        found = collection.get(include=["embeddings", "documents", "metadatas"])
        frame = pd.DataFrame({"id": found["ids"], "text": found["documents"]})
        frame = frame.join(pd.DataFrame(found["metadatas"]))
        return len(frame) + len(np.asarray(found["embeddings"]))

    def parallels() -> int:
        rows: list[tuple[str, str, float]] = []
        for book in BOOKS:
            mine = [row for row, place in enumerate(PLACES) if place["book"] == book]
            found = collection.query(VECTORS[mine], n_results=1, where={"book": {"$ne": book}})
            for row, ids, distances in zip(mine, found["ids"], found["distances"], strict=True):
                rows.append((IDS[row], ids[0], 1 - distances[0]))
        return len(pd.DataFrame(rows))

    def delete(where: dict[str, Any] | None) -> int:
        collection.delete(where=where) if where else collection.delete(collection.get()["ids"])
        return int(collection.count())

    luke = {"$and": [{"book": "Luke"}, {"chapter": {"$lte": 2}}]}
    yield "connect, and find the project", lambda: (
        client.get_or_create_collection("kjv", metadata=cosine).count() * 0
    )
    yield "upload 3,779 verses", upload
    yield "run the cell again", upload
    yield (
        "200 queries with their texts, as a table",
        lambda: len(table(collection.query(VECTORS[:200], n_results=10))),
    )
    yield "only Luke, chapters 1 and 2", lambda: search(luke)
    yield "neither Luke nor Mark", lambda: search({"book": {"$nin": ["Luke", "Mark"]}})
    yield "everything, with the matrix", everything
    yield "parallels between the books", parallels
    yield "delete John", lambda: delete({"book": "John"})
    yield "", lambda: delete(None)


@contextmanager
def server(command: list[str], folder: Path, ready: str) -> Iterator[str]:
    """Runs a server, and stops it; gives what `ready` matches in its output."""
    log = folder / "log"
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=out)
    try:
        for _ in range(1_200):
            found = re.search(ready, log.read_text())
            if found is not None:
                yield found[1]
                return
            if process.poll() is not None:
                break
            time.sleep(0.1)
        raise RuntimeError(f"{command[0]} did not start: {log.read_text()}")
    finally:
        process.terminate()
        process.wait(60)


def free_port() -> int:
    """A port that nobody listens on at the moment."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def main() -> None:
    """Measures, and prints a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--runtime", default="node", help="the Node or Bun that runs the service")
    options = parser.parse_args()
    times: dict[str, dict[str, list[float]]] = {}
    with tempfile.TemporaryDirectory() as name:
        ours, theirs = Path(name, "semblance"), Path(name, "chroma")
        ours.mkdir()
        theirs.mkdir()
        port = str(free_port())
        chroma = [str(Path(sys.executable).with_name("chroma")), "run", "--path", "data", "--port", port]
        serve = [options.runtime, str(ROOT / "dist" / "main.js"), "serve", "--port", "0", "--debug=false"]
        with (
            server(serve, ours, r"listening on (http://[^ \"]+)") as url,
            server(chroma, theirs, rf"({port})"),
        ):
            key = Client(url, (ours / "data" / "admin.key").read_text()).create_user("ruth")
            sides = {
                "Semblance": of_semblance(Client(url, key)),
                f"Chroma {chromadb.__version__}": of_chroma(_chroma_client(int(port))),
            }
            tasks = {side: list(all_of_it) for side, all_of_it in sides.items()}
            for number in range(options.rounds + 1):
                for at, (title, _) in enumerate(tasks["Semblance"]):
                    _measure({side: each[at][1] for side, each in tasks.items()}, title, number, times)
    _print(times)


def _chroma_client(port: int) -> Any:
    for _ in range(600):
        try:
            return chromadb.HttpClient("127.0.0.1", port)
        except ValueError:
            time.sleep(0.1)
    raise RuntimeError("Chroma did not start")


def _measure(
    sides: dict[str, Task], title: str, number: int, times: dict[str, dict[str, list[float]]]
) -> None:
    results = {}
    for side, task in sides.items():
        begin = time.perf_counter()
        results[side] = task()
        # The first round warms both up.
        if number > 0 and title:
            times.setdefault(title, {}).setdefault(side, []).append(time.perf_counter() - begin)
    if len(set(results.values())) > 1:
        raise RuntimeError(f"{title}: {results}")


def _print(times: dict[str, dict[str, list[float]]]) -> None:
    sides = list(next(iter(times.values())))
    print(f"| task | {' s | '.join(sides)} s | ratio |\n|---|{'---|' * (len(sides) + 1)}")
    for title, by_side in times.items():
        mine, other = (statistics.median(by_side[side]) for side in sides)
        print(f"| {title} | {mine:.3f} | {other:.3f} | {mine / other:.2f} |")


if __name__ == "__main__":
    main()
