"""Local MCP servers that behave unusually: each fault is reported, and nothing waits forever."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.integration.tools_app.conftest import Bench
from tools_app.mcp import local_pool, local_server
from tools_app.mcp.forms import Ask, Form, FormReply, ask_nobody
from tools_app.mcp.launch import CallFailed, Launch, ServerFailed
from tools_app.mcp.local_pool import servers_in

SCRIPT = Path(__file__).parents[2] / "support" / "scripted_mcp_server.py"


def launch(mode: str) -> Launch:
    return Launch(f"mcp_{mode}", mode, (sys.executable, "-I", str(SCRIPT), mode))


async def call(bench: Bench, mode: str, seconds: float = 20.0, people: Ask = ask_nobody) -> str:
    server = await servers_in(bench.runtime).running(launch(mode))
    answer = await server.call(server.tools["echo"], {}, seconds, lambda *_: None, people)
    return str(answer["content"][0]["text"])


async def test_a_server_that_also_writes_other_text_works(bench: Bench) -> None:
    assert await call(bench, "chatter") == "done"
    assert any("stdout: Ready!" in line for line in servers_in(bench.runtime).log_of("mcp_chatter"))


async def test_one_process_serves_all_calls_and_ends_when_it_is_stopped(bench: Bench) -> None:
    pool = servers_in(bench.runtime)
    first, second = await asyncio.gather(pool.running(launch("honest")), pool.running(launch("honest")))
    assert first is second
    pool.stop("mcp_honest")
    assert not pool.is_running("mcp_honest")
    assert await call(bench, "honest") == "done"


async def test_an_idle_server_is_stopped(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_pool, "IDLE_SECONDS", 0.1)
    assert await call(bench, "honest") == "done"
    while servers_in(bench.runtime).is_running("mcp_honest"):
        await asyncio.sleep(0.05)
    assert servers_in(bench.runtime).log_of("mcp_honest")[-1].endswith("stopped: idle")


async def test_a_server_that_never_answers_is_given_up(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_server, "START_TIMEOUT_SECONDS", 1.0)
    with pytest.raises(ServerFailed, match="did not start within 1 s"):
        await servers_in(bench.runtime).running(launch("mute"))


async def test_a_server_that_only_babbles_is_given_up(bench: Bench) -> None:
    with pytest.raises(ServerFailed, match="does not seem to be an MCP server"):
        await servers_in(bench.runtime).running(launch("babbles"))


async def test_a_server_that_fails_is_not_started_again_at_once(bench: Bench) -> None:
    bad = Launch("mcp_bad", "bad", ("false",))
    pool = servers_in(bench.runtime)
    with pytest.raises(ServerFailed, match="ended with exit code 1"):
        await pool.running(bad)
    with pytest.raises(ServerFailed, match="It is started again in 2 s"):
        await pool.running(bad)
    assert sum("started" in line for line in pool.log_of("mcp_bad")) == 1
    pool.stop("mcp_bad")
    with pytest.raises(ServerFailed, match=r"ended with exit code 1$"):
        await pool.running(bad)


@pytest.mark.parametrize(
    ("mode", "problem"),
    [
        ("hangs", "did not answer within 0.5 s"),
        ("floods", "for one request"),
        ("huge", "sent a message of more than 16 MiB"),
        ("nonsense", "does not follow the protocol"),
    ],
)
async def test_a_call_ends_whatever_the_server_does(bench: Bench, mode: str, problem: str) -> None:
    with pytest.raises(CallFailed, match=problem) as failure:
        await call(bench, mode, 0.5 if mode == "hangs" else 60.0)
    assert failure.value.made


async def test_a_server_gets_the_workspaces_folder_and_pings_and_no_model(bench: Bench) -> None:
    answers: dict[str, Any] = json.loads(await call(bench, "asks"))
    assert answers.pop("ping") == {}
    assert answers.pop("roots/list") == {"roots": [{"name": "workspace", "uri": "file:///workspace"}]}
    assert answers.pop("elicitation/create") == {"action": "cancel"}  # nobody is there for this call
    assert answers == {"sampling/createMessage": "Sampling not supported"}


async def test_a_call_that_waits_for_people_does_not_run_out_of_time(bench: Bench) -> None:
    async def people(form: Form) -> FormReply:
        await asyncio.sleep(0.6)
        return FormReply("accept", {"name": form.fields[0].title})

    found = await call(bench, "form", 0.5, people)
    assert json.loads(found) == {"form": {"action": "accept", "content": {"name": "Your name"}}}


async def test_nobody_is_asked_while_it_is_not_known_for_which_call(bench: Bench) -> None:
    async def people(form: Form) -> FormReply:
        raise AssertionError(form)

    answers = await asyncio.gather(*(call(bench, "form", 20.0, people) for _ in range(2)), return_exceptions=True)
    assert '{"action": "cancel"}' in str(answers)
    assert "during several" in "\n".join(servers_in(bench.runtime).log_of("mcp_form"))


async def test_a_server_without_a_handshake_is_heard_when_its_tools_change(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_server, "RELIST_DELAY_SECONDS", 0.0)
    found = Launch("mcp_grows", "grows", (sys.executable, str(SCRIPT.with_name("mcp_server.py"))))
    server = await servers_in(bench.runtime).running(found)
    assert server.facts.protocol == "2026-07-28"
    assert "later" not in server.tools
    async with asyncio.timeout(20):
        while not server.changes.hears:
            await asyncio.sleep(0.02)
        await server.call(server.tools["grow"], {}, 20.0, lambda *_: None)
        while "later" not in server.tools:
            await asyncio.sleep(0.02)


async def test_changed_tools_are_read_again_when_the_server_says_so(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_server, "RELIST_DELAY_SECONDS", 0.0)
    assert await call(bench, "changes") == "done"
    server = await servers_in(bench.runtime).running(launch("changes"))
    while server.tools["echo"].description == "Echo.":
        await asyncio.sleep(0.02)
    assert server.tools["echo"].description == "Something else."
