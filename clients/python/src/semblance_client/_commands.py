"""The commands of semblance-client, each for one server."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from pathlib import Path
from typing import Any

import click
import numpy as np

from . import _search
from ._convert import read_json
from ._databases import DATABASES, database_of
from ._files import check_whole
from ._import import import_items, import_whole
from ._io import iterate, run
from ._login import DEFAULT_URL, login_path, make_private, write_login, write_private
from ._progress import progress
from ._tables import MOST_REPORTED, embeddings_text, print_table, warn
from ._transport import object_of
from ._version import __version__
from .client import Client
from .errors import SemblanceError

# Who waits at a terminal soon wants to know that there is no server; an upload waits for one that starts again.
RETRIES = 2
RETRIES_OF_IMPORT = 8
PARTS = ("text", "metadata", "vector")
FORMATS = {"jsonl": "ndjson", "pq": "parquet"} | {
    name: name for name in ("ndjson", "parquet", "semblance")
}


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-v", "--version", message="%(version)s")
@click.pass_context
def commands(context: click.Context) -> None:
    """Upload embeddings to a Semblance server, search in them, and get them back."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def _client(url: str | None, key: str | None, key_file: Path | None, retries: int) -> Client:
    key = key or (key_file.read_text().strip() if key_file else None)
    try:
        client = Client(url, key, retries=retries)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    click.get_current_context().call_on_close(client.close)
    return client


def _command(
    *options: Any, name: str | None = None, retries: int = RETRIES
) -> Callable[[Callable[..., None]], click.Command]:
    """A command with these options and those of its server, whose client it gets; with `project` owner and handle."""

    def command(function: Callable[..., None]) -> click.Command:
        @wraps(function)
        def run(url: str | None, key: str | None, key_file: Path | None, **given: Any) -> None:
            client = _client(url, key, key_file, retries)
            if "project" in given:
                given["project"] = _owner_and_handle(client, given["project"])
            function(client, **given)

        for option in reversed((*options, *SERVER)):
            option(run)
        return commands.command(name)(run)

    return command


def _owner_and_handle(client: Client, name: str) -> tuple[str, str]:
    if not all(part.strip(".") for part in name.split("/")) or name.count("/") > 1:
        raise click.UsageError(f"'{name}' is no project: handle, or owner/handle")
    try:
        return client._owner_of(name)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _json_object(_: object, __: object, value: str | None) -> dict[str, Any] | None:
    try:
        found = None if value is None else read_json(value)
    except ValueError:
        found = value
    if found is None or isinstance(found, dict):
        return found
    raise click.BadParameter('must be a JSON object, such as \'{"ref.book": "Luke"}\'')


def _columns(_: object, __: object, values: tuple[str, ...]) -> dict[str, str | None] | None:
    pairs = [pair.strip().rpartition("=") for value in values for pair in value.split(",")]
    if all(name for name, _, _ in pairs):
        return {name: part or None for name, _, part in pairs} or None
    raise click.BadParameter("takes NAME=PART, such as doc=text, with commas between them")


def _parts(_: object, __: object, value: str | None) -> list[Any] | None:
    names = None if value is None else [name.strip() for name in value.split(",")]
    if names is None or set(names) <= set(PARTS):
        return names
    raise click.BadParameter("takes text, metadata and vector, with commas between them")


def _flag(*names: str, help: str) -> Any:  # noqa: A002
    return click.option(*names, is_flag=True, help=help)


def _path(name: str, **about: Any) -> Any:
    return click.option(name, type=click.Path(path_type=Path), **about)


