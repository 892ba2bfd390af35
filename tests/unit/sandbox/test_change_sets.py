"""After a runner is killed during a change set, the next runner completes all of it or reverts it."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from sandbox.runner.change_sets import RECOVERY_FILE, ChangeSets
from sandbox.runner.errors import Refusal
from sandbox.runner.privileges import SingleUser
from sandbox.runner.requested_changes import read_changes
from sandbox.runner.tree import Tree

BEFORE: Final = {"changed": b"old", "gone": b"still here", "same": b"untouched"}
AFTER: Final = {"changed": b"new", "same": b"untouched", "folder/added": b"added"}
DONE_IN_FILES: Final = ("open", "os.link", "os.rename", "os.remove", "os.mkdir", "os.rmdir")
KILLED: Final = 9


class Workspace:
    def __init__(self, root: Path) -> None:
        self.root, self.files, self.state = root, root / "files", root / "runner"
        for folder in (self.files, root / "home", self.state):
            folder.mkdir()
        for name, content in BEFORE.items():
            (self.files / name).write_bytes(content)

    def runner(self) -> ChangeSets:
        """Return the `ChangeSets` object of a newly started runner."""
        tree = Tree(str(self.files), str(self.root / "home"))
        return ChangeSets(tree, SingleUser(), str(self.state))

    def contents(self) -> dict[str, bytes]:
        return {
            str(path.relative_to(self.files)): path.read_bytes() for path in self.files.rglob("*") if path.is_file()
        }

    def killed_at(self, moment: int) -> bool:
        """Apply the change set in a process that dies before its `moment`th access to files. Return False if it
        completed."""
        pid = os.fork()
        if pid == 0:
            runner = self.runner()
            _die_at(moment)
            runner.apply(read_changes(*request()))
            os._exit(0)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == KILLED


def request() -> tuple[dict[str, Any], bytes]:
    changes = [
        {"path": "changed", "expected": "anything", "size": 3, "mode": None},
        {"path": "folder/added", "expected": "absent", "size": 5, "mode": None},
        {"path": "gone", "expected": "anything", "size": None, "mode": None},
    ]
    return {"changes": changes}, b"newadded"


def _die_at(moment: int) -> None:
    touched = 0

    def look(event: str, _: tuple[Any, ...]) -> None:
        nonlocal touched
        if event in DONE_IN_FILES:
            touched += 1
            if touched == moment:
                os._exit(KILLED)

    sys.addaudithook(look)


@pytest.fixture
def workspaces(tmp_path: Path) -> Iterator[Workspace]:
    return (Workspace(_made(tmp_path / str(number))) for number in range(200))


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_a_runner_killed_at_any_moment_leaves_all_or_nothing(workspaces: Iterator[Workspace]) -> None:
    outcomes = []
    for moment, workspace in enumerate(workspaces, 1):
        was_killed = workspace.killed_at(moment)
        workspace.runner()
        outcomes.append(workspace.contents())
        assert outcomes[-1] in (BEFORE, AFTER), moment
        assert not (workspace.state / RECOVERY_FILE).exists()
        if not was_killed:
            break
    assert outcomes[0] == BEFORE
    assert outcomes[-1] == AFTER
    assert len(outcomes) > 10


@pytest.mark.full
def test_a_runner_killed_while_it_undoes_goes_on_undoing(workspaces: Iterator[Workspace]) -> None:
    for first in range(6, 18, 3):
        workspace = next(workspaces)
        workspace.killed_at(first)
        for second in range(1, 5):
            if os.fork() == 0:
                _die_at(second)
                workspace.runner()
                os._exit(0)
            os.wait()
        workspace.runner()
        assert workspace.contents() in (BEFORE, AFTER), first


@pytest.mark.parametrize(
    "note",
    [b"", b"{", b"[]", b"\xff", b'{"done": false}', b'{"done": false, "steps": [[]]}', b'{"done": 0, "steps": 5}'],
)
def test_a_note_of_nonsense_is_forgotten(workspaces: Iterator[Workspace], note: bytes) -> None:
    workspace = next(workspaces)
    (workspace.state / RECOVERY_FILE).write_bytes(note)
    workspace.runner().apply(read_changes(*request()))
    assert workspace.contents() == AFTER


def test_a_note_about_places_that_are_gone_is_forgotten(workspaces: Iterator[Workspace]) -> None:
    workspace = next(workspaces)
    steps = [[str(workspace.files / "none" / "a"), "a", "t", "b", 1], ["/proc/1/a", "a", "t", "b", 1]]
    note = {"done": False, "steps": steps, "folders": ["/proc/1/none", str(workspace.files / "none" / "deep")]}
    (workspace.state / RECOVERY_FILE).write_text(json.dumps(note))
    workspace.runner().apply(read_changes(*request()))
    assert workspace.contents() == AFTER


@pytest.mark.parametrize(
    ("changes", "body"),
    [
        (None, b""),
        ([], b""),
        (["a"], b""),
        ([{"path": "a", "expected": "anything", "size": 3}], b"ab"),
        ([{"path": "a", "expected": "anything", "size": 1}], b"ab"),
        ([{"path": "a", "expected": "anything", "size": -1}], b""),
        ([{"path": "a", "expected": "anything", "size": True}], b"a"),
        ([{"path": "a", "expected": "anything", "size": 10**400}], b"a"),
        ([{"path": "a", "size": 1}], b"a"),
        ([{"path": 5, "expected": "anything", "size": 1}], b"a"),
        ([{"path": "a", "expected": "anything", "size": 1, "mode": "x"}], b"a"),
    ],
)
def test_a_request_that_is_not_put_together_changes_nothing(
    workspaces: Iterator[Workspace], changes: Any, body: bytes
) -> None:
    workspace = next(workspaces)
    with pytest.raises(Refusal):
        workspace.runner().apply(read_changes({"changes": changes}, body))
    assert workspace.contents() == BEFORE
