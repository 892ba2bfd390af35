"""The analysis of a command finds paths, in a real folder, whose names or contents the command shows although its text
does not name them."""

import pytest

from tests.support.command_bench import NO_INTERNAL, NO_LOCKS, Bench, bench, shared_bench
from tools_app.command_trees import may_have_secrets
from tools_app.permission.model import Rule

__all__ = ["bench", "shared_bench"]
pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_a_search_that_leaves_out_hidden_files_is_not_asked_for_a_hidden_secret(bench: Bench) -> None:
    bench.write(".env")
    bench.write(".gitignore", "*.log\n!.env.example\n!.gitkeep\n!src/\n")
    assert await bench.action("rg KEY") == "allow"


@pytest.mark.parametrize(
    "before",
    [
        "printf x > .ignore",
        "cp notes .rgignore",
        "touch src/.ignore",
        "mv src other",
        "git checkout main",
        "tar xf a.tar",
    ],
)
async def test_an_ignore_file_of_the_same_text_may_show_what_is_hidden(bench: Bench, before: str) -> None:
    bench.write("config/.env")
    assert await bench.action("printf x > notes; rg KEY config") == "allow"
    assert await bench.action(f"{before}; rg KEY config", preset="autonomous") == "ask"


@pytest.mark.parametrize("name", [".ignore", ".rgignore", ".gitignore"])
@pytest.mark.parametrize("line", ["!.env", "!.*", "!*", "!src/.env"])
async def test_an_ignore_file_may_show_what_is_hidden(bench: Bench, name: str, line: str) -> None:
    bench.write("src/.env")
    bench.write(name, f"*.log\n{line}\n")
    assert await bench.action("rg KEY") == "ask"
    assert await bench.action("rg KEY src") == "ask"


async def test_an_ignore_file_that_is_too_long_to_be_read_may_show_anything(bench: Bench) -> None:
    bench.write(".env")
    bench.write(".ignore", "*.log\n" * 20_000)
    assert await bench.action("rg KEY") == "ask"


@pytest.mark.parametrize(
    "command", ["grep *", "grep KEY *", "cat *", "ls *", "find *", 'for f in *; do cat "$f"; done']
)
@pytest.mark.parametrize("name", ["-R", "--files0-from=x", "-delete"])
async def test_a_name_that_begins_with_a_dash_may_become_an_option(bench: Bench, command: str, name: str) -> None:
    bench.write(name, "")
    assert await bench.action(command) == "ask"


async def test_a_name_that_begins_with_a_dash_may_become_an_option_where_it_is_copied_to(bench: Bench) -> None:
    bench.write("src/below/a")
    assert await bench.action("cp -r src/below other") == "allow"
    bench.write("src/below/-r")
    assert await bench.action("cp -r src/below other") == "ask"


async def test_other_names_become_no_options(bench: Bench) -> None:
    bench.write("a-b", "")
    assert await bench.action("grep KEY *") == "allow"


@pytest.mark.parametrize("command", ["grep -r KEY --include='*.local' .", "find . -name '*.local' -exec cat {} +"])
async def test_the_end_of_a_secrets_name_may_be_any(bench: Bench, command: str) -> None:
    assert await bench.action(command) == "allow"
    bench.write("config/.env.local")
    assert await bench.action(command) == "ask"


@pytest.mark.parametrize(
    "command",
    ["grep -r KEY --include='*.json' .", "find . -name '*.json' -exec cat {} +", "rg -t json KEY", "prettier --check .",
     "prettier --write '**/*.json'", "biome check --write .", "eslint --fix '*.{json,js}'", "npx eslint config"],
)  # fmt: skip
async def test_a_secret_may_have_the_ending_of_a_source_file(bench: Bench, command: str) -> None:
    bench.write("config/data.json")
    bench.write("config/prod.env.ini")
    found = [await bench.action(command)]
    bench.write("config/prod.env.json")
    assert [*found, await bench.action(command)] == ["allow", "ask"]


