"""The command, as a process of its own, against a real server."""

from __future__ import annotations

import gzip
import io
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from conftest import ADMIN_KEY, TIMEOUT, Connect, Terminal, User

from semblance_client import Client, Project
from semblance_client._terminal import main

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file of lines."""

    def lines(name: str, *items: object) -> str:
        (tmp_path / name).write_text("".join(f"{json.dumps(item)}\n" for item in items))
        return name

    return lines


def item(text_id: str, *vector: float, **more: object) -> dict[str, object]:
    return {"text_id": text_id, "vector": list(vector), **more}


COLOURS = [
    item("red", 1, 0, 0, text="The colour red", metadata={"tone": "warm", "n": [1.5, None]}),
    item("orange", 1, 0.5, 0, text="The colour orange", metadata={"tone": "warm"}),
    item("violet", 1, 0, 1, metadata={"tone": "cold", "of": {"r": 1}}),
    item("cyan", -1, 0, 0.25),
]


def test_keeps_the_key_for_its_owner_alone(terminal: Terminal, user: User) -> None:
    file = terminal.folder / "config/semblance/login.json"
    assert file.stat().st_mode & 0o777 == 0o600
    shown = terminal.good("status")
    assert f"key      {user.handle}, by {file}\n" in shown
    assert re.search(r"^status   ok\n", shown, re.MULTILINE) or "status" in shown
    other = terminal.env["SEMBLANCE_URL"].replace("127.0.0.1", "localhost")
    assert "key      none" in terminal.good("status", "--url", other)
    file.chmod(0o640)
    assert "others may read it: chmod 600" in terminal.bad(1, "status")
    refused = terminal.bad(1, "login", "--key", "not-a-key")
    assert "401 Unauthorized" in refused
    assert "see semblance-client login" not in refused


def test_imports_a_file_once_searches_in_it_deletes_from_it(
    terminal: Terminal, user: User, write: Write, client: Client
) -> None:
    name = f"{user.handle}/colours"
    file = write("colours.ndjson", *COLOURS)
    zipped = terminal.folder / "colours.ndjson.gz"
    zipped.write_bytes(gzip.compress((terminal.folder / file).read_bytes()))
    refused = terminal.bad(1, "import", "colours", file)
    assert f"project {name} is not there; with --model NAME it is made" in refused
    dry = terminal.good("import", "colours", file, "--model", "tiny", "--dry-run")
    assert dry == "4 embeddings of colours.ndjson would be uploaded; nothing was sent\n"
    assert "There is no project" in terminal.good("projects")
    asked = ("--model", "tiny", "--text-queries", "members")
    first = terminal.good("import", "colours", file, *asked)
    assert first == f"4 embeddings uploaded to {name}, 0 there already\n"
    again = terminal.good("import", name, zipped.name)
    assert again == f"0 embeddings uploaded to {name}, 4 there already\n"
    assert client.project("colours").info["text_queries"] == "members"
    assert re.search(rf"\n{name} +owner +4 +3 +tiny *\n$", terminal.good("projects"))
    assert json.loads(terminal.good("projects", "--json"))[0]["embedding_count"] == 4

    found = terminal.good("search", "colours", "red", "-k", "1")
    assert re.match(r"similarity +text_id +text\n0\.8944 +orange +The colour orange\n$", found)
    np.save(terminal.folder / "v.npy", np.array([1, 0, 0], np.float64))
    (terminal.folder / "v.json").write_text("[1, 0, 0]")
    for vector in ("v.npy", "v.json"):
        shown = terminal.good("search", "colours", "--vector-file", vector, "--include", "metadata")
        assert re.search(r'\n1\.0000 +red +\{"n": \[1\.5, null\], "tone": "warm"\}\n', shown)
    query = ("--filter", '{"tone": "cold"}', "--threshold", "0.99", "--json")
    hidden = terminal.run("search", "colours", "red", *query)
    assert hidden.stderr == "semblance-client: 1 more are below the threshold of 0.99\n"
    assert json.loads(hidden.stdout)["results"] == []
    found = terminal.good("search", "colours", "red", "-k", "1", "--json")
    assert [hit["text"] for hit in json.loads(found)["results"]] == ["The colour orange"]
    lines = terminal.good("neighbours", "colours", "-k", "1", "--different", "tone").splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["cyan", "orange", "red", "violet"]

    warm = ("delete", "colours", "--filter", '{"tone": "warm"}')
    assert f"2 embeddings of {name} are meant" in terminal.bad(2, *warm)
    assert terminal.good(*warm, "--dry-run") == f"2 embeddings of {name} would be deleted\n"
    assert terminal.good(*warm, "--yes") == "2 embeddings deleted\n"
    assert "2 embeddings uploaded" in terminal.good("import", "colours", file)
    two = terminal.run("delete", "colours", "red", "gone", "--yes")
    assert (two.code, two.stdout) == (1, "1 embedding deleted\n")
    assert "'gone'" in two.stderr


def test_goes_on_where_it_was_stopped(terminal: Terminal, user: User, client: Client) -> None:
    items = [json.dumps(item(f"n{n}", 1, n, 2)) + "\n" for n in range(5_000)]
    (terminal.folder / "all.jsonl").write_text("".join(items))
    with terminal.start("import", "numbers", "-", "--model", "Three numbers!") as stopped:
        assert stopped.stdin is not None
        stopped.stdin.write("".join(items[:4_500]))
        stopped.stdin.flush()
        until = time.monotonic() + TIMEOUT
        while sum(len(project) for project in client.projects()) != 4_000:
            assert time.monotonic() < until
            time.sleep(0.05)
        # Python may lose one that comes while it tidies up; whoever sits there presses the keys again.
        while stopped.poll() is None and time.monotonic() < until:
            stopped.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                stopped.wait(5)
        assert stopped.returncode == 130
    rest = terminal.good("import", "numbers", "all.jsonl", "--concurrency", "2")
    assert rest == f"1,000 embeddings uploaded to {user.handle}/numbers, 4,000 there already\n"


def test_what_is_there_with_other_contents(terminal: Terminal, user: User, write: Write) -> None:
    terminal.good("import", "some", write("a.ndjson", *COLOURS), "--model", "tiny")
    write("a.ndjson", COLOURS[0], item("orange", 0, 1, 0))
    name = f"{user.handle}/some"
    skipped = "2 there already (1 with other contents, which stay)"
    assert skipped in terminal.good("import", "some", "a.ndjson")
    strict = terminal.bad(1, "import", "some", "a.ndjson", "--on-conflict", "error")
    assert "'orange' with other contents" in strict
    replaced = terminal.good("import", "some", "a.ndjson", "--on-conflict", "replace")
    assert replaced == f"0 embeddings uploaded to {name}, 1 replaced, 1 there already\n"


def test_a_dry_run_tells_all_lines_that_are_wrong(terminal: Terminal) -> None:
    bad = [
        '{"text_id": "a", "vector": [1, 2]}',
        '{"text_id": "b", "vector": [1, 2, 3]}',
        '{"text_id": "c", "vector": [1, 1e39]}',
        '{"text_id": "d", "vector": [0, 0]}',
        '{"text_id": 1.5, "vector": [1, 2]}',
        '{"text_id": "a", "vector": [1, 2], "metadata": []}',
    ]
    (terminal.folder / "bad.ndjson").write_text("\n".join(bad))
    refused = terminal.bad(1, "import", "bad", "bad.ndjson", "--model", "m")
    assert re.search(r"bad\.ndjson, line [2-6]: \w+", refused)
    assert "There is no project" in terminal.good("projects")
    dry = terminal.bad(1, "import", "bad", "bad.ndjson", "--model", "m", "--dry-run")
    assert sorted(re.findall(r", line (\d): ", dry)) == ["2", "3", "4", "5", "6"]
    assert "5 of them cannot be uploaded" in dry
    assert "line 2: vector has 3 dimensions, not 2 as the first" in dry


def test_formats_there_and_back(terminal: Terminal, user: User, write: Write) -> None:
    terminal.good("import", "a", write("a.ndjson", *COLOURS), "--model", "tiny")
    for file in ("a.jsonl", "a.parquet", "a.PQ", "a.semblance"):
        assert " bytes\n" in terminal.good("export", "a", "-o", file)
        form = file.partition(".")[2].lower()
        model = () if form == "semblance" else ("--model", "tiny")
        assert "4 embeddings" in terminal.good("import", form, file, *model)

    def contents(project: str) -> list[str]:
        lines = terminal.good("export", project, "--format", "semblance").splitlines()
        return [re.sub(r'"created_at":"[^"]*",?', "", line) for line in lines[1:-1]]

    for copy in ("jsonl", "parquet", "pq", "semblance"):
        assert contents(copy) == contents("a")
    whole = (terminal.folder / "a.semblance").read_text()
    assert terminal.good("export", "semblance", "--format", "semblance") == whole
    (terminal.folder / "b.semblance.gz").write_bytes(gzip.compress(whole.encode()))
    assert "4 embeddings" in terminal.good("import", "b", "b.semblance.gz")
    assert "4 embeddings of" in terminal.good("import", "c", "b.semblance.gz", "--dry-run")
    (terminal.folder / "a.semblance").write_text(whole.replace("orange", "0range"))
    assert "SHA-256" in terminal.bad(1, "import", "c", "a.semblance", "--dry-run")
    assert "400 Bad Request" in terminal.bad(1, "import", "c", "a.semblance")

    terminal.good("delete", "a", "--all", "--yes")
    for file in ("none.jsonl", "none.parquet", "none.semblance"):
        terminal.good("export", "a", "-o", file)
    assert (terminal.folder / "none.jsonl").read_bytes() == b""
    assert (terminal.folder / "none.parquet").read_bytes()[-4:] == b"PAR1"
    assert terminal.good("export", "a") == ""
    assert "has no embeddings" in terminal.good("import", "a", "none.parquet")


def test_no_message_has_what_may_be_a_password(
    terminal: Terminal,
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(terminal.folder)
    for name, value in (
        terminal.env | {"XDG_CONFIG_HOME": str(terminal.folder / "config")}
    ).items():
        monkeypatch.setenv(name, value)
    for source in (
        "jdbc:postgresql://joe:s3cret@localhost/db",
        "postgresql:/joe:s3cret@localhost/db",
        "host=localhost user=joe password=s3cret",
        " postgresql://joe:s3cret@localhost:9/db",
        "postgresql+psycopg://joe:s3cret@localhost:9/db",
        "mysql+driver://joe:s3cret@localhost/db",
        "joe:s3cret@localhost",
        "chroma://h:s3cret",
        "chroma+https://h:s3cret",
        "qdrant://h:s3cret/",
        "qdrant+driver://h:s3cret",
    ):
        for more in ((), ("--table", "t"), ("--vectors", "a.npy"), ("--dry-run",)):
            monkeypatch.setattr(sys, "argv", ["semblance-client", "import", "c", source, *more])
            with pytest.raises(SystemExit) as ended, warnings.catch_warnings():
                main()
            said = "".join(capsys.readouterr())
            assert ended.value.code in {1, 2} and said and "s3cret" not in said, said
        with pytest.raises((ValueError, OSError)) as told:
            project.upload(source)
        assert "s3cret" not in str(told.value)


def test_says_in_a_line_what_is_wrong_with_a_file(terminal: Terminal) -> None:
    np.save(terminal.folder / "a.npy", np.array([["x"]]))
    (terminal.folder / "a.csv").write_text("id\na\n")
    for name in ("a.ndjson.gz", "a.parquet", "a.semblance", "a.docx"):
        (terminal.folder / name).write_text("this is none, but long enough")
    told = {
        ("a.csv", "--vectors", "a.npy"): "must be numbers",
        ("a.ndjson.gz",): "gzip",
        ("a.parquet",): "Parquet",
        ("a.semblance",): "400 Bad Request",
        ("a.docx",): "is no .parquet",
        ("gone.ndjson",): "No such file",
    }
    for args, reason in told.items():
        model = () if "semblance" in args[0] else ("--model", "m")
        assert reason in terminal.bad(1, "import", "some", *args, *model)


def test_shows_nothing_that_would_steer_the_terminal(terminal: Terminal, write: Write) -> None:
    steering = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\n[bold]"
    items = [item(f"{n}{steering}", n, text=steering) for n in (1, 2)]
    terminal.good("import", "some", write("a.ndjson", *items), "--model", "m")
    found = terminal.good("search", "some", f"1{steering}")
    missing = terminal.bad(1, "search", "some", f"3{steering}")
    assert len(found.splitlines()) == 2
    assert "[bold]" in found
    assert re.search(r"[^\n\x20-\x7e]", found + missing) is None


def test_says_so_when_its_output_cannot_be_written(terminal: Terminal, write: Write) -> None:
    terminal.good("import", "some", write("a.ndjson", *COLOURS), "--model", "m")
    assert "/ is a folder" in terminal.bad(1, "export", "some", "-o", "/")
    assert "No space left" in terminal.bad(1, "export", "some", "-o", "/dev/full")
    assert Path("/dev/full").is_char_device()
    with terminal.start("export", "some") as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert (process.wait(TIMEOUT), process.stderr.read()) == (0, "")


def test_leaves_no_file_of_an_export_that_broke_off(terminal: Terminal) -> None:
    project = b'{"owner":"a","project_handle":"b","dimensions":3}'
    answers = [
        b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
        % (len(project), project),
        b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n11\r\n{"text_id": "a"}\n\r\n',
    ]
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            for data in answers:
                connection, _ = server.accept()
                with connection:
                    connection.recv(65_536)
                    connection.sendall(data)

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}"
        told = terminal.bad(1, "export", "a/b", "-o", "a.ndjson", "--url", url, "--key", "k")
        thread.join(TIMEOUT)
    assert "broke off" in told
    assert [path.name for path in terminal.folder.iterdir()] == ["config"]


def test_gives_keys_and_tells_the_administrator_who_has_what(
    terminal: Terminal, user: User, write: Write, admin: Client, connect: Connect
) -> None:
    login = terminal.folder / "config/semblance/login.json"
    before = login.read_text()
    assert terminal.good("keys", "rotate") == f"The key of {user.handle} is in {login}\n"
    assert login.read_text() != before
    assert user.handle in terminal.good("status")
    assert "403" in terminal.bad(1, "users")

    terminal.good("import", "some", write("a.ndjson", *COLOURS), "--model", "m")
    limits = ("--name", "notebook", "--projects", "some", "--expires", "2099-01-31")
    terminal.bad(2, "keys", "create", *limits)
    told = f"The key notebook of {user.handle} is in new.key\n"
    assert terminal.good("keys", "create", *limits, "-o", "new.key") == told
    key = terminal.folder / "new.key"
    assert key.stat().st_mode & 0o777 == 0o600
    shown = terminal.good("keys", "list")
    assert f"notebook  read    2099-01-31T00:00  never      {user.handle}/some\n" in shown
    terminal.good("projects", "--key-file", "new.key")
    terminal.bad(1, "delete", "some", "--all", "--yes", "--key-file", "new.key")
    old = key.read_text()
    assert terminal.good("keys", "rotate", "--name", "notebook", "-o", "new.key") == told
    assert key.read_text() != old
    last = key.read_text()
    terminal.bad(1, "keys", "rotate", "--name", "no-such-key", "-o", "new.key")
    assert key.read_text() == last
    terminal.bad(2, "keys", "create", user.handle, "--expires", "2099-01-31", "-o", "new.key")
    terminal.bad(2, "keys", "rotate", "--access", "read", "-o", "new.key")
    revoked = terminal.good("keys", "revoke", "--name", "notebook")
    assert revoked == f"Key '{user.handle}/notebook' revoked\n"

    admin._transport.json("PATCH", "users", user.handle, body={"name": "Ann"})
    as_admin = Terminal(terminal.folder, {**terminal.env, "SEMBLANCE_KEY": ADMIN_KEY})
    as_admin.bad(2, "keys", "create", user.handle)
    made = as_admin.good("keys", "create", user.handle, "-o", "new.key")
    assert made == f"The key of {user.handle} is in new.key\n"
    assert admin._transport.json("GET", "users", user.handle)["name"] == "Ann"
    assert user.handle in terminal.good("status", "--key-file", "new.key")
    assert re.search(rf"\n{user.handle} +1 +4 +[\d,]+\n", as_admin.good("users", "--bytes"))


@pytest.mark.parametrize(
    "args",
    [
        ["search"],
        ["search", "some"],
        ["search", "some", "a", "--filter", "no JSON"],
        ["search", "some", "a", "--lmit", "3"],
        ["search", "some", "a", "--include", "all"],
        ["import", "some", "a.csv"],
        ["import", "some", "a.ndjson", "--text-queries", "somebody"],
        ["import", "some", "a.semblance", "--on-conflict", "replace"],
        ["import", "../some", "a.ndjson"],
        ["export", "some", "--format", "xml"],
        ["export", "some", "--format", "ndjson", "-o", "a.Parquet"],
        ["export", "some", "-o", "a.ndjson.gz"],
        ["delete", "some"],
        ["delete", "some", "--all", "--yes", "--dry-run=1"],
        ["status", "--url", "nowhere"],
        ["status", "--url", "http://ann:secret@localhost:1"],
        ["login", "--url", "http://localhost:1/#", "--key", "k"],
        ["login"],
        ["nothing"],
    ],
    ids=" ".join,
)
def test_a_command_line_that_makes_no_sense(
    args: list[str],
    url: str,
    user: User,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SEMBLANCE_URL", url)
    monkeypatch.setenv("SEMBLANCE_KEY", user.key)
    monkeypatch.setattr(sys, "argv", ["semblance-client", *args])
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    with pytest.raises(SystemExit) as ended, warnings.catch_warnings():
        main()
    told = capsys.readouterr()
    assert (ended.value.code, told.out) == (2, "")
    assert re.fullmatch(r"semblance-client: [^\n]+\n", told.err)
    assert "secret" not in told.err


def test_says_what_the_command_lacks(terminal: Terminal) -> None:
    click = terminal.folder / "click.py"
    click.write_text("raise ImportError")
    assert "pip install './clients/python[terminal]'" in terminal.bad(1, "status")


def test_completes_command_lines(terminal: Terminal) -> None:
    variables = {"_SEMBLANCE_CLIENT_COMPLETE": "bash_complete", "COMP_CWORD": "1"}
    at = Terminal(terminal.folder, {**variables, "COMP_WORDS": "semblance-client se"})
    assert at.run().stdout == "plain,search\nplain,serve-model\nplain,set-metadata\n"
