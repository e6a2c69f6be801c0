"""What is similar in several projects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._embed import Embedder
from ._similar import Similar
from ._transport import Transport


class Several(Similar):
    """Several projects, which are searched as one."""

    def __init__(
        self, transport: Transport, projects: Sequence[str], embed: Embedder | None
    ) -> None:
        self._transport = transport
        self._embed = embed
        self._projects = list(projects)
        self.info = {}

    def _asked(
        self, searches: list[dict[str, Any]]
    ) -> tuple[tuple[str, ...], list[dict[str, Any]]]:
        return (), [self._among(search) for search in searches]

    def _among(self, search: dict[str, Any]) -> dict[str, Any]:
        wanted = {**search, "projects": self._projects}
        if "text_id" in search:
            owner, handle, text_id = (*search["text_id"].split("/", 2), "", "")[:3]
            wanted["text_id"] = {"project": f"{owner}/{handle}", "text_id": text_id}
        return wanted
