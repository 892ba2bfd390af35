"""An external tool through the whole stack: a model calls it, a person permits the call under the tool's name, and
the model reads its result."""

from sessions_app.models import ToolCall, Turn
from tests.support.model_server import calls, text, tool_call
from tests.support.outside_tools import OutsideTools, added
from tests.support.rest_api import RestApi
from tests.support.session_site import SessionSite


def test_a_tool_from_outside_is_used_like_our_own(site: SessionSite) -> None:
    script = site.script(calls(tool_call("weather", city="Oslo")), text("Sunny."))
    with added(OutsideTools()) as source:
        turn = site.run_prompt()
        request = site.open_request()
        assert (request.needs[0]["permission"], request.title) == ("weather", "Ask for the weather of Oslo")
        site.reply("once")
        site.pump.run()
    turn.refresh_from_db()
    assert turn.state == Turn.State.COMPLETED
    first, second = script.requests(at_least=2)
    assert "weather" in {tool["function"]["name"] for tool in first["body"]["tools"]}
    assert second["body"]["messages"][-1]["content"] == "Sunny in Oslo."
    assert ToolCall.objects.get(turn=turn).metadata == {"city": "Oslo"}
    assert {scope.workspace_id for scope in source.scopes} == {site.workspace.public_id}


def test_a_sessions_tools_are_those_that_its_next_step_offers(site: SessionSite) -> None:
    script = site.script(text("Done."))
    session = site.open_session(agent="plan")
    with added(OutsideTools()):
        items = RestApi(site.user)("get", f"/sessions/{session.public_id}/tools")["items"]
        site.run_prompt(session=session)
    (request,) = script.requests(at_least=1)
    told = [tool["function"] for tool in request["body"]["tools"]]
    assert [(each["id"], each["description"], each["parameters"]) for each in items] == [
        (tool["name"], tool["description"], tool["parameters"]) for tool in told
    ]
    assert {"read", "weather"} <= {each["id"] for each in items}
    assert not {"edit", "write"} & {each["id"] for each in items}


def test_why_it_would_be_asked_about_is_explained_for_a_project(site: SessionSite) -> None:
    call = RestApi(site.user)
    question = {"project_id": site.project.public_id, "tool": "weather", "arguments": {"city": "Oslo"}}
    with added(OutsideTools()):
        explained = call("post", "/explain", question)
    assert (explained["action"], explained["decisions"][0]["permission"]) == ("ask", "weather")
    assert call.error("post", "/explain", question, expect=400)["fields"]["tool"].startswith("one of ")
