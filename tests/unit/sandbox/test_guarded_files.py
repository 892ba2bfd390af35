"""Files of a workspace are opened only by `sandbox/runner/tree.py`, and no module can bypass it unnoticed.

The test reads the file operations in the source of each module. In the runner, a call that uses the file system must be
in one of the lists below; tools access files only through the runtime. A new operation, such as applying a patch or
unpacking an archive, therefore uses descriptors that `tree` has opened, or fails here.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

REPOSITORY: Final = Path(__file__).resolve().parents[3]
RUNNER: Final = REPOSITORY / "sandbox" / "runner"

BY_NAME: Final = re.compile(
    r"os\.(access|chdir|chmod|chown|chroot|fwalk|getxattr|lchmod|lchown|link|listdir|listxattr|lstat|makedirs|mkdir"
    r"|mkfifo|mknod|open|pathconf|readlink|remove|removedirs|removexattr|rename|renames|replace|rmdir|scandir|setxattr"
    r"|stat|statvfs|symlink|truncate|unlink|utime|walk)"
    r"|os\.path\.(exists|getsize|getmtime|isdir|isfile|islink|ismount|lexists|realpath|samefile)"
    r"|kernel\.openat2|open"
)
"""Functions that take the name of a file."""
OF_PATHS: Final = re.compile(
    r"(?!os\.).*\.(absolute|chmod|exists|glob|hardlink_to|is_dir|is_file|is_symlink|iterdir|lstat|mkdir|open|read_bytes"
    r"|read_text|readlink|rename|resolve|rglob|rmdir|samefile|stat|symlink_to|touch|unlink|write_bytes|write_text)"
)
"""Methods of pathlib that access the disk, on any object."""
MODULES: Final = frozenset({"glob", "shutil", "tempfile", "tarfile", "zipfile", "fileinput", "linecache", "mmap"})

OF_THE_GUARD: Final = {"os.open", "os.chmod", "os.lstat", "os.readlink", "os.path.realpath", "kernel.openat2"}
BESIDE_A_DESCRIPTOR: Final = {
    "archive.py": {"os.lstat", "os.readlink"},
    "archive_restore.py": {"os.mkdir", "os.open", "os.symlink", "os.unlink", "os.utime"},
    "change_sets.py": {"os.link", "os.lstat", "os.readlink", "os.rename", "os.rmdir", "os.symlink", "os.unlink"},
    "changes.py": {"open"},
    "disk_use.py": {"os.scandir"},
    "files.py": {"os.link", "os.lstat", "os.mkdir", "os.open", "os.rename", "os.unlink"},
    "blocking_files.py": {"os.stat"},
    "snapshots.py": {"open"},
    "shared_objects.py": {"os.chmod", "os.rename", "os.rmdir", "os.unlink"},
    "tree_walk.py": {"os.scandir"},
}
"""Calls of other modules in the workspace, with a descriptor or with one name relative to a descriptor."""
OTHERWISE: Final = {
    "change_sets.py": {
        "open(fresh, 'wb')",
        "open(self._recovery_path, 'rb')",
        "os.rename(fresh, self._recovery_path)",
        "os.rename(outcome, outcome.removesuffix(PREPARED))",
        "os.unlink(self._recovery_path)",
    },
    "contents.py": {
        "open(path, 'rb')",
        "open(temporary, 'wb', buffering=0)",
        "os.makedirs(folder, mode=448, exist_ok=True)",
        "os.makedirs(os.path.dirname(path), mode=448, exist_ok=True)",
        "os.path.exists(path)",
        "os.rename(temporary, path)",
        "os.scandir(folder.path)",
        "os.scandir(self._folder)",
        "os.statvfs(self._folder)",
        "os.unlink(blob.path)",
    },
    "disk_use.py": {"entry.stat"},
    "door.py": {
        "open(CERTIFICATES, 'rb')",
        "open(f'{self._path}.new', 'wb')",
        "os.mkdir(folder)",
        "os.replace(f'{self._path}.new', self._path)",
    },
    "hardening.py": {"open('/proc/self/status')", "os.open", "kernel.openat2"},
    "journal.py": {"os.open", "os.unlink(temporary)", "os.rename"},
    "json_files.py": {
        "entry.stat",
        "os.makedirs(folder, mode=448, exist_ok=True)",
        "os.path.exists(self.path(name))",
        "os.rename(self.path(name), self.path(new))",
        "os.scandir(self._folder)",
        "os.unlink(self.path(name))",
        "os.utime(self.path(name), ns=(at_ns, at_ns))",
    },
    "manifest_files.py": {
        "entry.stat",
        "os.makedirs(folder, mode=448, exist_ok=True)",
        "os.scandir(self._folder)",
        "os.unlink(self._path(snapshot_id))",
        "os.utime(self._path(snapshot_id))",
        "os.utime(self._path(snapshot_id), ns=(at_ns, at_ns))",
        "self.touch",
    },
    "packs.py": {
        "open(self._path + INDEX + UNFINISHED, 'wb')",
        "open(self._path + UNFINISHED, 'rb')",
        "open(self._path + UNFINISHED, 'wb', buffering=BUFFER_BYTES)",
        "open(self._path(name, INDEX), 'rb')",
        "open(self._path(name, INDEX), 'rb', buffering=0)",
        "open(self._path(name, PACK), 'rb', buffering=0)",
        "os.listdir(folder)",
        "os.makedirs(folder, mode=448, exist_ok=True)",
        "os.rename(self._path + INDEX + UNFINISHED, self._path + INDEX)",
        "os.rename(self._path + UNFINISHED, self._path + PACK)",
        "os.unlink(f'{folder}/{name}')",
        "os.unlink(self._path + end)",
        "os.unlink(self._path(name, INDEX))",
        "os.unlink(self._path(name, PACK))",
    },
    "reverts.py": {"self._outcomes.rename"},
    "limit_watch.py": {"os.listdir", "os.stat"},
    "listeners.py": {"open(path)"},
    "meters.py": {"os.path.exists(f'{folder}/cgroup.controllers')", "os.open", "os.statvfs"},
    "server.py": {"os.unlink(path)", "self._files.stat", "self._search.glob"},
    "snapshots.py": {"self.manifests.touch"},
    "selfcheck_runner.py": {"os.open"},  # the root directory, to start a program in
    "process_cleanup.py": {"open", "os.listdir"},
    "shared_objects.py": {
        "entry.is_dir",
        "entry.stat",
        "os.open",
        "os.path.exists(f'/proc/{each.creator}')",
        "os.scandir",
    },
    "terminals.py": {"os.open(NEW_TERMINAL, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC | os.O_NONBLOCK)"},
    "tree_walk.py": {"entry.is_dir"},
}
"""Calls on the runner's own files and on /proc, and calls with similar names. No path in them comes from a request.
Entries with arguments allow only that exact call."""


RUN_AS_A_COMMAND: Final = {f"selfcheck{part}.py" for part in ("", "_common", "_privileges", "_mounts", "_commands")}
"""Modules of the self-check's program, which may open the same files as any command: it runs as the tool user."""

