"""Several levels define an agent: later ones override single fields, and their rules are appended."""

import pytest

from sessions_app.agent.built_in import BUILT_IN
from sessions_app.agent.definitions import DEFAULT_STEPS, AgentDefinition, callable_descriptions, selectable
from sessions_app.agent.merging import AgentOverrides, merge_agents, resolve_models, usable_agents
from tools_app.permission.engine import decide
from tools_app.permission.layers import limits, preferences
from tools_app.permission.model import Request, Rule

ASK_EDIT = Rule("edit", "*", "ask")
ALLOW_EDIT = Rule("edit", "*", "allow")
DENY_EDIT = Rule("edit", "*", "deny")


def action(agent: AgentDefinition, permission: str, pattern: str = "x", *, grants: tuple[Rule, ...] = ()) -> str:
    rules = agent.permissions
    return decide(Request(permission, pattern), preferences(agent=rules, grants=grants), limits(agent=rules)).action


def test_there_are_seven_agents_and_people_choose_between_two() -> None:
    assert list(BUILT_IN) == ["build", "plan", "general", "explore", "title", "summary", "draft", "compaction"]
    assert selectable(BUILT_IN.values()) == ["build", "plan"]
    assert list(callable_descriptions(BUILT_IN.values())) == ["general", "explore"]
    assert all(agent.hidden for name, agent in BUILT_IN.items() if name in ("title", "summary", "draft", "compaction"))


def test_a_place_changes_only_what_it_names() -> None:
    agents = merge_agents([AgentOverrides("team", "build", {"temperature": 0.5})])
    assert agents["build"].temperature == 0.5
    assert (agents["build"].prompt, agents["build"].mode) == (BUILT_IN["build"].prompt, "primary")


def test_later_places_win_whatever_the_order_they_are_given_in() -> None:
    said = [
        AgentOverrides("project", "build", {"color": "#000004"}),
        AgentOverrides("file", "build", {"color": "#000003", "steps": 3}),
        AgentOverrides("site", "build", {"color": "#000001", "steps": 1, "top_p": 0.1}),
        AgentOverrides("team", "build", {"color": "#000002", "steps": 2, "top_p": 0.2}),
    ]
    build = merge_agents(said)["build"]
    assert (build.color, build.steps, build.top_p) == ("#000004", 3, 0.2)
    assert [source.origin for source in build.sources] == ["built-in", "site", "team", "file", "project"]
    assert build.sources[-1].fields == ("color",)


def test_an_agent_of_ones_own_can_be_chosen_and_called_unless_it_says_otherwise() -> None:
    agents = merge_agents(
        [AgentOverrides("team", "review", {"prompt": "Look."}), AgentOverrides("team", "help", {"mode": "subagent"})]
    )
    assert (agents["review"].mode, agents["review"].steps) == ("all", DEFAULT_STEPS)
    assert agents["review"].is_selectable
    assert agents["review"].is_callable
    assert not agents["help"].is_selectable
    assert not agents["review"].is_built_in


def test_a_disabled_agent_is_listed_and_not_there() -> None:
    agents = merge_agents([AgentOverrides("team", "plan", {"disable": True})])
    assert agents["plan"].disabled
    assert "plan" not in usable_agents(agents)
    again = merge_agents(
        [AgentOverrides("team", "plan", {"disable": True}), AgentOverrides("project", "plan", {"disable": False})]
    )
    assert "plan" in usable_agents(again)


def test_a_hidden_agent_is_not_shown_to_people_and_may_be_called_by_its_name() -> None:
    agents = merge_agents([AgentOverrides("team", "inner", {"hidden": True})])
    assert not agents["inner"].is_selectable
    assert agents["inner"].is_callable
    assert "inner" not in callable_descriptions(agents.values())


def test_options_of_several_places_add_up() -> None:
    said = [
        AgentOverrides("site", "build", {"options": {"seed": 1, "top_k": 2}}),
        AgentOverrides("team", "build", {"options": {"seed": 3}}),
    ]
    assert merge_agents(said)["build"].options == {"seed": 3, "top_k": 2}


def test_what_an_agent_denies_is_denied_whatever_was_granted_to_others() -> None:
    review = merge_agents([AgentOverrides("team", "review", {}, (DENY_EDIT,))])["review"]
    assert action(review, "edit", grants=(ALLOW_EDIT,)) == "deny"


def test_people_who_may_can_open_what_is_built_in_as_closed() -> None:
    plan = merge_agents([AgentOverrides("team", "plan", {}, (Rule("edit", "docs/*", "allow"),))])["plan"]
    assert action(plan, "edit", "docs/a.md") == "allow"
    assert action(plan, "edit", "src/a.py") == "deny"


def test_a_repository_tightens_and_never_loosens() -> None:
    loose = merge_agents([AgentOverrides("file", "plan", {}, (ALLOW_EDIT, Rule("bash", "*", "allow")))])["plan"]
    assert (action(loose, "edit"), action(loose, "bash", "make")) == ("deny", "deny")
    new = merge_agents([AgentOverrides("file", "mine", {}, (Rule("webfetch", "*", "allow"), DENY_EDIT))])["mine"]
    assert action(new, "webfetch", "https://example.org") == "ask"
    assert action(new, "edit", grants=(ALLOW_EDIT,)) == "deny"
    assert action(new, "read") == "allow"


def test_what_a_team_says_of_an_agent_is_not_taken_away_by_the_repository() -> None:
    said = [
        AgentOverrides("team", "review", {}, (DENY_EDIT,)),
        AgentOverrides("file", "review", {"prompt": "Edit."}, (ALLOW_EDIT,)),
    ]
    review = merge_agents(said)["review"]
    assert (review.prompt, action(review, "edit")) == ("Edit.", "deny")


@pytest.mark.parametrize("name", ["general", "explore", "title", "mine"])
def test_only_build_may_ask_to_plan_and_only_plan_to_build(name: str) -> None:
    agents = merge_agents([AgentOverrides("team", "mine", {})])
    assert (action(agents["build"], "plan_enter"), action(agents["build"], "plan_exit")) == ("ask", "deny")
    assert (action(agents["plan"], "plan_enter"), action(agents["plan"], "plan_exit")) == ("deny", "ask")
    assert (action(agents[name], "plan_enter"), action(agents[name], "plan_exit")) == ("deny", "deny")


def test_a_model_that_the_site_does_not_have_is_reported_and_the_sessions_is_used() -> None:
    agents = merge_agents(
        [AgentOverrides("file", "a", {"model": "x/y"}), AgentOverrides("team", "b", {"model": "m", "variant": "huge"})]
    )
    found = resolve_models(agents, ["m"])
    assert found["a"].model == ""
    assert "'x/y' is not offered" in found["a"].problems[0]
    assert found["b"].model == "m"
    assert "'huge' is not known" in found["b"].problems[0]
    assert found["build"].problems == ()
