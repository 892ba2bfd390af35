"""Changes of files by tool calls are recorded, and reverted without affecting the changes of others, on every
runtime."""

import asyncio
import io
import tarfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pytest

from sandbox.files import Decision, RecordedChange, RevertResult, WantedRevert
from sandbox.ports import FileChange, RunRequest
from tests.contract.sandbox.conftest import Sandbox, new_id

MINE: Final = "ses_mine"
OTHER: Final = "ses_other"
TEXT: Final = "".join(f"line {number}\n" for number in range(1, 41))
State = dict[str, tuple[Any, ...]]


@dataclass
class Session:
    """A session that makes calls in a sandbox, with the changes that were recorded for it."""

    sandbox: Sandbox
    name: str = MINE
    changes: list[RecordedChange] = field(default_factory=list)

    async def bash(self, command: str) -> str:
        call = new_id()
        runtime = self.sandbox.runtime.recording(call, self.name)
        result = await runtime.run(RunRequest(call, command, timeout=30))
        await self._note(call)
        return result.output.decode()

    async def write(self, path: str, content: str) -> None:
        call = new_id()
        await self.sandbox.runtime.recording(call, self.name).write(path, content.encode())
        await self._note(call)

    async def patch(self, *changes: FileChange) -> None:
        call = new_id()
        await self.sandbox.runtime.recording(call, self.name).change(changes)
        await self._note(call)

    async def _note(self, call: str) -> None:
        found = await self.sandbox.runtime.changes_of(call)
        assert (found.more, found.problem) == (0, "")
        self.changes += found.files

    async def undo(
        self, *, decision: Decision = "", preview: bool = False, hunks: Sequence[int] | None = None
    ) -> RevertResult:
        chains: dict[str, list[Any]] = {}
        for change in self.changes:
            chains.setdefault(change.path, []).append((change.before, change.after))
        seen = {}
        if decision:
            seen = {file.path: file.before for file in (await self.undo(preview=True)).files}
        wanted = [
            WantedRevert(path, chain, hunks, decision if path in seen else "", seen.get(path))
            for path, chain in chains.items()
        ]
        return await self.sandbox.runtime.revert(new_id(), wanted, preview=preview)


async def redo(sandbox: Sandbox, result: RevertResult) -> RevertResult:
    wanted = [WantedRevert(file.path, [(file.before, file.after)]) for file in result.files]
    return await sandbox.runtime.revert(new_id(), wanted, preview=False)


async def state(sandbox: Sandbox) -> str:
    """Return every file of the workspace, without `.git`, with its mode, link target and content hash."""
    return await sandbox.shell(
        r"find . -path ./.git -prune -o \( -type f -o -type l \) -printf '%P %#m %l\n' | sort;"
        r" find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 -r sha256sum"
    )


@pytest.fixture(params=["repository", "plain"])
async def project(sandbox: Sandbox, request: pytest.FixtureRequest) -> Sandbox:
    start = "git init -q .; printf '*.log\\n' > .gitignore;" if request.param == "repository" else ""
    await sandbox.shell(f"{start} mkdir -p src; seq 1 30 > src/a.txt; echo gone > b.txt; ln -s src/a.txt link")
    await sandbox.runtime.write("text", TEXT.encode())
    return sandbox


async def test_an_undo_restores_every_byte_mode_and_link_and_a_redo_is_exact(project: Sandbox) -> None:
    me = Session(project)
    before = await state(project)
    await me.write("src/a.txt", "changed\n")
    await me.patch(FileChange("new/deep/file", b"\0binary"), FileChange("b.txt", None))
    await me.bash("chmod 700 text; ln -sf b.txt link; mv text moved; echo more >> src/a.txt; mkdir out; date > out/x")
    after = await state(project)

    undone = await me.undo()

    assert undone.applied
    assert await state(project) == before
    assert (await redo(project, undone)).applied
    assert await state(project) == after


