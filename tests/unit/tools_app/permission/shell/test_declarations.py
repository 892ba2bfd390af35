import pytest

from tests.unit.tools_app.permission.shell.support import analyzed, touched


@pytest.mark.parametrize(
    "command",
    ["export LANG=C; ls", "declare -x TZ=UTC; ls", "export LANG=$x; ls", "export -p", "declare -p HOME",
     "unset -v x; ls", "printf '%s %%n\\n' a", 'printf "$x\\n"', "printf -v x a; ls", "read -r x < f; ls"],
)  # fmt: skip
def test_declarations_with_plain_values_and_names_are_complete(command: str) -> None:
    assert analyzed(command).reasons == ()


@pytest.mark.parametrize(
    "command",
    ["'export' LANG=$x; ls", "builtin export LANG=$x; ls", "export LANG={a,b}; ls", "export $x; ls",
     "export LANG $x; ls", "export -f ls", "export -n LANG",
     "declare -n LANG=PATH", "declare -i LANG=1", "declare -p LANG=C", "local LANG=C",
     "readonly LANG=C", "unset -f ls", "printf '%n' x", "printf $x a", 'printf "$x" a', "printf -q x", "read $x"],
)  # fmt: skip
def test_what_may_set_other_variables_is_incomplete(command: str) -> None:
    assert not analyzed(command).complete


def test_a_value_is_known_if_it_was_surely_set() -> None:
    assert touched("export TEST_A=b; cat $TEST_A", "read") == {"/workspace/b"}
    assert touched('for f in .e*; do x="$f"; cat "$x"; done', "read") == {"/workspace", "/workspace/.e*"}
    assert not analyzed("export TEST_A=b; read TEST_A; cat $TEST_A").complete
