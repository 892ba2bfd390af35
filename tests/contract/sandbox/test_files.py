"""File operations of every runtime."""

import asyncio
import hashlib
import os

import pytest

from sandbox.errors import Conflict, LimitReached, NotFound, PathOutside, SandboxRefused, WrongKind
from sandbox.ports import Expect
from tests.contract.sandbox.conftest import Sandbox


async def test_a_written_file_is_read_back_with_its_hash(sandbox: Sandbox) -> None:
    await sandbox.runtime.write("/workspace/src/a.py", b"print(1)\n")

    content = await sandbox.runtime.read("src/a.py")

    assert content.content == b"print(1)\n"
    assert content.sha256 == hashlib.sha256(b"print(1)\n").hexdigest()
    assert content.size == 9


@pytest.mark.parametrize("size", [70_000, 1_000_000, 20_000_000])
async def test_contents_larger_than_a_pipe_arrive_whole(sandbox: Sandbox, size: int) -> None:
    content = os.urandom(size)

    await sandbox.runtime.write("big", content)

    assert (await sandbox.runtime.read("big")).content == content


async def test_a_part_of_a_file_comes_with_the_hash_of_the_whole(sandbox: Sandbox) -> None:
    await sandbox.runtime.write("a", b"0123456789")

    part = await sandbox.runtime.read("a", offset=3, limit=4)

    assert (part.content, part.size, part.sha256) == (b"3456", 10, hashlib.sha256(b"0123456789").hexdigest())


async def test_a_read_past_the_end_is_empty(sandbox: Sandbox) -> None:
    await sandbox.runtime.write("a", b"abc")

    assert (await sandbox.runtime.read("a", offset=100)).content == b""


async def test_names_that_are_not_utf8_survive(sandbox: Sandbox) -> None:
    name = os.fsdecode(b"caf\xe9")
    await sandbox.runtime.write(name, b"x")

    assert [stat.path for stat in await sandbox.runtime.list(".")] == [name]
    assert (await sandbox.runtime.read(name)).content == b"x"


async def test_a_write_with_the_expected_hash_succeeds_once(sandbox: Sandbox) -> None:
    await sandbox.runtime.write("a", b"one")
    seen = (await sandbox.runtime.read("a")).sha256

    await sandbox.runtime.write("a", b"two", expected=seen)

    with pytest.raises(Conflict):
        await sandbox.runtime.write("a", b"three", expected=seen)
    assert (await sandbox.runtime.read("a")).content == b"two"


async def test_of_many_creators_one_wins(sandbox: Sandbox) -> None:
    attempts = [sandbox.runtime.write("new", str(n).encode(), expected=Expect.ABSENT) for n in range(6)]

    outcomes = await asyncio.gather(*attempts, return_exceptions=True)

    assert sum(isinstance(outcome, Conflict) for outcome in outcomes) == 5


async def test_a_write_that_expects_a_file_refuses_when_it_is_gone(sandbox: Sandbox) -> None:
    with pytest.raises(Conflict):
        await sandbox.runtime.write("gone", b"x", expected="0" * 64)


async def test_a_write_keeps_the_mode_it_replaces_and_takes_the_one_it_is_given(sandbox: Sandbox) -> None:
    await sandbox.runtime.write("tool", b"#!/bin/sh\n", mode=0o755)

    assert (await sandbox.runtime.write("tool", b"#!/bin/bash\n")).mode == 0o755
    assert (await sandbox.runtime.write("plain", b"")).mode == 0o644


async def test_a_write_leaves_nothing_but_the_file(sandbox: Sandbox) -> None:
    await sandbox.runtime.write("d/a", b"1")
    with pytest.raises(Conflict):
        await sandbox.runtime.write("d/a", b"2", expected=Expect.ABSENT)

    assert [stat.path for stat in await sandbox.runtime.list("d")] == ["d/a"]


async def test_stat_says_what_is_there(sandbox: Sandbox) -> None:
    await sandbox.runtime.write("d/a", b"123")

    file, directory, absent = [await sandbox.runtime.stat(path) for path in ("d/a", "/workspace/d", "d/none/x")]

    assert (file.kind, file.size, file.inside, file.real_path) == ("file", 3, True, "/workspace/d/a")
    assert directory.kind == "directory"
    assert (absent.exists, absent.real_path) == (False, "/workspace/d/none/x")


async def test_a_link_inside_is_followed_by_read_and_write(sandbox: Sandbox) -> None:
    await sandbox.runtime.write("real/a", b"1")
    await sandbox.shell("ln -s real link; ln -s ../real/a real/alias")

    await sandbox.runtime.write("link/alias", b"2")

    assert (await sandbox.runtime.read("real/a")).content == b"2"
    assert (await sandbox.runtime.stat("link/alias")).real_path == "/workspace/real/a"


