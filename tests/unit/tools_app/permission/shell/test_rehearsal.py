import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.rehearsal import rehearse
from tools_app.permission.shell.rehearsal.filters import filtered

WORDS = (
    "echo", "printf", "read", "mapfile", "set", "shift", "eval", "trap", "export", "declare", "alias", "hash",
    "xargs", "bash", "env", "coproc", "exec", "ls", "tr", "cut", "head", "tail", "sed", "awk", "sort", "paste",
    "fold", "base64", "xxd", "date", "expr", "basename", "cp", "ln", "touch", "tee", "cd", "source", "-n", "-e", "-c",
    "-s", "-a", "-d", "-I", "-i", "-n1", "-", "--", "-S", "-w0", "-p", "-A", "%s", "%b", "a", "b", "a=b", "$a",
    "${a[@]}", "${!a}", "${a@P}", "$@", "a=(b c)", "'{print $1}'", "s/a*/b/g", "+x", "1", "-1", "*", "<<<", ">", "<",
    "|", ";", "&&", "$(echo a)", "<(echo a)",
)  # fmt: skip


def played(text: str) -> list[str]:
    return [each.text for each in rehearse(text, folder="/workspace", home="/home/agent")]


@pytest.mark.parametrize(
    "text",
    [
        "$(echo hsup tig | rev)", "echo hsup tig | rev | sh", "eval \"$(rev <<< 'hsup tig')\"",
        "rev > a <<< 'hsup tig'; sh a", "printf 'git p' > a; echo ush >> a; . ./a",
        "cat > a <<X\ngit push\nX\nbash ./a",
        "g$()it push", "git pu$1sh", ": ${x:=push}; git $x", "true ${x=git}; $x push", "git ${x:-push}",
        "a=(git push); ${a[@]}", 'a=(git); a+=(push); "${a[@]}"', "a=(x git push); ${a[@]:1}",
        "a=([5]=git [6]=push); ${a[*]}",
        "declare -A a=([x]=git [y]=push); ${a[x]} ${a[y]}", "declare -A a=(x push); git ${a[x]}",
        "declare -A a; a[x]=push; git ${a[x]}", "declare -n a=b; b=push; git $a", "a=b; b=push; git ${!a}",
        "a='b[1]'; b=(x push); git ${!a}", "a=PUSH; git ${a@L}", r"a='\160ush'; git ${a@E}",
        "a='$b'; b=push; git ${a@P}",
        "a=push; git ${a:0:4}", "a=xpush; git ${a#x}", "IFS=x; a=gitxpush; $a", "IFS=, read a b <<< git,push; $a $b",
        'IFS=/ read -ra a <<< git/push; "${a[@]}"', "mapfile -t a <<< $'git\\npush'; ${a[@]}",
        "read a <<< push; git $a",
        "set -- git push; $1 $2", 'set -- push; git "$@"', "set -- x push; shift; git $1", "f() { git $1; }; f push",
        "f() { echo push; }; git $(f)", "f() { local x=$1; git $x; }; f push", "bash -c 'git $1' _ push",
        "x=push bash -c 'git $x'", "env -i x=push sh -c 'git $x'", "echo push | while read x; do git $x; done",
        "while read x; do git $x; done <<< push", "for x in git; do for y in push; do $x $y; done; done",
        "select x in git; do $x push; done", "trap 'git $x' EXIT; x=push", "ln -s /usr/bin/git q; ./q push",
        "cp /usr/bin/git bin/q; bin/q push", "hash -p /usr/bin/git q; q push", "alias q='git push'; q",
        "touch push; git pus?", "echo us | xargs -I{} git p{}h", "printf 'git\\0push\\0' | xargs -0 env",
        "echo git push | xargs", "echo git push | tee >(sh)", "bash <(echo git push)", "printf -v x push; git $x",
        "printf -v x '%s%s' pu sh; git $x", "if true; then x=push; fi; git $x", "case a in a) git push;; esac",
        "(x=push; git $x)", "{ echo git; echo push; } | xargs", "timeout 5 env A=1 git push", "git \\\npush",
        "x=$((1+1)); a=(x y push); git ${a[$x]}", "BASH_CMDS[g]=/usr/bin/git; g push", "BASH_ALIASES=([g]=git); g push",
        "declare 'BASH_CMDS[g]=/bin/git'; g push", "BASH_ARGV0=push; git $0", "set -- git pull; ${@/%ll/sh}",
        'set -- git xush; "${@/#x/p}"', "m4 -Dx=push <<< 'syscmd(git x)'", "m4 <<< 'define(x,push)esyscmd(git x)'",
    ],
)  # fmt: skip
def test_what_a_text_runs_is_worked_out(text: str) -> None:
    assert any("git push" in each for each in played(text))


