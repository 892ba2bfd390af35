"""The costs of MCP servers for a step: no database reads, and no repeated work on the tools."""

import sys
from types import FrameType
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from sessions_app.models import McpServer, McpServerState, Session
from sessions_app.revisions import with_revision
from sessions_app.toolset import offered_tools, searched_tools, session_catalogue
from tests.integration.sessions_app.test_costs import _nothing_periodic, warm
from tests.support.costs import expected, metered
from tests.support.model_server import calls, text, tool_call
from tests.support.session_site import SessionSite
from tools_app.mcp.choice import MAX_OFFERED, MAX_OFFERED_CHARACTERS, size_of
from tools_app.mcp.definitions import read_tools

__all__ = ["_nothing_periodic", "warm"]
MODEL = "openai/gpt-5"
SERVERS, TOOLS = 20, 15


def add_servers(site: SessionSite) -> None:
    parameters = {
        "type": "object",
        "properties": {f"field{number}": {"type": "string", "description": "Some words."} for number in range(5)},
    }
    listed = [{"name": f"tool{n}", "description": "Does it. " * 20, "inputSchema": parameters} for n in range(TOOLS)]
    tools = [tool.as_dict() for tool in read_tools(listed)]
    for number in range(SERVERS):
        row = McpServer.objects.create(
            place=site.team.public_id, team=site.team, name=f"server{number}", kind="local", command=["true"],
            seen=tools, accepted={tool["name"]: tool for tool in tools}, changed_at=timezone.now(),
        )  # fmt: skip
        McpServerState.objects.create(
            server=row, workspace=site.workspace, status="connected", tools=tools, of_version=1,
            checked_at=timezone.now(),
        )  # fmt: skip


def loaded(session: Session) -> Session:
    rows = Session.objects.select_related("project", "workspace").filter(pk=session.pk)
    return with_revision(rows).get()


def test_a_step_and_a_call_with_20_servers_cost_what_they_cost_without(
    site: SessionSite, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A step and a call with 20 MCP servers have the same costs as without them, in statements, transactions and
    messages. test_mcp_bench.py measures the time."""
    add_servers(site)
    session: Session = request.getfixturevalue("warm")
    with metered(site, session, monkeypatch) as step:
        site.pump.step()
    with metered(site, session, monkeypatch) as call:
        site.pump.step()
    assert len(offered_tools(loaded(session), MODEL)) > MAX_OFFERED
    assert (step.cost, call.cost) == (expected("step"), expected("call"))


def test_what_a_step_asks_about_tools_is_derived_once(site: SessionSite) -> None:
    """The catalogue of tools is sorted once. A further step needs no SQL statement, and fewer than two function calls
    for each tool."""
    session = site.open_session()
    without = function_calls(session)
    add_servers(site)
    assert len(offered_tools(loaded(session), MODEL)) > MAX_OFFERED
    assert function_calls(session) - without < 2 * SERVERS * TOOLS


def function_calls(session: Session) -> int:
    """Return the number of function calls that a second step needs to get its tools. Check that it needs no SQL
    statement."""
    counted = 0

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal counted
        counted += event == "call"

    offered_tools(loaded(session), MODEL)
    session_catalogue(loaded(session))
    step = loaded(session)
    with CaptureQueriesContext(connection) as queries:
        sys.setprofile(count)
        try:
            offered_tools(step, MODEL)
            session_catalogue(step)
        finally:
            sys.setprofile(None)
    assert len(queries) == 0
    return counted


def test_the_prompt_holds_only_what_the_agent_may_use(site: SessionSite) -> None:
    session = site.open_session()
    add_servers(site)
    session.rules = [{"permission": "server*", "pattern": "*", "action": "deny"}]
    session.save(update_fields=["rules"])
    assert not [offer for offer in offered_tools(loaded(session), MODEL) if offer.name.startswith("server")]


def test_of_300_tools_the_prompt_holds_a_bounded_part_and_a_search(site: SessionSite) -> None:
    session = site.open_session()
    before = offered_tools(loaded(session), MODEL)
    assert "tool_search" not in {offer.name for offer in before}
    add_servers(site)
    offers = {offer.name: offer for offer in offered_tools(loaded(session), MODEL)}
    theirs = [offer for name, offer in offers.items() if name.startswith("server")]
    assert len(theirs) == MAX_OFFERED
    assert sum(map(size_of, theirs)) <= MAX_OFFERED_CHARACTERS
    assert {offer.name.partition("_")[0] for offer in theirs} == {f"server{number}" for number in range(SERVERS)}
    assert "server0 (13), server1 (14)" in offers["tool_search"].description


def test_a_tool_that_a_search_found_is_offered_from_the_next_step_on_in_any_process(site: SessionSite) -> None:
    session = site.open_session()
    add_servers(site)
    row = McpServer.objects.get(name="server7")
    listed = [{"name": "zz_create_issue", "description": "Open a ticket.", "inputSchema": {"type": "object"}}]
    special = read_tools(listed)
    for rows in (McpServer.objects.filter(pk=row.pk), McpServerState.objects.filter(server=row)):
        column = "seen" if rows.model is McpServer else "tools"
        rows.update(**{column: [*row.seen, *(tool.as_dict() for tool in special)]})
    script = site.script(calls(tool_call("tool_search", query="create an issue")), text("Found."))
    turn = site.run_prompt(session=session)
    (call,) = site.calls(turn)
    assert call.state == "completed", call.output
    assert call.output.splitlines()[0] == "- server7_zz_create_issue: Open a ticket."
    first, second = script.requests(at_least=2)
    names = [{tool["function"]["name"] for tool in each["body"]["tools"]} for each in (first, second)]
    assert "server7_zz_create_issue" not in names[0]
    assert names[1] - names[0] == {"server7_zz_create_issue"}
    assert names[0] <= names[1]
    assert "server7_zz_create_issue" in {offer.name for offer in offered_tools(loaded(session), MODEL)}


def test_a_search_finds_nothing_that_the_agent_must_not_use(site: SessionSite) -> None:
    session = site.open_session()
    add_servers(site)
    session.rules = [{"permission": "server1*", "pattern": "*", "action": "deny"}]
    session.save(update_fields=["rules"])
    assert not [offer for offer in searched_tools(loaded(session), MODEL) if offer.name.startswith("server1")]
    assert [offer for offer in searched_tools(loaded(session), MODEL) if offer.name.startswith("server2")]