OF_THE_RUNNER: Final = sorted(path for path in RUNNER.glob("*.py") if path.name not in RUN_AS_A_COMMAND)


@cache
def _nodes(source: str) -> list[ast.AST]:
    return list(ast.walk(ast.parse(source)))


def _calls(source: str) -> Iterator[tuple[str, ast.Call]]:
    """Yield every call that names a file, with its source text such as `os.open` or `path.read_text`."""
    for node in _nodes(source):
        if isinstance(node, ast.Call):
            text = ast.unparse(node.func)
            if BY_NAME.fullmatch(text) or OF_PATHS.fullmatch(text):
                yield text, node


def _is_beside_a_descriptor(call: ast.Call) -> bool:
    first = ast.unparse(call.args[0]) if call.args else ""
    return first.endswith("fd") or not {"dir_fd", "src_dir_fd"}.isdisjoint(keyword.arg for keyword in call.keywords)


def _violations(module: str, source: str) -> list[str]:
    guarded, known = BESIDE_A_DESCRIPTOR.get(module, set()), OTHERWISE.get(module, set())
    known = known | (OF_THE_GUARD if module == "tree.py" else set())
    return [
        f"{module}:{call.lineno} {text}"
        for text, call in _calls(source)
        if known.isdisjoint({text, ast.unparse(call)}) and not (text in guarded and _is_beside_a_descriptor(call))
    ]


def test_the_runner_reaches_files_only_through_the_guard() -> None:
    assert [each for path in OF_THE_RUNNER for each in _violations(path.name, path.read_text())] == []


def test_the_runner_uses_no_module_that_opens_files_by_itself() -> None:
    assert [(path.name, each) for path in OF_THE_RUNNER for each in _imported(path.read_text()) & MODULES] == []


