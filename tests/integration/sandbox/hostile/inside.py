"""Make the attempts described in a file and print their outcomes as JSON. This program runs inside a container.

Every attempt has a process and a process session of its own, so that killing one does not end the others.
"""

import ast
import contextlib
import ctypes
import errno
import json
import os
import platform
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from typing import Any

PATIENCE = 6
LIBC = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"


def sys_call(x86: int, arm: int, *arguments: Any) -> int:
    """Make a system call by its number, because the C library has no functions for many of these calls. Raises
    OSError."""
    ctypes.set_errno(0)
    result = LIBC.syscall(ctypes.c_long(x86 if X86 else arm), *[_argument(value) for value in arguments])
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return int(result)


def _argument(value: Any) -> Any:
    return ctypes.c_long(value) if isinstance(value, int) else value


def opened(path: str, flags: int = os.O_RDONLY) -> str:
    os.close(os.open(path, flags | os.O_NONBLOCK))
    return "opened"


def first(path: str, size: int = 100) -> bytes:
    with open(path, "rb") as file:
        return file.read(size)


def written(path: str, text: str) -> str:
    with open(path, "wb", buffering=0) as file:
        file.write(text.encode())
    return "written"


def ways_out() -> list[str]:
    """Return the paths of the process's open descriptors, except /dev/null and paths in /proc and /workspace."""
    ways = []
    for number in os.listdir("/proc/self/fd"):
        with contextlib.suppress(OSError):
            ways.append(os.readlink(f"/proc/self/fd/{number}"))
    return [way for way in ways if way.startswith("/") and not way.startswith(("/proc/", "/workspace", "/dev/null"))]


def connected(host: str, port: int, family: int = socket.AF_INET, kind: int = socket.SOCK_STREAM) -> str:
    with socket.socket(family, kind) as client:
        client.settimeout(1)
        client.connect((host, port))
        if kind == socket.SOCK_DGRAM:
            client.send(b"canary")
    return "connected"


def processes() -> dict[int, str]:
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError):
                found[int(name)] = first(f"/proc/{name}/cmdline", 4096).replace(b"\0", b" ").decode("utf-8", "replace")
    return found


def runner() -> int:
    return next(pid for pid, line in processes().items() if "/opt/agentsite" in line and "tini" not in line)


def status_of(pid: int | str, field: str) -> str:
    lines = first(f"/proc/{pid}/status", 10_000).decode().splitlines()
    return next(line.split(":", 1)[1].strip() for line in lines if line.startswith(field + ":"))


def shell(command: str) -> str:
    result = subprocess.run(
        ["bash", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False
    )
    lines = (result.stdout + result.stderr).strip().splitlines()
    return lines[-1][-200:].strip() if lines else ""


def compiled(code: str) -> str:
    folder = tempfile.mkdtemp()
    source, program = f"{folder}/a.c", f"{folder}/a"
    with open(source, "w") as file:
        file.write("#define _GNU_SOURCE\n" + code)
    subprocess.run(["gcc", "-w", "-O0", "-o", program, source], check=True, capture_output=True)
    result = subprocess.run([program], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    shutil.rmtree(folder, ignore_errors=True)
    if result.returncode < 0:
        return signal.Signals(-result.returncode).name
    word = (result.stdout.strip().splitlines() or ["nothing"])[-1]
    return errno.errorcode.get(int(word), word) if word.isdigit() else word


def evaluated(code: str, facts: dict[str, Any]) -> str:
    """Run the code and return the value of its last expression."""
    names = {**globals(), "F": facts}
    tree = ast.parse(code)
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = ast.Expression(tree.body.pop().value)  # type: ignore[attr-defined]
        exec(compile(tree, "attempt", "exec"), names)
        return str(eval(compile(last, "attempt", "eval"), names))
    exec(compile(tree, "attempt", "exec"), names)
    return "done"


def outcome(case: dict[str, str], facts: dict[str, Any]) -> str:
    try:
        if case["language"] == "bash":
            return shell(case["code"])
        return compiled(case["code"]) if case["language"] == "c" else evaluated(case["code"], facts)
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, type(error).__name__)
    except BaseException as error:
        return f"{type(error).__name__}: {error}"[:200]


def attempt(case: dict[str, str], facts: dict[str, Any]) -> str:
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        os.close(reader)
        signal.alarm(PATIENCE)
        os.write(writer, outcome(case, facts).encode("utf-8", "replace")[:4000])
        os._exit(0)
    os.close(writer)
    _, status = os.waitpid(pid, 0)
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
    os.set_blocking(reader, False)
    try:
        said = os.read(reader, 8192).decode()
    except BlockingIOError:
        said = ""
    os.close(reader)
    if os.WIFSIGNALED(status):
        return "timeout" if os.WTERMSIG(status) == signal.SIGALRM else signal.Signals(os.WTERMSIG(status)).name
    return said


def main() -> None:
    with open(sys.argv[1]) as file:
        work = json.load(file)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for name, value in work["facts"].items():
        os.environ[f"F_{name.upper()}"] = str(value)
    answers, took = {}, {}
    for case in work["cases"]:
        began = time.monotonic()
        answers[case["id"]] = attempt(case, work["facts"])
        took[case["id"]] = round(time.monotonic() - began, 2)
    print("\n" + json.dumps({"answers": answers, "took": took}))


if __name__ == "__main__":
    main()
