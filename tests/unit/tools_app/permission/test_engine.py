from hypothesis import example, given
from hypothesis import strategies as st

from tools_app.permission.engine import decide, hidden_tools
from tools_app.permission.model import STRICTNESS, Layer, Request, Rule
from tools_app.permission.wildcard import match

WORDS = st.sampled_from(["*", "bash", "edit", "read", "ba*", "src/*", "src/a.py", "?", "*.env", ".env"])
RULES = st.builds(Rule, WORDS, WORDS, st.sampled_from(["allow", "ask", "deny"]))
LAYERS = st.lists(
    st.builds(Layer, st.sampled_from(["defaults", "team", "session", "grants"]), st.lists(RULES)), max_size=4
)
REQUESTS = st.builds(Request, st.sampled_from(["bash", "edit", "read"]), st.sampled_from(["src/a.py", ".env", "x", ""]))


@given(REQUESTS, LAYERS, LAYERS, LAYERS)
def test_no_preference_loosens_a_limit(
    request_: Request, preferences: list[Layer], others: list[Layer], limits: list[Layer]
) -> None:
    strictest = decide(request_, [Layer("all", [Rule("*", "*", "allow")])], limits)
    decision = decide(request_, [*preferences, *others], limits)
    assert STRICTNESS[decision.action] >= STRICTNESS[strictest.action]


@given(REQUESTS, LAYERS, LAYERS, WORDS, WORDS, st.data())
def test_adding_a_deny_never_turns_a_deny_into_an_allow(
    request_: Request, preferences: list[Layer], limits: list[Layer], permission: str, pattern: str, data: st.DataObject
) -> None:
    before = decide(request_, preferences, limits)
    place = data.draw(st.integers(0, len(preferences)))
    added = [*preferences[:place], Layer("new", [Rule(permission, pattern, "deny")]), *preferences[place:]]
    after = decide(request_, added, limits)
    assert not (before.action == "deny" and after.action != "deny")


@given(REQUESTS, LAYERS, LAYERS)
def test_deciding_is_total_and_always_says_the_same(
    request_: Request, preferences: list[Layer], limits: list[Layer]
) -> None:
    decision = decide(request_, preferences, limits)
    assert decision.action in STRICTNESS
    assert decision == decide(request_, list(preferences), list(limits))


@given(REQUESTS, LAYERS, LAYERS, LAYERS)
def test_one_limit_does_not_loosen_another(
    request_: Request, preferences: list[Layer], limits: list[Layer], more: list[Layer]
) -> None:
    few = decide(request_, preferences, limits)
    many = decide(request_, preferences, [*limits, *more])
    assert STRICTNESS[many.action] >= STRICTNESS[few.action]


@given(LAYERS, LAYERS)
def test_a_hidden_tool_would_have_been_denied_whatever_it_asked(preferences: list[Layer], limits: list[Layer]) -> None:
    if hidden_tools({"tool": "edit"}, preferences, limits):
        for pattern in ("src/a.py", ".env", "anything"):
            assert decide(Request("edit", pattern), preferences, limits).action == "deny"


@example(["aa*"], "aa")
@given(st.lists(st.text(alphabet="ab*? ", max_size=8), max_size=6), st.text(alphabet="ab ", max_size=8))
def test_each_rule_that_matches_is_found_in_the_order_of_the_layer(patterns: list[str], text: str) -> None:
    layer = Layer("team", [Rule("bash", pattern, "ask") for pattern in patterns])
    decision = decide(Request("bash", text), [layer])
    found = [*(one.rule for one in decision.trace), *((decision.rule,) if decision.rule else ())]
    assert found == [rule for rule in layer.rules if match(text, rule.pattern)]


def test_the_last_matching_rule_decides_and_names_its_layer() -> None:
    allow = Rule("bash", "*", "allow")
    deny = Rule("bash", "rm *", "deny")
    decision = decide(Request("bash", "rm x"), [Layer("defaults", [allow]), Layer("team", [deny])])
    assert (decision.action, decision.rule, decision.layer) == ("deny", deny, "team")
    assert [found.rule for found in decision.trace] == [allow]


def test_no_matching_rule_means_ask_without_a_reason() -> None:
    decision = decide(Request("bash", "ls"), [])
    assert (decision.action, decision.rule, decision.layer, decision.trace) == ("ask", None, None, ())


def test_a_limit_that_allows_is_no_permission() -> None:
    limit = Layer("team limits", [Rule("*", "*", "allow")])
    assert decide(Request("bash", "ls"), [], [limit]).action == "ask"


def test_a_stricter_limit_decides_and_is_named() -> None:
    limit = Layer("team limits", [Rule("bash", "*", "deny"), Rule("bash", "ls", "ask")])
    preferences = [Layer("grants", [Rule("bash", "*", "allow")])]
    decision = decide(Request("bash", "ls"), preferences, [limit])
    assert (decision.action, decision.layer) == ("ask", "team limits")
    assert decide(Request("bash", "rm x"), preferences, [limit]).action == "deny"


def test_a_tool_hides_behind_the_last_rule_that_names_its_permission() -> None:
    closed = Layer("agent", [Rule("edit", "*", "deny")])
    opened = Layer("session", [Rule("edit", "docs/*", "allow")])
    tools = {"edit": "edit", "write": "edit", "read": "read"}
    assert hidden_tools(tools, [closed]) == {"edit", "write"}
    assert hidden_tools(tools, [closed, opened]) == frozenset()
    assert hidden_tools(tools, [opened], [closed]) == {"edit", "write"}
    assert hidden_tools(tools, [Layer("all", [Rule("*", "*", "deny")])]) == {"edit", "write", "read"}
    assert hidden_tools(tools, [Layer("some", [Rule("edit", "src/*", "deny")])]) == frozenset()
