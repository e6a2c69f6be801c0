"""The same within an event loop."""

from __future__ import annotations

import asyncio
import gc
import inspect
import json
import os
import random
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep

import numpy as np
import pytest
from conftest import COLOURS, NAMES, TONES, User
from numpy.typing import NDArray
from proxy import Proxy

from semblance_client import (
    AsyncClient,
    AsyncProject,
    Client,
    NotFoundError,
    Project,
    SemblanceError,
    SemblanceWarning,
    Uploaded,
)

Random = Callable[[int, int], NDArray[np.float32]]


@pytest.fixture
async def loop_client(url: str, user: User) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(url, user.key) as client:
        yield client


@pytest.fixture
async def loop_project(loop_client: AsyncClient) -> AsyncProject:
    project = await loop_client.project("colours", dimensions=3, model="tiny")
    await project.upload(NAMES, COLOURS, [f"The colour {name}" for name in NAMES], TONES)
    return project


@pytest.mark.parametrize(("one", "other"), [(Client, AsyncClient), (Project, AsyncProject)])
def test_both_have_the_same_methods(one: type, other: type) -> None:
    names = {
        name
        for kind in (one, other)
        for name, _ in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_")
    }
    assert len(names) > 7
    for name in names:
        assert getattr(one, name).__doc__ == getattr(other, name).__doc__ != None  # noqa: E711
        mine = inspect.signature(getattr(one, name)).parameters.values()
        others = inspect.signature(getattr(other, name)).parameters.values()
        assert [(each.name, each.kind, each.default) for each in mine] == [
            (each.name, each.kind, each.default) for each in others
        ]


async def test_does_what_the_other_does(
    loop_client: AsyncClient, loop_project: AsyncProject, client: Client, tmp_path: Path
) -> None:
    twin = client.project("colours")
    assert repr(loop_project) == f"Async{twin!r}"
    found = await loop_project.search([1, 0.4, 0], include=["text", "metadata", "vector"])
    assert repr(found) == repr(twin.search([1, 0.4, 0], include=["text"]))
    everything, others = await loop_project.get(), twin.get()
    assert everything.ids == others.ids and np.array_equal(everything.vectors, others.vectors)
    assert (await loop_project.to_pandas()).equals(twin.to_pandas())
    nearest = await loop_project.neighbours(2)
    assert nearest.to_pandas().equals(twin.neighbours(2).to_pandas())
    assert (await loop_project.compare(loop_project, k=2)).overlap == 1
    for name in ("a.ndjson", "a.parquet"):
        path = await loop_project.export(tmp_path / name)
        copy = await loop_client.project("copy", dimensions=3, model="tiny")
        assert (await copy.upload(path)).unchanged + await copy.count() > 0
        assert np.array_equal((await copy.get()).vectors, everything.vectors)
        assert await copy.delete(everything=True) == 4
    assert len(list(tmp_path.iterdir())) == 2
    await copy.drop()
    assert [project.handle for project in await loop_client.projects("own")] == ["colours"]
    with pytest.raises(NotFoundError, match="'blue' not found"):
        await loop_project.search("blue")


async def test_warns_of_the_line_that_searches(loop_project: AsyncProject) -> None:
    with pytest.warns(SemblanceWarning, match="below the threshold") as caught:
        await loop_project.search("red", threshold=0.8, k=3)
    assert caught[0].filename == __file__


def test_warns_of_the_line_that_searches_without_a_loop(colours: Project) -> None:
    with pytest.warns(SemblanceWarning, match="below the threshold") as caught:
        colours.search("red", threshold=0.8, k=3)
    assert caught[0].filename == __file__


async def test_many_requests_at_once(loop_project: AsyncProject) -> None:
    searches = (loop_project.search(name, k=1, include_self=True) for name in NAMES * 75)
    found = await asyncio.gather(*searches)
    assert [hit.id for results in found for hit in results] == NAMES * 75


async def test_goes_on_when_connections_are_lost(
    url: str, user: User, loop_project: AsyncProject, random_vectors: Random, tmp_path: Path
) -> None:
    lines = [
        json.dumps({"text_id": f"n{row}", "vector": vector.tolist()})
        for row, vector in enumerate(random_vectors(2_500, 3))
    ]
    (tmp_path / "many.ndjson").write_text("\n".join(lines))
    with Proxy(url) as proxy:
        async with AsyncClient(proxy.url, user.key) as client:
            through = await client.project("colours")
            for lost in ("before", "502", "504"):
                proxy.lose(lost, every=3)
                sent = await through.upload(tmp_path / "many.ndjson", concurrency=3)
                assert sum(vars(sent).values()) == 2_500
                await loop_project.delete([f"n{row}" for row in range(2_500)])


