"""The tools over REST: their ids, and the descriptions that models get."""

import pytest

from agentsite.tenancy.roles import Role
from tests.support.builders import join, make_project, make_team, make_user
from tests.support.outside_tools import OutsideTools, added
from tests.support.rest_api import RestApi
from tools_app.registry import catalogue

pytestmark = pytest.mark.django_db


@pytest.fixture
def call() -> RestApi:
    return RestApi(make_user())


def test_every_tool_is_listed_with_its_permission_and_source(call: RestApi) -> None:
    items = {item["id"]: item for item in call("get", "/tools")["items"]}
    assert list(items) == list(catalogue())
    assert items["write"]["permission"] == "edit"
    assert {item["source"] for item in items.values()} == {"built-in"}
    assert items["read"]["offered"]
    assert not items["invalid"]["offered"]
    assert not items["StructuredOutput"]["offered"]


def test_a_model_gets_what_is_for_its_family(call: RestApi) -> None:
    offered = {item["id"] for item in call("get", "/tools?model=openai/gpt-5.2")["items"] if item["offered"]}
    assert "read" in offered
    assert not {"edit", "write", "multiedit"} & offered


def test_a_tool_is_shown_with_the_schema_of_its_arguments(call: RestApi) -> None:
    shown = call("get", "/tools/grep")
    assert shown["description"] == catalogue()["grep"].description
    assert shown["parameters"]["required"] == ["pattern"]
    assert shown["parameters"]["properties"]["pattern"]["type"] == "string"


def test_the_schema_is_the_one_that_the_models_provider_takes(call: RestApi) -> None:
    plain = call("get", "/tools/bash")["parameters"]["properties"]["timeout"]
    adapted = call("get", "/tools/bash?model=gemini/gemini-2.5-pro")["parameters"]["properties"]["timeout"]
    assert plain["exclusiveMinimum"] == 0
    assert adapted["minimum"] == 1
    assert "exclusiveMinimum" not in adapted


def test_a_tool_that_does_not_exist_is_missing(call: RestApi) -> None:
    assert call.error("get", "/tools/fetch_all", expect=404)["code"] == "not_found"


def test_a_projects_own_tools_are_shown_with_the_project_and_to_its_members_only() -> None:
    team, member = make_team(), make_user()
    join(team, member, Role.MEMBER)
    project = make_project(team)
    path = f"/tools?project_id={project.public_id}"
    with added(OutsideTools()) as source:
        ids = {item["id"]: item["source"] for item in RestApi(member)("get", path)["items"]}
        RestApi(make_user()).error("get", path, expect=404)
    assert ids["weather"] == "plugin weather"
    assert source.scopes[0].project_id == project.public_id
