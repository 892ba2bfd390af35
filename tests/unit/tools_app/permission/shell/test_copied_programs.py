"""A command may run a program under another name: a copy of it, or a script whose first line names it."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.copied_programs import runs_of_scripts
from tools_app.permission.shell.model import Command


@pytest.mark.parametrize(
    ("first_line", "words", "run"),
    [
        ("#!/usr/bin/git", "push origin", "git push origin"),
        ("#! /usr/bin/git", "./push origin", "git push origin"),
        ("#!/usr/bin/git push", "x", "git push x"),
        ("#!/usr/bin/env git", "push", "git push"),
        ("#!/usr/bin/env -S git -C .", "push", "git -C . push"),
        ("#!/usr/bin/env -iS git", "push", "git push"),
        ("#!/usr/bin/env --split-string=git push", "x", "git push x"),
        ("#!/bin/rm -f", "./x README.md", "rm -f x README.md"),
    ],
)
def test_the_kernel_starts_the_program_of_the_first_line(first_line: str, words: str, run: str) -> None:
    command = Command(tuple(words.split()), words)
    assert run in list(runs_of_scripts(f"printf '{first_line}\\n' > x", [command]))


@pytest.mark.parametrize(
    "first_line", ["#!/bin/sh", "#!/usr/bin/env python3", "#!/usr/bin/env -S node --test", "# git", "#!"]
)
def test_scripts_of_interpreters_count_by_their_code(first_line: str) -> None:
    assert not list(runs_of_scripts(first_line, [Command(("./push",), "./push")]))


def test_a_script_is_found_by_its_name_in_an_empty_entry_of_path() -> None:
    found = analyzed("printf '#!/usr/bin/git\\n' > push; chmod +x push; PATH=:/bin env push origin main")
    assert "git push origin main" in found.spellings
