"""Each process is killed once in the middle of a turn; the turn still completes and no command runs twice."""

import os
import random
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final

import pytest

from deploy.demo_model.scripts import Step
from tests.support.api_client import ApiClient
from tests.support.deadline import wait_until
from tests.support.engine import TestEngine
from tests.support.model_server import ModelServer, calls, text, tool_call
from tests.support.running_site import REPOSITORY, RunningSite, running_site, what_stays

STATE: Final = REPOSITORY / "var" / "test" / "chaos"
COUNT: Final = "count:\n\techo ran >> count.txt && sleep {seconds} && echo done\n"
DEPLOY: Final = "deploy-%:\n\t@echo $* >> deployed.txt\n"
PROCESSES: Final = ("web", "agent", "sandbox", "beat", "valkey")
SLOW_DEPLOY: Final = "deploy-%:\n\t@sleep 1 && echo $* >> deployed.txt\n"
SUB_AGENTS: Final = 3
SESSIONS: Final = 40
EACH: Final = 5  # requests of each session
PATCHED: Final = 60
SOAK: Final = "SOAK" in os.environ
SEED: Final = int(os.environ.get("KILL_SEED", "4"))
SOAK_TURNS: Final = 5
SOAK_KILLS: Final = 4  # of each turn; the launcher waits longer from death to death


@pytest.fixture
def chaos_site(scripted_site: RunningSite) -> RunningSite:
    return scripted_site


@pytest.fixture
def client(chaos_site: RunningSite) -> Iterator[ApiClient]:
    """Provide a client, after rejecting all permission requests that earlier tests left open."""
    with ApiClient(chaos_site.address) as client:
        for request_id in _waiting(client):
            client.reply(request_id, "reject")
        yield client


def _story(seconds: int) -> list[Step]:
    return [
        calls(tool_call("write", filePath="Makefile", content=COUNT.format(seconds=seconds))),
        calls(tool_call("bash", command="make count")),
        calls(tool_call("read", filePath="count.txt")),
        text("That was it."),
    ]


def _run_until_command_runs(client: ApiClient, model: ModelServer, *, seconds: int) -> tuple[str, str]:
    """Start a turn and wait until its command, which counts its runs, is running. Return the ids of the session and the
    turn."""
    session_id = client.open_session()
    script = model.script(*_story(seconds), by="conversation")
    turn_id = client.prompt(session_id, f"Count. {script.marker}")
    client.wait_for_turn(session_id, turn_id, states=("waiting",))
    request = next(item for item in client.snapshot(session_id)["permission_requests"] if item["state"] == "open")
    client.reply(request["id"])
    client.wait_for_call(session_id, "bash", "running")
    return session_id, turn_id


def _assert_completed_once(client: ApiClient, session_id: str, turn_id: str) -> None:
    turn = client.wait_for_turn(session_id, turn_id, seconds=90)
    assert turn["state"] == "completed", turn["error"]
    snapshot = client.snapshot(session_id)
    read = next(call for call in snapshot["calls"] if call["tool"] == "read")
    assert read["output"].count("ran") == 1, read["output"]
    assert [call["state"] for call in snapshot["calls"]] == ["completed"] * 3


@pytest.mark.chaos
@pytest.mark.full  # that of a sandbox worker, tests/integration/sandbox/test_exactly_once.py shows
@pytest.mark.parametrize("name", ["sandbox", "agent", "valkey", "beat", "web"])
def test_a_killed_process_neither_ends_the_turn_nor_repeats_the_command(
    name: str, chaos_site: RunningSite, client: ApiClient, model: ModelServer
) -> None:
    session_id, turn_id = _run_until_command_runs(client, model, seconds=4)
    old = chaos_site.kill(name)
    chaos_site.wait_for_replacement(name, old)
    client.wait_until_up()
    _assert_completed_once(client, session_id, turn_id)


@pytest.mark.chaos
@pytest.mark.full  # in `make test` the same moment is that of a call half paid (test_budgets)
def test_an_agent_killed_while_the_model_streams_runs_the_step_again(
    chaos_site: RunningSite, client: ApiClient, model: ModelServer
) -> None:
    session_id = client.open_session()
    step = text("Half of it is said before the end.", chunk_size=5, hold="go-on", hold_after=2)
    script = model.script(step, by="conversation")
    turn_id = client.prompt(session_id, f"Talk. {script.marker}")
    script.requests(at_least=1, state="held", timeout=60)
    old = chaos_site.kill("agent")
    model.release("go-on")
    chaos_site.wait_for_replacement("agent", old)
    turn = client.wait_for_turn(session_id, turn_id, seconds=90)
    assert turn["state"] == "completed", turn["error"]
    messages = [item for item in client.snapshot(session_id)["messages"] if item["role"] == "assistant"]
    assert [item["state"] for item in messages][-1] == "complete"
    assert [item["state"] for item in messages].count("complete") == 1