@pytest.mark.parametrize(
    "text",
    ["printf '#define S(x) #x\\n#define F(x) S(.x)\\n#include F(env)\\n' | gcc -E -",
     "printf '#define F <.env>\\n#include F\\n' > a.c; cpp a.c", "m4 -Dx=env <<< 'sinclude(.x)'"],
)  # fmt: skip
def test_files_that_macros_name_are_found(text: str) -> None:
    assert "cat .env" in played(text)


def test_the_targets_of_redirections_are_found() -> None:
    assert ": > uv.lock" in played("echo > uv.$(echo lock)")


@pytest.mark.parametrize(
    "text",
    [
        "exec 3> a; printf 'git p' >&3; echo ush >&3; exec 3>&-; sh a", "exec 3>> a; echo git push 1>&3; sh a",
        "exec {n}> a; printf 'git p' >&$n; echo ush >&$n; sh a", "exec > a; printf 'git p'; echo ush; sh a",
        "{ printf 'git p' >&3; echo ush >&3; } 3> a; sh a", "exec 3<> a; echo git push > /dev/fd/3; sh a",
        "exec 3>> a 4>&3; printf 'git p' > /proc/self/fd/4; echo ush >&4; sh a", "printf 'git push' >& a; sh a",
        "exec 3>> a; printf 'git p' | tee /dev/fd/3; echo ush >&3; sh a", "exec 3> >(sh); rev <<< 'hsup tig' >&3",
        "f() { echo git push; } > a; f; sh a", "coproc sh; rev <<< 'hsup tig' >&${COPROC[1]}",
        "coproc cat; rev <<< hsup >&${COPROC[1]}; exec {COPROC[1]}>&-; read x <&${COPROC[0]}; git $x",
        "coproc X { cat; }; rev <<< hsup >&${X[1]}; read -u ${X[0]} x; git $x",
        "coproc rev; echo hsup >&${COPROC[1]}; exec {COPROC[1]}>&-; read -u ${COPROC[0]} x; git $x",
    ],
)  # fmt: skip
def test_descriptors_and_coprocesses_carry_texts(text: str) -> None:
    assert "git push" in played(text)


@pytest.mark.parametrize(
    "text",
    [
        "exec 3> a; exec 3>&1; echo git push >&3; sh a", "echo git push 3> a; sh a", "echo git push 2> a; sh a",
        "exec 3> a; echo git push; sh a", "echo git push >&2 > a; exec 3> a; sh a",
    ],
)  # fmt: skip
def test_other_descriptors_write_nothing_into_the_file(text: str) -> None:
    assert "git push" not in played(text)


