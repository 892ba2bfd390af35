"""A container of the sandbox image in which commands run under the tracer.

It has the image, the shell and the user of a real sandbox, and no network. Its driver is root with the capabilities to
trace (SYS_PTRACE) and to restore the workspace (CHOWN, DAC_OVERRIDE, FOWNER); the commands have no capability.
"""

import io
import json
import os
import re
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import docker

from sandbox.ports import HOME, WORKSPACE_ROOT
from sandbox.runner.command_environment import BASE_ENVIRONMENT
from tests.contract.shell import traces
from tests.corpora.shell import workspace
from tests.support.engine import TestEngine

if TYPE_CHECKING:
    from docker.models.containers import Container

FOLDER: Final = Path(__file__).resolve().parent / "tracing"
MILLISECONDS: Final = 1000
TOOL_USER: Final = 1000
TOOL_USERS: Final = f"rw,exec,uid={TOOL_USER},gid={TOOL_USER},mode=755"
CAPABILITIES: Final = ["SETUID", "SETGID", "KILL", "SYS_PTRACE", "CHOWN", "DAC_OVERRIDE", "FOWNER"]
ALWAYS_STUBS: Final = (
    "apt", "apt-get", "c++", "cc", "corepack", "crontab", "curl", "g++", "gcc", "less", "make", "man", "node", "npm",
    "npx", "openssl", "pip", "pip3", "pnpm", "pnpx", "pytest", "pytest-3", "python", "python3", "python3.11", "sleep",
    "su", "top", "uv", "uvx", "watch", "wget", "yarn", "yarnpkg",
)  # fmt: skip
"""Programs of the image that are slow or never end. Stubs replace them: the comparison needs only their start."""

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(?![A-Za-z0-9._+-])")


class Tracing:
    def __init__(self, container: "Container") -> None:
        self._container = container

    def run(self, commands: Mapping[str, str], milliseconds: int = MILLISECONDS) -> dict[str, traces.Trace]:
        """Run each command (by id) in a fresh workspace. A stub program is created for each word of a command that
        could be the name of a missing program."""
        names = {name for command in commands.values() for name in _NAME.findall(command)}
        cases = {
            "milliseconds": milliseconds,
            "stubs": sorted(names),
            "always_stubs": ALWAYS_STUBS,
            "environment": {**BASE_ENVIRONMENT, "HOME": HOME},
            "cases": [{"id": id_, "command": command} for id_, command in commands.items()],
        }
        self._put({"cases.json": json.dumps(cases).encode()})
        self.output_of("python3", "-I", "/proof/driver.py")
        return {trace.id: trace for trace in self._results()}

    def output_of(self, *words: str) -> str:
        """Return the output of a program of the image, which must succeed."""
        code, output = self._container.exec_run(list(words), user="0:0")
        assert code == 0, output
        assert isinstance(output, bytes)
        return output.decode(errors="replace")

    def prepare(self) -> None:
        self._put({path.name: path.read_bytes() for path in FOLDER.iterdir() if path.is_file()})
        self._container.put_archive("/proof", _template())
        self.output_of("python3", "-I", "/proof/driver.py", "build")

    def _put(self, files: Mapping[str, bytes]) -> None:
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            folder = tarfile.TarInfo("proof")
            folder.type, folder.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(folder)
            for name, content in files.items():
                entry = tarfile.TarInfo(f"proof/{name}")
                entry.size, entry.mode = len(content), 0o644
                archive.addfile(entry, io.BytesIO(content))
        self._container.put_archive("/", buffer.getvalue())

    def _results(self) -> Iterator[traces.Trace]:
        chunks, _ = self._container.get_archive("/proof/results.jsonl")
        with tarfile.open(fileobj=io.BytesIO(b"".join(chunks))) as archive:
            member = archive.extractfile("results.jsonl")
            assert member is not None
            for line in member.read().decode().rstrip("\n").split("\n"):
                result = json.loads(line)
                yield traces.read(result["id"], result["lines"], result["seconds"])


@contextmanager
def tracing(engine: TestEngine) -> Iterator[Tracing]:
    client = docker.DockerClient.from_env(environment={**os.environ, "DOCKER_HOST": engine.host}, timeout=300)
    container = client.containers.run(
        engine.image,
        entrypoint=["sleep", "infinity"],
        detach=True,
        init=True,
        name=f"agentsite-{engine.site}-tracing-{os.getpid()}",
        user="0:0",
        network_mode="none",
        cap_drop=["ALL"],
        cap_add=CAPABILITIES,
        pids_limit=256,
        mem_limit="1g",
        tmpfs={"/workspace": TOOL_USERS, HOME: TOOL_USERS, "/tmp": "rw,exec,mode=1777", "/template": "rw"},
        hostname="sandbox",
    )
    try:
        made = Tracing(container)
        made.prepare()
        yield made
    finally:
        container.remove(force=True)
        client.close()


def _template() -> bytes:
    """Return a tar archive of the folders that commands may change, owned by the tool user."""
    buffer = io.BytesIO()
    with TemporaryDirectory() as folder, tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, make in ((WORKSPACE_ROOT, workspace.make), (HOME, workspace.make_home)):
            place = Path(folder) / name.lstrip("/")
            place.mkdir(parents=True)
            make(place)
            archive.add(place, f"template{name}", filter=_owned_by_the_tool_user)
    return buffer.getvalue()


def _owned_by_the_tool_user(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = TOOL_USER
    return entry
