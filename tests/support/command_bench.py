"""Judge shell commands by rules, with a real folder and a local runner."""

import json
import shutil
import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from sandbox.local import LocalDeployment
from sandbox.ports import Runtime, SandboxSpec
from tests.support.tool_context import make_context
from tools_app import chain, gate
from tools_app.builtin.bash import BashArguments, BashTool
from tools_app.gate import SessionPathRules
from tools_app.permission import layers
from tools_app.permission.model import Layer, Rule

NO_INTERNAL = Rule("read", "internal/*", "deny")
NO_LOCKS = Rule("edit", "*.lock", "deny")


class Bench:
    def __init__(self, files: Path, runtime: Runtime) -> None:
        self.files = files
        self._runtime = runtime

    def write(self, name: str, text: str = "KEY=secret\n") -> None:
        path = self.files / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    async def permissions(self, command: str) -> set[str]:
        """Return the permissions that a command needs, without any rules."""
        needs = await BashTool().needs(BashArguments(command=command), make_context(self._runtime))
        return {need.permission for need in needs}

    async def action(self, command: str, *limits: Rule, preset: str = "balanced", known: bool = True) -> str:
        """Return the action for a command under a preset and limits. `known=False` hides the limits while the paths of
        the command are resolved."""
        preferences = layers.preferences(agent="build", preset=preset)
        limiting = (Layer("team limits", limits),)
        rules = SessionPathRules(preferences, limiting if known else ())
        needs = await BashTool().needs(BashArguments(command=command), make_context(self._runtime, rules=rules))
        return gate.judge(needs, preferences, limiting).action

    async def action_of_call(self, tool: str, *limits: Rule, **arguments: str) -> str:
        """Return the action (allow, ask or deny) for a tool call with the rules of the agent `build` and the given
        limits."""
        preferences = layers.preferences(agent="build")
        limiting = (Layer("team limits", limits),) if limits else ()
        context = make_context(self._runtime, rules=SessionPathRules(preferences, limiting))
        prepared = await chain.prepare(tool, json.dumps(arguments), context)
        return gate.judge(prepared.needs, preferences, limiting).action


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_bench(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bench]:
    """Provide one runner for all tests, because starting one takes longer than most tests."""
    deployment = LocalDeployment(tmp_path_factory.mktemp("bench"), for_tests=True)
    spec = SandboxSpec(f"wsp_{uuid.uuid4().hex[:12]}", "none")
    runtime = await deployment.ensure(spec)
    yield Bench(deployment.files_of(spec.workspace_id), runtime)
    await deployment.close()


@pytest.fixture
def bench(shared_bench: Bench) -> Bench:
    """Return the shared bench after its files were replaced by a single source file."""
    for entry in shared_bench.files.iterdir():
        shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
    shared_bench.write("src/app.py", "x = 1\n")
    return shared_bench
