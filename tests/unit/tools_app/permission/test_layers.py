from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from tools_app.permission import layers
from tools_app.permission.engine import decide, hidden_tools
from tools_app.permission.model import Action, Layer, Request, Rule

CLOSING: Final[tuple[Action, Action]] = ("deny", "allow")
PERMISSIONS = st.sampled_from(["*", "bash", "edit", "ba*"])
PATTERNS = st.sampled_from(["*", "src/*", "src/a.py", "src/?.py", "git *", "git", "*.env"])
ACTIONS = st.sampled_from(["allow", "ask", "deny"])
RULES = st.lists(st.builds(Rule, PERMISSIONS, PATTERNS, ACTIONS), max_size=4)
PLAIN = st.builds(Layer, st.sampled_from(["team", "session"]), RULES)
TIGHTENING = st.builds(
    Layer,
    st.just("project file"),
    RULES,
    tightens_only=st.just(value=True),
    may_loosen=st.lists(st.tuples(PERMISSIONS, PATTERNS), max_size=2),
)
PREFERENCES = st.tuples(st.lists(PLAIN, max_size=2), st.lists(TIGHTENING, max_size=1), st.lists(PLAIN, max_size=2)).map(
    lambda parts: [layer for part in parts for layer in part]
)
LIMITS = st.lists(PLAIN, max_size=2)
REQUESTS = st.builds(
    Request,
    st.sampled_from(["bash", "edit"]),
    st.sampled_from(["src/a.py", "src/ab.py", "git", "git log", ".env", "x", ""]),
)


@given(REQUESTS, PREFERENCES, LIMITS, PREFERENCES, LIMITS)
def test_what_the_parent_is_denied_the_child_is_never_allowed(
    request_: Request, parent: list[Layer], bounds: list[Layer], child: list[Layer], own: list[Layer]
) -> None:
    inherited = layers.inherited_by_child(parent, bounds)
    if decide(request_, parent, bounds).action == "deny":
        assert decide(request_, child, [*own, *inherited]).action == "deny"


@given(REQUESTS, PREFERENCES, LIMITS, PREFERENCES, LIMITS)
def test_the_parent_never_loosens_what_the_child_decides_for_itself(
    request_: Request, parent: list[Layer], bounds: list[Layer], child: list[Layer], own: list[Layer]
) -> None:
    alone = decide(request_, child, own).action
    bound = decide(request_, child, [*own, *layers.inherited_by_child(parent, bounds)]).action
    strictness = ["allow", "ask", "deny"]
    assert strictness.index(bound) >= strictness.index(alone)


@given(REQUESTS, st.lists(PLAIN, max_size=3), PREFERENCES)
def test_a_parent_that_denies_nothing_binds_nothing(request_: Request, parent: list[Layer], child: list[Layer]) -> None:
    if decide(request_, parent).action != "deny":
        inherited = layers.inherited_by_child(parent, [])
        assert decide(request_, child, inherited).action == decide(request_, child).action


@given(REQUESTS, PREFERENCES, LIMITS, PREFERENCES)
def test_the_grandchild_is_bound_as_the_child_is(
    request_: Request, parent: list[Layer], bounds: list[Layer], child: list[Layer]
) -> None:
    inherited = layers.inherited_by_child(parent, bounds)
    handed_down = layers.inherited_by_child(child, inherited)
    if decide(request_, child, inherited).action == "deny":
        assert decide(request_, [Layer("all", [Rule("*", "*", "allow")])], handed_down).action == "deny"


@given(REQUESTS, st.lists(PLAIN, max_size=2), RULES, LIMITS)
def test_a_layer_that_only_tightens_makes_nothing_looser(
    request_: Request, before: list[Layer], rules: list[Rule], limits: list[Layer]
) -> None:
    file = Layer("project file", rules, tightens_only=True)
    strictness = ["allow", "ask", "deny"]
    without, with_file = (decide(request_, given_, limits).action for given_ in (before, [*before, file]))
    assert strictness.index(with_file) >= strictness.index(without)
    if decide(request_, [file]).action == "deny":
        assert with_file == "deny"


@given(PREFERENCES, LIMITS)
def test_a_hidden_tool_is_denied_whatever_it_asks(preferences: list[Layer], limits: list[Layer]) -> None:
    if hidden_tools({"tool": "edit"}, preferences, limits):
        for pattern in ("src/a.py", ".env", "git log", "anything"):
            assert decide(Request("edit", pattern), preferences, limits).action == "deny"


def test_a_file_that_only_tightens_closes_a_tool_and_opens_none() -> None:
    closed, opened = (Layer("project file", [Rule("bash", "*", action)], tightens_only=True) for action in CLOSING)
    denied, allowed = (Layer("team", [Rule("bash", "*", action)]) for action in CLOSING)
    assert hidden_tools({"bash": "bash"}, [allowed, closed]) == {"bash"}
    assert hidden_tools({"bash": "bash"}, [denied, opened]) == {"bash"}
    assert hidden_tools({"bash": "bash"}, [allowed, opened]) == frozenset()


def test_a_file_that_only_tightens_lifts_no_deny_from_the_child() -> None:
    team = Layer("team", [Rule("bash", "*", "deny")])
    file = Layer("project file", [Rule("bash", "*", "allow")], tightens_only=True)
    inherited = layers.inherited_by_child([team, file], [])
    assert decide(Request("bash", "make"), [Layer("all", [Rule("*", "*", "allow")])], inherited).action == "deny"


def test_what_such_a_file_may_loosen_is_not_denied_to_the_child() -> None:
    team = Layer("team", [Rule("bash", "*", "deny")])
    file = Layer("project file", [Rule("bash", "make *", "allow")], tightens_only=True, may_loosen=[("bash", "make *")])
    inherited = layers.inherited_by_child([team, file], [])
    allow_all = [Layer("all", [Rule("*", "*", "allow")])]
    assert decide(Request("bash", "make all"), allow_all, inherited).action == "allow"
    assert decide(Request("bash", "rm x"), allow_all, inherited).action == "deny"


def test_an_answer_that_overruled_the_file_overrules_it_for_the_child_too() -> None:
    file = Layer("project file", [Rule("bash", "*", "deny")], tightens_only=True)
    grants = Layer("grants", [Rule("bash", "make", "allow")])
    inherited = layers.inherited_by_child([file, grants], [])
    allow_all = [Layer("all", [Rule("*", "*", "allow")])]
    assert decide(Request("bash", "make"), allow_all, inherited).action == "allow"
    assert decide(Request("bash", "rm x"), allow_all, inherited).action == "deny"