@pytest.mark.parametrize("command", ["grep -r url .", "grep -rh url --include=config .", "rg --hidden url"])
async def test_a_repositorys_settings_are_asked_for_when_they_hold_a_password(bench: Bench, command: str) -> None:
    bench.write(".git/config", "[remote]\n\turl = https://example.org/a.git\n")
    assert await bench.action(command) == "allow"
    bench.write(".git/config", "[remote]\n\turl = https://me:secret@example.org/a.git\n")
    assert await bench.action(command) == "ask"


@pytest.mark.parametrize("command", ["grep -R KEY src", "cp -rL src new", "rg -L KEY src"])
async def test_a_folder_behind_a_link_is_looked_into_when_links_are_followed(bench: Bench, command: str) -> None:
    bench.write("config/prod.env")
    (bench.files / "src" / "c").symlink_to("../config")
    assert await bench.action(command) == "ask"


async def test_a_link_to_itself_has_an_end(bench: Bench) -> None:
    (bench.files / "self").symlink_to(".")
    assert await bench.action("grep -R KEY .") == "allow"


NO_LEDGER = Rule("edit", "ledger/*", "deny")


@pytest.mark.parametrize(
    ("command", "action"),
    [
        ("cp *.csv ledger", "deny"),
        ("cp a.csv led*", "deny"),
        ("cp -r old/. .", "deny"),
        ("cp -rT old .", "deny"),
        ("mv old/* .", "deny"),
        ("find old -name '*.csv' -exec cp {} ledger ';'", "deny"),
        ("find old -type d -exec cp a.csv {} ';'", "allow"),
        ("find . -type d -exec cp a.csv {} ';'", "deny"),
        ("cp *.csv src", "allow"),
        ("cp -r old src", "allow"),
        ("mv old new", "allow"),
        ("mkdir -p src/x && cp -r old src/x", "allow"),
        ("find old -name '*.csv' -exec cp {} src ';'", "allow"),
        ("find old -exec cp -r {} . ';'", "deny"),
    ],
)
async def test_what_is_copied_is_judged_by_its_new_path(bench: Bench, command: str, action: str) -> None:
    for name in ("a.csv", "old/b.csv", "old/ledger/tea.csv", "ledger/tea.csv"):
        bench.write(name, "1\n")
    assert await bench.action(command, NO_LEDGER, preset="contained") == action


async def test_what_was_put_there_before_it_is_copied_may_have_any_name(bench: Bench) -> None:
    bench.write("old/b.csv", "1\n")
    rule = Rule("edit", "src/ledger/*", "deny")
    assert await bench.action("cp -r old src", rule, preset="contained") == "allow"
    assert await bench.action("mkdir old/ledger; echo 1 > old/ledger/x; cp -r old/. src", rule) == "deny"
    assert await bench.action("echo 1 > old/c.csv; cp old/*.csv src", rule, preset="contained") == "allow"


NO_NAMES = Rule("list", "hidden/*", "deny")

READING = (
    "grep -rn '' .",
    "grep -r x --include='*.txt' .",
    "rg ''",
    "rg -n x ./internal",
    "find . -exec cat {} +",
    "find . -type f -exec head -n 5 {} ';'",
    "find . -type f | head; find internal -type f -exec cat {} +",
    "find . -name 'plan*' -exec cat {} +",
    "cp -r . /tmp/x",
    "cp -r internal other",
    "tar cf /tmp/x.tar .",
    "cat */plan.txt",
    "cat int*/*",
    "cd internal && cat *",
    "diff -r . /tmp",
    "(cd src; grep -r x ..)",
    "bash -c 'grep -r x .'",
)
CHANGING = (
    "find . -type f -exec sed -i s/a/b/ {} +",
    "find . -type f -exec sed -i s/a/b/ {} ';'",
    "find . -name '*.l*' -exec sed -i s/a/b/ {} +",
    "find . -delete",
    "rm -r .",
    "rm -rf locked",
    "rm -rf */",
    "chmod -R 700 .",
    "sed -i s/a/b/ locked/*",
    "truncate -s 0 */*",
)
NAMING = ("ls -R", "find .", "tree", "ls hidden/sub", "ls hidden/*", "du -a .", "fd name")


