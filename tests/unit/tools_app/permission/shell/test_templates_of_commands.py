"""Commands that `parallel` and `make` create from templates. The real programs run exactly the expected commands."""

import pytest

from tools_app.permission.shell.rehearsal.makefiles import Makefile
from tools_app.permission.shell.rehearsal.templates import jobs

FILES = {"list": "a\nb\n"}


@pytest.mark.parametrize(
    ("words", "commands"),
    [
        ("echo ::: a b", ["echo a", "echo b"]), ("echo x{}y ::: a", ["echo xay"]),
        ("echo {1}{2} ::: a b ::: c", ["echo ac", "echo bc"]), ("echo {} ::: a b ::: c", ["echo a c", "echo b c"]),
        ("--link echo {2}{1} ::: a b ::: c d", ["echo ca", "echo db"]), ("echo {.} ::: a/b.c", ["echo a/b"]),
        ("echo {/} ::: a/b.c", ["echo b.c"]), ("echo {//} ::: a/b.c c", ["echo a", "echo ."]),
        ("echo {/.} ::: a/b.c", ["echo b"]), ("echo {2.} ::: a ::: b.c", ["echo b"]), ("echo {#} ::: a", ["echo *"]),
        ("echo :::: list", ["echo a", "echo b"]), ("-a list echo", ["echo a", "echo b"]), ("echo", ["echo in"]),
        ("-j 2 -I % echo %% ::: a", ["echo aa"]), ("--colsep=, echo {2} ::: a,b", ["echo b"]), ("::: id", ["id"]),
        ("-N2 echo {2}{1} ::: a b c d", ["echo ba", "echo dc"]), ("--arg-sep ,, echo ,, a", ["echo a"]),
        ("-C , echo {2}{1} ::: a,b", ["echo ba"]), ("--rpl {x} echo {x} ::: a", ["echo *"]), ("echo :::", []),
    ],
)  # fmt: skip
def test_jobs_of_parallel(words: str, commands: list[str]) -> None:
    found = jobs(["parallel", *words.split()], "in\n", lambda name: FILES.get(name, ""), "*")
    assert list(found) == commands


def run(command: str) -> str:
    return {"echo a b": "a\nb\n", "cat f": "of f"}.get(command, "")


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("x=a\nb:\n\techo $(x) ${x} $x", ["echo a a a"]), ("b:; echo $$x", ["echo $x"]), ("b:\n\t@-echo a", ["echo a"]),
        ("b: c d\n\techo $@ $< $^ $*", ["echo b c c d *"]), ("x := 1\nx := 2\nb:\n\techo $(x)", ["echo 2"]),
        ("x=$(y)\ny=1\nb:;echo $(x)", ["echo 1"]), ("b:\n\techo a \\\n  b", ["echo a    b"]), ("include f", ["cat f"]),
        ("x=$(x)\nb:;echo $(x).", ["echo ."]), ("export x=1\nb:;echo $(x)", ["echo 1"]),
        ("given=0\nb:;$(given)", ["1"]),
        ("b:;$(subst a,b,aa)", ["bb"]), ("b:;$(patsubst %.a,%.b,x.a y)", ["x.b y"]), ("x=a.c\nb:;$(x:.c=.o)", ["a.o"]),
        ("b:;$(addprefix a,b c)", ["ab ac"]), ("b:;$(addsuffix a,b c)", ["ba ca"]), ("b:;$(join a b,c)", ["ac b"]),
        ("b:;$(strip  a   b )", ["a b"]), ("b:;$(sort b a)", ["a b"]), ("b:;$(word 2,a b)", ["b"]),
        ("b:;$(wordlist 2,3,a b c)", ["b c"]), ("b:;$(firstword a b)", ["a"]), ("b:;$(lastword a b)", ["b"]),
        ("b:;$(notdir a/b)", ["b"]), ("b:;$(dir a/b c)", ["a/ ./"]), ("b:;$(basename a.b)", ["a"]),
        ("b:;$(suffix a.b c)", [".b"]), ("b:;$(if x,a,b)$(if ,a,b)", ["ab"]), ("b:;$(or ,a)", ["a"]),
        ("b:;$(and a,b)", ["b"]), ("b:;$(filter a%,b ac)", ["ac"]), ("b:;$(filter-out a,b)", ["b"]),
        ("b:;$(shell echo a b)", ["a b"]),
        ("b:;$(file <f)", ["of f"]), ("b:;$(foreach i,a b,<$(i)>)", ["<a> <b>"]), ("f=<$(1)>\nb:;$(call f,a)", ["<a>"]),
        ("$(eval x=1)\nb:;$(x)", ["1"]), ("x/y: \n\techo $(@D) $(@F)", ["echo x y"]),
        ("x = 'a'\nb:\n  echo {{x}}", ["echo a"]),
        ("x := \"a\"\nb:\n  {{ x + 'b' }}", ["ab"]), ("b:;$(", [""]), ("# a: b\n", []),
        ("b:;$(x)", ["*"]), ("ifdef y\nx=a\nelse\nx=b\nendif\nc:;$(x)", ["*"]), ("x=a\nb:;$(value x)", ["a"]),
        ("SHELL=git\n.SHELLFLAGS=push\nb:\n\torigin", ["git push origin"]), ("SHELL=/bin/bash\nb:;a", ["a"]),
        ("b: x=a\nb:;$(x)", ["a"]), (".RECIPEPREFIX = >\nb:\n>a", ["a"]), ('b x="a":\n  {{x}}', ["a"]),
    ],
)  # fmt: skip
def test_recipes_of_make_and_just(text: str, commands: list[str]) -> None:
    assert list(Makefile(text, {"given": "1"}, run, "*").commands()) == commands


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ('x := "a" + "b"\ng:\n  {{x}}', "ab"), ("x := ('a' + 'b')\ng:\n  {{x}}", "ab"),
        ("x := 'a' / 'b'\ng:\n {{x}}", "a/b"),
        ("y := 'b'\nx := 'a' + y\ng:\n  {{x}}", "ab"), ("x := $(echo a b) + 'c'\ng:\n  {{x}}", "a\nbc"),
        ("y := 'b'\nx := y\ng:\n  {{x}}", "b"), ('g x=("a" + "b"):\n  {{x}}', "ab"), ("g:\n  {{'a' / 'b'}}", "a/b"),
        ("x := if 'a' == 'a' { 'b' } else { 'c' }\ng:\n  {{x}}", "*"), ("x := env('given')\ng:\n  {{x}}", "1"),
    ],
)  # fmt: skip
def test_expressions_of_just(text: str, command: str) -> None:
    assert list(Makefile(text, {"given": "1"}, run, "*", is_of_just=True).commands()) == [command]


def test_make_does_not_calculate_sums_of_texts() -> None:
    assert list(Makefile('x := "a" / "b"\ng:;$(x)', {}, run, "*").commands()) == ['"a" / "b"']


@pytest.mark.parametrize("part", ["(", "'a' + ", "a", "`", "'", "a=(", "a-", '"a"/', " "])
def test_long_expressions_of_just_are_read_quickly(part: str) -> None:
    text = f"x := {part * 20_000}\ng x=({part * 20_000}:\n  {{{{x}}}}"
    assert len(list(Makefile(text, {}, run, "", is_of_just=True).commands())) <= 1


def test_variables_of_make_count_wherever_they_stand() -> None:
    text = "b:;$(x) $(call y,c)\nx!=echo a b\ndefine y\necho $(1)\nendef"
    assert next(Makefile(text, {}, run, "*").commands()) == "a\nb echo c"
