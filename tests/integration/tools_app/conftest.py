import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from sandbox.local import LocalDeployment
from sandbox.ports import Runtime, SandboxSpec
from tests.support.tool_context import BALANCED, InMemoryFiles, InMemoryMemory, RecordedProgress, call, make_context
from tools_app import chain
from tools_app.chain import Prepared
from tools_app.gate import SessionPathRules
from tools_app.permission import layers
from tools_app.permission.model import Layer, Rule
from tools_app.spec import PermissionNeed, ToolContext, ToolResult


@dataclass
class Bench:
    """A workspace with a runner behind it, and one session that calls tools in it."""

    runtime: Runtime
    files: Path
    memory: InMemoryMemory = field(default_factory=InMemoryMemory)
    progress: RecordedProgress = field(default_factory=RecordedProgress)
    attached: InMemoryFiles = field(default_factory=InMemoryFiles)
    numbers: "count[int]" = field(default_factory=count)
    rules: SessionPathRules = BALANCED

    def limit(self, *rules: Rule) -> None:
        """Add the rules to the limits of the session's team."""
        layer = Layer("team limits", rules)
        self.rules = SessionPathRules(layers.preferences(agent="build"), (*layers.limits(agent="build"), layer))

    def context(self) -> ToolContext:
        return make_context(
            self.runtime,
            call_id=f"call_{next(self.numbers)}",
            memory=self.memory,
            progress=self.progress,
            files=self.attached,
            rules=self.rules,
        )

    async def call(self, tool: str, **arguments: Any) -> ToolResult:
        return await call(tool, json.dumps(arguments), self.context())

    async def prepare(self, tool: str, **arguments: Any) -> Prepared:
        return await chain.prepare(tool, json.dumps(arguments), self.context())

    async def needs(self, tool: str, **arguments: Any) -> list[PermissionNeed]:
        return list((await self.prepare(tool, **arguments)).needs)

    def write(self, path: str, content: str | bytes) -> Path:
        target = self.files / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        return target

    def names(self) -> list[str]:
        """Return the names of the files at the top of the workspace."""
        return sorted(path.name for path in self.files.iterdir())

    def read(self, path: str) -> bytes:
        return (self.files / path).read_bytes()


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    deployment = LocalDeployment(tmp_path, for_tests=True)
    try:
        runtime = await deployment.ensure(SandboxSpec("wsp_tools", "none"))
        yield Bench(runtime, deployment.files_of("wsp_tools"))
    finally:
        await deployment.close()
