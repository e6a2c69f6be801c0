"""Where a client finds the server and its key, when it is not told."""

from __future__ import annotations

import json
import os
import re
import stat
from base64 import urlsafe_b64encode
from pathlib import Path
from zlib import crc32

DEFAULT_URL = "http://localhost:8880"


def find_login(url: str | None, key: str | None) -> tuple[str, str | None, str | None]:
    """URL, key, and the key's source: as given, else of the environment, else of what `semblance-client login` wrote.

    The key of that file belongs to its URL: it is sent to no other.
    """
    url = url or os.environ.get("SEMBLANCE_URL") or None
    source: str | None = "the command line" if key else "SEMBLANCE_KEY"
    key = (key or os.environ.get("SEMBLANCE_KEY") or "").strip() or None
    if url is None or key is None:
        login = _read_login()
        if url is None or _same(url, login.get("url", "")):
            url = url or login.get("url")
            if key is None:
                key, source = login.get("key", "").strip() or None, str(login_path())
    if key is not None and re.fullmatch(r"[!-~]+", key) is None:
        raise ValueError("the key must be one word of ASCII characters")
    url = (url or DEFAULT_URL).rstrip("/")
    if re.fullmatch(r"https?://[^/?#@\s]+(/[^?#@\s]*)?", url) is None:
        raise ValueError("the URL must be that of a server, http or https, without a user, ? and #")
    return url, key, source if key is not None else None


def key_problem(key: str | None) -> str:
    """Why a server refuses it. Whether a key is one of any server, the checksum at its end says."""
    if key is None:
        return "no key was given: set SEMBLANCE_KEY"
    text = key[:-6].encode()
    checksum = urlsafe_b64encode(crc32(text).to_bytes(4, "big"))[:6]
    is_one = text.startswith(b"smb_") and key.endswith(checksum.decode())
    if "smb_" in key and not is_one:
        return "the key is mistyped or incomplete"
    return "the server does not know the key: it is another server's, or was replaced, revoked or has expired"


def write_login(url: str, key: str) -> Path:
    """Keeps them, for the user alone."""
    path = login_path()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = path.with_suffix(".new")
    write_private(new, json.dumps({"url": url, "key": key}, indent=2) + "\n")
    new.replace(path)
    return path


def make_private(path: Path) -> None:
    """Makes a file that only its owner reads. One that is there keeps what is in it."""
    with path.open("a"):
        if path.is_file():
            path.chmod(0o600)


def write_private(path: Path, text: str) -> None:
    """Writes a file that only its owner reads, also if there was one before."""
    make_private(path)
    with path.open("w") as file:
        file.write(text)


def _same(url: str, other: str) -> bool:
    return url.rstrip("/") == other.rstrip("/")


def login_path() -> Path:
    """The file that `semblance-client login` writes."""
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
        raise ValueError(
            f"{path} is not what `semblance-client login` writes: log in again"
        ) from None