SERVER = (
    click.option("--url", help="Of the server; else SEMBLANCE_URL, login, localhost:8880."),
    click.option("--key", help="API key, which others here can see; else SEMBLANCE_KEY, login."),
    _path("--key-file", help="File that holds the API key."),
)
PROJECT = click.argument("project")
AS_JSON = _flag("--json", "as_json", help="JSON, for programs.")
DRY_RUN = _flag("--dry-run", help="Check and count, and change nothing.")
LIMIT = click.option("-k", "--limit", default=10, show_default=True, type=click.IntRange(1))
THRESHOLD = click.option(
    "--threshold", default=0.0, type=click.FloatRange(0, 1), help="Least similarity, 0 to 1."
)
FILTER = click.option(
    "--filter", "condition", callback=_json_object, help='Only these: \'{"ref.book": "Luke"}\'.'
)
COLUMNS = click.option(
    "--columns",
    multiple=True,
    callback=_columns,
    help="What columns are: 'doc=text,_id=text_id,raw='; raw is left out.",
)
ON_CONFLICT = click.option(
    "--on-conflict",
    type=click.Choice(["skip", "replace", "error"]),
    help="Of what is there with other contents: leave it (skip), replace it, or stop.",
)
INCLUDE = click.option("--include", callback=_parts, help="Parts, of text,metadata,vector.")


def _print_json(value: object, indent: int | None = 2) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=indent))


@commands.command()
@click.option("--url", help="Of the server; else SEMBLANCE_URL, localhost:8880.")
@click.option("--key", help="API key, which others here can see.")
@click.option("--key-file", type=click.Path(path_type=Path), help="File that holds the API key.")
def login(url: str | None, key: str | None, key_file: Path | None) -> None:
    """Keep URL and key of a server, so that the other commands find them."""
    # Not by the file that was there before.
    url = url or os.environ.get("SEMBLANCE_URL") or DEFAULT_URL
    if key is None and key_file is None:
        is_asked = sys.stdin.isatty()
        key = (
            click.prompt(f"API key for {url} (not shown)", hide_input=True, err=True)
            if is_asked
            else sys.stdin.read()
        )
    key = (key if key is not None else key_file.read_text() if key_file else "").strip()
    if not key:
        raise click.UsageError("no key was given")
    client = _client(url, key, None, RETRIES)
    who = client.me() or "the administrator"
    print(f"{client.url} knows this key as {who}. It is kept in {write_login(client.url, key)}")
    if os.environ.get("SEMBLANCE_KEY"):
        print("As long as SEMBLANCE_KEY is set, that counts instead")


@_command()
def status(client: Client) -> None:
    """Show whether the server is ready, its version, and whose key is used."""
    transport = client._transport
    ready = transport.json("GET", "/readyz")
    try:
        metrics = transport.request("GET", "/metrics").text
    except SemblanceError as error:
        if error.status not in {401, 403}:
            raise
        metrics = ""
    engine = re.search(r'^semblance_\w*info\{[^}]*engine="(\w+)"', metrics, re.MULTILINE)
    who = "none; see semblance-client login"
    if client._key_source is not None:
        who = f"{client.me() or 'the administrator'}, by {client._key_source}"
    print(f"server   {client.url}\nstatus   {ready['status']}")
    for note in ready.get("notes") or ():
        print(f"note     {note}")
    print(f"version  {transport.json('GET', '/').get('version')}")
    print(f"engine   {engine[1] if engine else 'visible to administrators only'}\nkey      {who}")


@_command(AS_JSON)
def projects(client: Client, as_json: bool) -> None:
    """List your projects, those shared with you, and the public ones."""
    found = [project.info for project in client.projects()]
    if as_json:
        return _print_json(found)
    rows = []
    for each in found:
        access = (each.get("role"), "public" if each["public_read"] else None)
        about = (each.get(name) for name in ("dimensions", "model", "description"))
        name = f"{each['owner']}/{each['project_handle']}"
        rows.append((name, ", ".join(filter(None, access)), each["embedding_count"], *about))
    names = ("project", "access", "embeddings", "dimensions", "model", "description")
    return print_table(names, rows, "There is no project that you may read")


