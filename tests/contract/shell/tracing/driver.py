"""Runs inside the container: every case of cases.json under the tracer, each in a fresh copy of the workspace.

Writes results.jsonl, one line a case: {"id", "lines", "seconds"}; `lines` are the tracer's.
"""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

PROOF = Path("/proof")
STUBS = Path("/stubs")
TRACE = PROOF / "trace"
TOOL_USER = 1000
PLACES = ("workspace", "home/agent", "tmp")
REAL_PATH = "/usr/local/bin:/usr/bin:/bin"
HARMLESS_WRITES = ("/dev/", "/proc/")
CHANGES = {"unlink", "rename", "mkdir", "rmdir", "link", "symlink", "chmod", "chown", "truncate", "mknod"}
WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def main() -> None:
    cases = json.loads((PROOF / "cases.json").read_text())
    build()
    subprocess.run(["cp", "-a", "/proof/template/.", "/template"], check=True)
    make_stubs(cases["stubs"], cases["always_stubs"])
    fill()
    with (PROOF / "results.jsonl").open("w") as results:
        for case in cases["cases"]:
            began = time.monotonic()
            lines = run(case["command"], cases["seconds"], cases["environment"])
            results.write(json.dumps({"id": case["id"], "lines": lines, "seconds": time.monotonic() - began}) + "\n")
            if any(is_change(line) for line in lines):
                fill()


def build() -> None:
    for name, more in (("tracer", []), ("stub", ["-static"])):
        source = [*more, "-O2", "-Wall", "-Wextra", "-Werror", "-o", str(PROOF / name), str(PROOF / f"{name}.c")]
        subprocess.run(["gcc", *source], check=True)


def make_stubs(names: list[str], always: list[str]) -> None:
    """Hard links, so that the kernel tells them by their names."""
    STUBS.mkdir(exist_ok=True)
    for name in {*always, *(each for each in names if shutil.which(each, path=REAL_PATH) is None)}:
        if not (STUBS / name).exists():
            os.link(PROOF / "stub", STUBS / name)


def fill() -> None:
    old = [entry.path for place in PLACES for entry in os.scandir(f"/{place}")]
    subprocess.run(["rm", "-rf", "--", *old], check=True)
    subprocess.run(["cp", "-a", "/template/.", "/"], check=True)


def run(command: str, seconds: int, environment: dict[str, str]) -> list[str]:
    TRACE.write_bytes(b"")
    words = [str(PROOF / "tracer"), str(TOOL_USER), str(TRACE), str(seconds), "/workspace"]
    subprocess.run(
        [*words, command],
        env={**environment, "PATH": f"{STUBS}:{environment['PATH']}"},
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    end_the_rest()
    return TRACE.read_text(errors="surrogateescape").rstrip("\n").split("\n")


def end_the_rest() -> None:
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                if entry.stat().st_uid == TOOL_USER:
                    os.kill(int(entry.name), signal.SIGKILL)
            except (FileNotFoundError, ProcessLookupError):
                pass


def is_change(line: str) -> bool:
    fields = line.split("\t")
    if len(fields) < 3 or fields[-1].startswith(HARMLESS_WRITES):
        return False
    return fields[1] in CHANGES or (fields[1] in ("open", "open2") and bool(int(fields[2]) & WRITE_FLAGS))


main()