async def test_files_that_others_changed_stay_and_other_lines_are_merged(project: Sandbox) -> None:
    me, other = Session(project), Session(project, OTHER)
    await me.write("text", TEXT.replace("line 3\n", "mine\n"))
    await me.write("mine", "mine")
    await other.write("text", TEXT.replace("line 3\n", "mine\n").replace("line 30\n", "theirs\n"))
    await other.bash("echo theirs > src/a.txt")

    undone = await me.undo()

    assert {(file.path, file.status) for file in undone.files} == {("text", "merged"), ("mine", "clean")}
    assert await project.shell("cat text") == TEXT.replace("line 30\n", "theirs\n")
    assert await project.shell("cat src/a.txt; ls mine 2>&1 | wc -l") == "theirs\n1\n"


@pytest.mark.parametrize("decision", ["keep", "take_back"])
async def test_a_conflict_changes_nothing_until_a_person_decides(project: Sandbox, decision: Decision) -> None:
    me, other = Session(project), Session(project, OTHER)
    await me.write("text", "mine\n")
    await me.write("mine", "mine")
    await other.write("text", "theirs\n")
    before = await state(project)

    refused = await me.undo()

    assert not refused.applied
    assert [(file.path, file.status) for file in refused.files if file.status == "conflict"] == [("text", "conflict")]
    assert "-theirs" in next(file.patch for file in refused.files if file.path == "text")
    assert await state(project) == before

    undone = await me.undo(decision=decision)

    assert undone.applied
    assert await project.shell("cat text") == ("theirs\n" if decision == "keep" else TEXT)
    assert await project.shell("ls mine 2>&1 | grep -c cannot") == "1\n"
    assert (await redo(project, undone)).applied
    assert await state(project) == before


async def test_a_decision_counts_only_for_the_content_that_was_seen(project: Sandbox) -> None:
    me, other = Session(project), Session(project, OTHER)
    await me.write("text", "mine\n")
    await other.write("text", "theirs\n")
    seen = (await me.undo(preview=True)).files[0].before
    await other.write("text", "theirs again\n")
    chain = [(change.before, change.after) for change in me.changes]

    wanted = [WantedRevert("text", chain, decision="take_back", seen=seen)]

    assert not (await project.runtime.revert(new_id(), wanted, preview=False)).applied


async def test_a_single_hunk_is_taken_back(project: Sandbox) -> None:
    me = Session(project)
    await me.write("text", TEXT.replace("line 3\n", "one\n").replace("line 20\n", "").replace("line 38\n", "two\n+\n"))

    assert (await me.undo(hunks=[0, 2])).applied
    assert await project.shell("cat text") == TEXT.replace("line 20\n", "")
    assert (await me.undo()).applied
    assert await project.shell("cat text") == TEXT


async def test_reverts_are_made_once(project: Sandbox) -> None:
    me = Session(project)
    await me.write("text", "mine\n")
    wanted = [WantedRevert("text", [(me.changes[0].before, me.changes[0].after)])]
    first = await project.runtime.revert("rev_once", wanted, preview=False)
    await me.write("text", "mine again\n")

    assert await project.runtime.revert("rev_once", wanted, preview=False) == first
    assert await project.shell("cat text") == "mine again\n"


async def test_a_command_is_not_charged_with_what_others_write_meanwhile(project: Sandbox) -> None:
    me, other = Session(project), Session(project, OTHER)
    running = asyncio.create_task(me.bash("until [ -e go ]; do sleep 0.02; done; echo mine > mine"))
    while not (await project.runtime.ping()).live_calls:
        await asyncio.sleep(0.01)
    await other.write("theirs", "theirs")
    await project.runtime.write("person", b"a person's")
    await project.runtime.write("go", b"")
    await running

    assert {change.path: change.shared for change in me.changes} == {"mine": False}
    assert [change.path for change in other.changes] == ["theirs"]