def fill(bench: Bench) -> None:
    for name in ("internal/plan.txt", "locked/uv.lock", "hidden/sub/name.txt"):
        bench.write(name, "x\n")


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("command", "limit"),
    [
        *((command, NO_INTERNAL) for command in READING),
        *((command, NO_LOCKS) for command in CHANGING),
    ],
)
async def test_a_limit_holds_for_the_trees_above_it(bench: Bench, command: str, limit: Rule, *, known: bool) -> None:
    """A limit for a path also applies to a command on a folder above it, even if the rule was written after the
    command's paths were examined."""
    fill(bench)
    assert await bench.action(command, limit, preset="autonomous", known=known) == "deny"


@pytest.mark.parametrize("command", NAMING)
async def test_a_limit_on_names_holds_for_commands_that_list(bench: Bench, command: str) -> None:
    fill(bench)
    assert await bench.action(command, NO_NAMES, preset="autonomous") == "deny"


@pytest.mark.parametrize(
    ("command", "limit"),
    [
        ("grep -rn '' src", NO_INTERNAL),
        ("grep -r x --include='*.py' .", NO_INTERNAL),
        ("rg x src", NO_INTERNAL),
        ("find . -name '*.py' -exec cat {} +", NO_INTERNAL),
        ("find src -type f -exec sed -i s/a/b/ {} +", NO_LOCKS),
        ("find . -name '*.py' -exec sed -i s/a/b/ {} +", NO_LOCKS),
        ("rm -rf src", NO_LOCKS),
        ("rm -rf gone", NO_LOCKS),
        ("ls -R src", NO_NAMES),
        ("ls", NO_NAMES),
        ("find src", NO_NAMES),
        ("tree src", NO_NAMES),
    ],
)
async def test_other_trees_are_not_concerned(bench: Bench, command: str, limit: Rule) -> None:
    fill(bench)
    bench.write("src/app.py", "x\n")
    assert await bench.action(command, limit, preset="autonomous") == "allow"


@pytest.mark.parametrize("command", ["grep -r x .", "ls -R", "rm -rf locked"])
async def test_where_nothing_is_that_a_rule_matches_nobody_is_asked(bench: Bench, command: str) -> None:
    bench.write("locked/app.py", "x\n")
    assert await bench.action(command, NO_INTERNAL, NO_LOCKS, NO_NAMES, preset="autonomous") == "allow"


async def test_a_later_rule_of_the_same_limits_lifts_a_deny_where_it_covers_it(bench: Bench) -> None:
    bench.write("internal/public/a.txt", "x\n")
    public = Rule("read", "internal/public/*", "allow")
    assert await bench.action("grep -r x .", NO_INTERNAL, public) == "allow"
    bench.write("internal/plan.txt", "x\n")
    assert await bench.action("grep -r x .", NO_INTERNAL, public) == "deny"


async def test_a_rule_holds_in_folders_that_are_not_searched_for_secrets(bench: Bench) -> None:
    bench.write("node_modules/a/b/key.pem", "x\n")
    assert await bench.action("grep -r x .") == "allow"
    assert await bench.action("grep -r x .", Rule("read", "*.pem", "deny")) == "deny"


async def test_a_tree_that_is_too_large_is_judged_by_the_strictest_rule(bench: Bench) -> None:
    for number in range(350):
        bench.write(f"many/{number}/a.txt", "x\n")
    assert await bench.action("grep -r x .", NO_INTERNAL) == "ask"  # for secrets; nothing can be in `internal`
    assert await bench.action("grep -r x .", Rule("read", "*.secret", "deny")) == "deny"
    assert await bench.action("grep -r x many", NO_INTERNAL) == "ask"


async def test_a_rule_that_asks_is_asked_where_it_matches(bench: Bench) -> None:
    ask = Rule("read", "secrets/**", "ask")
    assert await bench.action("grep -r x .", ask) == "allow"
    bench.write("secrets/a/b.txt", "x\n")
    assert await bench.action("grep -r x .", ask) == "ask"
    assert await bench.action("grep -r x src", ask) == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "find . -name config -exec sed -i s/a/b/ {} +",
        "find . -type f -exec sed -i s/a/b/ {} +",
        "find . -path './.git/*' -exec sed -i s/a/b/ {} +",
        "rm -rf .",
        "chmod -R 600 .",
        "find . -name 'agentsite.json' -exec sed -i s/deny/allow/ {} +",
    ],
)
async def test_files_that_control_git_or_the_rules_are_found_in_trees(bench: Bench, command: str) -> None:
    bench.write(".git/config", "[core]\n")
    bench.write("agentsite.json", "{}\n")
    assert await bench.action(command, preset="autonomous") == "ask"
    rule = Rule("edit", "agentsite.json" if "agentsite" in command else "*.git/*", "deny")
    assert await bench.action(command, rule, preset="autonomous") == "deny"


