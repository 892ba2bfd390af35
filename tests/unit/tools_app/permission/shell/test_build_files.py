"""Build files, such as Makefiles, that a shell text writes and then uses: the commands that run from them, with all
variables replaced."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.rehearsal import rehearse
from tools_app.permission.shell.rehearsal.build_files import BuildFile, Surroundings, shell_texts
from tools_app.permission.shell.rehearsal.cmake import CmakeFile
from tools_app.permission.shell.rehearsal.documents import quoted_documents
from tools_app.permission.shell.rehearsal.scene import Scene, Stage
from tools_app.permission.shell.rehearsal.template_functions import evaluated

VALUES = {"x": "v", ".x": "v", "X": ".ENV"}


def around(unknown: str = "", *arguments: str, **given: str) -> Surroundings:
    scene = Scene(Stage(unknown=unknown), "/workspace", {"HOME": "/home/agent"})
    return Surroundings(scene, lambda text: text.removeprefix("echo ") + "\n", given, arguments)


def played(text: str) -> list[str]:
    return [each.text for each in rehearse(text, folder="/workspace", home="/home/agent")]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x = a\nc = b $x ${x}", "c = b a a"), ("x := a\nc: $(x)", "c: a"), ("x: a\nc: {{ x }} {{.x}}", "c: a a"),
        ("vars: {x: a, y: 'b'}\nc: {{.x}}{{.y}}", "c: ab"), ('{"x": "a", "c": "$x"}', '{"x": "a", "c": "a"}'),
        ("[s]\nx=a\n[t]\nc={[s]x} {env:x} {x}", "c=a a a"), ("c={posargs:a}", "c=a"), ("c={env:y:a}", "c=a"),
        ("c={toxinidir}{/}a", "c=/workspace/a"), ("x=a\nc=%(x)s %x% @x@", "c=a a a"), ("ENV x a\nRUN $x", "RUN a"),
        ("<x>a</x><c>${x}</c>", "<x>a</x><c>a</c>"),
        ('<p name="x" value="a"/><c>${x}</c>', '<p name="x" value="a"/><c>a</c>'),
        ("env:\n  x: a\nc: ${{ env.x }}", "c: a"), ("c: ${x:-a}", "c: a"), ("x: {sh: echo a}\nc: {{.x}}", "c: a"),
        ("x:\n  sh: echo a\nc: {{.x}}", "c: a"), ("x=$y\ny=a\nc=$x", "c=a"), ("c = a$\n   b", "c = ab"),
        ("s = x = a\nc = {env:x}", "c = a"), ("x=a\nx=b\nc=$x", "c=b"), ("c: $$x", "c: $x"),
        ("c: {{lower x}}\nx: A", "c: a"),
    ],
)  # fmt: skip
def test_names_are_replaced_by_their_values_in_every_notation(text: str, line: str) -> None:
    assert line in BuildFile(text, around()).lines()


def test_values_and_arguments_of_the_command_line_come_first() -> None:
    assert list(BuildFile("x: a\nc: {{.x}} {{.CLI_ARGS}}", around("", "d", x="b")).lines()) == ["c: b d"]


@pytest.mark.parametrize("text", ["c: .$x", "c: .{{.x}}", "x: a\nx: b\nc: .{{.x}}", "c: .{{ f .x }}"])
def test_a_name_of_which_the_value_is_not_known_may_be_anything(text: str) -> None:
    assert "c: .*" in BuildFile(text, around("*")).lines()


def test_braces_that_are_no_reference_stay() -> None:
    assert list(BuildFile("a: {b: c}\nd: e{f}g\n", around("*")).lines()) == []


def test_a_shell_gets_the_line_and_what_is_behind_its_key() -> None:
    assert list(shell_texts("  - run: 'a b',")) == ["run: 'a b'", "a b"]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("x + 'b'", "vb"), ('printf "%s%s" "a" .x', "av"), ("X | lower", ".env"), ('replace "E" "e" X', ".eNV"),
        ('trimPrefix "." X', "ENV"), ('"a" | upper', "A"), ("y | default 'b'", "b"), ("'YQ==' | b64dec", "a"),
        ("f x", "?"), ("x | f", "?"), ("y", "?"), ("a b c[", None), ("", None), ("b64dec '!'", "?"),
    ],
)  # fmt: skip
def test_functions_of_templates(expression: str, value: str | None) -> None:
    unknown = "" if value == "b" else "?"
    assert evaluated(expression, VALUES.get, unknown) == value


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("set(x a)\nf(${x})", "f a"), ("set(x a b)\nf(${x})", "f a b"),
        ('set(x "a;b" CACHE STRING "")\nf("${x}")', "f a;b"),
        ("set(x y)\nset(y a)\nf(${${x}})", "f a"), ("string(CONCAT x a b)\nf(${x})", "f ab"),
        ("string(APPEND x a)\nstring(PREPEND x b)\nf(${x})", "f ba"), ("string(TOLOWER AB x)\nf(${x})", "f ab"),
        ("string(REPLACE x e y .xnv)\nf(${y})", "f .env"), ("string(SUBSTRING abc 1 -1 x)\nf(${x})", "f bc"),
        ("string(REVERSE ab x)\nf(${x})", "f ba"), ("string(REPEAT a 2 x)\nf(${x})", "f aa"),
        ("string(ASCII 97 98 x)\nf(${x})", "f ab"), ('string(JOIN "-" x a b)\nf(${x})', "f a-b"),
        ("list(APPEND x a b)\nlist(JOIN x . y)\nf(${y})", "f a.b"), ("set(x a b)\nlist(GET x 1 y)\nf(${y})", "f b"),
        ("set(x A)\nlist(TRANSFORM x TOLOWER)\nf(${x})", "f a"), ("list(PREPEND x a)\nlist(REVERSE x)\nf(${x})", "f a"),
        ("foreach(i a b)\nf(${i})\nendforeach()", "f b"),
        ("set(x a b)\nforeach(i IN LISTS x)\nf(${i})\nendforeach()", "f b"),
        ("function(g y)\nf(${y} ${ARGN})\nendfunction()\ng(a b)", "f a b"), ("math(EXPR x 1+1)\nf(${x})", "f 2"),
        ("execute_process(COMMAND echo a OUTPUT_VARIABLE x)\nf(${x})", "f a"), ("add(t COMMAND a b COMMAND c)", "a b"),
        ("set(ENV{x} a)\nf($ENV{x})", "f a"), ("f($<1:a>$<0:b>$<LOWER_CASE:C>$<IF:1,d,e>)", "f acd"),
        ("f(a) # f(b)", "f a"), ("f([[${x}]])", "f ${x}"), ("f(${CMAKE_SOURCE_DIR}/a)", "f /workspace/a"),
        ("f(${g})", "f b"), ("set(x a)\nfile(READ b x)\nf(${x})", "f cat b"), ("option(o '' ON)\nf(${o})", "f ON"),
        ("string(CONFIGURE @g@ x)\nf(${x})", "f b"), ("string(STRIP ' a' x)\nf(.${x})", "f ."),
        ("get_filename_component(x .env.example NAME_WLE)\nf(${x})", "f .env"),
        ("get_filename_component(x a/b.c DIRECTORY)\nf(${x})", "f a"),
        ("set(x prod.txt)\ncmake_path(REPLACE_EXTENSION x env)\nf(${x})", "f prod.env"),
        ("set(x .env.a.b)\ncmake_path(REMOVE_EXTENSION x LAST_ONLY OUTPUT_VARIABLE y)\nf(${y})", "f .env.a"),
        ("set(x a/b.c)\ncmake_path(GET x FILENAME y)\nf(${y})", "f b.c"),
        ("set(x a/b.c)\ncmake_path(GET x STEM LAST_ONLY y)\nf(${y})", "f b"),
        ("cmake_path(SET x a)\ncmake_path(APPEND x b)\ncmake_path(APPEND_STRING x c)\nf(${x})", "f a/bc"),
        ("set(x a/b)\ncmake_path(REPLACE_FILENAME x .env)\nf(${x})", "f a/.env"),
        ("set(x a/b)\ncmake_path(REMOVE_FILENAME x)\nf(${x}c)", "f a/c"),
    ],
)  # fmt: skip
def test_commands_of_cmake_with_their_variables(text: str, line: str) -> None:
    assert line in CmakeFile(text, around(g="b")).lines()


def test_a_variable_of_cmake_that_something_else_sets_is_not_known() -> None:
    assert "f .*" in CmakeFile("set(x a)\nstring(RANDOM x)\nf(.${x})", around("*")).lines()


@pytest.mark.parametrize(
    "text",
    [
        "set()", "string(CONCAT)", "list(GET x 9 y)", "foreach(i)", "function(f)\nf()\nendfunction()\nf()", "a((",
        "$<$<$<", "math(EXPR x)", "execute_process(OUTPUT_VARIABLE)", "string(REPEAT a b x)", "cmake_path(SET x)",
        "cmake_path(GET)", "cmake_path(get x)", "get_filename_component(x)", "f(${${${)",
    ],
)  # fmt: skip
def test_files_of_cmake_that_are_wrong_come_to_an_end(text: str) -> None:
    assert len(list(CmakeFile(text, around("*")).lines())) < 300


def test_documents_in_which_nothing_is_replaced_are_kept_as_they_are() -> None:
    text = "cat > a <<'X'\n${{ b }}\nX\ntee -a 'c d' << \"Y\"\n\tY\ncat <<Z > e\n$x\nZ\ncat <<'W' > f\n"
    assert list(quoted_documents(text)) == [("a", "${{ b }}\n"), ("c d", "")]


@pytest.mark.parametrize(
    "text",
    [
        "printf 'x=pu\\nc = git ${x}sh\\n' > a.ninja; ninja -f a.ninja",
        "printf 'c: git {{.x}}\\n' > a.yml; task c x=push",
        "cat > w.yml <<'X'\nx: push\nrun: git ${{ env.x }}\nX\nact",
        "printf 'f(git ${x})' > a.cmake; cmake -Dx=push -P a.cmake",
        "printf 'c = git {posargs}' > tox.ini; tox -- push", "printf 'a: |\\n  x=push\\n  git $x' > a.yml; b",
    ],
)  # fmt: skip
def test_files_that_a_text_writes_are_read_by_what_runs_them(text: str) -> None:
    assert any("git push" in each for each in played(text))


@pytest.mark.parametrize(
    "text", ["printf 'c: git {{.x}}\\n' > a.md; task c x=push", "printf 'c: git {{.x}}\\n' > a.yml; cat a.yml"]
)
def test_texts_that_nothing_runs_are_not_read(text: str) -> None:
    assert not any("git push" in each for each in played(text))


def test_a_complete_text_that_runs_what_it_writes_is_played_through() -> None:
    found = analyzed("printf '[testenv]\\nx=pu\\nc = git {x}sh\\n' > setup.cfg && tox")
    assert any(each.startswith("git push") for each in found.mentions)


def test_files_that_a_worked_out_command_writes_by_itself_count() -> None:
    assert any(".git/config" in each for each in analyzed("x=$(echo remote); git $x add o https://a.example").codes)