def test_commands_have_the_folder_in_which_they_run() -> None:
    found = rehearse("cd ledger; rm $(rev <<< vsc.aet)", folder="/workspace", home="/home/agent")
    assert ("rm tea.csv", "/workspace/ledger") in [(each.text, each.folder) for each in found]


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("for ((i=1;i<=3;i+=2)); do a $i; done; b $i", ["a 1", "a 3", "b 5"]),
        ("i=0; while ((i<2)); do ((i++)); done; b $i", ["b 2"]),
        ("i=0; until [ $i -ge 20 ]; do i=$((i+1)); done; b $i", ["b 20"]),
        ("for ((;;)); do a; done; b", ["a", "b"]), ("while true; do a; done; b", ["a", "b"]),
        ("declare -i i=2+3; i+=1; a $i", ["a 6"]), ("declare -l x=AB; a $x", ["a ab"]),
        ("declare -u x=a; a $x", ["a A"]),
        ("declare -c x=aB; a $x", ["a Ab"]), ("x=abc; a ${x:1+1}", ["a c"]), ("x=abc; n=1; a ${x:n:1}", ["a b"]),
        ("set -- a b c; n=2; a ${@:n}", ["a b c"]), ("x=aB; a ${x~~} ${x~}", ["a Ab AB"]),
        ("x=abc; a ${x^^[b]}", ["a aBc"]), ("LC_ALL=C; x=éa; a ${x:2}", ["a a"]), ("x=éa; a ${x:1}", ["a a"]),
        ("HOME=/h; a ~/x y~/x ~", ["a /h/x y~/x /h"]), ("cd x; a ~+ ~-", ["a /workspace/x /workspace"]),
        ("HOME=/h; cd; a $PWD", ["a /h"]), ("cd x; cd -; a $PWD", ["a /workspace"]),
        ("CDPATH=/h:/i; cd x; a $PWD", ["a /h/x"]), ("let i=2*3; a $i", ["a 6"]), ("a $(seq 3 -1 2)", ["a 3 2"]),
        ("a $(expr 2 + 3)", ["a 5"]), ("a $(echo 2*3 | bc)", ["a 6"]), ("a $'\\x{2e}b' $'\\456'", ["a .b ."]),
        ("echo x y > o; a @o b", ["a x y b"]), ("a x$(unknown)y", ["a xy", "a x*y"]), ("a .$(unknown)", ["a .?*"]),
        ("a $(unknown) x=$(unknown)b", ["a x=b", "a x=*b"]), ("make -f - <<< 'x:;a'", ["a"]),
        ("a[n++]=1; a $n", ["a 1"]), ("a x$?", ["a x", "a x*"]), ("a x$RANDOM", ["a x*"]),
        ("RANDOM=1; a x$RANDOM", ["a x1"]),
        ("a $(printf %d 0x1) $(printf %x 31)", ["a 1 1f"]), ("a $(printf %.0f 1.2)", ["a 1"]),
        ("a $(printf %d z1)", ["a 0"]),
        ("a $(printf %d \"'A\")", ["a 65"]), ("a x$(grep -c b f)", ["a x", "a x*"]), ("a $(seq -f x%g 2)", ["a x1 x2"]),
        ("declare -al x=(AB); a ${x[0]}", ["a ab"]), ("a `b`c", ["a c"]), ("a x`echo y`z", ["a xyz"]),
        ("a $(pwd)", ["a /workspace"]),
        ("a $(dd bs=2 count=1 skip=1 <<< abcdef)", ["a cd"]), ("a $(python3 -c 'print(\"b\" + \"c\")')", ["a bc"]),
        ("a .[n]v", ["a .?v"]), ("parset x a ::: b", ["a b"]), ("parallel a ::: b", ["a b"]),
        ("a $(date +v%Y)", ["a v%Y", "a v*"]), ("a x$OPTIND", ["a x1"]), ("a $((OPTIND + 1))", ["a 2"]),
        ("OPTIND=3; a x$OPTIND", ["a x3"]), ("getopts b c -b; a $OPTIND", ["a 2"]), ("a x$OSTYPE", ["a x", "a x*"]),
        ("OPTIND=0; getopts b c -b; a x$c", ["a xb"]), ("OPTIND=z; getopts b c; a x$OPTIND", ["a x2"]),
        ("ls -d b*/ | xargs -I{} a {}c", ["a b*/c"]), ("ls b*.c | xargs a", ["a b*.c"]),
        ("for i in $(ls -d b/); do a ${i}c; done", ["a b/c"]),
    ],
)  # fmt: skip
def test_loops_calculations_and_what_is_not_known(text: str, command: list[str]) -> None:
    assert [each for each in command if each not in played(text)] == []