@_command(
    PROJECT,
    click.argument("source", type=click.Path(allow_dash=True)),
    click.option("--collection", "--table", "collection", help="Of a database."),
    COLUMNS,
    _path("--vectors", help="The .npy whose rows are the vectors of a .csv."),
    click.option("--model", help="Make project and instance if not there, of this model."),
    click.option("--endpoint", help="Of the instance that is made."),
    click.option("--api-standard", help="Of the instance that is made."),
    click.option(
        "--text-queries",
        type=click.Choice(["off", "members", "everybody"]),
        help="Who may search a project that is made in words.",
    ),
    ON_CONFLICT,
    click.option("--concurrency", type=click.IntRange(1, 16), help="Requests at the same time: 3."),
    DRY_RUN,
    name="import",
    retries=RETRIES_OF_IMPORT,
)
def import_source(
    client: Client, project: tuple[str, str], source: str, dry_run: bool, **options: Any
) -> None:
    """Upload a file or a collection of another database to a project; done again, it sends what is missing.

    SOURCE is a file that ends in .ndjson, .jsonl, .csv or .tsv (with --vectors), perhaps with .gz, or in .parquet
    (also a folder, or 'data/*.parquet') or .semblance; - is lines on stdin. Or it is chroma:///FOLDER,
    chroma://HOST:PORT, qdrant:///FOLDER or qdrant://HOST:PORT with --collection, or pgvector://USER@HOST/DATABASE
    with --table.
    """
    named = re.search(r"\.(csv|tsv|semblance)(\.gz)?$", source.lower())
    try:
        kind = database_of(source) or (named and named[1])
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if (kind in {"csv", "tsv"}) != (options["vectors"] is not None):
        raise click.UsageError("a CSV file needs --vectors FILE.npy, and nothing else does")
    if (kind in DATABASES) != (options["collection"] is not None):
        raise click.UsageError("a database needs --collection or --table, and nothing else does")
    if kind == "semblance":
        other = next((flag for flag, value in options.items() if value is not None), None)
        if other is not None:
            raise click.UsageError(f"--{other.replace('_', '-')} is not for a semblance file")
        file = Path(source)
        count, told = (check_whole(file), "") if dry_run else import_whole(client, project, file)
    else:
        count, told = import_items(client, "/".join(project), source, dry_run, **options)
    from_where = source if options["collection"] is None else options["collection"]
    dry = f"{embeddings_text(count)} of {from_where} would be uploaded; nothing was sent"
    print(dry if dry_run else told)


@_command(
    PROJECT,
    click.option(
        "--format",
        "form",
        type=click.Choice(["ndjson", "parquet", "semblance"]),
        help="Default by the ending of --output, else ndjson.",
    ),
    click.option("-o", "--output", default="-", help="Written when complete; default stdout."),
    FILTER,
    INCLUDE,
)
def export(
    client: Client, project: tuple[str, str], form: str | None, output: str, **chosen: Any
) -> None:
    """Write a project to a file, or to stdout."""
    target = Path(output)
    ending = target.suffix.lower().removeprefix(".")
    named = FORMATS.get(ending)
    if form is not None and named not in {None, form}:
        raise click.UsageError(f"--format {form} is not what a name that ends in .{ending} says")
    if form is None and named is None and ending:
        raise click.UsageError(f"a name that ends in .{ending} says no format: give --format")
    form = form or named or "ndjson"
    found = client.project("/".join(project))
    condition, include = chosen["condition"], chosen["include"]
    if output == "-":
        return run(found._core._export_into(sys.stdout.buffer, form, condition, include))
    if target.is_dir():
        raise ValueError(f"{output} is a folder")
    found.export(output, filter=condition, include=include, format=form)
    return print(f"{output} has {target.stat().st_size:,} bytes" if target.is_file() else "done")


