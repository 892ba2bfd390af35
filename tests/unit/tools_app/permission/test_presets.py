import pytest

from tools_app.permission import layers, presets
from tools_app.permission.engine import decide, hidden_tools
from tools_app.permission.model import Layer, Request, Rule


def action(permission: str, pattern: str, *, agent: str = "build", preset: str = "balanced") -> str:
    preferences = layers.preferences(agent=agent, preset=preset)
    return decide(Request(permission, pattern), preferences, layers.limits(agent=agent)).action


@pytest.mark.parametrize(
    ("permission", "pattern", "expected"),
    [
        ("read", "src/app.py", "allow"),
        ("read", ".env", "ask"),
        ("read", "deploy/prod.env", "ask"),
        ("read", ".env.local", "ask"),
        ("read", ".env.example", "allow"),
        ("read", "keys/id_ed25519", "ask"),
        ("read", "keys/id_ed25519.pub", "allow"),
        ("read", "server.pem", "ask"),
        ("read", ".git/config", "ask"),
        ("grep", ".env", "ask"),
        ("grep", ".", "allow"),
        ("edit", "src/app.py", "allow"),
        ("edit", ".env", "ask"),
        ("edit", ".git/hooks/pre-commit", "ask"),
        ("edit", "sub/HEAD", "ask"),
        ("edit", "/home/agent/.gitconfig", "ask"),
        ("edit", "/home/agent/.config/git/config", "ask"),
        ("edit", "/tmp/notes.txt", "allow"),
        ("external_directory", "/etc/*", "ask"),
        ("external_directory", "/tmp/*", "allow"),
        ("read", "/tmp/x/.env", "ask"),
        ("edit", "/tmp/x/.git/config", "ask"),
        ("external_directory", "/home/agent/.tool-output/*", "allow"),
        ("bash", "pytest -q", "allow"),
        ("bash", "npm install", "ask"),
        ("bash", "rm -rf build", "ask"),
        ("bash", "git status", "allow"),
        ("bash", "git push", "ask"),
        ("bash", "git branch -D main", "ask"),
        ("webfetch", "https://example.com", "ask"),
        ("doom_loop", "read", "ask"),
        ("egress", "example.com", "ask"),
        ("weather_lookup", "*", "ask"),
        ("todowrite", "*", "allow"),
        ("question", "*", "allow"),
    ],
)
def test_balanced(permission: str, pattern: str, expected: str) -> None:
    assert action(permission, pattern) == expected


def test_cautious_asks_before_every_edit() -> None:
    assert action("edit", "src/app.py", preset="cautious") == "ask"
    assert action("edit", ".env.example", preset="cautious") == "ask"
    assert action("external_directory", "/tmp/*", preset="cautious") == "ask"


def test_autonomous_still_asks_for_secrets_and_for_what_lies_outside() -> None:
    assert action("bash", "pytest", preset="autonomous") == "allow"
    assert action("read", ".env", preset="autonomous") == "ask"
    assert action("external_directory", "/etc/*", preset="autonomous") == "ask"


@pytest.mark.parametrize(
    ("permission", "pattern", "expected"),
    [
        ("bash", "./run.sh", "allow"), ("bash", "rm -rf build", "allow"), ("bash", "git commit -m x", "allow"),
        ("bash", "git push", "ask"), ("bash", "git push origin main", "ask"), ("bash", "npm publish", "ask"),
        ("bash", "gh pr create", "ask"), ("bash", "npx vercel --prod", "ask"), ("bash", "rsync -a dist host:", "ask"),
        ("bash", "rsync -a dist copy", "allow"), ("bash", "npm config set registry x", "ask"),
        ("edit", "src/app.py", "allow"), ("edit", ".git/hooks/pre-commit", "ask"), ("edit", "agentsite.json", "ask"),
        ("edit", "/home/agent/.gitconfig", "ask"), ("read", ".env", "ask"), ("grep", "keys/id_rsa", "ask"),
        ("edit", "config/prod.env", "allow"), ("external_directory", "/tmp/*", "allow"),
        ("external_directory", "/etc/*", "allow"), ("webfetch", "https://example.org", "ask"),
        ("websearch", "tea", "ask"), ("egress", "example.org", "ask"), ("doom_loop", "bash", "ask"),
        ("some_mcp_tool", "*", "ask"), ("bash", "gpg2 --armor --export-secret-keys", "ask"),
        ("bash", "docker-credential-pass get", "ask"), ("bash", "npm config get registry", "allow"),
        ("bash", "npm config get //a/:_authToken", "ask"), ("bash", "mvn help:effective-settings", "ask"),
        ("bash", "rails credentials:show", "ask"), ("bash", "rails routes", "allow"), ("bash", "keyctl show", "allow"),
        ("bash", "saucectl run", "ask"), ("bash", "cucumber --publish", "ask"),
        ("bash", "cucumber --publish-quiet", "allow"),
    ],
)  # fmt: skip
def test_contained_asks_about_what_leaves_the_container_secrets_and_what_steers(
    permission: str, pattern: str, expected: str
) -> None:
    assert action(permission, pattern, preset="contained") == expected


