"""Operations on sandboxes, as jobs of child processes that tests kill (tests/support/killable)."""

import asyncio
import base64
import json
import random
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from sandbox.docker import CarrierKind, DockerDeployment
from sandbox.errors import SandboxError, SandboxUnavailable
from sandbox.limits import Limits
from sandbox.ports import RunRequest, SandboxSpec

LIMITS: Final = Limits(memory_mib=256, pids=64, tmp_mib=16, disk_mib=64, inodes=5_000)
TIMEOUT: Final = 60.0


@dataclass(frozen=True, slots=True)
class Site:
    """The engine, image and folder of a test's sandboxes, passed to child processes as JSON."""

    host: str
    image: str
    root: str
    name: str
    carrier: CarrierKind = "socket"

    def deployment(self) -> DockerDeployment:
        return DockerDeployment(Path(self.root), site=self.name, docker_host=self.host, carrier=self.carrier)

    def spec(self, workspace_id: str) -> SandboxSpec:
        return SandboxSpec(workspace_id, self.image, limits=LIMITS)

    def as_arguments(self) -> dict[str, Any]:
        return asdict(self)


def run_call(site: dict[str, Any], workspace_id: str, call_id: str, command: str) -> None:
    """Run a command in a workspace's sandbox as a worker does. Prints "begun" for each piece of output, and at the end
    {end, output} or {error} as JSON."""
    print(json.dumps(asyncio.run(_run_call(Site(**site), workspace_id, call_id, command))))


async def _run_call(site: Site, workspace_id: str, call_id: str, command: str) -> dict[str, str]:
    deployment = site.deployment()
    try:
        runtime = await deployment.ensure(site.spec(workspace_id))
        request = RunRequest(call_id, command, timeout=TIMEOUT)
        result = await runtime.run(request, on_output=lambda _: print("begun", flush=True))
    except SandboxUnavailable as error:
        return {"error": error.message}
    finally:
        await deployment.close()
    return {"end": result.end, "output": base64.b64encode(result.output).decode()}


def live(site: dict[str, Any], seed: int, workspaces: list[str]) -> None:
    """Use all operations of a deployment in random order and in parallel, until the process is killed."""
    asyncio.run(_live(Site(**site), random.Random(seed), workspaces))


async def _live(site: Site, chance: random.Random, workspaces: list[str]) -> None:
    deployment = site.deployment()
    await asyncio.gather(*(_use(deployment, site.spec(name), random.Random(chance.random())) for name in workspaces))


async def _use(deployment: DockerDeployment, spec: SandboxSpec, chance: random.Random) -> None:
    while True:
        try:
            runtime = await deployment.ensure(spec)
            for _ in range(chance.randint(1, 3)):
                await runtime.run(RunRequest(f"call-{chance.random()}", "sleep 0.02; echo line >> file"))
                await runtime.snapshot()
            match chance.choice(("stop", "remove", "forget", "background")):
                case "stop":
                    await deployment.stop(spec.workspace_id)
                case "remove":
                    await deployment.remove(spec.workspace_id, files=False)
                case "forget":
                    await deployment.remove(spec.workspace_id, files=True)
                case "background":
                    asyncio.get_running_loop().create_task(
                        runtime.run(RunRequest(f"call-{chance.random()}", "sleep 1000 & sleep 0.5"))
                    )
        except SandboxError:
            await asyncio.sleep(0.02)
