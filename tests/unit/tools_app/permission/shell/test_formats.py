"""What `echo` and `printf` print, with the escapes and directives of the shells."""

import pytest

from tests.unit.tools_app.permission.shell.test_rehearsal import played
from tools_app.permission.shell.rehearsal.formats import echoed, formatted


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        (r"\163|\0163|\x73", "s|s|s"),
        (r"\u73h", "sh"),
        (r"\U73|\x{73}", "s|s"),
        (r"a\\nb\n", "a\\nb\n"),
        (r"\z", r"\z"),
        (r"a\\cb", r"a\cb"),
        (r"\e\a\"", '\x1b\a"'),
        ("\\", "\\"),
        (r"\UFFFFFFFF", ""),
    ],
)
def test_escapes_of_echo(text: str, printed: str) -> None:
    assert echoed(text) == (printed, False)


def test_an_escape_ends_the_output_of_echo() -> None:
    assert echoed(r"a\cb") == ("a", True)
    assert echoed(r"a\\c\cb") == (r"a\c", True)


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (["%.*s", "4", "pushxx"], "push"),
        (["%*s|", "3", "a"], "  a|"),
        (["%-*s|", "3", "a"], "a  |"),
        (["%Q", "a"], "a"),
        (["%(pu)Tsh"], "push"),
        (["%(%%a%n)T"], "%a\n"),
        (["%(%H)T"], "**"),
        (["%()T"], "**"),
        (["%ysh"], "**sh"),
        (["%"], "**"),
        (["%%"], "%"),
        (["%ld", "3"], "3"),
        ([r"\u73h"], "sh"),
        ([r"\x25s", "a"], "%s"),
        (["%b", r"a\cb", "c"], "a"),
        (["%s-", "a", "b"], "a-b-"),
        ([r"\0163"], "\x0e3"),
        (["%b", r"\0163"], "s"),
        (["%*s", "x", "a"], "a"),
        (["%.s", "a"], ""),
    ],
)
def test_directives_of_printf(words: list[str], printed: str) -> None:
    assert formatted(words, "**") == printed


@pytest.mark.parametrize(
    "text",
    [
        r"""sh -c 'git $(echo "pu\0163h")'""",
        r"shopt -s xpg_echo; git $(echo 'pu\0163h')",
        r"""dash -c 'git $(echo "pu\163h\c x")'""",
        r"""bash -O xpg_echo -c 'git $(echo "pu\0163h")'""",
        r"""BASHOPTS=xpg_echo bash -c 'git $(echo "pu\0163h")'""",
        r"""sh <<< 'git $(echo "pu\0163h")'""",
    ],
)
def test_shells_whose_echo_decodes_escapes(text: str) -> None:
    assert "git push" in played(text)


@pytest.mark.parametrize(
    "text", [r"git $(echo 'pu\0163h')", r"shopt -s xpg_echo; shopt -u xpg_echo; git $(echo 'pu\0163h')"]
)
def test_the_echo_of_bash_does_not(text: str) -> None:
    assert "git push" not in played(text)
