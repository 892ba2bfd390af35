"""Files that a program reads or writes in the folder in which it starts, although no word names them."""

from posixpath import normpath

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed, touched


@pytest.mark.parametrize(
    "command",
    [
        "cd ledger && frob",
        "cd ledger && ../configure",
        "(cd ledger; frob -x)",
        "env -C ledger frob",
        "cd src && cd ../ledger && npx frob",
        "sh -c 'cd ledger && frob'",
    ],
)
def test_the_folder_in_which_an_unknown_program_starts_counts_as_a_word(command: str) -> None:
    assert "/workspace/ledger" in analyzed(command).words


def test_presets_protect_the_folder_in_which_an_unknown_program_starts() -> None:
    assert any(each.startswith("/workspace/.git/hooks/") for each in analyzed("cd .git/hooks && frob").possible)
    assert any(each.startswith("/home/agent/") for each in touched("cd ~ && frob", "write"))


@pytest.mark.parametrize("command", ["frob", "cd . && frob", "cd src/.. && frob", "cd /tmp && frob"])
def test_the_root_of_the_workspace_and_other_folders_do_not_count(command: str) -> None:
    found = analyzed(command)
    assert not {"/workspace", "/workspace/src", "/tmp"} & {*found.words}


@pytest.mark.parametrize("command", ["cd ledger && ls", "cd ledger && npm test", "cd ledger && git status"])
def test_programs_of_tables_are_judged_by_these(command: str) -> None:
    assert "/workspace/ledger" not in analyzed(command).words


@pytest.mark.parametrize(
    "command",
    [
        "coverage run ../src/app.py",
        "python3 -m coverage xml",
        "python3 -m pip download x",
        "go build ../src",
        "cargo package",
        "npm ci",
        "npx playwright test",
        "rubocop --auto-gen-config",
        "gradle wrapper",
        "mvn -B archetype:generate",
        "dotnet new console",
        "zig init",
        "as ../a.s",
        "apt-get download x",
    ],
)
def test_tools_of_the_project_write_results_where_they_start(command: str) -> None:
    assert "/workspace/ledger" in _folders_written(f"cd ledger && {command}")
    assert "/workspace" not in _folders_written(f"cd src && cd .. && {command.replace('../', '')}")


@pytest.mark.parametrize("command", ["coverage report", "go vet", "npm test", "pip list", "dotnet test", "zig version"])
def test_actions_that_write_nothing_there_do_not_count(command: str) -> None:
    assert "/workspace/ledger" not in _folders_written(f"cd ledger && {command}")


def test_nohup_and_script_write_files_of_fixed_names() -> None:
    assert "/workspace/ledger/nohup.out" in touched("cd ledger && nohup tail -f x", "write")
    assert "/workspace/ledger/typescript" in touched("cd ledger && script", "write")
    assert "/workspace/ledger/typescript" not in touched("cd ledger && tail -f x", "write")


def _folders_written(command: str) -> set[str]:
    """Return the folders in which a command may make any file."""
    uses = analyzed(command).paths
    return {normpath(use.path) for use in uses if use.mode == "write" and use.known == "made" and use.only == ("…",)}


@pytest.mark.parametrize(
    "command",
    [
        "vsce package",
        "npx @vscode/vsce package",
        "web-ext build",
        "vercel --prod",
        "flyctl deploy",
        "gcloud builds submit",
        "serverless package",
        "pack build x",
        "docker-compose build",
        "npm publish --dry-run",
        "cargo publish",
        "sirv --dev",
        "loc",
        "reuse lint",
        "fastmod a b",
    ],
)
def test_tools_take_the_working_directory_without_a_word(command: str) -> None:
    assert any(use.recursive and normpath(use.path) == "/workspace" for use in analyzed(command).paths)


@pytest.mark.parametrize("command", ["fastmod a b", "ruplacer --go a b", "treefmt", "eclint fix", "hawkeye format"])
def test_tools_change_any_file_without_a_word(command: str) -> None:
    uses = analyzed(command).paths
    assert any(use.recursive and use.mode == "write" and normpath(use.path) == "/workspace" for use in uses)


@pytest.mark.parametrize(
    "command",
    ["vercel env ls", "docker-compose up -d", "flyctl status", "eclint check", "vsce --version", "gcloud auth"],
)
def test_other_actions_of_these_tools_change_nothing_below(command: str) -> None:
    uses = analyzed(command).paths
    assert not any(use.recursive and use.mode == "write" for use in uses)
