"""Where a client finds the server and its key, when it is not told."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path

DEFAULT_URL = "http://localhost:8880"


def find_login(url: str | None, key: str | None) -> tuple[str, str | None]:
    """URL and key: as given, else of the environment, else of the file that `semblance login` writes.

    The key of that file belongs to its URL: it is sent to no other.
    """
    url = url or os.environ.get("SEMBLANCE_URL") or None
    key = (key or os.environ.get("SEMBLANCE_KEY") or "").strip() or None
    if url is None or key is None:
        login = _read_login()
        if url is None or _same(url, login.get("url", "")):
            url = url or login.get("url")
            key = key or login.get("key", "").strip() or None
    if key is not None and re.fullmatch(r"[!-~]+", key) is None:
        raise ValueError("the key must be one word of ASCII characters")
    return (url or DEFAULT_URL).rstrip("/"), key


def _same(url: str, other: str) -> bool:
    return url.rstrip("/") == other.rstrip("/")


def login_path() -> Path:
    """The file that `semblance login` writes."""
    folder = os.environ.get("XDG_CONFIG_HOME")
    return (Path(folder) if folder else Path.home() / ".config") / "semblance" / "login.json"


def _read_login() -> dict[str, str]:
    path = login_path()
    try:
        if os.name == "posix" and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise PermissionError(
                f"{path} holds a key and others may read it: chmod 600 {path}, or log in again"
            )
        login = json.loads(path.read_text(encoding="utf-8"))
        return {name: str(login[name]) for name in ("url", "key")}
    except FileNotFoundError:
        return {}
    except (KeyError, TypeError, ValueError):
        # Without the cause, which shows the file.
        raise ValueError(f"{path} is not what `semblance login` writes: log in again") from None
