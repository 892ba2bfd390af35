"""Simulated programs know which of their options, expressions and commands are not simulated."""

import time

import pytest

from tests.unit.tools_app.permission.shell.test_rehearsal import played
from tools_app.permission.shell.rehearsal.character_sets import characters_of, translated
from tools_app.permission.shell.rehearsal.expressions import compiled, kept, replacement
from tools_app.permission.shell.rehearsal.filters import filtered, pasted_files
from tools_app.permission.shell.rehearsal.guess import Guess
from tools_app.permission.shell.rehearsal.options import given_options

SECONDS = 1.0


@pytest.mark.parametrize(
    ("words", "given", "printed"),
    [
        (["cut", "-d,", "-f1,3", "--output-delimiter="], "a,b,c", "ac"),
        (["cut", "-d.", "-f1-", "--output-d="], "pu.sh", "push"),
        (["cut", "--complement", "-c1"], "xpush", "push"),
        (["cut", "-sd,", "-f1"], "a\nb,c", "b"),
        (["cut", "-d", "", "-f1"], "a", "a"),
        (["paste", "-sd", r"\0", "-"], "p\nu\n", "pu\n"),
        (["paste", "-s", "-d", ""], "p\nu\n", "pu\n"),
        (["paste", "-sd", "ux"], "p\ns\nh\n", "pusxh\n"),
        (["paste", r"-d\n", "-", "-"], "a\nb\n", "a\nb\n"),
        (["tr", "-s", "us"], "puussh", "push"),
        (["tr", "-cs", "a-z", "\n"], "a--b", "a\nb"),
        (["tr", "-ds", "x", "u"], "xpuush", "push"),
        (["grep", "us"], "log\npush\n", "push\n"),
        (["grep", "-v", "log"], "log\npush\n", "push\n"),
        (["grep", "-xe", "a"], "aa\na\n", "a\n"),
        (["grep", "-oP", r"x\K[a-w]+"], "xxpushxx", "push\n"),
        (["grep", "-o", r"p\(u\|x\)sh"], "xpush", "push\n"),
        (["egrep", "-o", "(p|x)ush"], "xpush", "push\n"),
        (["fgrep", "-o", "p.s"], "xp.s", "p.s\n"),
        (["grep", "-io", "PUSH"], "push", "push\n"),
        (["grep", "-oE", "-e", "a", "-e", "b"], "ab", "a\nb\n"),
        (["sed", "-n", "s/x//p"], "log\nxpush\n", "push\n"),
        (["sed", r"s/.*/\L&/"], "PUSH", "push\n"),
        (["sed", r"s/\(P\)\(.*\)/\l\1\2/"], "PusH", "pusH\n"),
        (["sed", "s,/,,"], "p/", "p\n"),
        (["xxd", "-r"], "0: 7075 7368\n", "push"),
        (["xxd", "-r"], "00000000: 7075 7368  push", "push"),
        (["xxd", "-p"], "a", "61"),
        (["xxd", "-r", "-ps"], "61", "a"),
        (["base64", "--dec"], "cHVzaA", "push"),
        (["openssl", "enc", "-base64", "-d"], "YQ==", "a"),
        (["base32", "-d"], "MFRA", "ab"),
        (["base32"], "a", "ME======"),
        (["iconv", "-f", "utf8"], "a", "a"),
        (["head", "-1"], "a\nb\n", "a\n"),
        (["tail", "--lines=1"], "a\nb\n", "b\n"),
        (["sort", "-ru"], "a\nb\na", "b\na"),
        (["basename", "--suffix=.x", "a/b.x"], "", "b"),
        (["awk", "-F:", "{print $2}"], "a:b", "b\n"),
        (["dd", "conv=lcase", "status=none"], "A", "a"),
        (["expr", "ab", ":", "a"], "", "1\n"),
    ],
)
def test_output_that_is_certain(words: list[str], given: str, printed: str) -> None:
    found = filtered(words, given)
    assert found == printed
    assert not isinstance(found, Guess)


