"""A project within an event loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from ._similar import Similar
from ._stored import Stored

if TYPE_CHECKING:
    import pandas as pd


class AsyncProject(Stored, Similar):
    """A project of a server, as `AsyncClient.project` gives it.

    Everything may raise SemblanceError, where the server refuses it or cannot be reached, and httpx.HTTPError, where
    the connection breaks off.
    """

    async def fields(self) -> pd.DataFrame:
        """The fields of the metadata: path, documents, share, types, and the most frequent values."""
        import pandas as pd  # noqa: PLC0415

        return pd.DataFrame((await self._json("GET", "projects", "fields"))["fields"])

    async def statistics(self) -> dict[str, Any]:
        """Number, bytes, index, first and last upload, as the API has them."""
        found: dict[str, Any] = await self._json("GET", "projects", "statistics")
        return found

    async def share(self, user: str, role: Literal["reader", "editor"] = "reader") -> None:
        """Lets another user read, or also upload and delete."""
        body = {"share_with_handle": user, "role": role}
        await self._json("POST", "projects", "share", body=body)

    async def unshare(self, user: str) -> None:
        """Takes that back."""
        await self._json("DELETE", "projects", "share", user)

    async def publish(self, public: bool = True) -> None:
        """Lets everybody read and search without a key, or nobody any more."""
        self.info |= await self._json("PATCH", "projects", body={"public_read": public})

    async def drop(self) -> None:
        """Deletes the project with everything in it."""
        await self._json("DELETE", "projects")
