"""A command's arguments are inserted into the scripts and tasks that it runs. Commands in settings files are found
even if a file declares the program and its arguments separately."""

import time

import pytest

from tests.unit.tools_app.permission.shell.support import analyzed
from tools_app.permission.shell.declared_commands import declared_commands
from tools_app.permission.shell.given_arguments import MAX_FILLED, with_arguments
from tools_app.permission.shell.model import Command
from tools_app.permission.shell.rehearsal.filters import filtered


def _commands(*texts: str) -> list[Command]:
    return [Command(tuple(each.split()), each) for each in texts]


@pytest.mark.parametrize(
    ("code", "command", "filled"),
    [
        ('git "$@"', "./a.sh push", "git push"),
        ("git $1", "sh a.sh push", "git push"),
        ('run(["git", *sys.argv[1:]])', "python3 a.py push", 'run(["git", "push"])'),
        ('system("git", @ARGV)', "perl a.pl push", 'system("git", "push")'),
        ("git {{a}}", "just x push", "git push"),
        ('{"scripts":{"a":"git"}}', "npm run a -- push", "git push"),
        ('[tasks.a]\nrun = "git"', "mise run a push", "git push"),
        ("[alias]\nx = push", "git x origin", "git push origin"),
        ('sh "git #{r[:x]}"', "rake a[push]", 'sh "git push"'),
    ],
)
def test_code_gets_the_words_of_a_command(code: str, command: str, filled: str) -> None:
    assert filled in with_arguments([code], _commands(command))


@pytest.mark.parametrize(
    "command",
    [
        "perl -se 'exec $a, $b' -- -a=git -b=push",
        "perl -sle 'print `$a $b`' -- -a=git -b=push",
        "perl -se 'exec \"git $x\"' -- -x=push",
        "perl -e 'exec(reverse @ARGV)' push git",
        "ruby -s -e 'system $a, $b' -- -a=git -b=push",
        "gawk -va=git -vb=push 'BEGIN{print|a\" \"b}'",
        "awk 'BEGIN{system(a\" \"b)}' a=git b=push",
        'python3 -c \'os.execvp("git", ["git", p.parse_args().x])\' --x push',
        'python3 -c \'os.execvp("git", ["git", p.parse_args().x])\' --x=push',
        'php -r \'system("git ".getopt("x:")["x"]);\' -- -xpush',
        "raku -e 'sub MAIN(:$a,:$b){run $a,$b}' --a=git --b=push",
        "julia -e 'run(`git $(ARGS[1])`)' push",
        "vim -es -c 'exe \"!git \".argv(0)' push",
    ],
)
def test_options_behind_code_are_values_of_its_names(command: str) -> None:
    assert any(each.startswith("git push") for each in analyzed(command).mentions)


@pytest.mark.parametrize(
    "command",
    ["perl -se 'print $a' -- -a=x git", "docker run --name git x push", "python3 -c 'print(1)' --x=push",
     "awk -v a=push '{print a}' git"],
)  # fmt: skip
def test_code_that_runs_nothing_gets_no_values(command: str) -> None:
    assert "git push" not in analyzed(command).mentions


def test_options_behind_code_take_little_time() -> None:
    began = time.process_time()
    words = ("perl", "-se", "exec $a " * 300, *(f"-a{number}=" + "b" * 90 for number in range(2_000)))
    with_arguments([words[2]], [Command(words, "")] * 20)
    assert time.process_time() - began < 1


@pytest.mark.parametrize("code", ["git status", "", "a = b"])
def test_code_without_arguments_stays_as_it_is(code: str) -> None:
    assert with_arguments([code], _commands("sh a.sh push")) == []


