"""Files that a command reaches through links, or in folders with too many files to list, are judged."""

import time

import pytest

from tests.support.command_bench import NO_INTERNAL, Bench, bench, shared_bench
from tools_app.permission.model import Rule
from tools_app.touched_paths import MAX_ENTRIES

__all__ = ["bench", "shared_bench"]
pytestmark = pytest.mark.asyncio(loop_scope="module")

NOTHING_OUTSIDE = Rule("external_directory", "*", "deny")
NO_LOGS = Rule("edit", "*.log", "deny")


def link(bench: Bench, name: str, target: str) -> None:
    path = bench.files / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to(target)


@pytest.mark.parametrize(
    "command", ["cat o*/pass*", "cat */passwd", "rm -r o*/x*", "cp o*/pass* src", "wc -l d*/o*/p*"]
)
async def test_a_glob_behind_a_link_that_leads_out_may_match_anything_there(bench: Bench, command: str) -> None:
    assert await bench.action(command, NOTHING_OUTSIDE, preset="autonomous") == "allow"
    link(bench, "out", "/etc")
    link(bench, "deep/out", "/etc")
    assert await bench.action(command, NOTHING_OUTSIDE, preset="autonomous") == "deny"
    assert await bench.action(command) == "ask"


@pytest.mark.parametrize("command", ["cat h*/.ssh/id*", "cat h*/*/id*", "grep -r KEY h*/.s*", "cat src/*/.ssh/i*"])
async def test_a_glob_behind_a_link_to_the_home_directory_may_show_a_key(bench: Bench, command: str) -> None:
    assert await bench.action(command, preset="contained") == "allow"
    link(bench, "home", "/home/agent")
    link(bench, "src/home", "/home/agent")
    assert await bench.action(command, preset="contained") == "ask"


async def test_a_glob_behind_a_link_that_stays_matches_what_is_there(bench: Bench) -> None:
    bench.write("internal/plan.md")
    link(bench, "again", "src")
    assert await bench.action("cat a*/*.py", NO_INTERNAL) == "allow"
    link(bench, "hidden", "internal")
    assert await bench.action("cat h*/*.md", NO_INTERNAL) == "deny"


async def test_a_folder_with_too_many_files_may_have_any(bench: Bench) -> None:
    for number in range(MAX_ENTRIES):
        bench.write(f"many/{number}.txt", "")
    assert await bench.action("rm many/*.l*", NO_LOGS, preset="contained") == "deny"
    assert await bench.action("rm -r many", NO_LOGS, preset="contained") == "deny"
    assert await bench.action("rm many/*.txt", Rule("edit", "other/*", "deny"), preset="contained") == "allow"
    assert await bench.action("rm many/*.l*") == "ask"


