"""Options of programs that no table describes, and whose values may be commands."""

import time

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.given_commands import gives_command
from tools_app.permission.shell.words import Field


@pytest.mark.parametrize(
    "command",
    [
        r"hg --config 'hooks.pre-log=r\m a' log",
        r"hg log --config='hooks.pre-log=r\m a'",
        r"bzr '-Oeditor=r\m a' commit",
        r"frob -x 'ui.editor=r\m a'",
        r"frob --pager 'r\m a' b",
        r"frob --post-hook='r\m a' b",
        r"frob -c 'x a' b",
        r"pytest --some-cmd='x a'",
        r"jest --testCommand 'x a'",
        r"rpm --define 'x %(a)' -E b",
    ],
)
def test_an_option_that_may_set_what_runs_is_incomplete(command: str) -> None:
    assert "may set what runs" in " ".join(analyzed(command).reasons)


@pytest.mark.parametrize(
    "command",
    ["hg --config ui.color=never log", "frob --pager=never a", "frob --shell bash", "frob -m 'a.b=c d'",
     "frob --config a.yml b", "pytest -k 'a and b'", "pytest --browser firefox",
     "go test -run 'A/b c' ./...", "frob -o 'a=b c'", "frob --title 'it is so'", "hg commit -m \"it's so\""],
)  # fmt: skip
def test_plain_values_of_options_are_complete(command: str) -> None:
    assert analyzed(command).complete


@pytest.mark.parametrize(
    "word", ["-" + "a_" * 9_000, "--" + "a-" * 9_000, "-c" + "a." * 9_000, "-c" + "a:" * 9_000 + "=b"]
)
def test_long_options_take_little_time(word: str) -> None:
    began = time.process_time()
    assert not gives_command([Field(word), Field("a." * 9_000)])
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    "command",
    [
        "printf '.PS\\nsh X rm a X\\n.PE\\n' | pic -U",
        "groff -Up a.ms",
        "mailx -~ -s x a@b < a.txt",
        "pdflatex --shell-escape=1 a.tex",
        "xelatex -enable-write18 a.tex",
        "tectonic -Z shell-escape a.tex",
        "pandoc --pdf-engine-opt=-shell-escape a.md",
        "gs -dNOSAFER a.ps",
        "bpftrace --unsafe a.bt",
    ],
)
def test_an_option_that_lets_a_program_run_its_input_is_incomplete(command: str) -> None:
    assert not analyzed(command).complete


@pytest.mark.parametrize(
    "command",
    ["pic a.pic", "groff -ms -Tutf8 a.ms", "pdflatex a.tex", "pdflatex -no-shell-escape a.tex", "black --unsafe src"],
)
def test_a_program_without_such_an_option_is_complete(command: str) -> None:
    assert analyzed(command).complete


@pytest.mark.parametrize(
    "command",
    ["echo 'rm a' | fakeroot", "fakeroot < a.txt", "fakeroot --", "nice fakeroot < a", "fakechroot", "torsocks < a",
     "guix shell < a", "pixi shell", "devbox shell < a", "dtach -A a", "scl enable x", "numactl -l sh < a",
     "ip netns exec a sh < a", "fakechroot fakeroot < a", "rustup run stable sh < a", "opam exec -- bash < a",
     "php -- a b < c"],
)  # fmt: skip
def test_a_program_that_starts_a_shell_is_incomplete(command: str) -> None:
    assert not analyzed(command).complete


@pytest.mark.parametrize(
    "command",
    ["fakeroot --version", "fakeroot make build", "torsocks ls", "brew install fish", "apt list zsh", "frob --shell sh",
     "starship init bash", "php a.php b", "guix search a", "flox activate -- ls"],
)  # fmt: skip
def test_a_shell_that_does_not_run_is_complete(command: str) -> None:
    assert analyzed(command).complete


@pytest.mark.parametrize("words", ["-x -", "--external-sources -s bash -", "-xs bash /dev/stdin"])
def test_a_linter_may_read_the_files_that_its_input_names(words: str) -> None:
    assert not analyzed(f"shellcheck {words} <<< '. a/b'").complete


@pytest.mark.parametrize("words", ["-x a.sh", "-s bash -", "-e SC1091 -"])
def test_a_linter_reads_no_other_files_without_the_option_or_the_input(words: str) -> None:
    assert analyzed(f"shellcheck {words} <<< '. a/b'").complete
