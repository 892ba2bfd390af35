"""Programs and actions in code that are no literals."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.bare_commands import bare_commands


@pytest.mark.parametrize(
    "code",
    [
        "process_create(path(git),[push],[])", "exec([git,push],[],P)", "(process-lines (symbol-name 'git) 'push)",
        "run-process '(git push)", "string(s) for s in (:git, :push)", "system :git.to_s, :push.to_s",
        '%git("push")', "/git push/.execute()", "git (echo push)", "git ...[push]", "[push] | each {|x| ^git $x}",
        'git @("push")', "(external git) push", "set a push; git $a", "for a in push { git $a }", "git [push][0]",
        '$x=@("push"); git @x',
    ],
)  # fmt: skip
def test_a_command_of_bare_words_is_found(code: str) -> None:
    assert "git push" in list(bare_commands(code))


@pytest.mark.parametrize(
    "code",
    [
        "git.push(x)", "x = git; push(x)", "return (git)", "[git.x, y]", "f(x)/git push/2",
        "a(git)" + " " * 100 + "push",
    ],
)  # fmt: skip
def test_other_words_are_no_command(code: str) -> None:
    assert "git push" not in list(bare_commands(code))


@pytest.mark.parametrize(
    "command",
    [
        "swipl -g 'process_create(path(git),[push],[])' -t halt", "perl -e'qx~git push~'", "raku -e 'run «git push»'",
        "raku -e 'run q:w/git push/'", "raku -e 'shell Q/git push/'", "perl -e 'eval q~system q/git push/~'",
        "sbcl --eval '(run-program \"/usr/bin/git\" (list \"push\"))'",
    ],
)  # fmt: skip
def test_such_a_command_is_mentioned(command: str) -> None:
    found = analyzed(command)
    assert not found.complete
    assert any(each.split()[:2] == ["git", "push"] for each in found.mentions)