@pytest.mark.parametrize("part", ["[", "[a", "*", "?/", "*/"])
async def test_a_glob_of_thousands_of_characters_is_soon_looked_at(bench: Bench, part: str) -> None:
    began = time.process_time()
    await bench.action("frob " + part * (20_000 // len(part)))
    assert time.process_time() - began < 2.0


@pytest.mark.parametrize(
    "command",
    ["tsc --outDir hooks", "tsc --outDir ./hooks", "ruff check --cache-dir src/../hooks",
     "cargo build --target-dir ./hooks", "mypy --html-report hooks src", "cmake --build hooks",
     "tsc --outDir results", "ruff check --cache-dir ./results"],
)  # fmt: skip
async def test_a_folder_for_results_may_be_a_link_or_contain_one(bench: Bench, command: str) -> None:
    assert await bench.action(command) == "allow"
    bench.write(".git/hooks/x", "")
    link(bench, "hooks", ".git/hooks")
    link(bench, "results/hooks", "../.git/hooks")
    assert await bench.action(command) == "ask"


@pytest.mark.parametrize(
    "command", ["frob plain", "frob -x plain", "frob --x=plain", "npm run x plain", "make -C plain"]
)
@pytest.mark.parametrize("target", ["/etc", ".env", ".git/hooks", "internal"])
async def test_a_plain_word_may_be_a_link(bench: Bench, command: str, target: str) -> None:
    bench.write(".env")
    bench.write("internal/plan.md")
    limits = (NO_INTERNAL, Rule("bash", "rm *", "deny"))
    (bench.files / "plain").mkdir()
    assert await bench.action(command, *limits, preset="autonomous") == "allow"
    (bench.files / "plain").rmdir()
    link(bench, "plain", target)
    assert await bench.action(command, *limits, preset="autonomous") in {"ask", "deny"}


@pytest.mark.parametrize(
    ("command", "folder"),
    [("cargo build", "target"), ("tsc", "dist"), ("pytest", ".pytest_cache"), ("mypy .", ".mypy_cache")],
)
async def test_a_folder_that_no_word_names_may_be_a_link(bench: Bench, command: str, folder: str) -> None:
    assert await bench.action(command) == "allow"
    bench.write(".git/hooks/x", "")
    link(bench, folder, ".git/hooks")
    assert await bench.action(command) == "ask"


async def test_a_link_that_stays_among_ordinary_files_is_nothing_to_ask_about(bench: Bench) -> None:
    link(bench, "plain", "src")
    for command in ("frob plain", "tsc --outDir plain", "make -C plain"):
        assert await bench.action(command, NO_INTERNAL, preset="autonomous") == "allow"


@pytest.mark.parametrize(
    "command",
    ["git mv hooks z && cp src/app.py z/x", "git mv hooks src && cp src/app.py src/hooks/x",
     "git clone . z && cp src/app.py z/hooks/x", "git clone /workspace /tmp/z; cp src/app.py /tmp/z/hooks/x",
     "git worktree add -b x /tmp/z && cp src/app.py /tmp/z/hooks/x"],
)  # fmt: skip
async def test_git_carries_links_to_other_places(bench: Bench, command: str) -> None:
    assert await bench.action(command, preset="contained") == "allow"
    bench.write(".git/hooks/y", "")
    link(bench, "hooks", ".git/hooks")
    assert await bench.action(command, preset="contained") == "ask"


OF_ETC = (Rule("read", "/etc/*", "deny"), Rule("edit", "/etc/*", "deny"))


@pytest.mark.parametrize(
    "command",
    [
        "grep -R --include=hosts x deep", "rg -L -g hosts x deep", "cp -rL deep copied",
        "find -L deep -name hosts -delete",
        "find -L deep -name hosts -exec cat {} +", "find -L deep -name hosts | xargs cat",
    ],
)  # fmt: skip
async def test_what_a_followed_link_leads_to_is_judged_by_the_rules_about_it(bench: Bench, command: str) -> None:
    bench.write("deep/note.txt")
    assert await bench.action(command, *OF_ETC, preset="contained") == "allow"
    link(bench, "deep/out", "/etc")
    assert await bench.action(command, *OF_ETC, preset="contained") == "deny"


@pytest.mark.parametrize("target", ["/home/agent", "/home/agent/.ssh", "/home", "/"])
async def test_a_followed_link_may_lead_to_secrets(bench: Bench, target: str) -> None:
    bench.write("deep/note.txt")
    for command in ("grep -R x deep", "grep -R --include=id_rsa x deep", "find -L deep -name id_rsa -exec cat {} +"):
        assert await bench.action(command, preset="contained") == "allow"
    link(bench, "deep/out", target)
    for command in ("grep -R x deep", "grep -R --include=id_rsa x deep", "find -L deep -name id_rsa -exec cat {} +"):
        assert await bench.action(command, preset="contained") == "ask"


@pytest.mark.parametrize("command", ["grep -R --include='*.py' x deep", "rg -L -t py x deep"])
async def test_a_link_to_a_file_counts_only_by_its_name(bench: Bench, command: str) -> None:
    link(bench, "deep/notes.txt", "/etc/hosts")
    link(bench, "deep/.hidden", "/etc")
    assert await bench.action(command) == ("allow" if command.startswith("rg") else "ask")
    link(bench, "deep/notes.py", "/etc/hosts")
    assert await bench.action(command) == "ask"


async def test_a_name_that_find_finds_is_not_below_a_link(bench: Bench) -> None:
    link(bench, "deep/out", "/etc")
    assert await bench.action("find deep -name '*.py' -exec wc -l {} +") == "allow"
    assert await bench.action("find -L deep -name '*.py' -exec wc -l {} +") == "ask"


@pytest.mark.parametrize(
    "command",
    [
        "chown -RL 1 deep", "chown -LR 1 deep", "chown --recurs -L 1 deep", "chgrp -R -L 1 deep",
        "chmod -R -L 755 deep", "chcon -RL -t x deep", "setfacl -RL -b deep", "setfacl --recursive --logical -b deep",
    ],
)  # fmt: skip
async def test_rights_of_what_a_followed_link_leads_to_are_changed(bench: Bench, command: str) -> None:
    link(bench, "deep/out", "/etc")
    assert await bench.action(command, NOTHING_OUTSIDE, preset="contained") == "deny"
    assert await bench.action(command.replace("L", ""), NOTHING_OUTSIDE, preset="contained") == (
        "deny" if "logical" in command else "allow"
    )


@pytest.mark.parametrize("command", ["bsdtar -cLf a.tar deep", "bsdtar cLf a.tar deep", "bsdtar -cf a.tar -L deep"])
async def test_bsdtar_spells_options_in_its_own_way(bench: Bench, command: str) -> None:
    link(bench, "deep/out", "/etc")
    assert await bench.action(command, NOTHING_OUTSIDE, preset="autonomous") == "deny"
    assert await bench.action(command.replace("L", "H"), NOTHING_OUTSIDE, preset="autonomous") == "allow"


@pytest.mark.parametrize("option", ["-L", "-k", "--copy-links", "--copy-dirlinks", "--copy-unsafe-links"])
async def test_rsync_follows_links(bench: Bench, option: str) -> None:
    link(bench, "deep/out", "/etc")
    assert await bench.action(f"rsync -r {option} deep x", NOTHING_OUTSIDE, preset="contained") == "deny"
    assert await bench.action("rsync -r deep x", NOTHING_OUTSIDE, preset="contained") == "allow"


async def test_a_list_of_files_for_rights_is_not_known(bench: Bench) -> None:
    assert await bench.action("setfacl -b -", preset="autonomous") == "ask"
    assert await bench.action("setfacl -b src/app.py", preset="autonomous") == "allow"


@pytest.mark.parametrize("command", ["gzip -rc deep", "gzip -rf deep", "zdiff deep src", "xzdiff -r deep src"])
async def test_links_are_followed_without_an_option_for_it(bench: Bench, command: str) -> None:
    assert await bench.action(command, NOTHING_OUTSIDE, preset="contained") == "allow"
    link(bench, "deep/out", "/etc")
    assert await bench.action(command, NOTHING_OUTSIDE, preset="contained") == "deny"


@pytest.mark.parametrize(
    "command",
    [
        "mksquashfs deep a.img", "fdupes -rs d*", "frob --source=deep", "frob -Cdeep", "isort deep", "mypy deep",
        "cd deep && frob .", "gtar chf a.tar deep",
    ],
)  # fmt: skip
async def test_a_program_without_a_table_may_follow_links(bench: Bench, command: str) -> None:
    bench.write("deep/note.txt")
    bench.write("internal/plan.md")
    rules = (NOTHING_OUTSIDE, Rule("external_directory", "/etc/*", "deny"), *OF_ETC, NO_INTERNAL)
    assert {await bench.action(command, each, preset="contained") for each in rules} == {"allow"}
    link(bench, "deep/a/out", "/etc")
    actions = [await bench.action(command, each, preset="contained") for each in rules]
    assert actions == ["ask", "ask", "ask", "ask", "allow"]
    link(bench, "deep/a/in", "../../internal")
    assert await bench.action(command, NO_INTERNAL, preset="contained") == "ask"
    assert await bench.action(command, preset="contained") == "allow"


async def test_a_link_to_a_folder_above_leads_a_program_without_a_table_to_the_workspace(bench: Bench) -> None:
    bench.write("internal/plan.md")
    link(bench, "deep/up", "../..")
    assert await bench.action("frob deep", NO_INTERNAL, preset="contained") == "ask"
    assert await bench.action("frob src", NO_INTERNAL, preset="contained") == "allow"


@pytest.mark.parametrize("name", ["node_modules/.bin", ".venv/bin"])
async def test_links_of_dependencies_are_not_looked_at(bench: Bench, name: str) -> None:
    link(bench, f"{name}/tool", "/etc")
    assert await bench.action("frob .", NOTHING_OUTSIDE, preset="contained") == "allow"
    link(bench, "src/tool", "/etc")
    assert await bench.action("frob .", NOTHING_OUTSIDE, preset="contained") == "ask"


@pytest.mark.parametrize("command", ["black deep", "rsync -r deep x", "pytest deep", "rm -r deep"])
async def test_other_programs_do_not_follow_links(bench: Bench, command: str) -> None:
    link(bench, "deep/out", "/etc")
    assert await bench.action(command, NOTHING_OUTSIDE, preset="contained") == "allow"


@pytest.mark.parametrize("command", ["python3 -m zipfile -c a.zip deep", "python3 -m http.server -d deep"])
async def test_modules_follow_links(bench: Bench, command: str) -> None:
    bench.write("deep/note.txt")
    assert await bench.action(command, *OF_ETC, preset="contained") == "allow"
    link(bench, "deep/out", "/etc")
    assert await bench.action(command, *OF_ETC, preset="contained") == "ask"


async def test_a_name_behind_a_link_that_find_finds_may_be_outside(bench: Bench) -> None:
    command = r"find deep -type l -exec cat {}/hosts \;"
    bench.write("deep/note.txt")
    assert await bench.action(command, *OF_ETC, preset="contained") == "allow"
    link(bench, "deep/out", "/etc")
    assert await bench.action(command, *OF_ETC, preset="contained") == "deny"
