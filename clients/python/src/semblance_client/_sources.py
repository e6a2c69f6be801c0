"""What the readers of other vector stores have in common."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .errors import SemblanceWarning, install

Columns = Mapping[str, str | None]
Item = dict[str, Any]

# As many as a batch of an upload has.
PAGE = 1_000


@dataclass(frozen=True)
class Place:
    """Where a store is: in a folder, or on a server."""

    folder: Path | None
    host: str = ""
    port: int = 0
    is_secure: bool = False


def place_of(url: str, scheme: str, port: int) -> Place:
    """The place that a URL such as chroma:///folder, chroma://./folder or chroma://host:8000 names."""
    found = re.fullmatch(rf"{scheme}(\+https)?://(?:(\.{{0,2}}/.*)|([^/@]+)/?)", url, re.DOTALL)
    secure, folder, server = found.groups() if found else (None, None, None)
    if server is not None:
        # What is no port may be a password, which the error would have.
        with suppress(ValueError):
            at = urlsplit(f"//{server}")
            host = at.hostname or ""
            return Place(None, f"[{host}]" if ":" in host else host, at.port or port, bool(secure))
    if folder is None or secure:
        forms = (f"{scheme}:///FOLDER", f"{scheme}://HOST:PORT", f"{scheme}+https://HOST:PORT")
        raise ValueError(f"the URL must be {', '.join(forms[:2])} or {forms[2]}")
    return Place(Path(folder))


def package(name: str, extra: str) -> Any:
    """The package by which a store is read."""
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"{error}: {install(extra)}") from error


@contextmanager
def errors_of(where: str, secret: str | None = None) -> Iterator[None]:
    """Whatever the package of a store raises, as a ValueError of one line that does not have the secret."""
    try:
        yield
    except ValueError:
        raise
    except Exception as error:
        told = " ".join(str(error).split()) or type(error).__name__
        raise ValueError(f"{where}: {told.replace(secret, '***') if secret else told}") from None


def not_there(what: str, name: str, others: list[str]) -> ValueError:
    """Of a collection or table that is not there."""
    known = f"there are {', '.join(map(repr, sorted(others)))}" if others else "there is none"
    return ValueError(f"there is no {what} {name!r}; {known}")


class Fields:
    """Where the fields go that a store has beside vectors: into the metadata, if `columns` says nothing else."""

    def __init__(self, where: str, columns: Columns) -> None:
        self.where = where
        self._columns = columns
        self._unseen = set(columns)

    def item(self, text_id: Any, vector: Any, text: str | None, fields: Mapping[str, Any]) -> Item:
        """An item for `Project.upload`."""
        parts: Item = {"text_id": text_id, "vector": vector, "text": text}
        # Without all of them first: two may have their names exchanged.
        metadata = {name: fields[name] for name in fields if name not in self._columns}
        whole = None
        for name, target in self._columns.items():
            if name not in fields:
                continue
            self._unseen.discard(name)
            value = fields[name]
            if target == "text_id":
                parts["text_id"] = value
            elif target == "text":
                if parts["text"] is not None:
                    raise _twice(self.where, text_id, "text")
                parts["text"] = value
            elif target == "metadata":
                whole = value
            elif target is not None:
                if target in metadata:
                    raise _twice(self.where, text_id, target)
                metadata[target] = value
        return {**parts, "metadata": merged(self.where, text_id, metadata, whole)}

    def warn_of_unseen(self) -> None:
        """Of what `columns` names and no item has, after all were read."""
        for name in sorted(self._unseen):
            problem = f"{self.where}: none has {name!r}, which columns names"
            warnings.warn(problem, SemblanceWarning, stacklevel=3)


def merged(where: str, text_id: Any, fields: Item, whole: Any) -> Item | None:
    """The metadata of fields of their own and of an object with more."""
    if whole is not None and not isinstance(whole, dict):
        raise ValueError(f"{where}, id {text_id}: {whole!r} is no object, as metadata are")
    if both := fields.keys() & (whole or {}).keys():
        raise _twice(where, text_id, min(both))
    return fields | (whole or {}) or None


def _twice(where: str, text_id: Any, name: str) -> ValueError:
    hint = "rename one by columns, or leave it out"
    return ValueError(f"{where}, id {text_id}: two of its fields are {name!r}; {hint}")
