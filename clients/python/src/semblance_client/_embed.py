"""Vectors of texts, made on this machine by a model or a function, or by the server."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from threading import Lock
from typing import Any, Literal

import httpx

from ._convert import NotStorable
from ._vectors import Vectors, as_matrix
from .errors import ModelError, install

Function = Callable[[list[str]], Any]
Embed = str | Function
Embedder = Function | Literal["server"]

SHOWN = 40
NO_EMBED = "embed must be the name of a model, 'server', or a function of texts"
LACKS = (
    f"a model on this machine needs more: {install('embed')}; "
    "or give a function that makes an array of a list of texts"
)
HUB = "https://huggingface.co"
# Seconds: what is not answered by then would be tried for minutes, and with many messages.
PATIENCE = 3.0
OFFLINE = (
    "Without Internet, give a function: clients/python/README.md has one, under Without a model"
)


class LocalModel:
    """A model of fastembed or sentence-transformers, which is loaded when it is first needed."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._lock = Lock()
        self._functions: tuple[Function, Function] | None = None

    def __reduce__(self) -> tuple[type[LocalModel], tuple[str]]:
        return type(self), (self.name,)

    def __call__(self, texts: list[str]) -> Any:
        """Vectors of texts that are stored."""
        return self._load()[0](texts)

    def queries(self, texts: list[str]) -> Any:
        """Vectors of texts that are searched for."""
        return self._load()[1](texts)

    def _load(self) -> tuple[Function, Function]:
        with self._lock:
            if self._functions is None:
                self._functions = _of_fastembed(self.name) or _of_sentence_transformers(self.name)
            return self._functions


def _of_fastembed(name: str) -> tuple[Function, Function] | None:
    """None where that is not installed, or has no such model."""
    try:
        from fastembed import TextEmbedding  # noqa: PLC0415
        from loguru import logger  # noqa: PLC0415
    except ImportError:
        return None
    known = {
        str(model["model"]): model["sources"] for model in TextEmbedding.list_supported_models()
    }
    full = next((each for each in known if is_same_model(name, each)), None)
    if full is None:
        return None
    # What it logs is in what it raises.
    logger.disable("fastembed")
    try:
        model = _loaded(
            name, lambda **options: TextEmbedding(full, **options), known[full].get("url")
        )
    finally:
        logger.enable("fastembed")
    return model.passage_embed, model.query_embed


def _of_sentence_transformers(name: str) -> tuple[Function, Function]:
    try:
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415
    except ImportError:
        raise ImportError(f"for {name!r} {LACKS}") from None
    model = _loaded(name, lambda **options: SentenceTransformer(name, **options))
    # Older versions make no difference between the two.
    documents = getattr(model, "encode_document", model.encode)
    return documents, getattr(model, "encode_query", model.encode)


def _loaded(name: str, load: Callable[..., Any], other_source: str | None = None) -> Any:
    """The model of this machine, else a downloaded one."""
    with suppress(Exception):
        return load(local_files_only=True)
    hub = os.environ.get("HF_ENDPOINT") or HUB
    problem = "HF_HUB_OFFLINE is set"
    if os.environ.get("HF_HUB_OFFLINE", "0").upper() in {"", "0", "FALSE", "NO", "OFF"}:
        problem = f"{hub} does not answer"
        if _answers(hub) or (other_source and _answers(other_source)):
            try:
                return load()
            except (OSError, ValueError) as error:
                told = " ".join(str(error).split()).rstrip(".?!")
                raise ModelError(f"{name!r} cannot be loaded: {told}\n{OFFLINE}") from None
    raise ModelError(f"{name!r} is not on this machine, and {problem}\n{OFFLINE}")


def _answers(url: str) -> bool:
    try:
        # Certificates are a matter of the download, which may know others.
        httpx.head(url, timeout=PATIENCE, verify=False)
    except (httpx.HTTPError, httpx.InvalidURL, ImportError):
        return False
    return True


def is_same_model(one: str, other: str) -> bool:
    """Whether two names, of which one may lack its organisation, are those of one model."""
    short, full = sorted((one.lower(), other.lower()), key=len)
    return short == full or ("/" not in short and full.endswith(f"/{short}"))


def embedder(embed: Embed | None) -> Embedder | None:
    """What makes the vectors: "server", a function, or a model of this machine by its name."""
    if embed is None or embed == "server":
        return embed  # type: ignore[return-value]
    if isinstance(embed, str):
        return LocalModel(embed)
    if not callable(embed) or inspect.iscoroutinefunction(embed):
        raise TypeError(NO_EMBED)
    return embed


def vectors_of(
    embed: Function, texts: Sequence[str], dimensions: int | None, *, are_queries: bool = False
) -> Vectors:
    """The vectors that a model or a function makes, checked."""
    given = list(texts)
    if empty := [text for text in given if not text.strip()]:
        raise ValueError(f"in {empty[0]!r} there is nothing to embed")
    is_local = are_queries and isinstance(embed, LocalModel)
    try:
        made = embed.queries(given) if is_local else embed([*given])  # type: ignore[attr-defined]
    except StopIteration as error:
        # No future of asyncio takes it: before Python 3.12 the loop would wait for ever.
        raise RuntimeError("embed raised StopIteration") from error
    if inspect.iscoroutine(made):
        made.close()
        raise TypeError(NO_EMBED)
    try:
        matrix = as_matrix(list(made) if isinstance(made, Iterator) else made, dimensions)
    except NotStorable as error:
        # An own function may have made more vectors than there are texts.
        text = given[error.row] if error.row < len(given) else ""
        shown = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
        raise ValueError(
            f"embed made of {shown!r} a vector that{error.path} {error.problem}"
        ) from error
    except ValueError as error:
        raise ValueError(f"embed made no vectors of texts: {error}") from error
    if len(matrix) != len(given):
        raise ValueError(f"embed made {len(matrix)} vectors of {len(given)} texts")
    return matrix


def as_texts(queries: Any) -> list[str] | None:
    """The same if it is a text, or several; None if it is not."""
    if isinstance(queries, str):
        return [queries]
    # Of a table or a dict that would be the names of its columns.
    is_table = isinstance(queries, Mapping) or hasattr(queries, "columns")
    if is_table or not isinstance(queries, Iterable):
        return None
    values = list(queries)
    are_texts = values and all(isinstance(value, str) for value in values)
    return list(map(str, values)) if are_texts else None
