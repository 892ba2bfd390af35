"""Files that a program reads or writes in the folder in which it starts, although no word names them."""

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
