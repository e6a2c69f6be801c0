"""What `semblance-client import` does."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any

from ._checked import check_items
from ._databases import read_database
from ._files import read_items
from ._io import run
from ._progress import progress
from ._tables import MOST_REPORTED, embeddings_text, warn
from .client import Client
from .errors import NotFoundError
from .project import Project


def import_items(
    client: Client,
    name: str,
    source: str,
    dry_run: bool,
    collection: str | None,
    columns: dict[str, str | None] | None,
    vectors: Path | None,
    on_conflict: Any,
    concurrency: int | None,
    **making: Any,
) -> tuple[int, str]:
    """How many were or would be uploaded, and what to say of it."""
    project: Project | None = None
    try:
        project = client.project(name, model=making["model"])
        if project.dimensions is None:
            raise ValueError(f"project {name} has no instance")
    except NotFoundError:
        if making["model"] is None:
            problem = f"project {name} is not there; with --model NAME it is made"
            raise ValueError(problem) from None
    problems: list[str] = []

    def tell(problem: str) -> None:
        problems.append(problem)
        if len(problems) <= MOST_REPORTED:
            warn(problem)

    dimensions = None if project is None else project.dimensions
    told_of = tell if dry_run else None
    if collection is None:
        parts = read_items(Path(source), vectors, columns or {}, dimensions, told_of)
    else:
        items = read_database(source, collection, columns or {})
        parts = check_items(collection, items, dimensions, told_of)
    if dry_run:
        count = sum(map(len, parts))
        if problems:
            raise ValueError(f"{len(problems)} of them cannot be uploaded")
        return count, ""
    first = next(parts, None)
    if first is None:
        return 0, f"{collection or source} has no embeddings"
    project = project or client.project(name, dimensions=first.vectors.shape[1], **making)
    shown = progress(f"upload to {name}")
    all_parts = chain([first], parts)
    sent = run(project._core._send(all_parts, on_conflict or "skip", concurrency or 3, shown))
    there = sent.unchanged + sent.skipped
    told = f"{embeddings_text(sent.stored)} uploaded to {name}"
    told += f", {sent.replaced:,} replaced" if sent.replaced else ""
    told += f", {there:,} there already"
    told += f" ({sent.skipped:,} with other contents, which stay)" if sent.skipped else ""
    return sent.stored, told


def import_whole(client: Client, path: tuple[str, str], file: Path) -> tuple[int, str]:
    """The same of a semblance file, by the server."""
    gzipped = file.suffix.lower() == ".gz"
    with file.open("rb") as body, progress(f"import of {path[1]}") as bar:
        answer = client._transport.lines(
            "POST", "projects", *path, "import", body=body, gzipped=gzipped
        )
        done = 0
        for line in answer:
            bar.advance(line.get("stored", done) - done)
            done = line.get("stored", done)
            if "message" in line:
                count = line["embeddings"]
                return count, f"{line['message']}, {embeddings_text(count)}"
    raise ValueError("the answer ended too early; look whether the project is there")
