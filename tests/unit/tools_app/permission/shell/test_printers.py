"""The output of programs whose format or program text is part of the command."""

import pytest

from tools_app.permission.shell.rehearsal.filters import filtered
from tools_app.permission.shell.rehearsal.jq import jq_output
from tools_app.permission.shell.rehearsal.make_command import MakeCommand
from tools_app.permission.shell.rehearsal.packages import cargo_alias, scripts_of, with_settings


@pytest.mark.parametrize(
    ("words", "given", "printed"),
    [
        (["date", "+a%tb%n%%"], "", "a\tb\n%"),
        (["git", "log", "--format=p%x75sh%n"], "", "push\n"),
        (["git", "for-each-ref", "--format", "p%75sh"], "", "push"),
        (["git", "rev-parse", "--git-path", "hooks"], "", ".git/hooks"),
        (["git", "status"], "", ""),
        (["numfmt", "--format=a %f", "--suffix=b", "1"], "", "a 1b\n"),
        (["find", ".", "-printf", r"p\165sh"], "", "push"),
        (["stat", "-c", "a"], "", "a"),
        (["stat", r"--printf=p\x75sh", "."], "", "push"),
        (["dd", "conv=sync,lcase"], "PUSH", "push"),
        (["dd", "conv=swab"], "uphs", "push"),
        (["basename", "-s", ".x", "a/b.x"], "", "b"),
        (["basename", "a/b.x", ".x"], "", "b"),
        (["shuf", "-e", "push"], "", "push"),
        (["paste", "-d ", "-", "-"], "git\npush\n", "git push\n"),
        (["seq", "-s", " push ", "-f", "git", "2"], "", "git push git\n"),
        (["expr", "xpush", ":", r"x\(.*\)"], "", "push\n"),
        (["grep", "-o", "push"], "a push", "push\n"),
        (["awk", '{gsub("ll","sh")}1'], "pull", "push"),
        (["m4"], "translit(qvti, qvt, pus)", "pusi"),
    ],
)
def test_output_of_printers(words: list[str], given: str, printed: str) -> None:
    assert filtered(words, given) == printed


@pytest.mark.parametrize(
    ("program", "given", "printed"),
    [
        (r'"git \("pus" + "h")"', "", "git push"),
        ('"hsup"|explode|reverse|implode', "", "push"),
        ('"PUSH"|ascii_downcase', "", "push"),
        ('"pull"|sub("ll";"sh")', "", "push"),
        (r'{a:"push"}|"git \(.a)"', "", "git push"),
        ("{push:1}|keys[]", "", "push"),
        ('["git","push"]|join(" ")', "", "git push"),
        (".a[1].b", '{"a": [0, {"b": "push"}]}', "push"),
        ('.["a"]', '{"a": "push"}', "push"),
        ("1+", "", ""), ('"', "", ""), ("{", "", ""), ("(((((((((((((((", "", ""), (".a", "{", ""), ("x(1;2)", "", "1"),
    ],
)  # fmt: skip
def test_output_of_jq(program: str, given: str, printed: str) -> None:
    assert jq_output(["-rn", program], given) == printed


def test_names_of_jq() -> None:
    assert jq_output(["-n", "--arg", "a", "push", '"git " + $a'], "") == "git push"
    assert jq_output(["-n", '$ARGS.positional|join(" ")', "--args", "git", "push"], "") == "git push"


def test_words_of_make() -> None:
    command = MakeCommand(["make", "-C", "d", "-fm", "--eval=x", "a", "CC=git", "CFLAGS=push", "-e"], "A=1")
    assert (command.folder, command.files, command.text.strip()) == ("d", ["m"], "x")
    assert (command.goals, command.environment_wins) == (["a"], True)
    assert command.values == {"A": "1", "CC": "git", "CFLAGS": "push"}
    assert "git push" in set(command.implicit({}))
    assert MakeCommand(["make"], "ke").environment_wins
    assert not list(MakeCommand(["make"], "").implicit({"HOME": "/"}))


def test_settings_of_packages() -> None:
    package = with_settings('{"name": "a"}', ["config.op=push", "scripts.rel=git", "name.b=c"])
    ((text, values),) = scripts_of(package, ["npm", "run", "rel", "--x-y=z"])
    assert text == "git"
    assert values["npm_package_config_op"] == "push"
    assert (values["npm_lifecycle_event"], values["npm_config_x_y"], values["npm_package_name"]) == ("rel", "z", "a")
    assert list(scripts_of("[", [])) == []
    ((text, _),) = scripts_of(package, ["npm", "run", "rel", "a", "-q", "--", "push", "-f"])
    assert text == "git a push -f"


@pytest.mark.parametrize(
    ("words", "environment", "settings"),
    [
        (["cargo", "x"], {"CARGO_ALIAS_X": "publish"}, []),
        (["cargo", "--config", 'alias.x="publish"', "x"], {}, []),
        (["cargo", "x"], {}, ['[alias]\nx = "publish"']),
        (["cargo", "x"], {}, ['[alias]\nx = ["publish"]']),
    ],
)
def test_aliases_of_cargo(words: list[str], environment: dict[str, str], settings: list[str]) -> None:
    assert cargo_alias([*words, "-q"], environment, settings) == ["cargo", "publish", "-q"]
    assert cargo_alias(["cargo", "build"], environment, settings) == []
    assert cargo_alias(["cargo"], environment, settings) == []
