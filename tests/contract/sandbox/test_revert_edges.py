"""Undo of a change when its path now holds something else, its file is open in a program, or its content is too
large."""

from typing import Final

import pytest

from sandbox.errors import SandboxError
from sandbox.files import RevertResult
from sandbox.ports import RunRequest
from tests.contract.sandbox.conftest import Sandbox, new_id
from tests.contract.sandbox.test_reverts import Session, redo, state

IN_THE_WAY: Final = {
    "a folder at the path": "rm src/new; mkdir src/new; echo theirs > src/new/inside",
    "a link at the path": "rm src/new; ln -s /etc/hostname src/new",
    "a pipe at the path": "rm src/new; mkfifo src/new",
    "a link in place of its folder": "mv src elsewhere; ln -s elsewhere src",
    "a link out of the workspace": "mkdir -p ~/aside; cp -r src/. ~/aside; rm -r src; ln -s ~/aside src",
    "a file in place of its folder": "mv src elsewhere; echo file > src",
}  # fmt: skip


@pytest.fixture
async def me(sandbox: Sandbox) -> Session:
    """Return a session that has changed one file and created another one."""
    await sandbox.shell("rm -rf src elsewhere ~/aside; mkdir src; seq 1 9 > src/old")
    session = Session(sandbox)
    await session.bash("sed -i s/5/five/ src/old; echo mine > src/new")
    return session


@pytest.mark.parametrize("command", IN_THE_WAY.values(), ids=IN_THE_WAY)
async def test_what_is_in_the_way_is_a_conflict_and_never_written_through(me: Session, command: str) -> None:
    await me.sandbox.shell(command)
    before = await everything(me.sandbox)

    refused = await me.undo()

    assert not refused.applied
    assert {file.path for file in refused.files if file.status == "conflict"} >= {"src/new"}
    assert await everything(me.sandbox) == before

    kept = await me.undo(decision="keep")

    assert kept.applied
    assert await me.sandbox.shell("cat ~/aside/new 2> /dev/null; cat elsewhere/new 2> /dev/null; true") in (
        "",
        "mine\n",
    )
    changed = RevertResult(applied=True, files=[file for file in kept.files if file.before != file.after])
    assert (await redo(me.sandbox, changed)).applied
    assert await everything(me.sandbox) == before


@pytest.mark.parametrize("command", IN_THE_WAY.values(), ids=IN_THE_WAY)
async def test_taking_it_back_anyway_writes_nothing_outside_and_is_all_or_nothing(me: Session, command: str) -> None:
    await me.sandbox.shell(command)
    before = await everything(me.sandbox)
    try:
        result = await me.undo(decision="take_back")
    except SandboxError:
        result = None
    assert "five" in await me.sandbox.shell("cat ~/aside/old 2> /dev/null || echo five")
    if result is None or not result.applied:
        assert await everything(me.sandbox) == before


async def test_a_file_that_a_program_holds_open_is_taken_back(me: Session) -> None:
    call = new_id()
    holds = RunRequest(call, "exec 3>> src/old; touch held; sleep 30 & wait", timeout=30)
    await me.sandbox.runtime.start(holds)
    await me.sandbox.shell("while [ ! -e held ]; do sleep 0.05; done; rm held")

    undone = await me.undo()

    assert undone.applied
    assert await me.sandbox.shell("cat src/old; ls src") == "".join(f"{n}\n" for n in range(1, 10)) + "old\n"
    assert any(each.is_running for each in await me.sandbox.runtime.background())
    await me.sandbox.runtime.abort(call)


async def test_a_file_that_has_become_too_large_stays_and_is_named(me: Session) -> None:
    await me.sandbox.shell("head -c 3000000 /dev/zero >> src/new")

    undone = await me.undo()

    assert {file.path: file.status for file in undone.files} == {"src/old": "clean", "src/new": "not_covered"}
    assert next(file.reason for file in undone.files if file.path == "src/new") == "the file is too large now"
    assert await me.sandbox.shell("wc -c < src/new; grep -c five src/old || true") == "3000005\n0\n"


async def test_a_preview_says_what_each_file_would_become(me: Session) -> None:
    planned = {file.path: file for file in (await me.undo(preview=True)).files}
    made = {file.path: file for file in (await me.undo()).files}
    assert planned["src/new"].after is None
    assert {path: (file.before, file.after) for path, file in planned.items()} == {
        path: (file.before, file.after) for path, file in made.items()
    }


async def everything(sandbox: Sandbox) -> str:
    return await state(sandbox) + await sandbox.shell("find . ~/aside -printf '%p %y %l\\n' 2> /dev/null | sort; true")