@_command(
    PROJECT,
    click.argument("text_id", required=False),
    click.option("--words", help="Words to find in the texts, alone or with one of the others."),
    click.option("--text", help="What is meant, by the provider of the project's instance."),
    click.option("--vector-file", help="A JSON array of numbers, or an .npy file; - is stdin."),
    FILTER,
    LIMIT,
    THRESHOLD,
    INCLUDE,
    AS_JSON,
)
def search(
    client: Client,
    project: tuple[str, str],
    vector_file: str | None,
    condition: dict[str, Any] | None,
    include: list[str] | None,
    as_json: bool,
    **sought: Any,
) -> None:
    """Find what is similar to a stored text or to a vector, or has some words."""
    given = 3 - [sought["text_id"], sought["text"], vector_file].count(None)
    if given > 1 or (given == 0 and sought["words"] is None):
        raise click.UsageError(
            "search for a TEXT_ID, for --text or for the one of --vector-file, or for --words"
        )
    if include is None:
        include = ["text"]
    sought |= {"filter": condition, "include": include}
    if vector_file is not None:
        sought["vector"] = _read_vector(vector_file)
    body = {name: value for name, value in sought.items() if value is not None}
    response = client._transport.request("POST", "similars", *project, body=body)
    if note := response.headers.get("x-search-note"):
        warn(note)
    hidden = response.headers.get("x-search-hidden", "0")
    # Without a threshold these are the ones that are not similar at all.
    if hidden != "0" and sought["threshold"] > 0:
        warn(f"{hidden} more are below the threshold of {sought['threshold']}")
    answer = object_of(response)
    if as_json:
        return _print_json(answer)
    ranked = "similarity" if sought["words"] is None else "score"
    rows = [
        (f"{hit[ranked]:.4f}", hit["id"], *(_shown(hit.get(part)) for part in include or ()))
        for hit in answer["results"]
    ]
    return print_table((ranked, "text_id", *(include or ())), rows, "Nothing was found")


def _shown(value: object) -> str | None:
    is_text = value is None or isinstance(value, str)
    return value if is_text else json.dumps(value, ensure_ascii=False)  # type: ignore[return-value]


def _read_vector(file: str) -> Any:
    data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    try:
        is_npy = data[1:6] == b"NUMPY"
        given = np.load(io.BytesIO(data), allow_pickle=False) if is_npy else read_json(data)
        names, (search, *_) = _search.sought(np.asarray(given), None)
    except (TypeError, ValueError) as error:
        problem = f"{file} is neither a JSON array of numbers nor an .npy file: {error}"
        raise click.UsageError(problem) from None
    if len(names) == 1:
        return search["vector"]
    raise click.UsageError(f"{file} has {len(names)} vectors, not one")


@_command(
    PROJECT,
    LIMIT,
    THRESHOLD,
    FILTER,
    click.option("--different", help="Only neighbours that differ in this metadata field."),
)
def neighbours(
    client: Client,
    project: tuple[str, str],
    limit: int,
    condition: dict[str, Any] | None,
    **options: Any,
) -> None:
    """Print the nearest neighbours of every embedding, as lines of JSON."""
    options |= {"k": limit, "filter": condition}
    body = {name: value for name, value in options.items() if value is not None}
    last: list[str] = []
    core = client.project("/".join(project))._core
    lines = iterate(core._neighbour_lines(body, lambda: last[-1] if last else None))
    with progress(f"neighbours in {project[1]}") as bar:
        for line in lines:
            if "id" in line:
                last[:] = [line["id"]]
                bar.advance(1)
                _print_json(line, None)
            elif "done" in line:
                return
    raise ValueError("the answer has no end")


@_command(
    PROJECT,
    click.argument("text_ids", nargs=-1, metavar="[TEXT_ID]..."),
    FILTER,
    _flag("--all", "everything", help="All embeddings; the project stays."),
    _flag("-y", "--yes", help="Do not ask."),
    DRY_RUN,
)
def delete(
    client: Client,
    project: tuple[str, str],
    text_ids: tuple[str, ...],
    condition: dict[str, Any] | None,
    everything: bool,
    yes: bool,
    dry_run: bool,
) -> None:
    """Delete embeddings of a project: by text_id, by filter, or all."""
    if [bool(text_ids), condition is not None, everything].count(True) != 1:
        raise click.UsageError("say what to delete by one of TEXT_ID..., --filter and --all")
    body = {"filter": condition} if condition is not None else {"text_ids": text_ids}
    request: tuple[Any, ...] = ("POST", "embeddings", *project, "delete")
    if everything:
        request, body = ("DELETE", "embeddings", *project), None  # type: ignore[assignment]
    found = client._transport.json(*request, body=body, params={"dry_run": "true"})
    what = f"{embeddings_text(found['matched_count'])} of {'/'.join(project)}"
    if dry_run or found["matched_count"] == 0:
        print(f"{what} would be deleted")
    elif yes or _confirmed(what):
        print(client._transport.json(*request, body=body)["message"])
    if missing := found.get("not_found"):
        named = ", ".join(map(repr, missing[:MOST_REPORTED]))
        raise ValueError(f"{len(missing)} of them were not there: {named}")


