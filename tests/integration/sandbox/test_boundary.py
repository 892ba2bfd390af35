"""Every operation that takes a path stays inside the workspace, or raises a typed error, with every escape attempt.

The files outside are compared after every attempt, so an operation with a correct answer and a wrong effect fails too.
All attempts share one sandbox of each kind.
"""

import asyncio
import re
import shlex
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.errors import SandboxError
from sandbox.limits import Limits
from sandbox.local import LocalDeployment
from sandbox.ports import Deployment, FileChange, RunRequest, Runtime, SandboxSpec
from tests.contract.sandbox.conftest import Sandbox
from tests.integration.sandbox.boundary_cases import CANARY, OPERATIONS, TRICKS, Trick

FINGERPRINT = 'cd "$HOME"; find . -printf "%p %y %m %l\\n" | sort; find . -type f -exec sha256sum {} + | sort'
PREPARE = (
    f'mkdir -p "$HOME/out" && printf {CANARY} > "$HOME/out/secret" && ln -s out/secret "$HOME/alias" '
    '&& mkdir back && ln -s "$PWD/back" "$HOME/back" && echo 1 > back/in'
)
PATIENCE = 10.0


@pytest.fixture(scope="module", params=["local", pytest.param("docker", marks=pytest.mark.docker)])
def shared(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """Provide one sandbox with its own event loop, because a local runner lives only as long as the loop that started
    it."""
    loop, root = asyncio.new_event_loop(), tmp_path_factory.mktemp("boundary")
    deployment, image = _deployment(request, root)
    spec = SandboxSpec(f"wsp_{uuid.uuid4().hex[:12]}", image, limits=Limits(memory_mib=512, pids=256, tmp_mib=64))
    runtime = loop.run_until_complete(deployment.ensure(spec))
    sandbox = Sandbox(deployment, spec, runtime, root / spec.workspace_id / "files", request.param)
    assert loop.run_until_complete(sandbox.shell(PREPARE)) == ""
    yield sandbox
    loop.run_until_complete(deployment.remove(spec.workspace_id, files=True))
    loop.run_until_complete(deployment.close())
    loop.close()


def _deployment(request: pytest.FixtureRequest, root: Path) -> tuple[Deployment, str]:
    if request.param == "local":
        return LocalDeployment(root, for_tests=True), "none"
    from sandbox.docker import DockerDeployment

    engine = request.getfixturevalue("docker_engine")
    return DockerDeployment(root, site=engine.site, docker_host=engine.host), engine.image


@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: trick.name.replace(" ", "-"))
async def test_no_trick_leads_out(shared: Sandbox, trick: Trick) -> None:
    if trick.contained and not shared.is_contained:
        pytest.skip("only a container answers so")
    here = f"/workspace/{re.sub('[^a-z0-9]+', '-', trick.name)}"
    path = trick.path if trick.path.startswith("/") or not trick.path else f"{here}/{trick.path}"
    assert await shared.shell(f"mkdir -p {shlex.quote(here[11:])}; cd {shlex.quote(here[11:])}; {trick.setup}") == ""
    before = await shared.shell(FINGERPRINT)

    answers = {operation: await _answer(shared.runtime, operation, path) for operation in OPERATIONS}

    assert answers == trick.expected(here)
    assert await shared.shell(FINGERPRINT) == before


async def _answer(runtime: Runtime, operation: str, path: str) -> str:
    """Try a file operation on a path; return "ok", the result of `stat`, or the error's code. Check that the answer
    comes in time and does not contain the content of files outside the workspace."""
    try:
        async with asyncio.timeout(PATIENCE):
            said = await _attempt(runtime, operation, path)
            answer = said if operation == "stat" else "ok"
    except SandboxError as error:
        said, answer = error.message, error.code
    assert CANARY not in said
    return answer


async def _write(runtime: Runtime, path: str, *, alone: bool) -> str:
    if alone:
        return repr(await runtime.write(path, b"written"))
    return repr(await runtime.change([FileChange("beside", b"written"), FileChange(path, b"written")]))


async def _attempt(runtime: Runtime, operation: str, path: str) -> str:
    match operation:
        case "stat":
            stat = await runtime.stat(path)
            return f"{'inside' if stat.inside else 'outside'} {stat.real_path}"
        case "run":
            result = await runtime.run(RunRequest(uuid.uuid4().hex, "cat secret; ls", workdir=path))
            return result.output.decode("utf-8", "replace")
        case "write" | "change":
            return await _write(runtime, path, alone=operation == "write")
        case "remove":
            await runtime.remove(path)
            return ""
        case "grep":
            return repr(await runtime.grep("canary|root:", path=path))
        case "glob":
            return repr(await runtime.glob("*", path=path))
        case "list":
            return repr(await runtime.list(path))
        case _:
            return repr(await runtime.read(path))
