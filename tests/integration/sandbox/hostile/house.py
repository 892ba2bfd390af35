"""A sandbox under attack, its neighbour, and canaries on the host. An attack may affect neither the neighbour nor the
canaries."""

import asyncio
import contextlib
import json
import shutil
import socket
import subprocess
import textwrap
import threading
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from sandbox.docker import DockerDeployment
from sandbox.docker.container import container_name
from sandbox.errors import SandboxError
from sandbox.limits import Limits
from sandbox.ports import RunRequest, Runtime, SandboxSpec
from tests.integration.sandbox.hostile.case import Operation, Probe, Shared, Trap
from tests.support.engine import TestEngine

INSIDE: Final = Path(__file__).with_name("inside.py")
LIMITS: Final = Limits(memory_mib=512, pids=256, tmp_mib=64, disk_mib=512)
PATIENCE: Final = 180
WATCHED: Final = ("kernel/core_pattern", "kernel/hostname", "kernel/modprobe", "kernel/sysrq", "vm/overcommit_memory",
                  "vm/panic_on_oom", "net/ipv4/ip_forward", "fs/protected_hardlinks")  # fmt: skip


class Canaries:
    """A file, a process, and listeners at every kind of address on the host. Connections to them are recorded."""

    def __init__(self, folder: Path) -> None:
        self.visits: list[str] = []
        self._file = folder / f"canary-{uuid.uuid4().hex}"
        self._file.write_text("sings")
        self._settings = read_settings()
        self._process_name = f"canary-{uuid.uuid4().hex[:8]}"
        self._process = subprocess.Popen(["bash", "-c", f"exec -a {self._process_name} sleep 3600"])
        self._abstract = f"canary-{uuid.uuid4().hex}"
        self._unix = folder / "canary.sock"
        self._sockets = {
            "loopback": _bound(socket.AF_INET, ("127.0.0.1", 0)),
            "any": _bound(socket.AF_INET, ("0.0.0.0", 0)),
            "six": _bound(socket.AF_INET6, ("::1", 0)),
            "abstract": _bound(socket.AF_UNIX, "\0" + self._abstract),
            "unix": _bound(socket.AF_UNIX, str(self._unix)),
            "udp": _bound(socket.AF_INET, ("127.0.0.1", 0), socket.SOCK_DGRAM),
        }
        for name, listener in self._sockets.items():
            threading.Thread(target=self._listen, args=(name, listener), daemon=True).start()

    def facts(self) -> dict[str, Any]:
        """Return the facts that attempts get about the host, such as the addresses of canaries that they must not
        reach."""
        ports = {f"{name}_port": self._sockets[name].getsockname()[1] for name in ("loopback", "any", "six", "udp")}
        return {
            **ports,
            "canary": str(self._file),
            "canary_name": self._file.name,
            "canary_process": self._process_name,
            "abstract": self._abstract,
            "unix_path": str(self._unix),
            "host_address": host_address(),
        }

    def damage(self) -> list[str]:
        """Return a sentence for each effect on the canaries; empty if there was none."""
        found = [f"somebody reached the listener {name}" for name in self.visits]
        if self._file.read_text() != "sings":
            found.append("the canary's file has changed")
        if self._process.poll() is not None:
            found.append("the canary's process has ended")
        if (now := read_settings()) != self._settings:
            found.append(f"settings of the host have changed: {set(now.items()) ^ set(self._settings.items())}")
        return found

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        for listener in self._sockets.values():
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()

    def _listen(self, name: str, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            if listener.type == socket.SOCK_DGRAM:
                said = listener.recv(100)
            else:
                listener.accept()[0].close()
                said = b"canary"
            if said:
                self.visits.append(name)


@dataclass
class House:
    """The sandbox under attack and its neighbour. `boots` contains the boot ids of their runners, to detect a
    restart."""

    deployment: DockerDeployment
    engine: TestEngine
    canaries: Canaries
    spec: SandboxSpec
    neighbour_spec: SandboxSpec
    runtime: Runtime
    neighbour: Runtime
    boots: dict[str, str] = field(default_factory=dict)

    async def settle(self) -> None:
        """Record the present state of the sandboxes, which `damage` compares with a later one."""
        await self.neighbour.write("canary", b"next door")
        self.boots = {name: (await runtime.ping()).boot_id for name, runtime in self._runtimes()}

    async def damage(self) -> list[str]:
        found = self.canaries.damage()
        if (await self.neighbour.read("canary")).content != b"next door":
            found.append("the neighbour's file has changed")
        for name, runtime in self._runtimes():
            boot = (await runtime.ping()).boot_id
            if boot != self.boots[name]:
                found.append(f"the runner ({name}) has died")
            self.boots[name] = boot
        for name, runtime in self._runtimes():
            if (said := await shell(runtime, "cat; echo fine")) != "fine":
                found.append(f"no command can be run ({name}): {said[-200:]}")
        return found

    async def probe(self, probes: Sequence[Probe]) -> Mapping[str, str]:
        """Make the attempts as the tool user; return their outcomes by id."""
        await self._bring(probes)
        said = await shell(self.runtime, "cd / && python3 /workspace/.inside.py /workspace/.work.json", PATIENCE)
        return _answers(said)

    async def probe_as_root(self, probes: Sequence[Probe]) -> Mapping[str, str]:
        """Make the attempts as the container's root, like a runner that was taken over; return their outcomes by id."""
        await self._bring(probes)
        command = ["python3", "/workspace/.inside.py", "/workspace/.work.json"]
        said = await asyncio.to_thread(self._execute, command)
        return _answers(said)

    async def spring(self, trap: Trap) -> tuple[str, str]:
        """Set the trap and run its operation; return the operation's outcome and the evidence."""
        base = await self.runtime.snapshot() if trap.operation == "diff" else ""
        with contextlib.suppress(SandboxError):
            await self.runtime.run(new_call(dedented(trap.setup), trap.timeout))
        try:
            said = await self._operate(trap.operation, base)
        except SandboxError as error:
            said = error.code
        return said, (await shell(self.runtime, dedented(trap.evidence), 20)).strip()

    async def share(self, shared: Shared) -> str:
        """Return the last line that the neighbour's program `shared.ask` prints while the sandbox holds `shared`."""
        code, output = dedented(shared.hold) + "\nprint('held', flush=True); time.sleep(60)", asyncio.Event()
        await self.runtime.write(".hold.py", ("import ctypes, os, socket, time\n" + code).encode())
        call = new_call("python3 .hold.py", 20)
        holding = asyncio.create_task(
            self.runtime.run(call, on_output=lambda chunk: output.set() if b"held" in chunk else None)
        )
        async with asyncio.timeout(20):
            await output.wait()
        await self.neighbour.write(".ask.py", ("import ctypes, os, socket, time\n" + dedented(shared.ask)).encode())
        said = await shell(self.neighbour, "python3 .ask.py 2>&1 | tail -1")
        await self.runtime.abort(call.call_id)
        await holding
        return said

    async def _operate(self, operation: Operation, base: str) -> str:
        runtime = self.runtime
        if operation == "glob":
            await runtime.glob("*")
        if operation == "list":
            await runtime.list("w" if (await runtime.stat("w")).exists else ".")
        if operation == "grep":
            matches = (await runtime.grep("two|forged")).matches
            return "grep" + " forged" * any("forged" in match.text for match in matches)
        if operation == "snapshot":
            await runtime.snapshot()
        if operation == "diff":
            changes = await runtime.diff(base)
            return "diff" + " forged" * any("+forged" in change.patch for change in changes)
        return operation

    async def _bring(self, probes: Sequence[Probe]) -> None:
        facts = {**self.canaries.facts(), "engine": self.engine.host.removeprefix("unix://")}
        facts["neighbour"] = self.neighbour_spec.workspace_id
        cases = [{"id": p.id, "language": p.language, "code": dedented(p.code)} for p in probes]
        await self.runtime.write(".inside.py", INSIDE.read_bytes())
        await self.runtime.write(".work.json", json.dumps({"facts": facts, "cases": cases}).encode())

    def _execute(self, command: list[str]) -> str:
        import docker

        client = docker.DockerClient(base_url=self.engine.host, timeout=PATIENCE)
        try:
            container = client.containers.get(container_name(self.engine.site, self.spec.workspace_id))
            said: Any = container.exec_run(command, user="0:0").output
            return str(said.decode("utf-8", "replace"))
        finally:
            client.close()

    def _runtimes(self) -> list[tuple[str, Runtime]]:
        return [("attacked", self.runtime), ("neighbour", self.neighbour)]


@contextmanager
def open_house(engine: TestEngine, folder: Path, runtime: str) -> Iterator[House]:
    deployment = DockerDeployment(folder / "workspaces", site=engine.site, docker_host=engine.host)
    specs = [
        SandboxSpec(f"wsp_{uuid.uuid4().hex[:12]}", engine.image, runtime=runtime, limits=LIMITS) for _ in range(2)
    ]
    canaries = Canaries(folder)
    try:
        runtimes = [asyncio.run(deployment.ensure(spec)) for spec in specs]
        house = House(deployment, engine, canaries, specs[0], specs[1], runtimes[0], runtimes[1])
        asyncio.run(house.settle())
        yield house
    finally:
        canaries.close()
        for spec in specs:
            asyncio.run(deployment.remove(spec.workspace_id, files=True))
        asyncio.run(deployment.close())
        shutil.rmtree(folder, ignore_errors=True)


async def shell(runtime: Runtime, command: str, timeout: float = 20) -> str:
    result = await runtime.run(new_call(command, timeout))
    return result.output.decode("utf-8", "replace").strip()


def new_call(command: str, timeout: float) -> RunRequest:
    return RunRequest(f"call_{uuid.uuid4().hex}", command, timeout=timeout)


def dedented(code: str) -> str:
    return textwrap.dedent(code).strip()


def read_settings() -> dict[str, str]:
    return {name: Path("/proc/sys", name).read_text() for name in WATCHED if Path("/proc/sys", name).exists()}


def host_address() -> str:
    """Return the address that the host sends from. It is found with a UDP socket to 192.0.2.1, without sending
    anything."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client:
        try:
            client.connect(("192.0.2.1", 9))
            return str(client.getsockname()[0])
        except OSError:
            return "192.0.2.2"


def _bound(family: int, address: Any, kind: int = socket.SOCK_STREAM) -> socket.socket:
    listener = socket.socket(family, kind)
    listener.bind(address)
    if kind == socket.SOCK_STREAM:
        listener.listen()
    return listener


def _answers(said: str) -> Mapping[str, str]:
    try:
        answers: Mapping[str, str] = json.loads(said.strip().splitlines()[-1])["answers"]
    except (ValueError, IndexError, KeyError) as error:
        raise AssertionError(f"The attempts did not come to their end: {said[-1000:]}") from error
    return answers
