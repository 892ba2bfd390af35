"""Run each case of cases.json under the tracer, in a fresh copy of the workspace. This program runs inside the
container.

It writes results.jsonl, one line for each case: {"id", "lines", "seconds"}, with the tracer's `lines`. With the
argument `build` it only compiles the tracer and fills the workspace.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

PROOF = Path("/proof")
STUBS = Path("/stubs")
TEMPLATE = "/template"
OWN_PROGRAM = "/workspace/tt"  # a program of the workspace, for options that name one
TOOL_USER = 1000
PLACES = ("/workspace", "/home/agent", "/tmp")
REAL_PATH = "/usr/local/bin:/usr/bin:/bin"
HARMLESS_WRITES = ("/dev/", "/proc/")
CREATES = {"unlink", "mkdir", "rmdir", "truncate", "open", "open2"}
CHANGES = {*CREATES, "rename", "link", "symlink", "chmod", "chown", "mknod"}
WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
MOST_RESTORED = 8  # paths; with more, the whole workspace is filled again


def build() -> None:
    for name, more in (("tracer", []), ("stub", ["-static"])):
        source = [*more, "-O2", "-Wall", "-Wextra", "-Werror", "-o", str(PROOF / name), str(PROOF / f"{name}.c")]
        subprocess.run(["gcc", *source], check=True)
    subprocess.run(["cp", "-a", "/proof/template/.", TEMPLATE], check=True)
    shutil.copy(PROOF / "stub", f"{TEMPLATE}{OWN_PROGRAM}")
    fill()


def run_cases() -> None:
    cases = json.loads((PROOF / "cases.json").read_text())
    make_stubs(cases["stubs"], cases["always_stubs"])
    with (
        (PROOF / "results.jsonl").open("w") as results,
        tracer(cases["milliseconds"], cases["environment"]) as process,
    ):
        for case in cases["cases"]:
            began = time.monotonic()
            lines = traced(process, case["command"])
            results.write(json.dumps({"id": case["id"], "lines": lines, "seconds": time.monotonic() - began}) + "\n")
            restore(lines)


def make_stubs(names: list[str], always: list[str]) -> None:
    """Create the stubs of programs as hard links, so that the kernel reports each by its own name."""
    STUBS.mkdir(exist_ok=True)
    for name in {*always, *(each for each in names if shutil.which(each, path=REAL_PATH) is None)}:
        if not (STUBS / name).exists():
            (STUBS / name).hardlink_to(PROOF / "stub")


def tracer(milliseconds: int, environment: dict[str, str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [str(PROOF / "tracer"), str(TOOL_USER), str(milliseconds), "/workspace"],
        env={**environment, "PATH": f"{STUBS}:{environment['PATH']}"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


def traced(process: "subprocess.Popen[bytes]", command: str) -> list[str]:
    send, receive = given(process.stdin), given(process.stdout)
    send.write(command.encode(errors="surrogateescape") + b"\0")
    send.flush()
    lines: list[str] = []
    while (line := receive.readline()) != b"end\n":
        if not line:
            raise RuntimeError(f"the tracer ended at {command!r}")
        lines.append(line.decode(errors="surrogateescape").rstrip("\n"))
    return lines


def given(pipe: "IO[bytes] | None") -> "IO[bytes]":
    assert pipe is not None
    return pipe


# The workspace


def fill() -> None:
    old = [str(entry) for place in PLACES for entry in Path(place).iterdir()]
    subprocess.run(["rm", "-rf", "--", *old], check=True)
    subprocess.run(["cp", "-a", f"{TEMPLATE}/.", "/"], check=True)


def restore(lines: list[str]) -> None:
    """Restore the files that a traced command may have changed, or the whole workspace if the command did more than
    write a few files."""
    changes = list(changes_of(lines))
    try:
        paths = {place for _, named in changes for path in named for place in (place_of(path), Path(path).resolve())}
    except (OSError, RuntimeError):  # a loop of links
        fill()
        return
    if any(deed not in CREATES for deed, _ in changes) or len(paths) > MOST_RESTORED or not all(map(put_back, paths)):
        fill()


def place_of(path: str) -> Path:
    """Resolve a path without following a link at its end."""
    return Path(path).parent.resolve() / Path(path).name


def changes_of(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    for line in lines:
        _, deed, *fields = line.split("\t")
        if deed not in CHANGES or (deed == "open" and not int(fields[0]) & WRITE_FLAGS):
            continue
        paths = fields[1:] if deed == "open" else fields
        if not all(path.startswith(HARMLESS_WRITES) for path in paths):
            yield deed, paths


def put_back(path: Path) -> bool:
    """Restore one path from the template of the files. Return False if that is not possible by replacing a single
    file."""
    if not str(path).startswith(PLACES):
        return True
    original = Path(f"{TEMPLATE}{path}")
    if path.is_dir() or original.is_dir() or original.is_symlink() or "\\" in str(path):
        return False
    try:
        path.unlink(missing_ok=True)
        if original.exists():
            shutil.copy2(original, path)
            os.chown(path, TOOL_USER, TOOL_USER)
    except OSError:
        return False
    return True


build() if sys.argv[1:] == ["build"] else run_cases()
