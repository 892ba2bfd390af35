"""Places of commands whose names say nothing about what they show: seen on a real folder."""

import uuid
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sandbox.local import LocalDeployment
from sandbox.ports import Runtime, SandboxSpec
from tests.support.tool_context import make_context
from tools_app import gate
from tools_app.builtin.bash import BashArguments, BashTool
from tools_app.permission import layers


class Bench:
    def __init__(self, files: Path, runtime: Runtime) -> None:
        self.files = files
        self._runtime = runtime

    def write(self, name: str, text: str = "KEY=secret\n") -> None:
        path = self.files / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    async def action(self, command: str) -> str:
        needs = await BashTool().needs(BashArguments(command=command), make_context(self._runtime))
        return gate.judge(needs, layers.preferences(agent="build")).action


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    deployment = LocalDeployment(tmp_path, for_tests=True)
    spec = SandboxSpec(f"wsp_{uuid.uuid4().hex[:12]}", "none")
    runtime = await deployment.ensure(spec)
    made = Bench(deployment.files_of(spec.workspace_id), runtime)
    made.write("src/app.py", "x = 1\n")
    yield made
    await deployment.close()


async def test_a_search_that_leaves_out_hidden_files_is_not_asked_for_a_hidden_secret(bench: Bench) -> None:
    bench.write(".env")
    bench.write(".gitignore", "*.log\n!.env.example\n!.gitkeep\n!src/\n")
    assert await bench.action("rg KEY") == "allow"


@pytest.mark.parametrize("name", [".ignore", ".rgignore", ".gitignore"])
@pytest.mark.parametrize("line", ["!.env", "!.*", "!*", "!src/.env"])
async def test_an_ignore_file_may_show_what_is_hidden(bench: Bench, name: str, line: str) -> None:
    bench.write("src/.env")
    bench.write(name, f"*.log\n{line}\n")
    assert await bench.action("rg KEY") == "ask"
    assert await bench.action("rg KEY src") == "ask"


async def test_an_ignore_file_that_is_too_long_to_be_read_may_show_anything(bench: Bench) -> None:
    bench.write(".env")
    bench.write(".ignore", "*.log\n" * 20_000)
    assert await bench.action("rg KEY") == "ask"


@pytest.mark.parametrize(
    "command", ["grep *", "grep KEY *", "cat *", "ls *", "find *", 'for f in *; do cat "$f"; done']
)
@pytest.mark.parametrize("name", ["-R", "--files0-from=x", "-delete"])
async def test_a_name_that_begins_with_a_dash_may_become_an_option(bench: Bench, command: str, name: str) -> None:
    bench.write(name, "")
    assert await bench.action(command) == "ask"


async def test_other_names_become_no_options(bench: Bench) -> None:
    bench.write("a-b", "")
    assert await bench.action("grep KEY *") == "allow"


@pytest.mark.parametrize("command", ["grep -r KEY --include='*.local' .", "find . -name '*.local' -exec cat {} +"])
async def test_the_end_of_a_secrets_name_may_be_any(bench: Bench, command: str) -> None:
    assert await bench.action(command) == "allow"
    bench.write("config/.env.local")
    assert await bench.action(command) == "ask"


@pytest.mark.parametrize("command", ["grep -r url .", "grep -rh url --include=config .", "rg --hidden url"])
async def test_a_repositorys_settings_are_asked_for_when_they_hold_a_password(bench: Bench, command: str) -> None:
    bench.write(".git/config", "[remote]\n\turl = https://example.org/a.git\n")
    assert await bench.action(command) == "allow"
    bench.write(".git/config", "[remote]\n\turl = https://me:secret@example.org/a.git\n")
    assert await bench.action(command) == "ask"


@pytest.mark.parametrize("command", ["grep -R KEY src", "cp -rL src new", "rg -L KEY src"])
async def test_a_folder_behind_a_link_is_looked_into_when_links_are_followed(bench: Bench, command: str) -> None:
    bench.write("config/prod.env")
    (bench.files / "src" / "c").symlink_to("../config")
    assert await bench.action(command) == "ask"


async def test_a_link_to_itself_has_an_end(bench: Bench) -> None:
    (bench.files / "self").symlink_to(".")
    assert await bench.action("grep -R KEY .") == "allow"
