"""Finding the server, making projects, and what a refusal says."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import httpx
import pytest
from conftest import Connect, User
from proxy import Proxy

from semblance_client import Client, ConflictError, NotFoundError, Project, SemblanceError


@pytest.fixture
def login(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Where the login file would be."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    path = tmp_path / "semblance" / "login.json"
    path.parent.mkdir()
    return path


def write(login: Path, url: str, key: str) -> None:
    login.write_text(json.dumps({"url": url, "key": key}))
    login.chmod(0o600)


def test_environment_comes_before_the_login_file(
    connect: Connect, login: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert connect().url == "http://localhost:8880"
    write(login, "http://of-the-file:1", "k")
    assert connect().url == "http://of-the-file:1"
    monkeypatch.setenv("SEMBLANCE_URL", "http://of-the-environment:1/")
    assert connect().url == "http://of-the-environment:1"
    assert connect("http://given:1").url == "http://given:1"


def test_the_key_of_the_login_file_goes_to_its_server_only(
    connect: Connect, login: Path, url: str, user: User
) -> None:
    write(login, f"{url}/", f"{user.key}\n")
    assert connect().me() == user.handle
    assert connect(url).me() == user.handle
    write(login, "http://another:1", user.key)
    with pytest.raises(SemblanceError, match="401"):
        connect(url).me()


def test_refuses_a_login_file_that_others_may_read(login: Path) -> None:
    login.write_text("{}")
    login.chmod(0o644)
    with pytest.raises(PermissionError, match="chmod 600"):
        Client()


def test_makes_a_project_once(client: Client) -> None:
    made = client.project("verses", dimensions=3, model="Org/Tiny Model v1")
    assert (made.owner, made.handle) == (client.me(), "verses")
    assert (made.dimensions, made.model, len(made)) == (3, "Org/Tiny Model v1", 0)
    again = client.project("verses", dimensions=3, model="Org/Tiny Model v1")
    assert again.info["project_id"] == made.info["project_id"]
    assert client.project(f"{client.me()}/verses").info == again.info
    assert [project.handle for project in client.projects("own")] == ["verses"]
    assert repr(made) == f"Project('{client.me()}/verses', 3 dimensions of Org/Tiny Model v1)"


def test_refuses_a_project_of_another_model(client: Client) -> None:
    client.project("verses", dimensions=3, model="tiny")
    with pytest.raises(ValueError, match="has dimensions 3, not 4"):
        client.project("verses", dimensions=4, model="tiny")
    with pytest.raises(ValueError, match="has model 'tiny', not 'small'"):
        client.project("verses", dimensions=3, model="small")


def test_one_model_may_have_several_dimensions(client: Client) -> None:
    for dimensions in (3, 4, 5, 4):
        project = client.project(f"of-{dimensions}", dimensions=dimensions, model="matryoshka")
        assert project.dimensions == dimensions


def test_a_project_that_is_not_there_says_how_to_make_it(client: Client) -> None:
    with pytest.raises(NotFoundError, match="not found; give model and dimensions") as caught:
        client.project("verses")
    assert caught.value.status == 404
    assert caught.value.request_id


def test_an_administrator_says_whose_project_it_is(admin: Client, client: Client) -> None:
    assert admin.me() is None
    with pytest.raises(ValueError, match="as in 'ruth/verses'"):
        admin.project("verses")
    made = admin.project(f"{client.me()}/verses", dimensions=3, model="tiny")
    assert client.project("verses").info["project_id"] == made.info["project_id"]


def test_without_a_key_says_where_one_goes(url: str) -> None:
    with Client(url) as client, pytest.raises(SemblanceError, match="; no key was given: set SEM"):
        client.me()


def test_says_of_a_wrong_key_what_is_wrong(connect: Connect, url: str, user: User) -> None:
    swapped = user.key.swapcase().replace("SMB_", "smb_")
    for key in (user.key[:-1], user.key[:9], f"'{user.key}'", f"{user.key}0", swapped):
        with pytest.raises(SemblanceError, match="; the key is mistyped or incomplete") as caught:
            connect(url, key).me()
        assert key not in str(caught.value)
    for key in ("of-another-server", "smb_00000000000000000000000000000000000000000006tu5Xg"):
        with pytest.raises(SemblanceError, match="; the server does not know the key: it is an"):
            connect(url, key).me()


def test_sharing_and_publishing(admin: Client, connect: Connect, colours: Project) -> None:
    name = f"{colours.owner}/{colours.handle}"
    with pytest.raises(SemblanceError, match="401"):
        connect(admin.url, "no-key-at-all").project(name)
    reader = connect(admin.url, admin.create_user("reader-of-colours"))
    with pytest.raises(SemblanceError, match="403"):
        reader.project(name)
    shared = colours.share("reader-of-colours", "editor")
    assert shared == f"'{name}' shared with 'reader-of-colours' as editor"
    assert reader.project(name).upload(["blue"], [[0, 0, 1]]).stored == 1
    assert "reader-of-colours" in colours.unshare("reader-of-colours")
    with pytest.raises(SemblanceError, match="403"):
        reader.project(name)
    address = colours.publish()
    assert address == f"{admin.url}/explore/{name}"
    assert httpx.get(address).status_code == 200
    assert len(connect(admin.url).project(name)) == 5
    assert colours.publish(False) is None
    with pytest.raises(SemblanceError):
        connect(admin.url).project(name)


def test_keys_with_limits(client: Client, connect: Connect, colours: Project) -> None:
    name = f"{colours.owner}/{colours.handle}"
    limited = connect(client.url, client.create_key("notebook", projects=[name]))
    assert [project.handle for project in limited.projects()] == [colours.handle]
    with pytest.raises(SemblanceError, match="may write"):
        limited.project(name).upload(["blue"], [[0, 0, 1]])
    with pytest.raises(SemblanceError, match="first key"):
        limited.create_key("better", access="write")
    assert [(key["key_handle"], key["projects"]) for key in client.list_keys()] == [
        ("notebook", [name])
    ]
    client.revoke_key("notebook")
    with pytest.raises(SemblanceError, match="401"):
        limited.project(name)


def test_errors_can_be_pickled() -> None:
    error = ConflictError(409, "Conflict", "taken", "id")
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy)) == (ConflictError, "409 Conflict: taken (request id)")


def test_an_error_of_the_connection_does_not_hold_the_key(connect: Connect) -> None:
    client = connect("http://127.0.0.1:9", "a-secret-key", retries=0)
    with pytest.raises(httpx.ConnectError) as caught:
        client.me()
    assert "authorization" not in caught.value.request.headers


def test_asks_a_server_of_this_machine_without_a_proxy(
    connect: Connect, url: str, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Proxy(url) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        for place in (url, url.replace("127.0.0.1", "localhost")):
            assert connect(place, user.key).me() == user.handle
        assert proxy.heads == []
        with pytest.raises(SemblanceError):
            connect("http://server.invalid:8880", "another-key", retries=0).me()
        assert proxy.heads != []