async def test_many_are_looked_at_in_their_order_for_the_price_of_one(sandbox: Sandbox) -> None:
    await sandbox.runtime.write("a/b.txt", b"abc")

    file, missing, folder = await sandbox.runtime.stats(["a/b.txt", "a/c.txt", "a"])

    assert (file.exists, file.kind, file.size) == (True, "file", 3)
    assert not missing.exists
    assert folder.kind == "directory"
    assert await sandbox.runtime.stats([]) == []
    with pytest.raises(LimitReached):
        await sandbox.runtime.stats(["a"] * 1_001)


async def test_a_link_that_leaves_the_workspace_is_told_by_stat_and_refused_by_use(sandbox: Sandbox) -> None:
    await sandbox.shell("ln -s /etc/passwd secrets; ln -s /usr tree; ln -s .. up")

    stat = await sandbox.runtime.stat("secrets")

    assert (stat.inside, stat.real_path) == (False, "/etc/passwd")
    for path in ("secrets", "tree/bin/env", "up/anything", "/workspace/../etc/passwd"):
        with pytest.raises(PathOutside):
            await sandbox.runtime.read(path)
    with pytest.raises(PathOutside):
        await sandbox.runtime.write("secrets", b"x")
    assert b"root" in (await sandbox.runtime.read(stat.real_path)).content


@pytest.mark.parametrize("path", ["/proc/self/environ", "/proc/1/root/etc/passwd", "/sys/kernel", "/proc"])
async def test_the_system_is_out_of_reach(sandbox: Sandbox, path: str) -> None:
    with pytest.raises(PathOutside):
        await sandbox.runtime.read(path)
    with pytest.raises(PathOutside):
        await sandbox.runtime.stat(path)


async def test_what_is_not_a_regular_file_is_refused_at_once(sandbox: Sandbox) -> None:
    await sandbox.shell("mkfifo pipe; mkdir directory")

    for path in ("pipe", "directory"):
        with pytest.raises(WrongKind):
            await sandbox.runtime.read(path)
    with pytest.raises(WrongKind):
        await sandbox.runtime.write("directory", b"x")
    with pytest.raises(WrongKind):
        await sandbox.runtime.write("pipe", b"x")
    with pytest.raises(WrongKind):
        await sandbox.runtime.read("/dev/null")


async def test_what_is_not_there_is_not_found(sandbox: Sandbox) -> None:
    for operation in (sandbox.runtime.read, sandbox.runtime.list, sandbox.runtime.remove):
        with pytest.raises(NotFound):
            await operation("nowhere")


@pytest.mark.parametrize("path", ["", "a\0b"])
async def test_impossible_paths_are_refused(sandbox: Sandbox, path: str) -> None:
    with pytest.raises(SandboxRefused):
        await sandbox.runtime.read(path)


async def test_remove_takes_a_file_a_link_itself_and_an_empty_directory(sandbox: Sandbox) -> None:
    await sandbox.runtime.write("d/a", b"1")
    await sandbox.shell("ln -s d/a link")

    with pytest.raises(WrongKind):
        await sandbox.runtime.remove("d")
    await sandbox.runtime.remove("link")
    assert (await sandbox.runtime.stat("d/a")).exists
    await sandbox.runtime.remove("d/a")
    await sandbox.runtime.remove("d")

    assert list(await sandbox.runtime.list(".")) == []


async def test_the_home_of_the_tool_user_is_kept_but_outside(sandbox: Sandbox) -> None:
    stat = await sandbox.runtime.write("/home/agent/.cache/x", b"1")

    assert not stat.inside
    assert await sandbox.shell("cat $HOME/.cache/x") == "1"


async def test_a_directory_swapped_for_a_link_never_leads_out(sandbox: Sandbox) -> None:
    await sandbox.shell("mkdir -p real outside; echo good > real/passwd; ln -s /etc link; cp -r real d")
    swap = "end=$((SECONDS+3)); while [ $SECONDS -lt $end ]; do mv -T link d2 && mv -T d link && mv -T d2 d; done"
    swapping = asyncio.create_task(sandbox.shell(swap))
    contents, refused = set(), 0

    while not swapping.done():
        try:
            contents.add((await sandbox.runtime.read("d/passwd")).content)
        except SandboxRefused:
            refused += 1
    await swapping

    assert contents <= {b"good\n"}
    assert refused > 0


async def test_a_workspace_that_was_closed_by_a_command_opens_again(sandbox: Sandbox) -> None:
    await sandbox.shell("echo here > f; chmod 000 .")

    assert (await sandbox.runtime.read("f")).content == b"here\n"
    assert await sandbox.shell("chmod 400 .") == ""
    assert await sandbox.shell("cat f") == "here\n"
