"""Disks of containers: a full disk harms no other container, an idle container uses no mounts, and an old directory is
moved to a disk."""

import asyncio
import os
import subprocess
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from sandbox.disk import ext4, loops
from sandbox.docker import DockerDeployment
from sandbox.limits import Limits
from sandbox.mounts import mounts_below
from sandbox.ports import Runtime, SandboxSpec
from tests.contract.sandbox.conftest import new_call
from tests.support.engine import TestEngine

pytestmark = [pytest.mark.docker, pytest.mark.skipif(os.getuid() != 0, reason="only root can mount")]

LIMITS: Final = Limits(memory_mib=256, pids=64, tmp_mib=16, disk_mib=48, inodes=2000)
HOG: Final = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
instances = watches = 0
while (fd := libc.inotify_init()) >= 0:
    last, instances = fd, instances + 1
why = os.strerror(ctypes.get_errno())
os.makedirs("/tmp/watched")
while instances:
    path = f"/tmp/watched/{watches}"
    os.mkfifo(path)
    if libc.inotify_add_watch(last, path.encode(), 2) < 0:
        break
    watches += 1
    if not os.path.exists("hold"):
        break
print(instances, why, "/", watches, os.strerror(ctypes.get_errno()), flush=True)
if os.path.exists("hold"):
    import time
    time.sleep(60)
