"""Running sandboxes that tests share, because creating and checking one takes longer than most tests.

Between two tests, a sandbox is emptied: calls are aborted, and the files in /workspace, the home and /tmp are deleted.
Results of calls and snapshots stay in the runner, so tests use unique call ids. A sandbox that differs from its state
when new, or has a restarted runner, is removed, and the next test gets a new one.
"""

import asyncio
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agentsite.base.background import background
from sandbox.errors import SandboxError
from sandbox.limits import Limits
from sandbox.local import LocalDeployment
from sandbox.ports import Deployment, RunRequest, Runtime, SandboxSpec
from tests.support.engine import TestEngine
from tests.support.runtimes import let_others_pass

LIMITS: Final = Limits(memory_mib=512, pids=256, tmp_mib=64)
EMPTIED: Final = (
    "chmod -R u+rwX . ~ 2> /dev/null; find . ~ {0} -mindepth 1 -delete;"
    " find . ~ {0} -mindepth 1; stat -c '%a %n' . ~ {0}"
)
"""A command that empties the folders, and prints the remaining files and the modes of the folders."""
ELSEWHERE: Final = "/tmp /dev/shm"
"""Other folders that commands may write to. A local sandbox has no /tmp of its own."""


@dataclass
class Sandbox:
    """A running sandbox, with helpers for tests."""

    deployment: Deployment
    spec: SandboxSpec
    runtime: Runtime
    files: Path
    kind: str

    @property
    def is_contained(self) -> bool:
        return self.kind != "local"

    async def shell(self, command: str, *, timeout: float = 30.0, call_id: str | None = None) -> str:
        result = await self.runtime.run(new_call(command, timeout=timeout, call_id=call_id))
        return result.output.decode("utf-8", "replace")


def new_id() -> str:
    return f"call_{uuid.uuid4().hex}"


def new_call(command: str, *, timeout: float = 30.0, call_id: str | None = None) -> RunRequest:
    return RunRequest(call_id or new_id(), command, timeout=timeout)


def files_of(folder: Path) -> Path:
    """Return the folder of /workspace on this machine: on a disk of its own, or in the sandbox's folder."""
    disk = folder / "disk"
    return (disk if disk.exists() else folder) / "files"


def runtime_of(kind: str) -> str:
    """Return the OCI runtime that the name of a kind of sandbox contains; empty for the default runtime."""
    return kind.partition(":")[2]


def new_spec(kind: str, image: str) -> SandboxSpec:
    workspace_id, runtime = f"wsp_{uuid.uuid4().hex[:12]}", runtime_of(kind) or "runc"
    return SandboxSpec(workspace_id, image, runtime=runtime, limits=LIMITS, labels={"team": "tea_1"})


def new_deployment(kind: str, root: Path, *, site: str, host: str) -> Deployment:
    if kind == "local":
        return LocalDeployment(root, for_tests=True)
    from sandbox.docker import CarrierKind, DockerDeployment

    carrier: CarrierKind = "stream" if kind == "docker-stream" else "socket"
    return DockerDeployment(root, site=site, docker_host=host, carrier=carrier)


class Shelf:
    """A pool with at most one sandbox of each kind, created when a test needs it. `engine` is None where tests use only
    local sandboxes.

    The sandboxes belong to a separate site, so that tests never list or remove them. They use the background event
    loop, because a local runner lives only as long as the loop that started it.
    """

    def __init__(self, root: Path, engine: TestEngine | None = None) -> None:
        self._root = root
        self._host, self._image = (engine.host, engine.image) if engine else ("", "none")
        self._site = f"test-{uuid.uuid4().hex[:8]}"
        self._sandboxes: dict[str, Sandbox] = {}
        self._when_new: dict[str, tuple[str, str]] = {}

    def lend(self, kind: str) -> Sandbox:
        if kind not in self._sandboxes:
            sandbox = background.run(self._make(kind))
            self._sandboxes[kind], self._when_new[kind] = sandbox, background.run(_empty(sandbox))
        return self._sandboxes[kind]

    def take_back(self, kind: str) -> None:
        try:
            is_as_new = background.run(_empty(self._sandboxes[kind])) == self._when_new[kind]
        except SandboxError:
            is_as_new = False
        if not is_as_new:
            background.run(_remove(self._sandboxes.pop(kind)))

    def close(self) -> None:
        while self._sandboxes:
            background.run(_remove(self._sandboxes.popitem()[1]))

    async def _make(self, kind: str) -> Sandbox:
        root = self._root / kind.replace(":", "-")
        root.mkdir(exist_ok=True)
        if runtime_of(kind):
            let_others_pass(root)
        deployment, spec = new_deployment(kind, root, site=self._site, host=self._host), new_spec(kind, self._image)
        runtime = await deployment.ensure(spec)
        return Sandbox(deployment, spec, runtime, files_of(root / spec.workspace_id), kind)


async def _empty(sandbox: Sandbox) -> tuple[str, str]:
    """Empty the sandbox; return the boot id of its runner and the remaining files."""
    live = {call.call_id for call in await sandbox.runtime.background() if call.is_running}
    live |= set((await sandbox.runtime.ping()).live_calls)
    await asyncio.gather(*(sandbox.runtime.abort(call_id) for call_id in live))
    left = await sandbox.shell(EMPTIED.format(ELSEWHERE if sandbox.is_contained else ""), timeout=60)
    return (await sandbox.runtime.ping()).boot_id, left


async def _remove(sandbox: Sandbox) -> None:
    await sandbox.deployment.remove(sandbox.spec.workspace_id, files=True)
    await sandbox.deployment.close()
