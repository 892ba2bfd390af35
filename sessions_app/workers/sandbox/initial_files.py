"""Write a project's initial files into a new workspace, from inside its container."""

import importlib
import posixpath
from collections.abc import Mapping
from typing import Final

from sandbox.errors import Conflict, SandboxRefused
from sandbox.ports import WORKSPACE_ROOT, Expect, RunRequest, Runtime

TEMPLATES: Final = {"demo": "deploy.demo_project"}
FIRST_COMMIT: Final = (
    "git init -q -b main && git add -A && "
    "git -c user.name=agentsite -c user.email=agentsite@localhost commit -q -m 'Start of the project'"
)
EMPTY_REPOSITORY: Final = "git init -q -b main"


async def seed_workspace(runtime: Runtime, *, workspace_id: str, template: str) -> None:
    """Write the template's files and commit them; without a template, create an empty repository. May be repeated:
    existing files are not changed. Raises SandboxRefused if git fails."""
    command = FIRST_COMMIT if template in TEMPLATES else EMPTY_REPOSITORY
    for path, content in _files(template).items():
        try:
            await runtime.write(posixpath.join(WORKSPACE_ROOT, path), content, expected=Expect.ABSENT)
        except Conflict:
            continue
    result = await runtime.run(RunRequest(call_id=f"seed-{workspace_id}", command=command, timeout=60))
    if result.end != "exited" or result.exit_code != 0:
        last_output = result.output.decode("utf-8", "replace")[-500:]
        raise SandboxRefused(f"The project's repository could not be created: {last_output}")


def _files(template: str) -> Mapping[str, bytes]:
    if template not in TEMPLATES:
        return {}
    found: Mapping[str, bytes] = importlib.import_module(TEMPLATES[template]).files()
    return found