def _confirmed(what: str) -> bool:
    if not sys.stdin.isatty():
        raise click.UsageError(f"{what} are meant; where there is no terminal to ask, give --yes")
    if click.confirm(f"Delete {what}?", err=True):
        return True
    raise ValueError("nothing was deleted")


@_command(
    PROJECT,
    click.argument("source", type=click.Path(allow_dash=True)),
    COLUMNS,
    _flag("--whole", help="Remove what SOURCE does not have from the metadata of its rows."),
    DRY_RUN,
    name="set-metadata",
    retries=RETRIES_OF_IMPORT,
)
def set_metadata(
    client: Client, project: tuple[str, str], source: str, dry_run: bool, **options: Any
) -> None:
    """Correct metadata by a file; done again, it goes on.

    SOURCE has text_id and the fields that change, as for import; its vectors and texts are not looked at.
    """
    found = client.project("/".join(project)).set_metadata(source, dry_run=dry_run, **options)
    would = "would get" if dry_run else "got"
    told = f"{embeddings_text(found.replaced)} of {'/'.join(project)} {would} other metadata"
    print(f"{told}, {found.unchanged:,} had them already")
    if found.missing:
        named = ", ".join(map(repr, found.missing[:MOST_REPORTED]))
        raise ValueError(f"{len(found.missing)} of them are not there: {named}")


@_command(
    PROJECT,
    click.argument("name"),
    click.option("--embed", help="Make the vectors anew, with this model here, or by 'server'."),
    click.option("--budget", type=click.IntRange(0), help="Embed at most so many texts now."),
    click.option("--model", help="Of the project that is made, with --embed."),
    click.option("--dimensions", type=click.IntRange(1), help="Of its vectors."),
    click.option("--endpoint", help="Of its instance."),
    ON_CONFLICT,
    retries=RETRIES_OF_IMPORT,
)
def copy(client: Client, project: tuple[str, str], name: str, **options: Any) -> None:
    """Copy a project, perhaps with vectors of another model; done again, it goes on."""
    given = {key: value for key, value in options.items() if value is not None}
    made = client.project("/".join(project)).copy(name, **given)
    print(f"{made.owner}/{made.handle} has {embeddings_text(made.info['embedding_count'])}")


@_command(click.option("--embed", help="Model here for searches by meaning in projects of it."))
def mcp(client: Client, embed: str | None) -> None:
    """Serve the tools of the server to an agent that starts this: MCP over stdin and stdout."""
    from ._mcp import serve  # noqa: PLC0415

    for line in serve(client, embed, sys.stdin):
        print(line, flush=True)


@commands.command("serve-model")
@click.argument("model")
@click.option("--port", type=click.IntRange(0, 65535), help="Else 8890, or the next free one.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where it listens.")
@click.option(
    "--for-others",
    is_flag=True,
    help="Listen on a --host that other machines reach; nobody needs a key.",
)
def serve_model(model: str, port: int | None, host: str, for_others: bool) -> None:
    """Let a Semblance server make vectors with a model of this machine, until Ctrl-C."""
    from ._serve_model import ModelServer, is_loopback  # noqa: PLC0415

    if not (is_loopback(host) or for_others):
        raise click.UsageError(f"other machines reach {host}, and need no key: say --for-others")
    with ModelServer(model, host, port) as server, suppress(KeyboardInterrupt):
        print(
            f"{model}, {server.dimensions} dimensions, answers until you press Ctrl-C.\n\n"
            "1. For the operator of the Semblance server, who starts it again with this setting:\n\n"
            f"   SERVICE_EMBEDDINGHOSTS={server.place}\n\n"
            "2. For New project in the browser, or --endpoint of semblance-client import:\n\n"
            f"   {server.endpoint}\n",
            flush=True,
        )
        server.serve_forever()


