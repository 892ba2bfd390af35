from typing import Any

import pytest
from pydantic import ValidationError

from sandbox.limits import Limits
from tools_app.policies.current import Limit, Policies
from tools_app.policies.documents import Options, PolicyDocument, SandboxOptions
from tools_app.policies.text import as_text, changes_of


def says(**options: Any) -> PolicyDocument:
    return PolicyDocument(options=Options(sandbox=SandboxOptions(**options)))


def test_without_a_word_from_anybody_the_defaults_hold() -> None:
    policy = Policies().sandbox()
    assert policy.limits == Limits()
    assert {limit.source for limit in policy.values.values()} == {"default"}
    assert (policy.workspaces, policy.idle_minutes, policy.keep_days, policy.runtime) == (200, 30, 7, "")


def test_the_smallest_number_holds_and_names_its_place() -> None:
    policy = Policies(
        site=says(memory_mib=4096, pids=256), team=says(memory_mib=2048, cpus=0.5), project=says(memory_mib=3000)
    ).sandbox()
    assert policy.values["memory_mib"] == Limit(2048, "team")
    assert policy.values["cpus"] == Limit(0.5, "team")
    assert policy.values["pids"] == Limit(256, "site")
    assert policy.limits.memory_mib == 2048


def test_a_policy_may_allow_more_than_the_default() -> None:
    assert Policies(team=says(disk_mib=100_000)).sandbox().limits.disk_mib == 100_000


def test_of_equal_numbers_the_highest_place_is_named() -> None:
    assert Policies(site=says(pids=100), project=says(pids=100)).sandbox().values["pids"].source == "site"


@pytest.mark.parametrize(
    ("places", "runtime", "source"),
    [
        ({"team": "runsc", "project": "runc"}, "runsc", "team"),
        ({"site": "kata", "project": "runc"}, "kata", "site"),
        ({"project": "runc"}, "runc", "project"),
        ({}, "", "default"),
    ],
)
def test_the_highest_place_that_names_a_runtime_decides(places: dict[str, str], runtime: str, source: str) -> None:
    documents: dict[str, Any] = {place: says(runtime=name) for place, name in places.items()}
    policy = Policies(**documents).sandbox()
    assert (policy.runtime, policy.runtime_source) == (runtime, source)


@pytest.mark.parametrize(
    "options",
    [
        {"memory_mib": 127},
        {"memory_mib": 1_048_577},
        {"cpus": 0.05},
        {"cpus": float("nan")},
        {"pids": 3},
        {"tmp_mib": 0},
        {"disk_mib": 0},
        {"inodes": 10},
        {"wall_seconds": 0},
        {"background_calls": -1},
        {"workspaces": 0},
        {"idle_minutes": 0},
        {"keep_days": 366},
        {"runtime": ""},
        {"runtime": "../runc"},
        {"runtime": "a" * 65},
        {"memory_mib": 512.5},
        {"swap_mib": 1},
    ],
    ids=str,
)
def test_what_cannot_be_a_limit_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        SandboxOptions(**options)


def test_a_runtime_that_nobody_knows_is_only_a_name() -> None:
    assert says(runtime="io.containerd.kata.v2").options.sandbox.runtime == "io.containerd.kata.v2"


def test_limits_are_lines_of_the_policys_text() -> None:
    document = says(memory_mib=512, cpus=1.5, background_calls=0, runtime="runsc")
    assert as_text(document).splitlines() == [
        "sandbox.memory_mib = 512",
        "sandbox.cpus = 1.5",
        "sandbox.background_calls = 0",
        "sandbox.runtime = runsc",
    ]
    assert changes_of(PolicyDocument(), document) == "options changed"


def test_a_document_with_limits_survives_json() -> None:
    document = says(memory_mib=512, runtime="runsc")
    assert PolicyDocument.model_validate_json(document.model_dump_json()) == document


def test_a_document_from_before_there_were_limits_says_nothing_of_them() -> None:
    assert PolicyDocument.model_validate({"options": {"wait_hours": 2}}).options.sandbox == SandboxOptions()