def test_scripts_of_a_package_that_the_text_writes_are_found() -> None:
    package = """{"config": {"c": "d"}, "scripts": {"test": "x=b; a $x $npm_package_config_c"}}"""
    assert "a b d" in played(f"cat > package.json <<'X'\n{package}\nX\nnpm test")
    assert played("echo '[1]' > package.json; npm test")[-1] == "npm test"


def test_a_part_of_a_text_that_begins_nobody_knows_where_may_be_anything() -> None:
    assert "a .?*" in played("x=bc; n=$(unknown); a .${x:n}")


def test_a_word_of_which_nothing_is_known_is_left_out() -> None:
    assert not any("*" in each for each in played("a $(unknown) -j$(unknown) --x=$(unknown)"))


@pytest.mark.parametrize(
    ("command", "given", "printed"),
    [
        ("rev", "abc", "cba"), ("tac", "a\nb\n", "b\na\n"), ("tr a-c x-z", "abcd", "xyzd"), ("tr -d a", "aba", "b"),
        ("tr [:lower:] [:upper:]", "ab", "AB"), ("tr -cd a-z", "a1b", "ab"), ("cut -c2-3", "abcd", "bc"),
        ("cut -d, -f2", "a,b,c", "b"), ("cut -f 1,3 -d ,", "a,b,c", "a,c"), ("head -c2", "abc", "ab"),
        ("head -n 1", "a\nb\n", "a\n"), ("tail -c 2", "abc", "bc"), ("tail -n +2", "a\nb\n", "b\n"),
        ("sed s/x/e/", "axb", "aeb\n"), ("sed -E s/(a)(b)/\\2\\1/", "ab", "ba\n"), ("sed y/ab/cd/", "ab", "cd\n"),
        ("sed s/b*/&&/", "bb", "bbbb\n"), ("sed s/[[:digit:]]//g", "a1b2", "ab\n"), ("base64 -d", "YWI=", "ab"),
        ("xxd -r -p", "6162", "ab"), ("base32 -d", "MFRA====", "ab"), ("paste -s -d+", "a\nb\n", "a+b\n"),
        ("fold -w2", "abcd", "ab\ncd"), ("cat -n", "a", "a"),
    ],
)  # fmt: skip
def test_programs_that_only_change_a_text(command: str, given: str, printed: str) -> None:
    assert filtered(command.split(" "), given) == printed


@pytest.mark.parametrize("script", ["s/(a*)*b/x/", "s/[a/x/", "s/\\(a/x/", "s/a**/x/", "s/\\9/x/", "s/a/\\7/"])
def test_a_regular_expression_that_is_wrong_or_slow_changes_nothing(script: str) -> None:
    text = "a" * 200
    assert filtered(["sed", "-E", script], text) == f"{text}\n"


def test_other_programs_print_nothing_that_is_known() -> None:
    assert filtered(["whoami"], "x") is None


@pytest.mark.parametrize(
    "text",
    [
        "f() { f; f; }; f", "echo $y -n -e -n x", "printf %s", "printf '' a b", "xargs -n", "read -n",
        "set - - -", "while :; do x+=$x$x; done", "a() { b; }; b() { a; }; a",
        "x='$x$x'; x=${x@P}; echo ${x@P}",
        "eval 'eval \"$0\"'", "alias a=b b=a; a; b", "ln -s a b; ln -s b a; a", "echo a > f; . f > f; . f",
        "for a in " + "x " * 500 + "; do for b in " + "y " * 500 + "; do echo $a$b; done; done",
        "x=" + "a" * 3000 + "; " + 'x="$x$x"; ' * 50 + "eval $x", "$(" * 30 + "echo" + ")" * 30,
        "bash -c 'bash -c \"$0\" \"$0\"' x",
    ],
)  # fmt: skip
def test_texts_without_end_come_to_an_end(text: str) -> None:
    assert len(played(text)) <= 300


def test_a_text_that_is_understood_is_not_played_through() -> None:
    assert analyzed("x=push; git $x").mentions == ()
    assert "git push" in analyzed("git $(rev <<< hsup)").mentions


@settings(max_examples=400, deadline=1_000)
@given(st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join))
def test_any_words_come_to_an_end(text: str) -> None:
    assert played(text) == played(text)
