"""A project within an event loop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from ._base import Filter, in_url
from ._correct import Correctable
from ._map import ProjectMap
from ._progress import Progress
from ._similar import Similar
from ._transport import compact_json, object_of, pause_told

if TYPE_CHECKING:
    import pandas as pd

ACCEPTED = 202
LAST_REVISION = 2**31 - 1


class AsyncProject(Correctable, Similar):
    """A project of a server, as `AsyncClient.project` gives it.

    Everything may raise SemblanceError, where the server refuses it or cannot be reached, and httpx.HTTPError, where
    the connection breaks off.
    """

    async def fields(self) -> pd.DataFrame:
        """The fields of the metadata: path, documents, share, types, and the most frequent values."""
        import pandas as pd  # noqa: PLC0415

        return pd.DataFrame((await self._json("GET", "projects", "fields"))["fields"])

    async def facets(self, field: str, filter: Filter | None = None) -> pd.DataFrame:  # noqa: A002
        """The values of a field, such as "ref.book", in all that the filter keeps, and the exact count of each.

        The most frequent come first, up to 1,000. An array counts for each of its elements.
        """
        import pandas as pd  # noqa: PLC0415

        params = {"field": field, "filter": in_url(filter)}
        found = (await self._json("GET", "projects", "fields", params=params))["fields"][0]
        return pd.DataFrame(found["values"], columns=["value", "count"])

    async def statistics(self) -> dict[str, Any]:
        """Number, bytes, index, first and last upload, as the API has them."""
        found: dict[str, Any] = await self._json("GET", "projects", "statistics")
        return found

    async def share(self, user: str, role: Literal["reader", "editor"] = "reader") -> str:
        """Lets another user read, or also upload and delete. Returns what was done."""
        body = {"share_with_handle": user, "role": role}
        return str((await self._json("POST", "projects", "share", body=body))["message"])

    async def unshare(self, user: str) -> str:
        """Takes that back. Returns what was done."""
        return str((await self._json("DELETE", "projects", "share", user))["message"])

    async def publish(self, public: bool = True) -> str | None:
        """Lets everybody read and search without a key, or nobody any more. Returns the address of its page."""
        await self.update(public_read=public)
        return f"{self._transport.url}/explore/{'/'.join(self._path)}" if public else None

    async def update(
        self,
        *,
        description: str | None = None,
        public_read: bool | None = None,
        text_queries: Literal["off", "members", "everybody"] | None = None,
        text_query_budget: Mapping[str, int] | None = None,
        metadata_scheme: Mapping[str, Any] | str | None = None,
        reading_order: Iterable[str] | None = None,
    ) -> None:
        """Changes what is given, and leaves the rest as it is.

        `text_queries` says who may search it in words, and `text_query_budget` how much of that a day has
        ("requests", "characters", "caller_requests", "caller_characters"), and replaces the one that was there as a
        whole. `metadata_scheme` is a JSON Schema for the metadata of later uploads; {} takes any.
        `reading_order` are fields of the metadata in whose order texts stand around each other, such as ["ref.book",
        "ref.chapter", "ref.verse"]; [] is the order of the text_ids.
        """
        scheme = metadata_scheme
        if scheme is not None and not isinstance(scheme, str):
            scheme = compact_json(scheme).decode()
        fields = {
            "description": description,
            "public_read": public_read,
            "text_queries": text_queries,
            "text_query_budget": text_query_budget,
            "metadataScheme": scheme,
        }
        body: dict[str, Any] = {name: value for name, value in fields.items() if value is not None}
        if reading_order is not None:
            body["reading_order"] = list(reading_order) or None
            self.info.pop("reading_order", None)
        self.info |= await self._json("PATCH", "projects", body=body)

    async def map(
        self, field: str | None = None, *, current: bool = False, progress: bool | None = None
    ) -> ProjectMap:
        """A point in the plane for each embedding, so that similar ones lie close together; made by UMAP.

        `field` is a path in the metadata, such as "ref.book", whose values the map gets. The first map of a large
        project takes minutes. After uploads an older one may be given, unless it shall be `current`.
        """
        # A revision that there is not yet counts as the current one.
        params = {"field": field, "min_revision": LAST_REVISION if current else None}
        done = 0
        with Progress(f"map of {self.handle}", 100, progress) as bar:
            while True:
                response = await self._transport.request(
                    "GET", "projects", *self._path, "map", params=params
                )
                found = object_of(response)
                if response.status_code != ACCEPTED:
                    return ProjectMap.of(found)
                percent = int(100 * found.get("progress", 0))
                bar.advance(max(0, percent - done))
                done = max(done, percent)
                await self._transport.io.sleep(pause_told(response) or 1)

    async def drop(self) -> str:
        """Deletes the project with everything in it. Returns what was done."""
        return str((await self._json("DELETE", "projects"))["message"])
