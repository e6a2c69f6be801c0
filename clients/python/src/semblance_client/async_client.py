"""A server, with the key of one user, within an event loop."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Literal

from ._embed import Embed, LocalModel, embedder, is_same_model, vectors_of
from ._io import BlockingIo, LoopIo
from ._login import find_login
from ._several import Several
from ._transport import Transport
from .async_project import AsyncProject
from .errors import NotFoundError
from .results import Results

# For vectors that are made elsewhere.
NO_ENDPOINT = "none"


class AsyncClient:
    """A server, with the key of one user, or without a key for public projects.

    Found in this order: the arguments, SEMBLANCE_URL and SEMBLANCE_KEY, what `semblance-client login` has written,
    and http://localhost:8880. `timeout` is how many seconds an answer may take to begin or to go on; `retries` is
    how often a request is repeated after a lost connection, a 429, 502, 503 or 504.
    """

    _io: type[BlockingIo] | type[LoopIo] = LoopIo

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        *,
        timeout: float = 120.0,
        retries: int = 5,
    ) -> None:
        found_url, found_key, self._key_source = find_login(url, key)
        self._transport = Transport(found_url, found_key, timeout, retries, self._io)
        self._known_handle: str | None = None

    @property
    def url(self) -> str:
        """Where the server is."""
        return self._transport.url

    def __repr__(self) -> str:
        return f"AsyncClient({self.url!r})"

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._transport.io.close()

    async def me(self) -> str | None:
        """The user whose key this is; None for the administrator."""
        handle: str | None = (await self._transport.json("GET", "me")).get("user_handle")
        self._known_handle = handle
        return handle

    async def create_user(self, handle: str) -> str:
        """The key of this user, who is made where there is none: for the administrator."""
        try:
            there = await self._transport.json("GET", "users", handle)
        except NotFoundError:
            there = {}
        # A PUT would remove what it does not name.
        details = {name: there[name] for name in ("name", "email") if there.get(name)}
        return str((await self._transport.json("PUT", "users", handle, body=details))["api_key"])

    async def list_keys(self, user: str | None = None) -> list[dict[str, Any]]:
        """What the keys beside the first one are good for, and when each was last used."""
        handle = user or await self._own_handle()
        answer = await self._transport.json("GET", "users", handle, "keys")
        keys: list[dict[str, Any]] = answer["keys"]
        return keys

    async def create_key(
        self,
        name: str,
        *,
        access: Literal["read", "write"] = "read",
        projects: Sequence[str] | None = None,
        expires_at: str | None = None,
        user: str | None = None,
    ) -> str:
        """One more key, perhaps for some projects (`owner/handle`) alone, or until a time; shown only here."""
        body: dict[str, Any] = {"key_handle": name, "access": access}
        if projects is not None:
            body["projects"] = list(projects)
        if expires_at is not None:
            body["expires_at"] = expires_at
        handle = user or await self._own_handle()
        # The second answer would say that the name is taken, and the key would be lost.
        answer = await self._transport.json("POST", "users", handle, "keys", body=body, once=True)
        return str(answer["api_key"])

    async def revoke_key(self, name: str, user: str | None = None) -> None:
        """Stops a key at once."""
        await self._transport.json(
            "DELETE", "users", user or await self._own_handle(), "keys", name
        )

    async def _own_handle(self) -> str:
        me = self._known_handle or await self.me()
        if me is None:
            raise ValueError("name the user: the administrator's key is no user's")
        return me

    async def projects(
        self, visibility: Literal["own", "shared", "public"] | None = None
    ) -> list[AsyncProject]:
        """The projects that may be read: one's own, shared ones, and public ones."""
        found: list[AsyncProject] = []
        while True:
            params = {"visibility": visibility, "limit": 200, "offset": len(found)}
            page = (await self._transport.json("GET", "projects", params=params))["projects"]
            found += [AsyncProject(self._transport, info, self.project) for info in page]
            if len(page) < 200:
                return found

    async def project(
        self,
        name: str,
        *,
        dimensions: int | None = None,
        model: str | None = None,
        description: str | None = None,
        endpoint: str | None = None,
        api_standard: str | None = None,
        text_queries: str | None = None,
        embed: Embed | None = None,
    ) -> AsyncProject:
        """The project `handle` of one's own, or `owner/handle`.

        With `model` and `dimensions` it is made where there is none, with an instance for the model; `endpoint`
        and `api_standard` say where the model is reached, where anybody shall know, and `text_queries` who may
        search it in words ("members", "everybody").

        With `embed`, vectors are made of texts: by the model of this name, such as "all-MiniLM-L6-v2", on this
        machine (`pip install './clients/python[embed]'`; it is `model` too, unless that is given); by a function that
        makes an array of a list of texts; or by the provider of the project's instance ("server"). A project that is
        made gets the dimensions of what a model or a function makes, and for "server" `text_queries` of "members".

        Raises NotFoundError where there is none, and ValueError where it has other dimensions or another model.
        """
        made_by = embedder(embed)
        if isinstance(made_by, LocalModel):
            model = model or made_by.name
        owner, handle = await self._owner_of(name)
        absent: NotFoundError | None = None
        try:
            info = await self._transport.json("GET", "projects", owner, handle)
        except NotFoundError as error:
            absent = error
        if absent is not None:
            if model is not None and dimensions is None and callable(made_by):
                made = await self._transport.io.call(lambda: vectors_of(made_by, ["text"], None))
                dimensions = made.shape[1]
            if model is None or dimensions is None:
                needed = "model" if callable(made_by) else "model and dimensions"
                raise absent.because(f"give {needed} to make it")
            if made_by == "server":
                text_queries = text_queries or "members"
            body = {
                "instance_owner": owner,
                "instance_handle": await self._instance(
                    owner, model, dimensions, endpoint, api_standard
                ),
                "description": description,
                **({} if text_queries is None else {"text_queries": text_queries}),
            }
            await self._transport.json("PUT", "projects", owner, handle, body=body)
            info = await self._transport.json("GET", "projects", owner, handle)
        for what, wanted in (("dimensions", dimensions), ("model", model)):
            found = info.get(what)
            is_same = found == wanted or (
                what == "model" and embed and found and is_same_model(found, model or "")
            )
            if wanted is not None and not is_same:
                raise ValueError(f"project '{owner}/{handle}' has {what} {found!r}, not {wanted!r}")
        return AsyncProject(self._transport, info, self.project, made_by)

    async def search(
        self, queries: Any = None, *, projects: Sequence[str | AsyncProject], **options: Any
    ) -> Results:
        """Searches up to 20 projects as if they were one; each hit has its `project`.

        `projects` are names, as `project` takes them, or projects; their vectors must be of one model, unless only
        `words` are searched for. The rest is that of `Project.search`: an id is `owner/project/text_id` here, vectors
        of texts are made by the first project that was given `embed`, and `group_by` may be "project".
        """
        embed = [project._embed for project in projects if not isinstance(project, str)]
        names = [
            "/".join(await self._owner_of(each)) if isinstance(each, str) else "/".join(each._path)
            for each in projects
        ]
        several = Several(self._transport, names, next(filter(None, embed), None))
        return await several.search(queries, **options)

    async def _owner_of(self, name: str) -> tuple[str, str]:
        owner, slash, handle = name.rpartition("/")
        if slash:
            return owner, handle
        # A key is one user's for ever, and a user is not renamed.
        me = self._known_handle or await self.me()
        if me is None:
            raise ValueError(
                f"this key belongs to no user: say whose project {name!r} is, as in 'ruth/{name}', "
                "or use a user's key, which create_user gives"
            )
        return me, name

    async def _instance(
        self, owner: str, model: str, dimensions: int, endpoint: str | None, standard: str | None
    ) -> str:
        """The handle of an instance of this model, which is made where there is none."""
        usual = re.sub(r"[^a-z0-9._-]+", "-", model.lower()).lstrip("._-")[:80] or "model"
        for handle in (usual, f"{usual}-{dimensions}"):
            try:
                found = await self._transport.json("GET", "llm-services", owner, handle)
            except NotFoundError:
                break
            if (found["model"], found["dimensions"]) == (model, dimensions):
                return handle
        else:
            raise ValueError(f"instances '{usual}' and '{handle}' of {owner} are of another model")
        body = {
            "endpoint": endpoint or NO_ENDPOINT,
            "api_standard": standard or await self._any_standard(),
            "model": model,
            "dimensions": dimensions,
        }
        await self._transport.json("PUT", "llm-services", owner, handle, body=body)
        return handle

    async def _any_standard(self) -> str:
        answer = await self._transport.json("GET", "api-standards")
        standards: list[dict[str, Any]] = answer["standards"]
        if not standards:
            raise ValueError("the server has no API standard; give api_standard")
        return str(standards[0]["api_standard_handle"])
