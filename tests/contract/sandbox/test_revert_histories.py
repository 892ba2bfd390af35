"""Random histories of edits by two sessions, a person and commands are undone and redone exactly."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.files import RecordedChange, RevertResult, WantedRevert
from sandbox.local import LocalDeployment
from sandbox.ports import FileChange, RunRequest, Runtime, SandboxSpec
from tests.support.lanes import fewer
from tests.support.shared_sandboxes import new_id

PATHS: Final = ("a.txt", "b.txt", "d/c.txt", "d/e/f.txt")
EXAMPLES: Final = fewer(200, default=8)
SUPPRESSED: Final = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow)  # the clock of a busy machine
ACTORS: Final = ("mine", "theirs", "person")
LINES: Final = 12
Files = dict[str, tuple[str, int, str]]

paths = st.sampled_from(PATHS)
lines = st.lists(st.sampled_from([f"line {number}" for number in range(5)]), max_size=LINES)
texts = lines.map(lambda given: "".join(f"{line}\n" for line in given))
edits = st.one_of(
    st.tuples(st.just("write"), paths, texts),
    st.tuples(st.just("change"), paths, texts),
    st.tuples(st.just("append"), paths, st.integers(0, 9)),
    st.tuples(st.just("remove"), paths, st.none()),
    st.tuples(st.just("mode"), paths, st.sampled_from(["600", "644", "755"])),
    st.tuples(st.just("link"), paths, paths),
    st.tuples(st.just("move"), paths, paths),
)
histories = st.lists(st.tuples(st.sampled_from(ACTORS), edits), min_size=1, max_size=9)
COMMANDS: Final = {
    "append": "mkdir -p $(dirname {0}); echo {1} >> {0}",
    "remove": "rm -f {0}",
    "mode": "chmod {1} {0} 2> /dev/null",
    "link": "mkdir -p $(dirname {0}); ln -sfn {1} {0}",
    "move": "mkdir -p $(dirname {1}); mv -T {0} {1} 2> /dev/null",
}


class Workspace:
    """One local sandbox, with the recorded changes of the session under test."""

    def __init__(self, root: Path) -> None:
        self._loop = asyncio.new_event_loop()
        self._deployment = LocalDeployment(root, for_tests=True)
        self.files = self._deployment.files_of("w")
        self.runtime: Runtime = self.run(self._deployment.ensure(SandboxSpec("w", "none")))
        self.changes: list[RecordedChange] = []

    def run(self, work: Any) -> Any:
        return self._loop.run_until_complete(work)

    def close(self) -> None:
        self.run(self._deployment.close())
        self._loop.close()

    def empty(self) -> None:
        self.run(self.runtime.run(RunRequest(new_id(), "find . -mindepth 1 -delete")))
        self.changes = []

    def do(self, actor: str, edit: tuple[str, str, Any]) -> None:
        kind, path, value = edit
        call = new_id()
        runtime = self.runtime if actor == "person" else self.runtime.recording(call, actor)
        if (self.files / path).is_symlink() and kind in ("write", "change", "append"):
            return  # its target would be written, which may be outside
        if kind == "write":
            self.run(runtime.write(path, value.encode()))
        elif kind == "change":
            self.run(runtime.change([FileChange(path, value.encode()), FileChange(f"{path}.more", b"more")]))
        else:
            self.run(runtime.run(RunRequest(call, COMMANDS[kind].format(path, value))))
        if actor == "mine":
            self.changes += self.run(runtime.changes_of(call)).files

    def state(self) -> Files:
        found = {}
        for path in sorted(self.files.rglob("*")):
            if path.is_symlink():
                found[str(path.relative_to(self.files))] = ("link", 0, str(path.readlink()))
            elif path.is_file():
                found[str(path.relative_to(self.files))] = ("file", path.stat().st_mode, path.read_text())
        return found

    def undo(self, *, keep_conflicts: bool) -> RevertResult:
        chains: dict[str, list[Any]] = {}
        for change in self.changes:
            chains.setdefault(change.path, []).append((change.before, change.after))
        wanted = [WantedRevert(path, chain) for path, chain in chains.items()]
        result: RevertResult = self.run(self.runtime.revert(new_id(), wanted, preview=False))
        if result.applied or not keep_conflicts:
            return result
        seen = {file.path: file.before for file in result.files if file.status == "conflict"}
        wanted = [
            WantedRevert(path, chain, None, "keep" if path in seen else "", seen.get(path))
            for path, chain in chains.items()
        ]
        decided: RevertResult = self.run(self.runtime.revert(new_id(), wanted, preview=False))
        return decided

    def redo(self, result: RevertResult) -> RevertResult:
        wanted = [WantedRevert(file.path, [(file.before, file.after)]) for file in result.files]
        redone: RevertResult = self.run(self.runtime.revert(new_id(), wanted, preview=False))
        return redone


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    made = Workspace(tmp_path_factory.mktemp("histories"))
    yield made
    made.close()


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=SUPPRESSED)
@given(before=st.lists(edits, max_size=4), mine=st.lists(edits, min_size=1, max_size=6))
def test_what_only_one_session_did_is_undone_and_redone_exactly(
    workspace: Workspace, before: list[Any], mine: list[Any]
) -> None:
    workspace.empty()
    for edit in before:
        workspace.do("person", edit)
    start = workspace.state()
    for edit in mine:
        workspace.do("mine", edit)
    end = workspace.state()

    undone = workspace.undo(keep_conflicts=False)

    assert undone.applied
    assert workspace.state() == start
    assert workspace.redo(undone).applied
    assert workspace.state() == end


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=SUPPRESSED)
@given(history=histories)
def test_others_files_are_never_touched_and_a_redo_is_exact(workspace: Workspace, history: list[Any]) -> None:
    workspace.empty()
    for actor, edit in history:
        workspace.do(actor, edit)
    mine = {change.path for change in workspace.changes}
    before = workspace.state()

    refused = workspace.undo(keep_conflicts=False)
    assert refused.applied or workspace.state() == before
    undone = refused if refused.applied else workspace.undo(keep_conflicts=True)
    after = workspace.state()

    assert undone.applied
    touched = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert touched <= mine
    left = {change.path: change.after for change in workspace.changes}
    assert all(file.before == left[file.path] for file in undone.files if file.status == "clean")
    assert workspace.redo(undone).applied
    assert workspace.state() == before