@pytest.mark.parametrize(
    "words",
    [
        ["cut", "-zf1"],
        ["cut", "-c1,2", "--output-delimiter=x"],
        ["paste", "-z"],
        ["tr", "[=a=]", "b"],
        ["tr", "a", "[b*2]"],
        ["tr", "-t", "a", "b"],
        ["grep", "-oP", r"\x70"],
        ["grep", "-oP", r"(a\Kb)"],
        ["grep", "-w", "a"],
        ["grep", "-m1", "a"],
        ["grep", "[[=a=]]"],
        ["grep", "a" * 70],
        ["sed", "-n", "2p"],
        ["sed", ":a;s/x//;ta"],
        ["sed", r"s/a/\x70/"],
        ["sed", "s/a/b/2"],
        ["sed", r"s/\x70/b/"],
        ["sed", "-s", "--posix", "s/a/b/"],
        ["xxd", "-r", "-s1"],
        ["xxd"],
        ["base64", "-x"],
        ["openssl", "enc", "-d", "-aes256"],
        ["iconv", "-f", "IBM037"],
        ["head", "-n1k"],
        ["tail", "-c1b"],
        ["sort", "-n"],
        ["shuf", "-n1"],
        ["nl"],
        ["rev", "-0"],
        ["tac", "-s", "a"],
        ["awk", "{print substr($0, 1)}"],
        ["awk", "-vOFS=", "{print $1,$2}"],
        ["awk", "-Ft", "{print $1}"],
        ["awk", "{print $1}", "OFS="],
        ["dd", "conv=ascii"],
        ["dd", "iflag=x"],
        ["expr", "length", "a"],
        ["m4", "-P"],
        ["uniq", "-c"],
        ["cat", "-A"],
        ["numfmt", "--to=si"],
        ["seq", "-w", "2"],
    ],
)
def test_output_that_is_a_guess(words: list[str]) -> None:
    assert isinstance(filtered(words, "substr(pa\nb\n"), Guess)


@pytest.mark.parametrize(
    "program", ['"xpush"|.[1:]', '"a"|test("b")', '"ab"|sub(".";"x")', '"a"|other', '"a"|other("b")', '"a" as $x|$x']
)
def test_programs_of_jq_that_are_guesses(program: str) -> None:
    assert isinstance(filtered(["jq", "-rn", program], ""), Guess)


def test_columns_of_files() -> None:
    assert pasted_files(["-d", r"\0", "a", "b"], ["p\ns\n", "u\nh\n"]) == "pu\nsh"
    assert pasted_files(["-s", "a", "b"], ["p\ns\n", "u\n"]) == "p\ts\nu"
    assert pasted_files(["-z", "a"], ["p"]) is None


def test_options_have_one_form() -> None:
    given = given_options("cut", ["-sd,", "a", "--fields=1"])
    assert given is not None
    assert given.words() == ["-s", "-d", ",", "-f", "1", "a"]
    assert given_options("cut", ["--x"]) is None
    assert given_options("other", []) is None


@pytest.mark.parametrize(
    ("pattern", "kind"),
    [
        (r"\d", "E"),
        ("(?=a)", "E"),
        ("(?P<a>b)", "P"),
        (r"\Qa\E", "P"),
        ("[[:other:]]", "E"),
        ("[a", "G"),
        (r"[\w]", "P"),
        ("(a+)+", "E"),
        (r"a\Kb\Kc", "P"),
        (r"a\K(b)", "P"),
        (r"(a|\Kb)", "P"),
        (r"\`a", "G"),
        ("a*b*c*d*", "E"),
    ],
)
def test_expressions_that_are_not_known(pattern: str, kind: str) -> None:
    assert compiled(pattern, kind) is None


@pytest.mark.parametrize(
    ("pattern", "kind", "text", "found"),
    [
        (r"a\Kb", "P", "ab", "b"),
        ("a(b", "G", "a(b", "a(b"),
        (r"\<b", "G", "a b", "b"),
        ("[]a]+", "E", "]a", "]a"),
        ("(?<=a)b", "P", "ab", "b"),
        ("[[:upper:][:digit:]_]+", "E", "aB1_", "B1_"),
        (r"[\n]+", "E", r"a\n", r"\n"),
        ("a\nb", "F", "xb", "b"),
        (r"a\.b", "E", "a.b", "a.b"),
    ],
)
def test_expressions_as_python_reads_them(pattern: str, kind: str, text: str, found: str) -> None:
    expression = compiled(pattern, kind)
    match = expression and expression.search(text)
    assert match
    assert kept(match) == found