@pytest.mark.chaos
@pytest.mark.full
def test_a_request_survives_the_death_of_everything(
    chaos_site: RunningSite, client: ApiClient, model: ModelServer
) -> None:
    session_id = client.open_session()
    script = model.script(*_story(0), by="conversation")
    turn_id = client.prompt(session_id, f"Count. {script.marker}")
    client.wait_for_turn(session_id, turn_id, states=("waiting",))
    killed = {name: chaos_site.kill(name) for name in PROCESSES}
    for name in PROCESSES:
        chaos_site.wait_for_replacement(name, killed[name])
    client.wait_until_up()
    request = next(item for item in client.snapshot(session_id)["permission_requests"] if item["state"] == "open")
    client.reply(request["id"])
    _assert_completed_once(client, session_id, turn_id)


def _run_to_the_end(client: ApiClient, model: ModelServer, session_id: str, *steps: Step) -> None:
    script = model.script(*steps, text("Done."), by="conversation")
    turn = client.wait_for_turn(session_id, client.prompt(session_id, f"Go. {script.marker}"))
    assert turn["state"] == "completed", turn["error"]


def _ask_two_hundred_times(client: ApiClient, model: ModelServer, workspace_id: str) -> dict[str, str]:
    """Start sessions in one workspace that each wait for several decisions, two hundred in all. Return the turns by
    session."""
    turns = {}
    path = f"/api/v1/projects/{client.project().id}/sessions"
    for number in range(SESSIONS):
        session_id = client.post(path, {"workspace_id": workspace_id})["id"]
        wanted = [tool_call("bash", command=f"make deploy-{number}-{each}") for each in range(EACH)]
        script = model.script(calls(*wanted), text("Done."), by="conversation")
        turns[session_id] = client.prompt(session_id, f"Deploy. {script.marker}")
    wait_until(lambda: len(_waiting(client)) == SESSIONS * EACH, "everything is asked", seconds=60, step=0.5)
    return turns


def _waiting(client: ApiClient) -> set[str]:
    return {item["id"] for item in client.get("/api/v1/permission-requests")["items"]}


def _answer_twice(client: ApiClient, request_id: str) -> list[int]:
    path = f"/api/v1/permission-requests/{request_id}/reply"
    return [client.http.post(path, json={"reply": "once"}).status_code for _ in range(2)]


@pytest.mark.chaos
@pytest.mark.full
def test_two_hundred_requests_survive_the_death_of_every_process_in_turn(
    chaos_site: RunningSite, client: ApiClient, model: ModelServer
) -> None:
    home = client.open_session()
    _run_to_the_end(client, model, home, calls(tool_call("write", filePath="Makefile", content=DEPLOY)))
    turns = _ask_two_hundred_times(client, model, client.snapshot(home)["workspace"]["id"])
    asked = _waiting(client)
    for name in PROCESSES:
        old = chaos_site.kill(name)
        chaos_site.wait_for_replacement(name, old)
        client.wait_until_up()
    assert _waiting(client) == asked
    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(partial(_answer_twice, client), sorted(asked)))
    assert outcomes == [[200, 409]] * len(asked)
    for session_id, turn_id in turns.items():
        assert client.wait_for_turn(session_id, turn_id, seconds=90)["state"] == "completed"
    _run_to_the_end(client, model, home, calls(tool_call("read", filePath="deployed.txt")))
    output = client.snapshot(home)["calls"][-1]["output"]
    ran = re.findall(r"\b\d+-\d+$", output, re.MULTILINE)
    assert sorted(ran) == sorted(f"{number}-{each}" for number in range(SESSIONS) for each in range(EACH))


@pytest.mark.chaos
@pytest.mark.full
@pytest.mark.skipif(not SOAK, reason="a part of make soak")
def test_sub_agents_survive_the_death_of_every_process_in_turn(
    chaos_site: RunningSite, client: ApiClient, model: ModelServer
) -> None:
    session_id = client.open_session()
    _run_to_the_end(client, model, session_id, calls(tool_call("write", filePath="Makefile", content=SLOW_DEPLOY)))
    asked = [
        tool_call("task", subagent_type="general", description=f"Deploy {n}", prompt=f"Go. {_deploying(model, n)}")
        for n in range(SUB_AGENTS)
    ]
    script = model.script(calls(*asked), text("All of it is deployed."), by="conversation")
    turn_id = client.prompt(session_id, f"Deploy. {script.marker}")
    for name in PROCESSES:
        client.wait_for_turn(session_id, turn_id, states=("waiting", "completed"), seconds=90)
        _answer_all(client)
        old = chaos_site.kill(name)
        chaos_site.wait_for_replacement(name, old)
        client.wait_until_up()
    wait_until(lambda: not _answer_all(client) and _is_idle(client, session_id), "all is deployed", seconds=120, step=1)
    turn = client.wait_for_turn(session_id, turn_id)
    assert turn["state"] == "completed", turn["error"]
    asked_calls = [call for call in client.snapshot(session_id)["calls"] if call["tool"] == "task"]
    assert [(call["state"], call["metadata"]["state"]) for call in asked_calls] == [("completed",) * 2] * SUB_AGENTS
    _run_to_the_end(client, model, session_id, calls(tool_call("read", filePath="deployed.txt")))
    output = client.snapshot(session_id)["calls"][-1]["output"]
    ran = re.findall(r"\b\d+-\d+$", output, re.MULTILINE)
    assert sorted(ran) == sorted(f"{n}-{each}" for n in range(SUB_AGENTS) for each in range(len(PROCESSES)))


