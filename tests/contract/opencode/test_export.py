"""OpenCode reads our exports as the same commands, agents and permissions.

The program is the released one (npm package opencode-ai). It runs without a network and with an empty home directory.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from agentsite.base.environment import REPOSITORY
from sessions_app.configuration.export import exported
from sessions_app.configuration.merging import merge
from sessions_app.configuration.reading import Source, parse, read
from tools_app.permission.model import Rule

PACKAGES: Final = REPOSITORY / "var/test/npm/node_modules"
FOLDER: Final = Path(__file__).parents[2] / "corpora" / "opencode"
RULES: Final = (
    Rule("*", "*", "ask"), Rule("bash", "*", "ask"), Rule("read", "*", "allow"), Rule("read", "*.env", "ask"),
    Rule("bash", "git *", "allow"), Rule("bash", "rm *", "deny"),
)  # fmt: skip
AGENTS: Final = {"careful": {"description": "Careful", "mode": "subagent", "permission": {"edit": {"*": "deny"}}}}

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def program() -> Path:
    """Return OpenCode's program for this machine, in the baseline build, which runs on every processor."""
    subprocess.run(["deploy/bin/test-programs"], cwd=REPOSITORY, check=True)
    return min(PACKAGES.glob("opencode-linux-*/bin/opencode"), key=lambda path: "baseline" not in str(path))


def loaded(program: Path, text: str, folder: Path) -> dict[str, Any]:
    """Return the configuration that OpenCode shows for a project with `text` as its `opencode.json`."""
    (folder / "opencode.json").write_text(text)
    environment = {"HOME": str(folder / "home"), "PATH": os.environ["PATH"], "XDG_CONFIG_HOME": str(folder / "home")}
    alone: list[str | Path] = ["unshare", "--net", "--map-root-user"] if shutil.which("unshare") else []
    made = subprocess.run(
        [*alone, program, "debug", "config"],
        cwd=folder,
        env=environment,
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert made.returncode == 0, made.stderr[-2000:]
    found: dict[str, Any] = json.loads(made.stdout)
    return found


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.iterdir()))
def test_opencode_shows_the_same(name: str, program: Path, tmp_path: Path) -> None:
    merged = merge([read(parse((FOLDER / name).read_text()), Source("file", name))])
    text = exported(merged, agents=AGENTS, rules=RULES, defaults={"model": "anthropic/claude-sonnet-4-5"})
    found, document = loaded(program, text, tmp_path), json.loads(text)
    assert found["model"] == document["model"]
    assert found["permission"] == document["permission"]
    assert list(found["permission"]["bash"].items()) == [("*", "ask"), ("git *", "allow"), ("rm *", "deny")]
    assert {key: value["template"] for key, value in found.get("command", {}).items()} == {
        key: value["template"] for key, value in document.get("command", {}).items()
    }
    assert found["agent"]["careful"]["permission"] == AGENTS["careful"]["permission"]