async def test_an_upload_that_is_cancelled_goes_on_later(
    url: str, user: User, loop_project: AsyncProject, random_vectors: Random
) -> None:
    ids, vectors = [f"n{row}" for row in range(4_000)], random_vectors(4_000, 3)
    with Proxy(url) as proxy:
        async with AsyncClient(proxy.url, user.key) as client:
            through = await client.project("colours")
            proxy.hold_from = len(proxy.heads) + 3
            upload = asyncio.create_task(through.upload(ids, vectors))
            while len(proxy.heads) < proxy.hold_from:
                await asyncio.sleep(0.01)
            upload.cancel()
            with pytest.raises(asyncio.CancelledError):
                await upload
            proxy.hold_from = 0
            stored = await through.count() - 4
            assert 0 < stored < 4_000
            again = await through.upload(ids, vectors)
            assert again.unchanged >= stored and await through.count() == 4_004


async def test_a_cancelled_export_leaves_no_file(
    url: str, user: User, loop_project: AsyncProject, tmp_path: Path
) -> None:
    with Proxy(url) as proxy:
        async with AsyncClient(proxy.url, user.key) as client:
            through = await client.project("colours")
            for name in ("a.ndjson", "a.parquet"):
                proxy.hold_from = len(proxy.heads) + 1
                export = asyncio.create_task(through.export(tmp_path / name))
                while len(proxy.heads) < proxy.hold_from:
                    await asyncio.sleep(0.01)
                export.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await export
    assert list(tmp_path.iterdir()) == []


async def test_requests_that_are_cancelled_take_no_connection(loop_client: AsyncClient) -> None:
    found = await loop_client.me()
    begin = monotonic()
    for _ in range(20):
        await loop_client.me()
    full = (monotonic() - begin) / 20
    generator = random.Random(7)

    async def cancelled(times: int) -> None:
        for _ in range(times):
            task = asyncio.create_task(loop_client.me())
            await asyncio.sleep(1.2 * full * generator.random())
            task.cancel()
            await asyncio.wait([task])

    # One after the other, and many at a time while others go on.
    await asyncio.wait_for(cancelled(1_000), 60)
    await asyncio.wait_for(asyncio.gather(*(cancelled(10) for _ in range(100))), 60)
    answers = asyncio.gather(*(loop_client.me() for _ in range(200)))
    assert await asyncio.wait_for(answers, 30) == [found] * 200
    assert len(asyncio.all_tasks()) == 1


async def test_cancelled_at_every_step(
    loop_client: AsyncClient, loop_project: AsyncProject
) -> None:
    for steps in range(200):
        task = asyncio.create_task(loop_project.neighbours(2))
        for _ in range(steps):
            await asyncio.sleep(0)
        # Twice: also while it ends.
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
    answers = asyncio.gather(*(loop_client.me() for _ in range(200)))
    assert len(await asyncio.wait_for(answers, 30)) == 200


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_loop_that_ends_while_requests_run(url: str, user: User, colours: Project) -> None:
    told = list[object]()

    async def main(steps: int) -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
        async with AsyncClient(url, user.key) as client:
            project = await client.project("colours")
            calls = [call for _ in range(15) for call in (project.neighbours(), client.me())]
            tasks = [asyncio.ensure_future(call) for call in calls]
            for task in tasks:
                # Those that go on lose their connections when the client is closed.
                task.add_done_callback(lambda task: task.cancelled() or task.exception())
            for _ in range(steps):
                await asyncio.sleep(0)
            for task in tasks[::3]:
                task.cancel()
            await asyncio.sleep(0)

    for steps in (1, 5, 20, 60, 200):
        asyncio.run(main(steps))
        gc.collect()
    assert told == []


async def test_after_the_first_part_that_fails_no_more_are_sent(
    loop_project: AsyncProject, tmp_path: Path
) -> None:
    rows = [{"text_id": f"n{row}", "vector": [1, 2, 3]} for row in range(4_000)]
    rows += [{"text_id": "bad", "vector": [1, 2]}, *rows]
    (tmp_path / "many.ndjson").write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(ValueError, match="line 4002"):
        await loop_project.upload(tmp_path / "many.ndjson", concurrency=2)
    assert not [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]


