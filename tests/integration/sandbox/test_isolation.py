"""The isolation of hostile code in a sandbox, checked from inside and outside."""

import asyncio
import json
import re
from typing import Any

import pytest

from sandbox.docker.container import container_name
from sandbox.ports import RunRequest
from tests.contract.sandbox.conftest import Sandbox, new_call, new_id
from tests.contract.sandbox.test_run import Output
from tests.support.engine import TestEngine

pytestmark = pytest.mark.docker

PROBES = r"""
import ctypes, errno, json, os, platform, socket
libc = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
def call(*arguments):
    ctypes.set_errno(0)
    return errno.errorcode.get(ctypes.get_errno(), "done") if libc.syscall(*arguments) < 0 else "done"
def attempt(action):
    try:
        action()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "done"
commands = {int(p): open(f"/proc/{p}/cmdline").read() for p in os.listdir("/proc") if p.isdigit()}
runner = next(pid for pid, command in commands.items() if "/opt/agentsite" in command and "tini" not in command)
threads = [int(t) for t in os.listdir(f"/proc/{runner}/task")]
print(json.dumps({
    "vsock": attempt(lambda: socket.socket(40, socket.SOCK_STREAM)),
    "io_uring": call(425, 1, 0),
    "ptrace init": call(101 if X86 else 117, 16, 1, 0, 0),
    "process_vm_readv": call(310 if X86 else 270, runner, 0, 0, 0, 0, 0),
    "kill runner": attempt(lambda: os.kill(runner, 9)),
    "stop runner": attempt(lambda: os.kill(runner, 19)),
    "kill its threads": sorted({attempt(lambda t=t: os.kill(t, 9)) for t in threads}),
    "runner's memory": attempt(lambda: open(f"/proc/{runner}/mem", "rb")),
    "runner's environment": attempt(lambda: open(f"/proc/{runner}/environ", "rb").read()),
    "runner's descriptors": attempt(lambda: os.listdir(f"/proc/{runner}/fd")),
    "socket": attempt(lambda: socket.socket(socket.AF_UNIX).connect("/run/runner/socket")),
    "journal": attempt(lambda: os.listdir("/run/runner")),
    "mount": call(165 if X86 else 40, b"none", b"/tmp", b"tmpfs", 0, 0),
    "user namespace": call(272 if X86 else 97, 0x10000000),
    "root file system": attempt(lambda: open("/etc/x", "w")),
    "become root": attempt(lambda: os.setuid(0)),
    "interfaces": sorted(os.listdir("/sys/class/net")),
    "network": attempt(lambda: socket.create_connection(("192.0.2.1", 80), 1)),
    "groups": [len(os.getgroups()), attempt(lambda: os.setgroups([]))],
}))
"""
REFUSED = {
    "vsock": "EPERM",
    "io_uring": "EPERM",
    "ptrace init": "EPERM",
    "process_vm_readv": "EPERM",
    "kill runner": "EPERM",
    "stop runner": "EPERM",
    "kill its threads": ["EPERM"],
    "runner's memory": "EACCES",
    "runner's environment": "EACCES",
    "runner's descriptors": "EACCES",
    "socket": "EACCES",
    "journal": "EACCES",
    "mount": "EPERM",
    "user namespace": "EPERM",
    "root file system": "EROFS",
    "become root": "EPERM",
    "interfaces": ["lo"],
    "network": "ENETUNREACH",
    "groups": [1, "EPERM"],
}


def inspect(engine: TestEngine, sandbox: Sandbox) -> dict[str, Any]:
    import docker

    client = docker.DockerClient(base_url=engine.host)
    try:
        attributes: dict[str, Any] = client.containers.get(container_name(engine.site, sandbox.spec.workspace_id)).attrs
        return attributes
    finally:
        client.close()


async def test_the_container_is_made_as_it_should_be(fresh_sandbox: Sandbox, docker_engine: TestEngine) -> None:
    host = (attributes := inspect(docker_engine, fresh_sandbox))["HostConfig"]

    assert (host["NetworkMode"], host["ReadonlyRootfs"], host["Privileged"]) == ("none", True, False)
    assert (host["CapDrop"], sorted(host["CapAdd"])) == (["ALL"], ["KILL", "SETGID", "SETUID"])
    assert host["SecurityOpt"] == ["no-new-privileges:true"]
    assert (host["PidsLimit"], host["Memory"], host["MemorySwap"]) == (256, 512 << 20, 512 << 20)
    assert host["NanoCpus"] == 2_000_000_000
    assert list(host["Tmpfs"]) == ["/tmp"]
    assert {"nosuid", "nodev", "size=64m"} <= set(host["Tmpfs"]["/tmp"].split(","))
    assert not host["Devices"]
    assert (host["PidMode"], host["IpcMode"], host["UTSMode"], host["UsernsMode"]) == ("", "private", "", "")
    assert attributes["Config"]["Labels"]["team"] == "tea_1"


async def test_nothing_of_the_host_is_bound_but_the_workspace(
    fresh_sandbox: Sandbox, docker_engine: TestEngine
) -> None:
    mounts = inspect(docker_engine, fresh_sandbox)["Mounts"]

    disk = fresh_sandbox.files.parent
    assert {mount["Destination"]: mount["Source"] for mount in mounts} == {
        "/workspace": str(disk / "files"),
        "/home/agent": str(disk / "home"),
        "/run/runner": str(disk.parent / "runner"),
    }


