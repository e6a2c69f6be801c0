"""Embeddings that other vector stores have, for `Project.upload`."""

from ._chroma import chroma
from ._pgvector import pgvector
from ._qdrant import qdrant

__all__ = ["chroma", "pgvector", "qdrant"]