def test_one_client_in_one_loop_after_the_other(url: str, user: User, colours: Project) -> None:
    client = AsyncClient(url, user.key)

    async def search() -> list[str]:
        project = await client.project("colours")
        try:
            return (await project.search("red", k=1)).ids
        finally:
            await client.close()

    assert [asyncio.run(search()) for _ in range(3)] == [["orange"]] * 3


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_loop_that_ended_with_open_connections(url: str, user: User, colours: Project) -> None:
    client = AsyncClient(url, user.key)
    for _ in range(3):
        assert asyncio.run(client.me()) == user.handle
    del client
    gc.collect()


async def test_uploads_of_nothing(loop_project: AsyncProject) -> None:
    assert await loop_project.upload([]) == Uploaded()


def test_two_loops_at_once(url: str, user: User, colours: Project) -> None:
    client = AsyncClient(url, user.key)

    async def search() -> list[str]:
        project = await client.project("colours")
        found = await asyncio.gather(*(project.search(name, k=1) for name in NAMES[:3] * 20))
        await client.close()
        return [hit.id for results in found for hit in results]

    with ThreadPoolExecutor(4) as threads:
        ended = [threads.submit(asyncio.run, search()) for _ in range(8)]
        assert [each.result() for each in ended] == [["orange", "red", "red"] * 20] * 8


async def test_the_blocking_client_within_a_loop(colours: Project, tmp_path: Path) -> None:
    assert len(colours.neighbours()) == len(colours.get()) == 4
    assert colours.export(tmp_path / "a.parquet").stat().st_size > 0
    assert colours.upload(tmp_path / "a.parquet", concurrency=2) == Uploaded(unchanged=4)


async def test_cancelled_while_vectors_are_made(loop_client: AsyncClient) -> None:
    begun, ended = asyncio.Event(), list[int]()
    loop = asyncio.get_running_loop()

    def slow(texts: list[str]) -> NDArray[np.float32]:
        loop.call_soon_threadsafe(begun.set)
        sleep(0.2)
        ended.append(len(texts))
        return np.ones((len(texts), 2), np.float32)

    project = await loop_client.project("slow", dimensions=2, model="slow", embed=slow)
    texts = [f"text {row}" for row in range(500)]
    upload = asyncio.create_task(project.upload(range(500), texts=texts))
    await begun.wait()
    upload.cancel()
    with pytest.raises(asyncio.CancelledError):
        await upload
    # The function was waited for, and not called again.
    assert ended == [100]
    assert await project.count() == 0


async def test_projects_of_both_kinds_are_not_compared(
    loop_project: AsyncProject, colours: Project
) -> None:
    with pytest.raises(TypeError, match="other must be an AsyncProject"):
        await loop_project.compare(colours)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="other must be a Project of Client"):
        colours.compare(loop_project)  # type: ignore[arg-type]


async def test_at_least_one_part_is_sent_at_a_time(
    loop_project: AsyncProject, colours: Project
) -> None:
    for concurrency in (0, -1):
        with pytest.raises(ValueError, match=f"concurrency is {concurrency}, not 1 or more"):
            await loop_project.upload(NAMES, COLOURS, concurrency=concurrency)
        with pytest.raises(ValueError, match=f"concurrency is {concurrency}, not 1 or more"):
            colours.upload(NAMES, COLOURS, concurrency=concurrency)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders")
async def test_an_export_into_a_pipe_that_nobody_reads_yet(
    loop_project: AsyncProject, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    export = asyncio.create_task(loop_project.export(pipe, format="ndjson"))
    # The loop is free to open it.
    reading = asyncio.create_task(asyncio.to_thread(pipe.read_bytes))
    assert await export == pipe
    assert (await reading).count(b"\n") == 4


async def test_parts_that_fail_together(loop_project: AsyncProject, tmp_path: Path) -> None:
    rows = [{"text_id": "x" * 301 + str(row), "vector": [1, 2, 3]} for row in range(6_000)]
    (tmp_path / "many.ndjson").write_text("\n".join(map(json.dumps, rows)))
    with pytest.raises(SemblanceError, match="text_id"):
        await loop_project.upload(tmp_path / "many.ndjson", concurrency=3)
    assert len(asyncio.all_tasks()) == 1
