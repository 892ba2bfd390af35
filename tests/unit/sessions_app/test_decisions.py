"""The stored record of a decision by permission rules has a bounded size for all calls and rules."""

import json

from sessions_app.actions.decisions import MAX_TRACE_CHARACTERS, judgement_of
from tools_app.gate import judge
from tools_app.permission.model import Layer, Rule
from tools_app.spec import PermissionNeed


def test_many_long_rules_that_match_every_part_of_a_call_are_not_all_kept() -> None:
    needs = [PermissionNeed("bash", tuple(f"ls {number}" for number in range(200)))]
    layers = [Layer("project", [Rule("bash", "*" * 2000, "ask") for _ in range(50)])]
    kept = judgement_of(judge(needs, layers), needs, (0, 1, 2))
    assert [len(decision["trace"]) for decision in (kept["decisions"][0], kept["decisions"][-1])] == [49, 0]
    assert len(json.dumps(kept["decisions"])) < MAX_TRACE_CHARACTERS + 200 * 3000
    assert not kept["cut"]