"""


class Node:
    """A directory with a deployment. A second deployment over the same directory stands for a restarted service."""

    def __init__(self, engine: TestEngine, root: Path) -> None:
        self._engine = engine
        self.root = root
        self.deployment = self.another()

    def another(self, disk: str = "auto") -> DockerDeployment:
        return DockerDeployment(self.root, site=self._engine.site, docker_host=self._engine.host, disk=disk)

    def spec(self, workspace_id: str, limits: Limits = LIMITS) -> SandboxSpec:
        return SandboxSpec(workspace_id, self._engine.image, limits=limits)

    def workspaces(self) -> Sequence[str]:
        return [path.name for path in self.root.iterdir() if not path.name.startswith(".")]

    def kill(self, workspace_id: str) -> None:
        name = f"agentsite-{self._engine.site}-{workspace_id}"
        subprocess.run(["docker", "-H", self._engine.host, "kill", name], capture_output=True, check=True)

    def mounts(self, workspace_id: str) -> Sequence[str]:
        return mounts_below(self.root / workspace_id)

    async def holds_nothing(self, workspace_id: str) -> bool:
        """Return whether the workspace has no mounts and loop devices, after waiting up to 10 s.

        A container that is being started has a copy of all mounts for a moment.
        """
        give_up = time.monotonic() + 10
        while self.devices(workspace_id) and time.monotonic() < give_up:
            await asyncio.sleep(0.01)
        return not self.mounts(workspace_id) and not self.devices(workspace_id)

    def devices(self, workspace_id: str) -> Sequence[str]:
        return [name for name, file in loops.backing_files() if file.startswith(f"{self.root}/{workspace_id}/")]


@pytest.fixture
async def node(docker_engine: TestEngine, tmp_path: Path) -> AsyncIterator[Node]:
    node = Node(docker_engine, tmp_path)
    yield node
    for workspace_id in node.workspaces():
        await node.deployment.remove(workspace_id, files=True)
    await node.deployment.close()


async def shell(runtime: Runtime, command: str) -> str:
    return (await runtime.run(new_call(command))).output.decode("utf-8", "replace")


async def test_a_full_disk_is_told_and_everything_else_goes_on(node: Node) -> None:
    full, neighbour = await asyncio.gather(*(node.deployment.ensure(node.spec(f"wsp_{name}")) for name in "ab"))

    assert "No space left on device" in await shell(full, "cat /dev/zero > large; i=0; while : > $i; do let i++; done")

    assert await shell(full, "echo a command runs") == "a command runs\n"
    assert (await full.read("large", limit=10)).content == bytes(10)
    assert len(await full.snapshot()) == 64
    assert await shell(neighbour, "head -c 30M /dev/zero > large && echo fine") == "fine\n"
    await full.remove("large")
    assert await shell(full, "rm -f [0-9]*; echo fits > small && cat small") == "fits\n"
    assert (await full.write("written", b"by a tool")).size == 9


async def test_snapshots_leave_the_journal_its_room(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ext4, "RUNNER_MIB", 180)
    runtime = await node.deployment.ensure(node.spec("wsp_a"))
    await shell(runtime, "for i in $(seq 40); do head -c 1M /dev/urandom > $i; done")

    snapshot = await runtime.snapshot()

    left = os.statvfs(node.root / "wsp_a" / "runner")
    assert left.f_bavail * left.f_frsize > 150 << 20
    assert await shell(runtime, "echo a command runs; echo text > 1") == "a command runs\n"
    assert [change.path for change in await runtime.diff(snapshot)] == ["1"]


async def test_a_stopped_workspace_holds_nothing_of_the_kernel(node: Node) -> None:
    runtime = await node.deployment.ensure(node.spec("wsp_a"))
    await runtime.write("a", b"kept")
    assert (len(node.mounts("wsp_a")), len(node.devices("wsp_a"))) == (2, 2)

    await node.deployment.stop("wsp_a")
    assert await node.holds_nothing("wsp_a")
    assert (await runtime.read("a")).content == b"kept"

    await node.deployment.remove("wsp_a", files=True)
    assert await node.holds_nothing("wsp_a")
    assert not (node.root / "wsp_a").exists()


async def test_a_restarted_service_finds_the_disks_of_running_workspaces(node: Node) -> None:
    runtime = await node.deployment.ensure(node.spec("wsp_a"))
    boot = (await runtime.ping()).boot_id
    for place in node.mounts("wsp_a"):
        loops.unmount(place)
    another = node.another()

    adopted = await another.ensure(node.spec("wsp_a"))

    assert (await adopted.ping()).boot_id == boot
    await another.close()


async def test_what_a_dead_container_left_mounted_is_reaped(node: Node) -> None:
    for name in ("wsp_a", "wsp_b"):
        await node.deployment.ensure(node.spec(name))
    node.kill("wsp_a")

    reaped = await node.deployment.reap({"wsp_a", "wsp_b"})

    assert set(reaped.mounts) >= {f"{node.root}/wsp_a/disk", f"{node.root}/wsp_a/runner"}
    assert await node.holds_nothing("wsp_a")
    assert len(node.mounts("wsp_b")) == 2


async def test_other_limits_make_another_container_around_the_same_files(node: Node) -> None:
    runtime = await node.deployment.ensure(node.spec("wsp_a"))
    await shell(runtime, "head -c 40M /dev/zero > a")

    larger = await node.deployment.ensure(node.spec("wsp_a", replace(LIMITS, disk_mib=100)))

    assert await shell(larger, "head -c 40M /dev/zero > b && stat -c %s a b | uniq -c") == "      2 41943040\n"


async def test_plain_directories_move_onto_a_disk(node: Node) -> None:
    before = node.another(disk="soft")
    old = await before.ensure(node.spec("wsp_a"))
    await shell(old, "echo kept > a; ln -s a link; mkdir -p d; echo home > ~/h")
    snapshot = await old.snapshot()
    await before.close()

    runtime = await node.deployment.ensure(node.spec("wsp_a"))
    assert (await runtime.diff(snapshot), node.mounts("wsp_a")) == ([], []), "a running one is left alone"
    await node.deployment.stop("wsp_a")

    assert await shell(runtime, "cat a link ~/h; stat -c %U d") == "kept\nkept\nhome\nagent\n"
    assert await runtime.diff(snapshot) == []
    assert len(node.mounts("wsp_a")) == 2
    facts = await node.deployment.facts()
    assert (facts.disk_driver, "kernel enforces" in facts.disk_detail) == ("ext4", True)


async def test_one_workspace_cannot_take_inotify_from_another(node: Node) -> None:
    hog, neighbour = await asyncio.gather(*(node.deployment.ensure(node.spec(f"wsp_{name}")) for name in "ab"))
    for runtime in (hog, neighbour):
        await runtime.write("hog.py", HOG.encode())
    await hog.write("hold", b"")
    said = asyncio.Event()
    call = new_call("python3 hog.py", timeout=60)
    held = asyncio.create_task(hog.run(call, on_output=lambda _: said.set()))
    await asyncio.wait_for(said.wait(), 30)

    answer = await shell(neighbour, "python3 hog.py")

    await hog.abort(call.call_id)
    assert (await held).output.decode().startswith("128 Too many open files / 65536 No space left on device")
    assert answer.startswith("128 Too many open files / 1 ")
    assert await shell(neighbour, "cat /proc/sys/user/max_user_namespaces") == "0\n"