@pytest.mark.parametrize("preset", ["cautious", "balanced"])
def test_whoever_let_the_home_be_read_has_not_let_git_be_steered_from_there(preset: str) -> None:
    """A grant for the home directory does not allow changes of git's settings there: `core.fsmonitor` in `~/.gitconfig`
    could make the harmless `git status` run any program."""
    grants = [Rule("external_directory", "/home/agent/*", "allow")]
    preferences = layers.preferences(agent="build", preset=preset, grants=grants)
    assert decide(Request("read", "/home/agent/notes.txt"), preferences).action == "allow"
    assert decide(Request("edit", "/home/agent/.gitconfig"), preferences).action == "ask"


def test_an_unknown_preset_is_an_error() -> None:
    with pytest.raises(KeyError):
        presets.rules("reckless")


def test_no_harmless_shape_covers_more_than_one_command() -> None:
    """No pattern of `HARMLESS_COMMANDS` covers more than one command. A bare `*` at the start, or a name without a
    space before its star, would cover other commands."""
    for pattern in presets.HARMLESS_COMMANDS:
        assert "*" not in pattern.removesuffix(" *")


def test_plan_may_look_and_not_touch() -> None:
    assert action("edit", "src/app.py", agent="plan") == "deny"
    assert action("bash", "pytest", agent="plan") == "deny"
    assert action("bash", "git diff", agent="plan") == "allow"
    assert action("read", "src/app.py", agent="plan") == "allow"


@pytest.mark.parametrize(
    ("permission", "pattern", "expected"),
    [
        ("read", "src/app.py", "allow"), ("grep", "src", "allow"), ("bash", "git log -3", "allow"),
        ("read", ".env", "ask"), ("webfetch", "https://example.org", "ask"), ("external_directory", "/etc/*", "ask"),
        ("edit", "src/app.py", "deny"), ("bash", "pytest", "deny"), ("bash", "./deploy.sh", "deny"),
        ("todowrite", "*", "deny"), ("task", "general", "deny"), ("some_mcp_tool", "*", "deny"),
    ],
)  # fmt: skip
def test_explore_reads_searches_and_fetches_and_does_nothing_else(permission: str, pattern: str, expected: str) -> None:
    assert action(permission, pattern, agent="explore") == expected


@pytest.mark.parametrize("agent", ["title", "summary", "draft", "compaction"])
def test_agents_that_only_write_have_no_tools(agent: str) -> None:
    limits = layers.limits(agent=agent)
    assert hidden_tools({"read": "read", "bash": "bash", "x": "x"}, (), limits) == {"read", "bash", "x"}


def test_general_keeps_no_list_of_things_to_do() -> None:
    preferences, limits = layers.preferences(agent="general"), layers.limits(agent="general")
    assert hidden_tools({"todowrite": "todowrite", "edit": "edit"}, preferences, limits) == {"todowrite"}


@pytest.mark.parametrize("path", ["agentsite.json", "opencode.jsonc", ".agentsite/agentsite.json", ".opencode"])
@pytest.mark.parametrize("preset", presets.NAMES)
def test_what_a_repository_says_about_permissions_is_not_changed_unasked(preset: str, path: str) -> None:
    decided = decide(Request("edit", path), [Layer("defaults", presets.rules(preset))])
    assert decided.action == "ask"


def test_a_cautious_team_is_asked_before_the_projects_code_runs() -> None:
    cautious = [Layer("defaults", presets.rules("cautious"))]
    assert decide(Request("bash", "pytest -q"), cautious).action == "ask"
    assert decide(Request("bash", "git log"), cautious).action == "allow"


def test_plan_is_told_about_bash_and_not_about_edit() -> None:
    preferences, limits = layers.preferences(agent="plan"), layers.limits(agent="plan")
    assert hidden_tools({"edit": "edit", "write": "edit", "bash": "bash"}, preferences, limits) == {"edit", "write"}


def test_an_always_given_to_build_does_not_open_plan() -> None:
    grants = [Rule("edit", "*", "allow"), Rule("bash", "pytest", "allow")]
    preferences = layers.preferences(agent="plan", grants=grants)
    limits = layers.limits(agent="plan")
    assert decide(Request("edit", "src/app.py"), preferences, limits).action == "deny"
    assert decide(Request("bash", "pytest"), preferences, limits).action == "deny"


def test_layers_stand_in_their_order_and_empty_ones_are_left_out() -> None:
    rule = [Rule("bash", "x", "ask")]
    found = layers.preferences(
        agent="plan", site=rule, team=rule, project=rule, project_file=rule, session=rule, grants=rule
    )
    names = [layer.name for layer in found]
    assert names == ["defaults", "site", "team", "agent plan", "project", "project file", "session", "grants"]
    assert [layer.name for layer in layers.preferences(agent="build")] == ["defaults"]
    assert [layer.name for layer in layers.limits(agent="build", team=rule)] == ["team limits", "agent build"]


def test_a_grant_outranks_what_would_have_been_asked() -> None:
    preferences = layers.preferences(agent="build", grants=[Rule("bash", "pytest", "allow")])
    decision = decide(Request("bash", "pytest"), preferences)
    assert (decision.action, decision.layer) == ("allow", "grants")
    assert isinstance(preferences[-1], Layer)