@_command(_flag("--bytes", "with_bytes", help="Also how large it is: asks about each."), AS_JSON)
def users(client: Client, with_bytes: bool, as_json: bool) -> None:
    """List all users with what they have, for the administrator."""
    names = ["user", "projects", "embeddings", *(["bytes"] if with_bytes else [])]
    handles = client._transport.json("GET", "users")["users"]
    found = {user: {**dict.fromkeys(names, 0), "user": user} for user in handles}
    for project in client.projects():
        if project.owner in found:
            sums = found[project.owner]
            sums["projects"] += 1
            sums["embeddings"] += project.info["embedding_count"]
            if with_bytes:
                sums["bytes"] += project.statistics()["bytes"]["total"]
    if as_json:
        return _print_json(list(found.values()))
    return print_table(names, [list(row.values()) for row in found.values()], "There are no users")


@_command(
    click.argument("action", type=click.Choice(["create", "rotate", "list", "revoke"])),
    click.argument("user", required=False),
    click.option("--name", help="Of a key beside the first one."),
    click.option(
        "--access", type=click.Choice(["read", "write"]), help="Of a new one: default read."
    ),
    click.option("--projects", "among", help="Of a new one: only these, with commas."),
    click.option("--expires", metavar="DATE", help="Of a new one: when it stops."),
    click.option("-o", "--output", help="Where to write the key, for you alone; - is stdout."),
    AS_JSON,
)
def keys(
    client: Client,
    action: str,
    user: str | None,
    name: str | None,
    output: str | None,
    as_json: bool,
    **limits: Any,
) -> None:
    """Give a user a key, or one with limits (--name): create, rotate, list, revoke."""
    own = client.me()
    whose = user or own
    if whose is None or (action == "create" and name is None and user is None):
        raise click.UsageError("name the user")
    if any(limits.values()) and (action != "create" or name is None):
        raise click.UsageError("--access, --projects and --expires are for a new key with --name")
    if action == "list":
        return _list_keys(client, whose, as_json)
    if action == "revoke":
        if name is None:
            raise click.UsageError("say which key: --name NAME")
        client.revoke_key(name, whose)
        return print(f"Key '{whose}/{name}' revoked")
    keeps_login = name is None and whose == own and client._key_source == str(login_path())
    if output is None and not keeps_login:
        raise click.UsageError("say where to write the key: --output FILE, or - for stdout")
    # A key that cannot be written would be lost, and so would the one in the file if the server refuses.
    if output not in {None, "-"}:
        make_private(Path(output or ""))
    key = _new_key(client, action, whose, name, **limits)
    files = [str(write_login(client.url, key))] if keeps_login else []
    if output == "-":
        return print(key)
    if output is not None:
        write_private(Path(output), f"{key}\n")
        files.append(output)
    return print(f"The key {f'{name} ' if name else ''}of {whose} is in {' and '.join(files)}")


def _new_key(
    client: Client,
    action: str,
    user: str,
    name: str | None,
    access: Any,
    among: str | None,
    expires: str | None,
) -> str:
    if action == "rotate":
        below = ("rotate-key",) if name is None else ("keys", name, "rotate")
        return str(client._transport.json("POST", "users", user, *below)["api_key"])
    if name is None:
        return client.create_user(user)
    within = among and [each if "/" in each else f"{user}/{each}" for each in among.split(",")]
    ends = f"{expires}T00:00:00Z" if re.fullmatch(r"\d{4}-\d\d-\d\d", expires or "") else expires
    return client.create_key(
        name, access=access or "read", projects=within or None, expires_at=ends, user=user
    )


def _list_keys(client: Client, user: str, as_json: bool) -> None:
    found = client.list_keys(user)
    if as_json:
        return _print_json(found)
    rows = []
    for key in found:
        times = [(key.get(when) or "never")[:16] for when in ("expires_at", "last_used_at")]
        within = "all" if key.get("projects") is None else ", ".join(key["projects"])
        rows.append((key["key_handle"], key["access"], *times, within))
    names = ("key", "access", "ends", "last used", "projects")
    return print_table(names, rows, f"{user} has no key beside the first one")
