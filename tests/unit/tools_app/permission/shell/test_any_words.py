"""If the simulation does not know the program or the subcommand of a command, the analysis tries each word of the shell
text as this program or subcommand."""

import pytest

from tests.unit.tools_app.permission.shell.test_rehearsal import played
from tools_app.permission.shell.rehearsal.any_words import possible_actions
from tools_app.permission.shell.rehearsal.scene import MAX_COMMANDS, Rehearsed


def possible(command: str, text: str, *, any_program: bool = False) -> set[str]:
    found = possible_actions([Rehearsed(command, "/a")], text, "/a", any_program=any_program)
    return {each.text for each in found}


@pytest.mark.parametrize(
    ("command", "text", "wanted"),
    [
        ("git * origin", "x push", "git push origin"),
        ("/usr/bin/git *", "x push", "git push"),
        ("git *", r"x\npush", "git push"),
        ("git *ush origin", "", "git push origin"),
        ("* origin", "git push", "git push"),
        ("./g push *", "cp /usr/bin/git g", "git push"),
        ("/tmp/g push", "cp $(command -v git) /tmp/g", "git push"),
    ],
)
def test_what_is_not_known_is_a_word_of_the_text(command: str, text: str, wanted: str) -> None:
    assert wanted in possible(command, text)


@pytest.mark.parametrize("command", ["git status", "git *h x", "npm test *", "g push"])
def test_known_commands_stay_what_they_are(command: str) -> None:
    assert possible(command, "x push /usr/bin/git") == set()


def test_a_shell_that_reads_its_input_may_run_each_program_with_a_word_that_leaves() -> None:
    assert possible("a", "git status push", any_program=True) == {"git push"}
    assert possible("a", "git status", any_program=True) == set()


def test_the_number_of_tries_is_limited() -> None:
    words = " ".join(f"{one}{other}ab" for one in "abcdefgh" for other in "abcdefghij")
    text = "; ".join(f"p{number}x $x" for number in range(30))
    assert len(played(f"echo {words}; {text}")) <= 3 * MAX_COMMANDS


@pytest.mark.parametrize(
    "text",
    [
        "c=(git x push); unset 'c[1]'; \"${c[@]}\"", "c=(git x push); unset c[1]; ${c[@]}",
        "set -- -p; getopts p o; git ${o}ush", "set -- -o push; getopts o: k; git $OPTARG",
        "getopts o: k -opush; git $OPTARG", "exec 7<<< push; read -ru7 x; git $x",
        "exec 7< <(echo push); mapfile -t -u 7 x; git ${x[0]}", "coproc echo push; read -u ${COPROC[0]} x; git $x",
        'ppush=1; v=(${!pp@}); git "${v[0]#p}"', 'declare -A m=([push]=1); git "${!m[@]}"',
        "mapfile -t -O 1 x <<< push; x[0]=git; ${x[@]}", "mapfile -ts1 x <<< $'a\\npush'; git ${x[0]}",
        "printf -v 'c[1]' push; c[0]=git; ${c[@]}", "r='p(us)h'; [[ apusha =~ $r ]] && git $BASH_REMATCH",
        "[[ a-push =~ -(p.*) ]]; git ${BASH_REMATCH[1]}", "push() { git $FUNCNAME; }; push",
        "git ${a+x} ${b-push}", "set -- a git push; ${@:2}", "git $(compgen -W push)", "git $(printenv X); X=push",
    ],
)  # fmt: skip
def test_values_that_builtins_set(text: str) -> None:
    assert any(each in {"git push", "git  push"} for each in played(text))


@pytest.mark.parametrize(
    "text", ["unset c", "getopts", "getopts a", "[[ a =~ ( ]]", "[[ a =~ a*b*c*d ]]", "mapfile -O x y"]
)
def test_odd_words_of_builtins_are_no_error(text: str) -> None:
    assert isinstance(played(f"{text}; $x"), list)
