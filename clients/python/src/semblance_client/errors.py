"""What can go wrong."""

from __future__ import annotations

import json
import sys
import warnings
from types import FrameType

import httpx


def install(extra: str) -> str:
    """What installs what some modules need; the package is on no index."""
    return f"pip install './clients/python[{extra}]' in the repository of Semblance"


class SemblanceError(Exception):
    """The server refused a request.

    `status` is that of HTTP, `detail` says what was wrong and where, and `request_id` names the request in
    the server's log.
    """

    def __init__(self, status: int, title: str, detail: str, request_id: str | None = None) -> None:
        self.status = status
        self.title = title
        self.detail = detail
        self.request_id = request_id
        named = "" if request_id is None else f" (request {request_id})"
        said = f"{status} {title}: " if status else ""
        super().__init__(f"{said}{detail}{named}")

    def because(self, hint: str) -> SemblanceError:
        """The same, with more in its detail."""
        return type(self)(self.status, self.title, f"{self.detail}; {hint}", self.request_id)

    def __reduce__(self) -> tuple[type[SemblanceError], tuple[int, str, str, str | None]]:
        return type(self), (self.status, self.title, self.detail, self.request_id)


class NotFoundError(SemblanceError):
    """There is no such user, project or embedding, or it may not be read with this key."""


class ConflictError(SemblanceError):
    """Something else is there already."""


class UnreachableError(SemblanceError, httpx.ConnectError):
    """No server answers at the URL of the client. The `status` is 0."""

    @classmethod
    def of(cls, url: str, error: httpx.RequestError) -> UnreachableError:
        """The error for one of the connection."""
        reason = str(error) or type(error).__name__
        made = cls(0, "Unreachable", f"no server answers at {url}: {reason}")
        made.request = error.request
        return made


class ModelError(ValueError):
    """A model cannot be loaded on this machine."""


class SemblanceWarning(UserWarning):
    """An answer is right, but perhaps not what was meant."""


def warn(message: str) -> None:
    """Warns, and names the line that called this package."""
    frame: FrameType | None = sys._getframe()
    level = depth = 1
    # Between those of this package there may be others, such as contextlib's.
    while frame is not None:
        depth += 1
        if str(frame.f_globals.get("__name__", "")).startswith(f"{__package__}."):
            level = depth
        frame = frame.f_back
    warnings.warn(message, SemblanceWarning, stacklevel=level)


def problem_of(body: object, status: int, request_id: str | None) -> SemblanceError:
    """The error that a problem of the API describes."""
    problem = body if isinstance(body, dict) else {}
    told = problem.get("status")
    status = told if isinstance(told, int) else status
    kind = {404: NotFoundError, 409: ConflictError}.get(status, SemblanceError)
    title = str(problem.get("title", "Error"))
    return kind(status, title, str(problem.get("detail", "no reason was given")), request_id)


def error_of(response: httpx.Response) -> SemblanceError:
    """The error that a response, whose body was read, stands for."""
    try:
        body = json.loads(response.text)
    except (ValueError, RecursionError):
        body = {"title": response.reason_phrase, "detail": response.text[:500]}
    return problem_of(body, response.status_code, response.headers.get("x-request-id"))
