"""The strictest decision about the paths below a folder, compared with the decisions about all short paths in a small
tree."""

import itertools
from collections.abc import Sequence
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools_app.permission import layers
from tools_app.permission.engine import decide
from tools_app.permission.model import STRICTNESS, Action, Decision, Layer, Request, Rule
from tools_app.permission.trees import guards_below, weighed_with_folder

PARTS: Final = ("a", "b", "a.b")
PATHS: Final = tuple("/".join(each) for depth in (1, 2, 3) for each in itertools.product(PARTS, repeat=depth))
PATTERNS = st.sampled_from(["*", "a/*", "*.b", "a/b/*", "a/*.b", "b", "?", "a*", "*/a", "a/b", "*b"])
RULES = st.builds(
    Rule, st.sampled_from(["*", "read", "r*", "edit"]), PATTERNS, st.sampled_from(["allow", "ask", "deny"])
)
PLAIN = st.lists(st.builds(Layer, st.sampled_from(["team", "project"]), st.lists(RULES, max_size=4)), max_size=3)
TIGHTENING = st.builds(
    Layer,
    st.just("project file"),
    st.lists(RULES, max_size=4),
    tightens_only=st.sampled_from([True]),
    may_loosen=st.lists(st.tuples(st.just("read"), PATTERNS), max_size=1),
)
FOLDERS = st.sampled_from([".", "a", "b", "a/b", "a.b"])


def decide_below(
    permission: str, folder: str, preferences: Sequence[Layer], limits: Sequence[Layer] = (), *, name: str = "*"
) -> Decision:
    """Return the strictest decision about any path below `folder` whose name matches the glob `name`.

    It is never looser than `engine.decide` for such a path. For at least one such path it is equally strict, except if
    a layer of rules can only tighten decisions, or if patterns are too complex: then it may be stricter.
    """
    found = guards_below(permission, folder, tuple(preferences), tuple(limits), name=name)
    strictest = max(found, key=lambda guard: STRICTNESS[guard.decision.action], default=None)
    return strictest.decision if strictest else Decision("allow", None, None)


def actions_below(folder: str, preferences: list[Layer], limits: list[Layer]) -> set[Action]:
    below = [path for path in PATHS if folder == "." or path.startswith(f"{folder}/")]
    return {decide(Request("read", path), preferences, limits).action for path in below}


@given(FOLDERS, PLAIN, PLAIN, st.lists(TIGHTENING, max_size=1), PLAIN)
def test_no_path_below_is_decided_more_strictly(
    folder: str, earlier: list[Layer], later: list[Layer], file: list[Layer], limits: list[Layer]
) -> None:
    preferences = [*earlier, *file, *later]
    strictest = decide_below("read", folder, preferences, limits).action
    assert all(STRICTNESS[action] <= STRICTNESS[strictest] for action in actions_below(folder, preferences, limits))


@given(FOLDERS, PLAIN, PLAIN)
def test_the_strictest_decision_below_a_folder_is_that_of_a_path_below_it(
    folder: str, preferences: list[Layer], limits: list[Layer]
) -> None:
    """`decide_below`, which lists no paths, returns a decision that some path below the folder really has. The test
    tries all short paths and some longer ones, which are enough for the generated patterns."""
    strictest = decide_below("read", folder, preferences, limits).action
    start = "" if folder == "." else f"{folder}/"
    longer = [
        start + "/".join(each)
        for depth in (1, 2)
        for each in itertools.product(("c", "ac", "xb", "x.b", "b", "a", "a.b"), repeat=depth)
    ]
    actions = actions_below(folder, preferences, limits)
    actions |= {decide(Request("read", path), preferences, limits).action for path in longer}
    assert strictest in actions


READ_ALL: Final = Rule("read", "*", "allow")
NO_INTERNAL: Final = Rule("read", "internal/*", "deny")


@pytest.mark.parametrize(
    ("folder", "later", "action"),
    [
        (".", [], "deny"),
        ("internal", [], "deny"),
        ("src", [], "allow"),
        (".", [Rule("read", "internal/*", "allow")], "allow"),
        (".", [Rule("*", "int*", "allow")], "allow"),
        (".", [Rule("read", "internal/public/*", "allow")], "deny"),
        ("internal/public", [Rule("read", "internal/public/*", "allow")], "allow"),
        (".", [Rule("read", "internal/*", "ask")], "ask"),
    ],
)
def test_later_rules_lift_a_rule_where_they_cover_it(folder: str, later: list[Rule], action: Action) -> None:
    team = [Layer("team", [READ_ALL, NO_INTERNAL]), Layer("grants", later)]
    assert decide_below("read", folder, team).action == action


def test_nothing_lifts_a_limit() -> None:
    preferences = [Layer("all", [Rule("*", "*", "allow")])]
    limits = [Layer("team limits", [NO_INTERNAL]), Layer("project limits", [READ_ALL])]
    assert decide_below("read", ".", preferences, limits).layer == "team limits"
    assert decide_below("read", "src", preferences, limits).action == "allow"


def test_only_names_that_are_used_count() -> None:
    team = [Layer("team", [Rule("edit", "*", "allow"), Rule("edit", "*.lock", "deny")])]
    assert decide_below("edit", ".", team, name="*.py").action == "allow"
    assert decide_below("edit", ".", team, name="uv.*").action == "deny"


def test_without_any_rule_a_person_is_asked() -> None:
    assert decide_below("read", ".", []).action == "ask"


def test_presets_ask_below_any_folder_by_their_own_rules_only() -> None:
    guards = guards_below("read", "src", layers.preferences(agent="build"), layers.limits(agent="build"))
    assert guards
    assert all(guard.is_preset for guard in guards)
    assert not guards_below("list", ".", layers.preferences(agent="build"), layers.limits(agent="build"))


def test_a_rule_that_asks_about_the_folder_too_was_weighed_with_it() -> None:
    cautious = [Layer("defaults", [Rule("edit", "*", "ask"), Rule("edit", "*.lock", "ask")])]
    assert weighed_with_folder(decide(Request("edit", "src/a"), cautious), "src")
    assert not weighed_with_folder(decide(Request("edit", "src/a.lock"), cautious), "src")
