"""Collections of Chroma."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from ._sources import PAGE, Columns, Fields, Item, errors_of, not_there, package, place_of
from .errors import SemblanceWarning


def chroma(url: str, collection: str, columns: Columns | None = None) -> Iterator[Item]:
    """The embeddings of a collection of Chroma, for `Project.upload`; needs `./clients/python[chroma]`.

    `url` is chroma:///FOLDER of a PersistentClient, or chroma://HOST:PORT (chroma+https://) of a server. Documents
    become texts, and a URI becomes the field `uri` of the metadata. `columns` renames fields of the metadata, such
    as {"title": "text"}, and leaves out what it names None.
    """
    place = place_of(url, "chroma", 8000)
    if "chromadb" not in sys.modules:
        os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")
    chromadb = package("chromadb", "chroma")
    where = f"collection {collection!r}"
    with errors_of(where):
        # With the settings that a program has: Chroma opens no folder with others a second time.
        if place.folder is None:
            client = chromadb.HttpClient(place.host, place.port, place.is_secure)
        # Chroma would make an empty one.
        elif not (place.folder / "chroma.sqlite3").is_file():
            raise ValueError(f"{place.folder} is no folder of Chroma: it has no chroma.sqlite3")
        else:
            client = chromadb.PersistentClient(str(place.folder))
        try:
            # None: its model may need a package or a key, and is not asked for anything.
            found = client.get_collection(collection, embedding_function=None)
        except chromadb.errors.NotFoundError:
            names = [each.name for each in client.list_collections()]
            raise not_there("collection", collection, names) from None
        # As JSON: else Chroma would make the embedding function of the collection.
        configuration = found.configuration_json
        space = (configuration.get("hnsw") or configuration.get("spann") or {}).get("space")
    if space not in {None, "cosine"}:
        warnings.warn(
            f"{where} ranks by {space}, and Semblance by cosine: the same only for vectors of one length",
            SemblanceWarning,
            stacklevel=2,
        )
    return _items(found, Fields(where, columns or {}))


def _items(collection: Any, fields: Fields) -> Iterator[Item]:
    # All ids first: with pages by offset, a change meanwhile would move others out of sight.
    with errors_of(fields.where):
        ids = collection.get(include=[])["ids"]
    gone = 0
    for begin in range(0, len(ids), PAGE):
        wanted = ids[begin : begin + PAGE]
        with errors_of(fields.where):
            page = collection.get(wanted, include=["embeddings", "documents", "metadatas", "uris"])
        gone += len(wanted) - len(page["ids"])
        # Chroma widens them to float64.
        vectors = np.asarray(page["embeddings"], np.float32)
        parts = (page["documents"], page["metadatas"], page["uris"])
        for text_id, vector, text, metadata, uri in zip(page["ids"], vectors, *parts, strict=True):
            yield fields.item(text_id, vector, text, _with_uri(fields, text_id, metadata, uri))
    if ids:
        fields.warn_of_unseen()
    if gone:
        problem = f"{gone:,} of {fields.where} were deleted while it was read"
        warnings.warn(problem, SemblanceWarning, stacklevel=2)


def _with_uri(fields: Fields, text_id: str, metadata: Any, uri: str | None) -> dict[str, Any]:
    found: dict[str, Any] = metadata or {}
    if uri is None:
        return found
    if "uri" in found:
        raise ValueError(f"{fields.where}, id {text_id}: it has a URI, and 'uri' in its metadata")
    return {**found, "uri": uri}