async def test_hostile_code_is_refused_everything(sandbox: Sandbox) -> None:
    await sandbox.runtime.write("probe.py", PROBES.encode())

    answers = json.loads(await sandbox.shell("python3 probe.py"))

    assert answers == REFUSED


async def test_commands_run_without_any_power(sandbox: Sandbox) -> None:
    status = await sandbox.shell("cat /proc/self/status /proc/self/oom_score_adj; id")

    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert {fields[name] for name in ("CapInh", "CapPrm", "CapEff", "CapAmb")} == {"0" * 16}
    assert int(fields["CapBnd"], 16) == 0xE0
    assert (fields["NoNewPrivs"], fields["Seccomp"]) == ("1", "2")
    assert re.search(r"\n1000\nuid=1000\(agent\) gid=1000\(agent\) groups=1000\(agent\),5\d{4}\n", status)


@pytest.mark.parametrize("attack", ["kill -9 -1", "kill -STOP -1"])
async def test_signals_to_everyone_do_not_reach_the_runner(sandbox: Sandbox, attack: str) -> None:
    before = await sandbox.runtime.ping()

    await sandbox.shell(attack, timeout=2)

    assert (await sandbox.runtime.ping()).boot_id == before.boot_id
    assert await sandbox.shell("echo fine") == "fine\n"


async def test_a_fork_bomb_is_held_and_cleared_away(sandbox: Sandbox) -> None:
    before = await sandbox.runtime.ping()

    result = await sandbox.runtime.run(RunRequest(new_id(), ":(){ :|:& };:; sleep 2", timeout=3))

    assert result.end in ("exited", "timeout")
    assert (await sandbox.runtime.ping()).boot_id == before.boot_id
    assert int(await sandbox.shell("ps -u agent --no-headers | wc -l")) < 10


async def test_a_bomb_of_sessions_is_cleared_away_beside_a_background_call_that_lives_on(sandbox: Sandbox) -> None:
    """The runner ends a program whose processes all leave their parent's process session, so that killing a process
    group does not stop them. A background call beside it continues."""
    bomb = "import os\nwhile True:\n  try:\n    if os.fork() == 0: os.setsid()\n  except OSError: pass"
    beside = RunRequest(new_id(), "echo ready; sleep 600")
    await sandbox.runtime.start(beside)

    await sandbox.runtime.run(RunRequest(new_id(), f"(setsid python3 -c '{bomb}' &) ; sleep 0.5", timeout=10))

    assert await sandbox.shell("ps -u agent --no-headers -o comm= | sort | uniq -c | grep -c python || true") == "0\n"
    assert (await sandbox.runtime.peek(beside.call_id)).call.is_running


async def test_a_memory_hog_of_many_processes_ends_before_the_runner(sandbox: Sandbox) -> None:
    before = await sandbox.runtime.ping()
    hog = "for i in $(seq 60); do python3 -c 'x = bytearray(30 << 20); input()' < <(sleep 4) & done; wait"

    await sandbox.shell(hog, timeout=8)

    assert (await sandbox.runtime.ping()).boot_id == before.boot_id


COMPUTES = """
idle=$(ls /sys/fs/cgroup/cpu/cpu.idle /sys/fs/cgroup/cpu.idle 2> /dev/null | head -n 1)
wait_for() { for _ in $(seq 100); do [ "$(cat $idle)" = $1 ] && echo $1 && return; sleep 0.1; done; }
(while :; do :; done) & wait_for 1; kill $!; wait $! 2> /dev/null; wait_for 0
"""


async def test_who_computes_for_long_goes_after_everybody_else_as_long_as_it_does(sandbox: Sandbox) -> None:
    assert await sandbox.shell(COMPUTES) == "1\n0\n"


async def test_a_full_tmp_is_only_full(sandbox: Sandbox) -> None:
    assert "No space left" in await sandbox.shell("head -c 100M /dev/zero > /tmp/fill; rm /tmp/fill")


async def test_the_runner_that_is_killed_from_outside_comes_back_and_remembers(
    fresh_sandbox: Sandbox, docker_engine: TestEngine
) -> None:
    request, output = new_call("echo ready; sleep 600"), Output()
    done = await fresh_sandbox.runtime.run(new_call("echo done", call_id="call_done"))
    running = asyncio.create_task(fresh_sandbox.runtime.run(request, on_output=output))
    await output.wait_for(b"ready")
    kill_container(docker_engine, fresh_sandbox)

    with pytest.raises(Exception, match="may have run partly"):
        await running

    assert (await fresh_sandbox.runtime.run(request)).end == "lost"
    assert await fresh_sandbox.runtime.run(new_call("echo done", call_id="call_done")) == done


def kill_container(engine: TestEngine, fresh_sandbox: Sandbox) -> None:
    import docker

    client = docker.DockerClient(base_url=engine.host)
    try:
        client.containers.get(container_name(engine.site, fresh_sandbox.spec.workspace_id)).kill()
    finally:
        client.close()
