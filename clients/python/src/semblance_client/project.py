"""One project: what it stores, and what is similar in it."""

from __future__ import annotations

from typing import Any

from ._base import Filter, Part
from ._io import blocking, run
from .async_project import AsyncProject
from .results import Comparison

__all__ = ["Filter", "Part", "Project"]


class Project:
    """A project of a server, as `Client.project` gives it.

    Everything may raise SemblanceError, where the server refuses it or cannot be reached, and httpx.HTTPError, where
    the connection breaks off.
    """

    def __init__(self, core: AsyncProject) -> None:
        self._core = core

    @property
    def info(self) -> dict[str, Any]:
        """What the API says of it."""
        return self._core.info

    @property
    def owner(self) -> str:
        """The user whose project it is."""
        return self._core.owner

    @property
    def handle(self) -> str:
        """Its name among those of its owner."""
        return self._core.handle

    @property
    def dimensions(self) -> int | None:
        """Of every vector; None where the project has no instance any more."""
        return self._core.dimensions

    @property
    def model(self) -> str | None:
        """The model that makes the vectors."""
        return self._core.model

    def __repr__(self) -> str:
        return repr(self._core).removeprefix("Async")

    def __len__(self) -> int:
        return self.count()

    def __bool__(self) -> bool:
        return True

    upload = blocking(AsyncProject.upload)
    search = blocking(AsyncProject.search)
    around = blocking(AsyncProject.around)
    neighbours = blocking(AsyncProject.neighbours)
    get = blocking(AsyncProject.get)
    to_pandas = blocking(AsyncProject.to_pandas)
    export = blocking(AsyncProject.export)
    set_metadata = blocking(AsyncProject.set_metadata)
    copy = blocking(AsyncProject.copy, lambda core: Project(core))  # noqa: PLW0108
    delete = blocking(AsyncProject.delete)
    count = blocking(AsyncProject.count)
    fields = blocking(AsyncProject.fields)
    facets = blocking(AsyncProject.facets)
    statistics = blocking(AsyncProject.statistics)
    share = blocking(AsyncProject.share)
    unshare = blocking(AsyncProject.unshare)
    publish = blocking(AsyncProject.publish)
    update = blocking(AsyncProject.update)
    map = blocking(AsyncProject.map)
    drop = blocking(AsyncProject.drop)

    def compare(self, other: Project, k: int = 10) -> Comparison:  # noqa: D102
        if not isinstance(other, Project):
            raise TypeError("other must be a Project of Client, as this is one")
        return run(self._core.compare(other._core, k))

    compare.__doc__ = AsyncProject.compare.__doc__
