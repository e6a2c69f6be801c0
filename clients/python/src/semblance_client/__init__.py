"""Client of Semblance, which stores vector embeddings of texts and finds the similar ones.

from semblance_client import Client

kjv = Client().project("kjv", dimensions=384, model="all-MiniLM-L6-v2")
kjv.upload(ids, vectors, texts)
kjv.search(vectors[0], include=["text"])
"""

from ._correct import Corrected
from ._map import ProjectMap
from ._upload import Uploaded
from ._version import __version__
from .async_client import AsyncClient
from .async_project import AsyncProject
from .client import Client
from .errors import (
    ConflictError,
    NotFoundError,
    SemblanceError,
    SemblanceWarning,
    UnreachableError,
)
from .project import Project
from .results import Around, Comparison, Embeddings, Hit, Neighbours, Passage, Results

__all__ = [
    "Around",
    "AsyncClient",
    "AsyncProject",
    "Client",
    "Comparison",
    "ConflictError",
    "Corrected",
    "Embeddings",
    "Hit",
    "Neighbours",
    "NotFoundError",
    "Passage",
    "Project",
    "ProjectMap",
    "Results",
    "SemblanceError",
    "SemblanceWarning",
    "UnreachableError",
    "Uploaded",
    "__version__",
]
