"""Texts between the unusual quotes of a language are literals like all others."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.quote_operators import MAX_CODES, usual_quotes, with_usual_quotes


@pytest.mark.parametrize(
    ("code", "usual"),
    [
        ("open F, q-a/b-", "open F, 'a/b'"),
        ("open F, qq~a/b~", "open F, 'a/b'"),
        ("open F, q xa/bx", "open F, 'a/b'"),
        ("open F, q{a/b}", "open F, 'a/b'"),
        ("open F, q.a\\.b.", "open F, 'a.b'"),
        ("system qw-git push-", "system ('git', 'push')"),
        ("@ARGV=(internal.'/a')", "@ARGV=('internal'.'/a')"),
        ("$_='';s--a/b-", "$_='';'a/b'"),
        ("open F,v97.98", "open F,'ab'"),
        ("IO.read %Q-a/b-", "IO.read 'a/b'"),
        ("system %-git push-", "system 'git push'"),
        ("system(*%w+git push+)", "system(*('git', 'push'))"),
        ("System.cmd(~s-git-, [~s-push-])", "System.cmd('git', ['push'])"),
        ("run ~w|push|", "run ('push')"),
        ("os.execute([=[git ]=]..[=[push]=])", "os.execute('git '..'push')"),
        ("$/git push/$.execute()", "'git push'.execute()"),
        ("File(/a\\/b/)", "File('a/b')"),
        ("slurp \uff62a/b\uff63", "slurp 'a/b'"),
        ("exec {git} {push}", "exec 'git' 'push'"),
        ("open(<a/b>)", "open('a/b')"),
        ("q(it's)", '"it\'s"'),
    ],
)
def test_unusual_quotes_are_replaced(code: str, usual: str) -> None:
    assert usual_quotes(code) == usual


@pytest.mark.parametrize(
    "code",
    [
        "print('%-10s' % x)",
        "q = 1",
        "faq-list",
        "x.q-y",
        "date +%Y-%m-%d",
        "a[b[1]]",
        "${x}",
        "v1.2.3",
        "$a.'b'",
        "1 / 2",
        "q-a",
        "",
    ],
)
def test_other_code_stays_as_it_is(code: str) -> None:
    assert usual_quotes(code) == code
    assert with_usual_quotes([code]) == []


def test_the_number_of_codes_is_limited() -> None:
    assert len(with_usual_quotes(f"q-{number}-" for number in range(200))) == MAX_CODES


def test_the_time_is_linear() -> None:
    for piece in ("q-", "%w", "[[", "[=[", "$/", " {a", "/\\/", "s-a", "<a", "v11."):
        usual_quotes(piece * 3_000)


def test_commands_and_files_are_found_behind_unusual_quotes() -> None:
    assert "git push" in analyzed("perl -e 'system qw-git push-'").mentions
    assert "git push" in analyzed("ruby -e '%x-git push-'").mentions
    assert any("'a/b'" in each for each in analyzed("perl -e 'open F,q-a/b-'").codes)
