"""Commands in texts that bash expands or calculates later are judged like other commands."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed


@pytest.mark.parametrize(
    "command",
    [
        "PS4='$(ssh host id)'; set -x; :",
        "PS4='`ssh host id`' bash -xc :",
        "PS4+='$(ssh host id)'; set -x; :",
        "export PS1='$(ssh host id)'",
        "env PS0='$(ssh host id)' bash -i",
        "read PS4 <<< '$(ssh host id)'",
        "printf -v PS4 %s '$(ssh host id)'",
        "PROMPT_COMMAND='true; ssh host id'",
        "PROMPT_COMMAND=(true 'ssh host id')",
        "x='$(ssh host id)'; echo ${x@P}",
        'x="\\$(ssh host id)"; echo "${x@P}"',
        "unset 'a[$(ssh host id)]'",
        "printf -v 'a[$(ssh host id)]' x",
        "printf -v'a[$(ssh host id)]' x",
        "read 'a[`ssh host id`]'",
        "[[ -v 'a[$(ssh host id)]' ]]",
        "test -v 'a[$(ssh host id)]'",
        "declare -i x='a[$(ssh host id)]'",
        "let 'x=a[$(ssh host id)]'",
        "x='a[$(ssh host id)]'; echo $((x))",
        "x='a[$(ssh host id)]' bash -c 'echo $((x))'",
        "for x in 'a[$(ssh host id)]'; do ((x)); done",
        "bash -c '(($1))' _ 'a[$(ssh host id)]'",
        "read x <<< 'a[$(ssh host id)]'; ((x))",
        "x='a[$(ssh host id)]'; echo ${b[x]}",
    ],
)
def test_a_command_in_a_text_that_is_evaluated_is_judged(command: str) -> None:
    assert "ssh host id" in analyzed(command).patterns


@pytest.mark.parametrize("command", ["echo '$(ssh host id)'", "x='$(ssh host id)'", "printf '[$(ssh host id)]'"])
def test_other_texts_are_not_evaluated(command: str) -> None:
    assert "ssh host id" not in analyzed(command).patterns