def _answer_all(client: ApiClient) -> set[str]:
    """Allow all open permission requests; return their ids."""
    waiting = _waiting(client)
    for request_id in waiting:
        client.reply(request_id)
    return waiting


def _is_idle(client: ApiClient, session_id: str) -> bool:
    return bool(client.snapshot(session_id)["session"]["status"] == "idle")


def _deploying(model: ModelServer, number: int) -> str:
    """Store a model script with one `make deploy` command for each process to be killed; return its marker."""
    steps = [calls(tool_call("bash", command=f"make deploy-{number}-{each}")) for each in range(len(PROCESSES))]
    return model.script(*steps, text("Mine is deployed."), by="conversation").marker


@pytest.mark.chaos
@pytest.mark.full
@pytest.mark.skipif(not SOAK, reason="a part of make soak")
def test_a_worker_that_is_killed_again_and_again_neither_repeats_nor_loses_a_command(
    chaos_site: RunningSite, client: ApiClient, model: ModelServer
) -> None:
    chance = random.Random(SEED)
    for _ in range(SOAK_TURNS):
        session_id, turn_id = _run_until_command_runs(client, model, seconds=6)
        for _ in range(SOAK_KILLS):
            old = chaos_site.kill("sandbox")
            chaos_site.wait_for_replacement("sandbox", old)
            time.sleep(chance.uniform(0, 4))  # so that it dies at another point of its start or of its work
        _assert_completed_once(client, session_id, turn_id)


@pytest.mark.chaos
@pytest.mark.full
@pytest.mark.skipif(not SOAK, reason="a part of make soak")
def test_a_launcher_that_is_killed_leaves_what_the_next_one_takes_over_and_ends(
    docker_engine: TestEngine, model: ModelServer
) -> None:
    state = STATE.with_name("chaos-launcher")
    environment = {"DOCKER_HOST": docker_engine.host, "MODEL_NAME": "demo", "MODEL_BASE_URL": model.base_url}
    with running_site(state, environment) as first, ApiClient(first.address) as client:
        _run_until_command_runs(client, model, seconds=60)
        first.process.kill()
        first.process.wait()
        assert what_stays(state, environment)
        with running_site(state, environment, keep=True) as second:
            assert second.pid_of("sandbox")


@pytest.mark.chaos
@pytest.mark.full
@pytest.mark.parametrize("name", ["sandbox", "agent"] if SOAK else ["sandbox"])
def test_a_patch_of_many_files_is_made_whole_or_not_at_all_whoever_is_killed_meanwhile(
    name: str, chaos_site: RunningSite, client: ApiClient, model: ModelServer
) -> None:
    session_id = client.open_session()
    added = [f"*** Add File: made/{number:02}\n+{number}" for number in range(PATCHED)]
    patch = "\n".join(["*** Begin Patch", *added, "*** Add File: .env", "+DEBUG=1", "*** End Patch"])
    looks = (calls(tool_call("list")), text("That was it."))
    script = model.script(calls(tool_call("apply_patch", patchText=patch)), *looks, by="conversation")
    turn_id = client.prompt(session_id, f"Make them. {script.marker}")
    client.wait_for_turn(session_id, turn_id, states=("waiting",))
    (request_id,) = _waiting(client)
    client.reply(request_id)
    time.sleep(random.Random(f"{SEED} {name}").uniform(0, 0.2))  # somewhere in the middle of it
    old = chaos_site.kill(name)
    chaos_site.wait_for_replacement(name, old)
    client.wait_until_up()
    turn = client.wait_for_turn(session_id, turn_id, seconds=90)
    assert turn["state"] == "completed", turn["error"]
    patched, listed = client.snapshot(session_id)["calls"]
    made = len(re.findall(r"^\s*\d\d$", listed["output"], re.MULTILINE))
    assert made in ((PATCHED,) if patched["state"] == "completed" else (0, PATCHED))
    assert patched["state"] == "completed" or patched["output"].startswith("interrupted: either all files")