def test_the_number_of_texts_is_limited() -> None:
    commands = _commands(*(f"sh a{number} b{number} c{number}" for number in range(99)))
    assert len(with_arguments(["git $1", "hg $1"], commands)) == MAX_FILLED


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("entry: git\nargs: [push]", "git push"),
        ("entry: git\nargs:\n  - push\n  - origin\n", "git push origin"),
        ("args: [push]\nentry: git", "git push"),
        ('{"command":"git","args":["push"]}', "git push"),
        ("command:\n - git\n - push\n", "git push"),
        ("entrypoint: [git]\ncommand: [push]", "git push"),
        ('command = "git"\nargs = ["push"]', "git push"),
    ],
)
def test_a_command_is_declared_in_parts(text: str, command: str) -> None:
    assert command in list(declared_commands(text))


@pytest.mark.parametrize("text", ["arguments of a command", "args: [push]", ""])
def test_a_text_without_a_program_declares_no_command(text: str) -> None:
    assert list(declared_commands(text)) == []


@pytest.mark.parametrize(
    ("words", "text", "output"),
    [
        ("cpp -P -DX=push", "git X", "git push"),
        ("cpp -P -D X=push", "git X", "git push"),
        ("cpp -P", "#define X push\ngit X", "git push"),
        ("gcc -E -", "#define X push\ngit X", "git push"),
        ("gcc -c -", "git X", ""),
        ("cpp -P", "#define C(a,b) a##b\ngit C(pu,sh)", "git push"),
        ("cpp -P", "#define D(a,b) a ## b\n#define C(a, b) D(a,b)\ngit C(pu, sh)", "git push"),
        ("cpp -P", "#define C(a,...) a##__VA_ARGS__\ngit C(pu,sh)", "git push"),
        ("cpp -P", "#define C(a) #a\ngit C(push)", 'git "push"'),
        ("cpp -P", "#define X pu##sh\ngit X", "git push"),
        ("cpp -P -DC(a,b)=a##b", "git C(pu,sh)", "git push"),
        ("cpp -P", "#define C(a) b\ngit C push", "git C push"),
        ("m4", "define(C,$2$1)git C(sh,pu)", "git push"),
        ("m4 -DX=push", "git X", "git push"),
        ("m4", "define(`X',push)git X", "git push"),
        ("jq -r .a", '{"a":"push"}', "push"),
        ("jq -r .a[1]", '{"a":["x","push"]}', "push"),
        ('jq -r .a+"-"+.b', '{"a":"git","b":"push"}', "git-push"),
        ('jq -r .|join("-")', '["git","push"]', "git-push"),
        ('jq -rn --arg x push "git-\\($x)"', "", "git-push"),
        ("jq .", "no json", ""),
        ("jq .", "[" * 4000, ""),
        ('awk {printf("%s-%s","git","push")}', "x", "git-push\n"),
    ],
)
def test_programs_replace_names(words: str, text: str, output: str) -> None:
    assert filtered(words.split(), text) == output


@pytest.mark.parametrize("part", ["C(", "C ", "#define C(a) a a\n", "#define C(", "##", "\n", " ", "define(C,$1", ","])
@pytest.mark.parametrize("program", ["cpp", "m4"])
def test_long_definitions_come_to_an_end(program: str, part: str) -> None:
    for before in ("#define C(a) a a\n", "#define C(", "define(C,$1$1)", ""):
        assert len(filtered([program], before + part * 20_000) or "") <= 20_000


@pytest.mark.parametrize(
    ("file", "command"),
    [
        (".pre-commit-config.yaml", "pre-commit run a"),
        ("noxfile.py", "nox -s a"),
        ("Pipfile", "pipenv run a"),
        ("mise.toml", "mise run a"),
        (".github/workflows/a.yml", "act"),
        ("package.json", "npx lint-staged"),
    ],
)
def test_a_tool_runs_the_file_that_the_text_writes(file: str, command: str) -> None:
    assert not analyzed(f"echo x > {file}; {command}").complete
    assert any("is written and then run" in each for each in analyzed(f"echo x > {file}; {command}").reasons)
