"""A map of a project."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False, eq=False)
class ProjectMap:
    """A point for each embedding, in the order of their text_ids: similar ones lie close together.

    `points` has the shape (n, 2), and its numbers are from -1 to 1. `values` are those of the `field` in the
    metadata that was asked for, None where there is none. `missing` embeddings were uploaded since the map was made.
    """

    ids: list[str]
    points: NDArray[np.float64]
    values: list[Any] | None
    field: str | None
    missing: int

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> ProjectMap:
        """The map in an answer of the API."""
        points = np.column_stack([np.asarray(found[name], float) for name in ("x", "y")])
        field = found.get("field")
        # An index of -1 says that there is none.
        values = field and [[*field["values"], None][index] for index in field["indexes"]]
        path = field and field["path"]
        return cls(found["text_ids"], points, values, path, found["missing_count"])

    def __len__(self) -> int:
        return len(self.ids)

    def to_pandas(self) -> pd.DataFrame:
        """A row for each embedding: id, x, y, and the field."""
        import pandas as pd  # noqa: PLC0415

        columns = {"id": self.ids, "x": self.points[:, 0], "y": self.points[:, 1]}
        frame = pd.DataFrame(columns)
        if self.field is not None:
            name = f"metadata.{self.field}" if self.field in columns else self.field
            frame[name] = pd.Series(self.values, dtype=object)
        return frame

    def __repr__(self) -> str:
        return f"ProjectMap({len(self)} embeddings, {self.missing} missing)"
