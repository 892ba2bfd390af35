"""The calls of one answer run in parallel; each is judged and stored, and fails, independently."""

from typing import Any

import pytest
from django.db import DataError, OperationalError

from sessions_app.actions import calls as calls_of_session
from sessions_app.actions.calls import CallResult, HeldCall
from sessions_app.models import SessionEvent, ToolCall
from sessions_app.workers.sandbox import execution
from tests.support.asking import set_policy
from tests.support.costs import metered
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite

READS = tuple(tool_call("read", filePath=f"{name}.txt") for name in range(20))
ONE_BY_ONE = 19 * 15  # statements of 20 reads that would each be executed alone, at least


def _states(site: SessionSite, turn: Any) -> dict[str, str]:
    return {call.arguments["filePath"]: call.state for call in site.calls(turn)}


@pytest.fixture
def files(site: SessionSite) -> None:
    for name in range(20):
        site.write(f"{name}.txt", f"{name}\n")


@pytest.mark.usefixtures("files")
def test_twenty_reads_are_one_task_and_few_transactions(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    session = site.open_session()
    site.script(calls(*READS), text("Done."))
    turn = site.prompt(session)
    site.pump.run(until=lambda: site.pump.names() == ["sessions.execute_tool_calls"])
    with metered(site, session, monkeypatch) as together:
        site.pump.step()
    assert set(_states(site, turn).values()) == {"completed"}
    assert len(together.statements) < ONE_BY_ONE / 2
    assert together.cost.tasks == 1
    numbers = list(SessionEvent.objects.filter(session=session).order_by("seq").values_list("seq", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.usefixtures("files")
def test_calls_that_ask_do_not_hold_up_those_that_are_allowed(site: SessionSite) -> None:
    asked = [{"permission": "read", "pattern": f"{name}.txt", "action": "ask"} for name in range(10)]
    set_policy(site.project, rules=asked)
    session = site.open_session()
    site.script(calls(*READS), text("Done."))
    turn = site.prompt(session)
    site.pump.run()
    states = _states(site, turn)
    assert [states[f"{name}.txt"] for name in range(20)] == ["waiting"] * 10 + ["completed"] * 10
    for request in site.open_requests():
        site.reply("once", request=request)
    site.pump.run()
    assert set(_states(site, turn).values()) == {"completed"}


@pytest.mark.usefixtures("files")
def test_a_denied_call_and_a_wrong_one_leave_the_others_alone(site: SessionSite) -> None:
    set_policy(site.project, rules=[{"permission": "read", "pattern": "1.txt", "action": "deny"}])
    session = site.open_session()
    site.script(calls(*READS[:3], tool_call("read", filePath="absent.txt"), tool_call("nothing")), text("Done."))
    turn = site.run_prompt(session=session)
    assert [call.state for call in site.calls(turn)] == ["completed", "error", "completed", "error", "error"]
    assert turn.state == "completed"


@pytest.mark.usefixtures("files")
def test_a_result_that_cannot_be_stored_does_not_spoil_the_others(
    site: SessionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def store(write: Any, held: HeldCall, result: CallResult) -> bool:
        if held.row.arguments["filePath"] == "2.txt":
            raise DataError("not storable")
        return stored(write, held, result)

    stored = calls_of_session._complete
    monkeypatch.setattr(calls_of_session, "_complete", store)
    site.script(calls(*READS[:5]), text("Done."))
    turn = site.run_prompt()
    assert _states(site, turn) == {f"{n}.txt": "error" if n == 2 else "completed" for n in range(5)}


@pytest.mark.usefixtures("files")
def test_a_database_that_is_away_for_one_call_costs_only_that_one_its_attempt(
    site: SessionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def complete(results: Any) -> list[HeldCall]:
        if any(held.row.arguments["filePath"] == "2.txt" for held, _ in results):
            raise OperationalError("gone")
        return completed(results)

    completed = calls_of_session.complete_calls
    monkeypatch.setattr(execution, "complete_calls", complete)
    session = site.open_session()
    site.script(calls(*READS[:5]), text("Done."))
    turn = site.prompt(session)
    site.pump.run(until=lambda: site.pump.names() == ["sessions.execute_tool_calls"])
    with pytest.raises(OperationalError, match="gone"):
        site.pump.step()
    assert _states(site, turn) == {f"{n}.txt": "running" if n == 2 else "completed" for n in range(5)}


@pytest.mark.usefixtures("files")
def test_rules_that_change_before_the_leases_count_for_all(site: SessionSite, monkeypatch: pytest.MonkeyPatch) -> None:
    def acquire(admitted: Any) -> list[HeldCall]:
        if not changed:
            changed.append(True)
            set_policy(site.project, rules=[{"permission": "read", "pattern": "3.txt", "action": "deny"}])
        return acquired(admitted)

    changed: list[bool] = []
    acquired = calls_of_session.acquire_calls
    monkeypatch.setattr(execution, "acquire_calls", acquire)
    site.script(calls(*READS[:5]), text("Done."))
    turn = site.run_prompt()
    assert _states(site, turn) == {f"{n}.txt": "error" if n == 3 else "completed" for n in range(5)}


@pytest.mark.usefixtures("files")
def test_a_second_delivery_of_the_task_runs_nothing_twice(site: SessionSite) -> None:
    command = tool_call("bash", command="echo ran >> counter.txt")
    session = site.open_session()
    site.script(calls(command, *READS[:3]), text("Done."))
    turn = site.prompt(session)
    site.pump.run(until=lambda: site.pump.names() == ["sessions.execute_tool_calls"])
    message = ToolCall.objects.filter(turn=turn)[0].message_id
    execution.execute_answer(message, node=site.workspace.node)
    site.pump.run()
    assert (site.files / "counter.txt").read_text() == "ran\n"
    assert {call.state for call in site.calls(turn)} == {"completed"}


@pytest.mark.usefixtures("files")
def test_rules_that_change_while_leases_are_acquired_one_by_one_lose_no_lease(
    site: SessionSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    def acquire(admitted: Any) -> list[HeldCall]:
        if len(admitted) > 1:
            raise DataError("not storable")
        if admitted[0].held.row.arguments["filePath"] == "2.txt" and not changed:
            changed.append(True)
            set_policy(site.project, rules=[{"permission": "read", "pattern": "3.txt", "action": "deny"}])
        return acquired(admitted)

    changed: list[bool] = []
    acquired = calls_of_session.acquire_calls
    monkeypatch.setattr(execution, "acquire_calls", acquire)
    site.script(calls(*READS[:5]), text("Done."))
    turn = site.run_prompt()
    assert _states(site, turn) == {f"{n}.txt": "error" if n == 3 else "completed" for n in range(5)}
