"""Common programs in a real container: a refused host results in an error within seconds, and the output names it."""

import shlex
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

import pytest

from sandbox.runner.door import DOOR_NAME
from sessions_app.workers.door import rules
from sessions_app.workers.door.links import WorkspaceLink
from sessions_app.workers.door.rules import WorkspaceRules
from tests.contract.sandbox.conftest import Sandbox
from tests.support.shared_sandboxes import new_call
from tools_app.network.judging import NetworkMode, NetworkPolicy
from tools_app.network.upstream import Upstream
from tools_app.web.rules import WebRules

pytestmark = pytest.mark.docker

AT_MOST: Final = 15.0  # seconds on a busy machine; programs that try again take minutes
ABSENT: Final = 127  # the exit code of a program that is not in the image

FETCH: Final = "fetch('https://example.org/').catch(error => { console.log(error); process.exit(1) })"
LOCKED: Final = 60  # packages, more than the connections that npm opens at a time
LOCK: Final = f"""
import base64, json
names = [f"package-{{number}}" for number in range({LOCKED})]
wanted = {{"name": "app", "version": "1.0.0", "dependencies": dict.fromkeys(names, "1.0.0")}}
places = {{name: f"https://registry.npmjs.org/{{name}}/-/{{name}}-1.0.0.tgz" for name in names}}
integrity = "sha512-" + base64.b64encode(bytes(64)).decode()
made = {{f"node_modules/{{n}}": {{"version": "1.0.0", "resolved": places[n], "integrity": integrity}} for n in names}}
lock = {{**wanted, "lockfileVersion": 3, "requires": True, "packages": {{"": wanted, **made}}}}
lock.pop("dependencies")
json.dump(wanted, open("package.json", "w"))
json.dump(lock, open("package-lock.json", "w"))
"""
"""Writes a lock file for npm. Its packages do not matter, because none of them can be fetched."""
CLIENTS: Final = {
    "curl": "curl -sS https://example.org/",
    "curl, plain": "curl -sSf http://example.org/",
    "wget": "wget -q -O- https://example.org/",
    "git": "git clone -q https://example.org/a.git",
    "apt-get": "mkdir -p /tmp/apt/partial && apt-get -o Dir::State::lists=/tmp/apt -o Dir::Cache=/tmp/apt"
    " -o APT::Update::Error-Mode=any update",
    "python3": "python3 -c \"import urllib.request as r; r.urlopen('https://example.org/')\"",
    "pip": "pip install --target /tmp/x --disable-pip-version-check left",
    "uv": "uv pip install --target /tmp/y left",
    "npm": "npm install --no-audit left-pad",
    "pnpm": "pnpm install left-pad",
    "npm, a lock file": "cd ~/locked && npm ci",
    "yarn": "cd ~/locked && yarn install",
    "node": f'node -e "{FETCH}"',
    "cargo": "cargo search serde",
    "go": "cd /tmp && go mod init x && go get golang.org/x/text",
}


@asynccontextmanager
async def linked(sandbox: Sandbox) -> AsyncIterator[None]:
    """Connect the door (the network proxy) to the sandbox's runner during the block, and wait until commands use it."""
    link = WorkspaceLink(sandbox.files.parent.parent, Upstream(WebRules()))
    try:
        while "http" not in await sandbox.shell("echo $HTTP_PROXY"):
            pass
        yield
    finally:
        link.close()


@pytest.fixture
def apply(monkeypatch: pytest.MonkeyPatch) -> Callable[[NetworkMode], None]:
    """Return a function that sets the network mode of every workspace."""

    def apply_mode(mode: NetworkMode) -> None:
        monkeypatch.setattr(rules, "load_rules", lambda _: WorkspaceRules(NetworkPolicy(mode, "team"), (), ()))

    return apply_mode


@pytest.mark.parametrize("mode", ["none", pytest.param("allowlist", marks=pytest.mark.full)])
async def test_a_refused_host_is_an_error_within_seconds_and_is_named(
    mode: NetworkMode, fresh_sandbox: Sandbox, apply: Callable[[NetworkMode], None]
) -> None:
    apply(mode)
    words = "workspaces have no network here" if mode == "none" else f"the network mode is {mode}"
    tried = []
    async with linked(fresh_sandbox):
        await fresh_sandbox.shell(f"mkdir ~/locked && cd ~/locked && python3 -c {shlex.quote(LOCK)}")
        for name, command in CLIENTS.items():
            await fresh_sandbox.shell(f"{name.split(',')[0]} --version")  # from the disk, which is not what is measured
            began = time.monotonic()
            result = await fresh_sandbox.runtime.run(new_call(command))
            took = time.monotonic() - began
            if result.exit_code == ABSENT:
                continue
            tried.append(name)
            assert result.exit_code != 0, name
            assert took < AT_MOST, (name, took, result.output)
            assert any(words in each.reason for each in result.refused), (name, result.output)
    assert {"curl", "git", "python3", "pip", "uv", "npm", "npm, a lock file", "yarn", "pnpm", "node"} <= set(tried)


async def test_without_a_door_programs_do_not_wait_either(fresh_sandbox: Sandbox) -> None:
    assert not (fresh_sandbox.files.parent.parent / "runner" / DOOR_NAME).exists()
    for name in ("curl", "git", "python3", "pip"):
        began = time.monotonic()
        result = await fresh_sandbox.runtime.run(new_call(CLIENTS[name]))
        assert result.exit_code not in (0, ABSENT), name
        assert time.monotonic() - began < AT_MOST, name