async def test_what_two_commands_change_at_once_is_not_certain(project: Sandbox) -> None:
    me, other = Session(project), Session(project, OTHER)
    running = asyncio.create_task(me.bash("until [ -e go ]; do sleep 0.02; done"))
    while not (await project.runtime.ping()).live_calls:
        await asyncio.sleep(0.01)
    await other.bash("echo theirs > theirs; touch go")
    await running

    assert {(change.path, change.shared) for change in other.changes} == {("theirs", True), ("go", True)}
    assert {change.path: change.shared for change in me.changes} == {"theirs": True, "go": True}


async def test_large_files_are_named_and_not_covered(project: Sandbox) -> None:
    me = Session(project)
    await me.bash("head -c 5000000 /dev/zero > large; echo small > small")

    undone = await me.undo()

    assert {(file.path, file.status) for file in undone.files} == {("large", "not_covered"), ("small", "clean")}
    assert await project.shell("ls large; ls small 2>&1 | grep -c cannot") == "large\n1\n"


async def test_a_command_that_changes_nothing_leaves_no_record(project: Sandbox) -> None:
    me = Session(project)
    await me.bash("cat text > /dev/null; touch text; git status 2> /dev/null > /dev/null")

    assert me.changes == []


async def test_changes_through_another_name_and_in_new_folders_are_seen(project: Sandbox) -> None:
    await project.shell("mkdir -p node_modules; ln text node_modules/text; mkdir empty")
    me = Session(project)
    await me.bash("true")
    await me.bash("echo changed > node_modules/text")
    await me.bash("echo new > empty/new")
    await me.bash("mkdir -p one/two; echo deep > one/two/file")

    assert [change.path for change in me.changes if not change.path.startswith("node_modules")] == [
        "text", "empty/new", "one/two/file",
    ]  # fmt: skip


async def archive_of(sandbox: Sandbox) -> list[bytes]:
    pieces: list[bytes] = []

    async def keep(piece: bytes) -> None:
        pieces.append(piece)

    await sandbox.runtime.archive(keep, limit=64 << 20, with_undo=True)
    return pieces


async def restore(sandbox: Sandbox, pieces: list[bytes]) -> None:
    async def read() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    await sandbox.runtime.restore(read(), limit=64 << 20)


async def test_undo_survives_in_an_archive(project: Sandbox, fresh_sandbox: Sandbox) -> None:
    if project.kind != fresh_sandbox.kind:
        pytest.skip("The archive is restored by the same kind of sandbox.")
    me = Session(project)
    await me.write("text", "mine\n")
    await me.bash("echo more >> src/a.txt; echo new > new")
    await restore(fresh_sandbox, await archive_of(project))
    there = Session(fresh_sandbox, changes=me.changes)

    assert {file.status for file in (await there.undo()).files} == {"clean"}
    assert await fresh_sandbox.shell("cat text; ls new 2>&1 | grep -c cannot") == TEXT + "1\n"


async def test_the_start_of_a_session_survives_in_an_archive_and_the_newest_stays_the_newest(
    project: Sandbox, fresh_sandbox: Sandbox
) -> None:
    if project.kind != fresh_sandbox.kind:
        pytest.skip("The archive is restored by the same kind of sandbox.")
    me, start = Session(project), await project.runtime.snapshot()
    for number in range(3):
        await me.write("text", f"mine {number}\n")
    await me.bash("rm src/a.txt")
    pieces = await archive_of(project)
    await restore(fresh_sandbox, pieces)

    review = await fresh_sandbox.runtime.review(start)
    assert [(file.path, file.status) for file in review.files] == [("src/a.txt", "deleted"), ("text", "modified")]
    assert "+mine 2" in review.files[1].patch
    calls = records_in(pieces)
    assert len(calls) >= 4
    assert [each for each in records_in(await archive_of(fresh_sandbox)) if each in calls] == calls


def records_in(pieces: list[bytes]) -> list[str]:
    """Return the names of the call records in an archive, in its order."""
    with tarfile.open(fileobj=io.BytesIO(b"".join(pieces))) as archive:
        return [name for name in archive.getnames() if name.startswith("undo/changes/")]
