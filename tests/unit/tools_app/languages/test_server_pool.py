"""Sharing of a workspace's language servers among tool calls."""

from typing import Any
from unittest.mock import create_autospec

from sandbox.client.runtime import RunnerRuntime
from sandbox.client.transport import Carrier
from tools_app.languages.server_pool import running_in


def runtime_of_a_workspace() -> RunnerRuntime:
    carrier: Any = create_autospec(Carrier, instance=True)
    return RunnerRuntime(carrier)


async def test_all_calls_of_a_workspace_share_its_servers() -> None:
    runtime = runtime_of_a_workspace()
    servers = running_in(runtime.recording("call_1", "ses_1"))
    assert running_in(runtime.recording("call_2", "ses_1")) is servers
    assert running_in(runtime) is servers


async def test_workspaces_share_none() -> None:
    assert running_in(runtime_of_a_workspace()) is not running_in(runtime_of_a_workspace())
