"""Collections of Qdrant."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from typing import Any

from ._sources import PAGE, Columns, Fields, Item, errors_of, not_there, package, place_of
from .errors import SemblanceWarning


def qdrant(url: str, collection: str, columns: Columns | None = None) -> Iterator[Item]:
    """The points of a collection of Qdrant, for `Project.upload`; needs `./clients/python[qdrant]`.

    `url` is qdrant://HOST:PORT (qdrant+https://, with the key QDRANT_API_KEY of the environment), or
    qdrant:///FOLDER of the client's local mode. Ids become text_ids, and the payload metadata. `columns` says what
    else fields are, such as {"page_content": "text", "my_id": "text_id"}, which of several vectors is meant, such as
    {"title_vector": "vector"}, and leaves out what it names None.
    """
    place = place_of(url, "qdrant", 6333)
    package_of_qdrant = package("qdrant_client", "qdrant")
    where = f"collection {collection!r}"
    with errors_of(where):
        if place.folder is None:
            client = package_of_qdrant.QdrantClient(
                url=f"http{'s' if place.is_secure else ''}://{place.host}:{place.port}",
                api_key=os.environ.get("QDRANT_API_KEY"),
                timeout=60,
                check_compatibility=False,
            )
        # The client would make an empty one.
        elif not (place.folder / "meta.json").is_file():
            raise ValueError(f"{place.folder} is no folder of Qdrant's client: it has no meta.json")
        else:
            client = package_of_qdrant.QdrantClient(path=str(place.folder))
        try:
            if not client.collection_exists(collection):
                names = [each.name for each in client.get_collections().collections]
                raise not_there("collection", collection, names)
            info, is_server = client.get_collection(collection), place.folder is None
            vector = _vector_of(where, info, is_server, columns or {})
        except BaseException:
            client.close()
            raise
    # What columns says of vectors is done with that.
    rest = {name: target for name, target in (columns or {}).items() if target != "vector"}
    return _items(client, collection, vector, Fields(where, rest))


def _vector_of(where: str, info: Any, is_server: bool, columns: Columns) -> str:
    """The name of the vector that is meant; empty for one without a name."""
    found, sparse = info.config.params.vectors or {}, info.config.params.sparse_vectors or {}
    dense = found if isinstance(found, dict) else {"": found}
    chosen = [name for name, target in columns.items() if target == "vector"] or sorted(dense)
    for name in chosen:
        if name in sparse:
            raise ValueError(f"{where}: {name!r} is a sparse vector, which cannot be stored")
        if name not in dense:
            raise ValueError(f"{where}: {not_there('vector', name, list(dense))}")
    if len(chosen) > 1:
        hint = f"choose one by columns: {chosen[0]}=vector"
        raise ValueError(f"{where} has the vectors {', '.join(chosen)}; {hint}")
    if not chosen:
        raise ValueError(f"{where} has no vectors but sparse ones, which cannot be stored")
    params = dense[chosen[0]]
    if params.multivector_config is not None:
        raise ValueError(f"{where} has several vectors for each point, which cannot be stored")
    distance = params.distance.value
    if distance != "Cosine":
        note = f"ranks by {distance}, and Semblance by cosine: the order may be another"
        warnings.warn(f"{where} {note}", SemblanceWarning, stacklevel=3)
    elif is_server:
        note = "has the distance Cosine: Qdrant made its vectors as long as 1, and so they are uploaded"
        warnings.warn(f"{where} {note}", SemblanceWarning, stacklevel=3)
    if left_out := sorted({*dense, *sparse} - {*chosen, *columns}):
        problem = f"{where}: the vectors {', '.join(left_out)} are left out"
        warnings.warn(problem, SemblanceWarning, stacklevel=3)
    return chosen[0]


def _items(client: Any, collection: str, name: str, fields: Fields) -> Iterator[Item]:
    after, count, without = None, 0, 0
    try:
        while True:
            with errors_of(fields.where):
                points, after = client.scroll(
                    collection, limit=PAGE, offset=after, with_vectors=[name] if name else True
                )
            for point in points:
                count += 1
                vector = point.vector
                if isinstance(vector, dict):
                    vector = vector.get(name)
                if vector is None:
                    without += 1
                else:
                    yield fields.item(str(point.id), vector, None, point.payload or {})
            if after is None:
                break
    finally:
        client.close()
    if count > without:
        fields.warn_of_unseen()
    if without:
        problem = f"{without:,} of {fields.where} have no such vector, and are left out"
        warnings.warn(problem, SemblanceWarning, stacklevel=2)
