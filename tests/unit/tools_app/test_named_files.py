"""Files that are named by scripts, here-documents or plain words are judged, even if the preset would run the command
without a permission request."""

import pytest

from tests.support.command_bench import NO_INTERNAL, Bench, bench, shared_bench
from tools_app.permission.model import Rule

__all__ = ["bench", "shared_bench"]
pytestmark = pytest.mark.asyncio(loop_scope="module")

NO_LEDGER = Rule("edit", "ledger/*", "deny")


@pytest.mark.parametrize(
    "command",
    [
        "sed -n 'w .git/hooks/x' a",
        "sed 's/a/b/w.git/hooks/x' a",
        "awk '{ print > \".git/hooks/x\" }' a",
        'python3 -c \'import os; open(".agentsite/rules", "w")\'',
        'python3 -c \'open(".g" + "it/config", "w")\'',
        'python3 -c \'open("\\x2egit/config", "w")\'',
        'python3 -c \'open("scripts/pre-commit", "w")\'',
        'cd .git && python3 -c \'open("config", "w")\'',
        "python3 - <<'E'\nopen('.git/config', 'w')\nE",
        "echo 'echo x > .git/hooks/x' | sh",
        "x=$(cat <<'E'\nopen('.git/config', 'w')\nE\n); python3 -c \"$x\"",
        "printf 'touch .git/hooks/x' > a.sh; sh a.sh",
        'python3 -c \'import os; open(os.path.expanduser("~/.bashrc"), "w")\'',
    ],
)
async def test_code_that_names_what_controls_git_or_the_rules_is_asked(bench: Bench, command: str) -> None:
    bench.write(".git/config", "")
    assert await bench.action(command, preset="contained") == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "python3 -c 'import os; print(os.getcwd())'",
        "git rev-parse HEAD && python3 -c 'print(1)'",
        "git commit -m 'Keep .env and .git out' ; python3 -c 'print(1)'",
        "find . -not -path './.git/*' -name '*.py' | xargs wc -l",
        "cat > note <<'E'\n.env and .git/config\nE\npython3 -c 'print(1)'",
        "python3 -c 'print(open(\".env.example\").read())'",
    ],
)
async def test_other_words_about_files_are_not_asked(bench: Bench, command: str) -> None:
    bench.write(".env")
    assert await bench.action(command, preset="contained") == "allow"


async def test_a_secret_counts_if_it_exists(bench: Bench) -> None:
    command = "python3 -c 'import os; print(open(\"prod.env\").read())'"
    assert await bench.action(command, preset="contained") == "allow"
    bench.write("prod.env")
    assert await bench.action(command, preset="contained") == "ask"


@pytest.mark.parametrize("name", ["internal/plan.txt", "internal", "./internal/"])
async def test_rules_of_people_hold_for_what_code_names(bench: Bench, name: str) -> None:
    command = f"python3 -c 'import os; print(os.stat, \"{name}\")'"
    assert await bench.action(command, preset="contained") == "allow"
    assert await bench.action(command, NO_INTERNAL, preset="contained") == "deny"
    assert await bench.action(command, NO_INTERNAL) == "ask"  # somebody looks at it


async def test_texts_with_very_many_names_count_as_if_they_named_everything(bench: Bench) -> None:
    names = " ".join(f"n{number}" for number in range(6_000))
    assert await bench.action(f"python3 -c 'x = \"{names}\"'", NO_INTERNAL, preset="contained") == "deny"


@pytest.mark.parametrize("command", ["frob look", "frob -x look", "python3 a.py look", "frob below/pre-commit"])
async def test_a_plain_word_may_be_a_link_to_a_protected_file(bench: Bench, command: str) -> None:
    assert await bench.action(command, preset="contained") == "allow"
    bench.write(".env")
    bench.write(".git/hooks/pre-commit", "")
    (bench.files / "look").symlink_to(".env")
    (bench.files / "below").symlink_to(".git/hooks")
    assert await bench.action(command, preset="contained") == "ask"


async def test_a_plain_word_of_an_unknown_command_may_be_a_folder_with_a_rule(bench: Bench) -> None:
    assert await bench.action("frob ledger", NO_LEDGER, preset="autonomous") == "allow"
    bench.write("ledger/tea.csv", "1")
    assert await bench.action("frob ledger", NO_LEDGER, preset="autonomous") == "ask"
    assert await bench.action("frob src", NO_LEDGER, preset="autonomous") == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "find . -type f | xargs cat",
        "find . -type f -print0 | xargs -0 -I{} cat {}",
        'find . -type f | while read -r f; do cat "$f"; done',
        "for f in $(find . -type f); do cat $f; done",
        "cat $(ls -A)",
    ],
)
async def test_names_that_another_command_finds_are_those_of_files_there(bench: Bench, command: str) -> None:
    assert await bench.action(command, preset="contained") == "allow"
    bench.write(".env")
    assert await bench.action(command, preset="contained") == "ask"


async def test_names_are_told_apart_by_what_find_looks_for(bench: Bench) -> None:
    bench.write(".env")
    assert await bench.action("find . -name '*.py' | xargs cat", preset="contained") == "allow"


@pytest.mark.parametrize(
    "link", ["ln -s internal y", "ln -s ../internal src/y", "ln -sr internal y", "cd src; ln -s ../internal y"]
)
async def test_a_new_link_leads_where_it_was_made_to(bench: Bench, link: str) -> None:
    bench.write("internal/plan.txt")
    place = "src/y" if "src/y" in link else "y"
    assert await bench.action(f"{link}; cat {place}/plan.txt", NO_INTERNAL, preset="contained") == "deny"


@pytest.mark.parametrize("command", ["f() { cat internal/plan.txt; }; f", "trap 'cat internal/plan.txt' EXIT"])
async def test_where_the_folder_is_not_known_the_first_one_counts_as_well(bench: Bench, command: str) -> None:
    bench.write("internal/plan.txt")
    assert await bench.action(command, NO_INTERNAL, preset="contained") == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "tar cf x.tar -C internal plan.txt",
        "tar cf x.tar -C . -C internal plan.txt",
        "make -C internal",
        "npm pack ./internal",
    ],
)
async def test_a_folder_that_an_option_names_is_part_of_the_path(bench: Bench, command: str) -> None:
    bench.write("internal/plan.txt")
    bench.write("internal/Makefile")
    assert await bench.action(command, NO_INTERNAL, preset="autonomous") == "deny"


@pytest.mark.parametrize(
    ("command", "action"),
    [
        ("7z x -ointernal x.zip", "ask"),
        ("7z a x.7z internal", "deny"),
        ("7z a x.7z", "deny"),
        ("7z a x.7z src", "allow"),
        ("7z l x.7z", "allow"),
    ],
)
async def test_options_of_7z_are_joined_to_their_values(bench: Bench, command: str, action: str) -> None:
    bench.write("internal/plan.txt")
    assert await bench.action(command, NO_INTERNAL, preset="autonomous") == action
