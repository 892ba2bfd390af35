"""External programs use the site as an MCP server."""

import asyncio
import os
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
from httpx2 import AsyncClient
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from agentsite.base.environment import REPOSITORY
from deploy.demo import make_token
from deploy.demo_project import NAME as PROJECT_NAME
from tests.support.running_site import RunningSite
from tests.support.token_proxy import token_proxy

SCOPES: Final = ("read", "sessions:write", "answer")
REVISIONS: Final = ("2025-11-25", "2026-07-28")
PROGRAMS: Final = REPOSITORY / "var/test/npm"


@pytest.mark.full
@pytest.mark.parametrize("revision", REVISIONS)
def test_the_official_conformance_suite_passes(site: RunningSite, revision: str, tmp_path: Path) -> None:
    """The official conformance suite passes with every scenario of a revision, except those that a file lists with
    reasons."""
    subprocess.run(["deploy/bin/test-programs"], cwd=REPOSITORY, check=True)
    with token_proxy(site.address, make_token(site.address, "suite", scopes=SCOPES)) as address:
        command: list[str | Path] = [
            "deploy/bin/with-node", "node", PROGRAMS / "node_modules/.bin/conformance", "server",
            "--url", f"{address}/mcp", "--requirements", revision, "--output-dir", tmp_path,
            "--expected-failures", REPOSITORY / f"tests/e2e/conformance/server-{revision}.yml",
        ]  # fmt: skip
        environment = {**os.environ, "NODE_AT_LEAST": "22"}
        done = subprocess.run(
            command, check=False, cwd=REPOSITORY, env=environment, capture_output=True, text=True, timeout=900
        )
    assert done.returncode == 0, done.stdout[-6000:]
    assert "tools-list: " in done.stdout


@pytest.mark.parametrize("mode", ["auto", pytest.param("legacy", marks=pytest.mark.full)])
def test_another_agent_gives_work_with_the_client_of_the_protocols_sdk(site: RunningSite, mode: Any) -> None:
    token = make_token(site.address, "sdk", scopes=SCOPES)
    heard: list[str] = []
    with ThreadPoolExecutor(1) as pool:  # the loop of the browser runs in this thread
        work = partial(_give_work, f"{site.address}/mcp", token, mode, heard.append)
        text, files, uri = pool.submit(lambda: asyncio.run(work())).result(300)
    assert text
    assert "README.md" in files
    assert uri.startswith("agentsite://sessions/ses_")
    assert heard[0] == "The agent works."


async def _give_work(address: str, token: str, mode: Any, hear: Callable[[str], None]) -> tuple[str, set[str], str]:
    """Let an external program give the agent work. Return the agent's answer, the workspace's file names, and the
    address of the newest session."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        AsyncClient(headers=headers, timeout=120, trust_env=False) as http,
        Client(streamable_http_client(address, http_client=http), mode=mode) as client,
    ):

        async def call(tool: str, **arguments: Any) -> Any:
            async def report(progress: float, total: float | None, message: str | None) -> None:
                hear(message or "")

            result = await client.call_tool(tool, arguments, progress_callback=report)
            assert not result.is_error, result.content
            return result.structured_content

        assert {tool.name for tool in (await client.list_tools()).tools} >= {"send_prompt", "wait_for_turn"}
        projects = (await call("list_projects"))["items"]
        project = next(one for one in projects if one["name"] == PROJECT_NAME)
        session = await call("create_session", project_id=project["id"], new_workspace=True)
        sent = await call(
            "send_prompt",
            session_id=session["id"],
            text="List the files",
            idempotency_key=session["id"],
        )
        outcome = await call("wait_for_turn", turn_id=sent["turn"]["id"], wait=100)
        while outcome["state"] == "running":
            outcome = await call("wait_for_turn", turn_id=sent["turn"]["id"], wait=100)
        assert outcome["state"] == "ended", outcome
        entries = (await call("list_files", session_id=session["id"]))["entries"]
        uri = (await client.list_resources()).resources[0].uri
        return outcome["text"], {entry["name"] for entry in entries}, str(uri)