@pytest.mark.parametrize(
    "command", ["mv internal other", "mv -t src internal", "cp -a internal other", "tar cf a.tar internal"]
)
async def test_a_folder_that_may_not_be_read_is_not_moved_or_copied_away(bench: Bench, command: str) -> None:
    fill(bench)
    assert await bench.action(command, NO_INTERNAL, preset="autonomous") == "deny"


@pytest.mark.parametrize("command", ["tar xf a.tar", "tar -xzf a.tgz -C src", "unzip a.zip", "patch -p1 < fix.patch"])
async def test_what_is_unpacked_may_have_any_name(bench: Bench, command: str) -> None:
    assert await bench.action(command, preset="autonomous") == "ask"
    assert await bench.action(command, NO_LOCKS, preset="autonomous") == "deny"
    assert await bench.action(command, Rule("edit", "docs/*", "deny"), preset="autonomous") == (
        "ask" if "src" in command else "deny"
    )


@pytest.mark.parametrize(
    "command", ["cp -r src .", "cp -r src new", "mv src new", "find . -name cache -exec rm -rf {} +"]
)
async def test_files_beside_what_is_copied_or_removed_are_not_concerned(bench: Bench, command: str) -> None:
    bench.write("cache/src/app.py", "x\n")
    bench.write("locked/uv.lock", "x\n")
    bench.write(".git/config", "[core]\n")
    assert await bench.action(command, NO_LOCKS, preset="autonomous") == "allow"


async def test_what_is_below_a_folder_that_find_removes_counts(bench: Bench) -> None:
    bench.write("sub/cache/deep/uv.lock", "x\n")
    assert await bench.action("find . -name cache -exec rm -rf {} +", NO_LOCKS, preset="autonomous") == "deny"


@pytest.mark.parametrize("python", [".venv/bin/python", ".venv/bin/python3", "/workspace/.venv/bin/python"])
async def test_the_python_of_a_virtual_environment_is_not_asked_about(bench: Bench, python: str) -> None:
    folder = bench.files / ".venv" / "bin"
    folder.mkdir(parents=True)
    (folder / "python3").symlink_to("/usr/bin/python3")
    (folder / "python").symlink_to("python3")
    assert "external_directory" not in await bench.permissions(f"{python} -m pytest")
    assert "external_directory" in await bench.permissions(f"cp src/app.py {python}")


@pytest.mark.parametrize(
    ("name", "target"),
    [("python", "/usr/bin/env"), ("pytest", "/usr/bin/python3"), ("python", "/usr/bin"), ("python", "/etc/passwd")],
)
async def test_another_link_to_a_place_outside_is_asked_about(bench: Bench, name: str, target: str) -> None:
    (bench.files / name).symlink_to(target)
    assert "external_directory" in await bench.permissions(f"./{name} -m pytest")
    assert "external_directory" in await bench.permissions(f"cat {name}")


@pytest.mark.parametrize("command", ["grep -r KEY /", "cp -r / copy", "tar c /"])
async def test_a_tree_with_the_home_directory_may_have_secrets(bench: Bench, command: str) -> None:
    assert await bench.action(command, preset="contained") == "ask"


async def test_other_trees_outside_have_none(bench: Bench) -> None:
    assert await bench.action("grep -r KEY /usr/include", preset="contained") == "allow"


@pytest.mark.parametrize(
    ("folder", "may"),
    [
        ("/", True), ("/home", True), ("/home/agent", True), ("/home/agent/.ssh", True),
        ("/home/agent/.config/gh", True), ("/home/agent/.cache/pip", False), ("/usr", False), ("/home/agentx", False),
    ],
)  # fmt: skip
async def test_secrets_of_the_home_directory_lie_in_its_private_folders(folder: str, may: bool) -> None:
    assert may_have_secrets(folder) is may