def test_replacements_that_are_not_known() -> None:
    assert [replacement(each, 1) for each in (r"\x41", "a\\", r"\2", r"\c")] == [None] * 4


def test_sets_of_characters() -> None:
    assert characters_of(r"[:digit:]\na-c") == "0123456789\nabc"
    assert translated("abc", "x", "abcd") == "xxxd"


@pytest.mark.parametrize(
    "text",
    [
        r"git $(echo xPush | sed 's/x/\x70/')",
        "git $(dd conv=ascii <<< a)",
        "git $(perl -pe '$_=lc' <<< PUSH)",
        "x=$(tac -s a <<< b); git $x",
        "git $(ruby -ne 'print $_' <<< PUSH)",
        "$(nl <<< git) push",
        'eval "$(sed -n 2p <<< a)"',
        "git p$(nl <<< a)",
        "$(nl <<< a) $(nl <<< b)",
        r"git $(printf '%ypush')",
        "$(nl <<< a)t push",
        r"git $(jq -rn '\"xpush\"|.[1:]')",
        "git $(realpath --relative-to=/a /a/push)",
        r"git $(printf '\\x70ush' | xargs -0 printf)",
        "git $(envsubst <<< 'pu${x}sh')",
    ],
)
def test_a_guess_may_be_any_command(text: str) -> None:
    assert "git push" in [each.strip() for each in played(text)]


@pytest.mark.parametrize(
    "text",
    [
        "git $(unknown | nl) origin",
        "git log $(nl <<< a)",
        "git $(sed s/a/b/ <<< log)",
        "echo $(nl <<< a) push",
        "git $(sed -n 2p notes) origin",
        "git $(jq -r '.a|test(1)' notes) origin",
        'eval "$(sed -n 2p notes)"',
    ],
)
def test_other_commands_are_not(text: str) -> None:
    assert "git push" not in [each.strip()[:8] for each in played(text)]


@pytest.mark.parametrize(
    "text",
    [
        "set -- h s u p; for ((i=$#;i;i--)); do y+=${!i}; done; git $y",
        "set -- h s u p; for ((i=${#};i>0;i--)); do y+=${!i}; done; git $y",
        "set -- 2; a=(x y push); git ${a[$1]}",
        "set -- 1 2; ((n=$2)); a=(x y push); git ${a[n]}",
    ],
)
def test_parameters_in_calculations(text: str) -> None:
    assert "git push" in played(text)


@pytest.mark.parametrize(
    "text",
    [
        "git $([ a = b ] && echo log || echo push)",
        "git $([ a = a ] && echo push || echo log)",
        "git $(if a; then echo log; else echo push; fi)",
        "git $(case $x in a) echo log;; *) echo push;; esac)",
        "x=p1u2s3h; git ${x//[^a-z]}",
        "x=p1u2s3h; git ${x//[[:digit:]]/}",
    ],
)
def test_branches_and_globs(text: str) -> None:
    assert any(each.startswith("git push") for each in played(text))


def test_long_texts_take_little_time() -> None:
    began = time.process_time()
    for words in (
        ["sed", "s/a*b*c*//g"],
        ["grep", "-o", "a*b*c*d"],
        ["grep", "a\n" * 2_000],
        ["cut", "-f" + "1-," * 1_000],
        ["tr", "-s", "a-z"],
        ["paste", "-sd", "a" * 2_000],
        ["sed", "s/a/b/;" * 500],
        ["xxd", "-r"],
        ["awk", "{print" + " $1," * 900 + "}"],
        ["fold", "-w1"],
    ):
        filtered(words, "ab" * 2_000)
        filtered(words, "ab\n" * 1_300)
    assert time.process_time() - began < SECONDS
