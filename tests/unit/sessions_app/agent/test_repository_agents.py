"""Agents in a repository: the usual forms of their files are understood, and hostile files do no harm."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessions_app.agent.overrides import MAX_PROMPT_CHARACTERS
from sessions_app.agent.repository_agents import included_files, read_config, read_markdown, with_files

FOLDER = ".opencode/agent"
DENY_ALL = [{"permission": "*", "pattern": "*", "action": "deny"}]


def markdown(text: str, *, folder: str = FOLDER, name: str = "review") -> dict[str, Any]:
    return read_markdown(folder, f"{folder}/{name}.md", text)


def config(agent: Any, **more: Any) -> list[dict[str, Any]]:
    return read_config("opencode.json", json.dumps({"agent": agent, **more}))


def rule(permission: str, pattern: str, action: str) -> dict[str, str]:
    return {"permission": permission, "pattern": pattern, "action": action}


def test_front_matter_says_the_fields_and_the_rest_is_the_prompt() -> None:
    said = markdown(
        "---\n"
        "description: Reviews code\n"
        "mode: subagent\n"
        "model: anthropic/claude\n"
        "temperature: 0.1\n"
        "top_p: 0.9\n"
        "steps: 7\n"
        'color: "#ff0000"\n'
        "hidden: true\n"
        "permission:\n"
        "  edit: deny\n"
        "  bash:\n"
        '    "*": ask\n'
        '    "git *": allow\n'
        "---\n\n"
        "You review.\n\nBe kind.\n"
    )
    assert said["fields"] == {
        "description": "Reviews code", "mode": "subagent", "model": "anthropic/claude", "temperature": 0.1,
        "top_p": 0.9, "steps": 7, "color": "#ff0000", "hidden": True, "prompt": "You review.\n\nBe kind.",
    }  # fmt: skip
    assert said["rules"] == [rule("edit", "*", "deny"), rule("bash", "*", "ask"), rule("bash", "git *", "allow")]
    assert said["problems"] == []


def test_a_file_without_front_matter_is_all_prompt() -> None:
    assert markdown("Just do it.\n---\nnot front matter")["fields"] == {"prompt": "Just do it.\n---\nnot front matter"}


def test_a_file_in_a_folder_below_is_called_by_its_path() -> None:
    assert markdown("x", name="team/api")["name"] == "team/api"


@pytest.mark.parametrize("folder", [".opencode/mode", ".agentsite/modes"])
def test_what_lies_among_modes_is_for_people(folder: str) -> None:
    assert markdown("x", folder=folder)["fields"]["mode"] == "primary"


def test_values_that_people_forgot_to_quote_are_taken_as_they_stand() -> None:
    said = markdown("---\ndescription: Use this: it's good\nmode: all\ntemperature: 0.1\n---\nx")
    assert said["fields"]["description"] == "Use this: it's good"
    assert said["fields"]["mode"] == "all"
    assert said["fields"]["temperature"] == 0.1


def test_older_spellings_are_understood() -> None:
    said = markdown("---\nmaxSteps: 3\ntools:\n  write: false\n  bash: true\n---\nx")
    assert said["fields"]["steps"] == 3
    assert said["rules"] == [rule("edit", "*", "deny"), rule("bash", "*", "allow")]


def test_what_the_provider_is_told_stands_among_the_options_under_any_name() -> None:
    (said,) = config({"a": {"reasoningEffort": "high", "options": {"seed": 1}}})
    assert said["fields"]["options"] == {"seed": 1, "reasoningEffort": "high"}


def test_what_is_not_passed_on_is_reported() -> None:
    (said,) = config({"a": {"api_base": "http://evil", "options": {"seed": "x"}, "prompt": "p"}})
    assert said["fields"] == {"prompt": "p"}
    assert said["problems"] == [
        "The option 'seed' cannot have this value.",
        "The option 'api_base' is not passed on to providers.",
    ]


def test_one_bad_field_spoils_no_other() -> None:
    (said,) = config({"a": {"temperature": "hot", "mode": "boss", "description": "Fine."}})
    assert said["fields"] == {"description": "Fine."}
    assert [problem.partition(":")[0] for problem in said["problems"]] == ["`temperature`", "`mode`"]


@pytest.mark.parametrize("permission", [["edit"], 7, {"edit": "maybe"}, {"edit": {"*": 3}}, {"edit": None}, "never"])
def test_permissions_that_mean_nothing_bind_all_the_more(permission: Any) -> None:
    (said,) = config({"a": {"permission": permission}})
    assert said["rules"] == DENY_ALL
    assert "may do nothing" in said["problems"][0]


@pytest.mark.parametrize(
    "text",
    ["---\na: [\n---\nx", "---\n- a\n---\nx", "---\nx: &a [*a]\n---\n", "---\nx: !!python/object:os.system\n---\n"],
)
def test_front_matter_that_means_nothing_is_a_problem_and_no_agent(text: str) -> None:
    said = markdown(text)
    assert (said["fields"], said["rules"]) == ({}, [])
    assert "front matter was not understood" in said["problems"][0]


@pytest.mark.parametrize("name", ["", "a b", "../x", "/x", "-x", "a//b", "x" * 65, "nul\0"])
def test_a_name_that_cannot_be_called_is_left_out(name: str) -> None:
    (said,) = config({name: {"prompt": "x"}})
    assert said["name"] == ""
    assert "is left out" in said["problems"][0]


def test_a_block_of_modes_holds_agents_for_people() -> None:
    (said,) = read_config("opencode.jsonc", '{"mode": {"fast": {"prompt": "x"},}} // y')
    assert (said["name"], said["fields"]["mode"]) == ("fast", "primary")


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"agent": 1}', '{"agent": {"a": 2}}', "[" * 100_000, '{"default_agent": 3}']
)
def test_configuration_that_means_nothing_has_no_agents(text: str) -> None:
    assert read_config("opencode.json", text) == []


def test_a_prompt_holds_the_files_that_it_names() -> None:
    (said,) = config({"a": {"prompt": "{file:./a.txt} and {file:b.txt}{env:KEY}"}})
    assert included_files(said) == ["./a.txt", "b.txt"]
    filled = with_files(said, {"./a.txt": "One", "b.txt": None})
    assert filled["fields"]["prompt"] == "One and "
    assert len(filled["problems"]) == 2


def test_a_prompt_that_grows_too_long_is_left_out() -> None:
    (said,) = config({"a": {"prompt": "{file:a}" * 3}})
    filled = with_files(said, {"a": "x" * MAX_PROMPT_CHARACTERS})
    assert filled["fields"]["prompt"] == ""
    assert "prompt" in filled["problems"][0]


@given(st.text(max_size=200), st.text(max_size=50))
def test_whatever_stands_in_a_file_can_be_kept_as_json(head: str, body: str) -> None:
    said = markdown(f"---\n{head}\n---\n{body}")
    assert "\\u0000" not in json.dumps(said)
    json.dumps(said, ensure_ascii=False).encode()


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.dictionaries(st.sampled_from(["permission", "options", "tools", "prompt", "steps", "x", "mode"]), JSON)


@given(st.dictionaries(st.text(max_size=8), FIELDS, max_size=3))
def test_whatever_stands_in_a_configuration_can_be_kept_as_json(agents: dict[str, Any]) -> None:
    said = config(agents)
    json.dumps(said, ensure_ascii=False, allow_nan=False).encode()
    assert "\\u0000" not in json.dumps(said)


def test_a_small_file_cannot_take_long() -> None:
    began = time.process_time()
    markdown("---\n" + "a: &a [x]\n" + "b: [*a, *a]\n" * 3000 + "---\n")
    markdown("---\n" + "[" * 20_000 + "\n---\n")
    markdown("---\n" * 16_000)
    markdown(f"---\na: b: {' ' * 60_000}x\n---\n")
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "value",
    ['!!int ""', "!!bool x", "!!timestamp x", "!!float x", "2020-13-45", f"1{':1' * 30_000}.5", f"0x{'f' * 6000}"],
)
def test_a_value_that_is_not_of_its_tag_is_told_and_breaks_nothing(value: str) -> None:
    said = markdown(f"---\ntemperature: {value}\npermission: {value}\n---\nWords")
    assert said["problems"]
    assert "temperature" not in said["fields"]


def test_options_by_number_are_told() -> None:
    assert markdown("---\noptions: {1: 2}\n---\nWords")["problems"] == ["The option '1' is not passed on to providers."]