def test_the_runner_runs_nothing_of_the_self_check_itself() -> None:
    programs = {name.removesuffix(".py") for name in RUN_AS_A_COMMAND} - {"selfcheck_common"}
    imported = [
        (path.name, name)
        for path in OF_THE_RUNNER
        for node in _nodes(path.read_text())
        if isinstance(node, ast.ImportFrom) and node.level
        for name in (node.module, *(alias.name for alias in node.names))
    ]

    assert [each for each in imported if each[1] in programs] == []


@pytest.mark.parametrize(
    "call",
    ["open", "os.open", "os.listdir", "os.rename", "Path(path).read_bytes", "self._path.write_text",
     "os.path.realpath", "os.path.exists", "kernel.openat2"],
)  # fmt: skip
@pytest.mark.parametrize("module", ["patches.py", "archive.py", "search.py"])
def test_a_new_operation_that_opens_by_name_is_noticed(module: str, call: str) -> None:
    assert _violations(module, f"import os\n{call}(path)\n") == [f"{module}:2 {call}"]


def test_a_name_without_its_descriptor_is_noticed() -> None:
    assert _violations("files.py", "os.unlink(name, dir_fd=parent_fd)\nos.unlink(name)\n") == ["files.py:2 os.unlink"]


TOOL_MODULES: Final = sorted(
    path for path in (REPOSITORY / "tools_app").rglob("*.py") if {"migrations", "management"}.isdisjoint(path.parts)
)
READS_ITS_OWN_TEXTS: Final = {"description.py", "registries.py", "specs_of_image.py"}
READS_MEMORY: Final = {"authority.py"}
"""Modules that open a file in memory, because OpenSSL accepts certificates from files only."""
LOOKS_AT_THE_MACHINE: Final = {"landlock.py", "own_addresses.py"}
"""Modules of the guarded fetch, which has no workspace: they read its process's rights and this machine's addresses."""
KEEPS_PUSHES: Final = REPOSITORY / "tools_app" / "network" / "git"
"""Modules of the door, which stores a push in its own folder while judging it."""


def test_tools_see_files_only_through_the_runtime() -> None:
    for path in (each for each in TOOL_MODULES if each.parent != KEEPS_PUSHES):
        source = path.read_text()
        opened = [text for text, _ in _calls(source) if BY_NAME.fullmatch(text) or text.endswith(("_text", "_bytes"))]
        assert not opened or path.name in READS_ITS_OWN_TEXTS | READS_MEMORY | LOOKS_AT_THE_MACHINE, path
        assert _imported(source) & (MODULES | {"subprocess"}) == set(), path


CONTENT_METHODS: Final = frozenset({"read", "write", "remove", "glob", "grep"})


def test_tools_name_only_places_that_were_judged() -> None:
    """Tools must pass `place.real` to the runtime, not a path built from text. If a link has appeared in a path, the
    runtime ends the call only if the path is a `RealPath`. Reading names to judge a command does not count as access.
    """
    for path in TOOL_MODULES:
        named = [
            ast.unparse(argument)
            for node in _nodes(path.read_text())
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CONTENT_METHODS
            if ast.unparse(node.func.value).endswith("runtime")
            if (argument := _path_argument(node)) and not _is_judged(ast.unparse(argument))
        ]
        assert named == MADE_BY_US.get(path.name, []), path


def test_tools_change_only_places_that_were_judged() -> None:
    named = [
        (path.name, ast.unparse(node.args[0]))
        for path in TOOL_MODULES
        for node in _nodes(path.read_text())
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("FileChange")
    ]
    assert [each for each in named if not each[1].endswith(".real")] == []


MADE_BY_US: Final = {
    "command_trees.py": ["path"],
    "command_unnamed.py": ["f'{repository}/.git/index'", "top"],
    "git_steering.py": ["place"],
    "git_upstreams.py": ["path"],
    "patch_names.py": ["path"],
    "read.py": ["path"],
    "setup_scripts.py": ["PINNING", "path"],
    "skill.py": ["place"],
    "truncation.py": ["path"],
}
"""RealPaths that our code builds itself: of a long output, from the call id; of the copy of an attachment; of a found
skill; and of set-up scripts without links. Other ones are used to judge a command (git's settings, names and index) or
to hash lock files; their content is shown to nobody."""


def _is_judged(argument: str) -> bool:
    return argument.endswith((".real", ".real_path", ".directory")) or argument.startswith("RealPath(")


def _path_argument(call: ast.Call) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == "path":
            return keyword.value
    return call.args[0] if call.args else None


def _imported(source: str) -> set[str]:
    names: set[str] = set()
    for node in _nodes(source):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names
