"""The door (the proxy for workspaces) and the worker that clones a repository, as jobs of child processes that tests
kill (tests/support/killable)."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any, Final

import django
from django.apps import apps

if not apps.ready:
    django.setup()

from deploy.demo_forge import Account, ForgeRepository
from sandbox.errors import SandboxError
from sandbox.limits import Limits
from sandbox.ports import RunRequest, SandboxSpec
from sessions_app.workers.door import links, rules
from sessions_app.workers.door.links import WorkspaceLink
from sessions_app.workers.sandbox.clone import Clone, run_clone
from tests.support.git_door import GivenSide
from tests.support.sandbox_jobs import Site
from tools_app.network.git.judging import PushRules
from tools_app.network.upstream import Upstream
from tools_app.permission.model import Layer, Rule
from tools_app.web.rules import WebRules

LIMITS: Final = Limits(memory_mib=512, pids=128, disk_mib=1024, tmp_mib=64)
BRANCH: Final = "agentsite/x"
ALLOWED: Final = PushRules([Layer("project", [Rule("git_push", "agentsite/*", "allow")])], (), "main")


def new_spec(site: Site, workspace_id: str) -> SandboxSpec:
    return SandboxSpec(workspace_id, site.image, limits=LIMITS)


def serve_door(folder: str, place: str, repository: str, site_url: str, token: str) -> None:
    """Run the door (network proxy) of one workspace, for one repository, until the process is killed."""
    asyncio.run(keep_door(Path(folder), place, repository, site_url, token))


async def keep_door(folder: Path, place: str, repository: str, site_url: str, token: str) -> None:
    """Run the door (network proxy) of one workspace until the task is cancelled. Patches modules of this process, which
    has no database."""
    account = Account("kim")
    account.token = token
    shop = ForgeRepository(repository, Path(), site_url, "main")
    side = GivenSide(shop, account, ALLOWED)
    setattr(links, "WorkspaceRepository", lambda *_: side)  # noqa: B010 - in this process, which has no database
    setattr(rules, "load_rules", lambda _: rules.CLOSED)  # noqa: B010
    host, _, port = place.partition(":")
    WorkspaceLink(folder, Upstream(WebRules(frozenset({(host, int(port))}))))
    print("open", flush=True)
    await asyncio.Event().wait()


def clone(site: dict[str, Any], workspace_id: str) -> None:
    """Clone a repository as a worker does. Prints a line when git receives objects, and at the end the results of the
    clone script."""
    print(json.dumps(asyncio.run(_clone(Site(**site), workspace_id))))


async def _clone(site: Site, workspace_id: str) -> dict[str, str]:
    deployment = site.deployment()
    try:
        runtime = await deployment.ensure(new_spec(site, workspace_id))
        result = await run_clone(runtime, workspace_id, Clone("shop", BRANCH), on_output=_tell)
    except SandboxError as error:
        return {"error": error.message}
    finally:
        await deployment.close()
    output = result.output.decode("utf-8", "replace")
    return {
        "exit": str(result.exit_code),
        "tail": output[-500:],
        **dict(re.findall(r"^clone: (\w+)=(.*)$", output, re.MULTILINE)),
    }


def _tell(output: bytes) -> None:
    if b"Receiving" in output:
        print("receiving", flush=True)


def push(site: dict[str, Any], workspace_id: str, call_id: str, command: str) -> None:
    """Run a command as a worker does, or attach to it if it is already running. Print its result as JSON."""
    print(json.dumps(asyncio.run(_push(Site(**site), workspace_id, call_id, command))))


async def _push(site: Site, workspace_id: str, call_id: str, command: str) -> dict[str, Any]:
    deployment = site.deployment()
    try:
        runtime = await deployment.ensure(new_spec(site, workspace_id))
        result = await runtime.run(RunRequest(call_id, command, timeout=400))
    finally:
        await deployment.close()
    return {"end": result.end, "exit": result.exit_code}
