"""Code of TeX names files without quotes, also directly behind a number."""

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed, touched
from tools_app.permission.shell.tex_code import files_of_lua, files_of_tex


@pytest.mark.parametrize(
    "code",
    [
        r"\immediate\openout9a/b.csv \bye", r"\openout9=a/b.csv", r"\openin1a/b.csv\bye", r"\input a/b.csv ",
        r"\input{a/b.csv}", r"\openin\f=a/b.csv ", r"\@@input a/b.csv ", r'\input"a/b.csv"', r"\include{a/b.csv}",
    ],
)  # fmt: skip
def test_a_file_stands_behind_a_command(code: str) -> None:
    assert "a/b.csv" in list(files_of_tex(code))


@pytest.mark.parametrize("code", [r"\includegraphics{a.png}", r"\bye", r"\read16 to\x", r"\def\x{a/b}"])
def test_other_commands_name_no_files_here(code: str) -> None:
    assert not list(files_of_tex(code))


def test_code_of_lua_names_files_in_quotes() -> None:
    assert list(files_of_lua(r"\directlua{os.remove('a/b')}")) == ["a/b"]
    assert not list(files_of_lua(r"\x{'a/b'}"))


@pytest.mark.parametrize(
    "command", [r"pdftex '\openout9a/b.csv \bye'", r"""lualatex '\directlua{io.open("a/b.csv")}'"""]
)
def test_a_program_of_tex_uses_the_files_in_its_words(command: str) -> None:
    assert "/workspace/a/b.csv" in touched(command, "write") | touched(command, "any")


@pytest.mark.parametrize("command", ["pdflatex main.tex", r"pdflatex -jobname x '\input{main.tex}'"])
def test_usual_commands_stay_complete(command: str) -> None:
    assert analyzed(command).complete == analyzed("pdflatex main.tex").complete
