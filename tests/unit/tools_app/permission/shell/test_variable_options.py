"""Options that programs take from variables."""

import pytest

from tools_app.permission.shell.rehearsal import rehearse
from tools_app.permission.shell.rehearsal.variable_options import options_of


@pytest.mark.parametrize(
    ("program", "name", "value"),
    [
        ("tar", "TAR_OPTIONS", "--remove-files"),
        ("make", "GNUMAKEFLAGS", "-k"),
        ("perl", "PERL5OPT", "-pi"),
        ("java", "JAVA_TOOL_OPTIONS", "-Xmx1g"),
        ("gzip", "GZIP", "-r"),
        ("mvn", "MAVEN_ARGS", "deploy"),
    ],
)
def test_options_of_a_variable(program: str, name: str, value: str) -> None:
    assert list(options_of(program, {name: value})) == [value]
    assert not list(options_of("cat", {name: value}))


@pytest.mark.parametrize(
    ("program", "name", "value"), [("tar", "TARGET", "-x"), ("tar", "TAR_OPTIONS", "a"), ("", "OPTS", "-x")]
)
def test_other_variables_have_no_options(program: str, name: str, value: str) -> None:
    assert not list(options_of(program, {name: value}))


@pytest.mark.parametrize("before", ["", "env ", "export ", "declare -x "])
def test_a_command_is_also_judged_with_these_options(before: str) -> None:
    end = "; " if before in {"export ", "declare -x "} else " "
    found = rehearse(f"{before}TAR_OPTIONS=--remove-files{end}tar cf a.tar b", folder="/workspace", home="/home/agent")
    assert "tar --remove-files cf a.tar b" in [each.text for each in found]
