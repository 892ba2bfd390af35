"""A sandbox whose image has language servers and formatters, shared by all tests here, and a session in it.

The image is built once and kept in the engine; its downloaded parts are kept in var/cache.
"""

import json
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from agentsite.base.background import background
from sandbox.docker import DockerDeployment
from sandbox.limits import Limits
from sandbox.ports import RealPath, RunRequest, Runtime, SandboxSpec
from tests.support.engine import CACHE, TestEngine, docker_engine
from tests.support.tool_context import InMemoryMemory, call, make_context
from tools_app.languages import edit_diagnostics
from tools_app.languages.server_pool import running_in
from tools_app.spec import Action, PermissionNeed, ToolResult

__all__ = ["docker_engine"]

LIMITS = Limits(memory_mib=1536, pids=256, tmp_mib=64)


@dataclass
class Project:
    """A workspace, and a session that calls tools in it. It may run the commands in `allowed` without permission
    requests."""

    runtime: Runtime
    memory: InMemoryMemory = field(default_factory=InMemoryMemory)
    allowed: set[str] = field(default_factory=set)

    async def call(self, tool: str, **arguments: Any) -> ToolResult:
        ctx = make_context(self.runtime, call_id=f"call_{uuid.uuid4().hex}", memory=self.memory)
        return await call(tool, json.dumps(arguments), replace(ctx, judge=self._judge))

    async def put(self, path: str, content: str) -> None:
        await self.runtime.write(RealPath(f"/workspace/{path}"), content.encode())

    async def content(self, path: str) -> str:
        return (await self.runtime.read(RealPath(f"/workspace/{path}"))).content.decode()

    async def shell(self, command: str) -> str:
        result = await self.runtime.run(RunRequest(f"call_{uuid.uuid4().hex}", command, timeout=60))
        return result.output.decode("utf-8", "replace")

    async def _judge(self, needs: Sequence[PermissionNeed]) -> Action:
        commands = [pattern for need in needs if need.permission == "bash" for pattern in need.patterns]
        may = set(commands) <= self.allowed if commands else all(need.permission == "read" for need in needs)
        return "allow" if may else "ask"


@pytest.fixture(scope="session")
def language_runtime(docker_engine: TestEngine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runtime]:
    from sandbox.image.build import ensure_image

    image = ensure_image(CACHE, docker_host=docker_engine.host, languages=True)
    root, site = tmp_path_factory.mktemp("languages"), f"test-{uuid.uuid4().hex[:8]}"
    deployment = DockerDeployment(Path(root), site=site, docker_host=docker_engine.host)
    yield background.run(deployment.ensure(SandboxSpec("wsp_languages", image, limits=LIMITS)))
    background.run(deployment.remove("wsp_languages", files=True))
    background.run(deployment.close())


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def project(language_runtime: Runtime) -> AsyncIterator[Project]:
    """Provide the workspace to the tests of one file, with long timeouts. Language servers live as long as these
    tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(edit_diagnostics, "TIMEOUT_SECONDS", 60.0)
        patch.setattr(edit_diagnostics, "OTHERS_TIMEOUT_SECONDS", 60.0)
        yield Project(language_runtime)
    running_in(language_runtime).stop()
    await language_runtime.run(RunRequest(f"call_{uuid.uuid4().hex}", "find . ~ -mindepth 1 -delete"))
